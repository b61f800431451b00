package explain

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/logline"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/revision"
	"github.com/kstatus-tui/kstatus-tui/internal/explaintest"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// TestCases says of every case in testdata/cases what it wants; explaintest.Case has
// their language.
func TestCases(t *testing.T) {
	cases, err := explaintest.Cases(filepath.Join("testdata", "cases"))
	if err != nil {
		t.Fatal(err)
	}
	found, quiet := map[string]bool{}, 0
	commands, titles := map[string]bool{}, map[string]bool{}
	for _, c := range cases {
		t.Run(c.File+"/"+c.Name, func(t *testing.T) {
			want, ok := runCase(t, c, commands, titles)
			if !ok {
				return
			}
			for _, x := range want {
				code, _, _ := strings.Cut(x, " ")
				code = strings.TrimSuffix(code, ":")
				if code == "nothing" {
					quiet++
				}
				found[code] = true
			}
		})
	}
	// The commands to copy, for people to read and for internal/e2e, which runs those
	// of kubectl and knows the form of the others; and the titles, from which
	// docs/causes.md takes its examples.
	sameList(t, "testdata/commands.txt", commands)
	sameList(t, titlesFile, titles)
	if quiet < 35 {
		t.Errorf("only %d cases stay silent: a detector needs a neighbour that must not fire", quiet)
	}
	for _, e := range codes.All() {
		// Progress is left out of what cases compare, and the echo of a backend is
		// never a cause of its own. Only a detector that panics finds an internal
		// error: see TestAPanicInADetectorHidesNoOtherCause.
		if !found[e.Name] && e != codes.Progressing && e != codes.BackendNotReady && e != codes.InternalError {
			t.Errorf("no case finds %s", e)
		}
	}
}

// sameList compares a list with the file that holds it.
func sameList(t *testing.T, file string, set map[string]bool) {
	t.Helper()
	text := strings.Join(slices.Sorted(maps.Keys(set)), "\n") + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(file); err != nil || string(old) != text {
		t.Errorf("%s is not what the cases say; run: go test ./internal/explain -update", file)
	}
}

// reads reports whether a command is one of those that change nothing.
func reads(command string) bool {
	verbs := strings.Fields(command)
	if verbs[0] == "helm" {
		return verbs[1] == "history" || verbs[1] == "list"
	}
	switch verbs[1] {
	case "get", "describe", "logs", "top", "events", "api-resources", "port-forward":
		return true
	case "auth":
		return verbs[2] == "can-i"
	case "rollout":
		return verbs[2] == "history" || verbs[2] == "status"
	}
	return false
}

var caseNow = explaintest.Now

// caseWorld is the cluster that a case describes, and what is asked for.
func caseWorld(t *testing.T, c explaintest.Case) (w *world, roots []object.ID) {
	t.Helper()
	w = newWorld(caseNow)
	for _, o := range c.Objects {
		w.addObject(t, o)
	}
	count := func(in map[object.ID]int, rest string) {
		ref, times, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(times)
		if err != nil {
			t.Fatal(err)
		}
		in[w.ref(ref)] = n
	}
	for _, l := range c.Lines {
		switch rest := l.Rest; l.Key {
		case "absent":
			w.absent[w.ref(rest)] = true
		case "member":
			member, root, _ := strings.Cut(rest, " ")
			w.members[w.ref(member)] = w.ref(root)
		case "manifest":
			w.manifest = strings.Fields(rest)
		case "complete":
			for k := range strings.FieldsSeq(rest) {
				w.complete[object.ID{Group: explaintest.Groups[k], Kind: k}] = true
			}
		case "hidden":
			k, why, _ := strings.Cut(rest, " ")
			w.hidden[k] = why
		case "log":
			k, line, _ := strings.Cut(rest, " ")
			w.logs[k] = logline.Decisive(strings.Split(line, "⏎"))
		case "logged":
			k, line, _ := strings.Cut(rest, " ")
			w.logged[k] = append(w.logged[k], logline.Line{Text: line})
		case "template":
			ref, text, _ := strings.Cut(rest, " ")
			var m map[string]any
			if err := yaml.Unmarshal([]byte(text), &m); err != nil {
				t.Fatal(err)
			}
			w.template[w.ref(ref)] = revision.New(m)
		case "respec":
			f := strings.Fields(rest)
			w.respecs[w.ref(f[0])] = append(w.respecs[w.ref(f[0])], Change{Path: f[1], Before: f[2], After: f[3]})
		case "lost":
			count(w.lost, rest)
		case "written":
			count(w.written, rest)
		case "gone":
			ref, when, _ := strings.Cut(rest, " ")
			w.gone[w.ref(ref)] = moment(when)
		case "trouble":
			k, why, _ := strings.Cut(rest, " ")
			w.trouble[k] = why
		case "roots":
			for r := range strings.FieldsSeq(rest) {
				roots = append(roots, w.ref(r))
			}
		}
	}
	if roots == nil {
		roots = append(w.roots("a"), w.roots("")...)
		roots = slices.DeleteFunc(roots, func(id object.ID) bool { return explaintest.ClusterScoped[id.Kind] || id.Kind == "Event" })
	}
	if len(roots) == 0 {
		roots = append(w.roots("a"), w.roots("")...)
	}
	return w, roots
}

// runCase runs one case, and adds the titles of its causes and the commands that
// they offer.
func runCase(t *testing.T, c explaintest.Case, commands, titles map[string]bool) (want []string, ok bool) {
	t.Helper()
	want = c.Wanted
	if len(want) == 0 {
		t.Fatal("the case wants neither a cause nor nothing")
	}
	w, roots := caseWorld(t, c)
	var changes []string
	var certainty inspect.Certainty
	next, first, missing := "", "", ""
	shown := map[object.ID]bool{}
	verdicts := map[object.ID][]string{}
	for _, l := range c.Lines {
		switch rest := l.Rest; l.Key {
		case "certainty":
			certainty = inspect.Certainty(rest)
		case "missing":
			missing = rest
		case "changed":
			changes = append(changes, rest)
		case "next":
			next = rest
		case "first":
			first = rest
		case "shown", "unshown":
			for r := range strings.FieldsSeq(rest) {
				shown[w.ref(r)] = l.Key == "shown"
			}
		case "verdict":
			f := strings.Fields(rest)
			verdicts[w.ref(f[0])] = f[1:]
		}
	}
	s := w.snapshot()
	causes := Explain(s, roots).Causes
	for _, x := range contradictions(s, roots, causes) {
		t.Error(x)
	}
	checkRests(t, s, roots)
	causes = slices.DeleteFunc(causes, func(c Cause) bool { return c.Code == codes.Progressing.Name })
	for _, c := range causes {
		checkCause(t, c)
		w.resolves(t, c)
		titles[c.Code+"\t"+c.Title] = true
		for i, n := range c.Steps() {
			commands[c.Code+"\t"+n.String()] = true
			if i == 0 && n.Mutates || n.Mutates == reads(n.Command) || n.Mutates == (n.Does == "") {
				t.Errorf("%s: command %d: %+v", c.Code, i, n)
			}
		}
	}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf(format+"\n%s", append(args, describe(causes))...)
	}
	var changed []string
	for _, c := range causes {
		for _, x := range c.Changed {
			changed = append(changed, x.Path+": "+x.Before+" → "+x.After)
		}
	}
	if !slices.Equal(changed, changes) {
		fail("changed %q, want %q:", changed, changes)
	}
	for _, c := range causes {
		if next != "" && c.Steps()[0].Command != next {
			fail("%s proposes %q, want %q:", c.Code, c.Next, next)
		}
		if certainty != "" && c.Certainty != certainty || missing != "" && !slices.Contains(c.Missing, missing) {
			fail("%s %s, missing %q; want %s, missing %q:", c.Code, c.Certainty, c.Missing, certainty, missing)
		}
	}
	if first != "" && (len(causes) == 0 || causes[0].Code != first) {
		fail("the first cause is not %s:", first)
	}
	for ref, wanted := range shown {
		if wanted != slices.ContainsFunc(causes, func(c Cause) bool {
			return slices.ContainsFunc(c.Evidence, func(e Evidence) bool { return e.Ref == ref })
		}) {
			fail("%s among the proof: %v, want %v:", ref, !wanted, wanted)
		}
	}
	for ref, wanted := range verdicts {
		if got := w.judged[ref]; !slices.Contains(wanted, string(got.Status)) {
			fail("%s is %s (%s), want %v:", ref, got.Status, got.Message, wanted)
		}
	}
	if want[0] == "nothing" {
		if len(causes) > 0 {
			fail("wanted nothing, found:")
		}
		return want, true
	}
	if len(causes) != len(want) {
		fail("%d causes, want %d:", len(causes), len(want))
		return want, true
	}
	for _, x := range want {
		head, title, _ := strings.Cut(x, ": ")
		if !slices.ContainsFunc(causes, func(c Cause) bool {
			s := c.Subject.String()
			if c.Subject.Container != "" {
				s += "[" + c.Subject.Container + "]"
			}
			full := fmt.Sprintf("%s %s %s ×%d", c.Code, c.Class, s, c.Count)
			return (head == full || strings.HasPrefix(full, head+" ")) && strings.Contains(c.Title, title)
		}) {
			fail("no cause %q in", x)
		}
	}
	return want, true
}

// ref is the ID of Kind/name: of an object of the case, where a kind is not among
// those of the table.
func (w *world) ref(s string) object.ID {
	kind, name, _ := strings.Cut(s, "/")
	for _, o := range w.order {
		if o.Kind == kind && o.Name == name && explaintest.Groups[kind] == "" {
			return o.ID
		}
	}
	id := object.ID{Group: explaintest.Groups[kind], Kind: kind, Namespace: "a", Name: name}
	if explaintest.ClusterScoped[kind] {
		id.Namespace = ""
	}
	return id
}

// addDoc adds one document of a case.
func (w *world) addDoc(t *testing.T, m map[string]any) {
	t.Helper()
	var c explaintest.Case
	if err := c.Add(m); err != nil {
		t.Fatal(err)
	}
	w.addObject(t, c.Objects[0])
}

// addObject adds an object of a case, or an Event.
func (w *world) addObject(t *testing.T, m map[string]any) {
	t.Helper()
	judged, _ := m["judged"].(string)
	delete(m, "judged")
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	o := w.add(t, raw)
	if o == nil {
		return
	}
	if typ, ok := m["type"].(string); ok && o.Kind == "Secret" { // as the table has it
		keys, _ := m["data"].(map[string]any)
		o.Tree = map[string]any{"type": typ, "keys": int64(len(keys))}
	}
	if judged != "" {
		st, msg, _ := strings.Cut(judged, " ")
		a := status.Assessment{Status: status.Status(st), Message: msg, Deciding: -1, Paths: []string{"status"}}
		if st == "Stuck" {
			a.Status, a.Terminal = status.Failed, true
		}
		w.given[o.ID] = a
	}
}

// moment reads "-90s" as a moment before now.
func moment(s string) time.Time {
	d, err := time.ParseDuration(s)
	if err != nil {
		return time.Time{}
	}
	return caseNow.Add(d)
}
