package model

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
)

// Action is something a key does.
type Action string

// Context says where a binding is valid.
type Context uint8

// The contexts. Global bindings are valid everywhere except in text inputs.
const (
	Global Context = iota
	InTree
	InPane
	InLogs
	InEvents
	InText   // in text inputs
	InReplay // while a recording is played
	InTimeline
	InYAML
	InWhy
)

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
	Help         Action = "help"
	Quit         Action = "quit"
	Warnings     Action = "warnings"
	Proof        Action = "proof"
	MarkMoment   Action = "mark"
	WholeSet     Action = "whole"
	FoldBlock    Action = "yaml-fold"
	Previous     Action = "previous-instance"
	NextCont     Action = "container"
	AllPods      Action = "all-pods"
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
	key.Binding
	run func(*Model) tea.Cmd
}

func do(f func(*Model)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { f(m); return nil }
}

// says is an action that answers with a short message.
func says(f func(*Model) string) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.Display.say(f(m)) }
}

func doWith[T any](f func(*Model, T), v T) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { f(m, v); return nil }
}

func saysWith[T any](f func(*Model, T) string, v T) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.Display.say(f(m, v)) }
}

func with[T any](f func(*Model, T) tea.Cmd, v T) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return f(m, v) }
}

// on describes what keys do. The first key is the one that is shown.
func on(does string, keys ...string) key.Binding {
	b := Binding{Binding: key.NewBinding(key.WithHelp("", does))}
	b.bind(keys)
	return b.Binding
}

// bind replaces the keys; without any the action is unbound.
func (b *Binding) bind(keys []string) {
	b.SetKeys(keys...)
	b.SetEnabled(len(keys) > 0)
	if len(keys) > 0 {
		b.SetHelp(keys[0], b.Help().Desc)
	}
}

// Bindings is the table of default keys, in the order of the help.
var Bindings = []Binding{
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
	{Toggle, InTree, on("fold, or unfold", "space"), do(func(m *Model) { m.Tree.toggle() })},
	{NextProblem, Global, on("next problem, or next match", "n"), says(func(m *Model) string { return m.Keyboard.nextMatch(1) })},
	{"previous", Global, on("previous problem, or previous match", "N"), says(func(m *Model) string { return m.Keyboard.nextMatch(-1) })},
	{Open, InTree, on("open, to read on in the pane", "enter"), do(openRow)},
	{ShowWhy, Global, on("why", "1", "w", "d", "x", "X"), do(func(m *Model) { m.Panes.showPane(PaneWhy) })},
	{"conditions", Global, on("conditions", "2", "o"), do(func(m *Model) { m.Panes.showPane(PaneConditions) })},
	{ShowEvents, Global, on("events", "3", "e", "E"), do(func(m *Model) { m.Panes.showPane(PaneEvents) })},
	{ShowLogs, Global, on("logs", "4", "l"), do(func(m *Model) { m.Panes.showPane(PaneLogs) })},
	{"yaml", Global, on("YAML", "5"), do(func(m *Model) { m.Panes.showPane(PaneYAML) })},
	{"copy-step", Global, on("copy a next command by its digit, or YAML where there is none", "y"), (*Model).beginCopy},
	{ShowTimeline, Global, on("timeline", "6", "t", "T"), do(func(m *Model) { m.Panes.showPane(PaneTimeline) })},
	{"focus", Global, on("focus the pane or the tree", "tab"), do(func(m *Model) { m.Panes.switchFocus() })},
	{"focus-back", Global, on("focus back", "shift+tab"), do(func(m *Model) { m.Panes.switchFocus() })},
	{"pane-next", Global, on("next pane", "]"), do(func(m *Model) { m.Panes.nextPane(1) })},
	{"pane-previous", Global, on("previous pane", "["), do(func(m *Model) { m.Panes.nextPane(paneCount - 1) })},
	{Filter, InTree, on("filter", "/"), do(func(m *Model) { m.Keyboard.startTyping() })},
	{Filter, InPane, on("search", "/"), do((*Model).startSearch)},
	{"fold-current", InTree, on("fold all that is Current", "z"), do(func(m *Model) { m.Tree.foldAll(rows.FoldCurrent) })},
	{"unfold-all", InTree, on("unfold everything", "Z"), do(func(m *Model) { m.Tree.foldAll(rows.FoldNothing) })},
	{"scope", InTree, on("applied only, with generated, with references", "a"), says(func(m *Model) string { return m.Tree.nextScope() })},
	{"group", InTree, on("group by namespace, kind, status, cause or wave", "b"), says(func(m *Model) string { return m.Tree.nextGrouping() })},
	{"sort", InTree, on("sort by problems, name, kind, age or change", "s"), says(func(m *Model) string { return m.Tree.nextSorting() })},
	{"reverse", InTree, on("turn the order round", "S"), says(func(m *Model) string { return m.Tree.reverse() })},
	{JumpOwner, InTree, on("owner (go to it)", "J"), do(func(m *Model) { m.Tree.toParent() })},
	{Follow, Global, on("follow, with the newest blocking problem selected", "f"), do(func(m *Model) { m.Tree.toggleFollowing() })},
	{Pause, Global, on("freeze, or thaw, the picture", "."), (*Model).pause},
	{"copy-name", Global, on("copy the name", "c"), with((*Model).copied, "name")},
	{CopyMenu, Global, on("copy (name, command, reason, YAML or report)", "C"), do(func(m *Model) { m.Keyboard.command("copy ") })},
	{"copy-command", Global, on("copy the next command"), with((*Model).copied, "command")},
	{"notify", Global, on("notify when done or failed", "m"), says(func(m *Model) string { return m.Display.notifyWhenFinal() })},
	{Report, Global, on("save a report", "ctrl+s"), with((*Model).saveReport, "md")},
	{"bigger", Global, on("larger pane", "+"), do(func(m *Model) { m.Panes.resize(min(m.Panes.paneSize+1, PaneFull)) })},
	{"smaller", Global, on("smaller pane", "_"), do(func(m *Model) { m.Panes.resize(max(m.Panes.paneSize, 1) - 1) })},
	{"wrap", InPane, on("wrap long lines", "w"), do(func(m *Model) { m.Panes.wrap = !m.Panes.wrap })},
	{"earlier", InTimeline, on("the change before, and what was then", "left"), saysWith(along, -1)},
	{"later", InTimeline, on("the next change", "right"), saysWith(along, 1)},
	{MarkMoment, InTimeline, on("mark a moment, to compare others with it", "space"), says(func(m *Model) string { return m.Panes.timeline.Mark(m.Facts.World) })},
	{"lanes", InTimeline, on("lanes and list, lanes alone, list alone", "v"), do(func(m *Model) { m.Panes.timeline.NextForm() })},
	{WholeSet, InTimeline, on("of everything, or of what is selected", "a"), do(func(m *Model) { m.Panes.timeline.ToggleWhole() })},
	{Proof, InWhy, on("proof, or no proof", "v", "space"), do(func(m *Model) { m.Panes.proofs = !m.Panes.proofs })},
	{"yaml-less", InYAML, on("fold one level more", "left"), says(func(m *Model) string { return m.Panes.yaml.lines.Level(-1) })},
	{"yaml-more", InYAML, on("unfold one level", "right"), says(func(m *Model) string { return m.Panes.yaml.lines.Level(1) })},
	{FoldBlock, InYAML, on("fold, or unfold, the block of the line", "space"), do((*Model).turnBlock)},
	{Warnings, InEvents, on("warnings only", "W"), do(func(m *Model) { m.Panes.warnings = !m.Panes.warnings })},
	{"logs-left", InLogs, on("back to the left, where lines are not wrapped", "left"), saysWith(aside, -1)},
	{"logs-right", InLogs, on("more of long lines, where they are not wrapped", "right"), saysWith(aside, 1)},
	{Previous, InLogs, on("previous instance, or present instance", "p"), do(func(m *Model) { m.Panes.logs.TogglePrevious() })},
	{NextCont, InLogs, on("next container", "v"), do(func(m *Model) { m.Panes.logs.NextContainer() })},
	{AllPods, InLogs, on("all pods together, or one that fails", "M"), says(func(m *Model) string { return m.Panes.logs.ToggleMerged() })},
	{"timestamps", InLogs, on("times of day, exact times, or none", "i"), says(func(m *Model) string { return m.Panes.logs.NextStamps() })},
	{"save", InLogs, on("save the lines to a file", "s"), (*Model).saveLogs},
	{"suspend", Global, on("suspend", "ctrl+z"), func(*Model) tea.Cmd { return tea.Suspend }},
	{"redraw", Global, on("draw the screen again", "ctrl+l"), func(*Model) tea.Cmd { return tea.ClearScreen }},
	{Commands, Global, on("commands, with completion", ":"), do(func(m *Model) { m.Keyboard.command("") })},
	{"back", Global, on("back, clear the filter", "esc"), (*Model).back},
	{Help, Global, on("help", "?"), do(func(m *Model) { m.Keyboard.toggleHelp() })},
	{Quit, Global, on("quit, or close (first what is open)", "q", "ctrl+c"), quit},
	{PlayPause, InReplay, on("play or pause", ".", "P"), onDeck(feed.Deck.PlayOrPause)},
	{"change-previous", InReplay, on("the change before", ","), onDeck(func(d feed.Deck) { d.Step(-1) })},
	{"change-next", InReplay, on("the next change", ";"), onDeck(func(d feed.Deck) { d.Step(1) })},
	{NextMark, InReplay, on("next mark (the verdict changes, a cause begins)", "}"), toMark("no mark after", slices.All, isAfter)},
	{"mark-previous", InReplay, on("the mark before", "{"), toMark("no mark before", slices.Backward, isBefore)},
	{"slower", InReplay, on("slower", "<"), onDeck(func(d feed.Deck) { d.Faster(-1) })},
	{"faster", InReplay, on("faster", ">"), onDeck(func(d feed.Deck) { d.Faster(1) })},
	{"rewind", InReplay, on("10 seconds back", "(", "shift+left"), onDeck(func(d feed.Deck) { d.Skip(-skip) })},
	{"forward", InReplay, on("10 seconds on", ")", "shift+right"), onDeck(func(d feed.Deck) { d.Skip(skip) })},
	{"first-failure", InReplay, on("the first failure", "!"), toMark("nothing failed", slices.All, fails)},
	{"cause-start", InReplay, on("where the row's cause begins", "B"), played(toCause)},
	{"start", InReplay, on("the beginning", "0"), played(func(m *Model, r *feed.Playback) tea.Cmd { return m.Playback.seekTo(r.Start) })},
	{"end", InReplay, on("the end", "$"), played(func(m *Model, r *feed.Playback) tea.Cmd { return m.Playback.seekTo(r.End) })},
	{Accept, InText, on("keep", "enter"), accept},
	{Complete, InText, on("complete", "tab"), do(func(m *Model) { m.Keyboard.completeText() })},
	{"suspend", InText, on("suspend", "ctrl+z"), func(*Model) tea.Cmd { return tea.Suspend }},
	{Cancel, InText, on("cancel", "esc"), do(func(m *Model) { m.Keyboard.cancelTyping() })},
}
