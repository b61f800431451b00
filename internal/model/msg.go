package model

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Msg is something that has happened: one of Bubble Tea's own, or one declared in
// this file. [Model.Update] has a line for each.
type Msg = tea.Msg

// Facts from the feed and from the clock.
type (
	// BatchArrived brings what changed. Update answers with the command for
	// the next one.
	BatchArrived struct{ Batch feed.Batch }
	// FeedEnded says that no further batch will come. Err is io.EOF for a
	// recording that has played, context.Canceled when the program ends.
	FeedEnded struct{ Err error }
	// WantsSent says that the feed has been told.
	WantsSent struct{ Gen uint64 }
	// ClockTicked is the only clock the model has: about once a second, and at
	// [Model.NextWake].
	ClockTicked struct{ Now time.Time }
	// DetailLoaded answers loadDetail. An answer to an older question (another
	// Gen) is dropped.
	DetailLoaded struct {
		Gen    uint64
		Detail feed.Detail
		Err    error
	}
	// LogsArrived answers readLogs.
	LogsArrived struct {
		Gen   uint64
		Key   feed.LogKey
		Chunk feed.LogChunk
		Err   error
	}
	// WordsRead answers readWords: the line of a container's log that says why
	// it ended, or nothing.
	WordsRead struct {
		Line string
		Err  error

		what world.Reading
	}
	// TemplateRead answers readTemplate.
	TemplateRead struct {
		ID       object.ID
		Template explain.Template
		Err      error
	}
	// CausesFound answers explainWorld. An answer to an older question (another
	// Gen) is dropped. Took is how long it took, which whoever runs commands knows.
	CausesFound struct {
		Gen   uint64
		Found explain.Explanation
		Took  time.Duration
	}
	// NoticeArrived is a line for the log of messages that did not come from
	// the feed: what a library or a plugin printed.
	NoticeArrived struct{ Notice feed.Notice }
)

// Facts from the terminal, in terms of what is on the screen, not of cells.
type (
	// Measured says how many rows the present layout gives to the tree and to
	// the open pane, and how many lines the open pane's content has at its
	// width. Whoever lays out sends it when one of these changed, so that
	// paging and the ends of scrolling are exact. PaneTop is the first line that
	// the pane shows: a search, or a line's cursor, moves it. PaneFirst is which
	// that is when wrapped lines count once.
	Measured struct{ TreeRows, PaneRows, PaneLines, PaneTop, PaneFirst int }
	// RowClicked, FoldClicked and TabClicked are mouse clicks.
	RowClicked  struct{ Key RowKey }
	FoldClicked struct{ Key RowKey }
	TabClicked  struct{ Pane Pane }
	// LineClicked is a click on a line of the YAML pane that opens a block.
	LineClicked struct{ No int }
	// TimeClicked is a click on the line of a recording's time.
	TimeClicked struct{ At time.Time }
	// Scrolled is the wheel over the tree or over the pane: lines down, or up
	// when negative.
	Scrolled struct {
		Over  Focus
		Lines int
	}
	// BackgroundKnown tells whether the terminal's background is dark.
	BackgroundKnown struct{ Dark bool }
	// SourcesKnown are names of what could be followed.
	SourcesKnown struct{ Names []string }
	// Copied says that text went to the clipboard. What is named for the user.
	Copied struct{ What string }
)

// Wishes that only the terminal's owner can fulfil. Commands return them like
// answers; whoever runs commands acts on them, and hands them to Update too.
type (
	// QuitAsked ends the program.
	QuitAsked struct{}
	// SuspendAsked puts the program into the background.
	SuspendAsked struct{}
	// RedrawAsked wipes and draws the whole screen again.
	RedrawAsked struct{}
	// CopyAsked puts text into the clipboard.
	CopyAsked struct{ What, Text string }
	// NotifyAsked draws the user's attention: a bell and a notification.
	NotifyAsked struct{ Title, Text string }
	// ThemeAsked changes the colours.
	ThemeAsked struct{ Name string }
	// ReportAsked writes a report of the present state.
	// Format is md, json or svg; "" means md. Copy puts it into the clipboard
	// instead of a file.
	ReportAsked struct {
		Format string
		Copy   bool
	}
	// SaveAsked writes text to a file, whose name begins and ends like Name.
	SaveAsked struct{ Name, Text string }
	// ReopenAsked follows something else: in another context of the kubeconfig,
	// or another SOURCE with its flags, as one would type them. What is "" stays.
	ReopenAsked struct{ Context, Source string }
	// SourcesAsked looks for what could be followed; SourcesKnown answers.
	SourcesAsked struct{}
)
