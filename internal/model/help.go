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
	k.help = HelpLines(&panes.Page{W: w, ASCII: ascii}, k.Keys(), k.panes.pane, k.input.Value())
	k.scrollHelp(0)
}

// helpRows is how many lines of the help are in sight.
func (k *Keyboard) helpRows() int { return max(k.panes.layout.Help.H-2, 0) }

func (k *Keyboard) scrollHelp(by int) {
	k.helpTop = min(max(k.helpTop+by, 0), max(len(k.help)-k.helpRows(), 0))
}

// twoColumns is the width from which the help's sections stand in two columns.
const twoColumns = 100

// HelpLines writes what matches a text of the table of keys, by context, of the language
// of filters, and of the legend of signs. The keys of the open pane come first.
func HelpLines(t *panes.Page, all []Binding, open Pane, needle string) []markup.Line {
	w := t.W
	if w >= twoColumns {
		w = (w - 3) / 2
	}
	var sections [][]markup.Line
	add := func(write func(*panes.Page)) {
		page := &panes.Page{W: w, ASCII: t.ASCII}
		if write(page); len(page.Lines()) > 0 {
			sections = append(sections, page.Lines())
		}
	}
	needle = strings.ToLower(needle)
	for _, in := range helpSections(open) {
		add(func(p *panes.Page) { in.write(p, all, needle) })
	}
	add(func(p *panes.Page) { filters(p, needle) })
	add(func(p *panes.Page) { signs(p, needle) })
	if len(sections) == 0 {
		return []markup.Line{markup.Styled("No key does that, and no sign means it.", markup.Dim)}
	}
	if w == t.W {
		return joinSections(sections)
	}
	return besideEachOther(sections, w)
}

// helpSection are the keys of a context.
type helpSection struct {
	context Context
	title   string
}

// helpSections are the contexts, the open pane's first.
func helpSections(open Pane) []helpSection {
	names := PaneNames()
	of := func(i int) helpSection { return helpSection{OwnKeys(Pane(i)), "IN " + strings.ToUpper(names[i])} }
	sections := []helpSection{
		of(int(open)),
		{InReplay, "IN A REPLAY"},
		{InTree, "IN THE TREE"},
		{Global, "EVERYWHERE"},
		{InPane, "IN A PANE"},
	}
	sections[0].title += " (OPEN NOW)"
	for i := range names {
		if Pane(i) != open {
			sections = append(sections, of(i))
		}
	}
	return append(sections, helpSection{InText, "WHILE TYPING"})
}

// write writes the section's keys that match.
func (s helpSection) write(t *panes.Page, all []Binding, needle string) {
	keyW := 14
	if t.W < 44 {
		keyW = 7
	}
	for _, b := range all {
		words := b.Help().Desc + " " + strings.Join(b.Keys(), " ") + " " + s.title
		if b.Context != s.context || !b.Enabled() || !markup.HasFold(words, needle) {
			continue
		}
		if len(t.Lines()) == 0 {
			t.Heading(s.title)
		}
		var keys []string
		for _, name := range b.Keys() {
			keys = append(keys, t.KeyName(name))
		}
		if taken(all, b) {
			keys = append([]string{t.KeyName("tab")}, keys...)
		}
		joined, indent := strings.Join(keys, " "), strings.Repeat(" ", keyW+4)
		// only the keys are styled, not the blanks around them
		lead := markup.Line{markup.Text.Of("  "), markup.Accent.Of(joined)}
		if blanks := keyW + 2 - markup.Width(joined); blanks < 2 { // the description is below the keys
			t.Add(lead...)
			lead = markup.Plain(indent)
		} else {
			lead = append(lead, markup.Plain(strings.Repeat(" ", blanks))...)
		}
		t.Hanging(lead, indent, b.Help().Desc, markup.Text)
	}
}

// taken reports whether a pane's keys mean something else while the tree has the focus,
// so that tab comes before them.
func taken(all []Binding, b Binding) bool {
	switch b.Context {
	case InTree, Global, InReplay, InPane, InText:
		return false // those have the tree's focus, or a section that says which they need
	}
	meant := func(key string) bool {
		return slices.ContainsFunc(all, func(x Binding) bool {
			return (x.Context == InTree || x.Context == Global) && x.Enabled() && slices.Contains(x.Keys(), key)
		})
	}
	return !slices.ContainsFunc(b.Keys(), func(key string) bool { return !meant(key) })
}

// joinSections puts the sections below each other.
func joinSections(sections [][]markup.Line) (lines []markup.Line) {
	for i, s := range sections {
		if i > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, s...)
	}
	return lines
}

// besideEachOther puts the sections into two columns of a width, the first ones on the left.
func besideEachOther(sections [][]markup.Line, w int) (lines []markup.Line) {
	total, split, left := len(joinSections(sections)), 0, 0
	for split < len(sections) && (split == 0 || left+len(sections[split])/2 <= total/2) {
		left += len(sections[split]) + 1
		split++
	}
	one, two := joinSections(sections[:split]), joinSections(sections[split:])
	for i := range max(len(one), len(two)) {
		var l markup.Line
		if i < len(one) {
			l = append(l, one[i]...)
		}
		if i < len(two) && len(two[i]) > 0 {
			l = append(l, markup.Plain(strings.Repeat(" ", max(w+3-l.Width(), 1)))...)
			l = append(l, two[i]...)
		}
		lines = append(lines, l)
	}
	return lines
}

// filters is the language of filters.
func filters(t *panes.Page, needle string) {
	for _, f := range [][2]string{
		{"web !test", "a word in kind, name or reason, and not the other; all terms must hold"},
		{"chda", "the beginnings of a name's parts: checkout-database"},
		{"status=failed", "also kind=pod,job  ns=shop  name=web"},
		{"reason~image", "a part, also of name and message; != and !~ deny"},
		{"age<10m", "younger, also <=, > and >="},
		{"-l app=web", "labels: app=web,tier!=db"},
	} {
		if !markup.HasFold("filter "+f[0]+" "+f[1], needle) {
			continue
		}
		if len(t.Lines()) == 0 {
			t.Heading("IN A FILTER")
		}
		t.Hanging(markup.Line{markup.Text.Of("  "), markup.Accent.Of(markup.Pad(f[0], 16))},
			strings.Repeat(" ", 18), f[1], markup.Text)
	}
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
		sign{
			markup.StatusLook{Glyph: markup.Stalled, Token: markup.Stuck},
			"stalled: slower than expected; what cannot be read; or a command that changes the cluster",
		},
		sign{markup.StatusLook{Glyph: markup.Again, Token: markup.Stuck}, "restarts of the containers"},
		sign{markup.StatusLook{Glyph: markup.Aged, Token: markup.Stuck}, "as it was when its source answered last"},
		sign{
			markup.StatusLook{Glyph: markup.Bubbled, Token: markup.Text},
			"the reason is that of another object, mostly one below",
		},
		sign{
			markup.StatusLook{Glyph: markup.Times, Token: markup.Text},
			"how many have that reason: " + markup.Times + "3 means three",
		},
		sign{markup.StatusLook{Glyph: markup.Folded, Token: markup.Dim}, "folded: space or enter opens it"},
		sign{
			markup.StatusLook{Glyph: markup.Live, Token: markup.OK},
			"live: changes are watched, or a log is followed",
		},
		sign{markup.LookOf(status.Current), "condition: good"}, sign{markup.LookOf(status.Failed), "condition: bad"},
		sign{markup.LookOf(status.InProgress), "condition: not good yet, or not what decides"},
		sign{markup.StatusLook{Glyph: markup.Dot, Token: markup.Dim}, "condition: not known whether True is good"},
	)
	for _, look := range markup.StatusLooks {
		says := "in the bar: " + string(look.Status)
		if look.Status == status.Failed {
			says = "in the bar and in the time line: " + string(look.Status)
		}
		look.Glyph = look.Bar
		if i := slices.IndexFunc(all, func(s sign) bool { return s.Glyph == look.Bar }); i >= 0 {
			all[i].says += ", " + string(look.Status)
			continue
		}
		all = append(all, sign{look, says})
	}
	cause := markup.StatusLook{Glyph: "╋", Token: markup.Bad}
	all = append(all, sign{cause, "in the time line: a cause begins"})
	all = slices.DeleteFunc(all, func(s sign) bool {
		shown := s.Glyph
		if t.ASCII {
			shown = markup.Spelled.Replace(shown)
		}
		return !markup.HasFold("sign "+shown+" "+s.says, needle)
	})
	if len(all) > 0 {
		t.Heading("SIGNS")
	}
	for _, s := range all {
		t.Hanging(markup.Line{s.Token.Of("  " + markup.Pad(s.Glyph, 4))}, "      ", s.says, markup.Text)
	}
}
