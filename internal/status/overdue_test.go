package status

import (
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// A deadline counts as passed only where the object failed by it.
func TestADeadlineIsOverdueOnlyIfTheObjectFailedByIt(t *testing.T) {
	now := time.Date(2000, 1, 1, 0, 10, 0, 0, time.UTC)
	app := func(phase, message string) *object.Object {
		return &object.Object{
			ID: object.ID{Group: "argoproj.io", Kind: "Application", Namespace: "argocd", Name: "shop"}, UID: "a",
			Tree: map[string]any{"status": map[string]any{
				"health": map[string]any{"status": "Healthy"}, "sync": map[string]any{"status": "OutOfSync"},
				"operationState": map[string]any{"phase": phase, "message": message},
			}},
		}
	}
	rollout := func(reason string) *object.Object {
		return &object.Object{
			ID: object.ID{Group: "argoproj.io", Kind: "Rollout", Namespace: "shop", Name: "web"}, UID: "r",
			Conditions: []object.Condition{{Statement: &object.Statement{Type: "Progressing", Status: "False", Reason: reason}}},
			Tree:       map[string]any{"status": map[string]any{"phase": "Degraded"}},
		}
	}
	for name, test := range map[string]struct {
		object *object.Object
		want   bool
	}{
		"a rollout past its deadline":           {rollout("ProgressDeadlineExceeded"), true},
		"an aborted rollout":                    {rollout("RolloutAborted"), false},
		"an operation that timed out":           {app("Failed", "operation is terminated due to timeout"), true},
		"an operation that failed":              {app("Failed", "one or more objects failed to apply"), false},
		"an operation that times out, retrying": {app("Running", "timed out, retrying attempt #1"), false},
	} {
		// Offline: the grace for faults without a date is over.
		if got := Assess(test.object, World{Offline: true}, now); got.Overdue != test.want {
			t.Errorf("%s: overdue is %v, want %v (%s %s)", name, got.Overdue, test.want, got.Status, got.Reason)
		}
	}
}
