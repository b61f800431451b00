package recording

import (
	"reflect"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Header is a recording's first line: what was followed, where and by what.
type Header struct {
	Schema    string
	Program   string // name and version of what wrote it
	Started   time.Time
	Sources   []string // the arguments, as typed
	Title     string
	Context   string // of the kubeconfig
	Namespace string
	Children  string // which generated children were followed: auto, all, none
	Redacted  bool   // names and messages are not those of the cluster
	Secrets   bool   // values that look like secrets are in it
}

// line is any line after the header: exactly one of its parts is there. Unknown
// parts are passed over.
type line struct {
	Batch   *batch
	Mark    *feed.Mark
	Detail  *feed.Detail
	Logs    *logs
	Chapter *chapter
	State   *state
	End     *end
}

// batch is a feed.Batch, or a part of a large one: More says that the next
// line holds more of the same moment. Objects that were written before, in the
// same chapter or at its beginning, come as Changes.
type batch struct {
	feed.Batch
	Changes []change
	More    bool
}

// change is an object, and what it was when it was written before. Only what is
// different stands in the file.
type change struct{ before, now *object.Object }

// chapter begins a chapter: everything that was known after the batch with
// that number, in so many state lines. Who reads from the beginning passes
// over them; who jumps begins with them.
type chapter struct {
	At      time.Time
	Seq     uint64
	Verdict status.Status
	Since   time.Time
	Moving  bool
	Parts   int
}

type state struct {
	feed.Batch
	Remembered []feed.Remembered
	Deleted    []feed.Deleted
	Causes     []feed.Began
	History    []feed.Transition
}

type logs struct {
	At    time.Time // when they were fetched
	Key   feed.LogKey
	Chunk feed.LogChunk
}

// end says that the recording was ended properly, and when.
type end struct{ At time.Time }

func appendLine(b []byte, v any) []byte {
	return append(appendValue(b, reflect.ValueOf(v)), '\n')
}
