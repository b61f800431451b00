package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The bounds within which a file is played. A recording of ten thousand Pods
// for a day stays far below them.
const (
	maxLine    = 16 << 20  // bytes of one line
	maxTotal   = 8 << 30   // bytes, decompressed
	maxBatch   = 1_000_000 // objects of one moment
	maxSideway = 128 << 20 // bytes of details and logs that are kept
	maxGap     = 31 * 24 * time.Hour
)

// NotRecorded is the error for what nobody looked at while recording.
type NotRecorded struct{ What string }

func (e *NotRecorded) Error() string { return "not recorded: " + e.What }

var errEmpty = errors.New("the recording holds nothing")

// Player plays a recording as a feed. Set Speed and Until before the first
// Next; everything else may be called from any goroutine.
type Player struct {
	// Speed is how fast time passes: 1 as it was recorded, 0 as fast as the
	// batches are taken.
	Speed float64
	// Until ends it at a moment of the recording; zero plays it to its end.
	Until time.Time

	header Header
	closer io.Closer

	read struct { // what Next alone touches, one call at a time
		sync.Mutex
		lines   *lineReader
		ahead   *status.Batch // the next one, once it was read
		last    status.Batch  // the one handed over last
		damage  error         // why reading ended early
		told    bool          // the damage has been handed over
		at      time.Time     // of the newest batch that was read
		pending *status.Batch // parts of a moment, so far
	}

	mu      sync.Mutex // guards what follows
	start   time.Time  // the first batch's moment
	now     time.Time  // the clock when it stands still
	origin  time.Time  // real time at which `start` was, while it runs
	running bool
	gen     uint64        // of the last Wants
	told    uint64        // that was answered
	wanted  chan struct{} // buffered, one: Wants have come; a full one needs no second
	details map[status.ID][]status.Detail
	logs    map[status.LogKey][]logs
	kept    int
}

// Open opens a recording. The error says what is wrong with the file in a line.
func Open(name string) (*Player, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	p, err := NewPlayer(f)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p.closer = f
	return p, nil
}

// NewPlayer plays what is read from r, which may be compressed or not. It reads
// up to the first moment.
func NewPlayer(r io.Reader) (*Player, error) {
	lines, err := newLineReader(r)
	if err != nil {
		return nil, err
	}
	text, err := lines.next()
	if err != nil {
		return nil, errors.New("not a recording: it has no first line")
	}
	p := &Player{
		Speed: 1, wanted: make(chan struct{}, 1),
		details: map[status.ID][]status.Detail{}, logs: map[status.LogKey][]logs{},
	}
	if err := readLine(text, &p.header); err != nil || !strings.HasPrefix(p.header.Schema, "kstatus-tui/recording/") {
		return nil, errors.New("not a recording: its first line does not say " + Schema)
	}
	if p.header.Schema != Schema {
		return nil, fmt.Errorf("it is a recording of another version: %.60s, this program reads %s", p.header.Schema, Schema)
	}
	p.read.lines = lines
	p.read.at = p.header.Started
	first, err := p.peek()
	if err != nil {
		if p.read.damage != nil {
			return nil, p.read.damage
		}
		return nil, errEmpty
	}
	p.start, p.now = first.At, first.At
	return p, nil
}

// Close gives the file back. A Next that waits ends by its context alone.
func (p *Player) Close() error {
	if p.closer == nil {
		return nil
	}
	return p.closer.Close()
}

// Header is the recording's first line.
func (p *Player) Header() Header { return p.header }

// Start is the moment of the first batch.
func (p *Player) Start() time.Time { return p.start }

// Now is the recording's clock: everything that shows an age measures from it.
func (p *Player) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clock()
}

// clock is Now with p.mu held.
func (p *Player) clock() time.Time {
	if !p.running {
		return p.now
	}
	return p.start.Add(time.Duration(float64(time.Since(p.origin)) * p.Speed))
}

// Moment reads a moment of the recording: a time as RFC 3339 writes it, or how
// long after its beginning ("90s", "1m30s").
func (p *Player) Moment(text string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		if t.Before(p.start) {
			return t, fmt.Errorf("the recording begins at %s", p.start.UTC().Format(time.RFC3339))
		}
		return t, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return p.start.Add(d), nil
	}
	return time.Time{}, fmt.Errorf("%q is neither a time (%s) nor a distance from the beginning (1m30s)",
		text, p.start.UTC().Format(time.RFC3339))
}

// Next hands over the next moment when it is due. One call at a time.
func (p *Player) Next(ctx context.Context, since uint64) (status.Batch, error) {
	p.read.Lock()
	defer p.read.Unlock()
	if since < p.read.last.Seq {
		return p.read.last, nil // asked again: the answer was lost
	}
	for {
		next, err := p.peek()
		if err == nil && !p.Until.IsZero() && next.At.After(p.Until) {
			err = io.EOF
		}
		if err != nil {
			if b, ok := p.ending(); ok {
				return b, nil
			}
			return status.Batch{}, p.ended(err)
		}
		due, answer, err := p.wait(ctx, next.At)
		if err != nil {
			return status.Batch{}, err
		}
		if answer {
			return p.hand(status.Batch{At: p.Now(), Synced: p.read.last.Synced}), nil
		}
		if due {
			p.read.ahead = nil
			return p.hand(*next), nil
		}
	}
}

// hand numbers a batch and lets it answer the last wish: a recording has
// nothing to look up.
func (p *Player) hand(b status.Batch) status.Batch {
	b.Seq = p.read.last.Seq + 1
	p.mu.Lock()
	p.told = p.gen
	b.Answered, b.Told = p.gen, p.gen
	if p.Speed == 0 {
		p.now = b.At
	}
	p.mu.Unlock()
	p.read.last = b
	return b
}

// ending is one last batch where there is still something to say: that the file
// was cut off, or the answer to a wish.
func (p *Player) ending() (status.Batch, bool) {
	p.mu.Lock()
	open := p.gen > p.told
	p.mu.Unlock()
	cut := p.read.damage != nil && !p.read.told
	if !open && !cut {
		return status.Batch{}, false
	}
	b := status.Batch{At: p.read.last.At, Synced: p.read.last.Synced}
	if cut {
		p.read.told = true
		b.Notices = []status.Notice{{At: b.At, Level: "warning", From: "recording", Text: p.read.damage.Error()}}
	}
	return p.hand(b), true
}

// ended stops the clock where the recording ends.
func (p *Player) ended(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = false
	p.now = p.read.at
	if !p.Until.IsZero() && p.Until.Before(p.now) {
		p.now = p.Until
	}
	return err
}

// wait waits until a moment is due, or until a wish has to be answered.
func (p *Player) wait(ctx context.Context, at time.Time) (due, answer bool, err error) {
	if p.Speed == 0 {
		return true, false, ctx.Err()
	}
	p.mu.Lock()
	if !p.running {
		p.running, p.origin = true, time.Now()
	}
	left := time.Duration(float64(at.Sub(p.clock())) / p.Speed)
	answer = p.gen > p.told && p.read.last.Seq > 0
	p.mu.Unlock()
	if left <= 0 {
		return true, false, ctx.Err()
	}
	if answer {
		return false, true, ctx.Err()
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false, false, ctx.Err()
	case <-timer.C:
		return true, false, nil
	case <-p.wanted:
		return false, false, nil
	}
}

// Want is answered with the next batch: what was recorded comes, whatever is
// wanted.
func (p *Player) Want(w status.Wants) {
	p.mu.Lock()
	p.gen = max(p.gen, w.Gen)
	p.mu.Unlock()
	select {
	case p.wanted <- struct{}{}:
	default:
	}
}

// Detail returns the newest recorded YAML of an object at the present moment.
func (p *Player) Detail(_ context.Context, id status.ID) (status.Detail, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock()
	list := p.details[id]
	for i := len(list) - 1; i >= 0; i-- {
		if !list[i].At.After(now) {
			return list[i], nil
		}
	}
	return status.Detail{}, &NotRecorded{What: "nobody had opened " + id.String() + " by then"}
}

// logPoll is how long Logs waits for a line that may still come.
const logPoll = 250 * time.Millisecond

// Logs returns what was recorded of a log up to the present moment.
func (p *Player) Logs(ctx context.Context, key status.LogKey, since uint64) (status.LogChunk, error) {
	c, ok := p.logLines(key, since)
	if !ok {
		return c, &NotRecorded{What: "nobody had read the log of " + key.Pod.Name + "/" + key.Container + " by then"}
	}
	if len(c.Lines) > 0 || c.Ended || p.Speed == 0 {
		return c, nil
	}
	timer := time.NewTimer(logPoll)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return c, ctx.Err()
	case <-timer.C:
	}
	c, _ = p.logLines(key, since)
	return c, nil
}

func (p *Player) logLines(key status.LogKey, since uint64) (status.LogChunk, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key.Tail = 0
	now := p.clock()
	out := status.LogChunk{Cursor: since}
	known := false
	at := uint64(0)
	for _, l := range p.logs[key] {
		if l.At.After(now) {
			break
		}
		known = true
		for _, text := range l.Chunk.Lines {
			if at++; at > since {
				out.Lines = append(out.Lines, text)
			}
		}
		out.Ended = l.Chunk.Ended
	}
	out.Cursor = max(since, at)
	return out, known
}

// peek reads up to the next moment.
func (p *Player) peek() (*status.Batch, error) {
	for p.read.ahead == nil {
		text, err := p.read.lines.next()
		if err != nil {
			if !errors.Is(err, io.EOF) && p.read.damage == nil {
				p.read.damage = err
			}
			p.read.ahead, p.read.pending = p.read.pending, nil
			if p.read.ahead == nil {
				return nil, io.EOF
			}
			break
		}
		var l line
		if err := readLine(text, &l); err != nil {
			p.read.lines.err = fmt.Errorf("the recording is damaged in line %d: %.200s", p.read.lines.number, err)
			continue
		}
		p.take(l)
	}
	return p.read.ahead, nil
}

func (p *Player) take(l line) {
	switch {
	case l.Batch != nil:
		b := l.Batch.Batch
		if p.read.pending != nil {
			b = join(*p.read.pending, b)
		}
		// A clock that jumps, in whatever direction, does not stop the show.
		if b.At.Before(p.read.at) || (!p.read.at.IsZero() && b.At.Sub(p.read.at) > maxGap) {
			b.At = p.read.at
		}
		p.read.at = b.At
		p.read.pending = &b
		if !l.Batch.More || len(b.Objects) > maxBatch {
			p.read.ahead, p.read.pending = &b, nil
		}
	case l.Detail != nil:
		p.mu.Lock()
		if p.keep(len(l.Detail.YAML)) {
			p.details[l.Detail.ID] = append(p.details[l.Detail.ID], *l.Detail)
		}
		p.mu.Unlock()
	case l.Logs != nil:
		size := 0
		for _, t := range l.Logs.Chunk.Lines {
			size += len(t.Text) + 40
		}
		l.Logs.Key.Tail = 0
		p.mu.Lock()
		if p.keep(size) {
			p.logs[l.Logs.Key] = append(p.logs[l.Logs.Key], *l.Logs)
		}
		p.mu.Unlock()
	case l.End != nil:
		if l.End.At.After(p.read.at) && l.End.At.Sub(p.read.at) <= maxGap {
			p.read.at = l.End.At
		}
	}
}

// keep says whether so many bytes more may be kept. p.mu is held.
func (p *Player) keep(bytes int) bool {
	if p.kept+bytes > maxSideway {
		return false
	}
	p.kept += bytes + 100
	return true
}

// join puts the parts of one moment together.
func join(a, b status.Batch) status.Batch {
	a.Roots = append(a.Roots, b.Roots...)
	a.Gone = append(a.Gone, b.Gone...)
	a.Absent = append(a.Absent, b.Absent...)
	a.Objects = append(a.Objects, b.Objects...)
	a.Events = append(a.Events, b.Events...)
	a.Sources = append(a.Sources, b.Sources...)
	a.Notices = append(a.Notices, b.Notices...)
	a.Synced = a.Synced || b.Synced
	return a
}

// lineReader reads lines within bounds. Its error is io.EOF at a proper end, or
// says in a line how the file is damaged.
type lineReader struct {
	r      *bufio.Reader
	number int
	total  int64
	err    error
}

func newLineReader(r io.Reader) (*lineReader, error) {
	plain := bufio.NewReader(r)
	head, err := plain.Peek(2)
	switch {
	case len(head) == 0 && errors.Is(err, io.EOF):
		return nil, errEmpty
	case bytes.Equal(head, []byte{0x1f, 0x8b}):
		zip, err := gzip.NewReader(plain)
		if err != nil {
			return nil, errors.New("not a recording: its compression is broken")
		}
		return &lineReader{r: bufio.NewReaderSize(zip, 64<<10)}, nil
	case len(head) > 0 && head[0] == '{':
		return &lineReader{r: plain}, nil
	}
	return nil, errors.New("not a recording: neither gzip nor JSON lines")
}

// next returns the next line; it is valid until the call after.
func (l *lineReader) next() ([]byte, error) {
	if l.err != nil {
		return nil, l.err
	}
	var out []byte
	for {
		part, err := l.r.ReadSlice('\n')
		l.total += int64(len(part))
		switch {
		case len(out)+len(part) > maxLine:
			l.err = fmt.Errorf("the recording is damaged: line %d is longer than %d MB", l.number+1, maxLine>>20)
		case l.total > maxTotal:
			l.err = fmt.Errorf("the recording is larger than %d GB", maxTotal>>30)
		case err == nil:
			l.number++
			if out == nil {
				return part, nil
			}
			return append(out, part...), nil
		case errors.Is(err, bufio.ErrBufferFull):
			out = append(out, part...)
			continue
		case errors.Is(err, io.EOF) && len(out)+len(part) == 0:
			l.err = io.EOF
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			l.err = fmt.Errorf("the recording was cut off in line %d", l.number+1)
		default:
			l.err = fmt.Errorf("the recording is damaged after line %d: %.100s", l.number, err)
		}
		return nil, l.err
	}
}
