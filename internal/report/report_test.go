package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

var update = flag.Bool("update", false, "write the golden files anew")

var t0 = time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)

func id(group, kind, name string) object.ID {
	return object.ID{Group: group, Kind: kind, Namespace: "shop", Name: name}
}

func decode(t *testing.T, text string) *object.Object {
	t.Helper()
	o, err := convert.JSON([]byte(text), convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// shop is a Deployment one of whose pods cannot pull its image, a ConfigMap
// that is well, and a Job that is not there.
func shop(t *testing.T) *model.Model {
	t.Helper()
	deploy := decode(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"u1","generation":2,
		"resourceVersion":"10","creationTimestamp":"2026-03-01T13:00:00Z"},
		"spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"acme/web:nope"}]}}},
		"status":{"observedGeneration":2,"replicas":1,"updatedReplicas":1,"unavailableReplicas":1,
		"conditions":[{"type":"Available","status":"False","reason":"MinimumReplicasUnavailable","message":"Deployment does not have minimum availability.","lastTransitionTime":"2026-03-01T13:55:00Z"},
		{"type":"Progressing","status":"True","reason":"ReplicaSetUpdated","message":"ReplicaSet \"web-7c88b\" is progressing.","lastTransitionTime":"2026-03-01T13:55:00Z","lastUpdateTime":"2026-03-01T13:55:00Z"}]}}`)
	rs := decode(t, `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web-7c88b","namespace":"shop","uid":"u2","generation":1,
		"resourceVersion":"11","creationTimestamp":"2026-03-01T13:55:00Z","labels":{"app":"web"},"annotations":{"deployment.kubernetes.io/revision":"2"},
		"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"u1","controller":true}]},
		"spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"acme/web:nope"}]}}},
		"status":{"observedGeneration":1,"replicas":1,"fullyLabeledReplicas":1}}`)
	pod := decode(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-7c88b-9qd","namespace":"shop","uid":"u3","resourceVersion":"12",
		"creationTimestamp":"2026-03-01T13:55:01Z","labels":{"app":"web"},
		"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-7c88b","uid":"u2","controller":true}]},
		"spec":{"nodeName":"node-3","containers":[{"name":"web","image":"acme/web:nope"}]},
		"status":{"phase":"Pending","startTime":"2026-03-01T13:55:02Z",
		"conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-03-01T13:55:02Z"},
		{"type":"Ready","status":"False","reason":"ContainersNotReady","message":"containers with unready status: [web]","lastTransitionTime":"2026-03-01T13:55:02Z"}],
		"containerStatuses":[{"name":"web","image":"acme/web:nope","ready":false,"started":false,"restartCount":0,
		"state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"acme/web:nope\": ErrImagePull: docker.io/acme/web:nope: not found"}}}]}}`)
	cm := decode(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","namespace":"shop","uid":"u4","resourceVersion":"5","creationTimestamp":"2026-03-01T13:00:00Z"}}`)
	m, _ := model.New(model.Options{Now: t0, Sources: []string{"-f app.yaml"}, Context: "prod-eu1", Namespace: "shop", Judge: judged, Explain: explained})
	source := "-f app.yaml"
	m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{
		Seq: 1, At: t0.Add(time.Second), Synced: true, Answered: 1,
		Roots: []feed.Root{
			{ID: cm.ID, Version: "v1", Source: source},
			{ID: deploy.ID, Version: "v1", Source: source},
			{ID: id("batch", "Job", "migrate"), Version: "v1", Source: source, Optional: true},
		},
		Absent:  []object.ID{id("batch", "Job", "migrate")},
		Objects: []*object.Object{pod, rs, deploy, cm},
		Sources: []feed.SourceState{{Key: "a", Group: "apps", Kind: "Deployment", Resource: "deployments", Namespace: "shop", Mode: feed.ModeWatch, Phase: feed.Live}},
	}})
	m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{Seq: 2, At: t0.Add(2 * time.Second), Synced: true, Answered: 99}})
	m, _ = m.Update(model.ClockTicked{Now: t0.Add(3 * time.Second)})
	return m
}

// judged is what the objects of these tests amount to, whatever the rules of
// the day are.
func judged(o *object.Object, _ status.World, _ time.Time) status.Assessment {
	a := status.Assessment{Status: status.Current, Message: "it exists", Rule: "ConfigMap.exists", Confidence: status.Exact, Deciding: -1}
	since := time.Date(2026, 3, 1, 14, 55, 32, 0, time.FixedZone("", 3600))
	switch o.Kind {
	case "Deployment":
		a.Status, a.Reason, a.Message, a.Since = status.Failed, "MinimumReplicasUnavailable", "Available: 0/1", since
		a.Rule, a.Paths, a.Deciding = "apps/Deployment.available", []string{"status.availableReplicas"}, 0
	case "ReplicaSet":
		a.Status, a.Reason, a.Message, a.Since, a.Rule = status.InProgress, "PodsNotReady", "Ready: 0/1", since, "apps/ReplicaSet.ready"
	case "Pod":
		c := o.Pod.Containers[0].State
		a.Status, a.Reason, a.Message, a.Since, a.Rule = status.Failed, c.Reason, c.Message, since, "Pod.waiting"
		a.Paths = []string{"status.containerStatuses[web].state.waiting"}
	}
	return a
}

// explained are two causes, whatever internal/explain would say.
func explained() []explain.Cause {
	pod, rs, deploy, job := id("", "Pod", "web-7c88b-9qd"), id("apps", "ReplicaSet", "web-7c88b"), id("apps", "Deployment", "web"), id("batch", "Job", "migrate")
	return []explain.Cause{{
		ID: "c1", Code: "ImageNotFound", Title: "tag nope does not exist in docker.io/acme/web",
		Detail: "Back-off pulling image \"acme/web:nope\": not found", Class: "action", Certainty: "proven",
		Since: time.Date(2026, 3, 1, 14, 55, 2, 0, time.FixedZone("", 3600)), Count: 2,
		Subject: explain.Subject{ID: pod, Container: "web"}, Objects: []object.ID{pod}, Blocks: []object.ID{deploy},
		Evidence: []explain.Evidence{{Type: "field", Ref: pod, Path: "status.containerStatuses[web].state.waiting.reason", Value: "ImagePullBackOff"}},
		Next:     []string{"kubectl describe pod web-7c88b-9qd -n shop"},
		Chain:    []object.ID{deploy, rs, pod},
		Until:    t0.Add(90 * time.Second), UntilWhat: "next try",
	}, {
		ID: "c2", Code: "NotFound", Title: "Job migrate does not exist", Class: "action", Certainty: "likely", Count: 1,
		Subject: explain.Subject{ID: job}, Objects: []object.ID{job}, Blocks: []object.ID{job},
	}}
}

func TestOutputs(t *testing.T) {
	m := shop(t)
	for name, write := range map[string]func(io.Writer) error{
		"status.json":  func(w io.Writer) error { return Status(w, m.Facts, "json", 2, Table{}) },
		"status.yaml":  func(w io.Writer) error { return Status(w, m.Facts, "yaml", 2, Table{}) },
		"status.jsonl": func(w io.Writer) error { return Status(w, m.Facts, "jsonl", 2, Table{}) },
		"table.txt":    func(w io.Writer) error { return Status(w, m.Facts, "table", 2, Table{}) },
		"tree.txt":     func(w io.Writer) error { return Status(w, m.Facts, "tree", 2, Table{}) },
		"report.md":    func(w io.Writer) error { return Status(w, m.Facts, "markdown", 2, Table{}) },
		"finding.md": func(w io.Writer) error {
			_, err := w.Write(Finding(m.Facts, "kstatus-tui test"))
			return err
		},
		"finding.json": func(w io.Writer) error {
			text, err := FindingJSON(m.Facts, "kstatus-tui test")
			if err == nil {
				_, err = w.Write(text)
			}
			return err
		},
		"why.txt":    func(w io.Writer) error { return Why(w, m.Facts, "text") },
		"rest.txt":   func(w io.Writer) error { return rest(w, m.Facts, End{}) },
		"junit.xml":  func(w io.Writer) error { return JUnit(w, m.Facts, End{Code: 2, Why: "out of time"}) },
		"github.txt": func(w io.Writer) error { return GitHub(w, m.Facts, End{Code: 2, Why: "out of time"}) },
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.Bytes())
			var again bytes.Buffer
			if err := write(&again); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
				t.Error("the same state gave another output")
			}
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestEveryEventIsPrintedOnceWithItsTypeAndTime(t *testing.T) {
	m := shop(t)
	c := newChanges()
	types := map[string]int{}
	for _, l := range append(c.events(m.Facts), result(m.Facts, 2, "")) {
		var v struct {
			Timestamp time.Time `json:"timestamp"`
			Type      string    `json:"type"`
			Children  []any     `json:"children"`
		}
		if err := json.Unmarshal(l, &v); err != nil {
			t.Fatalf("%v in %s", err, l)
		}
		if v.Timestamp.IsZero() || v.Children != nil || bytes.ContainsAny(l, "\n") {
			t.Errorf("line %s", l)
		}
		types[v.Type]++
	}
	want := map[string]int{"status": 5, "cause": 2, "connection": 1, "result": 1}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if again := c.events(m.Facts); len(again) != 0 {
		t.Errorf("said again: %s", again)
	}
}

func TestTheRestOfAGracePeriodIsNoEvent(t *testing.T) {
	pod := id("", "Pod", "web")
	end := t0.Add(time.Minute)
	title := ""
	m, _ := model.New(model.Options{Now: t0, Namespace: "shop", Explain: func() []explain.Cause {
		return []explain.Cause{{ID: "x", Code: "Deleting", Title: title, Subject: explain.Subject{ID: pod}, Until: end}}
	}})
	c, seq := newChanges(), uint64(0)
	said := func(words string) (changes []string) {
		seq++
		title = words
		m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{
			Seq: seq, At: t0.Add(time.Duration(seq) * time.Second), Synced: true, Answered: 9, Roots: []feed.Root{{ID: pod}},
			Objects: []*object.Object{decode(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":"%d"}}`, seq))},
		}})
		for _, line := range c.events(m.Facts) {
			var e struct{ Type, Change string }
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatal(err)
			}
			if e.Type == CauseEvent {
				changes = append(changes, e.Change)
			}
		}
		return changes
	}
	const sent = ": app has been sent SIGTERM and has not exited"
	for _, x := range []struct {
		title string
		want  []string
	}{
		{"terminating, 58s left of its grace period of 60s", []string{"appeared"}},
		{"terminating, 57s left of its grace period of 60s", nil},
		{"terminating, 56s left of its grace period of 60s" + sent, []string{"changed"}},
		{"terminating, 2s left of its grace period of 60s" + sent, nil},
	} {
		if got := said(x.title); !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q", x.title, got, x.want)
		}
	}
}

func TestTheDocumentLeavesUnknownFieldsOut(t *testing.T) {
	m, _ := model.New(model.Options{Now: t0})
	m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{Seq: 1, At: t0, Roots: []feed.Root{{ID: id("", "ConfigMap", "a")}}}})
	d := New(m.Facts)
	if d.Verdict != status.Unknown || len(d.Resources) != 1 || d.Causes == nil || d.Sources == nil {
		t.Errorf("document: %+v", d)
	}
	b, err := json.Marshal(d.Resources[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, absent := range []string{"since", "uid", "observedGeneration", "conditions", "children", "0001-01-01"} {
		if strings.Contains(string(b), absent) {
			t.Errorf("%s is said though nobody knows it: %s", absent, b)
		}
	}
}

func TestWaitReportsChangesOfAnInventorysMembersAndRevision(t *testing.T) {
	m, _ := model.New(model.Options{Now: t0, Namespace: "shop", Judge: judged, Explain: func() []explain.Cause { return nil }})
	set, a, b := id("kustomize.toolkit.fluxcd.io", "Kustomization", "apps"), id("", "ConfigMap", "a"), id("", "ConfigMap", "b")
	c := newChanges()
	seq := uint64(0)
	step := func(roots ...feed.Root) []string {
		seq++
		m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{Seq: seq, At: t0.Add(time.Duration(seq) * time.Second), Synced: true, Answered: 9, Roots: roots}})
		var out []string
		for _, line := range c.events(m.Facts) {
			var e struct {
				Type     string
				Name     string `json:"inventory-name"`
				Revision string
				Members  int
				Added    []object.ID
				Removed  []object.ID
			}
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatal(err)
			}
			if e.Type == "inventory" {
				out = append(out, fmt.Sprint(e.Name, " ", e.Revision, " ", e.Members, " +", e.Added, " -", e.Removed))
			}
		}
		return out
	}
	root := func(revision string) feed.Root { return feed.Root{ID: set, Source: "ks/apps", Revision: revision} }
	member := func(x object.ID, removed bool) feed.Root {
		return feed.Root{ID: x, Inventory: "Kustomization/apps", In: set, Removed: removed}
	}
	for i, test := range []struct {
		roots []feed.Root
		want  []string
	}{
		{[]feed.Root{root("v1")}, nil},
		{[]feed.Root{member(a, false), member(b, false)}, []string{"Kustomization/apps v1 2 +[ConfigMap/a ConfigMap/b] -[]"}},
		{nil, nil},
		{[]feed.Root{root("v2"), member(a, true)}, []string{"Kustomization/apps v2 1 +[] -[ConfigMap/a]"}},
		{[]feed.Root{root("v3")}, []string{"Kustomization/apps v3 1 +[] -[]"}},
		{[]feed.Root{member(b, true)}, []string{"Kustomization/apps v3 0 +[] -[ConfigMap/b]"}},
	} {
		if diff := cmp.Diff(test.want, step(test.roots...)); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i+1, diff)
		}
	}
}

// narrow is a screen.
type narrow struct {
	bytes.Buffer
	width int
}

func (n *narrow) Size() (width, height int) { return n.width, 24 }

func TestATableFitsIntoItsScreen(t *testing.T) {
	m := shop(t)
	for _, format := range []string{"table", "tree"} {
		var wide bytes.Buffer
		if err := Status(&wide, m.Facts, format, 2, Table{}); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{40, 72, 100} {
			n := &narrow{width: width}
			if err := Status(n, m.Facts, format, 2, Table{}); err != nil {
				t.Fatal(err)
			}
			// The columns before the last one are never cut off.
			fits(t, fmt.Sprintf("%s at %d", format, width), n.String(), max(width, 51))
			if diff := cmp.Diff(strings.Fields(wide.String()), strings.Fields(n.String())); diff != "" {
				t.Errorf("%s at %d says something else (-wide +narrow):\n%s", format, width, diff)
			}
			golden(t, fmt.Sprintf("%s-%d.txt", format, width), n.Bytes())
		}
	}
}

// Prose is wrapped at its spaces, so that a terminal does not cut words in two. A command stays in
// one line, to be copied.
func TestCausesFitTheTerminal(t *testing.T) {
	m := shop(t)
	for name, print := range map[string]func(io.Writer) error{
		"why":  func(w io.Writer) error { return Why(w, m.Facts, "text") },
		"wait": func(w io.Writer) error { return lastWords(w, m.Facts, End{Code: 3, Why: "out of time"}) },
	} {
		var wide bytes.Buffer
		if err := print(&wide); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{72, 100} {
			n := &narrow{width: width}
			if err := print(n); err != nil {
				t.Fatal(err)
			}
			fits(t, fmt.Sprintf("%s at %d", name, width), n.String(), width)
			if diff := cmp.Diff(strings.Fields(wide.String()), strings.Fields(n.String())); diff != "" {
				t.Errorf("%s at %d says something else (-wide +narrow):\n%s", name, width, diff)
			}
			for line := range strings.Lines(wide.String()) {
				if strings.Contains(line, " kubectl ") && !strings.Contains(n.String(), line) {
					t.Errorf("%s at %d: a command is broken: %s", name, width, line)
				}
			}
		}
	}
}

// fits checks that no line but a command is longer than a width.
func fits(t *testing.T, what, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		cells := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
		if cells > width && !strings.Contains(line, " kubectl ") {
			t.Errorf("%s: a line of %d: %s", what, cells, line)
		}
	}
}

// Names have their namespace where there are several, where it is not the current one, and
// where all were asked for.
func TestNamesHaveTheirNamespaceUnlessItIsTheCurrentOne(t *testing.T) {
	object := func(namespace string) *object.Object {
		return decode(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","namespace":"`+namespace+`","uid":"`+namespace+`"}}`)
	}
	for _, c := range []struct {
		source     string
		namespaces []string
		want       string
	}{
		{"cm", []string{"shop"}, "ConfigMap/b"},
		{"cm -A", []string{"shop"}, "shop ConfigMap/b"},
		{"-f cm.yaml", []string{"prod"}, "prod ConfigMap/b"},
		{"-f cm.yaml", []string{"prod", "shop"}, "prod ConfigMap/b"},
	} {
		m, _ := model.New(model.Options{Now: t0, Namespace: "shop", Sources: []string{c.source}})
		b := feed.Batch{Seq: 1, At: t0, Synced: true, Answered: 1}
		for _, ns := range c.namespaces {
			o := object(ns)
			b.Roots, b.Objects = append(b.Roots, feed.Root{ID: o.ID}), append(b.Objects, o)
		}
		m, _ = m.Update(model.BatchArrived{Batch: b})
		if got := namespaced(m.Facts, b.Roots[0].ID); got != c.want {
			t.Errorf("%s in %q: %q, want %q", c.source, c.namespaces, got, c.want)
		}
	}
}

// TestEveryOutputCountsAssumedResources: an assumed Current differs from a
// proven one.
func TestEveryOutputCountsAssumedResources(t *testing.T) {
	guess := decode(t, `{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"a","namespace":"shop","uid":"a"},"status":{"uri":"http://a"}}`)
	sure := decode(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","namespace":"shop","uid":"b"}}`)
	m, _ := model.New(model.Options{Now: t0, Namespace: "shop"})
	m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{
		Seq: 1, At: t0, Synced: true, Answered: 1,
		Roots: []feed.Root{{ID: guess.ID}, {ID: sure.ID}}, Objects: []*object.Object{guess, sure},
	}})
	if got, want := headline(m.Facts), "Current: 2 of 2 resources, 1 of them assumed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := (End{}).tally(m.Facts), "2 of 2 Current, 1 of them assumed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	counts := Counts{"Current": 2, "assumed": 1}
	if diff := cmp.Diff(counts, New(m.Facts).Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	of := side(Moment{Name: "a.rec", Facts: m.Facts})
	if diff := cmp.Diff(counts, of.Counts); diff != "" || !strings.Contains(of.line("A"), "2 of 2 Current, 1 of them assumed,") {
		t.Errorf("a side of a difference: %s\n%s", of.line("A"), diff)
	}
}

func TestALineReportsALostAndARestoredConnection(t *testing.T) {
	f, c := newFilm("a"), newChanges()
	if m, _ := model.New(model.Options{Now: t0}); len(c.events(m.Facts)) > 0 {
		t.Error("before there is any answer, something is said")
	}
	said := func(at time.Duration, p feed.Phase, err string) (out []string) {
		f.link(at, p, err)
		for _, line := range c.events(f.m.Facts) {
			var e struct{ Type, State, Error string }
			if json.Unmarshal(line, &e); e.Type == string(ConnectionEvent) {
				out = append(out, e.State+" "+e.Error)
			}
		}
		return out
	}
	for i, x := range []struct {
		phase feed.Phase
		err   string
		want  []string
	}{
		{feed.Live, "", []string{"live "}},
		{feed.Live, "", nil},
		{feed.Stale, "no route to host", []string{"stale no route to host"}},
		{feed.Stale, "no route to host", nil},
		{feed.Stale, "connection refused", []string{"stale connection refused"}},
		{feed.Live, "", []string{"live "}},
	} {
		if diff := cmp.Diff(x.want, said(time.Duration(i+1)*time.Second, x.phase, x.err)); diff != "" {
			t.Errorf("%d, %s (-want +got):\n%s", i, x.phase, diff)
		}
	}
}
