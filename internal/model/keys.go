package model

// Action is something a key does.
type Action string

// Context says where a binding is valid.
type Context uint8

// The contexts. Global bindings are valid everywhere but while text is typed.
const (
	Global Context = iota
	InTree
	InPane
	InLogs
	InEvents
	InText // while a filter or a search is typed
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

// Binding is one row of the table of keys: the one source of what a key does,
// of the help and of the documentation.
type Binding struct {
	Action  Action
	Context Context
	Keys    []string // the first one is shown where there is little room
	Text    string   // a few words, lower case: "next problem"
	Footer  bool     // shown in the footer of its context, in table order
}

// Bindings is the table of default keys, in the order in which help shows it.
var Bindings = []Binding{
	{MoveUp, Global, []string{"up", "k"}, "up", false},
	{MoveDown, Global, []string{"down", "j"}, "down", false},
	{PageUp, Global, []string{"pgup", "ctrl+b"}, "page up", false},
	{PageDown, Global, []string{"pgdown", "ctrl+f"}, "page down", false},
	{HalfUp, Global, []string{"ctrl+u"}, "half a page up", false},
	{HalfDown, Global, []string{"ctrl+d"}, "half a page down", false},
	{GoTop, Global, []string{"g", "home"}, "top", false},
	{GoBottom, Global, []string{"G", "end"}, "bottom", false},
	{Collapse, InTree, []string{"left", "h"}, "fold, or go to the parent", false},
	{Expand, InTree, []string{"right"}, "unfold, or go to the first child", false},
	{Toggle, InTree, []string{"space"}, "fold, or unfold", true},
	{NextProblem, Global, []string{"n"}, "next problem (or match)", true},
	{PrevProblem, Global, []string{"N"}, "previous problem (or match)", false},
	{Open, InTree, []string{"enter"}, "open, to read on in the pane", true},
	{ShowWhy, Global, []string{"1", "w", "d", "x", "X"}, "why", true},
	{ShowConds, Global, []string{"2", "o"}, "conditions", false},
	{ShowEvents, Global, []string{"3", "e", "E"}, "events", false},
	{ShowLogs, Global, []string{"4", "l"}, "logs", true},
	{ShowYAML, Global, []string{"5", "y"}, "YAML", false},
	{ShowTimeline, Global, []string{"6", "t", "T"}, "timeline", false},
	{NextFocus, Global, []string{"tab"}, "focus the pane or the tree", false},
	{PrevFocus, Global, []string{"shift+tab"}, "focus back", false},
	{NextPane, Global, []string{"]"}, "next pane", false},
	{PrevPane, Global, []string{"["}, "previous pane", false},
	{Filter, InTree, []string{"/"}, "filter", true},
	{Filter, InPane, []string{"/"}, "search", true},
	{FoldCurrent, InTree, []string{"z"}, "fold all that is Current", false},
	{UnfoldAll, InTree, []string{"Z"}, "unfold everything", false},
	{Scope, InTree, []string{"a"}, "applied only, with generated, with references", false},
	{Group, InTree, []string{"b"}, "group by namespace, kind, status, cause or wave", false},
	{Sort, InTree, []string{"s"}, "sort by problems, name, kind, age or change", false},
	{Reverse, InTree, []string{"S"}, "turn the order round", false},
	{JumpOwner, InTree, []string{"J"}, "go to the owner", false},
	{Follow, Global, []string{"f"}, "follow, with the newest blocking problem selected", true},
	{Pause, Global, []string{"."}, "freeze, or thaw, the picture", true},
	{CopyName, Global, []string{"c"}, "copy the name", false},
	{CopyMenu, Global, []string{"C"}, "copy name, command, reason, YAML or report", false},
	{CopyNext, Global, nil, "copy the next command", false},
	{Notify, Global, []string{"m"}, "notify when done or failed", false},
	{Report, Global, []string{"ctrl+s"}, "save a report", false},
	{Bigger, Global, []string{"+"}, "larger pane", false},
	{Smaller, Global, []string{"_"}, "smaller pane", false},
	{Wrap, InPane, []string{"w"}, "wrap long lines", false},
	{Earlier, InTimeline, []string{"left"}, "the change before, and what was then", false},
	{Later, InTimeline, []string{"right"}, "the next change", false},
	{MarkMoment, InTimeline, []string{"space"}, "mark a moment, to compare others with it", true},
	{LanesOrList, InTimeline, []string{"v"}, "lanes and list, lanes alone, list alone", false},
	{WholeSet, InTimeline, []string{"a"}, "of everything, or of what is selected", true},
	{FoldLess, InYAML, []string{"left"}, "fold one level more", false},
	{FoldMore, InYAML, []string{"right"}, "unfold one level", false},
	{FoldBlock, InYAML, []string{"space"}, "fold, or unfold, the block of the line", true},
	{Warnings, InEvents, []string{"W"}, "warnings only", true},
	{Leftward, InLogs, []string{"left"}, "back to the left, where lines are not wrapped", false},
	{Rightward, InLogs, []string{"right"}, "more of long lines, where they are not wrapped", false},
	{Previous, InLogs, []string{"p"}, "previous instance", true},
	{NextCont, InLogs, []string{"v"}, "next container", true},
	{AllPods, InLogs, []string{"M"}, "all pods together, or the one that fails", true},
	{Stamps, InLogs, []string{"i"}, "times of day, exact times, or none", false},
	{Save, InLogs, []string{"s"}, "save the lines to a file", false},
	{Suspend, Global, []string{"ctrl+z"}, "suspend", false},
	{Redraw, Global, []string{"ctrl+l"}, "draw the screen again", false},
	{Commands, Global, []string{":"}, "commands, with completion", true},
	{Back, Global, []string{"esc"}, "back, clear the filter", false},
	{Help, Global, []string{"?"}, "help", true},
	{Quit, Global, []string{"q", "ctrl+c"}, "quit (q closes first what is open)", true},
	{PlayPause, InReplay, []string{".", "P"}, "play or pause", true},
	{PrevChange, InReplay, []string{","}, "the change before", false},
	{NextChange, InReplay, []string{";"}, "the next change", false},
	{NextMark, InReplay, []string{"}"}, "next mark (the verdict changes, a cause begins)", true},
	{PrevMark, InReplay, []string{"{"}, "the mark before", false},
	{Slower, InReplay, []string{"<"}, "slower", false},
	{Faster, InReplay, []string{">"}, "faster", false},
	{Rewind, InReplay, []string{"(", "shift+left"}, "10 seconds back", false},
	{Forward, InReplay, []string{")", "shift+right"}, "10 seconds on", false},
	{FirstFailure, InReplay, []string{"!"}, "the first failure", false},
	{CauseStart, InReplay, []string{"B"}, "where the row's cause begins", false},
	{ToStart, InReplay, []string{"0"}, "the beginning", false},
	{ToEnd, InReplay, []string{"$"}, "the end", false},
	{Accept, InText, []string{"enter"}, "keep", true},
	{Cancel, InText, []string{"esc", "ctrl+c"}, "cancel", true},
}
