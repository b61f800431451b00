package layout

import (
	"fmt"
	"slices"
	"testing"
)

// A wider terminal never shows less of a reason: neither a column that appears nor a status that is
// spelled out takes its cells. Only the pane, which has all of the selected row's reason, takes
// its place beside the tree.
func TestAReasonIsNeverNarrowerOnAWiderScreen(t *testing.T) {
	reasonOf := func(l Layout) int {
		i := slices.IndexFunc(l.Columns, func(c Column) bool { return c.Name == "reason" })
		if i < 0 {
			return 0
		}
		return l.Columns[i].W
	}
	for _, chosen := range [][]string{nil, DefaultColumns, ColumnNames(), {"reason"}, {"reason", "since"}, {"reason", "status", "image", "age"}} {
		for _, space := range []int{0, 4, 9, 12, 40} {
			for _, size := range []Size{Normal, Half} {
				for _, restarted := range []bool{false, true} {
					s := Screen{H: 40, Pane: size, Columns: chosen, LongestSpace: space, Restarted: restarted}
					what := fmt.Sprintf("%v, namespaces of %d, pane %d, restarted %v", chosen, space, size, restarted)
					s.W = 20
					before := Place(s)
					for s.W = 21; s.W <= 300; s.W++ {
						l := Place(s)
						if before.Form == l.Form && before.Columns != nil && !before.ShortKinds && l.ShortKinds {
							t.Errorf("%s: kinds are spelled out at %d columns, and not at %d", what, s.W-1, s.W)
						}
						if l.Form == before.Form && reasonOf(l) < reasonOf(before) {
							t.Errorf("%s: the reason has %d cells at %d columns, and %d at %d",
								what, reasonOf(before), s.W-1, reasonOf(l), s.W)
						}
						before = l
					}
				}
			}
		}
	}
}

// With the default columns a reason has 27 cells from 60 columns on, beside the pane too, and the
// status is spelled out where there is room for both.
func TestAReasonCanBeReadBesideTheOtherColumns(t *testing.T) {
	for w := 56; w <= 300; w++ {
		for _, restarted := range []bool{false, true} {
			cols := Place(Screen{W: w, H: 40, Restarted: restarted}).Columns
			at := func(name string) Column {
				return cols[slices.IndexFunc(cols, func(c Column) bool { return c.Name == name })]
			}
			if at("reason").W < 27 || at("status").W > 2 && at("reason").W < idealReason {
				t.Errorf("%d columns: the reason has %d cells beside a status of %d", w, at("reason").W, at("status").W)
			}
			if wide := w >= 88 && w < SideBySide || w >= 168; wide && at("status").W < at("status").Good {
				t.Errorf("%d columns: the status is not spelled out", w)
			}
		}
	}
}
