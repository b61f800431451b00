package model

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
)

// Msg is an event: one of Bubble Tea's, or one of [panes] or [logs], or one declared in this file.
// [(*Model).Update] has a line for each.
type Msg = tea.Msg

// Facts from the feed and from the clock.
type (
	// BatchArrived brings changes. Update answers with the command for the next
	// batch.
	BatchArrived struct{ Batch feed.Batch }
	// FeedEnded says that no further batch will come. Err is io.EOF for a
	// recording that has ended, context.Canceled when the program ends.
	FeedEnded struct{ Err error }
	// ClockTicked is the model's only clock: about once a second, and at
	// [(*Model).NextWake].
	ClockTicked struct{ Now time.Time }
	// CauseRead answers readLog and readTemplate: what has been read.
	CauseRead struct {
		world.Text
		Err error

		what world.Reading
	}
	// CausesFound answers explain. An answer with an older Gen is dropped. Took
	// is its duration.
	CausesFound struct {
		Gen   uint64
		Found explain.Explanation
		Took  time.Duration
	}
	// NoticeArrived is a line for the message log that did not come from the
	// feed: output of a library or a plugin. Without a time it is of now.
	NoticeArrived struct{ Notice feed.Notice }
)

// Facts from the terminal, in terms of rows and lines, not of cells.
type (
	// RowClicked, FoldClicked and TabClicked are mouse clicks.
	RowClicked  struct{ Key rows.Key }
	FoldClicked struct{ Key rows.Key }
	TabClicked  struct{ Pane Pane }
	// LineClicked is a click on the first line of a block in the YAML pane.
	LineClicked struct{ No int }
	// TimeClicked is a click on a recording's time line.
	TimeClicked struct{ At time.Time }
	// Scrolled is the mouse wheel over the tree or the pane: lines down, or up
	// if negative.
	Scrolled struct {
		Over  Focus
		Lines int
	}
	// FlashRead says that the user has had the time to read [(*Model).Flash].
	FlashRead struct{}
	// BackgroundKnown reports whether the terminal's background is dark.
	BackgroundKnown struct{ Dark bool }
)
