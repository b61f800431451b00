package model

import (
	"slices"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// ends are the reasons for which the history of an object ends.
func ends(m Model, id object.ID) (out []string) {
	for _, t := range m.HistoryOf(id) {
		if Ends(t) {
			out = append(out, t.Reason)
		}
	}
	return out
}

func TestTheHistoryTellsOfTheEndOfAChild(t *testing.T) {
	p := screen(t)
	web, _, p1, p2, api, b := shop()
	p.batch(0, b)
	p.batch(time.Minute, status.Batch{Gone: []status.Gone{{ID: p1.ID, UID: p1.UID}, {ID: p2.ID, UID: p2.UID, Dropped: true}}})
	if got := ends(p.m, p1.ID); !slices.Equal(got, []string{ReasonDeleted}) {
		t.Errorf("a Pod that was deleted: %q", got)
	}
	if got := ends(p.m, p2.ID); !slices.Equal(got, []string{ReasonNotFollowed}) {
		t.Errorf("a Pod that nobody follows: %q", got)
	}
	// Both are still below their Deployment, and below no other.
	of := p.m.w.historyBelow(p.m.w.nodes.At(web.ID))
	if !of(p1.ID) || !of(p2.ID) || p.m.w.historyBelow(p.m.w.nodes.At(api.ID))(p1.ID) {
		t.Error("the Pods' history is not their Deployment's")
	}
}

func TestTheHistoryTellsOfTheEndOfARoot(t *testing.T) {
	set := object.ID{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization", Namespace: "shop", Name: "apps"}
	member := func(note string) status.Root {
		return status.Root{ID: deployment("web", 0).ID, In: set, Note: note}
	}
	for name, c := range map[string]struct {
		steps []status.Batch
		want  []string
	}{
		"deleted":                        {[]status.Batch{{Gone: []status.Gone{{}}}}, []string{ReasonDeleted}},
		"deleted, then no longer listed": {[]status.Batch{{Gone: []status.Gone{{}}}, {Roots: []status.Root{member("pruned")}}}, []string{ReasonDeleted, ReasonPruned}},
		"no longer listed, then deleted": {[]status.Batch{{Roots: []status.Root{member("being pruned")}}, {Gone: []status.Gone{{}}}, {Roots: []status.Root{member("pruned")}}}, []string{ReasonPruned}},
		"a selection's, deleted":         {[]status.Batch{{Roots: []status.Root{{Removed: true}}, Gone: []status.Gone{{}}}}, []string{ReasonDeleted}},
		"no longer selected":             {[]status.Batch{{Roots: []status.Root{{Removed: true}}, Gone: []status.Gone{{Dropped: true}}}}, []string{ReasonNotFollowed}},
	} {
		p := screen(t)
		web := deployment("web", 0)
		p.batch(0, status.Batch{Roots: []status.Root{member("")}, Objects: []*object.Object{web}, Synced: true})
		for i, b := range c.steps {
			for k := range b.Roots {
				b.Roots[k].ID = web.ID
			}
			for k := range b.Gone {
				b.Gone[k].ID, b.Gone[k].UID = web.ID, web.UID
			}
			p.batch(time.Duration(i+1)*time.Second, b)
		}
		if got := ends(p.m, web.ID); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q: %v", name, got, c.want, p.m.HistoryOf(web.ID))
		}
	}
}
