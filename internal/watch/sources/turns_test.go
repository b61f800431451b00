package sources

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

var (
	deployments = resolve.Builtin("apps", "Deployment")
	rsRes       = resolve.Builtin("apps", "ReplicaSet")
	podsRes     = resolve.Builtin("", "Pod")
)

func TestFirstSyncsTakeTurnsRootsAndVisibleObjectsFirst(t *testing.T) {
	turns := NewTurns(1)
	turns.Show([]object.ID{deployments.ID("shop", "seen")})
	ctx, cancel := context.WithCancel(t.Context())
	first, of := &Stream{}, map[string]*Stream{}
	if err := turns.take(ctx, first); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var order []string
		for _, s := range []plan.Spec{
			{Resource: podsRes, Namespace: "other", Role: plan.Children},
			{Resource: podsRes, Namespace: "shop", Role: plan.Children},
			{Resource: deployments, Namespace: "shop", Name: "unseen"},
			{Resource: rsRes, Namespace: "shop"},
			{Resource: deployments, Namespace: "shop", Name: "seen"},
			{Resource: deployments, Namespace: "shop"},
		} {
			of[s.Key()] = &Stream{spec: s}
			go func() {
				if turns.take(t.Context(), of[s.Key()]) == nil {
					order = append(order, s.Key())
				}
			}()
			synctest.Wait()
		}
		turns.give(first)
		for i := range 6 {
			synctest.Wait()
			turns.give(of[order[i]])
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
	if turns.take(ctx, first) == nil {
		t.Error("a turn for one who has gone")
	}
	if len(turns.held) != 0 || len(turns.waiting) != 0 {
		t.Errorf("%d turns are held, %d wait", len(turns.held), len(turns.waiting))
	}
}

// A place was lost with each source that ended while it took one; with the last of
// them nothing was ever listed again.
func TestATurnForAFirstSyncIsNotLostWhenItsSourceEnds(t *testing.T) {
	turns := NewTurns(1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := turns.take(ended, &Stream{}); err == nil || len(turns.held) != 0 {
		t.Fatalf("a source that has ended: %v, %d places are held", err, len(turns.held))
	}
	s := &Stream{}
	for range 2 {
		if err := turns.take(t.Context(), s); err != nil || len(turns.held) != 1 {
			t.Errorf("%v, %d places are held", err, len(turns.held))
		}
	}
	turns.give(s)
	if len(turns.held) != 0 {
		t.Errorf("%d places are held at the end", len(turns.held))
	}
}
