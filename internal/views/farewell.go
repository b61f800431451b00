package views

import (
	"fmt"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
)

// Farewell is printed to the shell after the screen has gone: the verdict, its
// causes and what took longest.
func Farewell(s State, th *Theme) string {
	var lines []markup.Line
	v := s.Facts.Verdict()
	v.Failing = false // the exit code is of this moment
	look, word := verdictLook(v)
	head := markup.Line{look.Token.Of(look.Glyph + " " + word), markup.Text.Of("  ")}
	counts := s.Facts.Counts()
	if done, _ := s.Facts.Done(); done {
		head = append(head, verdictText(s, false, 0)...)
	} else {
		head = append(head, inWords(s.Facts)...)
		head = append(head, markup.Dim.Of("  after "+markup.Age(s.Facts.Elapsed())))
	}
	if n := s.Facts.GeneratedCounts().Total(); n > 0 && counts.Total() > 0 {
		head = append(head, markup.Dim.Of(fmt.Sprintf("  (%d objects with children)", n+counts.Total())))
	}
	lines = append(lines, head)
	const shown = 5
	causes, of := s.Tree.Headline()
	for i, c := range causes {
		if i == shown {
			lines = append(lines, markup.Styled(fmt.Sprintf("  and %d more", of-shown), markup.Dim))
			break
		}
		l := append(markup.Line{markup.Faint.Of("  " + markup.Dot + " ")},
			causeLine(s.Facts, false, []explain.Cause{c}, 1, len(c.Title)+400)...)
		lines = append(lines, l)
		if len(c.Next) > 0 {
			lines = append(lines, markup.Line{markup.Accent.Of("    " + markup.OneLine(c.Next[0]))})
		}
	}
	most := 0
	for _, l := range lines {
		most = max(most, l.Width())
	}
	c := NewCanvas(most+1, len(lines), th)
	for y, l := range lines {
		c.line(0, y, most+1, l)
	}
	c.spell()
	return c.Render() + "\n"
}
