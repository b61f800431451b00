package views

import (
	"fmt"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
)

// help draws the help window over the screen.
func (d *drawing) help() {
	r := d.l.Help
	if r.H < 3 || r.W < 8 {
		return
	}
	d.fade()
	d.window(r, "Keys", "type to search", "j k scroll", "esc closes")
	lines, top := d.s.Typing.Help()
	rows := r.H - 2
	for i, l := range lines[min(top, len(lines)):min(top+rows, len(lines))] {
		d.c.line(r.X+2, r.Y+1+i, r.W-4, l)
	}
	if n := len(lines); n > rows {
		d.c.Right(r.X+r.W-2, r.Y+r.H-1, fmt.Sprintf(" %d/%d ", top+rows, n), markup.Dim)
	}
	input := d.s.Typing.Input()
	if v := input.Value(); v != "" {
		d.c.Put(r.X+9, r.Y, r.W-11, " "+v+" ", markup.Accent)
	}
}
