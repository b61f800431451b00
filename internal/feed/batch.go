package feed

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Batch is the union of everything that has changed since the previous batch of a
// feed (a cluster or a recording). An object that has changed three times in
// between is in it once. The receiver owns the slices; the objects they point to
// are shared and immutable.
//
// Apply Roots first, then Gone, Absent, Objects, Events and Sources: a recreated
// object is Gone with its old UID and in Objects with the new one.
type Batch struct {
	Seq   uint64    `json:"seq,omitzero"`
	At    time.Time `json:"at,omitzero"`    // when it was handed over, by the feed's clock
	Skew  Duration  `json:"skew,omitempty"` // the server's clock minus this machine's, if large
	Roots []Root    `json:"roots,omitempty"`
	Gone  []Gone    `json:"gone,omitempty"`
	// roots and wanted Refs that do not exist: see ARCHITECTURE.md, Invariants
	Absent  []object.ID      `json:"absent,omitempty"`
	Objects []*object.Object `json:"objects,omitempty"`
	Events  []object.Event   `json:"events,omitempty"`
	// Sources are the changed states. A source that is no longer needed is sent
	// a last time with Phase Closed.
	Sources []SourceState `json:"sources,omitempty"`
	// Synced is true while every source but those of Refs has completed its first
	// list or has reported why it cannot, and every inventory is decided.
	Synced bool `json:"synced,omitempty"`
	// Answered is the Gen of the newest Wants whose sources have all completed
	// their first lists or reported why they cannot. Nothing waits for a reference
	// that is late ([SourceState]). A batch is sent when it grows, even if nothing
	// else has changed. Feeds that have nothing to look up answer with the last Gen.
	Answered uint64 `json:"-"`
	// EventsAnswered is the same for the wanted events: they have been listed, may
	// not be, or their list is late because it has failed. It never exceeds Answered.
	EventsAnswered uint64   `json:"-"`
	Notices        []Notice `json:"notices,omitempty"`
	// Known says whose children and events are known, from this batch on; until one says
	// so, it is those that were wanted and answered.
	Known Known `json:"-"`

	// The remaining fields are used by recordings only.

	// Jump comes with a recording's batch that does not follow the previous
	// one. It is applied first.
	Jump *Jump `json:"-"`
	// Playback is the state of the playback, if it has changed.
	Playback *Playback `json:"-"`
	// Damage is why the recording ends early, with its last batch.
	Damage *Damage `json:"-"`
	// Bookmark asks for a [Memory] of the state after this batch: a chapter of
	// the recording shall begin here.
	Bookmark bool `json:"-"`
}

// Known says how a receiver knows that nothing is missing below an object, and of its events.
type Known uint8

const (
	// KnownAsBefore says nothing new.
	KnownAsBefore Known = iota
	// KnownWhenAnswered is a feed that follows what is wanted: Answered and EventsAnswered
	// say how far it has come.
	KnownWhenAnswered
	// KnownBySources is a feed that cannot be asked: what its sources deliver is known.
	KnownBySources
)

// Duration is a time.Duration that is written as Go does ("1m30s").
type Duration time.Duration

// MarshalText writes it as Go does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// Gone is an object that was deleted, or is not followed any more.
type Gone struct {
	ID  object.ID `json:"id"`
	UID string    `json:"uid,omitempty"`
	// Dropped says that it is no longer followed: it was not deleted.
	Dropped bool `json:"dropped,omitempty"`
}

// Notice is one of the messages below the timeline: an API server's warning, a client
// library's message, a credential plugin's output.
type Notice struct {
	At    time.Time `json:"at"`
	Level string    `json:"level"` // "info", "warning" or "error"
	From  string    `json:"from"`
	Text  string    `json:"text"`
}
