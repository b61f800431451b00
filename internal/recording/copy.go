package recording

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// Copy writes a recording anew, line by line, without the names where redact
// says so (then without details and logs, too). It stays as it was recorded:
// the moments, the chapters, what was remembered there and the marks are its
// recorder's. An existing file is replaced only if it is a recording itself, and
// another one.
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

// copyChapter writes what was known at the beginning of a chapter, and what
// came in it. What is damaged ends it.
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
			return nil // the player says of a damaged file that it is
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
		case l.Chapter != nil: // nobody has found it: it is read as one of the whole
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
		case w.redact != nil: // names may stand anywhere in what is left
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

// joined is a memory with another part of it.
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
