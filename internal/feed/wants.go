package feed

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Wants is what the receiver of a feed's batches wants beyond the roots.
type Wants struct {
	// Gen grows with every declaration. A smaller one than the last is out of
	// date and ignored. [Batch.Answered] repeats it.
	Gen uint64
	// Children lists the parents whose generated children are to be followed.
	// Feeds that follow all children ignore it.
	Children []object.ID
	// Events lists the objects whose events are wanted: the worst of those that
	// are not Current, what explanations need, and the selected one.
	Events []object.ID
	Logs   []LogKey
	// Refs lists objects that a cause may depend on and that no source follows:
	// a node, a claim, a storage class, a ConfigMap (metadata only). Each is
	// read from time to time while it is listed here, and delivered like any
	// other object, in Objects or in Absent. An ID without a name means all
	// objects of the kind in its namespace.
	Refs []object.ID
	// Visible lists what is on the screen now, for the order of first syncs.
	Visible []object.ID
}

// Detail is one full object for display.
type Detail struct {
	ID   object.ID `json:"id,omitzero"`
	YAML string    `json:"yaml,omitzero"`
	At   time.Time `json:"at,omitzero"`
}

// LogKey names one stream of log lines.
type LogKey struct {
	Pod       object.ID `json:"pod,omitzero"`
	Container string    `json:"container,omitzero"`
	Previous  bool      `json:"previous,omitzero"`
	// Tail asks once for that many of the newest lines. With 0 the log is
	// followed, with as much history as the feed chooses.
	Tail int `json:"tail,omitzero"`
}

// LogChunk is a piece of a log.
type LogChunk struct {
	Lines  []LogLine `json:"lines,omitempty"`
	Cursor uint64    `json:"cursor,omitzero"` // pass it to the next call
	Missed int       `json:"missed,omitzero"` // lines dropped before they were read
	Ended  bool      `json:"ended,omitzero"`  // no more lines will come; with an error, that it is permanent
}

// LogLine is one line, cleaned.
type LogLine struct {
	At   time.Time `json:"at,omitzero"`
	Text string    `json:"text,omitzero"`
	// Remark marks a line that is not the container's output: that it was
	// restarted, or a message of its node.
	Remark bool `json:"aside,omitzero"`
}
