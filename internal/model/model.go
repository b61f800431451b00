// Package model is the dashboard's state in Bubble Tea's terms, without a
// screen: facts arrive as messages, Update is the only writer, views read, and
// what may block leaves as a tea.Cmd. Outside a command it has no clock, no I/O
// and no goroutine. The headless commands share it.
package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
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

	Now       time.Time // when following began
	From      time.Time // what the elapsed time counts from, if not Now: a moment of a recording
	Sources   []string  // the sources, as typed
	Title     string    // the sources in a few words
	Context   string    // kubeconfig context
	Namespace string
	Recording string // label of the recording, or ""
	// Still says that what is followed is of one moment: batches set the time, and it
	// does not pass between them. Moment is a label for the moment.
	Still      bool
	Moment     string
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
	// Commands are the user's.
	Commands []UserCommand
	// Columns are the names of the tree's columns; nil means the default.
	Columns []string
	// Zone is for times of day; nil means UTC. ASCII says that the screen has no
	// arrows, NoMouse that the mouse is left to the terminal.
	Zone    *time.Location
	ASCII   bool
	NoMouse bool
	// Screen is set if the model is shown on a screen: it then keeps rows, and
	// wants events, logs and children of the selected and open rows, too.
	Screen bool
}

// Model is the state: what is known, and a part for each idea of the screen. The
// parts are changed in place, by Update alone: ten thousand objects are not copied
// for one change.
type Model struct {
	Facts    *known.Facts // what is known
	Intake   *Intake      // how it comes in, and what is asked for
	Tree     *Tree        // rows and selection
	Panes    *Panes       // what is seen of the selected row
	Keyboard *Keyboard    // what keys mean, and the text that is typed
	Playback *Playback    // the recording that is played, or written
	Display  *Display     // theme and messages

	session int // how many followed something else before it
}

// New returns an empty model, and the first commands.
func New(opt Options) (*Model, tea.Cmd) {
	opt.Ctx = cmp.Or(opt.Ctx, context.Background())
	opt.StallAfter = cmp.Or(opt.StallAfter, time.Minute)
	opt.Children = cmp.Or(opt.Children, ChildrenAuto)
	facts := &known.Facts{World: world.New(opt.world()), Found: world.NewCauses()}
	forCause := wordPatience
	if opt.Still {
		forCause = savedPatience
	}
	in := &Intake{facts: facts, opt: &opt, ask: &asker{opt.Ctx, opt.Feed, forCause}}
	t := &Tree{
		facts: facts, intake: in, selIndex: -1, stale: true, window: 20, settings: rows.Settings{
			Folds: map[rows.Key]bool{}, Group: cmp.Or(opt.Group, rows.GroupNone),
			Sort: cmp.Or(opt.Sort, rows.SortProblems),
		},
	}
	p := newPanes(facts, in, t)
	return &Model{
		Facts: facts, Intake: in, Tree: t, Panes: p,
		Keyboard: &Keyboard{facts: facts, intake: in, tree: t, panes: p, keys: Bound(opt.Keys)},
		Playback: &Playback{facts: facts, intake: in, begun: map[string]bool{}},
		Display:  &Display{facts: facts, intake: in, theme: opt.Theme},
	}, in.ask.nextBatch(0)
}

// Options are the settings, with defaults filled in. They must not be modified.
func (m *Model) Options() *Options { return m.Intake.opt }

// world are the options of the world.
func (o *Options) world() world.Options {
	return world.Options{
		Now: o.Now, From: o.From, Sources: o.Sources, Context: o.Context,
		Namespace: o.Namespace, Recording: o.Recording, StallAfter: o.StallAfter,
		NoChildren: o.Children == ChildrenNone, Screen: o.Screen, Still: o.Still,
		Rules: o.Rules, Judge: o.Judge, Explain: o.Explain,
	}
}

// Staged gives a headless model rows, as the dashboard would show them at first.
func (m *Model) Staged() *Model {
	opt := *m.Intake.opt
	opt.Screen = true
	m.Intake.opt = &opt
	m.Tree.rearrange()
	return m
}

// Update handles a message and returns the next state and commands to run. It
// is the only writer.
func (m *Model) Update(msg Msg) (*Model, tea.Cmd) {
	answer, answered := msg.(Answer)
	if answered {
		if msg = answer.Msg; answer.to != m.Intake.ask {
			return m, nil // it is of another session
		}
	}
	if m.Playback.waits(msg) {
		return m, nil
	}
	var cmds tea.Cmd
	was, idle, before := m.Playback.jumping, false, m.looks()
	m.Intake.ticked, m.Intake.landed = false, false
	switch msg := msg.(type) {
	case BatchArrived:
		if cmds = m.batchArrived(msg.Batch); m.Playback.jumping {
			return m, cmds
		}
	case FeedEnded:
		m.Facts.Ended, m.Facts.Err, m.Playback.jumping, m.Playback.reading = true, msg.Err, false, false
		if m.Intake.opt.Screen && m.session == 0 && !m.Facts.World.Tree.EverFollowed() && !errors.Is(msg.Err, io.EOF) {
			return m, tea.Quit // of what the command line names, there is nothing to show: the command ends with why
		}
		if m.Facts.World.Restoring { // it has cut off a jump
			m.Facts.World.Restored()
		}
	case ClockTicked:
		idle = true
		m.clockTicked(msg.Now)
	case CauseRead:
		m.Facts.World.Readings.Answer(msg.what, msg.Text, msg.Err)
		if m.Playback.reading {
			cmds = m.relive()
		}
		if m.Playback.jumping {
			return m, cmds
		}
	case CausesFound:
		idle = true
		if m.Facts.Found.Answer(m.Facts.World, msg.Gen, msg.Found, msg.Took) {
			cmds = tea.Batch(m.Playback.markCauses(), m.Intake.read())
		}
	case NoticeArrived:
		m.Display.noticed(msg.Notice)
	case tea.WindowSizeMsg:
		m.Panes.width, m.Panes.height = max(msg.Width, 0), max(msg.Height, 0)
	case tea.KeyPressMsg:
		cmds = m.keyPressed(msg)
	case tea.PasteMsg:
		m.Keyboard.typed(msg)
	case RowClicked:
		m.Tree.click(msg.Key)
	case FoldClicked:
		m.Tree.click(msg.Key)
		m.Tree.toggle()
	case TabClicked:
		m.Panes.showPane(msg.Pane)
	case LineClicked:
		m.Panes.yaml.Turn(msg.No)
	case TimeClicked:
		cmds = m.Playback.seekTo(msg.At)
	case Scrolled:
		m.wheel(msg)
	case FlashRead:
		m.Display.flash = ""
	case BackgroundKnown:
		m.Display.light = !msg.Dark
	case inventoriesKnown:
		m.Keyboard.sources = msg.names
	case viewed:
		m.Display.flash = ""
		cmds = leave(msg.file)
	case Returned:
		if msg.Err != nil {
			cmds = m.Display.notice("error", msg.Err.Error())
		}
	case namespacesKnown:
		m.Keyboard.spaces = msg.names
	case reopened:
		m, cmds = m.reopened(msg)
	case panicked:
		panic(fmt.Sprintf("%v\n\n%s", msg.value, msg.stack))
	default: // of a pane
		_, lines := msg.(logs.Arrived)
		_, object := msg.(panes.DetailLoaded)
		idle = !answered && !lines && !object
		answer, cmd := m.Panes.update(msg)
		cmds = tea.Batch(cmd, m.Display.answer(answer))
	}
	if cmds = tea.Batch(cmds, m.after()); !idle || cmds != nil || m.looks() != before {
		m.Intake.rev++
		if m.Panes.width > 0 && m.Panes.height > 0 {
			m.write()
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

func (m *Model) looks() looks {
	return looks{
		m.Facts.World.Tree.Now.Unix(), m.Facts.World.Judged, m.Tree.arranged, m.Facts.Found.Runs,
		m.Facts.World.Verdict, m.Display.flash, m.Tree.sel,
	}
}

// after updates derived state, and requests missing data.
func (m *Model) after() (cmds tea.Cmd) {
	m.Display.preview = m.Keyboard.previews()
	if m.Intake.opt.Screen {
		if !m.Panes.paneOpen() {
			m.Panes.focus = FocusTree
		}
		m.Tree.touched = m.Tree.touched || m.Panes.focus == FocusPane // what is read stays selected
		if m.Panes.width > 0 && m.Panes.height > 0 && m.Panes.lay(m.Keyboard.mode) {
			m.Tree.pending = true // what is Current is folded where not all rows fit
		}
		m.Tree.updateRows()
		cmds = tea.Batch(m.Panes.load(asking{m.Intake, m.Display}), m.Keyboard.seek())
	}
	explained := m.explain()
	if m.Intake.landed {
		m.reach()
	}
	cmds = tea.Batch(cmds, explained, m.want(), m.announce())
	if m.Intake.opt.Screen && !m.Tree.touched {
		m.Tree.reselect()
	}
	m.Facts.Found.Settle(m.Facts.World)
	return cmds
}

// write has the panes, or the help, write what the screen shows.
func (m *Model) write() {
	m.Panes.write(m.ascii(), m.Keyboard.mode)
	if m.Keyboard.mode == Helping {
		m.Keyboard.writeHelp(m.ascii())
	}
}

// ascii reports whether the screen has ASCII signs.
func (m *Model) ascii() bool { return m.Intake.opt.ASCII || m.Display.Theme() == "ascii" }

// explain finds the causes again if necessary: at once, or by a command if that
// would delay the screen.
func (m *Model) explain() tea.Cmd {
	// A paused recording has no time for a command, nor for what is due in a while, and after
	// a jump every pane must show that moment.
	stands := m.Intake.played != nil && m.Intake.played.Paused
	whole := !m.Intake.opt.Screen || m.Intake.landed || stands
	switch {
	case !m.Facts.Found.Due(m.Facts.World, m.Intake.ticked || m.Intake.landed) &&
		!(stands && m.Facts.Found.Pending(m.Facts.World)):
		return m.Intake.read()
	case !whole && m.Facts.World.Slow():
		return m.Intake.ask.explain(m.Facts.Found.Ask(m.Facts.World))
	}
	m.Facts.Found.Explain(m.Facts.World)
	return tea.Batch(m.Playback.markCauses(), m.Intake.read())
}

// Explained returns the model with the causes of this moment, for a last look.
func (m *Model) Explained() *Model {
	if m.Facts.Found.Busy() || m.Facts.Found.Pending(m.Facts.World) {
		m.Facts.Found.Explain(m.Facts.World)
		m.Playback.markCauses()
	}
	return m
}

// read requests the logs and templates that the causes need.
func (f *Intake) read() tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range f.facts.World.Readings.Read(f.facts.Found.Found.Reading) {
		if r.Container == "" {
			cmds = append(cmds, f.ask.readTemplate(r))
			continue
		}
		cmds = append(cmds, f.ask.readLog(r))
	}
	return tea.Batch(cmds...)
}

func (m *Model) batchArrived(b feed.Batch) tea.Cmd {
	if b.Damage != nil {
		m.Facts.Damage = b.Damage
	}
	if before := m.Intake.played; b.Playback != nil {
		m.Intake.played = b.Playback
		if before != nil && before.Speed != m.Intake.played.Speed {
			m.Display.answer("speed " + SpeedText(m.Intake.played.Speed))
		}
	}
	if m.Intake.frozen && b.Jump == nil {
		if m.Intake.missed = append(m.Intake.missed, b); len(m.Intake.missed) >= mostMissed {
			return nil
		}
		return m.Intake.ask.nextBatch(b.Seq)
	}
	if b.Jump != nil {
		return m.jumped(b)
	}
	return tea.Batch(m.takeBatch(b), m.Intake.ask.nextBatch(b.Seq))
}

// takeBatch takes in a batch at its own time.
func (m *Model) takeBatch(b feed.Batch) tea.Cmd {
	m.Facts.World.TickUntil(b.At)
	m.Facts.World.Apply(&b)
	if !b.Bookmark {
		return nil
	}
	mem := m.Facts.World.Memory(b.Seq)
	mem.Causes = m.Facts.Found.Memory(m.Facts.World.Tree.Now)
	return control(m.Intake.ask, func(n feed.Notebook) { n.Remember(mem) })
}

func (m *Model) clockTicked(now time.Time) {
	if m.Intake.ticks = now; !m.Intake.frozen && !m.Intake.opt.Still {
		m.Facts.World.Tick(now)
	}
	m.Intake.ticked = true
}

// Session counts how often something else has been followed.
func (m *Model) Session() int { return m.session }

// Revision grows whenever the screen may have changed.
func (m *Model) Revision() uint64 { return m.Intake.rev }

// NextWake is when the next [ClockTicked] is needed, beside the regular ones:
// when a judgement changes with time, or a delayed Wants is due. Zero means
// never.
func (f *Intake) NextWake() (at time.Time) {
	if !f.frozen && !f.opt.Still {
		at = world.Earliest(f.facts.World.Due, f.facts.Found.Next(f.facts.World))
	}
	if f.wants.dirty {
		at = world.Earliest(at, f.wants.at.Add(f.patience()))
	}
	return at
}
