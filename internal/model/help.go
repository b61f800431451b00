package model

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Help is the help window's lines, and the first in sight.
func (k *Keyboard) Help() (lines []markup.Line, top int) { return k.help, k.helpTop }

// writeHelp writes the help at the window's width.
func (k *Keyboard) writeHelp(ascii bool) {
	w := max(k.panes.layout.Help.W-4, 0)
	k.help = HelpLines(&panes.Page{W: w, ASCII: ascii}, k.Keys(), k.input.Value())
	k.scrollHelp(0)
}

// helpRows is how many lines of the help are in sight.
func (k *Keyboard) helpRows() int { return max(k.panes.layout.Help.H-2, 0) }

func (k *Keyboard) scrollHelp(by int) {
	k.helpTop = min(max(k.helpTop+by, 0), max(len(k.help)-k.helpRows(), 0))
}

// HelpLines writes what matches a text of the table of keys, by context, and of the
// legend of signs.
func HelpLines(t *panes.Page, all []Binding, needle string) []markup.Line {
	needle = strings.ToLower(needle)
	keyW := 14
	if t.W < 44 {
		keyW = 7
	}
	type section struct {
		context Context
		title   string
	}
	sections := []section{{InReplay, "IN A REPLAY"}, {InTree, "IN THE TREE"}, {Global, "EVERYWHERE"}, {InPane, "IN A PANE"}}
	for i, name := range PaneNames() {
		sections = append(sections, section{OwnKeys(Pane(i)), "IN " + strings.ToUpper(name)})
	}
	for _, in := range append(sections, section{InText, "WHILE TYPING"}) {
		for _, b := range all {
			if b.Context != in.context || !b.Enabled() {
				continue
			}
			var keys []string
			for _, name := range b.Keys() {
				keys = append(keys, t.KeyName(name))
			}
			joined := strings.Join(keys, " ")
			if !markup.HasFold(b.Help().Desc+" "+strings.Join(b.Keys(), " "), needle) {
				continue
			}
			if in.title != "" {
				t.Heading(in.title)
				in.title = ""
			}
			indent := strings.Repeat(" ", keyW+4)
			lead := markup.Line{markup.Text.Of("  "), markup.Accent.Of(joined)} // only the keys are styled, not the blanks around them
			if blanks := keyW + 2 - markup.Width(joined); blanks < 2 {          // the description is below the keys
				t.Add(lead...)
				lead = markup.Plain(indent)
			} else {
				lead = append(lead, markup.Plain(strings.Repeat(" ", blanks))...)
			}
			t.Hanging(lead, indent, b.Help().Desc, markup.Text)
		}
	}
	signs(t, needle)
	if len(t.Lines()) == 0 {
		t.Add(markup.Dim.Of("No key does that, and no sign means it."))
	}
	return t.Lines()
}

// signs is the legend of signs.
func signs(t *panes.Page, needle string) {
	type sign struct {
		markup.StatusLook
		says string
	}
	var all []sign
	for _, st := range status.Statuses {
		all = append(all, sign{markup.LookOf(st), string(st)})
	}
	all = append(
		all, sign{markup.StatusLook{Glyph: "=", Token: markup.Dim}, "paused, or suspended, by its spec"},
		sign{markup.StatusLook{Glyph: markup.Stalled, Token: markup.Stuck}, "stalled: slower than is to be expected"},
		sign{markup.StatusLook{Glyph: markup.Aged, Token: markup.Stuck}, "as it was when its source was last heard"},
		sign{markup.StatusLook{Glyph: markup.Bubbled, Token: markup.Text}, "the reason comes from something below, " + markup.Times + "3: from three"},
		sign{markup.LookOf(status.Current), "condition: good"}, sign{markup.LookOf(status.Failed), "condition: bad"},
		sign{markup.LookOf(status.InProgress), "condition: not good yet, or not what decides"},
		sign{markup.StatusLook{Glyph: markup.Dot, Token: markup.Dim}, "condition: not known whether True is good"},
	)
	all = slices.DeleteFunc(all, func(s sign) bool { return !markup.HasFold(s.says, needle) })
	if len(all) > 0 {
		t.Heading("SIGNS")
	}
	for _, s := range all {
		t.Hanging(markup.Line{s.Token.Of("  " + markup.Pad(s.Glyph, 4))}, "      ", s.says, markup.Text)
	}
}
