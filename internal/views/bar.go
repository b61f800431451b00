package views

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
)

// shares divides w cells among the statuses in proportion, in the order of
// [statusLooks]. Every one that is not empty gets at least one cell, the worst
// ones first: one failed object among a thousand must be visible. The largest
// gets what is left.
func shares(counts world.Counts, w int) (out [len(markup.StatusLooks)]int) {
	total, largest, left := counts.Total(), 0, w
	if total == 0 {
		return out
	}
	for i := len(markup.StatusLooks) - 1; i >= 0; i-- {
		n := counts[markup.StatusLooks[i].Status]
		if n > 0 {
			out[i] = min(max(1, n*w/total), left)
			left -= out[i]
		}
		if n >= counts[markup.StatusLooks[largest].Status] {
			largest = i
		}
	}
	out[largest] += left
	return out
}

// bar is a stacked bar of w cells.
func bar(w int, counts world.Counts) (l markup.Line) {
	for i, n := range shares(counts, w) {
		l = append(l, markup.StatusLooks[i].Token.Of(strings.Repeat(markup.StatusLooks[i].Bar, n)))
	}
	if l.Width() == 0 {
		return markup.Line{markup.Faint.Of(strings.Repeat(markup.Dot, w))}
	}
	return l
}
