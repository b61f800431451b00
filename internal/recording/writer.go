package recording

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/spool"
)

const (
	// flushEvery bounds what is lost if the process is killed.
	flushEvery = time.Second
	// partObjects and partBytes bound a line: a larger batch is split.
	partObjects = 200
	partBytes   = 1 << 20
	// A chapter ends after this many changes, or a third as many as there are
	// objects, or after this many bytes. Seeking reads the objects and then the
	// changes, and neither should take much longer.
	chapterChanges = 1500
	chapterBytes   = 8 << 20
	// heldBatches bounds how many batches wait for the consumer's memory.
	heldBatches = 200
)

// Writer writes what passes through the feeds it taps. Its methods may be
// called from any goroutine. A failure never affects the recorded program: the
// first error ends the recording and is returned by Close.
type Writer struct {
	// Now is the clock of the feeds, for what has no time of its own; nil means
	// time.Now. It is set before the first feed is tapped.
	Now func() time.Time

	mu      sync.Mutex
	out     *counter
	zip     *gzip.Writer
	dirty   bool
	closed  bool
	err     error
	secrets bool                   // keep values that look like secrets
	redact  *redactor              // nil to keep names
	written map[feed.LogKey]uint64 // log cursors already written
	noticed bool                   // the error has been reported as a notice
	stop    context.CancelFunc     // ends the flusher
	flusher sync.WaitGroup

	seq           uint64 // of the last batch
	synced        bool   // as of the last batch
	objects       int    // number of objects at the chapter's beginning
	stateBytes    int    // uncompressed bytes of the state at the chapter's beginning
	chapter       int
	chapterOffset int64       // offset of the current chapter
	marks         []feed.Mark // made in the current chapter
	details       bool        // the chapter holds details or log lines
	changes       int         // in the current chapter
	bytes         int         // uncompressed, in the current chapter

	// Set between a bookmark and the memory that answers it.
	requested    uint64 // the feed's number of the batch with the bookmark
	requestedSeq uint64 // this writer's number of it
	held         []feed.Batch
	// While a memory is being written the zip is busy: lines wait here.
	building bool
	built    *sync.Cond // of mu: building has ended
	queue    []any
}

// counter counts the bytes written.
type counter struct {
	io.WriteCloser
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.WriteCloser.Write(b)
	c.n += int64(n)
	return n, err
}

// Create begins a recording in a file. An existing file is replaced only if it
// is a recording itself.
func Create(name string, h Header) (*Writer, error) {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() > 0 && !isRecording(name) {
		return nil, fmt.Errorf("%s exists and is not a recording", name)
	}
	f, err := spool.Create(name, 0o600) // readable by the user alone
	if err != nil {
		return nil, err
	}
	return NewWriter(f, h), nil
}

// isRecording reports whether a file begins as a recording does.
func isRecording(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	lines, err := newLineReader(f, nil)
	if err != nil {
		return false
	}
	h, _ := headerOf(lines) // also one of another version
	return strings.HasPrefix(h.Schema, schemas)
}

// NewWriter begins a recording and takes ownership of out. If the header says
// so, names and messages are replaced.
func NewWriter(out io.WriteCloser, h Header) *Writer {
	w := &Writer{
		out: &counter{WriteCloser: out}, written: map[feed.LogKey]uint64{}, chapter: 1,
	}
	w.built = sync.NewCond(&w.mu)
	w.zip = gzip.NewWriter(w.out)
	marker{Chapter: 1, At: h.Started.UTC()}.begin(w.zip, w.out)
	h.Started = h.Started.UTC()
	w.secrets = h.Secrets
	if h.Redacted {
		w.redact = newRedactor()
		h = w.redact.header(h)
	}
	h.Schema = Schema
	w.mu.Lock()
	w.line(h)
	w.mu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	w.flusher.Go(func() { w.flushRegularly(ctx) })
	return w
}

func (w *Writer) flushRegularly(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.mu.Lock()
			w.flush()
			w.mu.Unlock()
		}
	}
}

// flush hands what was compressed to the operating system. w.mu is held.
func (w *Writer) flush() {
	if w.dirty && w.err == nil && !w.building {
		w.dirty = false
		w.err = w.zip.Flush()
	}
}

// line appends a line. w.mu is held, or no other goroutine writes.
func (w *Writer) line(v any) {
	text, err := encode(v)
	w.write(text, err)
}

func (w *Writer) write(text []byte, err error) {
	if w.err != nil || w.closed {
		return
	}
	if w.err = err; err == nil {
		w.bytes += len(text)
		_, w.err = w.zip.Write(text)
		w.dirty = true
	}
}

// add queues a feed.Batch or a line.
func (w *Writer) add(v any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.building {
		w.queue = append(w.queue, v)
		return
	}
	w.put(v)
}

func (w *Writer) put(v any) {
	switch v := v.(type) {
	case feed.Batch:
		w.batch(v)
	case line:
		if v = inUTC(v); v.Mark != nil {
			w.marks = append(w.marks, *v.Mark)
		} else {
			w.details = true
		}
		w.line(v)
	}
}

// Close ends the recording at a time of the recorded feed's clock, and returns
// the first error. A second call, also at the same time, only returns the error.
func (w *Writer) Close(at time.Time) error {
	w.stop()
	w.flusher.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return w.err
	}
	for w.building { // a memory may still be being written
		w.built.Wait()
	}
	w.next(marker{At: at.UTC(), End: true})
	w.line(line{End: &end{At: at.UTC()}})
	w.closed = true
	if err := w.zip.Close(); w.err == nil {
		w.err = err
	}
	if err := w.out.Close(); w.err == nil {
		w.err = err
	}
	return w.err
}

// next ends the current chapter and begins another.
func (w *Writer) next(m marker) {
	if w.err == nil {
		w.err = w.zip.Close()
	}
	w.chapter++
	m.Chapter, m.Before, m.Marks, m.Details = w.chapter, w.chapterOffset, w.marks, w.details
	w.chapterOffset = w.out.n
	w.marks, w.details, w.changes, w.bytes = nil, false, 0, 0
	m.begin(w.zip, w.out)
}

// Tap returns a feed that writes down everything that source hands over.
func (w *Writer) Tap(source feed.Feed) feed.Feed { return &tap{Feed: source, w: w} }

type tap struct {
	feed.Feed
	w *Writer
}

func (t *tap) Next(ctx context.Context, since uint64) (feed.Batch, error) {
	b, err := t.Feed.Next(ctx, since)
	if err != nil {
		return b, err
	}
	t.w.add(b)
	b.Bookmark = t.w.bookmark(b.Seq)
	if failed := t.w.failure(); failed != nil {
		b.Notices = append(b.Notices, feed.Notice{
			At: b.At, Level: "error", From: "recording",
			Text: fmt.Sprintf("the recording ended early: %v", failed),
		})
	}
	return b, nil
}

// failure returns the error that ended the recording, the first time it is
// called.
func (w *Writer) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil || w.noticed {
		return nil
	}
	w.noticed = true
	return w.err
}

// bookmark reports whether the batch numbered seq, which has just been written,
// ends its chapter.
func (w *Writer) bookmark(seq uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	due := w.changes >= max(chapterChanges, w.objects/3) ||
		w.bytes >= max(chapterBytes, w.stateBytes/3) && w.changes > 0
	if w.building || w.requested != 0 || !due || seq == 0 || w.err != nil {
		return false
	}
	w.requested, w.requestedSeq = seq, w.seq
	return true
}

// Remember receives the consumer's state after the batch with the bookmark: a
// chapter begins with it.
func (t *tap) Remember(m feed.Memory) {
	w := t.w
	w.mu.Lock()
	if m.Seq != w.requested || w.requested == 0 || w.closed || w.err != nil {
		w.mu.Unlock()
		return
	}
	w.requested, w.building = 0, true
	held := w.held
	w.held = nil
	m.Seq = w.requestedSeq
	w.next(marker{At: m.At.UTC()})
	w.mu.Unlock()

	written, err := w.remember(w.cleanMemory(m))

	w.mu.Lock()
	defer w.mu.Unlock()
	w.objects, w.stateBytes = len(m.State.Objects), written
	if w.err == nil {
		w.err = err
	}
	for _, b := range held {
		w.writeBatch(b)
	}
	w.building = false
	for _, v := range w.queue {
		w.put(v)
	}
	w.queue = nil
	w.built.Broadcast()
}

// remember writes the beginning of a chapter and returns its length. No other
// goroutine uses the zip then.
func (w *Writer) remember(m feed.Memory) (int, error) {
	rest := state{Batch: m.State, Remembered: m.Objects, Deleted: m.Deleted, History: m.History, Causes: m.Causes}
	var parts [][]byte
	for {
		part, last := rest,
			len(rest.Roots)+len(rest.Objects)+len(rest.Events)+len(rest.Remembered)+len(rest.Causes)+
				len(rest.History) <= partObjects
		if !last {
			part = state{}
			switch {
			case len(rest.Roots) > 0:
				part.Roots, rest.Roots = cut(rest.Roots)
			case len(rest.Objects) > 0:
				part.Objects, rest.Objects = cut(rest.Objects)
			case len(rest.Events) > 0:
				part.Events, rest.Events = cut(rest.Events)
			case len(rest.Remembered) > 0:
				part.Remembered, rest.Remembered = cut(rest.Remembered)
			case len(rest.Causes) > 0:
				part.Causes, rest.Causes = cut(rest.Causes)
			default:
				part.History, rest.History = cut(rest.History)
			}
		}
		text, err := encode(line{State: &part})
		if err != nil {
			return 0, err
		}
		if parts = append(parts, text); last {
			break
		}
	}
	head, err := encode(
		line{Chapter: &chapter{
			At: m.At, Seq: m.Seq, Verdict: m.Verdict, Since: m.Since, Moving: m.Moving,
			Began: m.Began, Synced: m.Synced, Left: m.Left, Parts: len(parts),
		}})
	if err != nil {
		return 0, err
	}
	return w.zip.Write(append(head, bytes.Join(parts, nil)...))
}

func cut[T any](list []T) (part, rest []T) {
	n := min(len(list), partObjects)
	return list[:n], list[n:]
}

// Mark records a moment to find again.
func (t *tap) Mark(m feed.Mark) {
	if t.w.redact != nil {
		m = t.w.redact.mark(m)
	}
	t.w.add(line{Mark: &m})
}

// batch writes a batch that is not empty. w.mu is held.
func (w *Writer) batch(b feed.Batch) {
	if w.seq > 0 && b.Synced == w.synced &&
		len(b.Roots)+len(b.Gone)+len(b.Absent)+len(b.Objects)+len(b.Events)+len(b.Sources)+len(b.Notices) == 0 {
		return
	}
	w.seq++
	b.Seq, w.synced = w.seq, b.Synced
	b = w.clean(b)
	if w.requested != 0 {
		if w.held = append(w.held, b); len(w.held) > heldBatches {
			w.requested, w.held, w.changes, w.bytes = 0, nil, 0, 0 // the consumer does not answer
		}
	}
	w.writeBatch(b)
}

func (w *Writer) writeBatch(b feed.Batch) {
	w.changes += len(b.Objects)
	w.part(batch{Batch: b})
}

// part writes a batch, split into several lines if it is large. What must be
// applied before the objects goes into the first line, what is applied after
// them into the last.
func (w *Writer) part(b batch) {
	n := len(b.Objects)
	var text []byte
	var err error
	if n <= partObjects {
		if text, err = encode(line{Batch: &b}); len(text) <= partBytes || n < 2 {
			w.write(text, err)
			return
		}
	}
	first, rest := b, batch{More: b.More}
	n = min(partObjects, n/2)
	first.More = true
	first.Objects, rest.Objects = b.Objects[:n], b.Objects[n:]
	first.Events, first.Sources, first.Notices, first.Synced = nil, nil, nil, false
	rest.Seq = b.Seq
	rest.At = b.At
	rest.Synced = b.Synced
	rest.Skew = b.Skew
	rest.Events = b.Events
	rest.Sources = b.Sources
	rest.Notices = b.Notices
	w.part(first)
	w.part(rest)
}

func (t *tap) Detail(ctx context.Context, id object.ID) (feed.Detail, error) {
	d, err := t.Feed.Detail(ctx, id)
	if err != nil || t.w.redact != nil { // YAML may hold names anywhere
		return d, err
	}
	// YAML that cannot be parsed cannot be masked, and is not recorded.
	kept := d
	if text, err := withoutValues(d.YAML, t.w.secrets); err == nil {
		kept.YAML = text
		t.w.add(line{Detail: &kept})
	}
	return d, nil
}

// Usage is not recorded: it has no part in what is judged.
func (t *tap) Usage(ctx context.Context, of feed.UsageOf) ([]feed.PodUsage, error) {
	if m, ok := t.Feed.(feed.Meter); ok {
		return m.Usage(ctx, of)
	}
	return nil, feed.ErrMetricsHidden
}

func (t *tap) Logs(ctx context.Context, key feed.LogKey, since uint64) (feed.LogChunk, error) {
	c, err := t.Feed.Logs(ctx, key, since)
	if err == nil && t.w.redact == nil {
		t.w.logs(key, since, c)
	}
	return c, err
}

// logs writes the lines of a chunk that are new: a pane that is opened again
// asks from the beginning.
func (w *Writer) logs(key feed.LogKey, since uint64, c feed.LogChunk) {
	w.mu.Lock()
	written := w.written[key]
	w.written[key] = max(written, c.Cursor)
	w.mu.Unlock()
	if since < written {
		keep := 0
		if c.Cursor > written {
			keep = int(min(c.Cursor-written, uint64(len(c.Lines))))
		}
		c.Lines = c.Lines[len(c.Lines)-keep:]
		c.Missed = 0
	}
	if len(c.Lines) == 0 && c.Missed == 0 && !c.Ended {
		return
	}
	at := time.Now()
	if w.Now != nil {
		at = w.Now()
	}
	w.add(line{Logs: &logs{At: at, Key: key, Chunk: c}})
}
