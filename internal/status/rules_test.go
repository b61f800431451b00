package status

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// caseTime is the moment at which the cases in testdata are judged.
var caseTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// caseLines calls f with the wanted result and the object of each line of a
// file of cases in testdata.
func caseLines(t *testing.T, file string, f func(line int, want []string, o *object.Object)) {
	t.Helper()
	readCases(t, filepath.Join("testdata", file), f)
}

// registryCases are the files of cases that stand beside the registry's rows.
func registryCases(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("registry/groups/*.cases")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases of the registry: %v", err)
	}
	return files
}

// readCases does the work of caseLines for a file in any directory.
func readCases(t *testing.T, file string, f func(line int, want []string, o *object.Object)) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		want, obj, ok := strings.Cut(line, "{")
		if !ok {
			t.Errorf("%s:%d: no object", file, n)
			continue
		}
		o, err := convert.JSON([]byte("{"+obj), convert.Options{})
		if err != nil {
			t.Errorf("%s:%d: %v", file, n, err)
			continue
		}
		f(n, strings.Fields(want), o)
	}
}

func TestBuiltinKindsWithoutAViewAreJudgedByTheirReaders(t *testing.T) {
	judged := map[string]bool{}
	caseLines(t, "builtin-cases.txt", func(line int, want []string, o *object.Object) {
		w := World{Offline: true}
		if slices.Contains(want, "live") {
			w = World{FirstSeen: caseTime.Add(-time.Hour)}
		}
		a := Assess(o, w, caseTime)
		judged[o.GroupKind()] = true
		if a.Status != Status(want[0]) || a.Rule != o.GroupKind()+"."+want[1] || a.Confidence != Exact {
			t.Errorf("line %d: got %s by %s (%s), want %s by %s: %s %s", line,
				a.Status, a.Rule, a.Confidence, want[0], want[1], a.Reason, a.Message)
		}
		if got := a.Note != ""; got != slices.Contains(want, "note") {
			t.Errorf("line %d: note %q", line, a.Note)
		}
		if a.Terminal != slices.Contains(want, "terminal") {
			t.Errorf("line %d: terminal %v", line, a.Terminal)
		}
		if a.Message == "" || len(a.Paths) == 0 && want[1] != "exists" {
			t.Errorf("line %d: message %q, paths %v", line, a.Message, a.Paths)
		}
		if a.Status == InProgress && !a.FaultSince.IsZero() && !a.Recheck.Equal(a.FaultSince.Add(healGrace)) {
			t.Errorf("line %d: a fault since %v is looked at again at %v", line, a.FaultSince, a.Recheck)
		}
	})
	for of := range rules {
		o := &object.Object{ID: object.ID{Group: of[0], Kind: of[1]}}
		if registry.For(of[0], of[1]) != nil {
			continue // every clause has a case beside its row
		}
		gk, rule := o.GroupKind(), Assess(&object.Object{ID: o.ID}, World{}, caseTime).Rule
		// Without its view, an object of a kind that has one goes by the conventions.
		if !judged[gk] && strings.HasPrefix(rule, gk+".") && rule != gk+".exists" && !strings.Contains(gk, "x-k8s") {
			switch gk {
			case "extensions/Ingress", "admissionregistration.k8s.io/MutatingWebhookConfiguration":
				continue // share their reader with a kind that is judged above
			}
			t.Errorf("no case for %s", gk)
		}
	}
}

func TestAFaultThatComesAndGoesKeepsItsOwnClock(t *testing.T) {
	o, err := convert.JSON([]byte(`{"apiVersion":"example.org/v1","kind":"Widget","status":{"conditions":[{"type":"Ready","status":"False","reason":"Broken"}]}}`), convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := World{FirstSeen: caseTime.Add(-time.Hour)}
	first := Assess(o, w, caseTime)
	if first.Status != InProgress || !first.FaultSince.Equal(caseTime) || !first.Recheck.Equal(caseTime.Add(healGrace)) {
		t.Fatalf("an undated fault began at %v and is looked at again at %v: %s",
			first.FaultSince, first.Recheck, first.Status)
	}
	w.Prior = &first
	if a := Assess(o, w, caseTime.Add(healGrace-time.Second)); a.Status != InProgress || !a.FaultSince.Equal(caseTime) {
		t.Errorf("a second before the grace ends: %s, since %v", a.Status, a.FaultSince)
	}
	then := Assess(o, w, caseTime.Add(healGrace))
	if then.Status != Failed || !then.Since.Equal(caseTime.Add(healGrace)) || then.Terminal {
		t.Errorf("when the grace ends: %s since %v, terminal %v", then.Status, then.Since, then.Terminal)
	}
	w.Prior = &then
	if a := Assess(o, w, caseTime.Add(time.Hour)); a.Status != Failed || !a.Since.Equal(then.Since) {
		t.Errorf("an hour later: %s since %v, want since %v", a.Status, a.Since, then.Since)
	}
}

// An assessment is made for every change of every object: of one that has little to
// say the judge, its rule's name and paths and its message are put together.
func TestAnAssessmentAllocatesLittle(t *testing.T) {
	for _, text := range []string{
		`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"},"status":{"phase":"Active"}}`,
		`{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"status":{"conditions":[{"type":"MemoryPressure","status":"False"},{"type":"Ready","status":"True","message":"kubelet is posting ready status"}]}}`,
		`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"a"},"status":{"phase":"Bound"}}`,
		`{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"a"},"status":{"conditions":[{"type":"Available","status":"True","message":"all checks passed"}]}}`,
		`{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},"status":{"conditions":[{"type":"AbleToScale","status":"True","message":"ready for a new scale"}]}}`,
		`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","metadata":{"name":"a","generation":1},"status":{"conditions":[{"type":"Accepted","status":"True","message":"taken","observedGeneration":1},{"type":"Programmed","status":"True"}]}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","generation":1},"spec":{"replicas":0},"status":{"observedGeneration":1,"conditions":[{"type":"Available","status":"True"}]}}`,
	} {
		o, err := convert.JSON([]byte(text), convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := World{FirstSeen: caseTime}
		if n := testing.AllocsPerRun(100, func() { Assess(o, w, caseTime) }); n > 16 {
			t.Errorf("%s: %v allocations", o.Kind, n)
		}
	}
}

// What a webhook calls is none of its own fields: it is looked up.
func TestAWebhookIsJudgedByTheServiceBehindIt(t *testing.T) {
	hook := func(policy string) *object.Object {
		o, err := convert.JSON([]byte(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"guard"},
			"webhooks":[{"name":"away.example.org","clientConfig":{"url":"https://example.org"}},
			{"name":"guard.example.org","failurePolicy":"`+policy+`","clientConfig":{"service":{"namespace":"guard","name":"guard"}}}]}`), convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	service := object.ID{Kind: "Service", Namespace: "guard", Name: "guard"}
	there := &object.Object{ID: service, Service: &object.Service{}}
	going := &object.Object{ID: service, Service: &object.Service{}, Deleted: caseTime}
	for _, c := range []struct {
		o      *object.Object
		found  *object.Object
		absent bool
		want   Status
		note   string
	}{
		{hook("Fail"), there, false, Current, ""},
		{hook("Fail"), nil, false, Current, ""}, // not known yet
		{hook("Fail"), nil, true, Failed, ""},
		{hook("Fail"), going, false, Current, "the service guard/guard behind it is being deleted"},
		{hook("Ignore"), nil, true, Current, "the service guard/guard behind it does not exist: nobody is asked, and everything is admitted"},
	} {
		a := Assess(c.o, World{
			Offline: true,
			Lookup: func(id object.ID) *object.Object {
				if id == service {
					return c.found
				}
				return nil
			},
			Absent: func(id object.ID) bool { return id == service && c.absent },
		}, caseTime)
		if a.Status != c.want || a.Note != c.note {
			t.Errorf("%s, absent %v: %s (%s), note %q, want %s, %q", c.o, c.absent, a.Status, a.Message, a.Note, c.want, c.note)
		}
	}
}
