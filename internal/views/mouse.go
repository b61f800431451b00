package views

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
)

// Hit is the message for a click in column x of line y, or nil.
func Hit(s State, look Look, x, y int) model.Msg { return newDrawing(s, look).hit(x, y) }

// OverPane reports whether column x of line y belongs to the pane.
func OverPane(s State, look Look, x, y int) bool {
	l := newDrawing(s, look).l
	return !l.pane.empty() && (l.tree.empty() || l.pane.contains(x, y))
}

func (d *drawing) hit(x, y int) model.Msg {
	if d.l.tabs.contains(x, y) {
		for _, t := range d.tabsIn(d.l.tabs) {
			if x >= t.x && x < t.x+t.w {
				return model.TabClicked{Pane: t.pane}
			}
		}
		return nil
	}
	if t, ok := d.trackIn(d.l.scrub); ok && y == d.l.scrub.Y && x >= t.x && x < t.x+t.w {
		return model.TimeClicked{At: t.at(x - t.x)}
	}
	if d.s.Panes.Pane() == model.PaneYAML && d.l.pane.contains(x, y) {
		if no, opens := d.yamlAt(y); opens {
			return model.LineClicked{No: no}
		}
	}
	if !d.l.tree.contains(x, y) {
		return nil
	}
	seen, at := slices.Collect(d.s.Tree.InSight(d.l.tree.H)), y-d.l.tree.Y
	if at >= len(seen) {
		return nil
	}
	row := seen[at]
	// The arrow and what is left of it: it is a small target.
	if row.Fold != rows.Leaf && d.l.form != formTiny && x <= d.l.tree.X+2+3*row.Depth {
		return model.FoldClicked{Key: row.Key}
	}
	return model.RowClicked{Key: row.Key}
}
