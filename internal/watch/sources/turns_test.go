package sources

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

var (
	deployments = kube.Builtin("apps", "Deployment")
	rsRes       = kube.Builtin("apps", "ReplicaSet")
	podsRes     = kube.Builtin("", "Pod")
)

func TestFirstSyncsTakeTurnsRootsFirstAndWhatIsVisibleFirst(t *testing.T) {
	turns := NewTurns(1)
	turns.Show([]object.ID{deployments.ID("shop", "seen")})
	ctx, cancel := context.WithCancel(t.Context())
	if err := turns.take(ctx, plan.Spec{}); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var order []string
		for _, s := range []plan.Spec{
			{Resource: podsRes, Namespace: "other", Child: true},
			{Resource: podsRes, Namespace: "shop", Child: true},
			{Resource: deployments, Namespace: "shop", Name: "unseen"},
			{Resource: rsRes, Namespace: "shop"},
			{Resource: deployments, Namespace: "shop", Name: "seen"},
			{Resource: deployments, Namespace: "shop"},
		} {
			go func() {
				if turns.take(t.Context(), s) == nil {
					order = append(order, s.Key())
				}
			}()
			synctest.Wait()
		}
		for range 6 {
			turns.give()
			synctest.Wait()
		}
		want := []string{
			"deployments.apps -n shop seen", "deployments.apps -n shop", "deployments.apps -n shop unseen", "replicasets.apps -n shop",
			"pods -n shop (children)", "pods -n other (children)",
		}
		if diff := cmp.Diff(want, order); diff != "" {
			t.Error(diff)
		}
	})
	cancel()
	if turns.take(ctx, plan.Spec{}) == nil {
		t.Error("a turn for one who has gone")
	}
	turns.give()
	if turns.free != 1 || len(turns.waiting) != 0 {
		t.Errorf("%d turns are free, %d wait", turns.free, len(turns.waiting))
	}
}

// A place was lost with each source that ended while it took one; with the last of
// them nothing was ever listed again.
func TestAPlaceForAFirstSyncIsNotLostWithWhoEnds(t *testing.T) {
	turns := NewTurns(1)
	s := &Source{Server: &Server{Turns: turns}}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.slot(ended); err == nil || turns.free != 1 {
		t.Fatalf("a source that has ended: %v, %d places are free", err, turns.free)
	}
	if err := s.slot(t.Context()); err != nil || turns.free != 0 {
		t.Errorf("%v, %d places are free", err, turns.free)
	}
	s.freeSlot()
	if turns.free != 1 {
		t.Errorf("%d places are free at the end", turns.free)
	}
}
