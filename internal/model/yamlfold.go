package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Folding of the YAML pane. A line opens a block where lines of a greater depth
// follow; a list's items lie below the key before them, though YAML writes them
// in the same column.

// DetailLine is a line of the YAML pane.
type DetailLine struct {
	Text   string
	No     int // of all lines, from 0
	Opens  bool
	Folded int // how many lines are folded into it
}

// inward is how deep a line stands; blank lines stand deepest.
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

// yamlBlocks says for each line after which line its block ends: its own where it
// opens none; and how many blocks it stands in.
func yamlBlocks(lines []string) (ends, depth []int) {
	ends, depth = make([]int, len(lines)), make([]int, len(lines))
	type open struct{ at, inward int }
	var stack []open
	depths := make([]int, len(lines))
	for i := len(lines) - 1; i >= 0; i-- {
		depths[i] = inward(lines[i])
		if blank := depths[i] == 1<<30; blank && i+1 < len(lines) {
			depths[i] = depths[i+1] // it belongs to what it stands in
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

// foldYAML are the lines that show. Blocks at depth and beyond are folded, all
// are open where it is 0; what is in turned is the other way round.
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

// blockKey tells a block from others while the object changes: its line, and
// the lines that it stands below.
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

// deepest is the depth that shows everything.
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

// foldLevel shows one level less, or more.
func (m Model) foldLevel(by int) Model {
	all := deepest(m.detail.lines)
	at := m.yamlDepth
	if at == 0 || at > all {
		at = all
	}
	at = min(max(at+by, 1), all)
	m.yamlDepth, m.yamlTurned = at, nil
	if at == all {
		m.yamlDepth = 0
		return m.say("all of it unfolded").scrollPane(0)
	}
	// The deepest levels may all lie out of sight.
	return m.say(fmt.Sprintf("folded from level %d of %d", at, all-1)).scrollPane(0)
}

// turnBlock folds or unfolds the block that a line opens.
func (m Model) turnBlock(no int) Model {
	if no < 0 || no >= len(m.detail.lines) {
		return m
	}
	m.yamlLine = no
	turned := map[string]bool{}
	maps.Copy(turned, m.yamlTurned)
	key := blockKey(m.detail.lines, no)
	turned[key] = !turned[key]
	m.yamlTurned = turned
	return m
}

// lineAt is the place among the shown lines of one of all, or of the one that it
// is folded into.
func lineAt(shown []DetailLine, no int) int {
	i, there := slices.BinarySearchFunc(shown, no, func(l DetailLine, no int) int { return l.No - no })
	if !there {
		i--
	}
	return max(i, 0)
}

// moveLine moves the cursor in the YAML. Where the window was moved away from it,
// it goes on from what is in sight.
func (m Model) moveLine(by int) Model {
	shown := m.Detail().Shown
	at := lineAt(shown, m.yamlLine)
	if m.yamlLoose || m.search.Text != "" && !m.search.Left {
		at = m.paneFirst
	}
	m.yamlLine = shown[clampAdd(at, by, len(shown))].No
	m.yamlLoose, m.search.Left = false, true
	return m
}

// turnHere folds or unfolds the block that the cursor's line opens, or else folds
// the one that it stands in.
func (m Model) turnHere() Model {
	if len(m.detail.lines) == 0 {
		return m
	}
	if m.yamlLoose {
		m = m.moveLine(0)
	}
	shown := m.Detail().Shown
	l := shown[lineAt(shown, m.yamlLine)]
	if m.yamlLine = l.No; l.Opens {
		return m.turnBlock(l.No)
	}
	ends, depth := yamlBlocks(m.detail.lines)
	for i := l.No - 1; i >= 0; i-- {
		if depth[i] < depth[l.No] && ends[i] >= l.No {
			return m.turnBlock(i)
		}
	}
	return m
}
