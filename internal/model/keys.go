package model

import "charm.land/bubbles/v2/key"

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
	InText // in text inputs
	InHelp
	InReplay // while a recording is played
	InTimeline
	InYAML
)

// The actions.
const (
	MoveUp       Action = "up"
	MoveDown     Action = "down"
	PageUp       Action = "page-up"
	PageDown     Action = "page-down"
	HalfUp       Action = "half-up"
	HalfDown     Action = "half-down"
	GoTop        Action = "top"
	GoBottom     Action = "bottom"
	Collapse     Action = "collapse"
	Expand       Action = "expand"
	Toggle       Action = "toggle"
	Open         Action = "open"
	Back         Action = "back"
	NextProblem  Action = "next"
	PrevProblem  Action = "previous"
	ShowWhy      Action = "why"
	ShowConds    Action = "conditions"
	ShowEvents   Action = "events"
	ShowLogs     Action = "logs"
	ShowYAML     Action = "yaml"
	ShowTimeline Action = "timeline"
	NextFocus    Action = "focus"
	PrevFocus    Action = "focus-back"
	NextPane     Action = "pane-next"
	PrevPane     Action = "pane-previous"
	Filter       Action = "filter"
	FoldCurrent  Action = "fold-current"
	UnfoldAll    Action = "unfold-all"
	Scope        Action = "scope"
	Group        Action = "group"
	Sort         Action = "sort"
	Reverse      Action = "reverse"
	Follow       Action = "follow"
	Pause        Action = "pause"
	CopyName     Action = "copy-name"
	CopyMenu     Action = "copy"
	CopyNext     Action = "copy-command"
	Report       Action = "report"
	Commands     Action = "commands"
	Notify       Action = "notify"
	JumpOwner    Action = "owner"
	Bigger       Action = "bigger"
	Smaller      Action = "smaller"
	Suspend      Action = "suspend"
	Redraw       Action = "redraw"
	Help         Action = "help"
	Quit         Action = "quit"
	Wrap         Action = "wrap"
	Warnings     Action = "warnings"
	Earlier      Action = "earlier"
	Later        Action = "later"
	MarkMoment   Action = "mark"
	LanesOrList  Action = "lanes"
	WholeSet     Action = "whole"
	FoldLess     Action = "yaml-less"
	FoldMore     Action = "yaml-more"
	FoldBlock    Action = "yaml-fold"
	Leftward     Action = "logs-left"
	Rightward    Action = "logs-right"
	Previous     Action = "previous-instance"
	NextCont     Action = "container"
	AllPods      Action = "all-pods"
	Stamps       Action = "timestamps"
	Save         Action = "save"
	Accept       Action = "accept"
	Complete     Action = "complete"
	Cancel       Action = "cancel"

	PlayPause    Action = "play"
	Slower       Action = "slower"
	Faster       Action = "faster"
	PrevChange   Action = "change-previous"
	NextChange   Action = "change-next"
	PrevMark     Action = "mark-previous"
	NextMark     Action = "mark-next"
	Rewind       Action = "rewind"
	Forward      Action = "forward"
	ToStart      Action = "start"
	ToEnd        Action = "end"
	FirstFailure Action = "first-failure"
	CauseStart   Action = "cause-start"
)

// Binding is one row of the table of keys, the single source of key handling,
// help and documentation.
type Binding struct {
	Action  Action
	Context Context
	key.Binding
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
	{MoveUp, Global, on("up", "up", "k")},
	{MoveDown, Global, on("down", "down", "j")},
	{PageUp, Global, on("page up", "pgup", "ctrl+b")},
	{PageDown, Global, on("page down", "pgdown", "ctrl+f")},
	{HalfUp, Global, on("half a page up", "ctrl+u")},
	{HalfDown, Global, on("half a page down", "ctrl+d")},
	{GoTop, Global, on("top", "g", "home")},
	{GoBottom, Global, on("bottom", "G", "end")},
	{Collapse, InTree, on("fold, or go to the parent", "left", "h")},
	{Expand, InTree, on("unfold, or go to the first child", "right")},
	{Toggle, InTree, on("fold, or unfold", "space")},
	{NextProblem, Global, on("next problem (or match)", "n")},
	{PrevProblem, Global, on("previous problem (or match)", "N")},
	{Open, InTree, on("open, to read on in the pane", "enter")},
	{ShowWhy, Global, on("why", "1", "w", "d", "x", "X")},
	{ShowConds, Global, on("conditions", "2", "o")},
	{ShowEvents, Global, on("events", "3", "e", "E")},
	{ShowLogs, Global, on("logs", "4", "l")},
	{ShowYAML, Global, on("YAML", "5", "y")},
	{ShowTimeline, Global, on("timeline", "6", "t", "T")},
	{NextFocus, Global, on("focus the pane or the tree", "tab")},
	{PrevFocus, Global, on("focus back", "shift+tab")},
	{NextPane, Global, on("next pane", "]")},
	{PrevPane, Global, on("previous pane", "[")},
	{Filter, InTree, on("filter", "/")},
	{Filter, InPane, on("search", "/")},
	{FoldCurrent, InTree, on("fold all that is Current", "z")},
	{UnfoldAll, InTree, on("unfold everything", "Z")},
	{Scope, InTree, on("applied only, with generated, with references", "a")},
	{Group, InTree, on("group by namespace, kind, status, cause or wave", "b")},
	{Sort, InTree, on("sort by problems, name, kind, age or change", "s")},
	{Reverse, InTree, on("turn the order round", "S")},
	{JumpOwner, InTree, on("go to the owner", "J")},
	{Follow, Global, on("follow, with the newest blocking problem selected", "f")},
	{Pause, Global, on("freeze, or thaw, the picture", ".")},
	{CopyName, Global, on("copy the name", "c")},
	{CopyMenu, Global, on("copy name, command, reason, YAML or report", "C")},
	{CopyNext, Global, on("copy the next command")},
	{Notify, Global, on("notify when done or failed", "m")},
	{Report, Global, on("save a report", "ctrl+s")},
	{Bigger, Global, on("larger pane", "+")},
	{Smaller, Global, on("smaller pane", "_")},
	{Wrap, InPane, on("wrap long lines", "w")},
	{Earlier, InTimeline, on("the change before, and what was then", "left")},
	{Later, InTimeline, on("the next change", "right")},
	{MarkMoment, InTimeline, on("mark a moment, to compare others with it", "space")},
	{LanesOrList, InTimeline, on("lanes and list, lanes alone, list alone", "v")},
	{WholeSet, InTimeline, on("of everything, or of what is selected", "a")},
	{FoldLess, InYAML, on("fold one level more", "left")},
	{FoldMore, InYAML, on("unfold one level", "right")},
	{FoldBlock, InYAML, on("fold, or unfold, the block of the line", "space")},
	{Warnings, InEvents, on("warnings only", "W")},
	{Leftward, InLogs, on("back to the left, where lines are not wrapped", "left")},
	{Rightward, InLogs, on("more of long lines, where they are not wrapped", "right")},
	{Previous, InLogs, on("previous instance", "p")},
	{NextCont, InLogs, on("next container", "v")},
	{AllPods, InLogs, on("all pods together, or the one that fails", "M")},
	{Stamps, InLogs, on("times of day, exact times, or none", "i")},
	{Save, InLogs, on("save the lines to a file", "s")},
	{Suspend, Global, on("suspend", "ctrl+z")},
	{Redraw, Global, on("draw the screen again", "ctrl+l")},
	{Commands, Global, on("commands, with completion", ":")},
	{Back, Global, on("back, clear the filter", "esc")},
	{Help, Global, on("help", "?")},
	{Quit, Global, on("quit (q closes first what is open)", "q", "ctrl+c")},
	{PlayPause, InReplay, on("play or pause", ".", "P")},
	{PrevChange, InReplay, on("the change before", ",")},
	{NextChange, InReplay, on("the next change", ";")},
	{NextMark, InReplay, on("next mark (the verdict changes, a cause begins)", "}")},
	{PrevMark, InReplay, on("the mark before", "{")},
	{Slower, InReplay, on("slower", "<")},
	{Faster, InReplay, on("faster", ">")},
	{Rewind, InReplay, on("10 seconds back", "(", "shift+left")},
	{Forward, InReplay, on("10 seconds on", ")", "shift+right")},
	{FirstFailure, InReplay, on("the first failure", "!")},
	{CauseStart, InReplay, on("where the row's cause begins", "B")},
	{ToStart, InReplay, on("the beginning", "0")},
	{ToEnd, InReplay, on("the end", "$")},
	{Accept, InText, on("keep", "enter")},
	{Complete, InText, on("complete", "tab")},
	{Cancel, InText, on("cancel", "esc", "ctrl+c")},
}
