package panes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/timeline"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The actions of the pane.
const (
	MarkMoment Action = "mark"
	WholeSet   Action = "whole"
	earlier    Action = "earlier"
	later      Action = "later"
	lanes      Action = "lanes"
)

// Timeline is the pane with the history of the selected object and what is below it.
type Timeline struct {
	on      Selection
	history timeline.Timeline
}

// Title names the pane.
func (*Timeline) Title() Title {
	return Title{Name: "Timeline", Short: "Time", Does: "timeline", Show: "timeline", Keys: []string{"6", "t", "T"}}
}

// Keys are the pane's keys.
func (*Timeline) Keys() []Key {
	return []Key{
		{Action: earlier, Does: "the change before, and what was then", Keys: []string{"left"}, FromTop: true},
		{Action: later, Does: "the next change", Keys: []string{"right"}, FromTop: true},
		{
			Action: MarkMoment, Does: "mark a moment, to compare others with it",
			Label: "mark a moment", Keys: []string{"space"},
		},
		{Action: lanes, Does: "lanes and list, lanes alone, list alone", Keys: []string{"v"}},
		{Action: WholeSet, Does: "of everything, or of what is selected", Label: "of everything", Keys: []string{"a"}},
	}
}

// Load takes note of the selection.
func (l *Timeline) Load(on Selection) tea.Cmd {
	l.on = on
	return nil
}

// Update moves through the history.
func (l *Timeline) Update(msg tea.Msg) (string, tea.Cmd) {
	switch msg {
	case earlier:
		return l.history.Move(l.on.World, l.on.Node, -1), nil
	case later:
		return l.history.Move(l.on.World, l.on.Node, 1), nil
	case MarkMoment:
		return l.history.Mark(l.on.World), nil
	case lanes:
		l.history.NextForm()
	case WholeSet:
		l.history.ToggleWhole()
	case Forget{}:
		l.history.Forget()
	}
	return "", nil
}

// View is what the pane shows: nothing before there is a selection.
func (l *Timeline) View() timeline.View {
	if l.on.World == nil {
		return timeline.View{}
	}
	return l.history.Of(l.on.World, l.on.Node, l.on.Began)
}

// Content is the history.
func (l *Timeline) Content(p *Page) Content { return p.Timeline(l.View()) }

// Timeline writes a lane for each object, then the list of changes, newest first.
func (t *Page) Timeline(v timeline.View) Content {
	var hint markup.Line
	if t.Focused {
		hint = markup.Styled(t.KeyName("left")+" "+t.KeyName("right")+" through the changes", markup.Dim)
	}
	head := []markup.Line{markup.Styled("everything that is followed", markup.Strong)}
	nameW := t.nameColumn(v, object.ID{})
	if r, ok := t.selected(); ok && !v.Whole {
		head, nameW = t.named(r.ID), t.nameColumn(v, r.ID)
	}
	if hint != nil && t.W >= 60 {
		head = append(head, hint)
	} else if !t.Tight {
		head = append(head, nil)
	}
	var changes changeLines
	if len(v.Entries) == 0 {
		t.Add(markup.Dim.Of("Nothing has changed since " + t.when(t.Began) + "."))
	} else {
		t.moment(v.Moment)
		t.comparison(v.Comparison)
		if v.Form != timeline.ListAlone {
			t.lanes(v.Entries, v.Form == timeline.LanesAlone, nameW)
			t.Gap()
		}
		if v.Form != timeline.LanesAlone {
			changes = t.changes(v.Entries, v.Moment, nameW)
		}
	}
	rest := t.Blank()
	rest.dates(v.Dates, nameW > 0)
	if notices := t.Facts.Notices(); len(notices) > 0 {
		rest.Heading("MESSAGES")
		for _, n := range slices.Backward(notices) {
			text := strings.TrimPrefix(n.From+": "+markup.OneLine(n.Text), ": ")
			at := t.when(n.At) + "  "
			rest.Hanging(markup.Line{markup.Dim.Of(at)}, strings.Repeat(" ", len(at)), text, NoticeToken(n))
		}
	}
	if last := len(t.lines) - 1; len(rest.lines) > 0 && !t.Tight &&
		(len(changes.shown) > 0 || last >= 0 && len(t.lines[last]) > 0) {
		rest.lines = slices.Insert(rest.lines, 0, nil)
	}
	c := changes.between(t.lines, rest.lines)
	c.Head = head
	return c
}

// nameColumn is the width of the column of names and its gap, 0 if all are that of
// the object that the pane is about, and names above.
func (t *Page) nameColumn(v timeline.View, about object.ID) (w int) {
	others := slices.ContainsFunc(v.Dates, func(x timeline.Date) bool { return x.ID != about })
	named := map[object.ID]bool{}
	for _, tr := range v.Entries {
		if named[tr.ID] {
			continue
		}
		named[tr.ID] = true
		others = others || tr.ID != about
		w = max(w, markup.Width(t.shortID(tr.ID, t.W*2/5))+2)
	}
	if !others {
		return 0
	}
	return w
}

// nameIn is an object's name in such a column.
func (t *Page) nameIn(id object.ID, column int) string {
	return markup.Pad(t.shortID(id, max(0, column-2)), column)
}

// dates are the objects' own dates from before, newest first.
func (t *Page) dates(dates []timeline.Date, named bool) {
	if len(dates) == 0 {
		return
	}
	t.Heading("EARLIER, FROM DATES IN THE OBJECTS")
	for _, x := range slices.Backward(dates) {
		at := t.when(x.At)
		if t.Facts.Now().Sub(x.At) >= 24*time.Hour {
			at = x.At.In(t.zone()).Format(time.DateOnly)
		}
		what := x.What
		if named {
			what = t.shortID(x.ID, t.W*2/5) + "  " + what
		}
		t.Wrapped(at+"  ", strings.Repeat(" ", 12), what, markup.Text)
	}
}

// when is a time of day, with its date if that is not today's.
func (t *Page) when(at time.Time) string {
	at, today := at.In(t.zone()), t.Facts.Now().In(t.zone()).Format(time.DateOnly)
	if at.IsZero() || at.Format(time.DateOnly) == today {
		return t.clock(at)
	}
	return at.Format("01-02 15:04")
}

// moment shows the chosen entry of the timeline.
func (t *Page) moment(m *timeline.Moment) {
	if m == nil {
		return
	}
	t.Heading(fmt.Sprintf("CHANGE %d OF %d, %s ago", m.No, m.Of, markup.Since(m.At, t.Facts.Now())))
	at := "  " + t.when(m.At) + "  "
	t.Add(markup.Dim.Of(at), markup.Strong.Of(t.shortID(m.ID, t.W-len(at)-2)))
	t.Add(append(markup.Plain("  "), became(m.From, m.To)...)...)
	t.Wrapped("  ", "  ", m.Reason, markup.Strong)
	if m.Message != m.Reason {
		t.Wrapped("  ", "  ", markup.OneLine(m.Message), markup.Text)
	}
	before := t.when(m.Before)
	note := "fields that changed since " + before + ":"
	switch {
	case m.Before.IsZero():
		note = "It was seen for the first time."
	case m.Object == nil:
		note = "What it was is not remembered."
	case len(m.Changed) == 0:
		note = "No field had changed since " + before + "; time alone did it, or something below it."
	}
	t.Wrapped("  ", "  ", note, markup.Dim)
	t.fields("  ", m.Changed)
	t.Gap()
}

// became is a status, and the one before it if that was another.
func became(from, to status.Status) markup.Line {
	if from == "" || from == to {
		return markup.Line{markup.StatusSpan(to)}
	}
	return markup.Line{markup.StatusSpan(from), markup.Faint.Of(" " + markup.Arrow + " "), markup.StatusSpan(to)}
}

// fields lists an object's changed fields, behind an indent. A path that has no room on a line
// of its own keeps its end: "…readinessProbe.httpGet.port".
func (t *Page) fields(in string, changed []explain.Change) {
	for _, c := range changed {
		c.Before, c.After = cmp.Or(c.Before, "(none)"), cmp.Or(c.After, "(none)")
		values := markup.Line{
			markup.Dim.Of(c.Before), markup.Faint.Of(" " + markup.Arrow + " "), markup.Strong.Of(c.After),
		}
		path, room := c.Path, t.W-len(in)
		if markup.Width(path) > room {
			path = shortPath(path, max(room-2-values.Width(), min(room, leastField)))
		}
		if len(in)+markup.Width(path)+2+values.Width() <= t.W {
			t.Add(append(markup.Line{markup.Text.Of(in), markup.Dim.Of(path + "  ")}, values...)...)
			continue
		}
		if markup.Width(c.Path) > room {
			path = shortPath(c.Path, room)
		}
		t.Add(markup.Text.Of(in), markup.Dim.Of(path))
		t.Wrapped(in+"  ", in+"    ", c.Before, markup.Dim)
		t.Wrapped(in+markup.Arrow+" ", in+"    ", c.After, markup.Strong)
	}
}

// leastField is the least width of a changed field's path beside its values.
const leastField = 20

// comparison lists the differences between the marked and the chosen entry.
func (t *Page) comparison(c *timeline.Comparison) {
	if c == nil {
		return
	}
	words := func(at time.Time, clock func(time.Time) string) string {
		if at.IsZero() {
			return "now (" + clock(t.Facts.Now()) + ")"
		}
		return clock(at)
	}
	from, to := words(c.From, t.when), words(c.To, t.when)
	now := t.Facts.Now()
	if first, last := cmp.Or(c.From, now), cmp.Or(c.To, now); t.when(first) == t.when(last) && first != last {
		fine := func(at time.Time) string { return at.In(t.zone()).Format("15:04:05.000") }
		from, to = words(c.From, fine), words(c.To, fine)
	}
	t.Heading("COMPARED " + from + " " + markup.Arrow + " " + to)
	if len(c.Objects) == 0 {
		t.Wrapped("  ", "  ", "Nothing differs.", markup.Dim)
	}
	for _, o := range c.Objects {
		l := markup.Line{markup.Strong.Of("  " + t.shortID(o.ID, t.W/2) + "  ")}
		if o.Before == "" {
			l = append(l, markup.Dim.Of("is new: "))
		}
		t.Add(append(l, became(o.Before, o.After)...)...)
		t.fields("    ", o.Changed)
	}
	t.Gap()
}

// maxLanes bounds the lanes; the list below has all objects.
const maxLanes = 12

// lanes draws a line for each object from when it was first seen until now,
// with a mark at each change of status; the objects with most problems first.
func (t *Page) lanes(all []world.Transition, everyOne bool, nameW int) {
	var ids []object.ID
	by, failures := map[object.ID][]world.Transition{}, map[object.ID]int{}
	for _, tr := range all {
		if tr.To == status.Failed {
			failures[tr.ID]++
		}
		if by[tr.ID] == nil {
			ids = append(ids, tr.ID)
		}
		by[tr.ID] = append(by[tr.ID], tr)
	}
	shown := ids
	if len(ids) > maxLanes && !everyOne {
		slices.SortStableFunc(ids, func(a, b object.ID) int { return failures[b] - failures[a] })
		shown = ids[:maxLanes]
	}
	laneW := t.W - nameW
	if laneW < 12 {
		return
	}
	began := slices.MinFunc([]time.Time{t.Began, all[0].At}, time.Time.Compare)
	lane := Track{W: laneW - 1, Start: began, End: t.Facts.Now()}
	t.Add(append(markup.Plain(strings.Repeat(" ", nameW)), t.scale(lane))...)
	for _, id := range shown {
		cells := slices.Repeat([]markup.Span{markup.Faint.Of(" ")}, laneW)
		trs := slices.CompactFunc(slices.Clone(by[id]),
			func(a, b world.Transition) bool { return a.To == b.To && !world.Ends(b) })
		for i, tr := range trs {
			from, to := lane.Cell(tr.At), laneW-1
			if i+1 < len(trs) {
				to = lane.Cell(trs[i+1].At)
			}
			look := markup.LookOf(tr.To)
			if !world.Ends(tr) {
				for x := from; x < to; x++ {
					cells[x] = look.Token.Of("━")
				}
				cells[from] = look.Mark()
				continue
			}
			text, begin := "┤", from
			word := cmp.Or(endWords[tr.Reason], "deleted")
			if from+2+markup.Width(word) <= to {
				text += " " + word
			} else if before := from - 2 - markup.Width(word); before > lane.Cell(trs[0].At) {
				text, begin = " "+word+" "+text, before
			}
			for k, r := range []rune(text) {
				cells[begin+k] = look.Token.Of(string(r))
			}
		}
		if last := trs[len(trs)-1]; !world.Ends(last) {
			cells[laneW-1] = markup.LookOf(last.To).Token.Of("▶")
		}
		t.Add(append(markup.Plain(t.nameIn(id, nameW)), cells...)...)
	}
	if more := len(ids) - len(shown); more > 0 {
		t.Add(markup.Dim.Of("and " + markup.Count(more, "more object")))
	}
}

// endWords say why a lane ends.
var endWords = map[string]string{world.ReasonPruned: "pruned", world.ReasonNotFollowed: "not followed"}

// scale is the line of times above the lanes.
func (t *Page) scale(lane Track) markup.Span {
	var step time.Duration
	for _, step = range []time.Duration{
		time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute,
		2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour,
		6 * time.Hour, 24 * time.Hour,
	} {
		if int(lane.End.Sub(lane.Start)/step)*10 <= lane.W {
			break
		}
	}
	row := []byte(strings.Repeat(" ", lane.W))
	free := 0
	start := lane.Start.In(t.zone())
	_, seconds := start.Zone()
	east := time.Duration(seconds) * time.Second // Truncate counts from midnight in UTC
	for when := start.Add(east).Truncate(step).Add(step - east); when.Before(lane.End); when = when.Add(step) {
		x, label := lane.Cell(when), when.Format(time.TimeOnly)
		switch {
		case step >= 24*time.Hour || label == "00:00:00":
			label = when.Format("01-02")
		case step >= time.Minute:
			label = label[:5]
		}
		if x >= free && x+len(label) <= lane.W {
			copy(row[x:], label)
			free = x + len(label) + 2
		}
	}
	return markup.Dim.Of(string(row))
}

// wordsFrom is the least width for the word of a status beside its reason.
const wordsFrom = 72

// changeLines are the lines of changes, newest first, each made when it is drawn: there
// may be thousands.
type changeLines struct {
	page  *Page
	all   []world.Transition
	runs  map[int][]int // see alternations
	then  *timeline.Moment
	nameW int
	timeW int
	shown []int // indexes in all: of an alternation the newest alone
}

// changes lists the changes, newest first.
func (t *Page) changes(all []world.Transition, then *timeline.Moment, nameW int) changeLines {
	c := changeLines{
		page: t, all: all, runs: alternations(all), then: then, nameW: nameW,
		timeW: len(t.when(all[0].At)),
	}
	if then != nil { // its own line
		for _, k := range c.runs[slices.Index(all, then.Transition)] {
			delete(c.runs, k)
		}
	}
	for i := range slices.Backward(all) {
		if run := c.runs[i]; len(run) == 0 || i == run[len(run)-1] {
			c.shown = append(c.shown, i)
		}
	}
	return c
}

// between is the changes between other lines.
func (c changeLines) between(above, below []markup.Line) Content {
	n, end := len(above), len(above)+len(c.shown)
	return Content{N: end + len(below), Line: func(i int) markup.Line {
		switch {
		case i < n:
			return above[i]
		case i < end:
			return c.line(c.shown[i-n])
		}
		return below[i-end]
	}}
}

// line is the line of the change at an index.
func (c changeLines) line(i int) markup.Line {
	t, tr, run := c.page, c.all[i], c.runs[i]
	now, gap := markup.StatusSpan(tr.To), "  "
	if t.W < wordsFrom && (tr.Reason != "" || tr.Message != "") {
		now.Text, gap = markup.LookOf(tr.To).Glyph, " " // use the words for the reason
	}
	l, tok := markup.Line(nil), markup.Dim
	switch {
	case c.then != nil && tr == c.then.Transition:
		l, tok = markup.Line{markup.Accent.Of(markup.Pointer), markup.Text.Of(" ")}, markup.Accent
	case c.then != nil:
		l = markup.Plain("  ")
	}
	l = append(l, tok.Of(markup.Pad(t.when(tr.At), c.timeW)), markup.Text.Of("  "+t.nameIn(tr.ID, c.nameW)), now)
	reason, message := markup.Styled(tr.Reason, markup.Strong), tr.Message
	if n := len(run); n > 0 {
		reason = markup.Styled(
			fmt.Sprintf("%s%d %s/%s", markup.Times, n, tr.Reason, c.all[run[n-2]].Reason), markup.Strong)
	}
	if message == tr.Reason {
		message = ""
	}
	return markup.Join(gap, l, markup.Join("  ", reason, markup.Styled(markup.OneLine(message), markup.Dim)))
}

// alternations maps indexes of changes to those of the alternation that they
// belong to: at least three changes of one object between two reasons, such as
// ErrImagePull and ImagePullBackOff.
func alternations(all []world.Transition) map[int][]int {
	at, last := map[int][]int{}, map[object.ID][]int{}
	end := func(run []int) {
		if len(run) > 2 {
			for _, k := range run {
				at[k] = run
			}
		}
	}
	for i, tr := range all {
		run := last[tr.ID]
		n := len(run)
		switch {
		case n == 0 || all[run[n-1]].To != tr.To ||
			all[run[n-1]].Reason == tr.Reason, n > 2 && all[run[n-2]].Reason != tr.Reason:
			end(run)
			run = nil
		case n == 2 && all[run[0]].Reason != tr.Reason:
			run = run[1:]
		}
		last[tr.ID] = append(run, i)
	}
	for _, run := range last {
		end(run)
	}
	return at
}
