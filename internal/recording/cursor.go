package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// cursor reads a recording batch by batch, from the beginning of a chapter.
type cursor struct {
	lines   *lineReader
	file    *file
	chapter int // index of the current chapter

	seq     uint64      // of the newest batch
	at      time.Time   // its time
	pending *feed.Batch // the parts of a batch read so far
	open    bool        // more parts follow
	ahead   *feed.Batch // the next batch, if it has been read
	begun   bool        // there was a batch
	ended   bool        // a proper end was read
	damage  error       // why reading ended early
	cut     bool        // the file ends without a proper end
}

// file is the open file that all cursors read.
type file struct {
	r      io.ReaderAt
	size   int64
	header Header
	places []place
	quit   chan struct{} // closed with the player: readers stop
}

// openCursor returns a cursor at the beginning of a chapter. The state at the
// beginning is read by [cursor.remembered]; before the first chapter there is
// none.
func openCursor(f *file, chapter int) (*cursor, error) {
	lines, err := f.lines(chapter)
	if err != nil {
		return nil, err
	}
	c := &cursor{lines: lines, file: f, chapter: chapter, at: f.header.Started}
	if chapter == 0 {
		if _, err := lines.next(); err != nil { // the header
			return nil, err
		}
	}
	return c, nil
}

// next returns the next batch without taking it. At the end the error is
// io.EOF, and damage says whether the end is proper.
func (c *cursor) next() (*feed.Batch, error) {
	for c.ahead == nil {
		text, err := c.lines.next()
		if err != nil {
			switch {
			case c.damage != nil || errors.Is(err, io.EOF) && (c.ended || !c.begun):
			case errors.Is(err, io.EOF):
				c.damage, c.cut = fmt.Errorf("the recording was cut off after line %d", c.lines.number), true
			default:
				c.damage, c.cut = err, errors.Is(err, errCut)
			}
			c.ahead, c.pending = c.pending, nil
			if c.ahead == nil {
				return nil, io.EOF
			}
			break
		}
		if isState(text) {
			continue
		}
		var l line
		if err = decode(text, &l); err == nil {
			err = c.take(l)
		}
		if err != nil {
			c.lines.fail(err)
		}
	}
	return c.ahead, nil
}

// isState reports whether a line is part of the state at a chapter's beginning;
// those are most of a file.
func isState(text []byte) bool { return bytes.HasPrefix(text, []byte(`{"state":`)) }

// after moves a time that precedes the previous one, or is far ahead of it, to
// that: a clock that jumps does not stop the playback.
func after(at, before time.Time) time.Time {
	if at.Before(before) || (!before.IsZero() && at.Sub(before) > maxGap) {
		return before
	}
	return at
}

func (c *cursor) take(l line) error {
	if l.Chapter != nil && c.chapter+1 < len(c.file.places) {
		c.chapter++
		c.lines.total, c.lines.checked = 0, 0 // bounds apply to each chapter
	}
	if l.End != nil {
		c.at, c.ended = after(l.End.At, c.at), true
	}
	if l.Batch == nil {
		return nil
	}
	c.begun = true
	b := l.Batch.Batch
	if !c.open && b.Seq != 0 && b.Seq <= c.seq {
		return nil // the header is repeated in every chapter
	}
	if c.pending != nil {
		b = join(*c.pending, b)
	}
	if len(b.Roots)+len(b.Gone)+len(b.Absent)+len(b.Events)+len(b.Sources)+len(b.Notices) > maxListed {
		return errTooManyObjects
	}
	b.At = after(b.At, c.at)
	c.at = b.At
	c.pending = &b
	c.open = l.Batch.More
	if !c.open || len(b.Objects) >= partMoment {
		c.seq = max(c.seq, b.Seq)
		c.ahead, c.pending = &b, nil
	}
	return nil
}

// join joins two parts of a batch.
func join(a, b feed.Batch) feed.Batch {
	a.Roots = append(a.Roots, b.Roots...)
	a.Gone = append(a.Gone, b.Gone...)
	a.Absent = append(a.Absent, b.Absent...)
	a.Objects = append(a.Objects, b.Objects...)
	a.Events = append(a.Events, b.Events...)
	a.Sources = append(a.Sources, b.Sources...)
	a.Notices = append(a.Notices, b.Notices...)
	a.Synced = a.Synced || b.Synced
	if b.Skew != 0 {
		a.Skew = b.Skew
	}
	return a
}
