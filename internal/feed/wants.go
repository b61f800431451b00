package feed

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Wants is what the receiver of a feed's batches wants to know beyond the roots.
type Wants struct {
	// Gen grows with every declaration. One with a smaller Gen than the last
	// has been overtaken and is ignored. [Batch.Answered] echoes it.
	Gen uint64
	// Children lists the parents whose generated children are to be followed.
	// Ignored by feeds that follow all children.
	Children []object.ID
	// Events lists the objects whose events are wanted: what is not Current
	// and seen, with its descendants.
	Events []object.ID
	Logs   []LogKey
	// Refs lists objects that a cause may depend on and that nobody follows: a
	// node, a claim, a storage class, a ConfigMap (its metadata only). Each is
	// fetched once in a while for as long as it is named here, and arrives like
	// any other object, in Objects or in Absent. An ID without a name asks for
	// all objects of the kind in its namespace.
	Refs []object.ID
	// Visible lists what is on the screen now, for the order of first syncs.
	Visible []object.ID
}

// Detail is one full object, ready to be shown.
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
	// Tail asks for that many of the newest lines as they stand, once. With 0 the
	// log is followed, from as much history as the feed thinks fit.
	Tail int `json:"tail,omitzero"`
}

// LogChunk is a piece of a log.
type LogChunk struct {
	Lines  []LogLine `json:"lines,omitempty"`
	Cursor uint64    `json:"cursor,omitzero"` // pass it to the next call
	Missed int       `json:"missed,omitzero"` // lines that were dropped because nobody asked in time
	Ended  bool      `json:"ended,omitzero"`  // nothing more will come; true beside an error that will not heal
}

// LogLine is one clean line.
type LogLine struct {
	At   time.Time `json:"at,omitzero"`
	Text string    `json:"text,omitzero"`
	// Aside says that these are not the container's words: that it began anew,
	// or what its node says.
	Aside bool `json:"aside,omitzero"`
}
