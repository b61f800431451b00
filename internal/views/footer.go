package views

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
)

// footer draws the keys that help now. Help and quit are always shown. A tiny
// screen has no other line for the error of a lost connection, and for a filter.
func (d *drawing) footer(r layout.Rect) {
	if why := d.s.Facts.Connection().Error; d.l.Form == layout.Tiny && why != "" && d.s.Facts.Verdict().Lost {
		d.c.line(r.X+1, r.Y, r.W-2,
			markup.Line{markup.Stuck.Of(markup.Stalled + " "), markup.Dim.Of(markup.TruncateStart(why, r.W-4))})
		return
	}
	keys, always := d.footerKeys()
	if text := d.s.Tree.Settings().Filter.Text; text != "" && d.l.Form == layout.Tiny {
		keys = slices.Insert(keys, 0,
			key.NewBinding(key.WithKeys("/"), key.WithHelp("/", markup.Truncate(text, r.W/3))))
	}
	room := r.W - 2
	for _, b := range always {
		room -= hintGap + hint(b).Width()
	}
	x := r.X + 1
	put := func(l markup.Line) { x = d.c.line(x, r.Y, r.X+r.W-x, l) + hintGap }
	for _, b := range keys {
		l := hint(b)
		if used := x - r.X - 1; used+l.Width() > room {
			if used > 0 && used < room {
				x-- // a blank before it
				put(markup.Styled(markup.Ellipsis, markup.Faint))
			}
			break
		}
		put(l)
	}
	for _, b := range always {
		put(hint(b))
	}
}

// hintGap is between two keys of the footer.
const hintGap = 2

// hint is a key and what it does in a word or two.
func hint(b key.Binding) markup.Line {
	return markup.Line{markup.Accent.Of(b.Help().Key), markup.Text.Of(" "), markup.Dim.Of(b.Help().Desc)}
}

// footerKeys are the keys that help now, and those that are always shown.
func (d *drawing) footerKeys() (keys, always []key.Binding) {
	all := d.s.Typing.Footer()
	keys = make([]key.Binding, 0, len(all))
	for _, b := range all {
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
