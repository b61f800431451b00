package views

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// yaml is the pane of the whole object, status first.
func (d *drawing) yaml(w int) content {
	v := d.s.Detail()
	switch {
	case v.Err != nil:
		t := d.text(w)
		t.wrapped("", "", oneLine(v.Err.Error()), Stuck)
		return linesOf(t.lines)
	case len(v.Shown) == 0 && v.Loading:
		return linesOf([]line{styled("fetching the object", Dim)})
	case len(v.Shown) == 0:
		return linesOf([]line{styled("There is nothing to show.", Dim)})
	}
	if !d.s.Scroll().Wrap {
		return content{n: len(v.Shown), line: func(i int) line { return d.yamlLine(&v.Shown[i], v.Shown[i].Text) }}
	}
	var out []line
	for i := range v.Shown {
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
	return linesOf(out)
}

// yamlLine sets a key apart from its value, and says what is folded into it.
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

// yamlAt is the line of the object that stands in line y of the pane, where it
// opens a block.
func (d *drawing) yamlAt(y int) (no int, ok bool) {
	v := d.s.Detail()
	c := d.content(d.l.pane.W).fit(d.l.pane.H)
	i := d.paneTop(c, d.l.pane.H-len(c.head)) + y - d.l.pane.Y
	if d.s.Scroll().Wrap || i < 0 || i >= len(v.Shown) {
		if i < 0 || i >= c.n {
			return 0, false
		}
		// Wrapped lines may stand for one: count those before.
		for k, at := 0, 0; k < len(v.Shown); k++ {
			n := 1
			if text := v.Shown[k].Text; width(text) > d.l.pane.W {
				in := min(len(text)-len(strings.TrimLeft(text, " "))+2, d.l.pane.W/2)
				n = len(wrap(text, max(8, d.l.pane.W-in)))
			}
			if i < at+n {
				return v.Shown[k].No, v.Shown[k].Opens
			}
			at += n
		}
		return 0, false
	}
	return v.Shown[i].No, v.Shown[i].Opens
}
