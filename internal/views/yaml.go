package views

import (
	"strings"
)

// yaml is the pane of the whole object.
func (d *drawing) yaml(w int) content {
	v := d.s.Detail()
	switch {
	case v.Err != nil:
		t := &text{w: w, g: d.g}
		t.wrapped("", "", oneLine(v.Err.Error()), Stuck)
		return linesOf(t.lines)
	case len(v.Lines) == 0 && v.Loading:
		return linesOf([]line{styled("fetching the object", Dim)})
	case len(v.Lines) == 0:
		return linesOf([]line{styled("There is nothing to show.", Dim)})
	}
	if !d.s.Scroll().Wrap {
		return content{n: len(v.Lines), line: func(i int) line { return yamlLine(v.Lines[i]) }}
	}
	var out []line
	for _, s := range v.Lines {
		if width(s) <= w {
			out = append(out, yamlLine(s))
			continue
		}
		in := min(len(s)-len(strings.TrimLeft(s, " "))+2, w/2)
		for i, part := range wrap(s, max(8, w-in)) {
			if i == 0 {
				out = append(out, yamlLine(part))
				continue
			}
			out = append(out, plain(strings.Repeat(" ", in)+part))
		}
	}
	return linesOf(out)
}

// yamlLine sets a key apart from its value.
func yamlLine(s string) line {
	body := strings.TrimLeft(s, " -")
	lead := s[:len(s)-len(body)]
	key, value, ok := strings.Cut(body, ":")
	if !ok || strings.ContainsAny(key, " \"'{[") || value != "" && value[0] != ' ' {
		return plain(s)
	}
	return line{{lead, Faint}, {key, Accent}, {":", Faint}, {value, Text}}
}
