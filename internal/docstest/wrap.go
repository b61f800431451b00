// Package docstest lays out the pages that tests write (docs/rules.md, docs/causes.md).
package docstest

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Columns is how wide a line of prose may be.
const Columns = 100

// lead matches the indentation of a line, and the bullet that it begins with.
var lead = regexp.MustCompile(`^\s*(?:(?:-|\d+\.) )?`)

// Wrap breaks the lines of a Markdown page that are wider than Columns.
func Wrap(page string) string {
	var b strings.Builder
	for line, fixed := range Lines(page) {
		if fixed || utf8.RuneCountInString(line) <= Columns {
			b.WriteString(line + "\n")
			continue
		}
		start := lead.FindString(line)
		indent := "\n" + strings.Repeat(" ", len(start))
		width := len(start)
		b.WriteString(start)
		for i, word := range strings.Fields(line[len(start):]) {
			wide := utf8.RuneCountInString(word)
			switch {
			case i == 0:
			case width+1+wide > Columns:
				b.WriteString(indent)
				width = len(start)
			default:
				b.WriteString(" ")
				width++
			}
			b.WriteString(word)
			width += wide
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Lines are the lines of a Markdown page, and whether each must stay one line: in code,
// tables, headings, comments and pictures.
func Lines(page string) func(yield func(line string, fixed bool) bool) {
	return func(yield func(string, bool) bool) {
		code := false
		for line := range strings.Lines(page) {
			line = strings.TrimSuffix(line, "\n")
			fence := strings.HasPrefix(strings.TrimSpace(line), "```")
			if code = code != fence; !yield(line, code || fence || fixed.MatchString(line)) {
				return
			}
		}
	}
}

// fixed matches a line that must stay one line: a table, a heading, a comment, a picture, code.
var fixed = regexp.MustCompile(`^(?:\||#|<!--|!\[|    \s*[^-\s\d])`)
