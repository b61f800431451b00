package views

import (
	"cmp"
	"iter"
	"time"

	"charm.land/bubbles/v2/textinput"
	"charm.land/bubbles/v2/viewport"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/timeline"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// State is what a screen reads. [model.Model] implements it.
type State interface {
	Facts
	Rows
	Panes
	Typing

	Options() model.Options
	Size() (w, h int)
	Paused() (bool, int)
	Notifying() bool
	Flash() string
	Playback() *feed.Playback
}

// Facts is what is known of what is followed.
type Facts interface {
	Now() time.Time
	Elapsed() time.Duration
	Verdict() known.Verdict
	Done() (bool, time.Duration)
	Counts() world.Counts
	Assumed() int
	GeneratedCounts() world.Counts
	Known() int
	Connection() world.Connection
	Synced() bool
	Namespaces() []string
	Slowest() (object.ID, time.Duration)
	Causes() []explain.Cause
	MoreCauses() int
	Told() (first []explain.Cause, of int)
	CausesOf(id object.ID) []explain.Cause
	Notices() []feed.Notice
	Resource(id object.ID) (known.Resource, bool)
	Path(id object.ID) []object.ID
	NextSteps(causes []explain.Cause) []known.NextStep
	Serving(id object.ID) string
}

// Rows are the rows of the tree.
type Rows interface {
	Settings() rows.Settings
	RowCount() int
	InSight(n int) iter.Seq[rows.Row]
	Selected() (rows.Key, int)
	Following() bool
}

// Panes are the panes about the selected row.
type Panes interface {
	Pane() model.Pane
	PaneSize() model.PaneSize
	Scroll() model.Scroll
	Focus() model.Focus
	Proofs() bool
	SearchText() model.Search
	Conditions() []known.Condition
	Events() model.EventsView
	Logs() logs.View
	Detail() model.DetailView
	Timeline() timeline.View
}

// Typing is what keys mean, and the text that is typed.
type Typing interface {
	Mode() model.Mode
	Input() textinput.Model
	Palette() model.Palette
	Help() viewport.Model
	Keys() []model.Binding
	Bound(a model.Action) (model.Binding, bool)
	Footer() []model.Binding
}

var _ State = model.Model{}

// Look holds what a screen depends on besides the state.
type Look struct {
	Theme *Theme
	Zone  *time.Location // for times of day; nil means UTC
	// Columns are the names of the tree's columns; nil means DefaultColumns.
	Columns []string
	// Waiting is the spinner's sign while the first answers are awaited; "" is
	// the theme's sign.
	Waiting string
	// Memo caches between drawings; may be nil.
	Memo *Memo
}

// Fit is [Measure] for a model's options.
func (l Look) Fit(m model.Model) model.Fit { return Measure(m, l) }

func (l Look) clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(l.zone()).Format(time.TimeOnly)
}

func (l Look) zone() *time.Location { return cmp.Or(l.Zone, time.UTC) }
