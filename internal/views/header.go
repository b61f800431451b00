package views

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// verdictWord is the verdict's word, its glyph and token.
func verdictWord(s State, g *Glyphs) (glyph, word string, tok Token) {
	v := s.Verdict()
	if v.Lost {
		return g.Stalled, "LOST CONTACT", UnsureBadge
	}
	return statusWord(v, g)
}

func statusWord(v model.Verdict, g *Glyphs) (glyph, word string, tok Token) {
	switch {
	case v.Gone:
		return g.Current, "GONE", OKBadge
	case v.Empty:
		return g.Unknown, "NOTHING YET", UnsureBadge
	case v.Status == status.Current:
		return g.Current, "DONE", OKBadge
	case v.Status == status.Failed:
		return g.Failed, "FAILED", BadBadge
	case v.Status == status.InProgress:
		return g.InProgress, "NOT DONE", BusyBadge
	default:
		return g.Unknown, "NOT DONE", UnsureBadge
	}
}

// badgeText is a badge's colour for text.
func badgeText(tok Token) Token {
	switch tok {
	case OKBadge:
		return OK
	case BusyBadge:
		return Busy
	case BadBadge:
		return Bad
	default:
		return Unsure
	}
}

// title is what is followed, in a few words.
func title(s State) string {
	o := s.Options()
	switch {
	case o.Title != "":
		return o.Title
	case len(o.Sources) == 1:
		return o.Sources[0]
	case len(o.Sources) > 1:
		return o.Sources[0] + " +" + strconv.Itoa(len(o.Sources)-1)
	}
	return "kstatus-tui"
}

// where names the cluster and the namespaces.
func where(s State, long bool) string {
	o := s.Options()
	spaces := s.Namespaces()
	ns := o.Namespace
	if len(spaces) > 0 {
		ns = spaces[0]
		for _, n := range spaces {
			if n == o.Namespace {
				ns = n
			}
		}
		if len(spaces) > 1 {
			ns += " +" + strconv.Itoa(len(spaces)-1)
		}
	}
	switch {
	case long && o.Context != "" && ns != "":
		return "ctx " + o.Context + " · ns " + ns
	case long && o.Context != "":
		return "ctx " + o.Context
	case long && ns != "":
		return "ns " + ns
	case o.Context != "" && ns != "":
		return o.Context + "/" + ns
	}
	return o.Context + ns
}

// connection is the connection's state in a few words.
func connection(s State, g *Glyphs, long bool) line {
	c := s.Connection()
	if p := s.Playback(); p != nil && c.Link == world.LinkLive {
		return tempo(p, s.Now(), g)
	}
	old := func() string {
		if a := since(c.LastData, s.Now()); a != "" {
			return " " + g.Dot + " data " + a + " old"
		}
		return ""
	}
	switch c.Link {
	case world.LinkLive:
		l := line{{g.Live, OK}, {" live", Dim}}
		if long {
			how := "watching"
			if c.Mode == feed.ModePollList || c.Mode == feed.ModePollGet {
				how = "polling"
			}
			l = append(l, span{" " + g.Dot + " " + how, Dim})
		}
		return l
	case world.LinkSyncing:
		return line{{g.Waiting, Busy}, {fmt.Sprintf(" %d/%d kinds synced", c.Ready, c.Sources), Dim}}
	case world.LinkReconnecting:
		return line{{g.Stalled + " reconnecting", Stuck}, {old(), Stuck}}
	case world.LinkStale:
		return line{{g.Stalled + " stale", Stuck}, {old(), Stuck}}
	case world.LinkEnded:
		if s.Options().Recording != "" {
			return styled("at its end", Dim)
		}
		return styled("ended", Dim)
	default:
		return line{{g.Waiting, Busy}, {" connecting", Dim}}
	}
}

// labels are the marks that must not be overlooked: a recording, a frozen
// picture. They are short if space is scarce.
func labels(s State, short bool) line {
	var l line
	if r := s.Options().Recording; r != "" {
		word := "RECORDING"
		if short {
			word = "REC"
		}
		l = append(l, badge(word, Label), span{" ", Text})
	}
	if s.Options().Children == model.ChildrenNone {
		word := "OWN FIELDS ONLY"
		if short {
			word = "OWN FIELDS"
		}
		l = append(l, badge(word, Label), span{" ", Text})
	}
	if paused, missed := s.Paused(); paused {
		word := "PAUSED"
		if missed > 0 && !short {
			word = "PAUSED, " + count(missed, "update") + " waiting"
		}
		l = append(l, badge(word, Label), span{" ", Text})
	}
	return l
}

// clockText is the elapsed time; it stops when everything is done, so that an
// idle screen is not redrawn.
func clockText(s State) string {
	if done, took := s.Done(); done {
		return elapsed(took)
	}
	return elapsed(s.Elapsed())
}

// tally is the counts by status, worst first.
func tally(s State, g *Glyphs, words bool) line {
	counts := s.Counts()
	total := counts.Total()
	var l line
	done := line{{fmt.Sprintf("%s%d/%d", g.Current, counts[status.Current], total), OK}}
	if words {
		done = currentOf(s)
		l = append(l, done...)
	} else if n := s.Assumed(); n > 0 {
		done = append(done, span{fmt.Sprintf(" %d assumed", n), Unsure})
	}
	for _, st := range status.Statuses {
		if st == status.Current || counts[st] == 0 {
			continue
		}
		if len(l) > 0 {
			gap := " "
			if words {
				gap = "   "
			}
			l = append(l, span{gap, Text})
		}
		text := g.Of(st) + strconv.Itoa(counts[st])
		if words {
			text = g.Of(st) + " " + strconv.Itoa(counts[st]) + " " + string(st)
		}
		l = append(l, span{text, statusToken(st)})
	}
	if !words {
		if len(l) > 0 {
			l = append(l, span{" ", Text})
		}
		l = append(l, done...)
	}
	return l
}

// currentOf is how many are Current, and how many of those are assumed.
func currentOf(s State) line {
	counts := s.Counts()
	l := line{{fmt.Sprintf("%d/%d Current", counts[status.Current], counts.Total()), OK}}
	if n := s.Assumed(); n > 0 {
		l = append(l, span{fmt.Sprintf(", %d of them assumed", n), Unsure})
	}
	return l
}

func percent(counts world.Counts) int {
	if n := counts.Total(); n > 0 {
		return counts[status.Current] * 100 / n
	}
	return 0
}

// headline is the title line and the verdict, being drawn.
type headline struct{ *drawing }

// leastTitle is the least width of the title beside the place.
const leastTitle = 14

// header draws the title line.
func (h *headline) header(r Rect) {
	if r.empty() {
		return
	}
	s, g, c := h.s, h.g, h.c
	if h.l.form == formSide {
		right := append(labels(s, false), connection(s, g, true)...)
		right = append(right, span{"  " + clockText(s), Text})
		end := r.X + r.W - 1
		x := end - right.width()
		c.line(x, r.Y, right.width(), right, g)
		left := line{{"kstatus-tui", Faint}, {"   ", Text}, {title(s), Strong}}
		if at := where(s, true); at != "" {
			left = append(left, span{"   " + at, Dim})
		}
		stop := c.line(r.X+1, r.Y, x-3-r.X, left, g)
		counts := fmt.Sprintf("%d applied %s %d generated", s.Counts().Total(), g.Dot, s.GeneratedCounts().Total())
		if room := x - stop; room >= width(counts)+8 {
			c.Put(x-width(counts)-4, r.Y, width(counts), counts, Dim)
		}
		return
	}
	// Stacked and narrow: everything on one line, with as much bar as fits.
	right := append(labels(s, false), tally(s, g, false)...)
	pct := fmt.Sprintf("%3d%%", percent(s.Counts()))
	clock := clockText(s)
	barW := 0
	switch {
	case r.W >= 96:
		barW = 24
	case r.W >= 76:
		barW = 16
	}
	tail := width(pct) + 2 + width(clock)
	x := r.X + r.W - 1 - tail
	c.Put(x, r.Y, tail, pct+"  ", Dim)
	c.Put(x+width(pct)+2, r.Y, tail, clock, Text)
	if barW > 0 {
		x -= barW + 1
		c.bar(x, r.Y, barW, s.Counts(), g)
	}
	x -= right.width() + 2
	x = max(x, r.X+8)
	c.line(x, r.Y, r.X+r.W-x, right, g)
	name, at := title(s), where(s, false)
	room := x - 2 - r.X
	if at == "" {
		c.line(r.X+1, r.Y, room, styled(name, Strong), g)
		return
	}
	// The cluster takes precedence over the sources.
	name = truncate(name, max(room-width(at)-2, min(width(name), leastTitle)), g.Ellipsis)
	c.line(r.X+1, r.Y, room, line{{name, Strong}, {"  " + at, Dim}}, g)
}

// verdict draws the verdict and the causes in a line.
func (h *headline) verdict(r Rect) {
	if r.empty() {
		return
	}
	s, g, c := h.s, h.g, h.c
	glyph, word, tok := verdictWord(s, g)
	x, end := r.X+1, r.X+r.W-1
	if h.l.form == formTiny {
		x, end = r.X, r.X+r.W
	}
	x = c.line(x, r.Y, r.W, line{badge(glyph+" "+word, tok)}, g)

	var right line
	if h.l.header.empty() {
		right = append(labels(s, true), tally(s, g, false)...)
		for right.width() > end-x-1 && len(right) > 1 { // drop whole counts, the worst last
			right = right[:len(right)-1].trimRight()
		}
		// The age of a Lost verdict takes precedence over the elapsed time.
		crowded := s.Verdict().Lost && end-x-right.width()-4 >= leastKnown
		clock := span{"  " + clockText(s), Text}
		if a := since(s.Connection().LastData, s.Now()); s.Verdict().Lost && a != "" {
			clock = span{"  " + g.Stalled + a, Stuck} // the stall is mentioned nowhere else here
		}
		if !crowded && right.width()+width(clock.text) <= end-x-1 {
			right = append(right, clock)
		}
	}
	v := s.Verdict()
	if v.Stalled && !v.Lost && h.l.form != formTiny {
		if len(right) > 0 {
			right = append(right, span{"  ", Text})
		}
		text := g.Stalled + " "
		if h.l.form == formSide {
			text += "stalled "
		}
		right = append(line{{text + since(v.Moved, s.Now()), Stuck}, {"  ", Text}}, right...)
		right = right.trimRight()
	}
	if len(right) > 0 {
		rw := min(right.width(), end-x-1)
		c.line(end-rw, r.Y, rw, right, g)
		end -= rw + 2
	}
	if end-x-2 >= 10 || v.Lost && end-x-2 >= leastKnown { // too narrow for text
		c.line(x+2, r.Y, end-x-2, h.verdictText(end-x-2), g)
	}
}

func (l line) trimRight() line {
	for len(l) > 0 && strings.TrimSpace(l[len(l)-1].text) == "" {
		l = l[:len(l)-1]
	}
	return l
}

// verdictText is the text beside the verdict, in at most room cells.
func (h *headline) verdictText(room int) line {
	s := h.s
	v := s.Verdict()
	if v.Lost {
		return h.lostText(room)
	}
	counts := s.Counts()
	total := counts.Total()
	if done, took := s.Done(); done {
		l, when := currentOf(s), " already"
		if took > 0 {
			when = " in " + age(took)
		}
		l = slices.Insert(l, 1, span{when, Text}) // before the part about assumed ones
		if slow := s.Slowest(1); len(slow) > 0 && slow[0].Took > 0 && total > 1 {
			l = append(l, span{"   slowest: " + slow[0].ID.String() + " " + age(slow[0].Took), Dim})
		}
		return l
	}
	if v.Gone {
		return styled("everything asked for was deleted", Text)
	}
	switch causes, of := s.Told(); {
	case len(causes) > 0:
		return h.causeLine(causes, of)
	case v.Empty && !s.Synced():
		return styled("waiting for the first answer", Dim)
	case v.Empty:
		return styled("nothing to follow", Dim)
	case !s.Synced():
		return styled("waiting for the first answers", Dim)
	default:
		left := total - counts[status.Current]
		return styled(fmt.Sprintf("%d of %d to go", left, total), Dim)
	}
}

// leastKnown is the width for a verdict alone, leastNote the least width of a
// remark.
const (
	leastKnown = 8
	leastNote  = 10
)

// lostText is the last known verdict, and the connection's problem as far as it
// fits; the footer has the rest.
func (h *headline) lostText(room int) line {
	s := h.s
	_, word, tok := statusWord(s.Verdict(), h.g)
	l := line{{word, badgeText(tok)}}
	if a := since(s.Connection().LastData, s.Now()); a != "" {
		if aged := append(l, span{" " + a + " ago", Dim}); aged.width() <= room {
			l = aged
		}
	}
	if long := append(line{{"last known: ", Dim}}, l...); long.width() <= room {
		l = long
	}
	if room-l.width() < leastNote {
		h.errorCut = true
		return l
	}
	if causes, of := s.Told(); len(causes) > 0 {
		l = append(append(l, span{"  ", Text}), h.causeLine(causes, of)...)
	}
	if e := s.Connection().Error; e != "" {
		l = append(l, span{"  " + e, Dim})
	}
	h.errorCut = l.width() > room
	return l
}

// causeLine is the first of the causes in one line.
func (h *headline) causeLine(causes []model.Cause, of int) line {
	g := h.g
	first := causes[0]
	var l line
	if of > 1 {
		l = append(l, span{count(of, "cause") + ": ", Dim})
	}
	l = append(l, span{first.Title, Strong})
	if first.Count > 1 {
		l = append(l, span{fmt.Sprintf(" %s%d", g.Times, first.Count), Text})
	}
	if to, ok := blocked(h.s, first); ok {
		name := to.String()
		if n := len(first.Blocks); n > 1 && h.l.form == formSide {
			name += " +" + strconv.Itoa(n-1)
		}
		l = append(l, span{" " + g.Right + " " + name, Dim})
	}
	for _, c := range causes[1:] {
		l = append(l, span{" " + g.Dot + " ", Faint}, span{c.Title, Text})
	}
	return l
}

// blocked is the blocked object to name for a cause: the owner of its subject
// rather than a mere dependent. There is none if the title names it.
func blocked(s State, c model.Cause) (object.ID, bool) {
	n := len(c.Blocks)
	if n == 0 {
		return object.ID{}, false
	}
	to := c.Blocks[n-1]
	// The first on the path that is blocked: an inventory above it may be
	// Current itself.
	path := s.Path(c.Subject.ID)
	if i := slices.IndexFunc(path, func(id object.ID) bool { return slices.Contains(c.Blocks, id) }); i >= 0 {
		to = path[i]
	}
	return to, n > 1 || !strings.HasPrefix(c.Title, to.Kind+" "+to.Name+" ")
}

// barLine draws the stacked bar with its counts.
func (d *drawing) barLine(r Rect) {
	if r.empty() {
		return
	}
	w := min(48, r.W*2/5)
	d.c.bar(r.X+1, r.Y, w, d.s.Counts(), d.g)
	d.c.line(r.X+w+3, r.Y, r.W-w-4, tally(d.s, d.g, true), d.g)
}

// WindowTitle is the verdict for the terminal's title, in ASCII: the UTF-8 of ✓
// and ✗ contains the byte 0x9c, which ends a title in terminals with eight-bit
// controls, and the rest would land on the screen.
func WindowTitle(s State, th *Theme) string {
	_, word, _ := verdictWord(s, th.g)
	counts := s.Counts()
	return object.ASCII(fmt.Sprintf("%s %d/%d %s", word, counts[status.Current], counts.Total(), title(s)))
}

// Clean is s as it would be drawn, without control characters.
func Clean(s string) string {
	var b strings.Builder
	for s != "" {
		var text string
		text, _, s = cluster(s)
		b.WriteString(text)
	}
	return b.String()
}

// Progress is the terminal's progress bar: the share of Current, and its
// colour.
func Progress(s State) *tea.ProgressBar {
	v, counts := s.Verdict(), s.Counts()
	if v.Empty || counts.Total() == 0 || v.Status == status.Current {
		return nil
	}
	state := tea.ProgressBarDefault
	switch {
	case v.Status == status.Failed:
		state = tea.ProgressBarError
	case v.Lost || v.Stalled:
		state = tea.ProgressBarWarning
	}
	return tea.NewProgressBar(state, percent(counts))
}
