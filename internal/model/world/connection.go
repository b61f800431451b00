package world

import (
	"cmp"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Connection sums the sources up; ended and err say what became of the feed.
func (w *World) Connection(ended bool, err error) Connection {
	c := Connection{Skew: w.skew, Err: err, Mode: feed.ModeWatch}
	c.Sources = len(w.Sources)
	c.Ready = c.Sources
	bad, syncing := 0, 0
	for _, list := range w.trouble {
		for i := range list {
			s := &list[i]
			switch s.Phase {
			case feed.Waiting, feed.Syncing:
				c.Ready--
				syncing++
			case feed.Forbidden:
				// Refused from the start: the rows say so. Refused since: they
				// hold what was known, and that grows old.
				if !keptRows(s) {
					continue
				}
				bad++
				c.stale(s)
			case feed.Stale, feed.Throttled:
				bad++
				c.stale(s)
			}
		}
	}
	switch {
	case ended:
		c.Link = LinkEnded
	case !w.heard:
		c.Link = LinkConnecting
	case bad > 0 && w.liveSources() == 0:
		c.Link = LinkStale
	case bad > 0:
		c.Link = LinkReconnecting
	case !w.Synced && (syncing > 0 || len(w.Sources) == 0):
		c.Link = LinkSyncing
	default:
		c.Link = LinkLive
	}
	return c
}

// stale takes in a source that no longer tells what is: the oldest counts.
func (c *Connection) stale(s *feed.SourceState) {
	if c.Since.IsZero() || s.Since.Before(c.Since) {
		c.Since = s.Since
	}
	if !s.LastData.IsZero() && (c.LastData.IsZero() || s.LastData.Before(c.LastData)) {
		c.LastData = s.LastData
	}
	if !s.Retry.IsZero() && (c.Retry.IsZero() || s.Retry.Before(c.Retry)) {
		c.Retry = s.Retry
	}
	// Whoever knows what to do knows best what is wrong.
	if known, best := s.Hint != "", c.Hint != ""; s.Error != "" &&
		(c.Error == "" || known && !best || known == best && s.Error < c.Error) {
		c.Error, c.Hint = s.Error, s.Hint
	}
}

// Trouble is what is wrong with the connection, and what to do about it, in a
// line; "" while nothing is.
func (c Connection) Trouble() string {
	if c.Hint == "" {
		return c.Error
	}
	return c.Error + "; " + c.Hint
}

// keptRows reports whether a source of what was asked for holds rows from
// before it was refused.
func keptRows(s *feed.SourceState) bool { return !s.Children && s.Objects > 0 }

// OutOfTouch reports whether the verdict rests on roots that nobody tells about
// any more, though other sources may be live. A refusal of rights that there
// were is no blip and counts for every verdict. A lost stream counts where all
// would be Current: a green that nobody can vouch for is none.
func (w *World) OutOfTouch() bool {
	for _, list := range w.trouble {
		for i := range list {
			s := &list[i]
			switch s.Phase {
			case feed.Forbidden:
				if keptRows(s) {
					return true
				}
			case feed.Stale, feed.Throttled:
				if w.Verdict == status.Current && (keptRows(s) || decides(s)) {
					return true
				}
			}
		}
	}
	return false
}

// decides reports whether a source tells of children that make the difference
// between Current and not, whatever the parents' own fields say.
func decides(s *feed.SourceState) bool {
	switch s.Kind {
	case "EndpointSlice", "Endpoints", "Pod", "ReplicaSet":
		return s.Children && s.Objects > 0
	}
	return false
}

func (w *World) liveSources() int {
	n := len(w.Sources)
	for _, list := range w.trouble {
		n -= len(list)
	}
	return n
}

// Refusal is who may not do what to which resource where, as far as the API
// server has said it.
func Refusal(s *feed.SourceState) string {
	if text := feed.Refusal(s.Error); feed.IsRefusal(text) {
		return text
	}
	text := "cannot " + cmp.Or(s.Verb, "list") + " " + s.Resource
	if s.Group != "" {
		text += "." + s.Group
	}
	if s.Namespace != "" {
		text += " in " + s.Namespace
	}
	return text + ": forbidden"
}

// ChildRefusals are the refusals that hide children of n and of its descendants.
func (w *World) ChildRefusals(n *Node) (out []string) {
	if len(w.trouble) == 0 {
		return nil
	}
	Walk(n, func(k *Node) bool {
		if k.Object == nil {
			return true
		}
		for _, need := range edges.Needs(k.Object) {
			if s := w.blind(need); s != nil && s.Phase == feed.Forbidden && !slices.Contains(out, Refusal(s)) {
				out = append(out, Refusal(s))
			}
		}
		return true
	})
	return out
}

// Link is the state of the connection as a whole.
type Link string

// The states of the connection.
const (
	LinkConnecting   Link = "connecting"   // nothing has been heard yet
	LinkSyncing      Link = "syncing"      // first lists are on their way
	LinkLive         Link = "live"         //
	LinkReconnecting Link = "reconnecting" // some source is stale or throttled
	LinkStale        Link = "stale"        // no source is fresh
	LinkEnded        Link = "ended"        // the feed has ended
)

// Connection sums up the sources.
type Connection struct {
	Link Link
	// Since is when Link began; LastData is the oldest moment up to which what
	// is shown is known to be fresh, while Link is reconnecting or stale.
	Since, LastData time.Time
	Ready, Sources  int // of the sources that are needed: answered, all
	Mode            feed.Mode
	Error           string        // one line, from the worst source
	Hint            string        // what to do about it, or ""
	Retry           time.Time     // when it is tried again
	Skew            time.Duration // the server's clock minus ours, where worth a word
	Err             error         // why the feed ended
}

// EventRefusals are the refusals that hide events of n and of its descendants,
// sorted.
func (w *World) EventRefusals(n *Node) []string {
	var out []string
	for of, list := range w.trouble {
		for i := range list {
			if of.kind != "Event" || of.group != "" || list[i].Phase != feed.Forbidden {
				continue
			}
			// Those about cluster-scoped objects stand in the namespace default.
			elsewhere := Walk(n, func(k *Node) bool { return cmp.Or(k.ID.Namespace, "default") != of.namespace })
			if !elsewhere {
				out = append(out, Refusal(&list[i]))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
