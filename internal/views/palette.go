package views

import (
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
)

// The palette's rows in sight, and a width in which what each command does can be read.
const paletteRows, paletteWidth = 12, 96

// palette draws the command palette over the screen.
func (d *drawing) palette() {
	p, b := d.s.Typing.Palette(), d.l.Bounds
	w := min(b.W, paletteWidth)
	rows := min(max(len(p.Suggestions), 1), paletteRows, b.H-3)
	if rows < 1 || w < 12 {
		d.lastLine(":", p.Error) // no room for a window
		return
	}
	y := min(3, b.H-rows-3)
	whole := d.wholeHint(p, w, b.H-rows-3, b.H-rows-3-y)
	r := layout.At((b.W-w)/2, min(y, b.H-rows-len(whole)-3), w, rows+len(whole)+3)
	if !p.Previews { // what is chosen is shown behind the window
		d.fade()
	}
	d.window(r, "Commands", "tab completes", "enter does it", "esc closes")
	d.typing(r.X+2, r.Y+1, r.W-4, ":", p.Error)
	for i, line := range whole {
		d.c.line(r.X+4, r.Y+2+rows+i, r.W-6, markup.Styled(line, markup.Dim))
	}
	in := layout.At(r.X+1, r.Y+2, r.W-2, rows)
	top := min(max(p.Chosen-rows/2, 0), max(len(p.Suggestions)-rows, 0))
	for i := range min(rows, len(p.Suggestions)-top) {
		d.suggestion(layout.At(in.X, in.Y+i, in.W, 1), p.Suggestions[top+i], top+i == p.Chosen)
	}
}

// wholeHint is what the chosen command does, if it has no room beside it, in at most as many lines
// as there are. A command of the user's has all lines of the screen: it is read before it runs.
func (d *drawing) wholeHint(p model.Palette, w, all, free int) []string {
	if p.Chosen >= len(p.Suggestions) {
		return nil
	}
	s := p.Suggestions[p.Chosen]
	if s.Hint == s.Text || max(markup.Width(s.Text), leastCommand)+1+markup.Width(s.Hint) <= w-5 {
		return nil
	}
	lines := markup.Wrap(s.Hint, w-6)
	if !s.Whole && len(lines) > free {
		return nil
	}
	return lines[:min(len(lines), max(all, 0))]
}

// leastCommand is the width of the column of commands.
const leastCommand = 19

func (d *drawing) suggestion(r layout.Rect, s model.Suggestion, chosen bool) {
	tok := markup.Text
	if chosen {
		defer d.c.Highlight(r, Selected)
		d.c.Put(r.X, r.Y, 1, markup.Pointer, markup.Accent)
		tok = markup.Strong
	}
	left := markup.Line{tok.Of(markup.Pad(s.Text, leastCommand) + " ")}
	if s.Hint != s.Text && r.W >= 40 {
		left = append(left, markup.Dim.Of(s.Hint))
	}
	d.c.sides(r.Inset(2, 1), left, markup.Styled(d.keyName(s.Key), markup.Accent))
}
