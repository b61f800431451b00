package views

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// footer draws the keys that help now. Help and quit are always shown. A tiny
// screen has no other line for the error of a lost connection, and for a filter.
func (d *drawing) footer(r Rect) {
	if why := d.s.Connection().Error; d.l.form == formTiny && why != "" && d.s.Verdict().Lost {
		d.c.line(r.X+1, r.Y, r.W-2, line{{stalled + " ", Stuck}, {truncateStart(why, r.W-4), Dim}})
		return
	}
	var keys, always []line
	hint := func(key, does string) line { return line{{key, Accent}, {" " + does, Dim}} }
	if text := d.s.Settings().Filter.Text; text != "" && d.l.form == formTiny {
		keys = append(keys, hint("/", truncate(text, r.W/3)))
	}
	for _, b := range d.s.Footer() {
		words := b.Help().Desc
		if d.l.form == formTiny {
			words, _, _ = strings.Cut(words, " ")
		}
		to := &keys
		if b.Action == model.Help || b.Action == model.Quit {
			to = &always
		}
		*to = append(*to, hint(d.keyName(b.Help().Key), words))
	}
	last := join("  ", always...)
	room, n := r.W-4-last.width(), 0
	for w := -2; n < len(keys) && w+2+keys[n].width() <= room; n++ {
		w += 2 + keys[n].width()
	}
	first := join("  ", keys[:n]...)
	if n < len(keys) && first.width()+2 < room {
		first = append(first, span{" ", Text}, span{ellipsis, Faint})
	}
	d.c.line(r.X+1, r.Y, r.W-1, join("  ", first, last))
}
