package model

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Focus is the part of the screen that keys go to.
type Focus uint8

// The parts that can have the focus.
const (
	FocusTree Focus = iota
	FocusPane
)

// Mode is what keys mean at the moment.
type Mode uint8

// The modes.
const (
	Browsing   Mode = iota
	Filtering       // the filter is being typed
	Searching       // a search in the pane is being typed
	Helping         // the help is open
	Commanding      // a command is being typed in the palette
)

// Pane is one of the panes that say more about the selected row.
type Pane uint8

// The panes, in the order of their tabs.
const (
	PaneWhy Pane = iota
	PaneConditions
	PaneEvents
	PaneLogs
	PaneYAML
	PaneTimeline
	paneCount
)

// PaneNames are the panes' short names, by pane.
var PaneNames = [...]string{"Why", "Conditions", "Events", "Logs", "YAML", "Timeline"}

// PaneSize is how much of the screen the pane takes.
type PaneSize uint8

// The sizes. A normal pane stands beside the tree where there is room, and is
// a strip of two lines below it where there is not.
const (
	PaneNormal PaneSize = iota
	PaneHalf
	PaneFull
)

// RowKind says what a row of the tree stands for.
type RowKind uint8

// The kinds of rows.
const (
	RowObject    RowKind = iota
	RowMore              // "17 more Current": siblings folded into one row
	RowReference         // an object whose own row is elsewhere
	RowGap               // something that cannot be seen, and why
	RowGroup             // the head of a group of what was asked for
)

// RowKey names a row for as long as what it stands for exists, wherever it
// moves to. It is comparable.
type RowKey struct {
	Kind RowKind
	ID   object.ID // the object; for RowMore the parent (zero at the top)
	From object.ID // RowReference: the object that refers
	Gap  string    // RowGap, RowGroup and RowMore at the top: which
}

// Fold says whether a row can be folded, and is.
type Fold uint8

// The states of a fold.
const (
	Leaf Fold = iota
	Opened
	Closed
)

// Row is one line of the tree, ready to be drawn.
type Row struct {
	Key   RowKey
	Depth int
	// Guides has bit d set where a line runs down in column d: the ancestor at
	// depth d has a later sibling. Last says that the row itself has none.
	Guides uint64
	Last   bool
	Fold   Fold

	Name string // "Deployment/web", "16 more Current"
	// Namespace is set where the set spans several namespaces and the parent's
	// row does not say it already.
	Namespace string
	Note      string // a few words beside the name: "new rev 42  0/3", "3/6 ready"
	Status    status.Status
	// Reason is a few words. Where a descendant blocks the object it is that
	// one's reason, and Carried is how many there are ("» ImagePullBackOff ×2").
	Reason  string
	Carried int
	Message string // one line more, where there is room
	Since   time.Time
	Changed time.Time // when it last moved
	Stalled bool
	Stale   bool // the data is older than the connection's trouble
	Paused  bool
	Noted   bool // Current, but Message says what deserves a look
	Assumed bool // Current, but nothing proves it: the object says nothing of itself
	Count   int  // RowMore: how many

	Restarts int64 // of a pod's containers

	Generated bool
	Selected  bool
	Matched   bool // the filter matches it (or there is none); ancestors kept for context do not match
}

// Verdict is the one word over everything that was asked for.
type Verdict struct {
	// Status is kstatus's aggregation over the roots that are not optional:
	// any Failed, else any Unknown, else all Current, else InProgress. It is
	// Unknown for an empty set.
	Status status.Status
	Empty  bool // nothing was asked for, or nothing was found
	Gone   bool // all that was asked for was there, and has been deleted
	// Since is when the verdict became this one, as far as we have seen.
	Since time.Time
	// Stalled says that nothing has moved for as long as Options.StallAfter,
	// though not everything is Current; Moved is when something last did.
	Stalled bool
	Moved   time.Time
	// Lost says that the verdict rests on data that is not fresh: Connection
	// says since when.
	Lost bool
}

// Resource is what is known of one object, as a report or a pane reads it. It
// is a copy; Object is shared and must not be changed.
type Resource struct {
	ID         object.ID
	Object     *object.Object // nil when it does not exist or was never seen
	Root       *feed.Root     // nil when it was not asked for
	Assessment status.Assessment
	Parent     object.ID   // zero at the top
	Children   []object.ID // sorted
	// ChildrenKnown says that Children are all there are.
	ChildrenKnown bool
	// Known counts the known descendants by status, the object left out.
	Known     world.Counts
	Generated bool
	Changed   time.Time // when it, or something below it, last moved
	OwnChange time.Time // when it last moved itself
	Stalled   bool
	Stale     bool
	FirstSeen time.Time
	// Lead is the descendant that its row names as what blocks it, with its
	// reason and how many have that; the object itself where nothing below it
	// does.
	Lead       object.ID
	LeadReason string
	LeadCount  int
	Note       string // a few words about its numbers: "3/6 ready"
}

// ConditionRow is a line of the conditions pane.
type ConditionRow struct {
	object.Condition
	Polarity status.Polarity
	KnownBy  status.Confidence // what the polarity is known by
	Top      bool              // Ready, Available and the like: the one that sums up
	Deciding bool              // the one that decided the status
	Good     bool              // it is as it should be
}

// EventRow is a line of the events pane: equal events of one object folded.
type EventRow struct {
	feed.Event
	Times int
}

// LogView is the state of the logs pane.
type LogView struct {
	// Merged says that the lines of several pods below Of stand together, by
	// their time: Streams of Pods, the others are left out.
	Merged     bool
	Of         object.ID
	Pods       int
	Streams    []LogStream
	Key        feed.LogKey // of the first stream
	Containers []string    // of the pods, in their order
	Lines      int         // held
	Lost       int         // lines that made room for newer ones
	Newest     uint64      // the number of the line that came last
	Missed     int         // lines that nobody was in time to read
	Ended      bool
	Loading    bool
	Follow     bool
	Held       bool // reading waits: nobody looks at the end, and there is no room left
	Stamps     LogStamps
	Err        error  // of the first stream
	None       string // why there is no log to show
}

// LogStream is one container's log.
type LogStream struct {
	Key   feed.LogKey
	Ended bool
	Err   error
}

// LogRow is a line of the logs pane: which stream it is from, and a number that
// no other line has.
type LogRow struct {
	feed.LogLine
	From int
	No   uint64
}

// DetailView is the state of the YAML pane.
type DetailView struct {
	ID      object.ID
	Shown   []DetailLine // what is not folded away
	At      time.Time
	Loading bool
	Err     error
	Stale   bool // the object has changed since
	// Cursor is the line of Shown, from 1, that keys act on; 0 where they act on
	// something else. Loose says that the window may stand elsewhere.
	Cursor int
	Loose  bool
}

// Scroll is where a pane stands.
type Scroll struct {
	Top  int
	Left int // how many cells of unwrapped lines are out of sight
	Wrap bool
}

// Search is a search in the open pane. Views do the matching, in the lines
// as they are drawn.
type Search struct {
	Text string
	Step int  // grows with n, shrinks with N
	Left bool // the user has scrolled on: the match is no longer kept in sight
}
