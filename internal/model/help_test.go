package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
)

// helpAt is the help's text with a pane open.
func helpAt(w int, open Pane, needle string) (lines []string) {
	for _, l := range HelpLines(&panes.Page{W: w}, Bound(nil), open, needle) {
		lines = append(lines, l.String())
	}
	return lines
}

func TestTheHelpHasTheOpenPanesKeysFirstAndColumnsWhereTheyFit(t *testing.T) {
	narrow, wide := helpAt(62, PaneLogs, ""), helpAt(110, PaneLogs, "")
	if narrow[0] != "IN LOGS (OPEN NOW)" || !strings.HasPrefix(wide[0], "IN LOGS (OPEN NOW)") {
		t.Errorf("first: %q and %q", narrow[0], wide[0])
	}
	if len(wide)*3 > len(narrow)*2 {
		t.Errorf("%d lines in two columns, %d in one", len(wide), len(narrow))
	}
	both := strings.Join(wide, "\n")
	for _, b := range Bound(nil) {
		if first := strings.Fields(b.Help().Desc)[0]; b.Enabled() && !strings.Contains(both, first) {
			t.Errorf("two columns lack %q", b.Help().Desc)
		}
	}
	for i, l := range wide {
		if len([]rune(l)) > 110 {
			t.Errorf("line %d is %d cells wide", i, len([]rune(l)))
		}
	}
	if !slices.ContainsFunc(helpAt(62, PaneWhy, "log"), func(l string) bool { return l == "IN LOGS" }) {
		t.Error("a search for log does not find the section of the logs")
	}
	if text := strings.Join(helpAt(62, PaneWhy, ""), "\n"); !strings.Contains(text, "status=failed") || !strings.Contains(text, "-l app=web") {
		t.Error("the language of filters is not in the help")
	}
}

// Whoever sees a sign types it, or a word of what it may mean.
func TestTheHelpFindsASign(t *testing.T) {
	for typed, want := range map[string]string{
		"✓": "Current", "◌": "InProgress", "✗": "Failed", "▲": "stalled", "↻": "restarts", "restart": "↻", "»": "another object", "×": "three",
		"▸": "opens it", "●": "live", "~": "answered last", "=": "paused", "sign": "Terminating",
		"▒": "time line: Failed", "░": "bar: InProgress", "╋": "a cause begins",
	} {
		got := strings.Join(helpAt(62, PaneWhy, typed), "\n")
		if !strings.Contains(got, "SIGNS") || !strings.Contains(got, want) {
			t.Errorf("%s: no %q in:\n%s", typed, want, got)
		}
	}
	var plain strings.Builder
	for _, l := range HelpLines(&panes.Page{W: 62, ASCII: true}, Bound(nil), PaneWhy, "@") {
		plain.WriteString(l.String())
	}
	if !strings.Contains(plain.String(), "restarts of the containers") {
		t.Errorf("@ on an ASCII screen: %s", plain.String())
	}
}

// The keys of the first and the last line do in the help what they do everywhere.
func TestTheHelpGoesToItsEndAndBack(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	p.keys("?", "G")
	lines, top := p.m.Keyboard.Help()
	if top == 0 || top != len(lines)-p.m.Keyboard.helpRows() {
		t.Errorf("G leads to line %d of %d", top, len(lines))
	}
	p.keys("g")
	if _, top := p.m.Keyboard.Help(); top != 0 {
		t.Errorf("g leads to line %d", top)
	}
}

// s sorts the tree as long as that has the focus, also beside an open log.
func TestTheHelpMarksTheKeysOfAPaneThatNeedItsFocus(t *testing.T) {
	got := strings.Join(helpAt(62, PaneLogs, ""), "\n")
	for _, want := range []string{"  tab s  ", "  tab ←  ", "  p  ", "  M  "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	p.send(rowsOn(120, 30))
	p.keys("4")
	if p.keys("s"); !strings.Contains(p.m.Display.Flash(), "sorted") {
		t.Errorf("s says %q", p.m.Display.Flash())
	}
	if p.keys("tab", "s"); strings.Contains(p.m.Display.Flash(), "sorted") {
		t.Errorf("tab s says %q", p.m.Display.Flash())
	}
}

func TestJAndKScrollTheHelp(t *testing.T) {
	p := screen(t)
	p.keys("?", "j", "j", "k")
	if in := p.m.Keyboard.Input(); p.m.Keyboard.helpTop != 1 || in.Value() != "" {
		t.Errorf("at line %d, searched for %q", p.m.Keyboard.helpTop, in.Value())
	}
	p.keys("w", "j") // a search may contain them
	if in := p.m.Keyboard.Input(); in.Value() != "wj" {
		t.Errorf("searched for %q", in.Value())
	}
}

func TestNamespacesOfTheClusterAreProposed(t *testing.T) {
	p := screen(t)
	p.keys(":", "n", "s", "space", "k")
	found := p.m.Keyboard.Palette().Suggestions
	if len(found) == 0 || found[0].Text != "namespace kube-system" {
		t.Errorf("proposed: %v", found)
	}
}
