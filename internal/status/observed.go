package status

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
	Seq     uint64           `json:"seq"`
	At      time.Time        `json:"at"`             // when it was handed over, by the feed's clock
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
	Answered uint64 `json:"answered,omitempty"`
	// Told is the same once the events that were wanted have been listed, too
	// (or have failed to be). It follows Answered and never overtakes it.
	Told    uint64   `json:"told,omitempty"`
	Notices []Notice `json:"notices,omitempty"`

	// What follows is between a recording and whoever reads it; a cluster knows
	// nothing of it.

	// Jump comes with a recording's batch that does not simply follow the one
	// before. It is applied before everything else in the batch.
	Jump *Jump `json:"-" recording:"-"`
	// Playback is how the recording is being played, where that has changed.
	Playback *Playback `json:"-" recording:"-"`
	// Damage is why the recording ends before its end, with its last batch.
	Damage *Damage `json:"-" recording:"-"`
	// Bookmark asks for a [Memory] as it is after this batch: it is being
	// recorded, and a player shall be able to begin here.
	Bookmark bool `json:"-" recording:"-"`
}

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
	At      time.Time
	Verdict Status // from then on; "" where the mark is a cause's
	Cause   string // the id of the cause that began, or ""
	Title   string // of the cause
}

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
	Verdict Status
	Since   time.Time
	Moving  bool // it has been another than Current since everything was known
	Objects []Remembered
	Deleted []Deleted
	History []Transition // the newest, oldest first
	Causes  []Began
}

// Began is what is remembered of a cause: when it was found, and the earliest
// moment that anything ever told it to have begun at. Both are nanoseconds
// before the memory's moment, and one more; 0 is unknown.
type Began struct {
	ID           string
	Found, Since int64
}

// Remembered is what is known of an object beside itself. The times are
// nanoseconds before the memory's moment, so that they are short.
type Remembered struct {
	object.ID
	Seen    int64  // when it was first observed
	Status  Status // the judgement; "" is Current
	Reason  string // of a judgement that is not Current
	Since   int64
	Fault   int64 // FaultSince, 0 for none
	Retries *Retry
	Crashes *[]Crash // nil for none, so that two of these can be compared
	Changed int64
	Moved   int64
	Current int64 // since when it is Current: 0 for since it was first observed, or [SinceChanged]
	Took    int64 // how long that took; 0 where that is from the beginning to Current
	Lost    int   // how often it has stopped being Current since LostAt
	LostAt  int64
	Gone    int64 // when it was deleted, 0 when it was not
}

// SinceChanged says that an object has been Current since it last changed.
const SinceChanged = -1

// Deleted is a deleted object that is remembered with its parent.
type Deleted struct {
	Parent object.ID
	Object *object.Object
}

// Transition is one entry of the history: an object changed its status, or
// the reason for it.
type Transition struct {
	At       time.Time
	ID       object.ID
	From, To Status // From is empty for the first sight
	Reason   string
	Message  string
}

// Duration is a time.Duration that JSON writes as Go does ("1m30s").
type Duration time.Duration

// Root is something that was asked for: the verdict is taken over the roots.
type Root struct {
	ID      object.ID `json:"id"`
	Version string    `json:"version,omitempty"` // of the API, where it was named
	// Source is the argument that asked for it, as typed: "deploy/web",
	// "-f app.yaml".
	Source string `json:"source,omitempty"`
	// Order is the argument's or the manifest object's place among what was
	// asked for, from 1; objects that one selector found share it. 0 is unknown.
	Order int `json:"order,omitempty"`
	// Generation is the one that was applied, where it is known: an older
	// one is not yet what was asked for. Zero means any.
	Generation int64 `json:"generation,omitempty"`
	Optional   bool  `json:"optional,omitempty"` // may fail without failing the wait
	Removed    bool  `json:"removed,omitempty"`  // no longer asked for (a selector stopped matching, a member was pruned)

	// Inventory names the set that lists it ("Kustomization/apps"), and In is that
	// set's own root object, which it stands under. Both are empty for what no
	// inventory lists. Named says that the user named it all the same.
	Inventory string    `json:"inventory,omitempty"`
	In        object.ID `json:"in,omitzero"`
	Named     bool      `json:"named,omitempty"`
	// Kept says that the set listed it once and no longer does, and that it is
	// nevertheless there, or was until now. It does not count.
	Kept bool   `json:"kept,omitempty"`
	Note string `json:"note,omitempty"` // a few words beside its row
	// Revision is what the set is at, for the root of an inventory. Pending says
	// why its list is not complete: until it is empty, the root is not Current.
	Revision string `json:"revision,omitempty"`
	Pending  string `json:"pending,omitempty"`
	// Told is a status that is known from elsewhere: of a member in another
	// cluster, which is not looked up here, or of a root that has none of its own.
	Told Told `json:"told,omitzero"`
	// Said is what an inventory's writer says of it. It decides nothing; where it
	// differs from what is computed, that is worth a word.
	Said Said `json:"said,omitzero"`
}

// Asked reports whether the user named it, or selected it, rather than an
// inventory that lists it.
func (r *Root) Asked() bool { return r.In.IsZero() || r.Named }

// Told is a status that was read, not computed.
type Told struct {
	Status  Status `json:"status,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// Said is somebody else's word about an object.
type Said struct {
	By     string `json:"by,omitempty"`     // who says so: "Argo CD"
	Word   string `json:"word,omitempty"`   // in their language: "Degraded"
	Status Status `json:"status,omitempty"` // in ours, where there is one
}

// Gone is an object that existed and was deleted, or is not followed any more.
type Gone struct {
	ID  object.ID `json:"id"`
	UID string    `json:"uid,omitempty"`
	// Dropped says that nobody follows it any more: it was not deleted.
	Dropped bool `json:"dropped,omitempty"`
}

// Event is a Kubernetes event, from either of its two APIs, with the times
// already sorted out.
type Event struct {
	UID      string    `json:"uid"` // of the event itself
	About    object.ID `json:"about"`
	AboutUID string    `json:"aboutUID,omitempty"`
	Field    string    `json:"field,omitempty"` // involvedObject.fieldPath: spec.containers{web}
	Type     string    `json:"type"`            // Normal, Warning
	Reason   string    `json:"reason"`
	Message  string    `json:"message"`
	From     string    `json:"from,omitempty"` // the reporting component
	First    time.Time `json:"first,omitzero"`
	Last     time.Time `json:"last,omitzero"`
	Count    int       `json:"count,omitempty"`
	Gone     bool      `json:"gone,omitempty"` // expired or deleted
}

// Mode is how a source gets its data.
type Mode string

// The modes, from best to worst.
const (
	ModeWatch    Mode = "watch"
	ModePollList Mode = "poll-list"
	ModePollGet  Mode = "poll-get"
	ModeNone     Mode = "none"
)

// Phase is where a source stands.
type Phase string

// The phases of a source. Live is the only one in which data is known to be
// fresh.
const (
	Waiting   Phase = "waiting"    // not started yet
	Syncing   Phase = "syncing"    // the first list is on its way
	Live      Phase = "live"       //
	Stale     Phase = "stale"      // the connection is lost or silent; rows are kept
	Throttled Phase = "throttled"  // the server asked us to wait
	Forbidden Phase = "forbidden"  // these rights do not allow it
	NotServed Phase = "not-served" // the server does not know the kind (yet)
	Closed    Phase = "closed"     // no longer needed
)

// SourceState is the visible state of one stream of data.
type SourceState struct {
	Key       string    `json:"key"` // stable for as long as the source lives
	Group     string    `json:"group,omitempty"`
	Version   string    `json:"version,omitempty"`
	Resource  string    `json:"resource"`
	Kind      string    `json:"kind,omitempty"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name,omitempty"`     // a single-name watch
	Selector  string    `json:"selector,omitempty"` // a label selector
	Mode      Mode      `json:"mode"`
	Phase     Phase     `json:"phase"`
	Since     time.Time `json:"since,omitzero"`    // when Phase began
	LastData  time.Time `json:"lastData,omitzero"` // up to when what it tells is known to be so
	Error     string    `json:"error,omitempty"`   // one clean line
	Hint      string    `json:"hint,omitempty"`    // what to do about it, one clean line
	Verb      string    `json:"verb,omitempty"`    // the verb that was refused, for the hint
	Retry     time.Time `json:"retry,omitzero"`    // when it is tried again
	Objects   int       `json:"objects,omitempty"`
	Children  bool      `json:"children,omitempty"` // it follows generated children, not roots
	// Reports says that the server serves a status subresource for the kind, as
	// its discovery shows.
	Reports bool `json:"reports,omitempty"`
}

// Notice is a line for the log pane: an API server's warning, a client
// library's message, what an exec plugin printed.
type Notice struct {
	At    time.Time `json:"at"`
	Level string    `json:"level"` // "info", "warning" or "error"
	From  string    `json:"from"`
	Text  string    `json:"text"`
}
