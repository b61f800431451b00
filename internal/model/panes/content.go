package panes

import (
	"slices"
	"sort"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Content is a pane's text: N lines, each rendered on demand, below a head that does
// not scroll.
type Content struct {
	N    int
	Line func(i int) markup.Line
	Head []markup.Line
	// Find lists the entries that contain a lower-case needle; nil searches all
	// lines.
	Find func(needle string) []int
	// Starts are the first lines of the entries that were wrapped, and N last;
	// nil if each entry is one line.
	Starts []int
	// Cursor is the range of the cursor's lines; Kept: it must be visible.
	Cursor [2]int
	Kept   bool
	// Targets are the lines that lead somewhere, from top to bottom.
	Targets []Target
	// Cards are the lines at which causes begin, by their IDs; Unfolded the lines of what a key
	// unfolds (see [Key]).
	Cards    map[string]int
	Unfolded [][2]int
}

// Target is a line from which Enter leads to an object. If it names a container, that is
// to its log; if the pane is about the object already, to its row.
type Target struct {
	Line      int
	ID        object.ID
	Container string
}

// Lines are lines as content.
func Lines(lines []markup.Line) Content {
	if len(lines) == 0 {
		lines = []markup.Line{markup.Styled("No object is selected.", markup.Dim)}
	}
	return Content{N: len(lines), Line: func(i int) markup.Line { return lines[i] }}
}

// Entry is the entry that line i is a part of.
func (c Content) Entry(i int) int {
	if c.Starts == nil {
		return i
	}
	at, whole := slices.BinarySearch(c.Starts, i)
	if !whole {
		at--
	}
	return at
}

// Fit shortens the head for a pane of h lines: at least half is for what scrolls.
func (c Content) Fit(h int) Content {
	if c.N > 0 {
		h /= 2
	}
	c.Head = c.Head[:min(len(c.Head), max(h, 0))]
	return c
}

// Search is a search in the open pane.
type Search struct {
	Text string
	From int  // the entry from which the first match is looked for
	Step int  // grows with n, shrinks with N
	Left bool // the user has scrolled away: the match need not be visible
}

// Match is the place of a search's match: its line, its number, and how many there are.
type Match struct{ Line, No, Of int }

// Match finds a search's match. The first is the nearest from the entry where the search
// began; without one below it, the last above.
func (c Content) Match(search Search) (m Match) {
	var at []int
	needle := strings.ToLower(search.Text)
	if c.Find != nil {
		for _, i := range c.Find(needle) {
			if c.Starts != nil {
				i = c.Starts[i]
			}
			at = append(at, i)
		}
	} else {
		for i := range c.N {
			if markup.HasFold(c.Line(i).String(), needle) {
				at = append(at, i)
			}
		}
	}
	m.Of = len(at)
	if m.Of == 0 {
		return m
	}
	first := sort.Search(m.Of, func(i int) bool { return c.Entry(at[i]) >= search.From })
	i := ((min(first, m.Of-1)+search.Step)%m.Of + m.Of) % m.Of
	return Match{c.within(at[i], needle), i + 1, m.Of}
}

// within is the first line of an entry that contains a needle, from the entry's line at on: a
// long line may be wrapped to more lines than the pane has.
func (c Content) within(at int, needle string) int {
	if c.Starts == nil {
		return at
	}
	for i := at; i < c.Starts[c.Entry(at)+1]; i++ {
		if markup.HasFold(c.Line(i).String(), needle) {
			return i
		}
	}
	return at // it is broken across lines
}

// Held is a search that goes on from its match, so that what comes later moves it to no
// other one.
func (c Content) Held(search Search, match Match) Search {
	held := search
	held.From, held.Step = c.Entry(match.Line), 0
	if match.Of == 0 || held == search || c.Match(held) != match {
		return search
	}
	return held
}

// Top is the first visible line of h: the scroll position, or such that the cursor or
// the last search match is visible.
func (c Content) Top(at, h int, search Search, match Match) int {
	top := max(0, min(at, c.N-h))
	if search.Text == "" || search.Left {
		if c.Kept {
			top = max(min(top, c.Cursor[0]), min(c.Cursor[1]-h, c.Cursor[0]))
		}
		return top
	}
	if match.Of > 0 && (match.Line < top || match.Line >= top+h) {
		top = max(0, min(match.Line-h/3, c.N-h))
	}
	return top
}
