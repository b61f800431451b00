package views

import (
	"strings"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// footer draws the keys that help now. Help and quit are always shown.
func (d *drawing) footer(r Rect) {
	if r.empty() || d.lostInFooter(r) {
		return
	}
	var keys, always []key.Binding
	for _, b := range d.s.Footer() {
		words := b.Help().Desc
		if d.l.form == formTiny {
			words, _, _ = strings.Cut(words, " ")
		}
		b.SetHelp(d.keyName(b.Help().Key), words)
		if b.Action == model.Help || b.Action == model.Quit {
			always = append(always, b.Binding)
			continue
		}
		keys = append(keys, b.Binding)
	}
	h := help.New()
	h.ShortSeparator, h.Ellipsis = "  ", d.g.Ellipsis
	h.Styles = help.Styles{ShortKey: d.th.styles[Accent], ShortDesc: d.th.styles[Dim], Ellipsis: d.th.styles[Faint]}
	last := h.ShortHelpView(always)
	room := r.W - 2 - lipgloss.Width(last) - len(h.ShortSeparator)
	h.SetWidth(max(room, 1))
	first := h.ShortHelpView(keys)
	for lipgloss.Width(first) > room && len(keys) > 0 { // without room for its ellipsis, help cuts nothing (bubbles v2.2)
		keys = keys[:len(keys)-1]
		first = h.ShortHelpView(keys)
	}
	if first != "" {
		last = first + h.ShortSeparator + last
	}
	d.c.styled(Rect{r.X + 1, r.Y, r.W - 1, 1}, last)
}

// lostInFooter shows the error of a lost connection on a tiny screen, where no
// other line has room for it. The last part of an error is the most specific.
func (d *drawing) lostInFooter(r Rect) bool {
	why := d.s.Connection().Error
	if d.l.form != formTiny || why == "" || !d.s.Verdict().Lost {
		return false
	}
	if i := strings.LastIndex(why, ": "); width(why) > r.W-4 && i >= 0 {
		why = why[i+2:]
	}
	d.c.line(r.X+1, r.Y, r.W-2, line{{d.g.Stalled + " ", Stuck}, {why, Dim}}, d.g)
	return true
}
