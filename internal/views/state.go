package views

import (
	"iter"
	"time"

	"charm.land/bubbles/v2/textinput"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// State is what a screen reads: the parts of a [model.Model].
type State struct {
	Options  *model.Options
	Facts    Facts
	Intake   Intake
	Tree     Tree
	Panes    Panes
	Typing   Typing
	Messages Messages
}

// Of is what the screen of a model reads.
func Of(m *model.Model) State {
	return State{m.Options(), m.Facts, m.Intake, m.Tree, m.Panes, m.Keyboard, m.Display}
}

// Facts is what is known of what is followed.
type Facts interface {
	Now() time.Time
	Elapsed() time.Duration
	Verdict() known.Verdict
	Done() (bool, time.Duration)
	Counts() world.Counts
	Assumed() int
	Muted() int
	GeneratedCounts() world.Counts
	Known() int
	Connection() world.Connection
	Synced() bool
	Namespaces() []string
	Slowest() (object.ID, time.Duration)
	CausesOf(id object.ID) []explain.Cause
	Notices() []feed.Notice
	Resource(id object.ID) (known.Resource, bool)
	Path(id object.ID) []object.ID
	NextSteps(causes []explain.Cause, about object.ID) []known.NextStep
	Serving(id object.ID) string
}

// Intake is how what is known comes in.
type Intake interface {
	Paused() (bool, int)
	Playback() *feed.Playback
}

// Tree is the tree's rows, and what the headline says with one of them selected.
type Tree interface {
	Settings() rows.Settings
	RowCount() int
	Top() int
	InSight(n int) iter.Seq[rows.Row]
	Selected() (rows.Key, int)
	Following() bool
	Headline() (first []explain.Cause, of int)
}

// Panes are the panes about the selected row.
type Panes interface {
	Size() (w, h int)
	Pane() model.Pane
	PaneSize() layout.Size
	Focus() model.Focus
	SearchText() panes.Search
	Layout() layout.Layout
	Content() (c panes.Content, top int)
	Match() panes.Match
	Detail() panes.DetailView
}

// Typing is what keys mean, and the text that is typed.
type Typing interface {
	Mode() model.Mode
	Input() textinput.Model
	Palette() model.Palette
	Help() (lines []markup.Line, top int)
	Keys() []model.Binding
	Bound(a model.Action) (model.Binding, bool)
	Footer() []model.Binding
}

// Messages are messages for the user.
type Messages interface {
	Notifying() bool
	Flash() string
}

// Look holds what a screen depends on besides the state.
type Look struct {
	Theme *Theme
	// Waiting is the spinner's sign while the first answers are awaited; "" is
	// the theme's sign.
	Waiting string
}
