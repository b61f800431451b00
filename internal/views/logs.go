package views

import (
	"fmt"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// logs is the pane of log lines: one line about the log, then its lines.
func (d *drawing) logs(w int) content {
	v := d.s.Logs()
	head := &text{w: w, g: d.g}
	if v.Key.Pod.Name == "" {
		none := v.None
		if none == "" {
			none = "There is no log to show here."
		}
		head.wrapped("", "", none, Dim)
		return content{head: head.lines}
	}
	left := line{{v.Key.Pod.Name, Strong}, {" " + d.g.Crumb + " " + v.Key.Container, Text}}
	if v.Key.Previous {
		left = append(left, span{"  previous instance", Stuck})
	}
	if left.width() > w {
		left = line{{truncateMiddle(v.Key.Pod.Name, max(8, w-width(v.Key.Container)-3), d.g.Ellipsis), Strong}, {" " + d.g.Crumb + " " + v.Key.Container, Text}}
	}
	var right line
	switch {
	case v.Ended:
		right = styled("ended", Dim)
	case v.Err != nil:
		right = styled("trying again", Dim)
	case v.Follow:
		right = line{{d.g.Live, OK}, {" following", Dim}}
	default:
		right = styled("G follows", Dim)
	}
	head.spread(left, right)
	if len(v.Containers) > 1 {
		l := line{{"containers: ", Dim}}
		for i, name := range v.Containers {
			if i > 0 {
				l = append(l, span{" ", Text})
			}
			tok := Dim
			if name == v.Key.Container {
				tok = Strong
			}
			l = append(l, span{name, tok})
		}
		head.lines = append(head.lines, l)
	}
	switch {
	case v.Err != nil:
		head.wrapped("", "  ", "cannot read the log: "+oneLine(v.Err.Error()), Stuck)
	case v.Missed > 0:
		head.add(span{fmt.Sprintf("%s %s could not be kept", d.g.Stalled, count(v.Missed, "line")), Stuck})
	case v.None != "":
		head.wrapped("", "", v.None, Dim)
	case v.Lines == 0 && v.Loading:
		head.add(span{"waiting for the first line", Dim})
	case v.Lines == 0:
		head.add(span{"The log is empty.", Dim})
	}
	stamp := w >= 60
	show := func(l status.LogLine) (lead, text span) {
		switch {
		case l.Aside:
			return span{d.g.Dot + " ", Stuck}, span{l.Text, Stuck}
		case stamp && !l.At.IsZero():
			return span{d.look.clock(l.At) + " ", Faint}, span{l.Text, Text}
		}
		return span{}, span{l.Text, Text}
	}
	if !d.s.Scroll().Wrap {
		return content{head: head.lines, n: v.Lines, line: func(i int) line {
			l := d.s.LogLines(i, 1)
			if len(l) == 0 {
				return nil
			}
			lead, text := show(l[0])
			return line{lead, text}
		}}
	}
	// Wrapped, only the newest are laid out: a window never shows more.
	const most = 2000
	var out []line
	for _, l := range d.s.LogLines(max(0, v.Lines-most), most) {
		lead, text := show(l)
		in := width(lead.text)
		if in+width(text.text) <= w {
			out = append(out, line{lead, text})
			continue
		}
		for i, part := range wrap(text.text, max(8, w-in)) {
			if i > 0 {
				lead = span{strings.Repeat(" ", in), Text}
			}
			out = append(out, line{lead, {part, text.token}})
		}
	}
	c := linesOf(out)
	c.head = head.lines
	return c
}
