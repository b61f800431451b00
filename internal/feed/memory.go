package feed

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Memory is the state of a receiver of batches at a moment, including its
// history: a receiver that begins with it ends up in the same state as one that
// has received every batch. In a part of a memory each list holds a part, in
// this order: roots, objects, events, remembered facts, causes, the history,
// the rest; the time, Seq and the verdict are the whole's.
type Memory struct {
	At    time.Time
	Seq   uint64 // of its last batch
	State Batch  // all roots, objects, events, sources and notices
	// Verdict and Since are the verdict and its beginning.
	Verdict status.Status
	Since   time.Time
	Moving  bool      // the verdict was not Current at some time after the first sync
	Began   time.Time // when it last ceased to be Current, zero if never
	Synced  bool      // everything was known once; State says whether it is
	Left    bool      // something is followed no longer, and still existed
	Objects []Remembered
	Deleted []Deleted
	History []Transition // the newest, oldest first
	Causes  []Began
}

// Began is the history of a cause: when it was found, and its earliest known
// onset. Both are nanoseconds before the memory's time, plus one; 0 is unknown.
type Began struct {
	ID    string `json:"id,omitzero"`
	Found int64  `json:"found,omitzero"`
	Since int64  `json:"since,omitzero"`
}

// Remembered is the history of an object. Times are nanoseconds before the
// memory's time, which keeps them short.
type Remembered struct {
	object.ID
	Seen    int64           `json:"seen,omitzero"`   // when it was first observed
	Status  status.Status   `json:"status,omitzero"` // the assessment's; "" is Current
	Reason  string          `json:"reason,omitzero"` // unless Current
	Since   int64           `json:"since,omitzero"`
	Fault   int64           `json:"fault,omitzero"` // FaultSince, 0 for none
	What    string          `json:"what,omitzero"`  // Fault
	Retries *status.Retry   `json:"retries,omitzero"`
	Crashes *[]status.Crash `json:"crashes,omitzero"` // a pointer, so that values are comparable
	Changed int64           `json:"changed,omitzero"`
	Moved   int64           `json:"moved,omitzero"`
	// since when it is Current: 0 for since first observed, or [SinceChanged]
	Current int64 `json:"current,omitzero"`
	Took    int64 `json:"took,omitzero"` // how long that took; 0 if that is since first observed
	Lost    int   `json:"lost,omitzero"` // how often it stopped being Current since LostAt
	LostAt  int64 `json:"lostAt,omitzero"`
	Gone    int64 `json:"gone,omitzero"` // when it was deleted, 0 if it was not
}

// SinceChanged says that an object has been Current since it last changed.
const SinceChanged = -1

// Deleted is a deleted object with its parent.
type Deleted struct {
	Parent object.ID      `json:"parent,omitzero"`
	Object *object.Object `json:"object,omitzero"`
}

// Transition is one entry of the history: a change of an object's status or
// reason.
type Transition struct {
	At      time.Time     `json:"at,omitzero"`
	ID      object.ID     `json:"id,omitzero"`
	From    status.Status `json:"from,omitzero"`
	To      status.Status `json:"to,omitzero"` // From is empty for the first entry
	Reason  string        `json:"reason,omitzero"`
	Message string        `json:"message,omitzero"`
}
