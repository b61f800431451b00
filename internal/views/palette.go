package views

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// paletteRows is how many suggestions are visible.
const paletteRows = 12

// palette draws the command palette over the screen.
func (d *drawing) palette() Cursor {
	p := d.s.Palette()
	b := d.l.bounds
	w := min(b.W, 66)
	if b.W < 70 {
		w = b.W
	}
	rows := min(max(len(p.Suggestions), 1), paletteRows, b.H-3)
	if rows < 1 || w < 12 {
		// no room for a window: use the last line
		y := b.H - 1
		d.c.Blank(Rect{0, y, b.W, 1}, NoBack)
		return d.typing(0, y, b.W, ":", p.Error)
	}
	r := Rect{(b.W - w) / 2, min(3, b.H-rows-3), w, rows + 3}
	d.c.Dim()
	d.c.Blank(r, NoBack)
	d.c.Box(r, d.g, d.th.front())
	d.c.Put(r.X+2, r.Y, r.W-4, " Commands ", Strong)
	cursor := d.typing(r.X+2, r.Y+1, r.W-4, ":", p.Error)
	in := Rect{r.X + 1, r.Y + 2, r.W - 2, rows}
	if len(p.Suggestions) == 0 && p.Error == "" {
		hint := "enter does it"
		if input := d.s.Input(); input.Value() == "" {
			hint = "nothing to choose"
		}
		d.c.Put(in.X+2, in.Y, in.W-3, hint, Dim)
		return cursor
	}
	top := min(max(p.Chosen-rows/2, 0), max(len(p.Suggestions)-rows, 0))
	for i := range min(rows, len(p.Suggestions)-top) {
		d.suggestion(Rect{in.X, in.Y + i, in.W, 1}, p.Suggestions[top+i], top+i == p.Chosen)
	}
	d.c.Put(r.X+2, r.Y+r.H-1, r.W-4, d.hints(r.W-6, "tab completes", "enter does it", "esc closes"), Dim)
	return cursor
}

func (d *drawing) suggestion(r Rect, s model.Suggestion, chosen bool) {
	tok := Text
	if chosen {
		d.c.Blank(r, Selected)
		d.c.Put(r.X, r.Y, 1, d.g.Selected, Accent)
		tok = Strong
	}
	const nameW = 20
	end := r.X + r.W - 1
	x := d.c.Put(r.X+2, r.Y, r.W-3, truncate(s.Text, r.W-3, d.g.Ellipsis), tok)
	if s.Key != "" {
		key := d.keyName(s.Key)
		if kw := width(key); x+kw+2 < end {
			d.c.Put(end-kw, r.Y, kw, key, Accent)
			end -= kw + 1
		}
	}
	x = max(x+1, r.X+2+nameW)
	hint := s.Hint
	for width(hint) > end-x { // drop words until the hint fits
		i := strings.LastIndex(hint, ",")
		if i < 0 {
			if end-x < 16 {
				return
			}
			break
		}
		hint = hint[:i]
	}
	if hint != s.Text {
		d.c.Put(x, r.Y, end-x, truncate(hint, end-x, d.g.Ellipsis), Dim)
	}
}
