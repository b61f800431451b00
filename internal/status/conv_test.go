package status

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestUnregisteredKindsAreJudgedByConventions(t *testing.T) {
	caseLines(t, "convention-cases.txt", func(line int, want []string, o *object.Object) {
		w := World{Offline: true}
		if slices.Contains(want, "live") {
			w = World{FirstSeen: caseTime.Add(-time.Hour)}
		}
		a := Assess(o, w, caseTime)
		if a.Status != Status(want[0]) || a.Rule != want[1] {
			t.Errorf("line %d: got %s by %s, want %s by %s: %s %s", line, a.Status, a.Rule, want[0], want[1], a.Reason, a.Message)
		}
		for word, got := range map[string]bool{
			"terminal": a.Terminal, "paused": a.Paused, "note": a.Note != "",
			"retrying": a.Retrying != nil, "assumed": a.Confidence == Assumed,
		} {
			if got != slices.Contains(want, word) {
				t.Errorf("line %d: %s is %v", line, word, got)
			}
		}
		if a.Message == "" {
			t.Errorf("line %d: no message", line)
		}
		if cond := a.Deciding; cond >= 0 && !strings.HasPrefix(a.Rule, "convention.") {
			t.Errorf("line %d: %s was decided by condition %d", line, a.Rule, cond)
		}
		steps := Explain(o, w, caseTime)
		if len(steps) == 0 || !steps[len(steps)-1].Hit || steps[len(steps)-1].Rule != a.Rule {
			t.Errorf("line %d: the deduction does not end with the rule that decided: %v", line, steps)
		}
	})
}

func TestTheRootNamesItsCulprits(t *testing.T) {
	o, err := convert.JSON([]byte(`{"apiVersion":"example.org/v1","kind":"Pool","status":{"conditions":[
		{"type":"SubnetsReady","status":"False","reason":"SubnetsNotFound","message":"no subnet matches"},
		{"type":"ImagesReady","status":"True"},
		{"type":"Ready","status":"False","reason":"UnhealthyDependents","message":"SubnetsReady=False"}]}}`), convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := Assess(o, World{Offline: true}, caseTime)
	if want := "SubnetsReady: no subnet matches"; !strings.Contains(a.Message, want) || strings.Contains(a.Message, "Images") {
		t.Errorf("%q does not name the culprit alone: %q", a.Message, want)
	}
}

func TestAnObjectWithoutStatusIsJudgedByTheSubresourcesOfItsKind(t *testing.T) {
	o, err := convert.JSON([]byte(`{"apiVersion":"example.org/v1","kind":"Note","spec":{"text":"hello"}}`), convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := World{FirstSeen: caseTime.Add(-time.Hour), Reports: func(string, string) (bool, bool) { return false, true }}
	if a := Assess(o, w, caseTime); a.Status != Current {
		t.Errorf("a kind whose objects carry no status is %s: %s", a.Status, a.Message)
	}
	w.Serves = func(string, string) bool { return true }
	if a := Assess(o, w, caseTime); a.Status != Current {
		t.Errorf("a kind whose schema has no status is %s because its subresource is served: %s", a.Status, a.Message)
	}
	w.Serves, w.Reports = nil, func(string, string) (bool, bool) { return true, true }
	if a := Assess(o, w, caseTime); a.Status != Unknown || !strings.Contains(a.Message, "no controller has reported") {
		t.Errorf("a kind whose objects carry one is %s: %s", a.Status, a.Message)
	}
}

// Kinds with a status subresource are waited for, whatever their group; unknown
// built-in kinds stay Current, and so do kinds that only exist.
func TestAnEmptyStatusIsNotCurrentWhenTheKindServesOne(t *testing.T) {
	served := func(string, string) bool { return true }
	first := caseTime.Add(-29 * time.Second)
	for obj, want := range map[string][3]Status{ // unknown; served, first seen 29 s ago; 30 s
		`{"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR"}`:                   {Current, InProgress, Unknown},
		`{"apiVersion":"storagemigration.k8s.io/v1","kind":"StorageVersionMigration"}`: {Current, InProgress, Unknown},
		`{"apiVersion":"example.org/v1","kind":"Widget"}`:                              {InProgress, InProgress, Unknown},
		`{"apiVersion":"example.org/v1","kind":"Widget","status":{}}`:                  {InProgress, InProgress, Unknown},
		`{"apiVersion":"nmstate.io/v1","kind":"SomethingNew"}`:                         {Current, InProgress, Unknown},
		`{"apiVersion":"v1","kind":"ConfigMap"}`:                                       {Current, Current, Current},
		`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role"}`:                  {Current, Current, Current},
		`{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy"}`:                 {Current, Current, Current},
	} {
		o := decode(t, obj)
		got := [3]Status{
			Assess(o, World{FirstSeen: first}, caseTime).Status,
			Assess(o, World{FirstSeen: first, Serves: served}, caseTime).Status,
			Assess(o, World{FirstSeen: first, Serves: served}, caseTime.Add(time.Second)).Status,
		}
		if got != want {
			t.Errorf("%s: %v, want %v", obj, got, want)
		}
	}
	written := decode(t, `{"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR","metadata":{"managedFields":[{"manager":"m","operation":"Update","subresource":"status","time":"2026-03-01T11:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:status":{}}}]}}`)
	if a := Assess(written, World{FirstSeen: first}, caseTime.Add(time.Minute)); a.Status != Unknown {
		t.Errorf("where somebody has written a status and there is none it is %s: %s", a.Status, a.Message)
	}
}
