package layout

import (
	"cmp"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
)

// Column is one column of the tree. A new column is a row of allColumns.
type Column struct {
	Name  string // in the configuration
	Title string
	Short string // instead of the title where that has no room
	// least is the width below which the column is of no use. From good on its
	// cells can be read. Up to fair it grows before others, and it never needs
	// more than most.
	Least, Good, Fair, Most int
	// step: there is nothing between least and good.
	Step bool
	// right aligns title and cell at the right edge.
	Right bool
	// LeftOut is the order in which columns are left out where room is short,
	// the greatest first; 0 never is.
	LeftOut int

	X, W int // where it is; a width of 0 means that there is no room for it
}

// allColumns are the columns from left to right.
var allColumns = []Column{
	{Name: "name", Title: "RESOURCE", Least: 20, Good: 22, Fair: 40, Most: 60},
	{Name: "namespace", Title: "NAMESPACE", Short: "NS", Least: 9, Good: 9, Fair: 14, Most: 20, LeftOut: 3},
	{Name: "ready", Title: "READY", Least: 5, Good: 5, Most: 7, LeftOut: 5},
	{Name: "restarts", Title: markup.Again, Least: 4, Good: 4, Most: 4, LeftOut: 6},
	{Name: "status", Title: "STATUS", Least: 2, Good: 14, Most: 14, Step: true, LeftOut: 2},
	{Name: "reason", Title: "REASON", Least: 22, Good: 27, Fair: 44, Most: 300, LeftOut: 1},
	{Name: "node", Title: "NODE", Least: 16, Good: 16, Most: 24, LeftOut: 7},
	{Name: "image", Title: "IMAGE", Least: 12, Good: 12, Most: 40, LeftOut: 8},
	{Name: "since", Title: "SINCE", Short: "FOR", Least: 3, Good: 5, Most: 6, Step: true, Right: true, LeftOut: 4},
	{Name: "age", Title: "AGE", Least: 5, Good: 5, Most: 6, Right: true, LeftOut: 6},
}

// DefaultColumns are the names of the columns that are shown unless the user
// chooses others. The name is always shown.
var DefaultColumns = []string{"ready", "restarts", "status", "reason", "since"}

// ColumnNames are the names of the columns that can be chosen.
func ColumnNames() (names []string) {
	for _, c := range allColumns[1:] {
		names = append(names, c.Name)
	}
	return names
}

// extraWidth is what columns need that are not among the default ones.
func extraWidth(chosen []string) (w int) {
	for _, c := range allColumns {
		if slices.Contains(chosen, c.Name) && !slices.Contains(DefaultColumns, c.Name) {
			w += c.Good + 1
		}
	}
	return w
}

// Shows reports whether a column has room.
func Shows(cols []Column, name string) bool {
	return slices.ContainsFunc(cols, func(c Column) bool { return c.Name == name && c.W > 0 })
}

// nameWithCounter is the width of a name that has its counter behind it ("deploy/checkout 3/4"),
// as there is no column for it.
const nameWithCounter = 21

// The widths up to which names and reasons grow before a status is spelled out.
const (
	idealName   = 25
	idealReason = 30
)

// beforeReadable is the last LeftOut of the columns that have cells before the reason can be
// read: a short sentence with the sign and the count of what a row carries. A namespace would
// otherwise be behind the name, which could not be read then.
const beforeReadable = 3

// FitColumns gives the chosen columns their places in w cells, of which the first
// is the mark of the selected row. Each column has a blank behind it. A column of
// namespaces is as wide as the longest of them, if longest is not 0.
func FitColumns(w int, chosen []string, longest int) []Column {
	cols := slices.DeleteFunc(slices.Clone(allColumns), func(c Column) bool {
		return c.LeftOut > 0 && !slices.Contains(chosen, c.Name)
	})
	if i := slices.IndexFunc(cols, func(c Column) bool { return c.Name == "namespace" }); i >= 0 && longest > 0 {
		c := &cols[i]
		c.Least = min(max(longest, markup.Width(c.Short)), c.Least)
		c.Good, c.Most = c.Least, min(max(longest, c.Good), c.Most)
		c.Fair = min(max(longest, c.Good), c.Fair)
	}
	spend(cols, max(w-1, 1))
	x := 1
	for i := range cols {
		cols[i].X = x
		if cols[i].W > 0 {
			x += cols[i].W + 1
		}
	}
	return cols
}

// timeBeside gives the time the last of the reason's cells, as long as the reason has its
// least. It is for a tree beside a pane that has the reason of the selected row whole, where a
// column of namespaces has taken the time's place: since when other rows fail is nowhere else.
func timeBeside(cols []Column) {
	by := func(name string) int { return slices.IndexFunc(cols, func(c Column) bool { return c.Name == name }) }
	reason, since := by("reason"), by("since")
	if reason < 0 || since < 0 || cols[since].W > 0 || cols[reason].W-cols[since].Least-1 < cols[reason].Least {
		return
	}
	cols[since].W = cols[since].Least
	cols[reason].W -= cols[since].W + 1
	cols[since].X -= cols[since].W + 1
}

// leaveToReason takes a column's cells, which are left of the reason, for the reason, and
// for the time behind it as long as that is short. What is further left or right stays
// where it is when the column appears.
func leaveToReason(cols []Column, name string) {
	by := func(name string) int { return slices.IndexFunc(cols, func(c Column) bool { return c.Name == name }) }
	from, reason, since := by(name), by("reason"), by("since")
	if cols[from].W == 0 || cols[reason].W == 0 {
		return
	}
	room, later := cols[from].W+1, 0
	if c := cols[since]; c.W > 0 {
		later = min(max(c.Good-c.W, 0), room)
	}
	cols[from].W = 0
	for i := from; i < reason; i++ {
		cols[i+1].X -= room
	}
	cols[reason].W += room - later
	for i := reason; i < since; i++ {
		cols[i+1].X -= later
	}
	cols[since].W += later
}

// spend shares cells out among columns in an order that does not depend on how many cells there
// are: the columns appear, the most important first; then they become readable; names and reasons
// grow; the status is spelled out; all grow. What does not suffice for the next column is added to
// the name. So the reason is never narrower where there are more cells.
func spend(cols []Column, left int) {
	widen := func(c *Column, to int) {
		by := min(max(to-c.W, 0), max(left, 0))
		c.W += by
		left -= by
	}
	var order []*Column // by importance
	for i := range cols {
		order = append(order, &cols[i])
	}
	slices.SortStableFunc(order, func(a, b *Column) int { return cmp.Compare(a.LeftOut, b.LeftOut) })
	name := order[0]
	defer func() { widen(name, name.W+left) }()
	for i, c := range order {
		if i > 0 && c.LeftOut > beforeReadable && order[i-1].LeftOut <= beforeReadable {
			widen(name, nameWithCounter)
			for _, shown := range order[:i] {
				if shown.Name == "reason" {
					widen(shown, shown.Good)
				}
			}
		}
		if c.Name == "ready" { // its counter has cells of its own, or the name has all that is left
			left += name.W - name.Least
			name.W = name.Least
		}
		if left < c.Least+1 {
			return
		}
		c.W = c.Least
		left -= c.Least + 1
	}
	var word *Column // the status, which has its word later
	for _, c := range order {
		switch {
		case c.Name == "status":
			word = c
		case !c.Step || c.Good-c.W <= left:
			widen(c, c.Good)
		}
	}
	ideal := func(c Column) int { return map[string]int{"name": idealName, "reason": idealReason}[c.Name] }
	left = evenly(cols, left, ideal)
	if word != nil {
		if name.W > name.Good { // the word takes its cells rather from the name
			left += name.W - name.Good
			name.W = name.Good
		}
		if word.Good-word.W > left {
			return
		}
		widen(word, word.Good)
		left = evenly(cols, left, ideal)
	}
	left = evenly(cols, left, func(c Column) int { return c.Fair })
	left = evenly(cols, left, func(c Column) int { return c.Most })
}

// evenly widens the columns that can be read by a cell in turn, up to a limit of each, and
// returns the cells that are left.
func evenly(cols []Column, left int, limit func(Column) int) int {
	for grown := true; grown && left > 0; {
		grown = false
		for i := range cols {
			if c := &cols[i]; left > 0 && c.W >= c.Good && c.W < limit(*c) {
				c.W++
				left--
				grown = true
			}
		}
	}
	return left
}

// TinyColumns are those of a screen below 50 cells: a sign, a name with what else
// there is behind it, and an age.
func TinyColumns(w int, chosen []string) []Column {
	by := func(name string, x, w int) Column {
		i := slices.IndexFunc(allColumns, func(c Column) bool { return c.Name == name })
		c := allColumns[i]
		c.X, c.W = x, w
		return c
	}
	cols := []Column{by("status", 1, 1)}
	age := 0
	if slices.Contains(chosen, "since") && w >= 28 {
		age = 4
		cols = append(cols, by("since", w-age, age))
	}
	return append(cols, by("name", 3, max(w-3-age, 1)))
}

// shortKindsBelow is the width of the name's column below which a screen spells
// all kinds as kubectl's short names.
const shortKindsBelow = 32

// shortKinds reports whether a screen spells all kinds as kubectl's short names: as long as names
// have little room, or have it only because there is too little for the statuses in words.
func shortKinds(cols []Column) bool {
	return cols[0].W < shortKindsBelow || slices.ContainsFunc(cols, func(c Column) bool {
		return c.Name == "status" && c.W < c.Good
	})
}
