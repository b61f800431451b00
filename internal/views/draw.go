package views

import (
	"fmt"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// drawing is a frame in progress.
type drawing struct {
	c    *Canvas
	s    State
	look Look
	th   *Theme
	g    *Glyphs
	l    layout

	errorCut bool // the error beside a Lost verdict was cut
}

func newDrawing(s State, look Look) *drawing {
	w, h := s.Size()
	g := look.Theme.g
	if look.Waiting != "" {
		turning := *g
		turning.Waiting = look.Waiting
		g = &turning
	}
	return &drawing{s: s, look: look, th: look.Theme, g: g, l: place(w, h, s.PaneSize(), s.Playback() != nil)}
}

// Cursor is the position of the text cursor.
type Cursor struct {
	X, Y int
	Show bool
}

// Draw draws the state's screen at the state's size, and returns the cursor's
// position.
func Draw(c *Canvas, s State, look Look) Cursor {
	w, h := s.Size()
	c.Reset(w, h, look.Theme)
	d := newDrawing(s, look)
	d.c = c
	if d.th.ASCII {
		defer c.spell(d.th.ASCIILocale)
	}
	if d.l.form == formCounters {
		d.counters()
		return Cursor{}
	}
	top := headline{d}
	top.header(d.l.header)
	top.verdict(d.l.verdict)
	d.barLine(d.l.bar)
	d.frames()
	d.treeHead(d.l.head)
	d.tree(d.l.tree)
	d.tabs(d.l.tabs)
	d.pane(d.l.pane)
	d.strip(d.l.strip)
	d.scrub(d.l.scrub)
	cursor := d.state(d.l.state)
	if d.l.state.empty() {
		cursor = d.typed(d.l.bounds)
	}
	if !cursor.Show || !d.l.state.empty() {
		d.footer(d.l.footer)
	}
	switch s.Mode() {
	case model.Helping:
		d.help()
		cursor = Cursor{}
	case model.Commanding:
		cursor = d.palette()
	}
	return cursor
}

// Measure returns how many rows and lines fit on the present screen.
func Measure(s State, look Look) model.Fit {
	d := newDrawing(s, look)
	m := model.Fit{TreeRows: d.l.tree.H, PaneRows: d.l.pane.H}
	if !d.l.pane.empty() {
		c := d.content(d.l.pane.W).fit(d.l.pane.H)
		m.PaneRows -= len(c.head)
		m.PaneLines, m.PaneTop = c.n, d.paneTop(c, m.PaneRows)
		m.PaneFirst = c.logical(m.PaneTop)
	}
	if s.Mode() == model.Helping {
		m.Help = d.helpText()
	}
	return m
}

// counters is the smallest screen.
func (d *drawing) counters() {
	w, h := d.l.bounds.W, d.l.bounds.H
	glyph, word, tok := verdictWord(d.s, d.g)
	if h > 0 {
		d.c.line(0, 0, w, line{{glyph + " " + word, badgeText(tok)}}, d.g)
	}
	if h > 1 {
		d.c.line(0, 1, w, tally(d.s, d.g, false), d.g)
	}
}

// frames draws the borders between the parts.
func (d *drawing) frames() {
	for _, r := range d.l.rules {
		d.c.Fill(r.X, r.Y, r.W, d.g.Frame.Top, Faint)
	}
	if d.l.frame.empty() {
		if !d.l.tabs.empty() && d.l.form != formTiny {
			d.c.Fill(d.l.tabs.X, d.l.tabs.Y, d.l.tabs.W, d.g.Frame.Top, Faint)
		}
		return
	}
	f := d.l.frame
	d.c.Box(f, d.g, Faint)
	if x := d.l.divider; x > 0 {
		d.c.Put(x, f.Y, 1, d.g.Frame.MiddleTop, Faint)
		d.c.Put(x, f.Y+f.H-1, 1, d.g.Frame.MiddleBottom, Faint)
		for y := f.Y + 1; y < f.Y+f.H-1; y++ {
			d.c.Put(x, y, 1, d.g.Frame.Left, Faint)
		}
		tok := Heading
		if d.s.Focus() == model.FocusTree {
			tok = Strong
		}
		x := d.c.Put(f.X+2, f.Y, d.l.divider-f.X-4, " Resources ", tok)
		d.c.Put(x, f.Y, d.l.divider-x-2, d.g.Dot+" "+d.arrangement()+" ", Dim)
	}
}

// arrangement names the order of the rows.
func (d *drawing) arrangement() string {
	words := model.SortWords(d.s.Sorting())
	if g := d.s.Grouping(); g != model.GroupNone && g != "" {
		words = "by " + string(g) + ", " + words
	}
	return words
}

// strip draws two lines about the selected row, if there is no pane.
func (d *drawing) strip(r Rect) {
	if r.empty() {
		return
	}
	res, ok := d.selected()
	if !ok {
		return
	}
	a := res.Assessment
	head := line{{" ", Text}, {res.ID.String(), Strong}, {"  ", Text}, statusSpan(orUnknown(a.Status), d.g)}
	if a.Reason != "" {
		head = append(head, span{"  " + a.Reason, Text})
	}
	body := a.Message
	if causes := d.s.CausesOf(res.ID); len(causes) > 0 {
		body = causes[0].Title
		if causes[0].Detail != "" && !strings.Contains(OneLine(causes[0].Title), OneLine(causes[0].Detail)) {
			body += ": " + causes[0].Detail
		}
		if to, ok := blocked(d.s, causes[0]); ok && to != res.ID {
			body += ". Blocks " + to.String()
		}
	}
	if body == "" && a.Status == status.Current {
		body = a.Note
	}
	body = OneLine(body)
	hint := "enter: why"
	d.c.line(r.X, r.Y, r.W-1, head, d.g)
	room := r.W - 2 - width(hint) - 2
	d.c.Put(r.X+1, r.Y+1, room, truncate(body, room, d.g.Ellipsis), Dim)
	d.c.Right(r.X, r.Y+1, r.W-1, hint, Dim)
}

func orUnknown(s status.Status) status.Status {
	if s == "" {
		return status.Unknown
	}
	return s
}

// state draws the line with the filter, the position in the list, and the last
// message.
func (d *drawing) state(r Rect) Cursor {
	if r.empty() {
		return Cursor{}
	}
	s, g := d.s, d.g
	var right line
	sep := func() {
		if len(right) > 0 {
			right = append(right, span{" " + g.Dot + " ", Faint})
		}
	}
	if s.Following() {
		sep()
		right = append(right, span{"following", Accent})
	}
	if s.Notifying() {
		sep()
		right = append(right, span{"will notify", Accent})
	}
	shown := fmt.Sprintf("%d of %d", s.RowCount(), s.Known())
	if s.RowCount() >= s.Known() { // header rows of groups are not objects
		shown = count(s.Known(), "object")
	}
	sep()
	right = append(right, span{shown, Dim})
	if scope := scopeWords(s.Scoped()); scope != "" && r.W >= 60 {
		sep()
		right = append(right, span{scope, Dim})
	}
	if by, reversed := s.Sorting(); d.l.form != formSide && r.W >= 80 && (by != model.SortProblems || reversed || s.Grouping() != model.GroupNone && s.Grouping() != "") {
		sep()
		right = append(right, span{d.arrangement(), Dim})
	}
	if d.errorCut {
		right = nil // the error needs the space
	}
	if d.l.form != formSide {
		if len(right) > 0 {
			right = append(right, span{"  ", Text})
		}
		right = append(right, connection(s, g, false)...)
	}
	rw := min(right.width(), r.W-2)
	end := r.X + r.W - 1
	d.c.line(end-rw, r.Y, rw, right, g)

	room := end - rw - 2 - r.X - 1
	if room < 4 {
		return Cursor{}
	}
	switch s.Mode() {
	case model.Filtering:
		return d.typing(r.X+1, r.Y, room, "filter ", d.filterError())
	case model.Searching:
		return d.typing(r.X+1, r.Y, room, "search ", d.searchError())
	}
	var left line
	filter, _ := s.FilterText()
	switch {
	case s.Flash() != "":
		left = styled(s.Flash(), Accent)
	case filter != "":
		left = line{{"filter ", Dim}, {filter, Strong}, {"  " + d.filterError(), Stuck}}
	case s.Focus() == model.FocusPane && s.SearchText().Text != "":
		left = line{{"search ", Dim}, {s.SearchText().Text, Strong}, {"  " + d.searchError(), Stuck}}
	default:
		if left = d.trouble(); left == nil {
			left = d.doneHints(room)
		}
	}
	d.c.line(r.X+1, r.Y, room, left, g)
	return Cursor{}
}

// doneHints lists keys for a screen with nothing left to wait for.
func (d *drawing) doneHints(w int) line {
	done, _ := d.s.Done()
	if !done || d.s.Verdict().Lost || d.s.Playback() != nil {
		return nil
	}
	keys := map[model.Action]string{}
	for _, b := range d.s.Keys() {
		if b.Enabled() && keys[b.Action] == "" {
			keys[b.Action] = d.keyName(b.Keys()[0])
		}
	}
	var l line
	for _, h := range []struct {
		action model.Action
		words  string
	}{{model.Quit, "quits with code 0"}, {model.Report, "saves a report"}, {model.ShowTimeline, "what happened"}} {
		hint := line{{keys[h.action], Accent}, {" " + h.words, Dim}}
		if len(l) > 0 {
			hint = append(line{{" " + d.g.Dot + " ", Faint}}, hint...)
		}
		if keys[h.action] == "" || l.width()+hint.width() > w {
			continue
		}
		l = append(l, hint...)
	}
	return l
}

// filterError is the error in the filter.
func (d *drawing) filterError() string {
	if _, err := d.s.FilterText(); err != nil {
		return err.Error()
	}
	return ""
}

// searchError says that the search has no match.
func (d *drawing) searchError() string {
	needle := strings.ToLower(d.s.SearchText().Text)
	if needle == "" || d.l.pane.empty() {
		return ""
	}
	if _, ok := findMatch(d.content(d.l.pane.W), needle, 0); !ok {
		return "no match"
	}
	return ""
}

// typed draws the text input on the last line, if the screen has no other line
// for it.
func (d *drawing) typed(r Rect) Cursor {
	y := r.Y + r.H - 1
	switch d.s.Mode() {
	case model.Filtering:
		d.c.Blank(Rect{r.X, y, r.W, 1}, NoBack)
		return d.typing(r.X+1, y, r.W-2, "filter ", d.filterError())
	case model.Searching:
		d.c.Blank(Rect{r.X, y, r.W, 1}, NoBack)
		return d.typing(r.X+1, y, r.W-2, "search ", d.searchError())
	}
	return Cursor{}
}

// trouble is the connection's problem, or a new message.
func (d *drawing) trouble() line {
	c := d.s.Connection()
	if d.s.Verdict().Lost { // shown beside the verdict
		if c.Link == world.LinkEnded && c.Err != nil { // there are no more retries
			why, _, _ := strings.Cut(c.Err.Error(), "\n")
			return line{{d.g.Stalled + " ", Stuck}, {"nothing is followed any more: " + OneLine(why), Dim}}
		}
		again, next := "trying again", c.Hint
		if c.Retry.After(d.s.Now()) {
			again += " in " + age(c.Retry.Sub(d.s.Now()))
		} else if next == "" {
			next = "what is shown is what was last known"
		}
		if next != "" {
			again += "; " + next
		}
		if d.errorCut && c.Error != "" {
			return line{{d.g.Stalled + " ", Stuck}, {c.Error + "; " + again, Dim}}
		}
		return styled(again, Dim)
	}
	if c.Link != world.LinkLive && c.Error != "" {
		l := line{{d.g.Stalled + " ", Stuck}, {c.Trouble(), Dim}}
		if c.Retry.After(d.s.Now()) {
			l = append(l, span{", again in " + age(c.Retry.Sub(d.s.Now())), Dim})
		}
		return l
	}
	if n := d.s.Notices(); len(n) > 0 {
		last := n[len(n)-1]
		if d.s.Now().Sub(last.At).Seconds() < 10 {
			tok := Dim
			if last.Level != "info" {
				tok = Stuck
			}
			return styled(OneLine(last.Text), tok)
		}
	}
	if s := c.Skew; s.Abs().Seconds() >= 5 {
		return styled("the server's clock is off by "+age(s.Abs()), Dim)
	}
	return nil
}

func scopeWords(s model.Scoping) string {
	switch s {
	case model.WithReferences:
		return "+generated +references"
	case model.AppliedOnly:
		return "applied only"
	default:
		return "+generated"
	}
}

// typing draws the text input, what it may be completed to, and what is wrong
// with it. It returns the cursor: textinput's own counts wide characters as one
// cell (bubbles v2.2).
func (d *drawing) typing(x, y, w int, label, wrong string) Cursor {
	end := x + w
	x = d.c.Put(x, y, w, label, Accent)
	input := d.s.Input()
	runes := []rune(input.Value())
	before, after := string(runes[:input.Position()]), string(runes[input.Position():])
	room := end - x
	for width(before) >= room && before != "" {
		_, _, before = cluster(before)
	}
	x = d.c.Put(x, y, end-x, before, Strong)
	cursor := Cursor{X: x, Y: y, Show: true}
	x = d.c.Put(x, y, end-x, after, Strong)
	if more := []rune(input.CurrentSuggestion()); after == "" && len(more) > len(runes) {
		x = d.c.Put(x, y, end-x, string(more[len(runes):]), Faint)
	}
	if wrong != "" {
		d.c.Put(x+2, y, end-x-2, truncate(wrong, end-x-2, d.g.Ellipsis), Stuck)
	}
	return cursor
}

// hints are as many whole hints as fit into w cells.
func (d *drawing) hints(w int, hints ...string) string {
	s := ""
	for i, h := range hints {
		if i > 0 {
			h = " " + d.g.Dot + " " + h
		}
		if width(s)+width(h) > w {
			break
		}
		s += h
	}
	if s == "" {
		return ""
	}
	return " " + s + " "
}

// keyName is the display name of a key.
func (d *drawing) keyName(k string) string {
	if !d.th.ASCII {
		switch k {
		case "up":
			return "↑"
		case "down":
			return "↓"
		case "left":
			return "←"
		case "right":
			return "→"
		}
	}
	return k
}
