// Package model is the dashboard's state in Bubble Tea's terms, without a
// screen: facts arrive as messages, Update is the only writer, views read, and
// what may block leaves as a tea.Cmd. Outside a command it has no clock, no I/O
// and no goroutine. The headless commands share it.
package model

import (
	"cmp"
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/timeline"
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
	From       time.Time // what the elapsed time counts from, if not Now: a moment of a recording
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
	Explain func() []explain.Cause
	// Group and Sort are the initial arrangement; "" means ungrouped, and worst
	// first.
	Group rows.Grouping
	Sort  rows.Sorting
	// Theme is the theme's name, and Themes are those to choose from.
	Theme  string
	Themes []string
	// Contexts are the kubeconfig's contexts for the palette's completion.
	// Fixed says why the sources cannot be changed, or "".
	Contexts []string
	Fixed    string
	// Keys replaces the default keys of actions. An empty list unbinds.
	Keys map[Action][]string
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
type Fit struct {
	TreeRows, PaneRows, PaneLines, PaneTop, PaneFirst int

	Help HelpText // while Mode is Helping
}

// HelpText is the text of the help window and its size.
type HelpText struct {
	W, H int
	Text string
}

// Model is the state: parts that each hold one idea, and what concerns them all.
// Update consumes its receiver and returns the next state; the old one must not
// be used again. (The parts are updated in place, because ten thousand objects
// are not copied for one change.)
type Model struct {
	*facts    // what is known
	*tree     // the rows
	*panes    // what is seen of the selected row
	*keyboard // what keys mean, and the text that is typed
	*playback // the recording that is played, or written
	*terminal // theme, focus, messages for the user
	logs      *logs.Pane
	yaml      *yamlPane
	timeline  *timeline.Timeline // of the selected row

	session int // how many followed something else before it
}

// New returns an empty model, and the first commands.
func New(opt Options) (Model, tea.Cmd) {
	opt.Ctx = cmp.Or(opt.Ctx, context.Background())
	opt.StallAfter = cmp.Or(opt.StallAfter, time.Minute)
	opt.Children = cmp.Or(opt.Children, ChildrenAuto)
	f := &facts{
		Facts: &known.Facts{World: world.New(opt.world()), Found: world.NewCauses()},
		opt:   &opt, ask: &asker{opt.Ctx, opt.Feed},
	}
	t := &tree{
		facts: f, selIndex: -1, stale: true, window: 20, settings: rows.Settings{
			Folds: map[rows.Key]bool{}, Group: cmp.Or(opt.Group, rows.GroupNone), Sort: cmp.Or(opt.Sort, rows.SortProblems),
		},
	}
	p := &panes{fit: Fit{TreeRows: 20, PaneRows: 20}, wrap: true, tops: map[place]int{}}
	return Model{
		facts: f, tree: t, panes: p, timeline: &timeline.Timeline{}, keyboard: &keyboard{tree: t, panes: p, keys: Bound(opt.Keys)},
		playback: &playback{tree: t, begun: map[string]bool{}}, terminal: &terminal{facts: f, theme: opt.Theme},
		logs: &logs.Pane{}, yaml: &yamlPane{tree: t},
	}, f.ask.nextBatch(0)
}

// world are the options of the world.
func (o *Options) world() world.Options {
	return world.Options{
		Now: o.Now, From: o.From, Sources: o.Sources, Context: o.Context, Namespace: o.Namespace, Recording: o.Recording, StallAfter: o.StallAfter,
		NoChildren: o.Children == ChildrenNone, Screen: o.Screen,
		Rules: o.Rules, Judge: o.Judge, Explain: o.Explain,
	}
}

// Staged returns a headless model with rows, as the dashboard would show them
// at first. Like Update it consumes its receiver.
func (m Model) Staged(fit func(Model) Fit) Model {
	opt := *m.opt
	opt.Screen, opt.Fit = true, fit
	m.opt = &opt
	m.rearrange()
	return m
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
		return m, nil
	}
	var cmds tea.Cmd
	was, idle, before := m.jumping, false, m.looks()
	m.ticked, m.landed = false, false
	switch msg := msg.(type) {
	case BatchArrived:
		if cmds = m.batchArrived(msg.Batch); m.jumping {
			return m, cmds
		}
	case FeedEnded:
		m.Ended, m.Err, m.jumping = true, msg.Err, false
		if m.World.Restoring { // it has cut off a jump
			m.World.Restored()
		}
	case ClockTicked:
		idle = !m.World.Replayed()
		m.clockTicked(msg.Now)
	case DetailLoaded:
		if m.yaml.loaded(msg) {
			cmds = m.fetched(msg.Err)
		}
	case logs.Arrived:
		m.logs.Take(msg, m.clock())
	case CauseRead:
		m.World.Answer(msg.what, msg.Line, msg.Template, msg.Err)
	case CausesFound:
		idle = true
		if m.Found.Answer(m.World, msg.Gen, msg.Found, msg.Took) {
			cmds = tea.Batch(m.markCauses(), m.read())
		}
	case NoticeArrived:
		m.noticed(msg.Notice)
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 0), max(msg.Height, 0)
	case tea.KeyPressMsg:
		cmds = m.keyPressed(msg)
	case tea.PasteMsg:
		m.typed(msg)
	case RowClicked:
		m.click(msg.Key)
	case FoldClicked:
		m.click(msg.Key)
		m.toggle()
	case TabClicked:
		m.showPane(msg.Pane)
	case LineClicked:
		m.yaml.lines.Turn(msg.No)
	case TimeClicked:
		cmds = m.seekTo(msg.At)
	case Scrolled:
		m.wheel(msg)
	case FlashRead:
		m.flash = ""
	case BackgroundKnown:
		m.light = !msg.Dark
	case inventoriesKnown:
		m.sources = msg.names
	case reopened:
		m, cmds = m.reopened(msg)
	case panicked:
		panic(fmt.Sprintf("%v\n\n%s", msg.value, msg.stack))
	default:
		idle = true
	}
	if cmds = tea.Batch(cmds, m.after()); !idle || cmds != nil || m.looks() != before {
		m.rev++
		if m.opt.Fit != nil && m.width > 0 && m.height > 0 {
			cmds = tea.Batch(cmds, m.fitted(m.opt.Fit(m)))
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
	selected         rows.Key
}

func (m Model) looks() looks {
	return looks{m.World.Now.Unix(), m.World.Judged, m.arranged, m.Found.Runs, m.World.Verdict, m.flash, m.sel}
}

// after updates derived state, and requests missing data.
func (m Model) after() (cmds tea.Cmd) {
	if m.opt.Screen {
		if !m.paneOpen() {
			m.focus = FocusTree
		}
		m.touched = m.touched || m.focus == FocusPane // what is read stays selected
		m.refresh()
		cmds = tea.Batch(m.loadPane(), m.seek())
	}
	cmds = tea.Batch(cmds, m.explain(), m.want(), m.conclude())
	if m.opt.Screen && !m.touched {
		m.reselect()
	}
	m.Found.Settle(m.World)
	return cmds
}

// loadPane requests the data that the open pane lacks.
func (m Model) loadPane() (cmd tea.Cmd) {
	n := m.selectedNode()
	if m.shows(PaneYAML) {
		cmd = m.yaml.load(n)
	}
	switch {
	case n != nil && m.shows(PaneLogs):
		m.logs.Choose(m.World, n, m.Answered())
		if m.frozen && len(m.logs.Lines) > 0 {
			break
		}
		for _, s := range m.logs.Due(m.clock()) {
			cmd = tea.Batch(cmd, m.ask.readLogs(s.Key, s.Cursor, m.logs.Gen))
		}
	case m.logs.Open():
		m.logs.Close() // the pane is closed
	}
	return cmd
}

// explain finds the causes again if necessary: at once, or by a command if that
// would delay the screen.
func (m Model) explain() tea.Cmd {
	// A paused recording has no time for a command, and after a jump every pane
	// must show that moment.
	whole := !m.opt.Screen || m.landed || m.played != nil && m.played.Paused
	switch {
	case !m.Found.Due(m.World, m.ticked || m.landed):
		if m.World.Replayed() {
			return m.read()
		}
		return nil
	case !whole && m.World.Slow():
		return m.ask.explain(m.Found.Ask(m.World))
	}
	m.Found.Explain(m.World)
	return tea.Batch(m.markCauses(), m.read())
}

// Explained returns the model with the causes of this moment, for a last look.
func (m Model) Explained() Model {
	if m.Found.Busy() || m.Found.Pending(m.World) {
		m.Found.Explain(m.World)
		m.markCauses()
	}
	return m
}

// read requests the logs and templates that the causes need.
func (f *facts) read() tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range f.World.Read(f.Found.Found.Reading) {
		if r.Container == "" {
			cmds = append(cmds, f.ask.readTemplate(r))
			continue
		}
		cmds = append(cmds, f.ask.readLog(r))
	}
	return tea.Batch(cmds...)
}

func (m Model) batchArrived(b feed.Batch) tea.Cmd {
	if b.Damage != nil {
		m.Damage = b.Damage
	}
	if before := m.played; b.Playback != nil {
		m.played = b.Playback
		if before != nil && before.Speed != m.played.Speed {
			m.say("speed " + SpeedText(m.played.Speed))
		}
	}
	if m.frozen && b.Jump == nil {
		if m.missed = append(m.missed, b); len(m.missed) >= mostMissed {
			return nil
		}
		return m.ask.nextBatch(b.Seq)
	}
	if b.Jump != nil {
		m.jumped(b.Jump)
		if m.jumping = b.Jump.More; b.Jump.More {
			return m.ask.nextBatch(b.Seq)
		}
		m.landed = true
	}
	cmds := m.takeBatch(b)
	if b.Jump != nil {
		m.say(m.said)
		m.said = ""
	}
	return tea.Batch(cmds, m.ask.nextBatch(b.Seq))
}

// takeBatch takes in a batch at its own time.
func (m Model) takeBatch(b feed.Batch) tea.Cmd {
	m.World.Pass(b.At)
	m.World.Apply(&b)
	if !b.Bookmark {
		return nil
	}
	mem := m.World.Memory(b.Seq)
	mem.Causes = m.Found.Memory(m.World.Now)
	return control(m.ask, func(n feed.Notebook) { n.Remember(mem) })
}

func (m Model) clockTicked(now time.Time) {
	if m.ticks = now; !m.frozen {
		m.World.Tick(now)
	}
	m.ticked = true
}

// fitted scrolls the pane by what is visible of it.
func (m Model) fitted(f Fit) tea.Cmd {
	if f == m.fit {
		return nil
	}
	m.pending = m.pending || f.TreeRows != m.window // what is Current is folded where not all rows fit
	m.fit, m.window = f, f.TreeRows
	if m.reads(PaneYAML) && !m.yaml.Loose && m.mode != Helping {
		m.setTop(f.PaneTop) // the window has followed the cursor
	}
	if m.search.Text != "" && !m.search.Left && m.mode != Helping && m.tops[m.place()] != f.PaneTop {
		m.setTop(f.PaneTop) // scrolling continues from the match
		if m.pane == PaneLogs {
			m.logs.Follow = false
		}
	}
	m.help.SetWidth(f.Help.W)
	m.help.SetHeight(f.Help.H)
	m.help.SetContent(f.Help.Text)
	m.scrollPane(0)
	return m.after()
}

// Session counts how often something else has been followed.
func (m Model) Session() int { return m.session }

// Revision grows whenever the screen may have changed.
func (m Model) Revision() uint64 { return m.rev }

// NextWake is when the next [ClockTicked] is needed, beside the regular ones:
// when a judgement changes with time, or a delayed Wants is due. Zero means
// never.
func (f *facts) NextWake() (at time.Time) {
	if !f.frozen {
		at = world.Earliest(f.World.Due, f.Found.Next(f.World))
	}
	if f.wants.dirty {
		at = world.Earliest(at, f.wants.at.Add(f.patience()))
	}
	return at
}

// Detail is the state of the YAML pane.
func (m Model) Detail() DetailView { return m.yaml.view(m.search.Text != "", m.reads(PaneYAML)) }

// Timeline is the history of the selected object and its descendants.
func (m Model) Timeline() timeline.View { return m.timeline.Of(m.World, m.selectedNode(), m.opt.Now) }

// Logs is the state of the logs pane.
func (m Model) Logs() logs.View { return m.logs.Shown() }
