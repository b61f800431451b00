package recording

import (
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// rows are the types that docs/recording.md describes, by what it calls them.
var rows = map[string]any{
	"header": Header{}, "line": line{}, "marker": marker{}, "batch": batch{}, "mark": feed.Mark{}, "detail": feed.Detail{},
	"logs": logs{}, "key of a log": feed.LogKey{}, "chunk of a log": feed.LogChunk{}, "line of a log": feed.LogLine{},
	"chapter": chapter{}, "state": state{}, "remembered": feed.Remembered{}, "retries": status.Retry{}, "crash": status.Crash{},
	"deleted": feed.Deleted{}, "cause": feed.Began{}, "history": feed.Transition{}, "end": end{},
	"id": object.ID{}, "root": feed.Root{}, "told": feed.GivenStatus{}, "said": feed.ReportedStatus{}, "gone": feed.Gone{}, "event": object.Event{},
	"source": feed.SourceState{}, "notice": feed.Notice{}, "object": object.Object{}, "label": object.Label{}, "owner": object.Owner{},
	"condition": object.Condition{}, "writer": object.Writer{}, "flaw": object.Flaw{}, "pod": object.Pod{}, "container": object.Container{},
	"container state": object.ContainerState{}, "probes": object.Probes{}, "probe": object.Probe{}, "port": object.Port{}, "use": object.Use{},
	"request": object.Amount{}, "placement": object.Placement{}, "node term": object.NodeTerm{}, "toleration": object.Toleration{},
	"pod term": object.PodTerm{}, "spread": object.Spread{}, "selector": object.Selector{}, "requirement": object.Requirement{},
	"workload": object.Workload{}, "image": object.Image{}, "scaled": object.Scaled{}, "job": object.Job{}, "cron job": object.CronJob{},
	"service": object.Service{}, "endpoints": object.Endpoints{}, "endpoint": object.Endpoint{}, "claim": object.Claim{},
}

func page(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../docs/recording.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// keysOf are the keys of a type in a recording, and the types of their values.
func keysOf(t *testing.T, typ reflect.Type) (keys []string, inner []reflect.Type) {
	for f := range typ.Fields() {
		tag, tagged := f.Tag.Lookup("json")
		key, _, _ := strings.Cut(tag, ",")
		of := f.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		switch {
		case key == "-":
		case f.Anonymous:
			k, in := keysOf(t, of)
			keys, inner = append(keys, k...), append(inner, in...)
		case !tagged || key == "":
			t.Errorf("%s.%s has no key of its own in a recording: give it a tag", typ, f.Name)
		default:
			keys, inner = append(keys, key), append(inner, of)
		}
	}
	return keys, inner
}

// The page names every key of every type that a line can hold, and no other.
func TestTheFormatsPageNamesTheKeysOfTheFormat(t *testing.T) {
	text := page(t)
	described := map[reflect.Type]bool{timeType: true, reflect.TypeFor[object.Int](): true}
	var inner []reflect.Type
	for name, v := range rows {
		keys, in := keysOf(t, reflect.TypeOf(v))
		described[reflect.TypeOf(v)], inner = true, append(inner, in...)
		row := regexp.MustCompile(`(?m)^- \*\*` + name + `\*\*: (.*(?:\n  .*)*)`).FindString(text)
		if row == "" {
			t.Errorf("there is no row for %s", name)
			continue
		}
		var named []string
		for _, m := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row, -1) {
			named = append(named, m[1])
		}
		slices.Sort(keys)
		slices.Sort(named)
		if diff := cmp.Diff(keys, named); diff != "" {
			t.Errorf("%s (-the format +the page):\n%s", name, diff)
		}
	}
	for _, in := range inner {
		if in.Kind() == reflect.Struct && !described[in] {
			t.Errorf("no row describes %s", in)
		}
	}
}

// Every question that the page puts to a recording has an answer in the demo's.
func TestTheJqCommandsOfTheFormatsPageWork(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("there is no jq here")
	}
	commands := regexp.MustCompile(`(?m)^zcat FILE.*$`).FindAllString(page(t), -1)
	if len(commands) < 5 {
		t.Fatalf("only %q", commands)
	}
	for _, c := range commands {
		out, err := exec.Command("sh", "-c", strings.Replace(c, "FILE", "../../cmd/kstatus-tui/demo.rec.gz", 1)).CombinedOutput()
		answer := strings.TrimSpace(string(out))
		if err != nil || answer == "" || regexp.MustCompile(`\bnull\b|jq: error`).MatchString(answer) {
			t.Errorf("%s\n%v: %.500s", c, err, answer)
		}
		t.Logf("%s\n%.300s", c, answer)
	}
}
