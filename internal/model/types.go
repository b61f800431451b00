package model

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Focus is the focused part of the screen.
type Focus uint8

// The parts that can have the focus.
const (
	FocusTree Focus = iota
	FocusPane
)

// Mode is the input mode: what keys mean.
type Mode uint8

// The modes.
const (
	Browsing   Mode = iota
	Filtering       // the filter is being typed
	Searching       // a search in the pane is being typed
	Helping         // the help is open
	Commanding      // a command is being typed in the palette
)

// Pane is one of the panes about the selected row.
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

// PaneSize is the size of the pane.
type PaneSize uint8

// The sizes. A normal pane is beside the tree if there is room, otherwise a
// strip of two lines below it.
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
	RowMore              // "17 more Current": folded siblings
	RowReference         // an object whose own row is elsewhere
	RowGap               // objects that cannot be read, and why
	RowGroup             // the header of a group
)

// RowKey identifies a row for as long as its object exists, wherever it moves.
// It is comparable.
type RowKey struct {
	Kind RowKind
	ID   object.ID // the object; for RowMore the parent (zero at the top)
	From object.ID // RowReference: the referring object
	Gap  string    // RowGap, RowGroup and top-level RowMore: an identifier
}

// Fold says whether a row can be folded, and whether it is.
type Fold uint8

// The states of a fold.
const (
	Leaf Fold = iota
	Opened
	Closed
)

// Row is one line of the tree, ready to draw.
type Row struct {
	Key   RowKey
	Depth int
	// Guides has bit d set if a line runs down in column d: the ancestor at
	// depth d has a later sibling. Last says that the row itself has none.
	Guides uint64
	Last   bool
	Fold   Fold

	Name string // "Deployment/web", "16 more Current"
	// Namespace is set if several namespaces are shown and the parent's row is
	// not in the same one.
	Namespace string
	Note      string // counters: "new rev 42  0/3", "3/6 ready"
	Status    status.Status
	// Reason is short. If a descendant blocks the object it is that one's
	// reason, and Carried is how many have it ("» ImagePullBackOff ×2").
	Reason  string
	Carried int
	Message string // one more line, if there is room
	Since   time.Time
	Changed time.Time // when its status last changed
	Stalled bool
	Stale   bool // the connection has not confirmed the data for too long
	Paused  bool
	Noted   bool // Current, but Message is a remark
	Assumed bool // Current with the confidence assumed
	Count   int  // RowMore: number of folded objects

	Restarts int64 // of a Pod's containers

	Generated bool
	Selected  bool
	Matched   bool // it matches the filter (or there is none); ancestors of a match do not
}

// Verdict is the verdict over the followed objects.
type Verdict struct {
	// Status is kstatus's aggregation over the roots that are not optional:
	// any Failed, else any Unknown, else all Current, else InProgress. It is
	// Unknown for an empty set.
	Status status.Status
	Empty  bool // nothing was named, or nothing was found
	Gone   bool // all followed objects existed, and have been deleted
	// Since is when the verdict was observed to become this one.
	Since time.Time
	// Stalled says that nothing has changed for Options.StallAfter while not
	// everything is Current; Moved is when something last did.
	Stalled bool
	Moved   time.Time
	// Lost says that the verdict rests on stale data: Connection says since
	// when.
	Lost bool
}

// Resource is what is known of one object, for reports and panes. It is a copy;
// Object is shared and must not be modified.
type Resource struct {
	ID         object.ID
	Object     *object.Object // nil if it does not exist or was never seen
	Root       *feed.Root     // nil for generated objects
	Assessment status.Assessment
	Parent     object.ID   // zero at the top
	Children   []object.ID // sorted
	// ChildrenKnown says that Children is complete.
	ChildrenKnown bool
	// Known counts the known descendants by status.
	Known     world.Counts
	Generated bool
	Changed   time.Time // when it or a descendant last changed status
	OwnChange time.Time // when it last changed status itself
	Stalled   bool
	Stale     bool
	FirstSeen time.Time
	// Lead is the descendant that its row names as blocking, with the reason
	// and how many have it; the object itself if none does.
	Lead       object.ID
	LeadReason string
	LeadCount  int
	Note       string // counters: "3/6 ready"
}

// ConditionRow is a line of the conditions pane.
type ConditionRow struct {
	object.Condition
	Polarity status.Polarity
	KnownBy  status.Confidence // how the polarity is known
	Top      bool              // the summarising one: Ready, Available and the like
	Deciding bool              // it decided the status
	Good     bool              // it has the good status
}

// EventRow is a line of the events pane: equal events of one object merged.
type EventRow struct {
	feed.Event
	Times int
}

// LogView is the state of the logs pane.
type LogView struct {
	// Merged says that the lines of several Pods below Of are merged by time:
	// Streams of Pods, the others are left out.
	Merged     bool
	Of         object.ID
	Pods       int
	Streams    []LogStream
	Key        feed.LogKey // of the first stream
	Containers []string    // of the Pods, in order
	Lines      int         // lines in memory
	Lost       int         // older lines dropped
	Newest     uint64      // number of the newest line
	Missed     int         // lines that were dropped before they were read
	Ended      bool
	Loading    bool
	Follow     bool
	Held       bool // reading pauses: the user is not at the end, and there is no room
	Stamps     LogStamps
	Err        error  // of the first stream
	None       string // why there is no log
}

// LogStream is one container's log.
type LogStream struct {
	Key   feed.LogKey
	Ended bool
	Err   error
}

// LogRow is a line of the logs pane, with its stream and a unique number.
type LogRow struct {
	feed.LogLine
	From int
	No   uint64
}

// DetailView is the state of the YAML pane.
type DetailView struct {
	ID      object.ID
	Shown   []DetailLine // lines that are not folded
	At      time.Time
	Loading bool
	Err     error
	Stale   bool // the object has changed since
	// Cursor is the cursor's line in Shown, from 1; 0 if the pane has no
	// cursor. Loose says that the window may be elsewhere.
	Cursor int
	Loose  bool
}

// Scroll is a pane's scroll position.
type Scroll struct {
	Top  int
	Left int // cells that unwrapped lines are scrolled by
	Wrap bool
}

// Search is a search in the open pane. Views match it against the lines as
// drawn.
type Search struct {
	Text string
	Step int  // grows with n, shrinks with N
	Left bool // the user has scrolled away: the match need not be visible
}
