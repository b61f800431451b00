package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Folding of the YAML pane. A line opens a block if deeper lines follow; the
// items of a list are below the key before them, although YAML may write them
// in the same column.

// DetailLine is a line of the YAML pane.
type DetailLine struct {
	Text   string
	No     int // index among all lines
	Opens  bool
	Folded int // number of lines folded into it
}

// inward is a line's indentation; blank lines are deepest.
func inward(s string) int {
	body := strings.TrimLeft(s, " ")
	if body == "" {
		return 1 << 30
	}
	n := 2 * (len(s) - len(body))
	if strings.HasPrefix(body, "- ") || body == "-" {
		n++
	}
	return n
}

// yamlBlocks returns for each line the last line of its block (the line itself
// if it opens none), and its nesting depth.
func yamlBlocks(lines []string) (ends, depth []int) {
	ends, depth = make([]int, len(lines)), make([]int, len(lines))
	type open struct{ at, inward int }
	var stack []open
	depths := make([]int, len(lines))
	for i := len(lines) - 1; i >= 0; i-- {
		depths[i] = inward(lines[i])
		if blank := depths[i] == 1<<30; blank && i+1 < len(lines) {
			depths[i] = depths[i+1] // it belongs to the enclosing block
		}
	}
	for i, in := range depths {
		for len(stack) > 0 && stack[len(stack)-1].inward >= in {
			stack = stack[:len(stack)-1]
		}
		for _, o := range stack {
			ends[o.at] = i
		}
		ends[i], depth[i] = i, len(stack)
		stack = append(stack, open{i, in})
	}
	return ends, depth
}

// foldYAML returns the visible lines. Blocks at depth and deeper are folded,
// none if it is 0; those in turned are inverted.
func foldYAML(lines []string, depth int, turned map[string]bool) []DetailLine {
	ends, at := yamlBlocks(lines)
	out := make([]DetailLine, 0, len(lines))
	for i := 0; i < len(lines); i++ {
		l := DetailLine{Text: lines[i], No: i, Opens: ends[i] > i}
		folded := l.Opens && depth > 0 && at[i] >= depth-1
		if l.Opens && turned[blockKey(lines, i)] {
			folded = !folded
		}
		if folded {
			l.Folded = ends[i] - i
			i = ends[i]
		}
		out = append(out, l)
	}
	return out
}

// blockKey identifies a block while the object changes: by its line and the
// lines that enclose it.
func blockKey(lines []string, i int) string {
	key := strings.TrimSpace(lines[i])
	in := inward(lines[i])
	for j := i - 1; j >= 0 && in > 0; j-- {
		if above := inward(lines[j]); above < in {
			in = above
			key = strings.TrimSpace(lines[j]) + "/" + key
		}
	}
	return key
}

// deepest is the depth at which nothing is folded.
func deepest(lines []string) int {
	ends, at := yamlBlocks(lines)
	most := 0
	for i := range lines {
		if ends[i] > i {
			most = max(most, at[i]+1)
		}
	}
	return most + 1
}

// foldLevel folds one level more, or less.
func (y *yamlPane) foldLevel(by int) (said string) {
	all := deepest(y.lines)
	at := y.depth
	if at == 0 || at > all {
		at = all
	}
	at = min(max(at+by, 1), all)
	y.depth, y.turned = at, nil
	if at == all {
		y.depth = 0
		return "all of it unfolded"
	}
	// The deepest levels may be out of sight.
	return fmt.Sprintf("folded from level %d of %d", at, all-1)
}

// turnBlock folds or unfolds the block that a line opens.
func (y *yamlPane) turnBlock(no int) {
	if no < 0 || no >= len(y.lines) {
		return
	}
	y.line = no
	turned := map[string]bool{}
	maps.Copy(turned, y.turned)
	key := blockKey(y.lines, no)
	turned[key] = !turned[key]
	y.turned = turned
}

// lineAt is the index among the visible lines of a line, or of the one that it
// is folded into.
func lineAt(shown []DetailLine, no int) int {
	i, there := slices.BinarySearchFunc(shown, no, func(l DetailLine, no int) int { return l.No - no })
	if !there {
		i--
	}
	return max(i, 0)
}

// moveLine moves the cursor, from index at of the visible lines.
func (y *yamlPane) moveLine(shown []DetailLine, at, by int) {
	y.line, y.loose = shown[min(max(at+by, 0), len(shown)-1)].No, false
}

// turnHere folds or unfolds the block at the cursor's line, or folds the
// enclosing one.
func (y *yamlPane) turnHere(shown []DetailLine) {
	l := shown[lineAt(shown, y.line)]
	if y.line = l.No; l.Opens {
		y.turnBlock(l.No)
		return
	}
	ends, depth := yamlBlocks(y.lines)
	for i := l.No - 1; i >= 0; i-- {
		if depth[i] < depth[l.No] && ends[i] >= l.No {
			y.turnBlock(i)
			return
		}
	}
}
