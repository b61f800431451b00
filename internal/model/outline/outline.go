// Package outline folds a YAML text by its blocks, with a cursor on one of the
// lines that show.
package outline

import (
	"fmt"
	"strings"
)

// Line is a line that shows.
type Line struct {
	Text   string
	No     int // index among all lines
	Opens  bool
	Folded int // number of lines folded into it
}

// Outline is a text, the user's folds and the cursor. A line opens a block if
// deeper lines follow; the items of a list are below the key before them,
// although YAML may write them in the same column.
type Outline struct {
	lines      []line
	depth      int             // blocks at this depth and deeper are folded; 0 is none
	exceptions map[string]bool // blocks that deviate from depth, by key
	cursor     int             // its line, counting folded ones
}

// line is a line and the block that it opens.
type line struct {
	text  string
	end   int    // the last line of the block; itself if it opens none
	depth int    // of nesting
	key   string // it and the lines that enclose it, which identify it while the object changes
}

// Clear forgets the text, and the cursor.
func (o *Outline) Clear() { o.lines, o.cursor = nil, 0 }

// Empty reports whether there is no text.
func (o *Outline) Empty() bool { return len(o.lines) == 0 }

// Read replaces the text.
func (o *Outline) Read(text string) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	out, indents := make([]line, len(lines)), make([]int, len(lines))
	var open []int // the lines that enclose the present one
	for i, text := range lines {
		for j := i; j < len(lines); j++ { // a blank line belongs to the enclosing block
			body := strings.TrimLeft(lines[j], " ")
			indents[i] = 2 * (len(lines[j]) - len(body))
			if strings.HasPrefix(body, "- ") || body == "-" {
				indents[i]++
			}
			if body != "" {
				break
			}
		}
		for len(open) > 0 && indents[open[len(open)-1]] >= indents[i] {
			open = open[:len(open)-1]
		}
		out[i] = line{text, i, len(open), strings.TrimSpace(text)}
		if len(open) > 0 {
			out[i].key = out[open[len(open)-1]].key + "/" + out[i].key
		}
		for _, at := range open {
			out[at].end = i
		}
		open = append(open, i)
	}
	o.lines = out
}

// Shown are the lines that are not folded, or all, and the cursor's index among
// them.
func (o *Outline) Shown(all bool) (out []Line, cursor int) {
	out = make([]Line, 0, len(o.lines))
	for i := 0; i < len(o.lines); i++ {
		l := o.lines[i]
		if i <= o.cursor {
			cursor = len(out)
		}
		shown := Line{Text: l.text, No: i, Opens: l.end > i}
		if shown.Opens && !all && (o.depth > 0 && l.depth >= o.depth-1) != o.exceptions[l.key] {
			shown.Folded = l.end - i
			i = l.end
		}
		out = append(out, shown)
	}
	return out, cursor
}

// Level folds one level more, or less.
func (o *Outline) Level(by int) (answer string) {
	all := 1 // the depth at which nothing is folded
	for i, l := range o.lines {
		if l.end > i {
			all = max(all, l.depth+2)
		}
	}
	at := o.depth
	if at == 0 || at > all {
		at = all
	}
	at = min(max(at+by, 1), all)
	o.depth, o.exceptions = at, nil
	if at == all {
		o.depth = 0
		return "all of it unfolded"
	}
	// The deepest levels may be out of sight.
	return fmt.Sprintf("folded from level %d of %d", at, all-1)
}

// Turn folds or unfolds the block that a line opens.
func (o *Outline) Turn(no int) {
	if no < 0 || no >= len(o.lines) {
		return
	}
	if o.exceptions == nil {
		o.exceptions = map[string]bool{}
	}
	key := o.lines[no].key
	o.cursor, o.exceptions[key] = no, !o.exceptions[key]
}

// TurnHere folds or unfolds the block at the cursor's line, or folds the
// enclosing one.
func (o *Outline) TurnHere() (answer string) {
	if o.Empty() {
		return nothingToFold
	}
	shown, at := o.Shown(false)
	for i := shown[at].No; i >= 0; i-- {
		if end := o.lines[i].end; end > i && end >= shown[at].No {
			o.Turn(i)
			return ""
		}
	}
	return nothingToFold
}

// nothingToFold answers a key that folds.
const nothingToFold = "there is nothing to fold"

// MoveTo moves the cursor to the line at an index of those that show.
func (o *Outline) MoveTo(shown []Line, at int) {
	o.cursor = shown[min(max(at, 0), len(shown)-1)].No
}
