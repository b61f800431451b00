package views

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// content is a pane's text: n lines, each rendered on demand, below a head that
// does not scroll.
type content struct {
	n    int
	line func(i int) markup.Line
	head []markup.Line
	// find lists the entries that contain a lower-case needle; nil searches all
	// lines.
	find func(needle string) []int
	// starts are the first lines of the entries that were wrapped, and n last;
	// nil if each entry is one line.
	starts []int
	// cursor is the range of the cursor's lines; kept: it must be visible.
	cursor [2]int
	kept   bool
}

// entry is the entry that line i is a part of.
func (c content) entry(i int) int {
	if c.starts == nil {
		return i
	}
	at, whole := slices.BinarySearch(c.starts, i)
	if !whole {
		at--
	}
	return at
}

// fit shortens the head for a pane of h lines: at least half is for what
// scrolls.
func (c content) fit(h int) content {
	if c.n > 0 {
		h /= 2
	}
	c.head = c.head[:min(len(c.head), h)]
	return c
}

func linesOf(lines []markup.Line) content {
	if len(lines) == 0 {
		lines = []markup.Line{markup.Styled("No object is selected.", markup.Dim)}
	}
	return content{n: len(lines), line: func(i int) markup.Line { return lines[i] }}
}

// tab is a pane's name and its position.
type tab struct {
	pane model.Pane
	x, w int
	text string
}

// tabsIn arranges the panes' names in r: spaced if they fit, else close together,
// else short ones, else numbers.
func (d *drawing) tabsIn(r Rect) (tabs []tab) {
	for step := range 4 {
		x, apart := r.X, 2
		if step == 1 || step == 2 {
			apart = 0
		}
		tabs = nil
		for i, pane := range model.PaneTable {
			name := pane.Name
			if step >= 2 {
				name = pane.Short
			}
			text := strconv.Itoa(i + 1)
			if step < 3 || model.Pane(i) == d.s.Panes.Pane() && r.W >= 32 {
				text += " " + name
			}
			t := tab{model.Pane(i), x, markup.Width(text) + apart, text}
			tabs = append(tabs, t)
			x += t.w + 1
		}
		if x-1 <= r.X+r.W {
			break
		}
	}
	return tabs
}

// tabs draws the panes' names into the upper edge of the pane.
func (d *drawing) tabs(r Rect) {
	var l markup.Line
	for _, t := range d.tabsIn(r) {
		tok := markup.Dim
		if t.pane == d.s.Panes.Pane() {
			tok = markup.Strong
			if d.s.Panes.Focus() == model.FocusPane || d.s.Panes.PaneSize() == model.PaneFull {
				tok = markup.Accent
			}
		}
		if len(l) > 0 {
			l = append(l, markup.Faint.Of(markup.Side))
		}
		gap := markup.Text.Of(strings.Repeat(" ", (t.w-markup.Width(t.text))/2)) // not underlined
		l = append(l, gap, tok.Of(t.text), gap)
	}
	d.c.line(r.X, r.Y, r.W, l)
}

// content is the open pane's content for a width.
func (d *drawing) content(w int) content {
	switch d.s.Panes.Pane() {
	case model.PaneConditions:
		return d.text(w).below((*text).head, func(t *text) []markup.Line { return t.conditions(d.s.Panes.Conditions()) })
	case model.PaneEvents:
		return d.text(w).below((*text).onlyName, func(t *text) []markup.Line { return t.events(d.s.Panes.Events()) })
	case model.PaneLogs:
		return d.logs(d.s.Panes.Logs(), w)
	case model.PaneYAML:
		return d.text(w).yaml(d.s.Panes.Detail())
	case model.PaneTimeline:
		return d.text(w).timeline(d.s.Panes.Timeline())
	default:
		return d.text(w).why()
	}
}

// onlyName is the head of a pane that needs no status.
func (t *text) onlyName(r known.Resource) []markup.Line { return t.named(r.ID) }

// below is text below a head about the selected object, which stays while the text
// scrolls.
func (t *text) below(head func(*text, known.Resource) []markup.Line, body func(*text) []markup.Line) content {
	r, ok := selected(t.d.s)
	c := linesOf(body(t))
	if ok {
		c.head = head(&text{d: t.d, w: t.w, tight: t.tight}, r)
		if !t.tight {
			c.head = append(c.head, nil)
		}
	}
	return c
}

// pane draws the open pane.
func (d *drawing) pane(r Rect) {
	content := d.content(r.W).fit(r.H)
	for i, l := range content.head {
		d.c.line(r.X, r.Y+i, r.W, l)
	}
	_, r = r.rows(len(content.head))
	top := d.paneTop(content, r.H)
	needle := strings.ToLower(d.s.Panes.SearchText().Text)
	for i := range min(r.H, content.n-top) {
		if at := top + i; at >= content.cursor[0] && at < content.cursor[1] {
			defer d.c.Highlight(Rect{r.X, r.Y + i, r.W, 1}, Selected)
			if at == content.cursor[0] && r.X > 0 {
				d.c.Put(r.X-1, r.Y+i, 1, markup.Pointer, markup.Accent)
			}
		}
		l := content.line(top + i)
		d.c.line(r.X, r.Y+i, r.W, l)
		if needle != "" {
			d.markMatches(r.X, r.Y+i, r.W, l.String(), needle)
		}
	}
	d.scrollBar(r, top, content.n)
}

// paneTop is the first visible line of h: the scroll position, or such that the
// last search match is visible.
func (d *drawing) paneTop(c content, h int) int {
	top := max(0, min(d.s.Panes.Scroll().Top, c.n-h))
	search := d.s.Panes.SearchText()
	if search.Text == "" || search.Left {
		if c.kept {
			top = max(min(top, c.cursor[0]), min(c.cursor[1]-h, c.cursor[0]))
		}
		return top
	}
	if at, _, of := findMatch(c, search); of > 0 && (at < top || at >= top+h) {
		top = max(0, min(at-h/3, c.n-h))
	}
	return top
}

// findMatch is the line of a search's match, its number, and how many there are.
// The first is the nearest from the line where the search began; without one below
// it, the last above.
func findMatch(c content, search model.Search) (line, no, of int) {
	var at []int
	needle := strings.ToLower(search.Text)
	if c.find != nil {
		for _, i := range c.find(needle) {
			if c.starts != nil {
				i = c.starts[i]
			}
			at = append(at, i)
		}
	} else {
		for i := range c.n {
			if markup.HasFold(c.line(i).String(), needle) {
				at = append(at, i)
			}
		}
	}
	of = len(at)
	if of == 0 {
		return 0, 0, 0
	}
	first, _ := slices.BinarySearch(at, search.From)
	i := ((min(first, of-1)+search.Step)%of + of) % of
	return at[i], i + 1, of
}

// markMatches highlights a search's matches in a line.
func (d *drawing) markMatches(x, y, w int, text, needle string) {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return // lower case changes the length: leave it
	}
	for from := 0; ; {
		i := strings.Index(lower[from:], needle)
		if i < 0 {
			return
		}
		i += from
		at := markup.Width(text[:i])
		d.c.Put(x+at, y, w-at, text[i:i+len(needle)], markup.Match)
		from = i + len(needle)
	}
}

// scrollBar draws the scroll bar at the pane's right edge.
func (d *drawing) scrollBar(r Rect, top, n int) {
	if n <= r.H || r.H < 3 {
		return
	}
	size := max(1, r.H*r.H/n)
	at := top * (r.H - size) / (n - r.H)
	x := r.X + r.W + 1
	if d.l.form != formSide {
		x = d.l.bounds.W - 1
	}
	for i := range size {
		d.c.Put(x, r.Y+at+i, 1, markup.Thumb, markup.Dim)
	}
}

// selected is the selected object, if any.
func selected(s State) (known.Resource, bool) {
	key, _ := s.Tree.Selected()
	return s.Facts.Resource(key.ID)
}

// absent explains a missing object; false if it exists.
func (t *text) absent() bool {
	r, ok := selected(t.d.s)
	if !ok || r.Object != nil || r.Assessment.Message == "" {
		return false
	}
	t.wrapped("", "  ", markup.OneLine(r.Assessment.Message), markup.Dim)
	return true
}

// crumbs is the path from the root to the object.
func (d *drawing) crumbs(id object.ID, w int) markup.Line {
	path := d.s.Facts.Path(id)
	for _, brief := range []bool{false, true} {
		l := make([]markup.Line, len(path))
		for i, p := range path {
			r, _ := d.s.Facts.Resource(p)
			name, tok := d.spell(cmp.Or(r.Title, p.String())), markup.Dim
			if i == len(path)-1 {
				tok = markup.Strong
			}
			if i > 0 && (brief || tok == markup.Dim) { // without its parent's name
				name = strings.Replace(name, "/"+path[i-1].Name+"-", "/"+markup.Ellipsis, 1)
			}
			l[i] = markup.Styled(name, tok)
		}
		if whole := markup.Join(" "+markup.Crumb+" ", l...); len(path) > 0 && whole.Width() <= w {
			return whole
		}
	}
	lead := ""
	if len(path) > 1 {
		lead = markup.Ellipsis + " " + markup.Crumb + " "
	}
	return markup.Line{markup.Faint.Of(lead), markup.Strong.Of(d.shortID(id, max(8, w-markup.Width(lead))))}
}

// shortID is an object's kind and name in at most w cells: of a generated name
// the end, which differs between siblings.
func (d *drawing) shortID(id object.ID, w int) string {
	s := d.spell(id.String())
	if markup.Width(s) <= w {
		return s
	}
	kind, name, _ := strings.Cut(s, "/")
	if room := w - markup.Width(kind) - 1; room >= 6 {
		return kind + "/" + markup.Shorten(name, room)
	}
	return markup.TruncateMiddle(s, w)
}

// names lists objects after a word; it is empty if there are none.
func (d *drawing) names(word string, ids []object.ID) string {
	const shown = 4
	if len(ids) == 0 {
		return ""
	}
	var out []string
	for _, id := range ids[:min(shown, len(ids))] {
		out = append(out, d.shortID(id, 36))
	}
	if word += strings.Join(out, ", "); len(ids) > shown {
		word += fmt.Sprintf(" and %d more", len(ids)-shown)
	}
	return word
}
