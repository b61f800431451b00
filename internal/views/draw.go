package views

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
)

// drawing is a frame in progress.
type drawing struct {
	c    *Canvas
	s    State
	look Look
	l    layout.Layout

	cursor *tea.Cursor // nil if nothing is typed
}

func newDrawing(s State, look Look) *drawing {
	return &drawing{s: s, look: look, l: s.Panes.Layout()}
}

// Draw draws the state's screen at the state's size, and returns the cursor, if
// there is one.
func Draw(c *Canvas, s State, look Look) *tea.Cursor {
	w, h := s.Panes.Size()
	c.Reset(w, h, look.Theme)
	d := newDrawing(s, look)
	d.c = c
	defer c.spell()
	d.frames()
	for _, part := range []struct {
		at   layout.Rect
		draw func(layout.Rect)
	}{
		{d.l.Header, d.header},
		{d.l.Verdict, d.verdict},
		{d.l.Bar, d.barLine},
		{d.l.Head, d.treeHead},
		{d.l.Tree, d.tree},
		{d.l.Tabs, d.tabs},
		{d.l.Pane, d.pane},
		{d.l.Strip, d.strip},
		{d.l.Scrub, d.scrub},
		{d.l.State, d.state},
		{d.l.Footer, d.footer},
	} {
		if !part.at.Empty() {
			part.draw(part.at)
		}
	}
	switch {
	case !d.l.State.Empty():
	case isTyping(d.s.Typing):
		label, _, wrong := d.prompt()
		d.lastLine(label, wrong)
	case d.s.Messages.Flash() != "": // on a tiny screen instead of the keys
		d.c.clear(layout.At(0, h-1, w, 1))
		d.c.line(1, h-1, w-2, markup.Styled(d.s.Messages.Flash(), markup.Accent))
	}
	switch s.Typing.Mode() {
	case model.Helping:
		d.help()
		d.cursor = nil
	case model.Commanding:
		d.palette()
	}
	return d.cursor
}

// frames draws the borders between the parts.
func (d *drawing) frames() {
	for _, r := range d.l.Rules {
		d.c.rule(r, markup.Ruler, markup.Faint)
	}
	f := d.l.Frame
	if f.Empty() {
		return
	}
	d.c.Box(f, markup.Faint)
	if x := d.l.Divider; x > 0 {
		for y := range f.H {
			d.c.Put(x, f.Y+y, 1, markup.Side, markup.Faint)
		}
		d.c.Put(x, f.Y, 1, "┬", markup.Faint)
		d.c.Put(x, f.Y+f.H-1, 1, "┴", markup.Faint)
		tok := markup.Heading
		if d.s.Panes.Focus() == model.FocusTree {
			tok = markup.Strong
		}
		d.c.line(f.X+2, f.Y, x-f.X-4,
			markup.Line{tok.Of(" Resources "), markup.Dim.Of(markup.Dot + " " + arrangement(d.s.Tree) + " ")})
	}
}

// arrangement names the order of the rows.
func arrangement(s Tree) string {
	set := s.Settings()
	words := set.Sort.Words(set.Reversed)
	if set.Group != rows.GroupNone {
		words = "by " + string(set.Group) + ", " + words
	}
	return words
}

// strip draws a few lines about the selected row, if there is no pane.
func (d *drawing) strip(r layout.Rect) {
	res, ok := selected(d.s)
	if !ok {
		return
	}
	a := res.Assessment
	head := markup.Line{
		markup.Strong.Of(panes.SpellTitle(cmp.Or(res.Title, res.ID.String()), d.l.ShortKinds)),
		markup.Text.Of("  "), markup.StatusSpan(a.Status),
	}
	if a.Reason != "" {
		head = append(head, markup.Text.Of("  "+a.Reason))
	}
	r = r.Inset(1, 1)
	causes := d.s.Facts.CausesOf(res.ID)
	body, tok, effect := markup.OneLine(cmp.Or(a.Message, a.Note)), markup.Dim, ""
	if len(causes) > 0 {
		c := &causes[0]
		if tok = markup.Text; !c.Healed.IsZero() {
			tok = markup.Healed
		}
		if body = markup.OneLine(c.Title); c.Count > 1 {
			body += fmt.Sprintf(" %s%d", markup.Times, c.Count)
		}
		// Half of a message explains nothing: the pane has all of it.
		if whole := body + ": " + markup.OneLine(c.Detail); c.Detail != "" && markup.Width(whole) <= r.W {
			body = whole
		}
	}
	steps := stepsIn(d.s.Facts.NextSteps(causes, res.ID), r.H-2)
	lines := []markup.Line{markup.Styled(body, tok)}
	if len(causes) > 0 {
		room := r.W
		ownLine := r.H-2 > len(steps)
		if !ownLine { // beside the head, whose name is on the row, too
			room -= 2 + head[1:3].Width() + min(head[0:1].Width(), leastHead)
		}
		if healed := causes[0].Healed; healed.IsZero() {
			effect = panes.Effect(&causes[0], res.ID, d.s.Facts.Serving, d.l.ShortKinds, room)
		} else {
			effect = "gone for " + markup.Since(healed, d.s.Facts.Now())
		}
		if head.Width()+2+markup.Width(effect) > r.W {
			head = head[:3] // without the reason in a word
		}
		if over := head.Width() + 2 + markup.Width(effect) - r.W; over > 0 && ownLine {
			lines, effect = append(lines, markup.Styled(effect, markup.Text)), ""
		} else if over > 0 {
			head[0].Text = markup.TruncateMiddle(head[0].Text, max(head[0:1].Width()-over, leastHead))
		}
	}
	d.c.sides(layout.At(r.X, r.Y, r.W, 1), head, markup.Styled(effect, markup.Text))
	for _, s := range steps {
		lines = append(lines, panes.StepLine(s.no, s.NextStep, r.W))
	}
	if len(lines) == 1 { // a message has all lines
		lines = nil
		for _, part := range markup.Wrap(body, r.W) {
			lines = append(lines, markup.Styled(part, tok))
		}
	}
	for i, l := range lines[:min(len(lines), r.H-1)] {
		d.c.line(r.X, r.Y+1+i, r.W, l)
	}
}

// leastHead is the least width of a name in the strip.
const leastHead = 10

// numbered is a command with its place among all, from 0 on.
type numbered struct {
	known.NextStep
	no int
}

// stepsIn are at most n commands: the first, and the one that an operator is looking for, which
// changes the cluster.
func stepsIn(all []known.NextStep, n int) (steps []numbered) {
	change := slices.IndexFunc(all, func(s known.NextStep) bool { return s.Mutates && s.Cause == 0 })
	for i, s := range all {
		room := n - len(steps)
		if room < 1 || room == 1 && len(steps) > 0 && change > i {
			continue
		}
		steps = append(steps, numbered{s, i})
	}
	return steps
}

// state draws the line of the filter, the position in the list and the message.
func (d *drawing) state(r layout.Rect) {
	r = r.Inset(1, 1)
	about := d.about(r.W)
	room := r.W - about.Width() - 2
	if len(about) == 0 {
		room = r.W
	}
	if isTyping(d.s.Typing) {
		label, _, wrong := d.prompt()
		text := label + d.s.Typing.Input().Value() + d.completed()
		if wrong != "" {
			text += "  " + wrong
		}
		if markup.Width(text) >= room { // what helps with typing is read to its end
			about, room = nil, r.W
		}
		d.c.sides(r, nil, about)
		d.typing(r.X, r.Y, room, label, wrong)
		return
	}
	d.c.sides(r, d.news(room), about)
}

// about says what the rows are, in whole parts beside what an action said.
func (d *drawing) about(w int) markup.Line {
	room := w - markup.Width(d.s.Messages.Flash()) - 2
	link := connection(d.s, d.look, false)
	if d.l.Form == layout.Side || d.s.Facts.Verdict().Lost { // the header says it
		link = nil
	}
	s, order := d.s, arrangement(d.s.Tree)
	shown := markup.Count(s.Tree.RowCount(), "row") + " of " + markup.Count(s.Facts.Known(), "object")
	if s.Tree.RowCount() >= s.Facts.Known() { // header rows of groups are not objects
		shown = markup.Count(s.Facts.Known(), "object")
	}
	var about markup.Line
	for _, part := range []struct {
		shown bool
		words string
		token markup.Token
	}{
		{s.Tree.Following(), "following", markup.Accent},
		{s.Messages.Notifying(), "will notify", markup.Accent},
		{true, shown, markup.Dim},
		{w >= 58 && scopeWords[s.Tree.Settings().Scope] != "", scopeWords[s.Tree.Settings().Scope], markup.Dim},
		{d.l.Form != layout.Side && w >= 78 && order != rows.SortProblems.Words(false), order, markup.Dim},
	} {
		more := markup.Join(" "+markup.Dot+" ", about, markup.Styled(part.words, part.token))
		quiet := !s.Facts.Verdict().Lost && s.Tree.Settings().Filter.Err == nil // an error needs the space
		if part.shown && quiet && markup.Join("  ", more, link).Width() <= room {
			about = more
		}
	}
	return markup.Fitting(room, "  ", about, link)
}

// news is the filter, the search, or the last message.
func (d *drawing) news(room int) markup.Line {
	if d.s.Messages.Flash() != "" {
		return markup.Styled(d.s.Messages.Flash(), markup.Accent)
	}
	if label, text, wrong := d.prompt(); label != "" {
		return markup.Line{markup.Dim.Of(label), markup.Strong.Of(text), markup.Stuck.Of("  " + wrong)}
	}
	if l := trouble(d.s.Facts); l != nil {
		last := &l[len(l)-1]
		last.Text = markup.TruncateWords(last.Text, room-l[:len(l)-1].Width())
		return l
	}
	if l := d.doneHints(room); l != nil || !d.l.Footer.Empty() {
		return l
	}
	return d.keyHints(room)
}

// keyHints are the footer's keys, help and quit first, where the screen has no footer.
func (d *drawing) keyHints(room int) markup.Line {
	keys, always := d.footerKeys()
	var parts []markup.Line
	for _, b := range slices.Concat(always, keys) {
		parts = append(parts, markup.Line{markup.Accent.Of(b.Help().Key), markup.Dim.Of(" " + b.Help().Desc)})
	}
	return markup.Fitting(room, "  ", parts...)
}

// doneHints lists keys for a screen with nothing left to wait for.
func (d *drawing) doneHints(w int) markup.Line {
	if done, _ := d.s.Facts.Done(); !done || d.s.Facts.Verdict().Lost || d.s.Intake.Playback() != nil {
		return nil
	}
	var hints []markup.Line
	for _, h := range []struct {
		action model.Action
		words  string
	}{{model.Quit, "quits with code 0"}, {model.Report, "saves a report"}, {model.ShowTimeline, "what happened"}} {
		if b, ok := d.s.Typing.Bound(h.action); ok {
			hints = append(hints, markup.Line{markup.Accent.Of(d.keyName(b.Help().Key)), markup.Dim.Of(" " + h.words)})
		}
	}
	return markup.Fitting(w, " "+markup.Dot+" ", hints...)
}

// fade takes the colours of what is behind a window.
func (d *drawing) fade() {
	d.c.each(d.c.whole(), func(cell *uv.Cell) { cell.Style = d.c.th.cells[markup.Faint] })
}

// window clears a frame in the middle of the screen.
func (d *drawing) window(r layout.Rect, title string, hints ...string) {
	d.c.clear(r)
	d.c.Box(r, markup.Strong)
	d.c.Put(r.X+2, r.Y, r.W-4, " "+title+" ", markup.Strong)
	lines := make([]markup.Line, len(hints))
	for i, h := range hints {
		lines[i] = markup.Styled(h, markup.Dim)
	}
	if l := markup.Fitting(r.W-14, " "+markup.Dot+" ", lines...); l != nil {
		d.c.line(r.X+2, r.Y+r.H-1, r.W-12, slices.Concat(markup.Plain(" "), l, markup.Plain(" ")))
	}
}

// isTyping reports whether a filter or a search is being typed.
func isTyping(s Typing) bool {
	return s.Mode() == model.Filtering || s.Mode() == model.Searching
}

// prompt is the filter or the search, and what is wrong with it.
func (d *drawing) prompt() (label, text, wrong string) {
	filter, search := d.s.Tree.Settings().Filter, d.s.Panes.SearchText().Text
	switch mode := d.s.Typing.Mode(); {
	case mode == model.Filtering || mode != model.Searching && filter.Text != "":
		if filter.Err != nil {
			wrong = filter.Err.Error()
		}
		return "filter ", filter.Text, wrong
	case mode == model.Searching || d.s.Panes.Focus() == model.FocusPane && search != "":
		label := "search "
		if search != "" && !d.l.Pane.Empty() {
			m := d.s.Panes.Match()
			if label = fmt.Sprintf("search %d/%d ", m.No, m.Of); m.Of == 0 {
				label, wrong = "search ", "no match"
			}
		}
		return label, search, wrong
	}
	return "", "", ""
}

// trouble is the connection's problem, or a new message.
func trouble(s Facts) markup.Line {
	c, lost := s.Connection(), s.Verdict().Lost
	sign := markup.Stuck.Of(markup.Stalled + " ")
	switch {
	case lost && c.Link == world.LinkEnded && c.Err != nil: // there are no more retries
		why, _, _ := strings.Cut(c.Err.Error(), "\n")
		return markup.Line{sign, markup.Dim.Of("nothing is followed any more: " + markup.OneLine(why))}
	case c.Error != "" && (lost || c.Link != world.LinkLive):
		text := c.Error
		if c.Retry.After(s.Now()) {
			text += ", again in " + markup.Age(c.Retry.Sub(s.Now()))
		}
		return markup.Line{sign, markup.Dim.Of(strings.TrimSuffix(text+"; "+c.Hint, "; "))}
	case lost:
		return markup.Styled("what is shown is what was last known", markup.Dim)
	}
	if n := s.Notices(); len(n) > 0 {
		last := n[len(n)-1]
		if s.Now().Sub(last.At).Seconds() < 10 {
			return markup.Styled(markup.OneLine(last.Text), panes.NoticeToken(last))
		}
	}
	if off := c.Skew.Abs(); off.Seconds() >= 5 {
		return markup.Styled("the server's clock is off by "+markup.Age(off), markup.Dim)
	}
	return nil
}

// scopeWords say which objects have rows, where that is not as in the beginning.
var scopeWords = map[rows.Scope]string{
	rows.WithReferences: "with references", rows.AppliedOnly: "without generated objects",
}

// typing draws the text input, what it may be completed to, and what is wrong
// with it. It places the cursor: textinput's own counts wide characters as one
// cell (bubbles v2.2).
func (d *drawing) typing(x, y, w int, label, wrong string) {
	end := x + w
	x = d.c.Put(x, y, w, label, markup.Accent)
	input := d.s.Typing.Input()
	runes := []rune(input.Value())
	before, after := string(runes[:input.Position()]), string(runes[input.Position():])
	x = d.c.Put(x, y, end-x, ansi.TruncateLeft(before, markup.Width(before)-(end-x)+1, ""), markup.Strong)
	d.cursor = tea.NewCursor(x, y)
	d.c.line(x, y, end-x, markup.Line{
		markup.Strong.Of(after), markup.Faint.Of(d.completed()), markup.Stuck.Of("  " + wrong),
	})
}

// completed is what is shown behind the typed text: what a filter may be, or the completion.
func (d *drawing) completed() string {
	input := d.s.Typing.Input()
	typed := []rune(input.Value())
	if all := []rune(input.CurrentSuggestion()); input.Position() == len(typed) && len(all) > len(typed) {
		return string(all[len(typed):])
	}
	if d.s.Typing.Mode() == model.Filtering && len(typed) == 0 {
		return "a word, status=failed kind=pod ns=shop age<10m -l app=web"
	}
	return ""
}

// lastLine is for typing where the screen has no other line for it.
func (d *drawing) lastLine(label, wrong string) {
	last := layout.At(0, d.l.Bounds.H-1, d.l.Bounds.W, 1)
	d.c.clear(last)
	d.typing(1, last.Y, last.W-2, label, wrong)
}

// keyName is the display name of a key.
func (d *drawing) keyName(k string) string { return panes.KeyName(k, d.look.Theme.ASCII) }

// selected is the selected object, if any.
func selected(s State) (known.Resource, bool) {
	key, _ := s.Tree.Selected()
	return s.Facts.Resource(key.ID)
}
