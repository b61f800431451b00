package outline

import (
	"fmt"
	"strings"
	"testing"
)

const text = "status:\n  conditions:\n  - type: Ready\n    status: \"True\"\n  text: |\n    one\n\n    two\nkind: Pod\n"

// A list's items are below the key in the same column, a blank line belongs to
// the block around it, and the cursor is on the line that it is folded into.
func TestBlocksFoldByLevelsAndOneByOne(t *testing.T) {
	o := &Outline{}
	if o.TurnHere(); !o.Empty() {
		t.Fatal("there is text from the start")
	}
	o.Read(text)
	shows := func(want string, cursor int) {
		t.Helper()
		lines, at := o.Shown(false)
		var got []string
		for _, l := range lines {
			s := strings.TrimSpace(l.Text)
			if l.Folded > 0 {
				s += fmt.Sprint(" +", l.Folded)
			}
			got = append(got, s)
		}
		if all := strings.Join(got, "|"); all != want || at != cursor {
			t.Errorf("%s, cursor %d\nwant %s, cursor %d", all, at, want, cursor)
		}
	}
	all, _ := o.Shown(false)
	o.MoveTo(all, 6) // the blank line
	o.Level(-1)
	shows(`status:|conditions:|- type: Ready +1|text: ||one||two|kind: Pod`, 5)
	o.Level(-1)
	shows(`status:|conditions: +2|text: | +3|kind: Pod`, 2)
	o.TurnHere()
	shows(`status:|conditions: +2|text: ||one||two|kind: Pod`, 2)
	o.Turn(0)
	shows(`status: +7|kind: Pod`, 0)
	o.Read(text) // the same object again
	shows(`status: +7|kind: Pod`, 0)
	if o.Level(9); o.depth != 0 {
		t.Errorf("all of it is unfolded, and the depth is %d", o.depth)
	}
	if lines, _ := o.Shown(true); len(lines) != 9 {
		t.Errorf("%d lines in all", len(lines))
	}
}
