package views

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// verdictLook is the verdict's look and word.
func verdictLook(v known.Verdict) (markup.StatusLook, string) {
	look, word := markup.LookOf(v.Status), "NOT DONE"
	switch {
	case v.Lost:
		look, word = markup.LookOf(status.Unknown), "LOST CONTACT"
		look.Glyph = markup.Stalled
	case v.Gone && v.Remains > 0:
		look, word = markup.LookOf(status.Terminating), "DELETING"
	case v.Gone:
		look, word = markup.LookOf(status.Current), "GONE"
	case v.Empty && v.Unseen == "" && v.Barred == "":
		look, word = markup.LookOf(status.Unknown), "NOTHING YET"
	case v.Status == status.Current:
		word = "DONE"
	case v.Status == status.Failed || v.Failing:
		look, word = markup.LookOf(status.Failed), "FAILED"
	}
	return look, word
}

// title is what is followed, in a few words.
func title(s State) string {
	o := s.Options
	return cmp.Or(o.Title, strings.Join(o.Sources, " "), "kstatus-tui")
}

// where names the cluster and the namespaces in room cells. Of a long context the end is
// kept: those of a cloud begin alike ("arn:aws:eks:eu-west-1:123456789012:cluster/shop").
func where(s State, long bool, room int) string {
	o := s.Options
	ns := o.Namespace
	if spaces := s.Facts.Namespaces(); len(spaces) > 0 {
		if !slices.Contains(spaces, ns) {
			ns = spaces[0]
		}
		if len(spaces) > 1 {
			ns += " +" + strconv.Itoa(len(spaces)-1)
		}
	}
	context, lead, sep, nsLead := o.Context, "", "/", ""
	if long {
		lead, sep, nsLead = "ctx ", " "+markup.Dot+" ", "ns "
	}
	if over := markup.Width(lead+context+sep+nsLead+ns) - room; over > 0 {
		context = markup.TruncateStart(context, max(markup.Width(context)-over, leastTitle))
	}
	parts := []string{lead + context, nsLead + ns}
	if ns == "" {
		parts = parts[:1]
	}
	if o.Context == "" {
		parts = parts[1:]
	}
	return strings.Join(parts, sep)
}

// connection is the connection's state in a few words.
func connection(s State, look Look, long bool) markup.Line {
	c := s.Facts.Connection()
	if p := s.Intake.Playback(); p != nil && c.Link == world.LinkLive {
		return tempo(p, s.Facts.Now())
	}
	waiting := markup.Busy.Of(cmp.Or(look.Waiting, markup.LookOf(status.InProgress).Glyph))
	switch c.Link {
	case world.LinkLive:
		if c.Saved {
			return nil // its label says so
		}
		how, more := "live", "watching"
		switch {
		case c.Polling:
			more = "polling"
		case c.Unpinged: // the server may have been silent for a while
			how, more = "watching", "HTTP/1.1"
		}
		if long {
			how += " " + markup.Dot + " " + more
		}
		return markup.Line{markup.OK.Of(markup.Live), markup.Dim.Of(" " + how)}
	case world.LinkSyncing:
		return markup.Line{waiting, markup.Dim.Of(fmt.Sprintf(" %d/%d kinds synced", c.Ready, c.Sources))}
	case world.LinkReconnecting, world.LinkStale:
		text := markup.Stalled + " " + string(c.Link)
		if a := markup.Since(c.LastData, s.Facts.Now()); a != "" {
			text += " " + markup.Dot + " data " + a + " old"
		}
		return markup.Styled(text, markup.Stuck)
	case world.LinkEnded:
		return markup.Styled("ended", markup.Dim)
	default:
		return markup.Line{waiting, markup.Dim.Of(" connecting")}
	}
}

// labels are the marks that must not be overlooked: a recording, a frozen
// picture. They are short if space is scarce.
func labels(s State, short bool) (l []markup.Line) {
	add := func(word, brief string) {
		if short {
			word = brief
		}
		l = append(l, markup.Line{markup.Badge(word, markup.Label)})
	}
	if s.Options.Recording != "" {
		add("RECORDING", "REC")
	}
	if m := s.Options.Moment; m != "" {
		add(m, "SAVED")
	}
	if s.Options.Children == model.ChildrenNone {
		add("OWN FIELDS ONLY", "OWN FIELDS")
	}
	if n := s.Facts.Muted(); n > 0 {
		add(fmt.Sprintf("%d MUTED", n), fmt.Sprintf("%d MUTED", n))
	}
	switch paused, missed := s.Intake.Paused(); {
	case missed > 0 && paused:
		add("PAUSED, "+markup.Count(missed, "update")+" waiting", "PAUSED")
	case paused:
		add("PAUSED", "PAUSED")
	}
	return l
}

// clock is how long something has been followed. There is none when everything is
// done: an idle screen is not redrawn, and the verdict says how long it took. In a
// replay the time line has it; a saved cluster stands still.
func (d *drawing) clock(long bool) markup.Line {
	done, _ := d.s.Facts.Done()
	if done && d.s.Intake.Playback() == nil || !d.l.Scrub.Empty() || d.s.Facts.Connection().Saved {
		return nil
	}
	lead := "for "
	switch {
	case d.l.Form == layout.Tiny:
		lead = ""
	case long:
		lead = "followed for "
	}
	return markup.Line{markup.Dim.Of(lead), markup.Text.Of(markup.Elapsed(d.s.Facts.Elapsed()))}
}

// notCurrent are the other statuses, worst first.
var notCurrent = status.Statuses[:len(status.Statuses)-1]

// brief is what is followed by status, worst first, in signs.
func brief(s Facts) []markup.Line {
	counts, current := s.Counts(), markup.LookOf(status.Current)
	done := markup.Line{current.Token.Of(fmt.Sprintf("%s%d/%d", current.Glyph, counts[status.Current], counts.Total()))}
	if n := s.Assumed(); n > 0 {
		done = append(done, markup.Unsure.Of(fmt.Sprintf(" %d assumed", n)))
	}
	return append(panes.Tally(counts, notCurrent, false), done)
}

// inWords is what is followed by status, with the Current ones first.
func inWords(s Facts) markup.Line {
	return markup.Join("   ", append([]markup.Line{currentOf(s)}, panes.Tally(s.Counts(), notCurrent, true)...)...)
}

// currentOf is how many are Current, and how many of those are assumed.
func currentOf(s Facts) markup.Line {
	counts := s.Counts()
	l := markup.Line{markup.OK.Of(fmt.Sprintf("%d/%d Current", counts[status.Current], counts.Total()))}
	if n := s.Assumed(); n > 0 {
		l = append(l, markup.Unsure.Of(fmt.Sprintf(", %d of them assumed", n)))
	}
	return l
}

func percent(counts world.Counts) int {
	if n := counts.Total(); n > 0 {
		return counts[status.Current] * 100 / n
	}
	return 0
}

// leastTitle is the least width of a title beside the place, or beside a count.
const leastTitle = 12

// header draws the title line: what is followed and where, how far it is, and
// the time. With a bar on a line of its own, there is room for more words.
func (d *drawing) header(r layout.Rect) {
	s, counts := d.s, d.s.Facts.Counts()
	long := d.l.Form == layout.Side
	parts, brand, gap := labels(s, false), "", "  "
	var meter markup.Line
	if long {
		parts, brand, gap = append(parts, connection(d.s, d.look, true)), "kstatus-tui   ", "   "
	} else {
		parts = append(parts, brief(s.Facts)...)
		meter = append(bar(max(min(24, r.W-68), 0), counts), markup.Dim.Of(fmt.Sprintf(" %3d%%", percent(counts))))
	}
	right := markup.Join("  ", markup.Join(" ", parts...), meter, d.clock(long))
	r = r.Inset(1, 1)
	room := r.W - right.Width() - 2
	// The cluster takes precedence over the sources.
	at := where(s, long, room-markup.Width(brand+gap)-min(markup.Width(title(s)), leastTitle))
	name := markup.Truncate(title(s), max(room-markup.Width(brand+gap+at), leastTitle))
	left := markup.Line{markup.Faint.Of(brand), markup.Strong.Of(name), markup.Dim.Of(gap + at)}
	if more := append(left,
		markup.Dim.Of(fmt.Sprintf("%s%d followed %s %d generated", gap, counts.Total(), markup.Dot,
			s.Facts.GeneratedCounts().Total()))); long && more.Width() <= room {
		left = more
	}
	d.c.sides(r, left, right)
}

// verdict draws the verdict and the causes in a line.
func (d *drawing) verdict(r layout.Rect) {
	tiny := d.l.Form == layout.Tiny
	if !tiny {
		r = r.Inset(1, 1)
	}
	s, v := d.s, d.s.Facts.Verdict()
	look, word := verdictLook(v)
	x := d.c.line(r.X, r.Y, r.W, markup.Line{markup.Badge(look.Glyph+" "+word, look.Badge)})
	var right, timer []markup.Line
	var stall [][]markup.Line
	if v.Stalled && !v.Lost && !tiny {
		text := markup.Stalled + " "
		if d.l.Form == layout.Side {
			text += "stalled "
		}
		stall = [][]markup.Line{
			{markup.Styled(text+markup.Since(v.Moved, s.Facts.Now()), markup.Stuck)},
			{markup.Styled(markup.Stalled, markup.Stuck)},
		}
	}
	if d.l.Header.Empty() {
		right = slices.Concat(right, labels(s, true), brief(s.Facts))
		switch {
		case !v.Lost:
			timer = append(timer, d.clock(false))
		case tiny: // elsewhere the text says how old it is
			right = append(right,
				markup.Styled(markup.Stalled+markup.Since(s.Facts.Connection().LastData, s.Facts.Now()), markup.Stuck))
		}
	}
	rest := layout.At(x+1, r.Y, r.X+r.W-x-1, 1)
	// Rather the first cause whole than the sign, and than the clock.
	var tries [][]markup.Line
	for _, sign := range append(stall, nil) {
		tries = append(tries, slices.Concat(sign, right, timer))
	}
	if len(timer) > 0 && !tiny {
		tries = append(tries, right)
	}
	for i, beside := range tries {
		facts := markup.Fitting(rest.W, " ", beside...)
		room := rest.W - facts.Width() - 3
		if len(facts) == 0 {
			room += 2
		}
		var text markup.Line
		if room >= 14 { // else too narrow
			text = append(markup.Plain(" "), verdictText(d.s, d.l.ShortKinds, room)...)
		}
		causes, _ := s.Tree.Headline()
		last := len(causes) == 0 || i == len(tries)-1
		if last || strings.Contains(text.String(),
			causeLine(s.Facts, d.l.ShortKinds, causes[:1], 1, math.MaxInt).String()) {
			d.c.sides(rest, text, facts)
			return
		}
	}
}

// spell is an object's kind and name, as the screen spells kinds.
func spell(id object.ID, short bool) string { return panes.SpellKind(id.Kind, short) + "/" + id.Name }

// verdictText is the text beside the verdict, in at most room cells.
func verdictText(s State, short bool, room int) markup.Line {
	v, counts := s.Facts.Verdict(), s.Facts.Counts()
	causes, of := s.Tree.Headline()
	if done, took := s.Facts.Done(); done && !v.Lost {
		l, when := currentOf(s.Facts), " already"
		if took > 0 {
			when = " in " + markup.Age(took)
		}
		l = slices.Insert(l, 1, markup.Text.Of(when)) // before the part about assumed ones
		if id, took := s.Facts.Slowest(); took > 0 && counts.Total() > 1 {
			l = markup.Fitting(room, "   ", l,
				markup.Styled("slowest: "+spell(id, short)+" "+markup.Age(took), markup.Dim))
		}
		return l
	}
	switch {
	case v.Lost:
		return lostText(s, short, room)
	case v.Gone && v.Remains > 0:
		return markup.Styled("everything asked for was deleted; "+markup.Count(v.Remains,
			"Pod")+" still there", markup.Text)
	case v.Gone:
		return markup.Styled("everything asked for was deleted", markup.Text)
	case len(causes) > 0:
		return causeLine(s.Facts, short, causes, of, room)
	case !s.Facts.Synced():
		return markup.Styled(markup.TruncateWords("waiting for the first answers", room), markup.Dim)
	case v.Unseen != "" || v.Barred != "":
		why := markup.OneLine(cmp.Or(v.Unseen, v.Barred))
		return markup.Styled(markup.TruncateWords(why, room), markup.Stuck)
	case v.Empty:
		return markup.Styled("nothing to follow", markup.Dim)
	}
	return markup.Styled(fmt.Sprintf("%d of %d to go", counts.Total()-counts[status.Current],
		counts.Total()), markup.Dim)
}

// lostText is the last known verdict and its cause; the line of messages has
// the error.
func lostText(s State, short bool, room int) markup.Line {
	v := s.Facts.Verdict()
	v.Lost = false
	look, word := verdictLook(v)
	l := markup.Line{look.Token.Of(word)}
	if a := markup.Since(s.Facts.Connection().LastData, s.Facts.Now()); a != "" {
		l = append(l, markup.Dim.Of(" "+a+" ago"))
	}
	if causes, of := s.Tree.Headline(); len(causes) > 0 {
		l = markup.Join("  ", l, causeLine(s.Facts, short, causes, of, room-l.Width()-2))
	}
	if lead := "last known: "; l.Width()+markup.Width(lead) <= room {
		l = append(markup.Line{markup.Dim.Of(lead)}, l...)
	}
	return l
}

// causeLine is the first of the causes with what it blocks, for which its own
// words give way, and those of the others that fit whole. Where that leaves too
// little of the words, the name of what is blocked is shortened, then the count of the causes
// goes, and then what is blocked.
func causeLine(s Facts, short bool, causes []explain.Cause, of, room int) markup.Line {
	title, effect := markup.OneLine(causes[0].Title), effectOf(s, short, causes[0], math.MaxInt)
	lead, words := markup.Styled(markup.Count(of, "cause")+", first: ", markup.Dim), leastTitle
	if of < 2 {
		lead = nil
	}
	if lead.Width()+markup.Width(title)+effect.Width() > room {
		if brief := effectOf(s, short, causes[0], max(room*2/5, leastBlocked)); brief.Width() < effect.Width() {
			effect, words = brief, leastWords
		}
	}
	if min(markup.Width(title), leastReason)+effect.Width() > room {
		effect = nil
	}
	if lead.Width()+min(markup.Width(title), words)+effect.Width() > room {
		lead = nil
	}
	parts := []markup.Line{
		slices.Concat(lead,
			markup.Styled(markup.TruncateSentence(title, room-lead.Width()-effect.Width()), markup.Strong), effect),
	}
	for _, c := range causes[1:] {
		if len(c.Blocks) > 0 { // else it is none of what is waited for
			parts = append(parts,
				append(markup.Styled(markup.OneLine(c.Title), markup.Text), effectOf(s, short, c, math.MaxInt)...))
		}
	}
	return markup.Fitting(room, " "+markup.Dot+" ", parts...)
}

// What a cause's words keep beside a long name that is shortened for them, what the name
// keeps, and its namespace, which has no room below leastPlace.
const (
	leastWords   = 24
	leastBlocked = 24
	leastSpace   = 13
	leastPlace   = 29
)

// effectOf is how many show a cause, and what it blocks in at most w cells.
func effectOf(s Facts, short bool, c explain.Cause, w int) (l markup.Line) {
	if counted := strconv.Itoa(c.Count) + " of "; strings.HasPrefix(c.Title, counted) {
		return nil // the title counts and names what it blocks
	}
	if c.Count > 1 {
		l = markup.Styled(fmt.Sprintf(" %s%d", markup.Times, c.Count), markup.Text)
	}
	if to, ok := blocked(s, c); ok {
		more, space := "", ""
		if n := len(c.Blocks); n > 1 {
			more = " +" + strconv.Itoa(n-1)
		}
		if len(s.Namespaces()) > 1 {
			space = to.Namespace
		}
		l = append(l, markup.Dim.Of(" "+markup.Arrow+" "+placeIn(spell(to, short), space, w-markup.Width(more))+more))
	}
	return l
}

// placeIn is an object's kind and name, with its namespace if it is not "", in at most w cells.
// Without room for a part of both, the namespace goes.
func placeIn(name, space string, w int) string {
	kind, name, _ := strings.Cut(name, "/")
	kind += "/"
	if space != "" {
		space = " in " + space
	}
	if over := markup.Width(kind+name+space) - w; over > 0 && w < leastPlace {
		space = ""
	} else if over > 0 {
		space = markup.TruncateMiddle(space, max(markup.Width(space)-over, leastSpace))
	}
	return kind + markup.TruncateMiddle(name, w-markup.Width(kind+space)) + space
}

// blocked is the blocked object to name for a cause: the owner of its subject
// rather than a mere dependent. There is none if the title names it.
func blocked(s Facts, c explain.Cause) (object.ID, bool) {
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
func (d *drawing) barLine(r layout.Rect) {
	d.c.line(r.X+1, r.Y, r.W-2, markup.Join("  ", bar(min(48, r.W*2/5), d.s.Facts.Counts()), inWords(d.s.Facts)))
}

// WindowTitle is the verdict for the terminal's title, in ASCII: the UTF-8 of ✓
// and ✗ contains the byte 0x9c, which ends a title in terminals with eight-bit
// controls, and the rest would land on the screen.
func WindowTitle(s State) string {
	_, word := verdictLook(s.Facts.Verdict())
	counts := s.Facts.Counts()
	return object.ASCII(fmt.Sprintf("%s %d/%d %s", word, counts[status.Current], counts.Total(), title(s)))
}

// Progress is the terminal's progress bar: the share of Current, and its
// colour.
func Progress(s Facts) *tea.ProgressBar {
	v, counts := s.Verdict(), s.Counts()
	if v.Empty || counts.Total() == 0 || v.Status == status.Current {
		return nil
	}
	state := tea.ProgressBarDefault
	switch {
	case v.Status == status.Failed || v.Failing:
		state = tea.ProgressBarError
	case v.Lost || v.Stalled:
		state = tea.ProgressBarWarning
	}
	return tea.NewProgressBar(state, percent(counts))
}
