package recording

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// Copy writes the recording again, line by line, with names replaced if redact
// is set (details and logs are then dropped). Times, chapters and marks stay as
// recorded. An existing file is only replaced if it is another recording.
func (p *Player) Copy(name string, redact bool) (err error) {
	if f, ok := p.closer.(*os.File); ok {
		from, err1 := f.Stat()
		to, err2 := os.Stat(name)
		if err1 == nil && err2 == nil && os.SameFile(from, to) {
			return fmt.Errorf("%s is the recording itself", name)
		}
	}
	h := p.Header()
	h.Redacted = h.Redacted || redact
	h.Secrets = h.Secrets && !redact
	w, err := Create(name, h)
	if err != nil {
		return err
	}
	return p.copyTo(w)
}

func (p *Player) copyTo(w *Writer) error {
	for i := range p.file.places {
		if err := w.copyChapter(p.file, i); err != nil {
			_ = w.Close(p.end)
			return err
		}
	}
	return w.Close(p.end)
}

// copyChapter writes the state at the beginning of a chapter and its batches,
// up to the first damage.
func (w *Writer) copyChapter(f *file, chapter int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := openCursor(f, chapter)
	if err != nil {
		return err
	}
	if chapter > 0 {
		var mem feed.Memory
		if err := c.remembered(func(part *feed.Memory) error { mem = joined(mem, part); return nil }); err != nil {
			return err
		}
		w.next(marker{At: mem.At})
		if _, err := w.remember(w.cleanMemory(mem)); err != nil {
			return err
		}
	}
	for w.err == nil {
		text, err := c.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return nil // the player reports the damage
		case isState(text):
			continue
		}
		var l line
		if decode(text, &l) != nil {
			return nil
		}
		switch {
		case l.Chapter != nil && chapter+1 < len(f.places):
			return nil
		case l.Chapter != nil: // a chapter that was not found is read as part of the previous one
		case l.Batch != nil:
			if c.take(l) != nil {
				return nil
			}
			if b := c.ahead; b != nil {
				c.ahead = nil
				w.copyBatch(*b)
			}
		case l.Mark != nil:
			if w.redact != nil {
				*l.Mark = w.redact.mark(*l.Mark)
			}
			w.put(l)
		case w.redact != nil: // the remaining lines may hold names anywhere
		case l.Detail != nil:
			if l.Detail.YAML, err = withoutValues(l.Detail.YAML, w.secrets); err == nil {
				w.put(l)
			}
		case l.Logs != nil:
			w.put(l)
		}
	}
	return w.err
}

// joined adds a part to a memory.
func joined(m feed.Memory, part *feed.Memory) feed.Memory {
	out := *part
	out.State = join(m.State, part.State)
	out.State.At = part.At
	out.Objects = append(m.Objects, part.Objects...)
	out.Deleted = append(m.Deleted, part.Deleted...)
	out.Causes = append(m.Causes, part.Causes...)
	out.History = append(m.History, part.History...)
	return out
}

func (w *Writer) copyBatch(b feed.Batch) {
	w.seq, w.synced = b.Seq, b.Synced
	w.writeBatch(w.clean(b))
}
