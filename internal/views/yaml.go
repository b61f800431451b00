package views

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/outline"
)

// yaml is the pane with the whole object, status first, below its name.
func (t *text) yaml(v model.DetailView) (c content) {
	switch {
	case v.Err != nil:
		t.wrapped("", "", markup.OneLine(v.Err.Error()), markup.Stuck)
	case len(v.Shown) > 0:
		c.starts = t.object(v.Shown)
	case v.Loading:
		t.add(markup.Dim.Of("fetching the object"))
	case !t.absent():
		t.add(markup.Dim.Of("There is nothing to show."))
	}
	c.n, c.line = len(t.lines), func(i int) markup.Line { return t.lines[i] }
	if r, ok := selected(t.d.s); ok {
		c.head = []markup.Line{t.d.crumbs(r.ID, t.w)}
	}
	if v.Cursor >= 1 && v.Cursor < len(c.starts) {
		c.cursor, c.kept = [2]int{c.starts[v.Cursor-1], c.starts[v.Cursor]}, !v.Loose
	}
	return c
}

// object adds the lines of an object, wrapped if switched on. It returns where
// each begins, and where the last ends.
func (t *text) object(lines []outline.Line) (starts []int) {
	for i := range lines {
		starts = append(starts, len(t.lines))
		l, parts, in := &lines[i], []string{lines[i].Text}, 0
		if t.d.s.Panes.Scroll().Wrap && markup.Width(l.Text) > t.w {
			in = min(len(l.Text)-len(strings.TrimLeft(l.Text, " "))+2, t.w/2)
			parts = markup.Wrap(l.Text, max(8, t.w-in))
		}
		t.add(yamlLine(l, parts[0])...)
		for _, part := range parts[1:] {
			t.add(markup.Plain(strings.Repeat(" ", in) + part)...)
		}
	}
	return append(starts, len(t.lines))
}

// yamlLine separates a key from its value, and says how many lines are folded.
func yamlLine(l *outline.Line, s string) markup.Line {
	body := strings.TrimLeft(s, " -")
	lead := s[:len(s)-len(body)]
	key, value, ok := strings.Cut(body, ":")
	out := markup.Line{markup.Faint.Of(lead), markup.Accent.Of(key), markup.Faint.Of(":"), markup.Text.Of(value)}
	if !ok || strings.ContainsAny(key, " \"'{[") || value != "" && value[0] != ' ' {
		out = markup.Plain(s)
	}
	if l.Folded > 0 {
		out = append(out, markup.Dim.Of("  "+markup.Folded+" "+markup.Count(l.Folded, "line")))
	}
	return out
}

// yamlAt is the object's line at line y of the pane, if it opens a block.
func (d *drawing) yamlAt(y int) (no int, ok bool) {
	c, shown := d.content(d.l.pane.W).fit(d.l.pane.H), d.s.Panes.Detail().Shown
	y -= d.l.pane.Y + len(c.head)
	if i := c.entry(d.paneTop(c, d.l.pane.H-len(c.head)) + y); y >= 0 && i >= 0 && i < len(shown) {
		return shown[i].No, shown[i].Opens
	}
	return 0, false
}
