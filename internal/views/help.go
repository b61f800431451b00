package views

import (
	"fmt"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// help is the table of keys, by context.
func (t *text) help() []line {
	names := map[model.Context]string{
		model.Global: "EVERYWHERE", model.InTree: "IN THE TREE", model.InPane: "IN A PANE",
		model.InLogs: "IN LOGS", model.InEvents: "IN EVENTS", model.InText: "WHILE TYPING", model.InHelp: "IN THIS HELP",
		model.InReplay: "IN A REPLAY", model.InTimeline: "IN THE TIMELINE", model.InYAML: "IN YAML",
	}
	input := t.s.Input()
	needle := strings.ToLower(input.Value())
	keyW := 14
	if t.w < 44 {
		keyW = 7
	}
	for _, ctx := range []model.Context{model.InReplay, model.InTree, model.Global, model.InPane, model.InLogs, model.InEvents, model.InTimeline, model.InYAML, model.InText, model.InHelp} {
		first := true
		for _, b := range t.s.Keys() {
			if b.Context != ctx || !b.Enabled() {
				continue
			}
			var keys []string
			for _, k := range b.Keys() {
				keys = append(keys, t.keyName(k))
			}
			joined := strings.Join(keys, " ")
			if needle != "" && !strings.Contains(strings.ToLower(b.Help().Desc+" "+strings.Join(b.Keys(), " ")), needle) {
				continue
			}
			if first {
				t.heading(names[ctx])
				first = false
			}
			in := strings.Repeat(" ", keyW+4)
			at := len(t.lines)
			if width(joined) > keyW { // the description is below the keys
				t.add(span{"  ", Text}, span{joined, Accent})
				t.wrapped(in, in, b.Help().Desc, Text)
				continue
			}
			t.wrapped(in, in, b.Help().Desc, Text)
			// Style only the keys, not the blanks around them.
			keyed := line{{"  ", Text}, {joined, Accent}, {in[2+width(joined):], Text}}
			t.lines[at] = append(keyed, t.lines[at][1:]...)
		}
	}
	if len(t.lines) == 0 {
		t.add(span{"No key does that.", Dim})
	}
	if needle != "" {
		return t.lines
	}
	t.heading("SIGNS")
	for _, st := range status.Statuses {
		t.add(span{"  " + pad(t.g.Of(st), 4), statusToken(st)}, span{string(st), Text})
	}
	t.wrappedSpan(span{"  " + pad(t.g.Stalled, 4), Stuck}, "      ", "stalled: slower than is to be expected", Text)
	t.add(span{"  " + pad(t.g.Current, 2), OK}, span{pad(t.g.Failed, 2), Bad}, span{"condition good, bad", Text})
	t.wrappedSpan(span{"  " + pad(t.g.Bubbled, 4), Text}, "      ", "the reason comes from something below, "+t.g.Times+"3: from three", Text)
	return t.lines
}

func (d *drawing) helpRect() Rect {
	b := d.l.bounds
	w := min(b.W, 66)
	h := min(b.H, max(b.H-4, 8))
	if b.W < 70 {
		w = b.W
	}
	return Rect{(b.W - w) / 2, (b.H - h) / 2, w, h}
}

// helpText is the text of the help window, at its size.
func (d *drawing) helpText() model.HelpText {
	r := d.helpRect()
	var b strings.Builder
	for _, l := range (&text{drawing: d, w: r.W - 4}).help() {
		for _, s := range l {
			b.WriteString(d.th.styles[s.token].Render(s.text))
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
	d.c.Dim()
	d.c.Blank(r, NoBack)
	d.c.Box(r, d.g, d.th.front())
	d.c.Put(r.X+2, r.Y, r.W-4, " Keys ", Strong)
	window := d.s.Help()
	d.c.styled(Rect{r.X + 2, r.Y + 1, r.W - 4, r.H - 2}, window.View())
	if n, rows := window.TotalLineCount(), window.Height(); n > rows {
		d.c.Right(r.X, r.Y+r.H-1, r.W-2, fmt.Sprintf(" %d/%d ", window.YOffset()+rows, n), Dim)
	}
	d.c.Put(r.X+2, r.Y+r.H-1, r.W-12, d.hints(r.W-14, "type to search", "esc closes"), Dim)
	input := d.s.Input()
	if v := input.Value(); v != "" {
		d.c.Put(r.X+9, r.Y, r.W-11, " "+v+" ", Accent)
	}
}
