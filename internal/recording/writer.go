package recording

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const (
	// flushEvery bounds what a kill loses.
	flushEvery = time.Second
	// partObjects bounds a line: a larger batch is written as several.
	partObjects = 200
)

// Writer writes what passes through the feeds it taps. Its methods may be
// called from any goroutine. Writing never stops the program that is recorded:
// the first error ends the recording and is returned by Close.
type Writer struct {
	mu      sync.Mutex
	out     io.WriteCloser
	zip     *gzip.Writer
	buf     []byte
	dirty   bool
	closed  bool
	err     error
	written map[status.LogKey]uint64 // log cursors that have been written
	said    bool                     // the error has been handed over as a notice
	stop    chan struct{}            // closed by Close; ends the flusher
	flusher sync.WaitGroup
}

// Create begins a recording in a file. An existing file is replaced only if it
// is a recording itself.
func Create(name string, h Header) (*Writer, error) {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		old, err := Open(name)
		if err != nil && !errors.Is(err, errEmpty) {
			return nil, fmt.Errorf("%s exists and is not a recording", name)
		}
		if old != nil {
			_ = old.Close()
		}
	}
	// What a cluster runs is not everybody's business.
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return NewWriter(f, h), nil
}

// NewWriter begins a recording. It owns out from now on.
func NewWriter(out io.WriteCloser, h Header) *Writer {
	zip, _ := gzip.NewWriterLevel(out, gzip.BestSpeed) // the level is valid
	w := &Writer{out: out, zip: zip, written: map[status.LogKey]uint64{}, stop: make(chan struct{})}
	h.Schema = Schema
	w.write(h)
	w.flusher.Go(w.flushRegularly)
	return w
}

func (w *Writer) flushRegularly() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
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
	if w.dirty && w.err == nil {
		w.dirty = false
		w.err = w.zip.Flush()
	}
}

// write appends lines.
func (w *Writer) write(values ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || w.closed {
		return
	}
	w.buf = w.buf[:0]
	for _, v := range values {
		w.buf = appendLine(w.buf, v)
	}
	_, w.err = w.zip.Write(w.buf)
	w.dirty = true
	if cap(w.buf) > 1<<20 {
		w.buf = nil // the first batch of a large set is the largest by far
	}
}

// Close ends the recording at a moment of the recorded feed's clock, and says
// what went wrong, if anything did.
func (w *Writer) Close(at time.Time) error {
	w.write(line{End: &end{At: at}})
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return w.err
	}
	w.closed = true
	close(w.stop)
	w.mu.Unlock()
	w.flusher.Wait()
	w.mu.Lock()
	if err := w.zip.Close(); w.err == nil {
		w.err = err
	}
	if err := w.out.Close(); w.err == nil {
		w.err = err
	}
	return w.err
}

// Tap is the same feed, with everything that it hands over written down.
func (w *Writer) Tap(feed Feed) Feed { return &tap{Feed: feed, w: w} }

type tap struct {
	Feed
	w *Writer
}

func (t *tap) Next(ctx context.Context, since uint64) (status.Batch, error) {
	b, err := t.Feed.Next(ctx, since)
	if err != nil {
		return b, err
	}
	t.w.batch(b)
	if failed := t.w.failure(); failed != nil {
		b.Notices = append(b.Notices, status.Notice{
			At: b.At, Level: "error", From: "recording",
			Text: fmt.Sprintf("the recording ended early: %v", failed),
		})
	}
	return b, nil
}

// failure is the error that ended the recording, once.
func (w *Writer) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil || w.said {
		return nil
	}
	w.said = true
	return w.err
}

func (w *Writer) batch(b status.Batch) {
	b.Answered, b.Told = 0, 0 // they answer this run's questions, not a replay's
	objects := b.Objects
	if len(objects) <= partObjects {
		w.write(line{Batch: &batch{Batch: b}})
		return
	}
	// What has to be applied before the objects stands in the first part, what
	// is applied after them in the last.
	first, last := b, status.Batch{Seq: b.Seq, At: b.At, Synced: b.Synced, Events: b.Events, Sources: b.Sources, Notices: b.Notices}
	first.Events, first.Sources, first.Notices, first.Synced = nil, nil, nil, false
	part := first
	for len(objects) > partObjects {
		part.Objects = objects[:partObjects]
		w.write(line{Batch: &batch{Batch: part, More: true}})
		objects = objects[partObjects:]
		part = status.Batch{Seq: b.Seq, At: b.At}
	}
	last.Objects = objects
	w.write(line{Batch: &batch{Batch: last}})
}

func (t *tap) Detail(ctx context.Context, id status.ID) (status.Detail, error) {
	d, err := t.Feed.Detail(ctx, id)
	if err != nil {
		return d, err
	}
	// What cannot be read, and so not be rid of its values, is not recorded.
	kept := d
	if text, err := withoutValues(d.YAML); err == nil {
		kept.YAML = text
		t.w.write(line{Detail: &kept})
	}
	return d, nil
}

func (t *tap) Logs(ctx context.Context, key status.LogKey, since uint64) (status.LogChunk, error) {
	c, err := t.Feed.Logs(ctx, key, since)
	if err == nil {
		t.w.logs(key, since, c)
	}
	return c, err
}

// logs writes the lines of a chunk that have not been written yet: a pane that
// is opened again asks from the beginning.
func (w *Writer) logs(key status.LogKey, since uint64, c status.LogChunk) {
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
	w.write(line{Logs: &logs{At: time.Now(), Key: key, Chunk: c}})
}
