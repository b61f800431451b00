package views

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// help is the table of keys, by context.
func (t *text) help() []markup.Line {
	input := t.d.s.Typing.Input()
	needle := strings.ToLower(input.Value())
	keyW := 14
	if t.w < 44 {
		keyW = 7
	}
	for _, in := range []struct {
		context model.Context
		title   string
	}{
		{model.InReplay, "IN A REPLAY"},
		{model.InTree, "IN THE TREE"},
		{model.Global, "EVERYWHERE"},
		{model.InPane, "IN A PANE"},
		{model.InLogs, "IN LOGS"},
		{model.InEvents, "IN EVENTS"},
		{model.InTimeline, "IN THE TIMELINE"},
		{model.InWhy, "IN WHY"},
		{model.InYAML, "IN YAML"},
		{model.InText, "WHILE TYPING"},
	} {
		for _, b := range t.d.s.Typing.Keys() {
			if b.Context != in.context || !b.Enabled() {
				continue
			}
			var keys []string
			for _, k := range b.Keys() {
				keys = append(keys, t.d.keyName(k))
			}
			joined := strings.Join(keys, " ")
			if !markup.HasFold(b.Help().Desc+" "+strings.Join(b.Keys(), " "), needle) {
				continue
			}
			if in.title != "" {
				t.heading(in.title)
				in.title = ""
			}
			indent := strings.Repeat(" ", keyW+4)
			lead := markup.Line{markup.Text.Of("  "), markup.Accent.Of(joined)} // only the keys are styled, not the blanks around them
			if blanks := keyW + 2 - markup.Width(joined); blanks < 2 {          // the description is below the keys
				t.add(lead...)
				lead = markup.Plain(indent)
			} else {
				lead = append(lead, markup.Plain(strings.Repeat(" ", blanks))...)
			}
			t.hanging(lead, indent, b.Help().Desc, markup.Text)
		}
	}
	t.signs(needle)
	if len(t.lines) == 0 {
		t.add(markup.Dim.Of("No key does that, and no sign means it."))
	}
	return t.lines
}

// signs is the legend of signs.
func (t *text) signs(needle string) {
	type sign struct {
		markup.StatusLook
		says string
	}
	var all []sign
	for _, st := range status.Statuses {
		all = append(all, sign{markup.LookOf(st), string(st)})
	}
	all = append(
		all, sign{markup.StatusLook{Glyph: markup.Stalled, Token: markup.Stuck}, "stalled: slower than is to be expected"},
		sign{markup.StatusLook{Glyph: markup.Aged, Token: markup.Stuck}, "as it was when its source was last heard"},
		sign{markup.StatusLook{Glyph: markup.Bubbled, Token: markup.Text}, "the reason comes from something below, " + markup.Times + "3: from three"},
		sign{markup.LookOf(status.Current), "condition: good"}, sign{markup.LookOf(status.Failed), "condition: bad"},
		sign{markup.LookOf(status.InProgress), "condition: not good yet, or not what decides"},
		sign{markup.StatusLook{Glyph: markup.Dot, Token: markup.Dim}, "condition: not known whether True is good"},
	)
	all = slices.DeleteFunc(all, func(s sign) bool { return !markup.HasFold(s.says, needle) })
	if len(all) > 0 {
		t.heading("SIGNS")
	}
	for _, s := range all {
		t.hanging(markup.Line{s.Token.Of("  " + markup.Pad(s.Glyph, 4))}, "      ", s.says, markup.Text)
	}
}

func (d *drawing) helpRect() Rect {
	b := d.l.bounds
	w, h := min(b.W, windowWidth), min(b.H, max(b.H-4, 8))
	return Rect{(b.W - w) / 2, (b.H - h) / 2, w, h}
}

// helpText is the text of the help window, at its size.
func (d *drawing) helpText() model.HelpText {
	r := d.helpRect()
	var b strings.Builder
	for _, l := range (&text{d: d, w: r.W - 4}).help() {
		for _, s := range l {
			b.WriteString(d.look.Theme.styles[s.Token].Render(s.Text))
		}
		b.WriteByte('\n')
	}
	return model.HelpText{W: max(r.W-4, 0), H: max(r.H-2, 0), Text: strings.TrimSuffix(b.String(), "\n")}
}

// help draws the help window over the screen.
func (d *drawing) help() {
	r := d.helpRect()
	if r.H < 3 || r.W < 8 {
		return
	}
	d.window(r, "Keys", "type to search", "esc closes")
	window := d.s.Typing.Help()
	d.c.styled(Rect{r.X + 2, r.Y + 1, r.W - 4, r.H - 2}, window.View())
	if n, rows := window.TotalLineCount(), window.Height(); n > rows {
		d.c.Right(r.X+r.W-2, r.Y+r.H-1, fmt.Sprintf(" %d/%d ", window.YOffset()+rows, n), markup.Dim)
	}
	input := d.s.Typing.Input()
	if v := input.Value(); v != "" {
		d.c.Put(r.X+9, r.Y, r.W-11, " "+v+" ", markup.Accent)
	}
}
