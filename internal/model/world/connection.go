package world

import (
	"cmp"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Connection summarises the sources; ended and err are the end of the feed.
func (l *link) Connection(ended bool, err error) Connection {
	c := Connection{Skew: l.skew, Err: err, Mode: feed.ModeWatch}
	c.Sources = len(l.Sources)
	c.Ready = c.Sources
	bad, syncing := 0, 0
	for _, list := range l.trouble {
		for i := range list {
			s := &list[i]
			switch s.Phase {
			case feed.Waiting, feed.Syncing:
				c.Ready--
				syncing++
			case feed.Forbidden:
				// Refused from the start: the rows say so. Refused later: the
				// rows grow stale.
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
	case !l.heard:
		c.Link = LinkConnecting
	case bad > 0 && l.liveSources() == 0:
		c.Link = LinkStale
	case bad > 0:
		c.Link = LinkReconnecting
	case !l.Synced && (syncing > 0 || len(l.Sources) == 0):
		c.Link = LinkSyncing
	default:
		c.Link = LinkLive
	}
	return c
}

// stale takes in a stale source: the oldest counts.
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
	// A source with a hint explains the problem best.
	if known, best := s.Hint != "", c.Hint != ""; s.Error != "" &&
		(c.Error == "" || known && !best || known == best && s.Error < c.Error) {
		c.Error, c.Hint = s.Error, s.Hint
	}
}

// Trouble is the connection's problem and the next step, in a line; "" if there
// is none.
func (c Connection) Trouble() string {
	if c.Hint == "" {
		return c.Error
	}
	return c.Error + "; " + c.Hint
}

// keptRows reports whether a source of roots holds rows from before it was
// refused.
func keptRows(s *feed.SourceState) bool { return !s.Children && s.Objects > 0 }

// OutOfTouch reports whether the verdict rests on roots that are no longer
// updated, even if other sources are live. A revoked permission counts for
// every verdict. A lost stream only counts if the verdict would be Current: a
// green without fresh data is none.
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

// decides reports whether a source delivers children that decide between
// Current and not, whatever the parents' fields say.
func decides(s *feed.SourceState) bool {
	switch s.Kind {
	case "EndpointSlice", "Endpoints", "Pod", "ReplicaSet":
		return s.Children && s.Objects > 0
	}
	return false
}

func (l *link) liveSources() int {
	n := len(l.Sources)
	for _, list := range l.trouble {
		n -= len(list)
	}
	return n
}

// Refusal says who may not do what to which resource where, as the API server
// reported it.
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

// ChildRefusals are the missing permissions that hide children of n and its
// descendants.
func (l *link) ChildRefusals(n *Node) (out []string) {
	if len(l.trouble) == 0 {
		return nil
	}
	Walk(n, func(k *Node) bool {
		if k.Object == nil {
			return true
		}
		for _, need := range edges.Needs(k.Object) {
			if s := l.blind(need); s != nil && s.Phase == feed.Forbidden && !slices.Contains(out, Refusal(s)) {
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
	LinkConnecting   Link = "connecting"   // no answer yet
	LinkSyncing      Link = "syncing"      // first lists are in progress
	LinkLive         Link = "live"         //
	LinkReconnecting Link = "reconnecting" // a source is stale or throttled
	LinkStale        Link = "stale"        // no source is fresh
	LinkEnded        Link = "ended"        // the feed has ended
)

// Connection summarises the sources.
type Connection struct {
	Link Link
	// Since is when Link began; LastData is the oldest time up to which the
	// data is known to be fresh, while Link is reconnecting or stale.
	Since, LastData time.Time
	Ready, Sources  int // needed sources: answered, all
	Mode            feed.Mode
	Error           string        // one line, from the worst source
	Hint            string        // the next step, or ""
	Retry           time.Time     // when it will be retried
	Skew            time.Duration // the server's clock minus this machine's, if large
	Err             error         // why the feed ended
}

// EventRefusals are the missing permissions that hide events of n and its
// descendants, sorted.
func (l *link) EventRefusals(n *Node) []string {
	var out []string
	for of, list := range l.trouble {
		for i := range list {
			if of.kind != "Event" || of.group != "" || list[i].Phase != feed.Forbidden {
				continue
			}
			// Events of cluster-scoped objects are in the namespace default.
			elsewhere := Walk(n, func(k *Node) bool { return cmp.Or(k.ID.Namespace, "default") != of.namespace })
			if !elsewhere {
				out = append(out, Refusal(&list[i]))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
