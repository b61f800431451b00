package model

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
)

// Action is something that a key does.
type Action = panes.Action

// Context says where a binding is valid.
type Context uint8

// The contexts. Global bindings are valid everywhere except in text inputs. Each pane
// has a context of its own: [OwnKeys].
const (
	Global Context = iota
	InTree
	InPane
	InText   // in text inputs
	InReplay // while a recording is played
	firstPane
)

// OwnKeys is the context of a pane's own keys.
func OwnKeys(p Pane) Context { return firstPane + Context(p) }

// The actions that are named elsewhere.
const (
	Toggle       Action = "toggle"
	Open         Action = "open"
	NextProblem  Action = "next"
	ShowWhy      Action = "why"
	ShowEvents   Action = "events"
	ShowLogs     Action = "logs"
	ShowTimeline Action = "timeline"
	Filter       Action = "filter"
	Follow       Action = "follow"
	Pause        Action = "pause"
	CopyMenu     Action = "copy"
	Report       Action = "report"
	Commands     Action = "commands"
	JumpOwner    Action = "owner"
	EnterTarget  Action = "go"
	Help         Action = "help"
	Quit         Action = "quit"
	Accept       Action = "accept"
	Complete     Action = "complete"
	Cancel       Action = "cancel"

	PlayPause Action = "play"
	NextMark  Action = "mark-next"
)

// Binding is one row of the table of keys: what they do, where, and the words of
// help and documentation.
type Binding struct {
	Action  Action
	Context Context
	Words
	run func(*Model) tea.Cmd
}

// Words are the keys, and the words of help and footer.
type Words struct {
	key.Binding
	// Label is what the footer calls it, and Turned while it does the opposite; ""
	// if it is never in the footer.
	Label, Turned string
}

// label names it in the footer.
func (w Words) label(label string, turned ...string) Words {
	w.Label, w.Turned = label, strings.Join(turned, "")
	return w
}

func do(f func(*Model)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { f(m); return nil }
}

// says is an action that answers with a short message.
func says(f func(*Model) string) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.Display.answer(f(m)) }
}

func doWith[T any](f func(*Model, T), v T) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { f(m, v); return nil }
}

func with[T any](f func(*Model, T) tea.Cmd, v T) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return f(m, v) }
}

// on describes what keys do. The first key is the one that is shown.
func on(does string, keys ...string) Words {
	b := Binding{Words: Words{Binding: key.NewBinding(key.WithHelp("", does))}}
	b.bind(keys)
	return b.Words
}

// bind replaces the keys; without any the action is unbound.
func (b *Binding) bind(keys []string) {
	b.SetKeys(keys...)
	b.SetEnabled(len(keys) > 0)
	if len(keys) > 0 {
		b.SetHelp(keys[0], b.Help().Desc)
	}
}

// Bindings is the table of default keys, in the order of the help: those of the panes
// are rows of the panes.
var Bindings = slices.Concat(treeKeys, tabKeys(), sharedKeys, paneKeys(), replayAndTextKeys)

// tabKeys open the panes.
func tabKeys() (all []Binding) {
	for i, t := range panes.Titles() {
		show := do(func(m *Model) { m.Panes.showPane(Pane(i)) })
		words := on(t.Does, t.Keys...).label(strings.ToLower(t.Name))
		all = append(all, Binding{t.Show, Global, words, show})
	}
	return all
}

// paneKeys are the panes' own keys.
func paneKeys() (all []Binding) {
	for i, pane := range panes.New() {
		for _, k := range pane.Keys() {
			run := func(m *Model) tea.Cmd { return m.inPane(Pane(i), k) }
			all = append(all, Binding{k.Action, OwnKeys(Pane(i)), on(k.Does, k.Keys...), run})
		}
	}
	return all
}

// inPane does what a pane's own key does.
func (m *Model) inPane(which Pane, k panes.Key) tea.Cmd {
	if k.FromTop {
		m.Panes.setTop(0)
	}
	m.Panes.unfolded = k.Unfolds
	answer, cmd := m.Panes.all[which].Update(k.Action)
	return tea.Batch(cmd, m.Display.answer(answer))
}

var treeKeys = []Binding{
	{"up", Global, on("up", "up", "k"), doWith((*Model).scroll, -1)},
	{"down", Global, on("down", "down", "j"), doWith((*Model).scroll, 1)},
	{"page-up", Global, on("page up", "pgup", "ctrl+b"), doWith(pages, -1)},
	{"page-down", Global, on("page down", "pgdown", "ctrl+f"), doWith(pages, 1)},
	{"half-up", Global, on("half a page up", "ctrl+u"), doWith(halfPages, -1)},
	{"half-down", Global, on("half a page down", "ctrl+d"), doWith(halfPages, 1)},
	{"top", Global, on("top", "g", "home"), doWith((*Model).scroll, -1<<30)},
	{"bottom", Global, on("bottom", "G", "end"), doWith((*Model).scroll, 1<<30)},
	{"collapse", InTree, on("fold, or go to the parent", "left", "h"), do(func(m *Model) { m.Tree.collapse() })},
	{"expand", InTree, on("unfold, or go to the first child", "right"), do(func(m *Model) { m.Tree.expand() })},
	{
		Toggle, InTree, on("fold, or unfold", "space").label("fold", "unfold"),
		says(func(m *Model) string { return m.Tree.toggle() }),
	},
	{
		NextProblem, Global, on("next problem, or next match", "n").label("next problem", "next match"),
		says(func(m *Model) string { return m.Keyboard.nextMatch(1) }),
	},
	{
		"previous", Global, on("previous problem, or previous match", "N"),
		says(func(m *Model) string { return m.Keyboard.nextMatch(-1) }),
	},
	{Open, InTree, on("open, to read on in the pane", "enter").label("open"), do(openRow)},
}

var sharedKeys = []Binding{
	{"copy-step", Global, on("copy a next command (y1, y2), or show the YAML (yy)", "y"), (*Model).beginCopy},
	{"focus", Global, on("focus the pane or the tree", "tab"), do(func(m *Model) { m.Panes.switchFocus() })},
	{"focus-back", Global, on("focus back", "shift+tab"), do(func(m *Model) { m.Panes.switchFocus() })},
	{"pane-next", Global, on("next pane", "]"), do(func(m *Model) { m.Panes.nextPane(1) })},
	{"pane-previous", Global, on("previous pane", "["), do(func(m *Model) { m.Panes.nextPane(len(m.Panes.all) - 1) })},
	{Filter, InTree, on("filter", "/").label("filter"), do(func(m *Model) { m.Keyboard.startTyping() })},
	{Filter, InPane, on("search", "/").label("search"), do((*Model).startSearch)},
	{
		"fold-current", InTree, on("fold all that is Current", "z"),
		says(func(m *Model) string { return m.Tree.foldAll(rows.FoldCurrent) }),
	},
	{
		"unfold-all", InTree, on("unfold everything", "Z"),
		says(func(m *Model) string { return m.Tree.foldAll(rows.FoldNothing) }),
	},
	{
		"scope", InTree, on("applied only, with generated, with references", "a"),
		says(func(m *Model) string { return m.Tree.nextScope() }),
	},
	{
		"group", InTree, on("group by namespace, kind, status, cause or wave", "b"),
		says(func(m *Model) string { return m.Tree.nextGrouping() }),
	},
	{
		"sort", InTree, on("sort by problems, name, kind, age or change", "s"),
		says(func(m *Model) string { return m.Tree.nextSorting() }),
	},
	{"reverse", InTree, on("turn the order round", "S"), says(func(m *Model) string { return m.Tree.reverse() })},
	{"k9s", Global, on("open it in k9s", "o"), openK9s},
	{"view", Global, on("read a copy of its YAML in $PAGER or $EDITOR", "e"), viewYAML},
	{
		"mute", Global, on("take the row out of the verdict, or count it again", "u"),
		says(func(m *Model) string { return m.Tree.mute() }),
	},
	{
		JumpOwner, InTree, on("owner (go to it)", "J").label("owner"),
		says(func(m *Model) string { return m.Tree.toOwner() }),
	},
	{
		Follow, Global, on("follow, with the newest blocking problem selected", "f").label("follow"),
		do(func(m *Model) { m.Tree.toggleFollowing() }),
	},
	{Pause, Global, on("freeze, or thaw, the picture", ".").label("freeze", "thaw"), (*Model).pause},
	{"copy-name", Global, on("copy the name", "c"), with((*Model).copied, "name")},
	{
		CopyMenu, Global, on("copy (name, command, reason, YAML or report)", "C").label("copy"),
		do(func(m *Model) { m.Keyboard.command("copy ") }),
	},
	{"copy-command", Global, on("copy the next command"), with((*Model).copied, "command")},
	{
		"notify", Global, on("notify when done or failed", "m"),
		says(func(m *Model) string { return m.Display.notifyWhenFinal() }),
	},
	{"mouse", Global, on("leave the mouse to the terminal, to select text, or take it back"), says(turnMouse)},
	{Report, Global, on("save a report", "ctrl+s"), with((*Model).saveReport, "md")},
	{"bigger", Global, on("larger pane", "+"), says(func(m *Model) string { return m.Panes.resizeBy(1) })},
	{"smaller", Global, on("smaller pane", "_"), says(func(m *Model) string { return m.Panes.resizeBy(-1) })},
	{
		EnterTarget, InPane,
		on("go to what the line names: an object, its row, or a container's log", "enter").label("go to it"),
		(*Model).enterTarget,
	},
	{"wrap", InPane, on("wrap long lines", "w"), says(func(m *Model) string { return m.Panes.turnWrap() })},
}

var replayAndTextKeys = []Binding{
	{"suspend", Global, on("suspend", "ctrl+z"), func(*Model) tea.Cmd { return tea.Suspend }},
	{"redraw", Global, on("draw the screen again", "ctrl+l"), func(*Model) tea.Cmd { return tea.ClearScreen }},
	{
		Commands, Global, on("commands, with completion", ":").label("commands"),
		do(func(m *Model) { m.Keyboard.command("") }),
	},
	{"back", Global, on("back, clear the filter", "esc"), (*Model).back},
	{Help, Global, on("help", "?").label("help"), do(func(m *Model) { m.Keyboard.toggleHelp() })},
	{Quit, Global, on("quit, or close (first what is open)", "q", "ctrl+c").label("quit", "close"), quit},
	{PlayPause, InReplay, on("play or pause", ".", "P").label("pause", "play"), onDeck(feed.Deck.PlayOrPause)},
	{"change-previous", InReplay, on("the change before", ","), onDeck(func(d feed.Deck) { d.Step(-1) })},
	{"change-next", InReplay, on("the next change", ";"), onDeck(func(d feed.Deck) { d.Step(1) })},
	{
		NextMark, InReplay, on("next mark (the verdict changes, a cause begins)", "}").label("next mark"),
		toMark("no mark after", slices.All, isAfter),
	},
	{"mark-previous", InReplay, on("the mark before", "{"), toMark("no mark before", slices.Backward, isBefore)},
	{"slower", InReplay, on("slower", "<"), onDeck(func(d feed.Deck) { d.Faster(-1) })},
	{"faster", InReplay, on("faster", ">"), onDeck(func(d feed.Deck) { d.Faster(1) })},
	{"rewind", InReplay, on("10 seconds back", "(", "shift+left"), onDeck(func(d feed.Deck) { d.Skip(-skip) })},
	{"forward", InReplay, on("10 seconds on", ")", "shift+right"), onDeck(func(d feed.Deck) { d.Skip(skip) })},
	{"first-failure", InReplay, on("the first failure", "!"), toMark("nothing failed", slices.All, fails)},
	{"cause-start", InReplay, on("where the row's cause begins", "B"), played(toCause)},
	{
		"start", InReplay, on("the beginning", "0"),
		played(func(m *Model, r *feed.Playback) tea.Cmd { return m.Playback.seekTo(r.Start) }),
	},
	{
		"end", InReplay, on("the end", "$"),
		played(func(m *Model, r *feed.Playback) tea.Cmd { return m.Playback.seekTo(r.End) }),
	},
	{Accept, InText, on("keep", "enter").label("keep"), accept},
	{Complete, InText, on("complete", "tab").label("complete"), do(func(m *Model) { m.Keyboard.completeText() })},
	{"suspend", InText, on("suspend", "ctrl+z"), func(*Model) tea.Cmd { return tea.Suspend }},
	{Cancel, InText, on("cancel", "esc").label("cancel"), do(func(m *Model) { m.Keyboard.cancelTyping() })},
}
