package views

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// tree draws the visible rows.
func (d *drawing) tree(r layout.Rect) {
	p := rowDrawing{d: d, row: new(rows.Row), at: layout.At(r.X, r.Y, r.W, 1), cols: d.l.Columns}
	for *p.row = range d.s.Tree.InSight(r.H) { // one Row for all: it is large
		p.draw()
		p.at.Y++
	}
	if p.at.Y == r.Y {
		d.noRows(r)
	}
	edge := d.l.Divider
	if d.l.Form != layout.Side {
		edge = d.l.Bounds.W - 1
	}
	if edge > 0 && d.l.Form != layout.Tiny {
		d.scrollBar(r, edge, d.s.Tree.Top(), d.s.Tree.RowCount())
	}
}

// rowDrawing is a row being drawn.
type rowDrawing struct {
	d    *drawing
	row  *rows.Row
	at   layout.Rect
	cols []layout.Column

	// Memory for the parts of a cell, which the next row uses again.
	leads, names, behind, cell markup.Line
}

// noRows says why there are no rows.
func (d *drawing) noRows(r layout.Rect) {
	what := "waiting for the first answer"
	switch {
	case d.s.Tree.Settings().Filter.Text != "":
		what = "nothing matches; esc clears the filter"
	case d.s.Facts.Synced():
		what = "nothing here"
	}
	d.c.Put(r.X+2, r.Y+min(1, r.H-1), r.W-3, markup.Truncate(what, r.W-3), markup.Dim)
}

func (p *rowDrawing) draw() {
	if p.row.Selected {
		back, tok := Selected, markup.Accent
		if p.d.s.Panes.Focus() != model.FocusTree {
			back, tok = Unfocused, markup.Dim
		}
		p.d.c.Put(p.at.X, p.at.Y, 1, markup.Pointer, tok)
		defer p.d.c.Highlight(p.at, back)
	}
	switch whole := p.at.Inset(1, 1); p.row.Key.Kind { // those have the row to themselves
	case rows.Gap:
		p.d.c.line(whole.X, whole.Y, whole.W, append(p.lead(nil, whole.W), markup.Stuck.Of(markup.Stalled+" "),
			markup.Text.Of(p.row.Name), markup.Dim.Of("  "+p.row.Message)))
		return
	case rows.Group:
		mark := markup.LookOf(p.row.Status).Mark()
		p.d.c.line(whole.X, whole.Y, whole.W, append(p.lead(nil, whole.W), mark,
			markup.Heading.Of(" "+p.row.Name), markup.Dim.Of("  "+p.row.Note)))
		return
	}
	for _, c := range p.cols {
		if c.Name == "name" {
			c.W = p.nameWidth()
		}
		if c.W > 0 {
			cellOf[c.Name](p, layout.At(p.at.X+c.X, p.at.Y, c.W, 1))
		}
	}
}

// lead adds the tree's lines and the fold before a name in room cells.
func (p *rowDrawing) lead(to markup.Line, room int) markup.Line {
	if p.d.l.Form == layout.Tiny {
		return append(to, markup.Text.Of(strings.Repeat(" ", min(p.row.Depth, 4))))
	}
	depth := p.row.Depth
	var lines strings.Builder
	lines.Grow(3*depth + 5)
	if most := max(1, room/6); depth > most {
		depth = most
		lines.WriteString(markup.Ellipsis + " ") // the deepest levels are kept
	} else if depth > 0 {
		lines.WriteString("  ")
	}
	for level := p.row.Depth - depth + 1; level < p.row.Depth; level++ {
		if level < 64 && p.row.Guides&(1<<level) != 0 {
			lines.WriteString(markup.Side + "  ")
		} else {
			lines.WriteString("   ")
		}
	}
	fold := markup.Faint.Of(markup.Ruler)
	switch {
	case depth == 0:
		fold.Text = " "
	case p.row.Last:
		lines.WriteString("└")
	default:
		lines.WriteString("├")
	}
	switch p.row.Fold {
	case rows.Opened:
		fold = markup.Dim.Of(markup.Unfolded)
	case rows.Closed:
		fold = markup.Dim.Of(markup.Folded)
	}
	return append(to, markup.Faint.Of(lines.String()), fold, markup.Text.Of(" "))
}

// nameToken is the token of a row's name.
func (p *rowDrawing) nameToken() markup.Token {
	switch {
	case !p.row.Matched || p.row.Key.Kind == rows.More || p.row.Key.Kind == rows.Reference:
		return markup.Dim
	case p.row.Key.Kind == rows.Group:
		return markup.Heading
	case p.row.Status == status.NotFound:
		return markup.Missing
	case !p.row.Generated:
		return markup.Strong
	}
	return markup.Text
}
