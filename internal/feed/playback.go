package feed

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Jump is what happened while nobody looked. A large one comes in several
// batches, one after the other: until the last of them has come, nothing is to be
// made of it.
type Jump struct {
	// Anew says that everything known is void: what follows begins from nothing,
	// or from a memory. (Where a file is damaged, that may be said again in the
	// middle of a jump.)
	Anew bool
	// Memory is what was known and remembered at some earlier moment, in parts
	// that are to be taken in one after the other. They are shared and must not be
	// changed. Known says that there are no more of them.
	Memory []*Memory
	Known  bool
	// Past are the batches from then on, oldest first, each at its own moment.
	Past []Batch
	More bool // the next batch goes on with it
}

// Playback is how a recording is being played. It is shared and must not be
// changed.
type Playback struct {
	Start, End time.Time // of the recording
	Speed      float64   // 1 is as it was recorded
	Paused     bool
	Marks      []Mark // in the order of their moments
}

// Damage is where a recording was cut off, or is damaged: nothing is known of what
// came after it.
type Damage struct {
	At   time.Time // of the last thing that could be read
	Cut  bool      // it merely ends; else what stands there cannot be read, or is too much
	Text string
}

// Mark is a moment worth finding again: the verdict changed, or a cause began.
type Mark struct {
	At      time.Time     `json:"at,omitzero"`
	Verdict status.Status `json:"verdict,omitzero"` // from then on; "" where the mark is a cause's
	Cause   string        `json:"cause,omitzero"`   // the id of the cause that began, or ""
	Title   string        `json:"title,omitzero"`   // of the cause
}
