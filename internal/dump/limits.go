package dump

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// The limits of what is read. They are far above what the tools write for a large
// cluster.
const (
	maxFiles   = 1_000_000
	maxBytes   = 8 << 30   // bytes that are read in all, decompressed
	maxKept    = 512 << 20 // bytes of the objects that are kept in memory
	maxLogs    = 64 << 20  // bytes of the logs that are kept in memory: in a compressed archive, or between objects
	maxLog     = 256 << 10 // bytes of one log: its last ones
	maxObject  = 16 << 20  // bytes of one object; etcd takes 1.5 MiB
	maxPending = 16 << 20  // bytes of the items of one list that come before the list says their kind
	maxArchive = 2         // levels of archives, each of them compressed or not
	maxDepth   = 64        // levels of folders
)

// omissions collects what was left out, and why: one line for each reason, with the
// number of times and the first place.
type omissions struct {
	mu    sync.Mutex
	order []string
	first map[string]string
	count map[string]int
}

func (o *omissions) add(why, where string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count == nil {
		o.count, o.first = map[string]int{}, map[string]string{}
	}
	if o.count[why]++; o.count[why] == 1 {
		o.order = append(o.order, why)
		o.first[why] = where
	}
}

// lines says what was left out: "x.yaml and 3 more: broken YAML: …".
func (o *omissions) lines() (out []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, why := range o.order {
		where := o.first[why]
		if n := o.count[why] - 1; n > 0 {
			where += fmt.Sprintf(" and %d more", n)
		}
		out = append(out, strings.TrimPrefix(where+": "+why, ": "))
	}
	return slices.Clip(out)
}

// meter is a reader that fails after maxObject bytes. reset begins the next object.
type meter struct {
	io.Reader
	left int
}

var errTooLarge = fmt.Errorf("an object is larger than %d MB", maxObject>>20)

func (m *meter) reset() { m.left = maxObject }

func (m *meter) Read(b []byte) (int, error) {
	if m.left <= 0 {
		return 0, errTooLarge
	}
	n, err := m.Reader.Read(b)
	m.left -= n
	return n, err
}
