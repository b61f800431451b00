package model

import "github.com/kstatus-tui/kstatus-tui/internal/model/panes"

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

// Pane is one of the panes about the selected row, by the order of their tabs.
type Pane int

// The panes that other parts of the model name.
const (
	PaneWhy Pane = iota
	PaneConditions
	PaneEvents
	PaneLogs
	PaneYAML
	PaneTimeline
)

// PaneNames are the names of the panes, by pane.
func PaneNames() (names []string) {
	for _, t := range panes.Titles() {
		names = append(names, t.Name)
	}
	return names
}

// Scroll is a pane's scroll position.
type Scroll struct{ Top int }
