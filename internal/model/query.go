package model

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Options returns what the model was told once, defaults filled in.
func (m Model) Options() Options { return m.opt }

// Now is the time of the last tick or batch. Everything that shows an age
// measures it from here.
func (m Model) Now() time.Time { return m.now }

// Elapsed is how long has been followed.
func (m Model) Elapsed() time.Duration { return m.now.Sub(m.opt.Now) }

// Revision grows whenever the screen may look different. Equal revisions of
// one model look the same.
func (m Model) Revision() uint64 { return 0 }

// NextWake is when a [ClockTicked] is due at the latest, beside the regular
// ones: a judgement changes then by the passing of time. Zero means never.
func (m Model) NextWake() time.Time { return time.Time{} }

// Verdict is the word over everything that was asked for.
func (m Model) Verdict() Verdict { return Verdict{} }

// Counts counts what was asked for by status, optional ones included.
func (m Model) Counts() Counts { return nil }

// GeneratedCounts counts the known generated objects by status.
func (m Model) GeneratedCounts() Counts { return nil }

// Connection sums up the sources.
func (m Model) Connection() Connection { return Connection{} }

// Sources returns every source of data, by key.
func (m Model) Sources() []status.SourceState { return nil }

// Synced reports whether every source needed for the roots has answered.
func (m Model) Synced() bool { return false }

// Quiesced reports whether nothing that was wanted is still on its way: the
// roots are synced, and the children and events that were asked for have been
// answered. A one-shot command may print then.
func (m Model) Quiesced() bool { return false }

// Namespaces are the namespaces of what was asked for, sorted.
func (m Model) Namespaces() []string { return nil }

// Roots are what was asked for, in the order of asking.
func (m Model) Roots() []status.ID { return nil }

// Resource is what is known of one object, and whether anything is.
func (m Model) Resource(id status.ID) (Resource, bool) { return Resource{}, false }

// Slowest returns up to n roots that took longest to become Current, slowest
// first, with the time each took.
func (m Model) Slowest(n int) []Slow { return nil }

// Slow is an object and how long it took to become Current.
type Slow struct {
	ID   status.ID
	Took time.Duration
}

// RowCount is the number of rows of the tree as it is folded and filtered.
func (m Model) RowCount() int { return 0 }

// Rows returns up to n rows from row number from on. Its cost depends on n,
// not on the number of rows.
func (m Model) Rows(from, n int) []Row { return nil }

// Top is the number of the first row on the screen, so that the selected row
// is visible in the rows that [Measured] told.
func (m Model) Top() int { return 0 }

// Selected is the key of the selected row, zero when there is none, and its
// row number or -1.
func (m Model) Selected() (RowKey, int) { return RowKey{}, -1 }

// Known is the number of all objects in the tree, asked for and generated.
func (m Model) Known() int { return 0 }

// Problems returns the rows that n and N jump between, worst first.
func (m Model) Problems() []status.ID { return nil }

// Path is the way from what was asked for down to the object, both included.
func (m Model) Path(id status.ID) []status.ID { return nil }

// Causes are the causes over everything, most important first.
func (m Model) Causes() []Cause { return nil }

// CausesOf are the causes that the object itself shows or that block it.
func (m Model) CausesOf(id status.ID) []Cause { return nil }

// Conditions are the selected object's conditions, the one that sums up first.
func (m Model) Conditions() []ConditionRow { return nil }

// Events are the events of the selected object and its descendants, newest
// first, equal ones folded.
func (m Model) Events() []EventRow { return nil }

// WarningsOnly says that only warnings are wanted in the events pane.
func (m Model) WarningsOnly() bool { return false }

// Logs is the state of the logs pane.
func (m Model) Logs() LogView { return LogView{} }

// LogLines returns up to n log lines from line number from on.
func (m Model) LogLines(from, n int) []status.LogLine { return nil }

// Detail is the state of the YAML pane.
func (m Model) Detail() DetailView { return DetailView{} }

// Timeline returns the history of the selected object and its descendants
// (of everything where none is selected), oldest first.
func (m Model) Timeline() []Transition { return nil }

// Notices are the newest messages that are not about an object, oldest first.
func (m Model) Notices() []status.Notice { return nil }

// Pane is the chosen pane.
func (m Model) Pane() Pane { return PaneWhy }

// PaneSize is how much room the pane takes.
func (m Model) PaneSize() PaneSize { return PaneNormal }

// Scroll is where the chosen pane stands.
func (m Model) Scroll() Scroll { return Scroll{} }

// Focus is the part that keys go to.
func (m Model) Focus() Focus { return FocusTree }

// Mode is what keys mean.
func (m Model) Mode() Mode { return Browsing }

// FilterText is the filter, typed or being typed.
func (m Model) FilterText() Text { return Text{} }

// SearchText is the search in the pane, typed or being typed.
func (m Model) SearchText() Search { return Search{} }

// HelpScroll is the first line of the help on the screen.
func (m Model) HelpScroll() int { return 0 }

// Keys is the table of keys as they are bound.
func (m Model) Keys() []Binding { return Bindings }

// Footer returns the bindings to show in the footer now.
func (m Model) Footer() []Binding { return nil }

// Paused reports whether the picture is frozen, and how many updates it has
// missed.
func (m Model) Paused() (bool, int) { return false, 0 }

// Following reports whether the selection follows the newest problem.
func (m Model) Following() bool { return false }

// Notifying reports whether the user is to be called when done or failed.
func (m Model) Notifying() bool { return false }

// Scoped says what the tree shows: applied only, generated too, references too.
func (m Model) Scoped() Scoping { return WithGenerated }

// Scoping is what the tree shows.
type Scoping uint8

// The scopes of the tree.
const (
	WithGenerated Scoping = iota
	WithReferences
	AppliedOnly
)

// Size is the size of the screen.
func (m Model) Size() (w, h int) { return 0, 0 }

// Dark reports whether the terminal's background is dark; true until known.
func (m Model) Dark() bool { return true }

// Flash is a short message that answers the last key, or "".
func (m Model) Flash() string { return "" }

// Done reports whether everything asked for is Current, and how long it took.
func (m Model) Done() (bool, time.Duration) { return false, 0 }
