package views

import (
	"fmt"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
)

// Farewell is printed to the shell after the screen has gone: the verdict, its
// causes and what took longest.
func Farewell(s State, th *Theme) string {
	var lines []line
	look, word := verdictLook(s.Facts.Verdict())
	head := line{{look.glyph + " " + word, look.token}, {"  ", Text}}
	counts := s.Facts.Counts()
	if done, _ := s.Facts.Done(); done {
		head = append(head, verdictText(s, 0)...)
	} else {
		head = append(head, inWords(s.Facts)...)
		head = append(head, span{"  after " + age(s.Facts.Elapsed()), Dim})
	}
	if n := s.Facts.GeneratedCounts().Total(); n > 0 && counts.Total() > 0 {
		head = append(head, span{fmt.Sprintf("  (%d objects with children)", n+counts.Total()), Dim})
	}
	lines = append(lines, head)
	const shown = 5
	causes, of := s.Tree.Headline()
	for i, c := range causes {
		if i == shown {
			lines = append(lines, styled(fmt.Sprintf("  and %d more", of-shown), Dim))
			break
		}
		l := append(line{{"  " + dot + " ", Faint}}, causeLine(s.Facts, []explain.Cause{c}, 1, len(c.Title)+400)...)
		lines = append(lines, l)
		if len(c.Next) > 0 {
			lines = append(lines, line{{"    " + OneLine(c.Next[0]), Accent}})
		}
	}
	most := 0
	for _, l := range lines {
		most = max(most, l.width())
	}
	c := NewCanvas(most+1, len(lines), th)
	for y, l := range lines {
		c.line(0, y, most+1, l)
	}
	c.spell()
	return c.Render() + "\n"
}
