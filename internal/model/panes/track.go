package panes

import "time"

// Track is a time line: W cells from column X on, which stand for the time from Start to
// End.
type Track struct {
	X, W       int
	Start, End time.Time
}

// Cell is the cell of a time.
func (t Track) Cell(at time.Time) int {
	total := t.End.Sub(t.Start)
	if total <= 0 || t.W <= 1 {
		return 0
	}
	return min(max(int(float64(at.Sub(t.Start))/float64(total)*float64(t.W-1)+0.5), 0), t.W-1)
}

// At is the time at the beginning of a cell.
func (t Track) At(cell int) time.Time {
	if t.W <= 1 {
		return t.Start
	}
	return t.Start.Add(time.Duration(float64(t.End.Sub(t.Start)) * float64(cell) / float64(t.W-1)))
}
