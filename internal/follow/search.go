package follow

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// searchEvery is how often a missing inventory is searched for.
const searchEvery = 2 * time.Second

// Searcher looks for the roots of inventories that were named by their scheme
// alone: each may be one of several objects, of several kinds.
type Searcher struct {
	Finder interface {
		LookAt(ctx context.Context, c inventory.Candidate) (object.ID, error)
		SearchElsewhere(ctx context.Context, places []inventory.Candidate) []string
	}
	Context context.Context
	Wait    func(ctx context.Context) error // until the server can be reached
	Spawn   func(func())
	Found   func() // called when more is known

	mu       sync.Mutex
	searches map[int]*search
}

type search struct {
	found  object.ID
	looked bool   // all places have been searched once
	why    string // why a place could not be searched
	where  string // another namespace that has one
}

// Find returns the root of the target with a number, and whether an answer is
// there; until it is found, what is said of it instead.
func (x *Searcher) Find(number int, places []inventory.Candidate) (found object.ID, told feed.Told, looked bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.searches[number]
	switch {
	case s == nil:
		s = &search{}
		if x.searches == nil {
			x.searches = map[int]*search{}
		}
		x.searches[number] = s
		x.Spawn(func() { x.search(s, places) })
	case !s.found.IsZero():
		return s.found, feed.Told{}, true
	case s.why != "":
		return s.found, feed.Told{Status: status.Unknown, Reason: "Forbidden", Message: s.why}, s.looked
	}
	return s.found, feed.Told{Status: status.NotFound, Reason: "NotFound", Message: cmp.Or(s.where, "there is no such inventory")}, s.looked
}

// search looks for a root until it is found.
func (x *Searcher) search(s *search, places []inventory.Candidate) {
	sought := false
	for x.Wait(x.Context) == nil {
		var why error
		var found object.ID
		for _, c := range places {
			id, err := x.Finder.LookAt(x.Context, c)
			if err != nil && !errors.Is(err, kube.ErrNotServed) {
				why = err
			}
			if !id.IsZero() {
				found = id
				break
			}
		}
		if x.Context.Err() != nil {
			return
		}
		where := ""
		if found.IsZero() && !sought {
			sought, where = true, find.ThereIsOne(x.Finder.SearchElsewhere(x.Context, places))
		}
		x.mu.Lock()
		s.found, s.why = found, ""
		s.where = cmp.Or(where, s.where)
		if why != nil {
			s.why = object.Clean(kube.ErrorText(why))
		}
		// A temporary error is no answer.
		s.looked = s.looked || why == nil || kube.Code(why) == 403 || !found.IsZero()
		x.mu.Unlock()
		x.Found()
		if !found.IsZero() || gate.Sleep(x.Context, searchEvery) != nil {
			return
		}
	}
}
