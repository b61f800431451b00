package model

import (
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// historyOf is one object's own history, oldest first.
func historyOf(m *Model, id object.ID) []world.Transition {
	return slices.DeleteFunc(m.Facts.History(), func(t world.Transition) bool { return t.ID != id })
}

// ends are the reasons for which the history of an object ends.
func ends(m *Model, id object.ID) (out []string) {
	for _, t := range historyOf(m, id) {
		if world.Ends(t) {
			out = append(out, t.Reason)
		}
	}
	return out
}

func TestTheHistoryHasTheEndOfAChild(t *testing.T) {
	p := screen(t)
	web, _, p1, p2, api, b := shop()
	p.batch(0, b)
	p.batch(time.Minute, feed.Batch{Gone: []feed.Gone{{ID: p1.ID, UID: p1.UID}, {ID: p2.ID, UID: p2.UID, Dropped: true}}})
	if got := ends(p.m, p1.ID); !slices.Equal(got, []string{world.ReasonDeleted}) {
		t.Errorf("a Pod that was deleted: %q", got)
	}
	if got := ends(p.m, p2.ID); !slices.Equal(got, []string{world.ReasonNotFollowed}) {
		t.Errorf("a Pod that nobody follows: %q", got)
	}
	// Both are still below their Deployment, and below no other.
	of := p.m.Facts.World.Records.HistoryBelow(p.m.Facts.World.Tree.Nodes[web.ID])
	if !of(p1.ID) || !of(p2.ID) || p.m.Facts.World.Records.HistoryBelow(p.m.Facts.World.Tree.Nodes[api.ID])(p1.ID) {
		t.Error("the Pods' history is not their Deployment's")
	}
}

func TestADeletionIsTheLastChangeOfAnObject(t *testing.T) {
	p := screen(t)
	web := deployment("web", 0)
	p.batch(0, feed.Batch{Roots: []feed.Root{{ID: web.ID}}, Objects: []*object.Object{web}, Synced: true})
	p.batch(time.Minute, feed.Batch{Gone: []feed.Gone{{ID: web.ID, UID: web.UID}}})
	r, _ := p.m.Facts.Resource(web.ID)
	if want := t0.Add(time.Minute); !r.OwnChange.Equal(want) {
		t.Errorf("deleted at %v, and changed last at %v", want, r.OwnChange)
	}
}

func TestTheHistoryHasTheEndOfARoot(t *testing.T) {
	set := object.ID{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization", Namespace: "shop", Name: "apps"}
	member := func(note string) feed.Root {
		return feed.Root{ID: deployment("web", 0).ID, In: set, Note: note}
	}
	for name, c := range map[string]struct {
		steps []feed.Batch
		want  []string
		gone  bool // the verdict's
	}{
		"deleted":                        {[]feed.Batch{{Gone: []feed.Gone{{}}}}, []string{world.ReasonDeleted}, true},
		"deleted, then no longer listed": {[]feed.Batch{{Gone: []feed.Gone{{}}}, {Roots: []feed.Root{member("pruned")}}}, []string{world.ReasonDeleted, world.ReasonPruned}, true},
		"no longer listed, then deleted": {[]feed.Batch{{Roots: []feed.Root{member("being pruned")}}, {Gone: []feed.Gone{{}}}, {Roots: []feed.Root{member("pruned")}}}, []string{world.ReasonPruned}, true},
		"a selection's, deleted":         {[]feed.Batch{{Roots: []feed.Root{{Removed: true}}, Gone: []feed.Gone{{}}}}, []string{world.ReasonDeleted}, true},
		"no longer selected":             {[]feed.Batch{{Roots: []feed.Root{{Removed: true}}, Gone: []feed.Gone{{Dropped: true}}}}, []string{world.ReasonNotFollowed}, false},
	} {
		p := screen(t)
		web := deployment("web", 0)
		p.batch(0, feed.Batch{Roots: []feed.Root{member("")}, Objects: []*object.Object{web}, Synced: true})
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
			t.Errorf("%s: %q, want %q: %v", name, got, c.want, historyOf(p.m, web.ID))
		}
		if v := p.m.Facts.Verdict(); v.Gone != c.gone {
			t.Errorf("%s: the verdict is %+v", name, v)
		}
		p.batch(time.Hour, feed.Batch{Synced: true})
		if v := p.m.Facts.Verdict(); v.Gone && v.Stalled {
			t.Errorf("%s: gone, and stalled", name)
		}
	}
}

// The garbage collector removes the ReplicaSet at once, and the Pod takes its grace period
// to end: until then "gone" would be too early.
func TestADeletedWorkloadIsNotGoneWhileItsPodsEnd(t *testing.T) {
	for name, root := range map[string]feed.Root{"named": {}, "selected": {Removed: true}} {
		p := screen(t)
		web := deployment("web", 1)
		rs := replicaSet(web, "7c88b", 1)
		running, another := pod(rs, "2xk", ""), pod(rs, "2xk", "")
		another.UID = "another"
		p.batch(0, feed.Batch{Roots: []feed.Root{{ID: web.ID}}, Objects: []*object.Object{web, rs, running}, Synced: true})
		gone := func(o *object.Object) feed.Batch { return feed.Batch{Gone: []feed.Gone{{ID: o.ID, UID: o.UID}}} }
		first := gone(web)
		if root.ID = web.ID; root.Removed {
			first.Roots = []feed.Root{root}
		}
		for i, step := range []struct {
			batch   feed.Batch
			remains int
		}{
			{first, 1},
			{gone(rs), 1},
			{gone(running), 0},
			{feed.Batch{Objects: []*object.Object{another}}, 0}, // of somebody else
		} {
			p.batch(time.Duration(i+1)*time.Second, step.batch)
			if v := p.m.Facts.Verdict(); !v.Gone || v.Remains != step.remains {
				t.Errorf("%s, step %d: %+v", name, i, v)
			}
		}
	}
}

// What the command line names may not exist at all, and nobody knows before the screen is drawn
// where the cluster answers late. The command ends with that error, as it does before.
func TestAFeedThatEndsBeforeAnythingWasFollowedEndsTheProgram(t *testing.T) {
	quits := func(p *play, err error) bool {
		_, cmd := p.m.Update(FeedEnded{err})
		if cmd == nil {
			return false
		}
		_, ok := cmd().(tea.QuitMsg)
		return ok
	}
	unknown := errors.New(`the server has no resource type "gadgets"`)
	if !quits(screen(t), unknown) {
		t.Error("a screen without anything to follow stays")
	}
	if quits(screen(t), io.EOF) {
		t.Error("a recording that has ended is no error")
	}
	p := screen(t)
	_, _, _, _, _, b := shop()
	p.batch(0, b)
	if quits(p, unknown) {
		t.Error("what was followed is no longer shown")
	}
	p = screen(t)
	p.m.session = 1
	if quits(p, unknown) {
		t.Error("a source that the user has just typed ends the program")
	}
}
