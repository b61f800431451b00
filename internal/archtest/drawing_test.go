package archtest

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// Of each arrow a ← b in ARCHITECTURE.md's drawing, every b imports an a, and
// every a is imported by a b.
func TestTheDrawingOfImportsIsTrue(t *testing.T) {
	imported := map[string][]string{} // by the last element of a room's name
	for _, f := range load(t) {
		room, ok := roomOf(f.dir)
		if !ok || f.test() {
			continue
		}
		for _, p := range imports(f.ast) {
			if to, ok := roomOf(strings.TrimPrefix(p, module+"/")); ok && to != room {
				imported[short(room)] = append(imported[short(room)], short(to))
			}
		}
	}
	text, err := os.ReadFile("../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	arrows := 0
	for line := range strings.Lines(string(text)) {
		groups := strings.Split(strings.TrimSpace(line), " ← ")
		if strings.Contains(line, "`") {
			continue
		}
		for i := range len(groups) - 1 {
			arrows++
			from, to := strings.Split(groups[i], ", "), strings.Split(groups[i+1], ", ")
			for _, b := range to {
				if !slices.ContainsFunc(from, func(a string) bool { return slices.Contains(imported[b], a) }) {
					t.Errorf("%q: %s imports none of %v", strings.TrimSpace(line), b, from)
				}
			}
			for _, a := range from {
				if !slices.ContainsFunc(to, func(b string) bool { return slices.Contains(imported[b], a) }) {
					t.Errorf("%q: none of %v imports %s", strings.TrimSpace(line), to, a)
				}
			}
		}
	}
	if arrows < 20 {
		t.Errorf("the drawing has %d arrows: the test looks in the wrong place", arrows)
	}
}

// short is a room's name as the drawing has it.
func short(room string) string {
	if room == "cmd/kstatus-tui" {
		return "cmd"
	}
	return path.Base(room)
}
