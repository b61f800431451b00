package world

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Connection summarises the sources. ended says that the feed has ended, and err why.
func (l *Sources) Connection(ended bool, err error) Connection {
	c := Connection{Skew: l.skew, Err: err, Sources: len(l.States), Ready: len(l.States)}
	c.Saved = len(l.States) > 0
	for _, s := range l.States {
		c.Saved = c.Saved && s.Mode == feed.ModeSaved
		// A source that may not be read is only asked whether it may be by now.
		c.Polling = c.Polling || !s.Children && s.Phase != feed.Forbidden &&
			(s.Mode == feed.ModePollList || s.Mode == feed.ModePollGet)
		c.Unpinged = c.Unpinged || s.Unpinged
	}
	anyLost := false
	for _, s := range l.Trouble {
		switch {
		case s.Late: // no row waits for it
			c.Ready--
		case s.Phase == feed.Waiting, s.Phase == feed.Syncing:
			c.Ready--
		case lost(s):
			anyLost = true
			c.LastData, c.Retry = Earliest(c.LastData, s.LastData), Earliest(c.Retry, s.Retry)
			if c.Error == "" || c.Hint == "" && s.Hint != "" { // a source with a hint explains the problem best
				c.Error, c.Hint = s.Error, s.Hint
			}
		}
	}
	switch {
	case ended:
		c.Link = LinkEnded
	case !l.begun:
		c.Link = LinkConnecting
	case anyLost && len(l.Trouble) == len(l.States):
		c.Link = LinkStale
	case anyLost:
		c.Link = LinkReconnecting
	case !l.Synced && (c.Ready < c.Sources || c.Sources == 0):
		c.Link = LinkSyncing
	default:
		c.Link = LinkLive
	}
	return c
}

// Problem is the connection's problem and the next step, in a line; "" if there
// is none.
func (c Connection) Problem() string { return strings.TrimSuffix(c.Error+"; "+c.Hint, "; ") }

// lost reports whether what a source has delivered is no longer updated: it is stale or throttled,
// or its permission was revoked. A source that was forbidden from the start has delivered nothing.
// For a forbidden source of children, the rows of the parents say it.
func lost(s *feed.SourceState) bool {
	return s.Phase == feed.Stale || s.Phase == feed.Throttled ||
		s.Phase == feed.Forbidden && !s.Children && s.Objects > 0
}

// VerdictIsStale reports whether the verdict depends on sources that are lost, even if others are
// live. A revoked permission to read roots counts for every verdict. A stale or throttled source
// counts only for Current, even if it has delivered no object yet: without fresh data nothing may
// be called Current. Of the sources of children, those of decidingKinds count.
func (w *World) VerdictIsStale() bool {
	return slices.ContainsFunc(w.Sources.Trouble, func(s *feed.SourceState) bool {
		return lost(s) &&
			(s.Phase == feed.Forbidden ||
				w.Verdict == status.Current && (!s.Children || slices.Contains(decidingKinds, s.Kind)))
	})
}

// decidingKinds are the kinds of children that can make a parent not Current, whatever the
// parent's own fields say.
var decidingKinds = []string{"EndpointSlice", "Endpoints", "Job", "Pod", "ReplicaSet"}

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
	// LastData is the oldest time up to which the data is known to be fresh,
	// while Link is reconnecting or stale.
	LastData time.Time
	Ready    int           // number of sources that nothing waits for any more
	Sources  int           // number of all sources
	Polling  bool          // a source of roots polls instead of watching
	Unpinged bool          // no pings show that the server is there: its silence is noticed after 90 s
	Saved    bool          // nothing will change: all of it was read from a file
	Error    string        // one line: the first lost source's, if possible of one with a hint
	Hint     string        // the next step, or ""
	Retry    time.Time     // when it will be retried
	Skew     time.Duration // the server's clock minus this machine's, if large
	Err      error         // why the feed ended
}
