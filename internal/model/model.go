// Package model is the Elm architecture without a screen: messages, state,
// Update and commands. Facts come in as messages, Update is the only writer,
// views read, wishes leave as commands. It has no clock, no I/O and no
// goroutine; the headless commands and the dashboard share it.
package model

import (
	"cmp"
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

// The choices for generated children.
const (
	ChildrenAuto Children = "auto" // of what is not Current, is opened, or needs them
	ChildrenAll  Children = "all"
	ChildrenNone Children = "none"
)

// Options is what a model is told once.
type Options struct {
	Now        time.Time // when following began
	Sources    []string  // the arguments, as typed
	Title      string    // what is followed, in a few words
	Context    string    // kubeconfig context
	Namespace  string
	Recording  string        // label of the recording that is played, or ""
	StallAfter time.Duration // 0 means 60 s
	Children   Children      // "" means auto
	Rules      status.UserRules
	// Judge replaces status.Assess; nil means status.Assess.
	Judge func(o *object.Object, w status.World, now time.Time) status.Assessment
	// Explain replaces internal/explain; nil means internal/explain.
	Explain func() []Cause
	// Group and Sort are how the rows are arranged at first; "" means not
	// grouped, and the worst first.
	Group Grouping
	Sort  Sorting
	// Themes are the colours that can be asked for; the palette completes them.
	Themes []string
	// Contexts are the contexts of the kubeconfig that can be changed to; the
	// palette completes them. Fixed says why nothing else can be followed, or "".
	Contexts []string
	Fixed    string
	// Keys replaces the default keys of actions. An empty list unbinds.
	Keys map[Action][]string
	// Screen says that somebody looks: rows are kept, and events, logs and
	// children are wanted for what is selected and opened too.
	Screen bool
}

// Model is the state. It is a value that moves: Update consumes its receiver
// and returns what comes after it; the old one must not be used again. (The
// objects and the tree behind it are updated in place, because ten thousand of
// them are not copied for one change.)
type Model struct {
	opt *Options
	w   *world.World
	t   *tree
	x   *world.Causes
	of  *causesOf

	rev   uint64
	keys  []Binding
	wants wanting
	err   error // why the feed ended
	ended bool

	message
	size
	panes
	timeline
	yamlFolds
	prompt
	terminal

	focus     Focus
	following bool // the selection follows the newest problem
	notifying bool // the user is to be called when done or failed
	sources   []string
	sought    bool // sources have been looked for

	detail detailState
	logs   logState
	frozen *picture
	play   playback
}

// message is what Update knows of the present message beside its content.
type message struct {
	ticked bool // it is a tick
	paced  bool // it is a tick or a batch
	landed bool // and the end of a jump
	plain  bool // nobody waits for a frame
}

// size is what the screen has room for.
type size struct {
	width, height        int
	treeRows, paneRows   int
	paneLines, paneFirst int
}

// panes is which pane is open, and where it stands.
type panes struct {
	pane     Pane
	paneSize PaneSize
	scroll   [paneCount]int
	wrap     bool
	logLeft  int // cells of unwrapped log lines that are out of sight
	stamps   LogStamps
	warnings bool // of events, warnings alone
}

// timeline is where the user stands in it.
type timeline struct {
	moment        int // 1 + its place since the beginning; 0 is now
	marked        int // the moment that others are compared with; like moment, and 0 is none
	timelineForm  TimelineForm
	wholeTimeline bool
}

// yamlFolds is how the YAML pane is folded.
type yamlFolds struct {
	yamlDepth  int             // see foldYAML
	yamlTurned map[string]bool // blocks that are the other way round
	yamlLine   int             // of all lines, the one that the cursor is on
	yamlLoose  bool            // the window has been moved away from it
}

// prompt is what keys mean, and what is being typed.
type prompt struct {
	mode         Mode
	input        textinput.Model // the line that is being typed: of mode
	filterText   string
	filterErr    error  // what of it cannot be understood
	filterBefore string // the filter as it was before it was edited
	search       Search
	commandError string // why the palette's line cannot be done
	chosen       int    // of the palette's suggestions
	helpTop      int
}

// terminal is what the terminal has told, and what the user is told in a line.
type terminal struct {
	light, unfocused, quitting bool
	flash                      string
	flashUntil                 time.Time
}

// picture is what is shown while the screen is frozen.
type picture struct {
	world      *world.World // what the panes are about
	rows       []rowRef
	verdict    Verdict
	counts     world.Counts
	assumed    int
	generated  world.Counts
	connection world.Connection
	causes     []Cause
	more       int // causes beside these
	told       []Cause
	toldOf     int
	missed     int
}

// New is a model that knows nothing yet, and the commands to begin with.
func New(opt Options) (Model, []Cmd) {
	if opt.StallAfter == 0 {
		opt.StallAfter = time.Minute
	}
	if opt.Children == "" {
		opt.Children = ChildrenAuto
	}
	m := Model{opt: &opt, size: size{treeRows: 20, paneRows: 20}, panes: panes{wrap: true}}
	m.w = world.New(m.worldOptions())
	m.t = &tree{
		selIndex: -1, stale: true, folds: map[RowKey]bool{},
		group: cmp.Or(opt.Group, GroupNone), sort: cmp.Or(opt.Sort, SortProblems),
	}
	m.x, m.of = world.NewCauses(), &causesOf{}
	m.keys = Bound(opt.Keys)
	m.logs.follow = true
	return m, []Cmd{nextBatch(0)}
}

// worldOptions is what the world needs of the model's.
func (m Model) worldOptions() world.Options {
	return world.Options{
		Now: m.opt.Now, Namespace: m.opt.Namespace, Recording: m.opt.Recording, StallAfter: m.opt.StallAfter,
		NoChildren: m.opt.Children == ChildrenNone, Screen: m.opt.Screen,
		Rules: m.opt.Rules, Judge: m.opt.Judge, Explain: m.opt.Explain,
	}
}

// Staged is a model that nobody has looked at on a screen: with rows, as the
// dashboard would show them at first. Like Update it consumes its receiver.
func (m Model) Staged() Model {
	opt := *m.opt
	opt.Screen = true
	m.opt = &opt
	return m.rearrange()
}

// Update takes in what has happened and returns what comes after it, with the
// commands to run. It is the only writer.
func (m Model) Update(msg Msg) (Model, []Cmd) {
	if m.waits(msg) {
		m.play.waiting = append(m.play.waiting, msg)
		return m, nil
	}
	var cmds []Cmd
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
			cmds = append(cmds, m.read()...)
		}
	case NoticeArrived:
		m.w.Notices.Push(msg.Notice)
		m.flash = "" // there is news
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 0), max(msg.Height, 0)
	case Measured:
		m = m.measured(msg)
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
		cmds = []Cmd{seekTo(msg.At)}
	case Scrolled:
		m = m.scrolled(msg)
	case BackgroundKnown:
		m.light = !msg.Dark
	case tea.FocusMsg:
		m.unfocused = false
	case tea.BlurMsg:
		m.unfocused = true
	case SourcesKnown:
		m.sources = msg.Names
	case Copied:
		m = m.say("copied " + msg.What)
	case QuitAsked:
		m.quitting = true
	case SuspendAsked, RedrawAsked, CopyAsked, NotifyAsked, ReportAsked, SaveAsked, ReopenAsked, SourcesAsked, ThemeAsked:
	}
	if m, cmds = m.after(cmds); !idle || len(cmds) > 0 || m.looks() != before {
		m.rev++
	}
	if was {
		return m.arrived(cmds)
	}
	return m, cmds
}

// looks is what of the picture changes by the passing of time, and by work that
// goes on beside it. While a first sync is explained a tick comes with every
// frame, and mostly there is nothing new to see.
type looks struct {
	second           int64 // ages are told in seconds at the finest
	judged, arranged uint64
	runs             uint64 // of explanations
	verdict          status.Status
	flash            string
	selected         RowKey
}

func (m Model) looks() looks {
	return looks{m.w.Now.Unix(), m.w.Judged, m.t.arranged, m.x.Runs, m.w.Verdict, m.flash, m.t.sel}
}

// after brings what is derived up to date, and wishes for what is missing.
func (m Model) after(cmds []Cmd) (Model, []Cmd) {
	if m.opt.Screen && m.frozen == nil {
		if m.t.group == GroupCause && !slices.EqualFunc(m.t.causes, m.x.Causes, sameCause) {
			m.t.causes = m.x.Causes
			m.w.TopReorder, m.t.pending = true, true
		}
		m.t.arrangeRows(m.w, false)
		m = m.follow()
	}
	if m.opt.Screen {
		var more []Cmd
		m, more = m.loadPane()
		cmds = append(cmds, more...)
	}
	m, more := m.explain()
	cmds = append(cmds, more...)
	m, want := m.want()
	m.x.Settled = m.x.Settled || m.w.Synced && len(m.w.Awaited) == 0
	return m, append(cmds, want...)
}

// explain finds the causes again when something calls for it: at once, or, where
// that would keep a screen from answering, by a command.
func (m Model) explain() (Model, []Cmd) {
	switch {
	case m.explainNow():
	case m.w.Replayed():
		return m, m.read()
	default:
		return m, nil
	}
	m.x.Begin(m.w)
	// In a recording that stands still no time passes for the rest, and where a
	// jump lands every pane is as it was then.
	whole := !m.opt.Screen || m.plain || m.landed || m.play.played != nil && m.play.played.Paused
	if !whole && len(m.w.Nodes) > world.InlineMost {
		m.x.Asked++
		m.x.Running = m.x.Asked
		return m, []Cmd{explainWorld(m.w.Explainable(), m.x.Asked)}
	}
	m.x.Take(m.w, m.w.Explanation())
	m, cmds := m.markCauses()
	return m, append(cmds, m.read()...)
}

// Explained is the model with the causes of this very moment, for who looks at it
// for the last time.
func (m Model) Explained() Model {
	if m.x.Busy() || m.x.Pending(m.w) {
		m.x.Begin(m.w)
		m.x.Take(m.w, m.w.Explanation())
		m, _ = m.markCauses()
	}
	return m
}

// read reads what the causes' exemplars lack.
func (m Model) read() []Cmd {
	var cmds []Cmd
	for _, r := range m.w.Read(m.x.Found.Reading) {
		if r.Container == "" {
			cmds = append(cmds, readTemplate(r.ID))
			continue
		}
		cmds = append(cmds, readWords(r))
	}
	return cmds
}

// explainNow: causes are found again when something changed, but not for
// every batch. Before the first complete picture a screen sees them grow; a
// one-shot command waits for the picture.
func (m Model) explainNow() bool {
	switch {
	case m.x.Busy() || !m.x.Pending(m.w):
		return false
	case !m.opt.Screen && !m.x.Settled:
		return m.w.Synced
	}
	return !m.x.Ran || m.ticked && m.x.Took == 0 || m.w.Now.Sub(m.x.At) >= m.x.Every()
}

func (m Model) batchArrived(b feed.Batch) (Model, []Cmd) {
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
			return m, []Cmd{nextBatch(b.Seq)}
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
	var cmds []Cmd
	if m.w.Verdict != before {
		m, cmds = m.mark(feed.Mark{At: m.w.Now, Verdict: m.w.Verdict})
	}
	if b.Jump == nil {
		cmds = append(cmds, m.announce(before)...)
	} else if m.play.said != "" {
		m, m.play.said = m.say(m.play.said), ""
	}
	if b.Bookmark {
		mem := m.w.Memory(b.Seq)
		mem.Causes = m.x.Memory(m.w.Now)
		cmds = append(cmds, remember(mem))
	}
	return m, append(cmds, nextBatch(b.Seq))
}

func (m Model) clockTicked(now time.Time) (Model, []Cmd) {
	before := m.w.Verdict
	m.w.Tick(now)
	var cmds []Cmd
	if m.w.Verdict != before {
		m, cmds = m.mark(feed.Mark{At: m.w.Now, Verdict: m.w.Verdict})
	}
	if !m.flashUntil.IsZero() && !now.Before(m.flashUntil) {
		m.flash, m.flashUntil = "", time.Time{}
	}
	m.wants.expire, m.ticked, m.paced = true, true, true
	return m, append(cmds, m.announce(before)...)
}

// announce calls the user when the verdict has become final.
func (m Model) announce(before status.Status) []Cmd {
	v := m.w.Verdict
	if !m.notifying || v == before || before == "" {
		return nil
	}
	switch v {
	case status.Current:
		return []Cmd{tell(NotifyAsked{Title: m.opt.Title + ": done", Text: "everything is Current"})}
	case status.Failed:
		return []Cmd{tell(NotifyAsked{Title: m.opt.Title + ": failed", Text: m.headline()})}
	}
	return nil
}

func (m Model) headline() string {
	if c := m.Causes(); len(c) > 0 {
		return c[0].Title
	}
	return ""
}

func (m Model) measured(msg Measured) Model {
	m.treeRows, m.paneRows, m.paneLines, m.paneFirst = msg.TreeRows, msg.PaneRows, msg.PaneLines, msg.PaneFirst
	if m.pane == PaneYAML && m.focus == FocusPane && !m.yamlLoose && m.mode != Helping {
		m.scroll[PaneYAML] = msg.PaneTop // it has followed the cursor
	}
	if m.search.Text != "" && !m.search.Left && m.mode != Helping && m.scroll[m.pane] != msg.PaneTop {
		m.scroll[m.pane] = msg.PaneTop // scrolling goes on from the match
		if m.pane == PaneLogs {
			m.logs.follow = false
		}
	}
	return m.scrollPane(0)
}

// say answers a key with a short message.
func (m Model) say(text string) Model {
	m.flash, m.flashUntil = text, m.w.Now.Add(3*time.Second)
	return m
}
