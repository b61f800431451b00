package recording

import (
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
}

// line is any line after the header: exactly one of its parts is there. Unknown
// parts are passed over.
type line struct {
	Batch  *batch
	Detail *status.Detail
	Logs   *logs
	End    *end
}

// batch is a status.Batch, or a part of a large one: More says that the next
// line holds more of the same moment.
type batch struct {
	status.Batch
	More bool
}

type logs struct {
	At    time.Time // when they were fetched
	Key   status.LogKey
	Chunk status.LogChunk
}

// end says that the recording was ended properly, and when.
type end struct{ At time.Time }

func appendLine(b []byte, v any) []byte {
	return append(appendValue(b, reflect.ValueOf(v)), '\n')
}

func readLine(text []byte, into any) error {
	v, err := decode(text)
	if err != nil {
		return err
	}
	return assign(reflect.ValueOf(into).Elem(), v)
}
