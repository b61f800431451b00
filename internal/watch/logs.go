package watch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// The limits of a log.
const (
	logTail    = 500  // lines of history, unless asked for otherwise
	logKept    = 5000 // lines kept for whoever asks late
	logMoment  = 500 * time.Millisecond
	logPause   = 50 * time.Millisecond // between two answers of a log that pours
	logLinger  = 2 * time.Second       // how long a stream outlives the wish for it
	logRetry   = 2 * time.Second
	maxLogLine = 64 << 10

	// of a tail that is read once
	logPatience  = 3 * time.Second
	logTailBytes = 64 << 10
)

// logKeeper holds the log streams that are open.
type logKeeper struct {
	e  *Engine
	mu sync.Mutex
	by map[feed.LogKey]*logStream
}

func newLogKeeper(e *Engine) *logKeeper {
	return &logKeeper{e: e, by: map[feed.LogKey]*logStream{}}
}

// want closes the streams that are not wanted any more, after a moment.
func (k *logKeeper) want(keys []feed.LogKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, l := range k.by {
		if key.Tail > 0 {
			continue // it ends by itself
		}
		wanted := slices.Contains(keys, key)
		l.mu.Lock()
		switch {
		case wanted && l.closing != nil:
			l.closing.Stop()
			l.closing = nil
		case !wanted && l.closing == nil:
			l.closing = time.AfterFunc(logLinger, func() { k.close(key, l) })
		}
		l.mu.Unlock()
	}
}

func (k *logKeeper) close(key feed.LogKey, l *logStream) {
	l.cancel()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by[key] == l {
		delete(k.by, key)
	}
}

// Logs implements feed.Feed.
func (e *Engine) Logs(ctx context.Context, key feed.LogKey, since uint64) (feed.LogChunk, error) {
	k := e.logs
	k.mu.Lock()
	l := k.by[key]
	if l == nil {
		if err := e.ctx.Err(); err != nil {
			k.mu.Unlock()
			return feed.LogChunk{}, err
		}
		l = &logStream{e: e, key: key, more: make(chan struct{})}
		l.ctx, l.cancel = context.WithCancel(e.ctx)
		k.by[key] = l
		e.spawn(l.run)
	}
	k.mu.Unlock()
	return l.read(ctx, since)
}

// logStream follows one container's log. Lines are numbered from 1; the oldest
// are dropped when nobody asks.
type logStream struct {
	e      *Engine
	key    feed.LogKey
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	lines   []feed.LogLine
	dropped uint64 // lines before the first of lines
	ended   bool
	err     error
	more    chan struct{} // closed when something came
	closing *time.Timer
	lastAt  time.Time
	told    time.Time // when lines were handed over last

	ran bool // the container that wrote the newest line has ended; of run alone
}

func (l *logStream) read(ctx context.Context, since uint64) (feed.LogChunk, error) {
	l.mu.Lock()
	pause := logPause - time.Since(l.told)
	l.mu.Unlock()
	if since > 0 && pause > 0 {
		if err := sleep(ctx, pause); err != nil {
			return feed.LogChunk{Cursor: since}, err
		}
	}
	t := time.NewTimer(logMoment)
	defer t.Stop()
	for {
		l.mu.Lock()
		end := l.dropped + uint64(len(l.lines))
		if since > end {
			since = 0 // a cursor of an earlier stream
		}
		c := feed.LogChunk{Cursor: end, Ended: l.ended}
		if since < l.dropped {
			if since > 0 {
				c.Missed = int(l.dropped - since)
			}
			since = l.dropped
		}
		c.Lines = slices.Clone(l.lines[since-l.dropped:])
		more, err := l.more, l.err
		if len(c.Lines) > 0 {
			l.told = time.Now()
		}
		l.mu.Unlock()
		if len(c.Lines) > 0 {
			c.Ended = c.Ended && err == nil // the error is told next
			return c, nil
		}
		if err != nil || c.Ended {
			return c, err
		}
		select {
		case <-ctx.Done():
			return c, ctx.Err()
		case <-t.C:
			return c, nil
		case <-more:
		}
	}
}

// put adds lines or a change of state and wakes the readers.
func (l *logStream) put(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	if over := len(l.lines) - logKept; over > 0 {
		l.lines = slices.Delete(l.lines, 0, over)
		l.dropped += uint64(over)
	}
	close(l.more)
	l.more = make(chan struct{})
}

func (l *logStream) run() {
	if l.key.Tail > 0 {
		l.once()
		return
	}
	refused := 0
	for l.ctx.Err() == nil {
		err := l.follow(l.ctx)
		if l.ctx.Err() != nil {
			return
		}
		switch c := kube.Code(err); {
		case err == nil || errors.Is(err, io.EOF):
			// The end of a log is the end of its container, or of a connection.
			refused = 0
			if l.key.Previous || !l.mayGoOn() {
				l.put(func() { l.ended = true })
				return
			}
			l.ran = !l.lastAt.IsZero()
		case errors.Is(err, errLogGone):
			l.put(func() { l.err, l.ended = err, l.key.Previous })
			if l.key.Previous {
				return
			}
		case c == 404 && l.gone():
			l.put(func() { l.ended = true })
			return
		case c != 0 || kube.IsForeign(err):
			l.put(func() { l.err = errors.New(object.Clean(kube.ErrorText(err))) })
			if c != http.StatusBadRequest { // that is how a container says that it waits to start
				refused++
			}
		default:
			l.e.gate.trip()
			if l.e.gate.wait(l.ctx, l.key.Pod.Name) != nil {
				return
			}
		}
		_ = sleep(l.ctx, logRetry<<min(refused, 4))
	}
}

// once reads the end of a log. Whoever asks for it later finds a new one.
func (l *logStream) once() {
	ctx, cancel := context.WithTimeout(l.ctx, logPatience)
	defer cancel()
	err := l.follow(ctx)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err != nil && (kube.Code(err) != 0 || kube.IsForeign(err)) {
		err = errors.New(object.Clean(kube.ErrorText(err)))
	}
	l.put(func() { l.err, l.ended = err, true })
	if sleep(l.ctx, logLinger) == nil {
		l.e.logs.close(l.key, l)
	}
}

// errLogGone is a kubelet's word that the files of a container are removed. It
// says so in the middle of an answer that began well (kubernetes v1.36
// pkg/kubelet/kuberuntime/kuberuntime_container.go, GetContainerLogs).
var errLogGone = errors.New("the node has removed the files of that container")

const kubeletGone = "unable to retrieve container logs for "

// mayGoOn reports whether the container may write more, as far as is known.
func (l *logStream) mayGoOn() bool {
	o := l.e.hub.object(l.key.Pod)
	if o == nil || o.Pod == nil {
		return o != nil
	}
	for i := range o.Pod.Containers {
		if c := &o.Pod.Containers[i]; c.Name == l.key.Container || l.key.Container == "" {
			return c.State.Kind != "terminated" || o.Pod.Phase == "Running"
		}
	}
	return o.Pod.Phase != "Succeeded" && o.Pod.Phase != "Failed"
}

func (l *logStream) gone() bool { return l.e.hub.object(l.key.Pod) == nil }

func (l *logStream) follow(ctx context.Context) error {
	q := url.Values{"timestamps": {"true"}}
	if l.key.Container != "" {
		q.Set("container", l.key.Container)
	}
	switch {
	case l.key.Tail > 0:
		q.Set("limitBytes", strconv.Itoa(logTailBytes))
	case !l.key.Previous:
		q.Set("follow", "true")
	}
	if l.key.Previous {
		q.Set("previous", "true")
	}
	l.mu.Lock()
	last := l.lastAt
	l.mu.Unlock()
	if last.IsZero() {
		tail := l.key.Tail
		if tail <= 0 {
			tail = logTail
		}
		q.Set("tailLines", strconv.Itoa(tail))
	} else {
		q.Set("sinceTime", last.UTC().Format(time.RFC3339)) // whole seconds: some lines come twice
	}
	p := l.key.Pod
	body, err := l.e.client.Get(ctx, "/api/v1/namespaces/"+p.Namespace+"/pods/"+p.Name+"/log", q, "*/*")
	if err != nil {
		return err
	}
	defer body.Close()
	l.put(func() { l.err = nil })
	br := bufio.NewReaderSize(body, 32<<10)
	var batch []feed.LogLine
	for {
		text, err := readLogLine(br)
		if strings.HasPrefix(text, kubeletGone) {
			return errLogGone
		}
		if text != "" || err == nil {
			if line, ok := parseLogLine(text, last); ok {
				if l.ran {
					l.ran = false
					batch = append(batch, feed.LogLine{At: line.At, Text: "the container began anew", Aside: true})
				}
				batch = append(batch, line)
			}
		}
		// Hand over when there is nothing more to read at once.
		if len(batch) > 0 && (err != nil || br.Buffered() == 0 || len(batch) >= 200) {
			l.put(func() {
				l.lines = append(l.lines, batch...)
				if at := batch[len(batch)-1].At; !at.IsZero() {
					l.lastAt = at
				}
			})
			batch = nil
		}
		if err != nil {
			return err
		}
	}
}

// readLogLine reads a line; what is beyond its limit is skipped.
func readLogLine(br *bufio.Reader) (string, error) {
	var b []byte
	for {
		part, err := br.ReadSlice('\n')
		if room := maxLogLine - len(b); room > 0 {
			b = append(b, part[:min(len(part), room)]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return strings.TrimRight(string(b), "\r\n"), err
		}
	}
}

// parseLogLine takes the time off a line, and leaves out what came before.
func parseLogLine(text string, after time.Time) (feed.LogLine, bool) {
	stamp, rest, _ := strings.Cut(text, " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return feed.LogLine{Text: object.Clean(text), Aside: true}, true // we asked for times: the node's words
	}
	return feed.LogLine{At: at, Text: object.Clean(rest)}, after.IsZero() || at.After(after)
}
