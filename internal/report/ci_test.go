package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// hostile is text as a cluster may hold it: what ends an attribute, a command, a
// line or a document.
const hostile = "50% of a:b,c]]> <x> & \"q\"\r\n::error::no\x00\x1b[31m\ufffe end"

// unruly is the shop with hostile words wherever a cluster has a say.
func unruly(t *testing.T) *model.Model {
	t.Helper()
	deploy := decode(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"u1","resourceVersion":"5"},"spec":{"replicas":1}}`)
	m, _ := model.New(model.Options{
		Now: t0, Sources: []string{hostile}, Namespace: "shop",
		Judge: func(*object.Object, status.World, time.Time) status.Assessment {
			return status.Assessment{Status: status.Failed, Reason: hostile, Message: hostile, Rule: "x", Confidence: status.Exact, Deciding: -1}
		},
		Explain: func() []explain.Cause {
			return []explain.Cause{{
				ID: "c", Code: "X", Title: hostile, Detail: hostile, Class: "action", Certainty: "proven", Count: 1,
				Subject: explain.Subject{ID: deploy.ID}, Blocks: []object.ID{deploy.ID}, Next: []string{hostile},
			}}
		},
	})
	m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{
		Seq: 1, At: t0.Add(time.Second), Synced: true, Answered: 9,
		Roots: []feed.Root{{ID: deploy.ID, Version: "v1", Source: "x"}}, Objects: []*object.Object{deploy},
	}})
	return m
}

// element is what the schemas of JUnit's XML that consumers use have in common
// (Jenkins' junit-10.xsd and the older one of Windy Road, which wants more):
// attributes, those that must be there, and children in their order.
type element struct {
	required, optional string
	children           []string // NAME, NAME? or NAME*
	text               bool
}

var junitSchema = map[string]element{
	"testsuites": {"", "name time tests failures disabled errors", []string{"testsuite*"}, false},
	"testsuite": {
		"name tests failures errors time timestamp hostname id package", "skipped disabled",
		[]string{"properties", "testcase*", "system-out", "system-err"},
		false,
	},
	"properties": {"", "", []string{"property*"}, false},
	"testcase":   {"name classname time", "assertions status", []string{"skipped?", "error?", "failure?"}, false},
	"skipped":    {"", "message type", nil, true},
	"failure":    {"type", "message", nil, true},
	"error":      {"type", "message", nil, true},
	"system-out": {"", "", nil, true},
	"system-err": {"", "", nil, true},
}

var junitValues = map[string]*regexp.Regexp{
	"tests": regexp.MustCompile(`^\d+$`), "failures": regexp.MustCompile(`^\d+$`), "errors": regexp.MustCompile(`^\d+$`),
	"skipped": regexp.MustCompile(`^\d+$`), "id": regexp.MustCompile(`^\d+$`), "time": regexp.MustCompile(`^\d+\.\d{3}$`),
	"timestamp": regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`), "hostname": regexp.MustCompile(`^\S+$`), "name": regexp.MustCompile(`\S`),
}

// node is an element of a document.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Nodes   []node     `xml:",any"`
	Text    string     `xml:",chardata"`
}

func (n node) check(t *testing.T) {
	t.Helper()
	name := n.XMLName.Local
	e, ok := junitSchema[name]
	if !ok {
		t.Errorf("there is no element %s", name)
		return
	}
	seen := map[string]bool{}
	for _, a := range n.Attrs {
		seen[a.Name.Local] = true
		if !slices.Contains(strings.Fields(e.required+" "+e.optional), a.Name.Local) {
			t.Errorf("%s has no attribute %s", name, a.Name.Local)
		}
		if v := junitValues[a.Name.Local]; v != nil && !v.MatchString(a.Value) {
			t.Errorf("%s %s=%q", name, a.Name.Local, a.Value)
		}
	}
	for a := range strings.FieldsSeq(e.required) {
		if !seen[a] {
			t.Errorf("%s without %s", name, a)
		}
	}
	if !e.text && strings.TrimSpace(n.Text) != "" {
		t.Errorf("text in %s: %q", name, n.Text)
	}
	rest := n.Nodes
	for _, c := range e.children {
		child := strings.TrimRight(c, "?*")
		count := 0
		for len(rest) > 0 && rest[0].XMLName.Local == child {
			rest[0].check(t)
			rest = rest[1:]
			count++
		}
		if count == 0 && child == c || count > 1 && !strings.HasSuffix(c, "*") {
			t.Errorf("%s holds %d of %s", name, count, child)
		}
	}
	if len(rest) > 0 {
		t.Errorf("%s holds %s, or holds it in another order", name, rest[0].XMLName.Local)
	}
}

func (n node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func TestJUnitIsAcceptedByItsReaders(t *testing.T) {
	for name, c := range map[string]struct {
		m                       *model.Model
		e                       End
		failures, errs, skipped int
	}{
		"a failure":                  {shop(t), End{Code: 2, Why: "out of time"}, 1, 0, 1},
		"a success":                  {shop(t), End{Code: 0, Why: "done"}, 0, 0, 1},
		"hostile words":              {unruly(t), End{Code: 2, Why: hostile}, 1, 0, 0},
		"nothing but the wait wrong": {wellShop(t), End{Code: 4, Why: "Deployment/web was deleted and created again"}, 0, 1, 0},
		"all gone, as wished": {
			absentShop(t), End{Code: 0, Why: "everything is deleted", Word: "gone", Gone: true, Done: func(r known.Resource) bool { return r.Object == nil }}, 0, 0, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := JUnit(&b, c.m.Facts, c.e); err != nil {
				t.Fatal(err)
			}
			var doc node
			if err := xml.Unmarshal(b.Bytes(), &doc); err != nil {
				t.Fatalf("%v in\n%s", err, &b)
			}
			doc.check(t)
			suite := doc.Nodes[0]
			got := map[string]int{}
			for _, n := range suite.Nodes {
				if n.XMLName.Local != "testcase" {
					continue
				}
				got["tests"]++
				for _, r := range n.Nodes {
					got[r.XMLName.Local]++
				}
			}
			for attr, n := range map[string]int{"tests": got["tests"], "failures": c.failures, "errors": c.errs, "skipped": c.skipped} {
				if suite.attr(attr) != fmt.Sprint(n) {
					t.Errorf("%s=%s, want %d", attr, suite.attr(attr), n)
				}
			}
			if got["failure"] != c.failures || got["error"] != c.errs || got["skipped"] != c.skipped {
				t.Errorf("cases: %v", got)
			}
			if c.e.Code != 0 && c.failures+c.errs == 0 {
				t.Error("a wait that failed counts no failure")
			}
		})
	}
}

// command is a workflow command as GitHub's runner reads it.
var command = regexp.MustCompile(`^::(debug|notice|warning|error) title=([^:,\r\n]*)::(.*)$`)

func TestGitHubCommandsAreReadBackAsTheyWereMeant(t *testing.T) {
	unescape := strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",")
	for name, m := range map[string]*model.Model{"shop": shop(t), "hostile words": unruly(t)} {
		var b bytes.Buffer
		if err := GitHub(&b, m.Facts, End{Code: 2, Why: hostile}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if want := 1 + len(m.Facts.Causes()); len(lines) != want {
			t.Errorf("%s: %d lines, want %d:\n%s", name, len(lines), want, &b)
		}
		for _, line := range lines {
			f := command.FindStringSubmatch(line)
			if f == nil {
				t.Errorf("%s: no command: %q", name, line)
				continue
			}
			if i := strings.IndexFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }); i >= 0 {
				t.Errorf("%s: a control character in %q", name, line)
			}
			// Every % is the beginning of an escape.
			if bad := regexp.MustCompile(`%([^0-9A-F]|[0-9A-F][^0-9A-F]|$)`).FindString(f[2] + "\x00" + f[3] + "\x00"); bad != "" {
				t.Errorf("%s: %q is not escaped in %q", name, bad, line)
			}
			if name == "hostile words" && !strings.Contains(unescape.Replace(f[2]+" "+f[3]), "50% of a:b,c]]> <x> & \"q\"") {
				t.Errorf("the text is lost: %q", line)
			}
		}
	}
}

// What cli-utils' printers write about a resource (cmd/status/printers/json of
// sigs.k8s.io/cli-utils: group, kind, namespace, name, timestamp, type,
// inventory-name, status and message, strings all, always there) is in each of
// our status events, whatever the object.
func TestAStatusEventHasTheFieldsOfCliUtils(t *testing.T) {
	m := shop(t)
	events := newChanges().events(m.Facts)
	var b bytes.Buffer
	if err := Status(&b, m.Facts, "jsonl", 2, Table{}); err != nil {
		t.Fatal(err)
	}
	events = append(events, bytes.Split(bytes.TrimSpace(b.Bytes()), []byte("\n"))...)
	seen := 0
	for _, line := range events {
		var e map[string]any
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e["type"] != "status" {
			continue
		}
		seen++
		for field := range strings.FieldsSeq("group kind namespace name timestamp type inventory-name status message") {
			if _, ok := e[field].(string); !ok {
				t.Errorf("no %s in %s", field, line)
			}
		}
		if _, err := time.Parse(time.RFC3339, e["timestamp"].(string)); err != nil {
			t.Error(err)
		}
		if e["name"] == "migrate" && (e["kind"] != "Job" || e["namespace"] != "shop" || e["group"] != "batch" || e["status"] != "NotFound") {
			t.Errorf("%s", line)
		}
	}
	if seen != 5+3 {
		t.Errorf("%d status events", seen)
	}
}

// wellShop is a shop where everything is Current.
func wellShop(t *testing.T) *model.Model {
	t.Helper()
	cm := decode(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","namespace":"shop","uid":"u4","resourceVersion":"5"}}`)
	m, _ := model.New(model.Options{Now: t0, Namespace: "shop", Judge: judged, Explain: func() []explain.Cause { return nil }})
	m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{
		Seq: 1, At: t0.Add(time.Second), Synced: true, Answered: 9, Roots: []feed.Root{{ID: cm.ID, Source: "cm/settings"}}, Objects: []*object.Object{cm},
	}})
	return m
}

// absentShop is a shop without objects, and with a cause that explains that.
func absentShop(t *testing.T) *model.Model {
	t.Helper()
	cm := id("", "ConfigMap", "settings")
	m, _ := model.New(model.Options{Now: t0, Namespace: "shop", Judge: judged, Explain: func() []explain.Cause {
		return []explain.Cause{{
			ID: "c", Code: "NotFound", Title: "ConfigMap settings does not exist", Class: "action", Certainty: "proven", Count: 1,
			Subject: explain.Subject{ID: cm}, Blocks: []object.ID{cm},
		}}
	}})
	m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{
		Seq: 1, At: t0.Add(time.Second), Synced: true, Answered: 9, Roots: []feed.Root{{ID: cm, Source: "cm/settings"}}, Absent: []object.ID{cm},
	}})
	m, _ = m.Update(model.ClockTicked{Now: t0.Add(3 * time.Second)})
	return m
}

func TestADeletedObjectIsNoProblemWhenDeletionWasTheGoal(t *testing.T) {
	gone := End{Why: "everything is deleted", Word: "gone", Gone: true, Done: func(r known.Resource) bool { return r.Object == nil }}
	absent := absentShop(t)
	if len(absent.Facts.Causes()) == 0 {
		t.Fatal("there is no cause to leave out")
	}
	for _, c := range []struct {
		m    *model.Model
		e    End
		want string
	}{
		{absent, gone, ""},
		{absent, End{Word: "there", Done: func(r known.Resource) bool { return r.Object != nil }}, "NotFound"},
		{wellShop(t), gone, "ConfigMap/settings  Current"},
		{wellShop(t), End{}, ""},
	} {
		var b bytes.Buffer
		if err := rest(&b, c.m.Facts, c.e); err != nil || c.want == "" && b.Len() > 0 || !strings.Contains(b.String(), c.want) {
			t.Errorf("want %q, got\n%s", c.want, &b)
		}
	}
	if diff := cmp.Diff([]string{"1 of 1 gone", "0 of 1 Current"}, []string{gone.tally(absent.Facts), End{}.tally(absent.Facts)}); diff != "" {
		t.Error(diff)
	}
	var b bytes.Buffer
	if err := GitHub(&b, absent.Facts, gone); err != nil || b.String() != "::notice title=kstatus-tui%3A 1 of 1 gone::everything is deleted\n" {
		t.Errorf("%s", &b)
	}
}
