package model

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/outline"
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

func paneNamed(name string) Pane {
	return Pane(slices.IndexFunc(PaneNames[:], func(s string) bool { return strings.EqualFold(s, name) }))
}

// PaneSize is the size of the pane.
type PaneSize uint8

// The sizes. A normal pane is beside the tree if there is room, otherwise a
// strip of two lines below it.
const (
	PaneNormal PaneSize = iota
	PaneHalf
	PaneFull
)

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
	object.Event
	Times int
}

// DetailView is the state of the YAML pane.
type DetailView struct {
	ID      object.ID
	Shown   []outline.Line // lines that are not folded
	At      time.Time
	Loading bool
	Err     error
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
