package views

import (
	"time"

	"charm.land/bubbles/v2/textinput"
	"charm.land/bubbles/v2/viewport"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// State is what a screen reads. [model.Model] implements it.
type State interface {
	Options() model.Options
	Now() time.Time
	Elapsed() time.Duration
	Size() (w, h int)

	Verdict() model.Verdict
	Done() (bool, time.Duration)
	Counts() world.Counts
	Assumed() int
	GeneratedCounts() world.Counts
	Known() int
	Connection() world.Connection
	Synced() bool
	Namespaces() []string
	Slowest(n int) []world.Slow
	Causes() []model.Cause
	MoreCauses() int
	Told() (first []model.Cause, of int)
	CausesOf(id object.ID) []model.Cause
	Notices() []feed.Notice

	RowCount() int
	Rows(from, n int) []model.Row
	Top() int
	Selected() (model.RowKey, int)
	Resource(id object.ID) (model.Resource, bool)
	Path(id object.ID) []object.ID

	Pane() model.Pane
	PaneSize() model.PaneSize
	Scroll() model.Scroll
	Focus() model.Focus
	Conditions() []model.ConditionRow
	Events() []model.EventRow
	EventRefusals() []string
	WarningsOnly() bool
	Logs() model.LogView
	LogRow(i int) model.LogRow
	Detail() model.DetailView
	Timeline() []world.Transition
	Dates() []model.Date
	Moment() (model.Moment, bool)
	Comparison() (model.Comparison, bool)
	TimelineForm() (form model.TimelineForm, whole bool)

	Mode() model.Mode
	Input() textinput.Model
	FilterText() (text string, wrong error)
	SearchText() model.Search
	Palette() model.Palette
	Help() viewport.Model
	Keys() []model.Binding
	Footer() []model.Binding
	Paused() (bool, int)
	Following() bool
	Notifying() bool
	Scoped() model.Scoping
	Grouping() model.Grouping
	Sorting() (by model.Sorting, reversed bool)
	Flash() string
	Playback() *feed.Playback
}

var _ State = model.Model{}

// Look holds what a screen depends on besides the state.
type Look struct {
	Theme *Theme
	Zone  *time.Location // for times of day; nil means UTC
	// Hidden are the columns of the tree that are not shown.
	Hidden Hidden
	// Waiting is the spinner's sign while the first answers are awaited; "" is
	// the theme's sign.
	Waiting string
	// Memo caches between drawings; may be nil.
	Memo *Memo
}

// Hidden says which columns of the tree are not shown. The status glyph always
// is.
type Hidden struct{ Word, Reason, Since bool }

// Fit is [Measure] for a model's options.
func (l Look) Fit(m model.Model) model.Fit { return Measure(m, l) }

func (l Look) clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(l.zone()).Format("15:04:05")
}

func (l Look) zone() *time.Location {
	if l.Zone == nil {
		return time.UTC
	}
	return l.Zone
}
