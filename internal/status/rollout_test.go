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

// A ClusterProfile of Sveltos says nothing of itself but which clusters it matches; what became of it stands in
// the ClusterSummaries that it owns (projectsveltos/addon-controller#1663).
func TestWhatSaysNothingIsJudgedByWhatItOwnsOfItsOwnGroup(t *testing.T) {
	now := time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC)
	profile := decode(t, `{"apiVersion":"config.projectsveltos.io/v1beta1","kind":"ClusterProfile",
		"metadata":{"name":"deploy","uid":"p","creationTimestamp":"2026-01-01T00:00:00Z"},
		"status":{"matchingClusters":[{"kind":"SveltosCluster","name":"mgmt"}]}}`)
	summary := func(group string) Child {
		o := decode(t, `{"apiVersion":"`+group+`/v1beta1","kind":"ClusterSummary","metadata":{"name":"deploy-mgmt","uid":"s"},
			"status":{"featureSummaries":[{"featureID":"Helm","status":"Failed","failureMessage":"cannot reuse a name"}]}}`)
		return Child{Object: o, Assessment: Assess(o, World{Still: true}, now)}
	}
	for group, want := range map[string]Status{"config.projectsveltos.io": Failed, "other.example.org": Current} {
		c := summary(group)
		if c.Assessment.Status != Failed {
			t.Fatalf("the summary is %s", c.Assessment.Status)
		}
		a := Assess(profile, World{Children: Children{c}, ChildrenKnown: true, Still: true}, now)
		if a.Status != want {
			t.Errorf("beside a failed one of %s it is %s (%s), want %s", group, a.Status, a.Message, want)
		}
	}
	if a := Assess(profile, World{ChildrenKnown: true, Still: true}, now); a.Status != Current {
		t.Errorf("without any it is %s", a.Status)
	}
}
