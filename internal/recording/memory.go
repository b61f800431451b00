package recording

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// memory is what was known at the beginning of a chapter, in the parts in which
// it was written. It is not changed.
type memory struct {
	chapter int
	parts   []*feed.Memory
}

const (
	// maxReaders bounds how many read the beginning of a chapter at once, and
	// readAhead how many of its lines wait for them or for their turn.
	maxReaders = 4
	readAhead  = 16
)

// remembered hands over what was known where the chapter begins that the cursor
// stands in, part by part, and is then known to the cursor. Its lines are read by
// several at once. An error of take's ends it.
func (c *cursor) remembered(take func(*feed.Memory) error) error {
	text, err := c.lines.next()
	if err != nil {
		return err
	}
	var l line
	if err := readLine(text, &l); err != nil || l.Chapter == nil || l.Chapter.Parts < 0 {
		return errors.New("the chapter does not begin where it should")
	}
	h := l.Chapter
	c.seq, c.at = h.Seq, h.At
	c.known = make(map[object.ID]*object.Object, min(h.Parts, 1<<14/partObjects)*partObjects)
	type part struct {
		text  []byte
		bytes int // of it
		state *state
		err   error
		read  chan struct{} // closed when it has been
	}
	work := make(chan *part, readAhead)
	used := make(chan []byte, readAhead+maxReaders) // texts to be written over; nobody waits on it
	var readers sync.WaitGroup
	defer readers.Wait()
	defer close(work)
	for range min(runtime.GOMAXPROCS(0), maxReaders) {
		readers.Go(func() {
			var reader parser
			for p := range work {
				var l line
				if p.err = heavy(); p.err == nil {
					p.err = reader.line(p.text, &l)
				}
				select {
				case used <- p.text:
				default:
				}
				p.state, p.text = l.State, nil
				close(p.read)
			}
		})
	}
	hand := func(p *part) error {
		<-p.read
		if p.err != nil || p.state == nil {
			return fmt.Errorf("the recording is damaged: %w", cmp.Or(p.err, errSyntax))
		}
		s := p.state
		for _, o := range s.Objects {
			c.known[o.ID] = o
		}
		if len(c.known) > maxObjects {
			return errMany
		}
		s.At = h.At
		return take(&feed.Memory{
			At: h.At, Seq: h.Seq, Verdict: h.Verdict, Since: h.Since, Moving: h.Moving,
			State: s.Batch, Objects: s.Remembered, Deleted: s.Deleted, Causes: s.Causes, History: s.History,
		})
	}
	var ahead []*part // in order
	waiting := 0      // bytes of their texts
	for range h.Parts {
		text, err := c.lines.next()
		if err != nil {
			return err
		}
		var own []byte
		select {
		case own = <-used:
		default:
		}
		p := &part{text: append(own[:0], text...), bytes: len(text), read: make(chan struct{})}
		ahead = append(ahead, p)
		work <- p
		for waiting += len(text); len(ahead) > readAhead || waiting > maxLine; ahead = ahead[1:] {
			if err := hand(ahead[0]); err != nil {
				return err
			}
			waiting -= ahead[0].bytes
		}
	}
	for _, p := range ahead {
		if err := hand(p); err != nil {
			return err
		}
	}
	return nil
}

// recall is remembered from what was read before.
func (c *cursor) recall(m *memory, take func(*feed.Memory) error) error {
	for _, part := range m.parts {
		c.seq, c.at = part.Seq, part.At
		for _, o := range part.State.Objects {
			c.known[o.ID] = o
		}
		if err := take(part); err != nil {
			return err
		}
	}
	return nil
}
