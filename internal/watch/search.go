package watch

import (
	"cmp"
	"errors"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/find"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// searchEvery is how often a missing inventory is searched for.
const searchEvery = 2 * time.Second

// search looks for the root of an inventory that was named by its scheme alone:
// it may be one of several objects, of several kinds.
type search struct {
	found  object.ID
	looked bool   // all places have been searched once
	why    string // why a place could not be searched
	where  string // another namespace that has one
}

// lookUpSearched makes a root of what a search has found; until then, of the
// likeliest candidate, as an object that does not exist.
func (e *Engine) lookUpSearched(t *target) bool {
	s := e.searches[t.number]
	if s == nil {
		s = &search{}
		e.searches[t.number] = s
		places := t.Candidates()
		e.spawn(func() { e.search(t.number, places) })
	}
	if s.found.IsZero() {
		t.root, t.fixed = t.Candidates()[0].ID, true
		if t.root.Name == "" {
			t.root.Name = t.Name
		}
		t.Told = feed.Told{Status: status.NotFound, Reason: "NotFound", Message: cmp.Or(s.where, "there is no such inventory")}
		if s.why != "" {
			t.Told = feed.Told{Status: status.Unknown, Reason: "Forbidden", Message: s.why}
		}
		return s.looked
	}
	t.Told, t.fixed = feed.Told{}, false
	e.lookUpKind(t, s.found)
	return true
}

// search looks for a root until it is found.
func (e *Engine) search(number int, places []inventory.Candidate) {
	sought := false
	for e.gate.Wait(e.ctx, "search") == nil {
		var why error
		var found object.ID
		for _, c := range places {
			id, err := e.finder.LookAt(e.ctx, c)
			if err != nil && !errors.Is(err, kube.ErrNotServed) {
				why = err
			}
			if !id.IsZero() {
				found = id
				break
			}
		}
		if e.ctx.Err() != nil {
			return
		}
		where := ""
		if found.IsZero() && !sought && e.ctx.Err() == nil {
			sought, where = true, find.ThereIsOne(e.finder.SearchElsewhere(e.ctx, places))
		}
		e.mu.Lock()
		s := e.searches[number]
		s.found, s.why = found, ""
		s.where = cmp.Or(where, s.where)
		if why != nil {
			s.why = object.Clean(kube.ErrorText(why))
		}
		// A temporary error is no answer.
		s.looked = s.looked || why == nil || kube.Code(why) == 403 || !found.IsZero()
		e.mu.Unlock()
		e.hub.mu.Lock()
		e.hub.planDirty()
		e.hub.mu.Unlock()
		if !found.IsZero() || gate.Sleep(e.ctx, searchEvery) != nil {
			return
		}
	}
}
