// Package podlogs streams containers' logs and reads the tails of logs, for
// [feed.Feed]. A stream outlives the last request for a moment, and a broken
// connection for as long as the container may write.
package podlogs

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion/queryparams"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Limits of a log.
const (
	tailLines    = 500                    // default lines of history
	keptLines    = 5000                   // lines kept in memory
	dropTogether = 200                    // the least number of lines that are dropped from memory at once
	longestRead  = 500 * time.Millisecond // how long a read waits for lines
	burstPause   = 50 * time.Millisecond  // before a read looks for lines, which come in bursts
	Linger       = 2 * time.Second        // how long a stream outlives the last request for it
	retryAfter   = 2 * time.Second
	maxLine      = 64 << 10

	// TailPatience is how long a tail, which is read once, may take to come.
	TailPatience = 3 * time.Second
	tailBytes    = 64 << 10 // of up to manyLines lines
	manyLines    = 100
	tailBytesMax = 2 << 20 // of more: the limit cuts off the newest lines
)

// Keeper holds the open logs. Its methods are safe for concurrent use.
type Keeper struct {
	Context context.Context // ends all streams
	Client  *kube.Client
	Gate    *gate.Gate
	// Object returns a Pod as it is known, or nil.
	Object func(object.ID) *object.Object
	// Spawn runs a stream.
	Spawn func(func())
	// Patience is how long a tail may take to come; TailPatience if zero.
	Patience time.Duration

	mu      sync.Mutex
	streams map[feed.LogKey]*stream
}

// Want closes the streams that are no longer wanted, after Linger.
func (k *Keeper) Want(keys []feed.LogKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, l := range k.streams {
		switch wanted := slices.Contains(keys, key); {
		case wanted && l.closing != nil:
			l.closing.Stop()
			l.closing = nil
		case !wanted && l.closing == nil:
			l.closing = time.AfterFunc(Linger, func() {
				l.cancel()
				k.mu.Lock()
				defer k.mu.Unlock()
				if k.streams[key] == l {
					delete(k.streams, key)
				}
			})
		}
	}
}

// Read implements Logs of [feed.Feed].
func (k *Keeper) Read(ctx context.Context, key feed.LogKey, since uint64) (feed.LogChunk, error) {
	if err := k.Context.Err(); err != nil {
		return feed.LogChunk{}, err
	}
	if key.Tail > 0 {
		return k.tail(ctx, key)
	}
	k.mu.Lock()
	l := k.streams[key]
	if l == nil {
		ctx, cancel := context.WithCancel(k.Context)
		l = &stream{k: k, key: key, ctx: ctx, cancel: cancel, changed: make(chan struct{}, 1)}
		if k.streams == nil {
			k.streams = map[feed.LogKey]*stream{}
		}
		k.streams[key] = l
		k.Spawn(l.run)
	}
	k.mu.Unlock()
	return l.read(ctx, since)
}

// tail reads the end of a log, once.
func (k *Keeper) tail(ctx context.Context, key feed.LogKey) (feed.LogChunk, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(k.Patience, TailPatience))
	defer cancel()
	l := &stream{k: k, key: key, ctx: ctx}
	if err := l.follow(); err != nil && len(l.lines) == 0 {
		return feed.LogChunk{Ended: true}, inWords(err)
	}
	return feed.LogChunk{Lines: l.lines, Cursor: uint64(len(l.lines)), Ended: true}, nil
}

// stream follows a container's log. Lines are numbered from 1; the oldest are dropped.
type stream struct {
	k       *Keeper
	key     feed.LogKey
	ctx     context.Context
	cancel  context.CancelFunc // nil of a tail
	closing *time.Timer        // nil of a tail; guarded by k.mu

	changed chan struct{} // buffered, one: something was put since the last look; nil of a tail

	mu      sync.Mutex
	lines   []feed.LogLine
	dropped uint64 // lines before the first of lines
	ended   bool
	err     error

	// Used by run alone.
	lastAt time.Time // of the newest line that has one
	ran    bool      // the container that wrote that line has ended
}

// read returns the lines after since. It waits for some for at most longestRead.
func (l *stream) read(ctx context.Context, since uint64) (feed.LogChunk, error) {
	for over := time.After(longestRead); ; {
		if err := gate.Sleep(ctx, burstPause); err != nil {
			return feed.LogChunk{Cursor: since}, err
		}
		l.mu.Lock()
		end := l.dropped + uint64(len(l.lines))
		if since > end {
			since = 0 // the cursor is of an earlier stream
		}
		from := max(since, l.dropped)
		c := feed.LogChunk{Lines: slices.Clone(l.lines[from-l.dropped:]), Cursor: end, Ended: l.ended}
		if since > 0 {
			c.Missed = int(from - since)
		}
		err := l.err
		l.mu.Unlock()
		if len(c.Lines) > 0 {
			c.Ended = c.Ended && err == nil // the error comes with the next chunk
			return c, nil
		}
		if err != nil || c.Ended {
			return c, err
		}
		select {
		case <-ctx.Done():
			return feed.LogChunk{Cursor: since}, ctx.Err()
		case <-over:
			return c, nil
		case <-l.changed:
		}
	}
}

// put changes lines or state.
func (l *stream) put(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	if over := len(l.lines) - keptLines; over >= dropTogether {
		l.lines = slices.Delete(l.lines, 0, over)
		l.dropped += uint64(over)
	}
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

func (l *stream) run() {
	refused := 0
	for l.ctx.Err() == nil {
		err := l.follow()
		if l.ctx.Err() != nil {
			return
		}
		switch c := kube.Code(err); {
		case err == nil && (l.key.Previous || !l.mayGoOn()), c == 404 && l.k.Object(l.key.Pod) == nil:
			l.put(func() { l.ended = true })
			return
		case err == nil: // the log ended with its container, or with the connection
			refused, l.ran = 0, !l.lastAt.IsZero()
		case errors.Is(err, errLogGone):
			l.put(func() { l.err, l.ended = err, l.key.Previous })
			if l.key.Previous {
				return
			}
		case c != 0 || kube.IsForeign(err):
			l.put(func() { l.err = inWords(err) })
			if c != http.StatusBadRequest { // 400 means that the container is waiting to start
				refused++
			}
		default:
			l.k.Gate.Trip()
			_ = l.k.Gate.Wait(l.ctx)
		}
		_ = gate.Sleep(l.ctx, retryAfter<<min(refused, 4))
	}
}

func inWords(err error) error { return errors.New(object.Clean(kube.ErrorText(err))) }

// errLogGone is the kubelet's message that a container's log files have been
// removed. It comes in the middle of an answer that began well (kubernetes
// v1.36 pkg/kubelet/kuberuntime/kuberuntime_container.go, GetContainerLogs).
var errLogGone = errors.New("the node has removed the files of that container")

const kubeletGone = "unable to retrieve container logs for "

// mayGoOn reports whether the container may write more, as far as is known.
func (l *stream) mayGoOn() bool {
	o := l.k.Object(l.key.Pod)
	if o == nil || o.Pod == nil {
		return o != nil
	}
	ended := slices.ContainsFunc(o.Pod.Containers, func(c object.Container) bool {
		return c.Name == l.key.Container && c.State.Kind == "terminated"
	})
	return o.Pod.Phase == "Running" || !ended && o.Pod.Phase != "Succeeded" && o.Pod.Phase != "Failed"
}

// follow reads the log to its end, from where the last call ended.
func (l *stream) follow() error {
	o := corev1.PodLogOptions{
		Container: l.key.Container, Previous: l.key.Previous, Timestamps: true,
		Follow: l.key.Tail == 0 && !l.key.Previous, TailLines: new(int64(cmp.Or(l.key.Tail, tailLines))),
	}
	if l.key.Tail > 0 {
		o.LimitBytes = new(int64(tailBytes))
		if l.key.Tail > manyLines {
			o.LimitBytes = new(int64(tailBytesMax))
		}
	}
	last := l.lastAt
	if !last.IsZero() { // in whole seconds: some lines are repeated
		o.TailLines, o.SinceTime = nil, &metav1.Time{Time: last}
	}
	q, _ := queryparams.Convert(&o) // its types are known
	p := l.key.Pod
	body, err := l.k.Client.Get(l.ctx, "/api/v1/namespaces/"+p.Namespace+"/pods/"+p.Name+"/log", q, kube.AcceptText)
	if err != nil {
		return err
	}
	defer body.Close()
	l.put(func() { l.err = nil })
	br := bufio.NewReaderSize(body, 32<<10)
	for {
		text, err := readLine(br)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case strings.HasPrefix(text, kubeletGone):
			return errLogGone
		}
		line, fresh := parseLine(text, last)
		if !fresh {
			continue
		}
		l.put(func() {
			if l.ran {
				l.lines = append(l.lines, feed.LogLine{At: line.At, Text: "the container began anew", Remark: true})
			}
			l.lines = append(l.lines, line)
		})
		l.ran = false
		if !line.At.IsZero() {
			l.lastAt = line.At
		}
	}
}

// readLine reads a line and skips what exceeds the limit. What an error cuts off
// is no line: it will be read again.
func readLine(br *bufio.Reader) (string, error) {
	var b []byte
	for {
		part, err := br.ReadSlice('\n')
		b = append(b, part[:min(len(part), maxLine-len(b))]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil || errors.Is(err, io.EOF) && len(b) > 0: // a container's last line may have no end
			return strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r"), nil
		}
		return "", err
	}
}

// parseLine splits the time from a line; false for lines up to after.
func parseLine(text string, after time.Time) (feed.LogLine, bool) {
	stamp, rest, _ := strings.Cut(text, " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return feed.LogLine{Text: object.Clean(text), Remark: true}, true // a line without a time is the node's message
	}
	return feed.LogLine{At: at, Text: object.Clean(rest)}, at.After(after)
}
