package registry

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func condition(typ, is, reason string) object.Condition {
	return object.Condition{Statement: &object.Statement{Type: typ, Status: is, Reason: reason}, LastTransitionTime: time.Unix(1, 0)}
}

// subject is what TestEachFormHolds asks about.
func subject() *object.Object {
	old := condition("Old", "True", "")
	old.ObservedGeneration = object.IntOf(1)
	return &object.Object{
		Generation:  object.IntOf(2),
		Labels:      []object.Label{{Key: "tier", Value: "gold"}},
		Annotations: []object.Label{{Key: "example.org/mode", Value: "auto"}},
		Conditions:  []object.Condition{condition("Ready", "False", "ProbeFailed"), old, condition("Synced", "True", "")},
		Tree: map[string]any{
			"spec": map[string]any{"replicas": int64(3), "pools": []any{map[string]any{"size": int64(2)}, map[string]any{"size": int64(3)}}},
			"status": map[string]any{
				"phase": "Running", "note": "two words", "zero": int64(0), "off": false, "ready": int64(2), "seen": "a", "wanted": "b",
				"racks": []any{map[string]any{"have": int64(1), "want": int64(1)}, map[string]any{"have": int64(1), "want": int64(2)}},
				"parts": map[string]any{"x": map[string]any{"state": "Good"}, "y": map[string]any{"state": "Bad"}},
				"parents": []any{
					map[string]any{"conditions": []any{map[string]any{"type": "Accepted", "status": "True"}}},
					map[string]any{"conditions": []any{map[string]any{"type": "Accepted", "status": "False", "reason": "Conflicted"}}},
				},
			},
		},
	}
}

// TestEachFormHolds has a test of the language that holds, and a neighbour that
// does not.
func TestEachFormHolds(t *testing.T) {
	for _, c := range [][2]string{
		{"@Ready", "@Available"},
		{"@ready=false", "@Ready=True"},
		{"@Re*=False|Unknown", "@Re*=Unknown"},
		{"@Ready=False(Probe*|Other)", "@Ready=False(Other)"},
		{"@Ready!=True", "@Synced!=True"},
		{"!@Old", "!@Synced"},
		{".status.parents[]@Accepted=False", ".status.parents[]@Accepted=Unknown"},
		{".status.phase", ".status.zero"},
		{".status.parents", ".status.off"},
		{".status.phase=Pending|run*", ".status.phase=Run"},
		{".status.phase!=Pending", ".status.absent!=Pending"},
		{`".status.note=two words"`, `".status.note=two"`},
		{".status.parts[].state=Bad", ".status.parts[].state=Odd"},
		{".status.seen!=.status.wanted", ".status.seen!=.status.seen"},
		{".status.ready<3", ".status.ready<2"},
		{".status.ready>1", ".status.ready>2"},
		{".status.absent<1", ".status.absent>0"},
		{".status.ready<.spec.replicas", ".spec.replicas<.status.ready"},
		{".status.ready<.spec.absent?3", ".status.ready<.spec.absent"},
		{".status.racks[].have<.status.racks[].want", ".status.racks[].want<.status.racks[].have"},
		{".status.ready<.spec.pools[].size", ".status.ready>.spec.pools[].size"},
		{"label:tier=gold", "label:tier=silver"},
		{"annotation:example.org/mode", "annotation:example.org/other"},
		{".status.phase=Running @Synced", ".status.phase=Running @Old"},
	} {
		for i, tests := range c {
			rows, err := parse("kind example.org Widget\nsource here\nfailed " + tests)
			if err != nil {
				t.Fatal(err)
			}
			if ok := rows[0].Clauses[0].Holds(subject(), &Match{}); ok != (i == 0) {
				t.Errorf("%s holds: %v", tests, ok)
			}
		}
	}
}

func TestAMatchNamesTheFieldsThatDecided(t *testing.T) {
	for tests, want := range map[string]Match{
		".status.ready=2 .status.phase=Running": {Index: -1, Field: "status.ready", Value: "2", Word: "Running"},
		".status.phase=Running @Ready=False":    {Index: 0, Condition: condition("Ready", "False", "ProbeFailed"), Field: "status.phase", Value: "Running", Word: "Running"},
		".status.parents[]@Accepted=False":      {Index: -1, Condition: object.Condition{Statement: &object.Statement{Type: "Accepted", Status: "False", Reason: "Conflicted"}}},
		"!@Available .status.ready<3":           {Index: -1},
	} {
		rows, err := parse("kind example.org Widget\nsource here\nfailed " + tests)
		if err != nil {
			t.Fatal(err)
		}
		var m Match
		rows[0].Clauses[0].Holds(subject(), &m)
		got, ok := m.Condition.Statement, want.Condition.Statement
		if m.Index != want.Index || m.Field != want.Field || m.Value != want.Value || m.Word != want.Word ||
			(got == nil) != (ok == nil) || got != nil && (*got != *ok || !m.Condition.LastTransitionTime.Equal(want.Condition.LastTransitionTime)) {
			t.Errorf("%s: got %+v", tests, m)
		}
	}
}

func FuzzTextMatchesItself(f *testing.F) {
	for _, s := range []string{"NotReady", "in-progress", "a'b", `\\`, "a?[b", strings.Repeat("Ab", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !strings.Contains(s, "*") && (!newGlob(s).match(s) || !newGlob("*"+s+"*").match(s) || !newGlob("*").match(s)) {
			t.Fatalf("%q does not match itself", s)
		}
	})
}
