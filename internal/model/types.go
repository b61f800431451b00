package model

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model/outline"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
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

// PaneEntry is a pane's entry in the table of panes.
type PaneEntry struct {
	Name, Short string
	Keys        Context // the context of its own keys
}

// Panes is the table of panes, by pane.
var PaneTable = [paneCount]PaneEntry{
	PaneWhy:        {"Why", "Why", InWhy},
	PaneConditions: {"Conditions", "Conds", InPane},
	PaneEvents:     {"Events", "Events", InEvents},
	PaneLogs:       {"Logs", "Logs", InLogs},
	PaneYAML:       {"YAML", "YAML", InYAML},
	PaneTimeline:   {"Timeline", "Time", InTimeline},
}

// PaneNames are the names of the panes, by pane.
func PaneNames() (names []string) {
	for _, p := range PaneTable {
		names = append(names, p.Name)
	}
	return names
}

func paneNamed(name string) Pane {
	return Pane(slices.IndexFunc(PaneTable[:], func(p PaneEntry) bool { return strings.EqualFold(p.Name, name) }))
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

// EventRow is a line of the events pane: equal events of one object merged.
type EventRow struct {
	object.Event
	Times int
}

// EventsView is the state of the events pane.
type EventsView struct {
	Rows         []EventRow // newest first
	Refused      []string   // the missing permissions that hide others
	WarningsOnly bool
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
	From int  // the line from which the first match is looked for
	Step int  // grows with n, shrinks with N
	Left bool // the user has scrolled away: the match need not be visible
}
