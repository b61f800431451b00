// Package model is the dashboard's state in Bubble Tea's terms, without a
// screen: facts arrive as messages, Update is the only writer, views read, and
// what may block leaves as a tea.Cmd. Outside a command it has no clock, no I/O
// and no goroutine. The headless commands share it.
package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Children says which generated children are followed.
type Children string

// The values of Children.
const (
	ChildrenAuto Children = "auto" // of parents that are not Current, are open, or need them to be judged
	ChildrenAll  Children = "all"
	ChildrenNone Children = "none"
)

// Options are a model's settings.
type Options struct {
	// Feed is what the commands ask, until Ctx ends (nil: never). Without a
	// Feed no command may be run.
	Feed feed.Feed
	Ctx  context.Context

	Outside

	Now        time.Time // when following began
	Sources    []string  // the sources, as typed
	Title      string    // the sources in a few words
	Context    string    // kubeconfig context
	Namespace  string
	Recording  string        // label of the recording, or ""
	StallAfter time.Duration // 0 means 60 s
	Children   Children      // "" means auto
	Rules      status.UserRules
	// Judge replaces status.Assess; nil means status.Assess.
	Judge func(o *object.Object, w status.World, now time.Time) status.Assessment
	// Explain replaces internal/explain; nil means internal/explain.
	Explain func() []Cause
	// Group and Sort are the initial arrangement; "" means ungrouped, and worst
	// first.
	Group Grouping
	Sort  Sorting
	// Theme is the theme's name, and Themes are those to choose from.
	Theme  string
	Themes []string
	// Contexts are the kubeconfig's contexts for the palette's completion.
	// Fixed says why the sources cannot be changed, or "".
	Contexts []string
	Fixed    string
	// Keys replaces the default keys of actions. An empty list unbinds.
	Keys map[Action][]string
	// Unfolded is set if the rows are printed, not drawn: there is one for every
	// known object.
	Unfolded bool
	// Fit lays the model out on the screen. Update calls it, so that paging and
	// scrolling are exact. Nil is a screen of 20 rows.
	Fit func(m Model) Fit
	// Screen is set if the model is shown on a screen: it then keeps rows, and
	// wants events, logs and children of the selected and open rows, too.
	Screen bool
}

// Fit is how many rows the layout gives to the tree and to the open pane, and
// how many lines the pane's content has at its width. PaneTop is the first
// visible line, which a search or the cursor moves. PaneFirst is the same line,
// counting wrapped lines once.
type Fit struct{ TreeRows, PaneRows, PaneLines, PaneTop, PaneFirst int }

// Model is the state. Update consumes its receiver and returns the next state;
// the old one must not be used again. (The objects and the tree are updated in
// place, because ten thousand of them are not copied for one change.)
type Model struct {
	opt *Options
	ask *asker
	w   *world.World
	t   *tree
	x   *world.Causes
	of  *causesOf

	rev     uint64
	session int // how many followed something else before it
	keys    []Binding
	wants   wanting
	err     error // why the feed ended
	ended   bool

	message
	size
	panes
	timeline
	yamlFolds
	prompt
	terminal

	focus     Focus
	following bool     // the selection follows the newest problem
	notifying bool     // notify the user when the verdict is final
	reopening bool     // another session is beginning
	sources   []string // the palette's proposals
	sought    bool     // they have been requested

	detail detailState
	logs   logState
	frozen *picture
	play   playback
}

// message holds facts about the message that Update is handling.
type message struct {
	ticked bool // it is a tick
	paced  bool // it is a tick or a batch
	landed bool // it ends a jump
	plain  bool // no frame depends on it
}

// size is the size of the screen and its parts.
type size struct {
	width, height int
	fit           Fit
}

// panes is the open pane and its scroll positions.
type panes struct {
	pane     Pane
	paneSize PaneSize
	scroll   [paneCount]int
	wrap     bool
	logLeft  int // cells that unwrapped log lines are scrolled by
	stamps   LogStamps
	warnings bool // show only warnings in the events pane
}

// timeline is the user's position in the timeline.
type timeline struct {
	moment        int // 1 + the entry's number since the beginning; 0 is now
	marked        int // the entry to compare with; like moment, 0 is none
	timelineForm  TimelineForm
	wholeTimeline bool
}

// yamlFolds is the folding of the YAML pane.
type yamlFolds struct {
	yamlDepth  int             // see foldYAML
	yamlTurned map[string]bool // blocks that deviate from yamlDepth
	yamlLine   int             // the cursor's line, counting folded ones
	yamlLoose  bool            // the window has been scrolled away from it
}

// prompt is the input mode and its text.
type prompt struct {
	mode         Mode
	input        textinput.Model // the text input of the mode
	filterText   string
	filterErr    error  // the error in the filter
	filterBefore string // the filter before it was edited
	search       Search
	commandError string // why the palette's command is not possible
	chosen       int    // index of the chosen suggestion
	helpTop      int
}

// terminal is the terminal's state, and a message for the user.
type terminal struct {
	theme            string
	light, unfocused bool
	flash            string
	flashUntil       time.Time
}

// picture is the frozen state while the screen is paused.
type picture struct {
	world      *world.World // the world that the panes show
	rows       []rowRef
	verdict    Verdict
	counts     world.Counts
	assumed    int
	generated  world.Counts
	connection world.Connection
	causes     []Cause
	more       int // number of further causes
	told       []Cause
	toldOf     int
	missed     int
}

// New returns an empty model, and the first commands.
func New(opt Options) (Model, tea.Cmd) {
	if opt.Ctx == nil {
		opt.Ctx = context.Background()
	}
	if opt.StallAfter == 0 {
		opt.StallAfter = time.Minute
	}
	if opt.Children == "" {
		opt.Children = ChildrenAuto
	}
	m := Model{opt: &opt, size: size{fit: Fit{TreeRows: 20, PaneRows: 20}}, panes: panes{wrap: true}}
	m.ask, m.theme = &asker{opt.Ctx, opt.Feed}, opt.Theme
	m.w = world.New(m.worldOptions())
	m.t = &tree{
		selIndex: -1, stale: true, folds: map[RowKey]bool{},
		group: cmp.Or(opt.Group, GroupNone), sort: cmp.Or(opt.Sort, SortProblems),
	}
	m.x, m.of = world.NewCauses(), &causesOf{}
	m.keys = Bound(opt.Keys)
	m.logs.follow = true
	if m.plain = opt.Unfolded; m.plain {
		m.t.folding = foldNothing
	}
	return m, m.ask.nextBatch(0)
}

// worldOptions are the options of the world.
func (m Model) worldOptions() world.Options {
	return world.Options{
		Now: m.opt.Now, Namespace: m.opt.Namespace, Recording: m.opt.Recording, StallAfter: m.opt.StallAfter,
		NoChildren: m.opt.Children == ChildrenNone, Screen: m.opt.Screen,
		Rules: m.opt.Rules, Judge: m.opt.Judge, Explain: m.opt.Explain,
	}
}

// Staged returns a headless model with rows, as the dashboard would show them
// at first. Like Update it consumes its receiver.
func (m Model) Staged(fit func(Model) Fit) Model {
	opt := *m.opt
	opt.Screen, opt.Fit = true, fit
	m.opt = &opt
	return m.rearrange()
}

// Update handles a message and returns the next state and commands to run. It
// is the only writer.
func (m Model) Update(msg Msg) (Model, tea.Cmd) {
	if answer, ok := msg.(Answer); ok {
		if msg = answer.Msg; answer.to != m.ask {
			return m, nil // it is of another session
		}
	}
	if m.waits(msg) {
		m.play.waiting = append(m.play.waiting, msg)
		return m, nil
	}
	var cmds tea.Cmd
	was, idle, before := m.play.jumping, false, m.looks()
	m.ticked, m.paced, m.landed = false, false, false
	switch msg := msg.(type) {
	case BatchArrived:
		if m, cmds = m.batchArrived(msg.Batch); m.play.jumping {
			return m, cmds
		}
	case FeedEnded:
		m.ended, m.err = true, msg.Err
		m = m.stranded()
	case WantsSent:
		idle = true
	case ClockTicked:
		idle = !m.w.Replayed()
		m, cmds = m.clockTicked(msg.Now)
	case DetailLoaded:
		m, cmds = m.detailLoaded(msg)
	case LogsArrived:
		m = m.logsArrived(msg)
	case WordsRead:
		m.w.WordsRead(msg.what, msg.Line, msg.Err)
	case TemplateRead:
		m.w.TemplateRead(msg.ID, msg.Template, msg.Err)
	case CausesFound:
		idle = true
		if m.x.Running == msg.Gen {
			m.x.Running, m.x.Took = 0, msg.Took
			m.x.Take(m.w, msg.Found)
			m, cmds = m.markCauses()
			cmds = tea.Batch(cmds, m.read())
		}
	case NoticeArrived:
		m = m.noticed(msg.Notice)
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 0), max(msg.Height, 0)
	case tea.KeyPressMsg:
		m, cmds = m.keyPressed(msg)
	case tea.PasteMsg:
		m = m.typed(msg)
	case RowClicked:
		m = m.rowClicked(msg.Key)
	case FoldClicked:
		m = m.rowClicked(msg.Key).toggle()
	case TabClicked:
		m = m.showPane(msg.Pane)
	case LineClicked:
		m = m.turnBlock(msg.No)
	case TimeClicked:
		cmds = m.ask.seekTo(msg.At)
	case Scrolled:
		m = m.scrolled(msg)
	case BackgroundKnown:
		m.light = !msg.Dark
	case tea.FocusMsg:
		m.unfocused = false
	case tea.BlurMsg:
		m.unfocused = true
	case inventoriesKnown:
		m.sources = msg.names
	case reopened:
		m, cmds = m.reopened(msg)
	case panicked:
		panic(fmt.Sprintf("%v\n\n%s", msg.value, msg.stack))
	default:
		idle = true
	}
	if m, cmds = m.after(cmds); !idle || cmds != nil || m.looks() != before {
		m.rev++
		if m.opt.Fit != nil && m.width > 0 && m.height > 0 {
			var more tea.Cmd
			m, more = m.fitted(m.opt.Fit(m))
			cmds = tea.Batch(cmds, more)
		}
	}
	if was {
		return m.arrived(cmds)
	}
	return m, cmds
}

// looks is what changes on the screen with time and with background work.
// During a first sync a tick comes with every frame, and usually nothing
// visible has changed.
type looks struct {
	second           int64 // ages have a resolution of a second
	judged, arranged uint64
	runs             uint64 // number of explanations
	verdict          status.Status
	flash            string
	selected         RowKey
}

func (m Model) looks() looks {
	return looks{m.w.Now.Unix(), m.w.Judged, m.t.arranged, m.x.Runs, m.w.Verdict, m.flash, m.t.sel}
}

// after updates derived state, and requests missing data.
func (m Model) after(cmds tea.Cmd) (Model, tea.Cmd) {
	if m.opt.Screen && m.frozen == nil {
		if m.t.group == GroupCause && !slices.EqualFunc(m.t.causes, m.x.Causes, sameCause) {
			m.t.causes = m.x.Causes
			m.w.TopReorder, m.t.pending = true, true
		}
		m.t.arrangeRows(m.w, false)
		m = m.follow()
	}
	if m.opt.Screen {
		var load tea.Cmd
		m, load = m.loadPane()
		cmds = tea.Batch(cmds, load)
	}
	m, explain := m.explain()
	m, want := m.want()
	m.x.Settled = m.x.Settled || m.w.Synced && len(m.w.Awaited) == 0
	return m, tea.Batch(cmds, explain, want)
}

// explain finds the causes again if necessary: at once, or by a command if that
// would delay the screen.
func (m Model) explain() (Model, tea.Cmd) {
	switch {
	case m.explainNow():
	case m.w.Replayed():
		return m, m.read()
	default:
		return m, nil
	}
	m.x.Begin(m.w)
	// A paused recording has no time for a command, and after a jump every pane
	// must show that moment.
	whole := !m.opt.Screen || m.plain || m.landed || m.play.played != nil && m.play.played.Paused
	if !whole && len(m.w.Nodes) > world.InlineMost {
		m.x.Asked++
		m.x.Running = m.x.Asked
		return m, m.ask.explain(m.w.Explainable(), m.x.Asked)
	}
	m.x.Take(m.w, m.w.Explanation())
	m, cmds := m.markCauses()
	return m, tea.Batch(cmds, m.read())
}

// Explained returns the model with the causes of this moment, for a last look.
func (m Model) Explained() Model {
	if m.x.Busy() || m.x.Pending(m.w) {
		m.x.Begin(m.w)
		m.x.Take(m.w, m.w.Explanation())
		m, _ = m.markCauses()
	}
	return m
}

// read requests the logs and templates that the causes need.
func (m Model) read() tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range m.w.Read(m.x.Found.Reading) {
		if r.Container == "" {
			cmds = append(cmds, m.ask.readTemplate(r.ID))
			continue
		}
		cmds = append(cmds, m.ask.readWords(r))
	}
	return tea.Batch(cmds...)
}

// explainNow: causes are found again when something has changed, but not for
// every batch. Before the first sync is complete a screen shows them as they
// are found; a one-shot command waits for the sync.
func (m Model) explainNow() bool {
	switch {
	case m.x.Busy() || !m.x.Pending(m.w):
		return false
	case !m.opt.Screen && !m.x.Settled:
		return m.w.Synced
	}
	return !m.x.Ran || m.ticked && m.x.Took == 0 || m.w.Now.Sub(m.x.At) >= m.x.Every()
}

func (m Model) batchArrived(b feed.Batch) (Model, tea.Cmd) {
	if b.Damage != nil {
		m.play.damage = b.Damage
	}
	if b.Playback != nil {
		m.play.played = b.Playback
	}
	before := m.w.Verdict
	if b.Jump != nil {
		m = m.jumped(b.Jump)
		if m.play.jumping = b.Jump.More; b.Jump.More {
			return m, m.ask.nextBatch(b.Seq)
		}
		before, m.landed = m.w.Verdict, true
	}
	m.w.Pass(b.At)
	m.w.Apply(&b)
	m.paced = true
	if m.frozen != nil {
		p := *m.frozen
		p.missed++
		m.frozen = &p
	}
	var cmds tea.Cmd
	if m.w.Verdict != before {
		m, cmds = m.mark(feed.Mark{At: m.w.Now, Verdict: m.w.Verdict})
	}
	if b.Jump == nil {
		cmds = tea.Batch(cmds, m.announce(before))
	} else if m.play.said != "" {
		m, m.play.said = m.say(m.play.said), ""
	}
	if b.Bookmark {
		mem := m.w.Memory(b.Seq)
		mem.Causes = m.x.Memory(m.w.Now)
		cmds = tea.Batch(cmds, m.ask.remember(mem))
	}
	return m, tea.Batch(cmds, m.ask.nextBatch(b.Seq))
}

func (m Model) clockTicked(now time.Time) (Model, tea.Cmd) {
	before := m.w.Verdict
	m.w.Tick(now)
	var cmds tea.Cmd
	if m.w.Verdict != before {
		m, cmds = m.mark(feed.Mark{At: m.w.Now, Verdict: m.w.Verdict})
	}
	if !m.flashUntil.IsZero() && !now.Before(m.flashUntil) {
		m.flash, m.flashUntil = "", time.Time{}
	}
	m.wants.expire, m.ticked, m.paced = true, true, true
	return m, tea.Batch(cmds, m.announce(before))
}

// announce notifies the user when the verdict has become final.
func (m Model) announce(before status.Status) tea.Cmd {
	v := m.w.Verdict
	if !m.notifying || v == before || before == "" {
		return nil
	}
	switch v {
	case status.Current:
		return notify(m.opt.Title+": done", "everything is Current")
	case status.Failed:
		return notify(m.opt.Title+": failed", m.headline())
	}
	return nil
}

func (m Model) headline() string {
	if c := m.Causes(); len(c) > 0 {
		return c[0].Title
	}
	return ""
}

// fitted scrolls the pane by what is visible of it.
func (m Model) fitted(f Fit) (Model, tea.Cmd) {
	if f == m.fit {
		return m, nil
	}
	m.fit = f
	if m.pane == PaneYAML && m.focus == FocusPane && !m.yamlLoose && m.mode != Helping {
		m.scroll[PaneYAML] = f.PaneTop // the window has followed the cursor
	}
	if m.search.Text != "" && !m.search.Left && m.mode != Helping && m.scroll[m.pane] != f.PaneTop {
		m.scroll[m.pane] = f.PaneTop // scrolling continues from the match
		if m.pane == PaneLogs {
			m.logs.follow = false
		}
	}
	return m.scrollPane(0).after(nil)
}

// say answers a key with a short message.
func (m Model) say(text string) Model {
	m.flash, m.flashUntil = text, m.w.Now.Add(3*time.Second)
	return m
}
