package views

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// yaml is the pane with the whole object, status first.
func (d *drawing) yaml(w int) content {
	v := d.s.Detail()
	switch {
	case v.Err != nil:
		t := d.text(w)
		t.wrapped("", "", OneLine(v.Err.Error()), Stuck)
		return linesOf(t.lines)
	case len(v.Shown) == 0 && v.Loading:
		return linesOf([]line{styled("fetching the object", Dim)})
	case len(v.Shown) == 0:
		t := d.text(w)
		if !t.absent() {
			t.add(span{"There is nothing to show.", Dim})
		}
		return linesOf(t.lines)
	}
	if !d.s.Scroll().Wrap {
		c := content{n: len(v.Shown), line: func(i int) line { return d.yamlLine(&v.Shown[i], v.Shown[i].Text) }}
		return c.withCursor(&v)
	}
	var out []line
	starts := make([]int, 0, len(v.Shown)+1)
	for i := range v.Shown {
		starts = append(starts, len(out))
		l := &v.Shown[i]
		if width(l.Text) <= w {
			out = append(out, d.yamlLine(l, l.Text))
			continue
		}
		in := min(len(l.Text)-len(strings.TrimLeft(l.Text, " "))+2, w/2)
		for k, part := range wrap(l.Text, max(8, w-in)) {
			if k == 0 {
				out = append(out, d.yamlLine(l, part))
				continue
			}
			out = append(out, plain(strings.Repeat(" ", in)+part))
		}
	}
	c := linesOf(out)
	c.starts = append(starts, len(out))
	return c.withCursor(&v)
}

// withCursor adds the cursor's range to the content, if it has one.
func (c content) withCursor(v *model.DetailView) content {
	if v.Cursor < 1 || v.Cursor > len(v.Shown) {
		return c
	}
	c.cursor, c.kept = [2]int{v.Cursor - 1, v.Cursor}, !v.Loose
	if c.starts != nil {
		c.cursor = [2]int{c.starts[v.Cursor-1], c.starts[v.Cursor]}
	}
	return c
}

// yamlLine separates a key from its value, and says how many lines are folded.
func (d *drawing) yamlLine(l *model.DetailLine, s string) line {
	body := strings.TrimLeft(s, " -")
	lead := s[:len(s)-len(body)]
	key, value, ok := strings.Cut(body, ":")
	out := line{{lead, Faint}, {key, Accent}, {":", Faint}, {value, Text}}
	if !ok || strings.ContainsAny(key, " \"'{[") || value != "" && value[0] != ' ' {
		out = plain(s)
	}
	if l.Folded > 0 {
		out = append(out, span{"  " + d.g.Closed + " " + count(l.Folded, "line"), Dim})
	}
	return out
}

// yamlAt is the object's line at line y of the pane, if it opens a block.
func (d *drawing) yamlAt(y int) (no int, ok bool) {
	v := d.s.Detail()
	c := d.content(d.l.pane.W).fit(d.l.pane.H)
	y -= d.l.pane.Y + len(c.head)
	if y < 0 {
		return 0, false
	}
	i := c.logical(d.paneTop(c, d.l.pane.H-len(c.head)) + y)
	if i < 0 || i >= len(v.Shown) {
		return 0, false
	}
	return v.Shown[i].No, v.Shown[i].Opens
}
