package views

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
)

// shares divides w cells among the statuses in proportion, in the order of
// [statusLooks]. Every one that is not empty gets at least one cell, the worst
// ones first: one failed object among a thousand must be visible. The largest
// gets what is left.
func shares(counts world.Counts, w int) (out [len(statusLooks)]int) {
	total, largest, left := counts.Total(), 0, w
	if total == 0 {
		return out
	}
	for i := len(statusLooks) - 1; i >= 0; i-- {
		n := counts[statusLooks[i].status]
		if n > 0 {
			out[i] = min(max(1, n*w/total), left)
			left -= out[i]
		}
		if n >= counts[statusLooks[largest].status] {
			largest = i
		}
	}
	out[largest] += left
	return out
}

// bar is a stacked bar of w cells.
func bar(w int, counts world.Counts) (l line) {
	for i, n := range shares(counts, w) {
		l = append(l, span{strings.Repeat(statusLooks[i].bar, n), statusLooks[i].token})
	}
	if l.width() == 0 {
		return line{{strings.Repeat(dot, w), Faint}}
	}
	return l
}
