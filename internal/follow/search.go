package follow

import (
	"cmp"
	"context"
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

// Searcher looks for inventories. [find.Finder] is one.
type Searcher interface {
	Search(ctx context.Context, places []inventory.Candidate) (object.ID, error)
	Elsewhere(ctx context.Context, places ...inventory.Candidate) []string
}

// Searched is what is known of the root of an inventory that was named by its
// scheme alone: it may be one of several objects, of several kinds.
type Searched struct {
	Found  object.ID
	Told   feed.Told // instead, until it is found
	Looked bool      // all places have been searched once
}

// Search looks for a root until it is found, and tells each result. Other
// namespaces are searched once.
func Search(ctx context.Context, f Searcher, g *gate.Gate, places []inventory.Candidate, tell func(Searched)) {
	s, where := Searched{}, ""
	for g.Wait(ctx) == nil {
		found, why := f.Search(ctx, places)
		if found.IsZero() && where == "" {
			where = cmp.Or(find.ThereIsOne(f.Elsewhere(ctx, places...)), "there is no such inventory")
		}
		if ctx.Err() != nil {
			return
		}
		s.Found, s.Told = found, feed.Told{}
		switch {
		case why != nil:
			s.Told = feed.Told{Status: status.Unknown, Reason: "Forbidden", Message: object.Clean(kube.ErrorText(why))}
		case found.IsZero():
			s.Told = feed.Told{Status: status.NotFound, Reason: "NotFound", Message: where}
		}
		// A temporary error is no answer.
		s.Looked = s.Looked || why == nil || kube.Code(why) == 403
		tell(s)
		if !found.IsZero() || gate.Sleep(ctx, searchEvery) != nil {
			return
		}
	}
}
