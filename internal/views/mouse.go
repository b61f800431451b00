package views

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
)

// Hit is the message for a click in column x of line y, or nil.
func Hit(s State, look Look, x, y int) model.Msg { return newDrawing(s, look).hit(x, y) }

// OverPane reports whether column x of line y belongs to the pane.
func OverPane(s State, look Look, x, y int) bool {
	l := newDrawing(s, look).l
	return !l.Pane.Empty() && (l.Tree.Empty() || l.Pane.Contains(x, y))
}

func (d *drawing) hit(x, y int) model.Msg {
	if d.l.Tabs.Contains(x, y) {
		for _, t := range d.tabsIn(d.l.Tabs) {
			if x >= t.x && x < t.x+t.w {
				return model.TabClicked{Pane: t.pane}
			}
		}
		return nil
	}
	if t, ok := d.trackIn(d.l.Scrub); ok && y == d.l.Scrub.Y && x >= t.X && x < t.X+t.W {
		return model.TimeClicked{At: t.At(x - t.X)}
	}
	if d.s.Panes.Pane() == model.PaneYAML && d.l.Pane.Contains(x, y) {
		if no, opens := d.yamlAt(y); opens {
			return model.LineClicked{No: no}
		}
	}
	if !d.l.Tree.Contains(x, y) {
		return nil
	}
	seen, at := slices.Collect(d.s.Tree.InSight(d.l.Tree.H)), y-d.l.Tree.Y
	if at >= len(seen) {
		return nil
	}
	row := seen[at]
	// The arrow and what is left of it: it is a small target.
	if row.Fold != rows.Leaf && d.l.Form != layout.Tiny && x <= d.l.Tree.X+2+3*row.Depth {
		return model.FoldClicked{Key: row.Key}
	}
	return model.RowClicked{Key: row.Key}
}

// yamlAt is the object's line at line y of the pane, if it opens a block.
func (d *drawing) yamlAt(y int) (no int, ok bool) {
	c, top := d.s.Panes.Content()
	shown := d.s.Panes.Detail().Shown
	y -= d.l.Pane.Y + len(c.Head)
	if i := c.Entry(top + y); y >= 0 && i >= 0 && i < len(shown) {
		return shown[i].No, shown[i].Opens
	}
	return 0, false
}
