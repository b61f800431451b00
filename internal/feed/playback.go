package feed

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Jump is what happened in skipped time. A large one comes in several
// consecutive batches: the state is incomplete until the last.
type Jump struct {
	// Anew says that the whole state is invalid: a memory follows, or an empty
	// state. (In a damaged file it may come again in the middle of a jump.)
	Anew bool
	// Memory is the state at an earlier moment, in parts to be applied one
	// after the other. They are shared and must not be modified. Known says
	// that there are no more parts.
	Memory []*Memory
	Known  bool
	// Past are the batches from then on, oldest first, each at its own time.
	Past []Batch
	More bool // the next batch continues it
}

// Playback is the state of a playback. It is shared and must not be modified.
type Playback struct {
	Start, End time.Time // of the recording
	Speed      float64   // 1 is as recorded
	Paused     bool
	Marks      []Mark // in order of time
}

// Damage says that a recording was cut off or is damaged: what came after is
// not known.
type Damage struct {
	At   time.Time // time of the last readable line
	Cut  bool      // the file only ends; otherwise the next line is unreadable, or too large
	Text string
}

// Mark is a moment to find again: the verdict changed, or a cause began.
type Mark struct {
	At      time.Time     `json:"at,omitzero"`
	Verdict status.Status `json:"verdict,omitzero"` // the new verdict; "" if the mark is a cause's
	Cause   string        `json:"cause,omitzero"`   // the id of the cause that began, or ""
	Title   string        `json:"title,omitzero"`   // of the cause
}
