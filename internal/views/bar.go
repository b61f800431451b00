package views

import "github.com/kstatus-tui/kstatus-tui/internal/status"

// segment is one part of a stacked bar.
type segment struct {
	n     int
	token Token
	glyph string
}

// segments are the parts of the bar: Current first, then progress, then
// failures, then the rest.
func segments(counts map[status.Status]int, g *Glyphs) []segment {
	return []segment{
		{counts[status.Current], OK, g.Bar[0]},
		{counts[status.InProgress], Busy, g.Bar[1]},
		{counts[status.Failed], Bad, g.Bar[2]},
		{counts[status.Terminating], Going, g.Bar[3]},
		{counts[status.NotFound], Missing, g.Bar[3]},
		{counts[status.Unknown], Unsure, g.Bar[3]},
	}
}

// shares divides w cells among the segments in proportion. Every segment that
// is not empty gets at least one cell if there are enough: one failed object
// among a thousand must be visible. The shares add up to w, unless everything
// is empty.
func shares(parts []segment, w int) []int {
	out := make([]int, len(parts))
	total, present := 0, 0
	for _, p := range parts {
		total += p.n
		if p.n > 0 {
			present++
		}
	}
	if total == 0 || w <= 0 {
		return out
	}
	if present > w {
		// Too narrow for all: keep the worst ones, which are last.
		for i := len(parts) - 1; i >= 0 && w > 0; i-- {
			if parts[i].n > 0 {
				out[i], w = 1, w-1
			}
		}
		return out
	}
	used, largest := 0, 0
	for i, p := range parts {
		if p.n == 0 {
			continue
		}
		out[i] = max(1, p.n*w/total)
		used += out[i]
		if p.n > parts[largest].n || parts[largest].n == 0 {
			largest = i
		}
	}
	for used > w {
		// Only the least of one cell can have made it too long; the longest
		// segment is shortened.
		longest := 0
		for i := range out {
			if out[i] > out[longest] {
				longest = i
			}
		}
		out[longest]--
		used--
	}
	out[largest] += w - used
	return out
}

// bar draws a stacked bar of w cells.
func (c *Canvas) bar(x, y, w int, counts map[status.Status]int, g *Glyphs) {
	parts := segments(counts, g)
	drawn := 0
	for i, n := range shares(parts, w) {
		c.Fill(x+drawn, y, n, parts[i].glyph, parts[i].token)
		drawn += n
	}
	if drawn == 0 {
		c.Fill(x, y, w, g.Bar[4], Faint)
	}
}
