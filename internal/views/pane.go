package views

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// content is a pane's text: n lines, each rendered on demand, below a head that
// does not scroll.
type content struct {
	n    int
	line func(i int) line
	head []line
	// find lists the lines that contain a lower-case needle; nil searches all.
	find func(needle string) []int
	// starts are the first lines of the entries that were wrapped, and n last;
	// nil if each entry is one line.
	starts []int
	// cursor is the range of the cursor's lines; kept says that it must be
	// visible.
	cursor [2]int
	kept   bool
}

// logical is the entry of line i, whether or not it is wrapped.
func (c content) logical(i int) int {
	if c.starts == nil || i < 0 || i >= c.n {
		return i
	}
	return search(c.starts, i)
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

func linesOf(lines []line) content {
	return content{n: len(lines), line: func(i int) line { return lines[i] }}
}

// tab is a pane's name and its position.
type tab struct {
	pane model.Pane
	x, w int
	text string
}

// tabsIn arranges the panes' names in r: spaced if they fit, then close
// together, then short ones, then numbers.
func (d *drawing) tabsIn(r Rect) []tab {
	short := [...]string{"Why", "Conds", "Events", "Logs", "YAML", "Time"}
	for step := range 4 {
		x, apart := r.X, 2
		var tabs []tab
		for i, name := range model.PaneNames {
			text := strconv.Itoa(i + 1)
			switch step {
			case 0:
				text += " " + name
			case 1:
				text += " " + name
				apart = 0
			case 2:
				text += " " + short[i]
			case 3:
				if model.Pane(i) == d.s.Pane() && r.W >= 32 {
					text += " " + short[i]
				}
			}
			t := tab{model.Pane(i), x, width(text) + apart, text}
			tabs = append(tabs, t)
			x += t.w + 1
		}
		if x-1 <= r.X+r.W || step == 3 {
			return tabs
		}
	}
	return nil
}

// tabs draws the panes' names into the upper edge of the pane.
func (d *drawing) tabs(r Rect) {
	if r.empty() {
		return
	}
	for i, t := range d.tabsIn(r) {
		if t.x+t.w > r.X+r.W {
			return
		}
		tok := Dim
		if t.pane == d.s.Pane() {
			tok = Strong
			if d.s.Focus() == model.FocusPane || d.s.PaneSize() == model.PaneFull {
				tok = Accent
			}
		}
		if i > 0 {
			d.c.Put(t.x-1, r.Y, 1, d.g.Frame.Left, Faint)
		}
		x := t.x
		if t.w > width(t.text) {
			x = d.c.Put(x, r.Y, 1, " ", Text) // not underlined
			d.c.Put(t.x+t.w-1, r.Y, 1, " ", Text)
		}
		d.c.Put(x, r.Y, width(t.text), t.text, tok)
	}
}

// content is the open pane's content for a width.
func (d *drawing) content(w int) content {
	switch d.s.Pane() {
	case model.PaneConditions:
		return linesOf(d.text(w).conditions())
	case model.PaneEvents:
		return linesOf(d.text(w).events())
	case model.PaneLogs:
		return d.logs(w)
	case model.PaneYAML:
		return d.named(d.yaml(w), w)
	case model.PaneTimeline:
		return linesOf(d.text(w).timeline())
	default:
		return linesOf(d.text(w).why())
	}
}

// named puts the selected object's name above a content.
func (d *drawing) named(c content, w int) content {
	if r, ok := d.selected(); ok {
		c.head = append([]line{d.crumbs(r.ID, w)}, c.head...)
	}
	return c
}

// pane draws the open pane.
func (d *drawing) pane(r Rect) {
	if r.empty() {
		return
	}
	content := d.content(r.W).fit(r.H)
	for i, l := range content.head {
		d.c.line(r.X, r.Y+i, r.W, l, d.g)
	}
	_, r = r.rows(len(content.head))
	top := d.paneTop(content, r.H)
	needle := strings.ToLower(d.s.SearchText().Text)
	for i := range min(r.H, content.n-top) {
		if at := top + i; at >= content.cursor[0] && at < content.cursor[1] {
			d.c.Blank(Rect{r.X, r.Y + i, r.W, 1}, Selected)
			if at == content.cursor[0] && r.X > 0 {
				d.c.Put(r.X-1, r.Y+i, 1, d.g.Selected, Accent)
			}
		}
		l := content.line(top + i)
		d.c.line(r.X, r.Y+i, r.W, l, d.g)
		if needle != "" {
			d.mark2(r.X, r.Y+i, r.W, l.String(), needle)
		}
	}
	d.scrollBar(r, top, content.n)
}

// paneTop is the first visible line of h: the scroll position, or such that the
// last search match is visible.
func (d *drawing) paneTop(c content, h int) int {
	top := max(0, min(d.s.Scroll().Top, c.n-h))
	search := d.s.SearchText()
	if search.Text == "" || search.Left {
		if c.kept {
			top = max(min(top, c.cursor[0]), min(c.cursor[1]-h, c.cursor[0]))
		}
		return top
	}
	if at, ok := findMatch(c, strings.ToLower(search.Text), search.Step); ok && (at < top || at >= top+h) {
		top = max(0, min(at-h/3, c.n-h))
	}
	return top
}

// findMatch is the step-th line that contains the needle, wrapping around.
func findMatch(c content, needle string, step int) (int, bool) {
	var at []int
	if c.find != nil {
		at = c.find(needle)
	} else {
		for i := range c.n {
			if hasFold(c.line(i).String(), needle) {
				at = append(at, i)
			}
		}
	}
	if len(at) == 0 {
		return 0, false
	}
	return at[((step%len(at))+len(at))%len(at)], true
}

// mark2 highlights a search's matches in a line.
func (d *drawing) mark2(x, y, w int, text, needle string) {
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
		at := width(text[:i])
		d.c.Put(x+at, y, w-at, text[i:i+len(needle)], Match)
		from = i + len(needle)
	}
}

// scrollBar draws the scroll bar at the pane's right edge.
func (d *drawing) scrollBar(r Rect, top, n int) {
	if n <= r.H || r.H < 3 {
		return
	}
	size := max(1, r.H*r.H/n)
	at := 0
	if n > r.H {
		at = top * (r.H - size) / (n - r.H)
	}
	x := r.X + r.W
	if d.l.form != formSide {
		x = d.l.bounds.X + d.l.bounds.W - 1
	} else {
		x++
	}
	for i := range size {
		d.c.Put(x, r.Y+at+i, 1, d.g.Thumb, Dim)
	}
}

// selected is the selected object, if any.
func (d *drawing) selected() (model.Resource, bool) {
	key, _ := d.s.Selected()
	if key.ID.IsZero() {
		return model.Resource{}, false
	}
	return d.s.Resource(key.ID)
}

// absent explains a missing object; false if it exists.
func (t *text) absent() bool {
	r, ok := t.selected()
	if !ok || r.Object != nil || r.Assessment.Message == "" {
		return false
	}
	t.wrapped("", "  ", OneLine(r.Assessment.Message), Dim)
	return true
}

// crumbs is the path from the root to the object.
func (d *drawing) crumbs(id object.ID, w int) line {
	path := d.s.Path(id)
	if len(path) == 0 {
		return styled(truncateMiddle(id.String(), w, d.g.Ellipsis), Strong)
	}
	for _, brief := range []bool{false, true} {
		var l line
		for i, p := range path {
			name, tok := p.String(), Dim
			if i > 0 {
				l = append(l, span{" " + d.g.Crumb + " ", Faint})
				if brief || i < len(path)-1 {
					name = d.shorter(p, path[i-1])
				}
			}
			if i == len(path)-1 {
				tok = Strong
			}
			l = append(l, span{name, tok})
		}
		if l.width() <= w {
			return l
		}
	}
	last := path[len(path)-1].String()
	if len(path) == 1 {
		return styled(truncateMiddle(last, w, d.g.Ellipsis), Strong)
	}
	ends := line{
		{path[0].String(), Dim},
		{" " + d.g.Crumb + " " + d.g.Ellipsis + " " + d.g.Crumb + " ", Faint},
		{d.shorter(path[len(path)-1], path[len(path)-2]), Strong},
	}
	if len(path) > 2 && ends.width() <= w {
		return ends
	}
	return line{{d.g.Ellipsis + " " + d.g.Crumb + " ", Faint}, {truncateMiddle(last, max(8, w-5), d.g.Ellipsis), Strong}}
}

// shorter removes the parent's name from a child's.
func (d *drawing) shorter(child, parent object.ID) string {
	if rest, ok := strings.CutPrefix(child.Name, parent.Name+"-"); ok && rest != "" {
		return child.Kind + "/" + d.g.Ellipsis + rest
	}
	return child.String()
}

// shortID is an object's kind and name in at most w cells: of a generated name
// the end, which differs between siblings.
func (d *drawing) shortID(id object.ID, w int) string {
	s := id.String()
	if width(s) <= w {
		return s
	}
	if room := w - width(id.Kind) - 1; room >= 6 {
		return id.Kind + "/" + shorten(id.Name, room, d.g.Ellipsis)
	}
	return truncateMiddle(s, w, d.g.Ellipsis)
}

// names lists up to n objects.
func (d *drawing) names(ids []object.ID, n int) string {
	var b strings.Builder
	for i, id := range ids {
		if i == n {
			fmt.Fprintf(&b, " and %d more", len(ids)-n)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(d.shortID(id, 36))
	}
	return b.String()
}
