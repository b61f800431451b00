package recording

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// memory is the state at the beginning of a chapter, in the parts in which it
// was written. It is immutable.
type memory struct {
	chapter int
	parts   []*feed.Memory
}

// readAhead is how many parts are decoded at once.
const readAhead = 4

// remembered calls take with each part of the state at the beginning of the
// cursor's chapter. An error of take ends it.
func (c *cursor) remembered(take func(*feed.Memory) error) error {
	text, err := c.lines.next()
	if err != nil {
		return err
	}
	var l line
	if err := decode(text, &l); err != nil || l.Chapter == nil || l.Chapter.Parts < 0 {
		return errors.New("the chapter does not begin where it should")
	}
	h := l.Chapter
	c.seq, c.at = h.Seq, h.At
	hand := func(p memoryPart) error {
		if p.err != nil || p.state == nil {
			return fmt.Errorf("the recording is damaged: %w",
				cmp.Or(p.err, errors.New("a part of a chapter's beginning is missing")))
		}
		s := p.state
		s.At = h.At
		return take(&feed.Memory{
			At: h.At, Seq: h.Seq, Verdict: h.Verdict, Since: h.Since,
			Moving: h.Moving, Began: h.Began, Synced: h.Synced, Left: h.Left,
			State: s.Batch, Objects: s.Remembered, Deleted: s.Deleted, Causes: s.Causes, History: s.History,
		})
	}
	var ahead []chan memoryPart // in order
	for range h.Parts {
		text, err := c.lines.next()
		if err != nil {
			return err
		}
		p, own := make(chan memoryPart, 1), bytes.Clone(text)
		go func() { p <- decodeMemoryPart(own) }()
		if ahead = append(ahead, p); len(ahead) > readAhead {
			if err := hand(<-ahead[0]); err != nil {
				return err
			}
			ahead = ahead[1:]
		}
	}
	for _, p := range ahead {
		if err := hand(<-p); err != nil {
			return err
		}
	}
	return nil
}

// memoryPart is a part of what a chapter begins with, or why it cannot be read.
type memoryPart struct {
	state *state
	err   error
}

// decodeMemoryPart runs in a goroutine of its own, where a panic would end the
// process with the exit code of a verdict: it becomes an error.
func decodeMemoryPart(text []byte) (part memoryPart) {
	defer func() {
		if r := recover(); r != nil {
			part = memoryPart{err: problem.Caught(r, debug.Stack())}
		}
	}()
	var l line
	err := cmp.Or(overMemory(), decode(text, &l))
	return memoryPart{l.State, err}
}

// recall is remembered for a memory that was read before.
func (c *cursor) recall(m *memory, take func(*feed.Memory) error) error {
	for _, part := range m.parts {
		c.seq, c.at = part.Seq, part.At
		if err := take(part); err != nil {
			return err
		}
	}
	return nil
}
