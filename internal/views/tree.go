package views

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// tree draws the visible rows.
func (d *drawing) tree(r Rect) {
	cols, at := d.columns(r.W), Rect{r.X, r.Y, r.W, 1}
	for row := range d.s.InSight(r.H) {
		(&rowDrawing{d, &row, at, cols}).draw()
		at.Y++
	}
	if at.Y == r.Y {
		d.noRows(r)
	}
}

// rowDrawing is a row being drawn.
type rowDrawing struct {
	*drawing
	*rows.Row
	at   Rect
	cols []column
}

// noRows says why there are no rows.
func (d *drawing) noRows(r Rect) {
	what := "waiting for the first answer"
	switch {
	case d.s.Settings().Filter.Text != "":
		what = "nothing matches; esc clears the filter"
	case d.s.Synced():
		what = "nothing here"
	}
	d.c.Put(r.X+2, r.Y+min(1, r.H-1), r.W-3, truncate(what, r.W-3), Dim)
}

func (p *rowDrawing) draw() {
	if p.Selected {
		back, tok := Selected, Accent
		if p.s.Focus() != model.FocusTree {
			back, tok = Resting, Dim
		}
		p.c.Put(p.at.X, p.at.Y, 1, pointer, tok)
		defer p.c.Highlight(p.at, back)
	}
	switch whole := p.at.inset(1, 1); p.Key.Kind { // those have the row to themselves
	case rows.Gap:
		p.c.line(whole.X, whole.Y, whole.W, append(p.lead(whole.W), span{stalled + " ", Stuck}, span{p.Name, Text}, span{"  " + p.Message, Dim}))
		return
	case rows.Group:
		mark := lookOf(p.Status).mark()
		p.c.line(whole.X, whole.Y, whole.W, append(p.lead(whole.W), mark, span{" " + p.Name, Heading}, span{"  " + p.Note, Dim}))
		return
	}
	for _, c := range p.cols {
		if c.w > 0 {
			c.draw(p, Rect{p.at.X + c.x, p.at.Y, c.w, 1})
		}
	}
}

// lead is the tree's lines and the fold before a name in room cells.
func (p *rowDrawing) lead(room int) line {
	if p.l.form == formTiny {
		return plain(strings.Repeat(" ", min(p.Depth, 4)))
	}
	depth, lines := p.Depth, "  "
	if most := max(1, room/6); depth > most {
		depth, lines = most, ellipsis+" " // the deepest levels are kept
	}
	for level := p.Depth - depth + 1; level < p.Depth; level++ {
		if level < 64 && p.Guides&(1<<level) != 0 {
			lines += side + "  "
		} else {
			lines += "   "
		}
	}
	fold := span{ruler, Faint}
	switch {
	case depth == 0:
		lines, fold.text = "", " "
	case p.Last:
		lines += "└"
	default:
		lines += "├"
	}
	switch p.Fold {
	case rows.Opened:
		fold = span{unfolded, Dim}
	case rows.Closed:
		fold = span{folded, Dim}
	}
	return line{{lines, Faint}, fold, {" ", Text}}
}

// nameToken is the token of a row's name.
func (p *rowDrawing) nameToken() Token {
	switch {
	case !p.Matched || p.Key.Kind == rows.More || p.Key.Kind == rows.Reference:
		return Dim
	case p.Key.Kind == rows.Group:
		return Heading
	case p.Status == status.NotFound:
		return Missing
	case !p.Generated:
		return Strong
	}
	return Text
}
