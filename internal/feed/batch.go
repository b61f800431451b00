package feed

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Batch is what a feed (a cluster or a recording) hands over at once: the union of
// everything that changed since the batch before. An object that changed three
// times in between stands in it once. The receiver owns the slices; the objects
// they point to are shared and immutable.
//
// Within a batch, apply Roots, then Gone, then Absent, then Objects, then
// Events and Sources: a recreated object is Gone with its old UID and stands in
// Objects with the new one.
type Batch struct {
	Seq     uint64           `json:"seq,omitzero"`
	At      time.Time        `json:"at,omitzero"`    // when it was handed over, by the feed's clock
	Skew    Duration         `json:"skew,omitempty"` // the server's clock minus ours, where it is worth a word
	Roots   []Root           `json:"roots,omitempty"`
	Gone    []Gone           `json:"gone,omitempty"`
	Absent  []object.ID      `json:"absent,omitempty"` // asked for, and a completed list says it does not exist
	Objects []*object.Object `json:"objects,omitempty"`
	Events  []Event          `json:"events,omitempty"`
	// Sources are the states that changed. A source that is no longer needed
	// is sent a last time with Phase Closed.
	Sources []SourceState `json:"sources,omitempty"`
	// Synced is true once every source that was needed for the roots has
	// completed its first list or has said why it cannot.
	Synced bool `json:"synced,omitempty"`
	// Answered is the Gen of the newest Wants whose every source has completed
	// its first list or has said why it cannot. A batch is handed over when it
	// grows, even if nothing else changed. Feeds that have nothing to look up
	// answer with the Gen they were last told.
	Answered uint64 `json:"-"`
	// Told is the same once the events that were wanted have been listed, too
	// (or have failed to be). It follows Answered and never overtakes it.
	Told    uint64   `json:"-"`
	Notices []Notice `json:"notices,omitempty"`

	// What follows is between a recording and whoever reads it; a cluster knows
	// nothing of it.

	// Jump comes with a recording's batch that does not simply follow the one
	// before. It is applied before everything else in the batch.
	Jump *Jump `json:"-"`
	// Playback is how the recording is being played, where that has changed.
	Playback *Playback `json:"-"`
	// Damage is why the recording ends before its end, with its last batch.
	Damage *Damage `json:"-"`
	// Bookmark asks for a [Memory] as it is after this batch: it is being
	// recorded, and a player shall be able to begin here.
	Bookmark bool `json:"-"`
}

// Duration is a time.Duration that JSON writes as Go does ("1m30s").
type Duration time.Duration

// MarshalText writes it as Go does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// Gone is an object that existed and was deleted, or is not followed any more.
type Gone struct {
	ID  object.ID `json:"id"`
	UID string    `json:"uid,omitempty"`
	// Dropped says that nobody follows it any more: it was not deleted.
	Dropped bool `json:"dropped,omitempty"`
}

// Notice is a line for the log pane: an API server's warning, a client
// library's message, what an exec plugin printed.
type Notice struct {
	At    time.Time `json:"at"`
	Level string    `json:"level"` // "info", "warning" or "error"
	From  string    `json:"from"`
	Text  string    `json:"text"`
}
