package views

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
)

// footer draws the keys that help now. Help and quit are always shown. A tiny
// screen has no other line for the error of a lost connection, and for a filter.
func (d *drawing) footer(r layout.Rect) {
	if why := d.s.Facts.Connection().Error; d.l.Form == layout.Tiny && why != "" && d.s.Facts.Verdict().Lost {
		d.c.line(r.X+1, r.Y, r.W-2, markup.Line{markup.Stuck.Of(markup.Stalled + " "), markup.Dim.Of(markup.TruncateStart(why, r.W-4))})
		return
	}
	keys, always := d.footerKeys()
	if text := d.s.Tree.Settings().Filter.Text; text != "" && d.l.Form == layout.Tiny {
		keys = slices.Insert(keys, 0, key.NewBinding(key.WithKeys("/"), key.WithHelp("/", markup.Truncate(text, r.W/3))))
	}
	h := help.New()
	h.ShortSeparator, h.Ellipsis = "  ", markup.Ellipsis
	h.Styles = help.Styles{ShortKey: d.look.Theme.styles[markup.Accent], ShortDesc: d.look.Theme.styles[markup.Dim], Ellipsis: d.look.Theme.styles[markup.Faint]}
	last := h.ShortHelpView(always)
	room := r.W - 2 - lipgloss.Width(last) - len(h.ShortSeparator)
	h.SetWidth(max(room, 1))
	first := h.ShortHelpView(keys)
	for ; lipgloss.Width(first) > room && len(keys) > 0; first = h.ShortHelpView(keys) {
		keys = keys[:len(keys)-1] // without room for its ellipsis, help cuts nothing (bubbles v2.2)
	}
	d.c.styled(layout.At(r.X+1, r.Y, r.W-1, 1), strings.TrimPrefix(first+h.ShortSeparator+last, h.ShortSeparator))
}

// footerKeys are the keys that help now, and those that are always shown.
func (d *drawing) footerKeys() (keys, always []key.Binding) {
	for _, b := range d.s.Typing.Footer() {
		words := b.Help().Desc
		if d.l.Form == layout.Tiny {
			words, _, _ = strings.Cut(words, " ")
		}
		b.SetHelp(d.keyName(b.Help().Key), words)
		if b.Action == model.Help || b.Action == model.Quit {
			always = append(always, b.Binding)
			continue
		}
		keys = append(keys, b.Binding)
	}
	return keys, always
}
