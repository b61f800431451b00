package status

import (
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// A Rollout's phase has no date, and the condition behind it has (argoproj/argo-rollouts#1008): one that was
// aborted long ago is Failed at the first look.
func TestAnAbortedRolloutHasFailedSinceItsCondition(t *testing.T) {
	now := time.Date(2000, 1, 1, 0, 30, 0, 0, time.UTC)
	aborted := now.Add(-20 * time.Minute)
	o := &object.Object{
		ID: object.ID{Group: "argoproj.io", Kind: "Rollout", Namespace: "shop", Name: "web"}, UID: "r",
		Conditions: []object.Condition{{
			Statement: &object.Statement{Type: "Progressing", Status: "False", Reason: "RolloutAborted"}, LastTransitionTime: aborted,
		}},
		Tree: map[string]any{"status": map[string]any{"phase": "Degraded"}},
	}
	if a := Assess(o, World{}, now); a.Status != Failed || !a.Since.Equal(aborted.Add(healGrace)) {
		t.Errorf("%s since %s", a.Status, a.Since)
	}
}
