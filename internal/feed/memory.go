package feed

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Memory is everything that a receiver of batches knows at a moment, with what
// it remembers of how that came about: who begins with it ends up with the same
// as who has seen every batch. In a part of one the lists hold a part each, in
// this order: roots, objects, events, what is remembered, causes, the history,
// and the rest; the moment, Seq and the verdict are the whole's.
type Memory struct {
	At    time.Time
	Seq   uint64 // of the last batch in it
	State Batch  // all roots, objects, events, sources and notices
	// Verdict and Since are the verdict and when it became that.
	Verdict status.Status
	Since   time.Time
	Moving  bool      // it has been another than Current since everything was known
	Began   time.Time // when it last ceased to be Current, zero where it never was
	Objects []Remembered
	Deleted []Deleted
	History []Transition // the newest, oldest first
	Causes  []Began
}

// Began is what is remembered of a cause: when it was found, and the earliest
// moment that anything ever told it to have begun at. Both are nanoseconds
// before the memory's moment, and one more; 0 is unknown.
type Began struct {
	ID    string `json:"id,omitzero"`
	Found int64  `json:"found,omitzero"`
	Since int64  `json:"since,omitzero"`
}

// Remembered is what is known of an object beside itself. The times are
// nanoseconds before the memory's moment, so that they are short.
type Remembered struct {
	object.ID
	Seen    int64           `json:"seen,omitzero"`   // when it was first observed
	Status  status.Status   `json:"status,omitzero"` // the judgement; "" is Current
	Reason  string          `json:"reason,omitzero"` // of a judgement that is not Current
	Since   int64           `json:"since,omitzero"`
	Fault   int64           `json:"fault,omitzero"` // FaultSince, 0 for none
	Retries *status.Retry   `json:"retries,omitzero"`
	Crashes *[]status.Crash `json:"crashes,omitzero"` // nil for none, so that two of these can be compared
	Changed int64           `json:"changed,omitzero"`
	Moved   int64           `json:"moved,omitzero"`
	Current int64           `json:"current,omitzero"` // since when it is Current: 0 for since it was first observed, or [SinceChanged]
	Took    int64           `json:"took,omitzero"`    // how long that took; 0 where that is from the beginning to Current
	Lost    int             `json:"lost,omitzero"`    // how often it has stopped being Current since LostAt
	LostAt  int64           `json:"lostAt,omitzero"`
	Gone    int64           `json:"gone,omitzero"` // when it was deleted, 0 when it was not
}

// SinceChanged says that an object has been Current since it last changed.
const SinceChanged = -1

// Deleted is a deleted object that is remembered with its parent.
type Deleted struct {
	Parent object.ID      `json:"parent,omitzero"`
	Object *object.Object `json:"object,omitzero"`
}

// Transition is one entry of the history: an object changed its status, or
// the reason for it.
type Transition struct {
	At      time.Time     `json:"at,omitzero"`
	ID      object.ID     `json:"id,omitzero"`
	From    status.Status `json:"from,omitzero"`
	To      status.Status `json:"to,omitzero"` // From is empty for the first sight
	Reason  string        `json:"reason,omitzero"`
	Message string        `json:"message,omitzero"`
}
