package recording

import (
	"fmt"
	"reflect"
	"time"

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
}

// line is any line after the header: exactly one of its parts is there. Unknown
// parts are passed over.
type line struct {
	Batch   *batch
	Mark    *status.Mark
	Detail  *status.Detail
	Logs    *logs
	Chapter *chapter
	State   *state
	End     *end
}

// batch is a status.Batch, or a part of a large one: More says that the next
// line holds more of the same moment. In full stands only the first new object
// of a kind in a line; the others are Like the one of their kind before them.
// Objects that were written before in the same or an earlier chapter come as
// Changes.
type batch struct {
	status.Batch
	Like    []change
	Changes []change
	More    bool
}

// change is what is different of an object, from an older version of itself or
// from another one.
type change struct {
	ID  status.ID
	Set raw
}

// chapter begins a chapter: everything that was known after the batch with
// that number, in so many state lines. Who reads from the beginning passes
// over them; who jumps begins with them.
type chapter struct {
	At      time.Time
	Seq     uint64
	Verdict status.Status
	Since   time.Time
	Parts   int
}

type state struct {
	status.Batch
	Like       []change
	Remembered []status.Remembered
	Deleted    []status.Deleted
	History    []status.Transition
}

type logs struct {
	At    time.Time // when they were fetched
	Key   status.LogKey
	Chunk status.LogChunk
}

// end says that the recording was ended properly, and when.
type end struct{ At time.Time }

// alike splits objects into the first of each kind and what is different of the
// others: pods that one template has made differ in little.
func alike(objects []*status.Object) (first []*status.Object, like []change) {
	last := map[kind]*status.Object{}
	for _, o := range objects {
		k := kind{o.Group, o.Kind}
		before := last[k]
		last[k] = o
		if before == nil {
			first = append(first, o)
			continue
		}
		set, _ := appendDelta(nil, reflect.ValueOf(*before), reflect.ValueOf(*o))
		like = append(like, change{o.ID, set})
	}
	return first, like
}

type kind struct{ group, kind string }

// unlike puts together what alike has split.
func unlike(first []*status.Object, like []change) ([]*status.Object, error) {
	if len(like) == 0 {
		return first, nil
	}
	out := make([]*status.Object, len(first), len(first)+len(like))
	copy(out, first)
	last := map[kind]*status.Object{}
	for _, o := range first {
		last[kind{o.Group, o.Kind}] = o
	}
	for _, c := range like {
		k := kind{c.ID.Group, c.ID.Kind}
		if last[k] == nil {
			return nil, fmt.Errorf("%s is like nothing", c.ID)
		}
		o, err := patched(last[k], c.Set)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		o.ID = c.ID
		last[k] = o
		out = append(out, o)
	}
	return out, nil
}

func appendLine(b []byte, v any) []byte {
	return append(appendValue(b, reflect.ValueOf(v)), '\n')
}
