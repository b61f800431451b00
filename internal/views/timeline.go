package views

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/timeline"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// timeline is the timeline pane: a lane for each object, then the list of
// changes, newest first.
func (t *text) timeline(v timeline.View) content {
	var hint markup.Line
	if t.d.s.Panes.Focus() == model.FocusPane {
		hint = markup.Styled(t.d.keyName("left")+" "+t.d.keyName("right")+" through the changes", markup.Dim)
	}
	head, nameW := []markup.Line{markup.Styled("everything that is followed", markup.Strong)}, t.nameColumn(v, object.ID{})
	if r, ok := selected(t.d.s); ok && !v.Whole {
		head, nameW = t.named(r.ID), t.nameColumn(v, r.ID)
	}
	if hint != nil && t.w >= 60 {
		head = append(head, hint)
	} else if !t.tight {
		head = append(head, nil)
	}
	if len(v.Entries) == 0 {
		t.add(markup.Dim.Of("Nothing has changed since " + t.when(t.d.s.Options.Now) + "."))
	} else {
		t.moment(v.Moment)
		t.comparison(v.Comparison)
		if v.Form != timeline.ListAlone {
			t.lanes(v.Entries, v.Form == timeline.LanesAlone, nameW)
			t.gap()
		}
		if v.Form != timeline.LanesAlone {
			t.changes(v.Entries, v.Moment, nameW)
		}
	}
	t.dates(v.Dates, nameW > 0)
	if notices := t.d.s.Facts.Notices(); len(notices) > 0 {
		t.heading("MESSAGES")
		for _, n := range slices.Backward(notices) {
			text := strings.TrimPrefix(n.From+": "+markup.OneLine(n.Text), ": ")
			at := t.when(n.At) + "  "
			t.hanging(markup.Line{markup.Dim.Of(at)}, strings.Repeat(" ", len(at)), text, noticeToken(n))
		}
	}
	c := linesOf(t.lines)
	c.head = head
	return c
}

// nameColumn is the width of the column of names and its gap, 0 if all are that of
// the object that the pane is about, and names above.
func (t *text) nameColumn(v timeline.View, about object.ID) (w int) {
	others := slices.ContainsFunc(v.Dates, func(x timeline.Date) bool { return x.ID != about })
	for _, tr := range v.Entries {
		others = others || tr.ID != about
		w = max(w, markup.Width(t.d.shortID(tr.ID, t.w*2/5))+2)
	}
	if !others {
		return 0
	}
	return w
}

// nameIn is an object's name in such a column.
func (t *text) nameIn(id object.ID, column int) string {
	return markup.Pad(t.d.shortID(id, max(0, column-2)), column)
}

// dates are the objects' own dates from before, newest first.
func (t *text) dates(dates []timeline.Date, named bool) {
	if len(dates) == 0 {
		return
	}
	t.heading("BEFORE, AS THE OBJECTS TELL")
	for _, x := range slices.Backward(dates) {
		at := t.when(x.At)
		if t.d.s.Facts.Now().Sub(x.At) >= 24*time.Hour {
			at = x.At.In(t.d.look.zone()).Format(time.DateOnly)
		}
		what := x.What
		if named {
			what = t.d.shortID(x.ID, t.w*2/5) + "  " + what
		}
		t.wrapped(at+"  ", strings.Repeat(" ", 12), what, markup.Text)
	}
}

// when is a time of day, with its date if that is not today's.
func (t *text) when(at time.Time) string {
	at, today := at.In(t.d.look.zone()), t.d.s.Facts.Now().In(t.d.look.zone()).Format(time.DateOnly)
	if at.IsZero() || at.Format(time.DateOnly) == today {
		return t.d.look.clock(at)
	}
	return at.Format("01-02 15:04")
}

// moment shows the chosen entry of the timeline.
func (t *text) moment(m *timeline.Moment) {
	if m == nil {
		return
	}
	t.heading(fmt.Sprintf("THEN %s %d of %d, %s ago", markup.Dot, m.No, m.Of, markup.Since(m.At, t.d.s.Facts.Now())))
	at := "  " + t.when(m.At) + "  "
	t.add(markup.Dim.Of(at), markup.Strong.Of(t.d.shortID(m.ID, t.w-len(at)-2)))
	t.add(append(markup.Plain("  "), became(m.From, m.To)...)...)
	t.wrapped("  ", "  ", m.Reason, markup.Strong)
	if m.Message != m.Reason {
		t.wrapped("  ", "  ", markup.OneLine(m.Message), markup.Text)
	}
	before := t.when(m.Before)
	note := "changed since " + before + ":"
	switch {
	case m.Before.IsZero():
		note = "It was seen for the first time."
	case m.Object == nil:
		note = "What it was is not remembered."
	case len(m.Changed) == 0:
		note = "No field had changed since " + before + "; time alone did it, or something below it."
	}
	t.wrapped("  ", "  ", note, markup.Dim)
	t.fields(m.Changed)
	t.gap()
}

// became is a status, and the one before it if that was another.
func became(from, to status.Status) markup.Line {
	if from == "" || from == to {
		return markup.Line{markup.StatusSpan(to)}
	}
	return markup.Line{markup.StatusSpan(from), markup.Faint.Of(" " + markup.Arrow + " "), markup.StatusSpan(to)}
}

// fields lists an object's changed fields.
func (t *text) fields(changed []explain.Change) {
	for _, c := range changed {
		c.Before, c.After = cmp.Or(c.Before, "(none)"), cmp.Or(c.After, "(none)")
		l := markup.Line{markup.Dim.Of("  " + c.Path + "  "), markup.Dim.Of(c.Before), markup.Faint.Of(" " + markup.Arrow + " "), markup.Strong.Of(c.After)}
		if l.Width() <= t.w {
			t.add(l...)
			continue
		}
		t.add(markup.Dim.Of("  " + c.Path))
		t.wrapped("    ", "      ", c.Before, markup.Dim)
		t.wrapped("  "+markup.Arrow+" ", "      ", c.After, markup.Strong)
	}
}

// comparison lists the differences between the marked and the chosen entry.
func (t *text) comparison(c *timeline.Comparison) {
	if c == nil {
		return
	}
	from, to := cmp.Or(t.when(c.From), "now"), cmp.Or(t.when(c.To), "now")
	if from == to && !c.From.IsZero() {
		const fine = "15:04:05.000"
		from, to = c.From.In(t.d.look.zone()).Format(fine), c.To.In(t.d.look.zone()).Format(fine)
	}
	t.heading("COMPARED " + from + " " + markup.Arrow + " " + to)
	if len(c.Objects) == 0 {
		t.wrapped("  ", "  ", "Nothing differs.", markup.Dim)
	}
	for _, o := range c.Objects {
		l := markup.Line{markup.Strong.Of("  " + t.d.shortID(o.ID, t.w/2) + "  ")}
		if o.Before == "" {
			l = append(l, markup.Dim.Of("new "))
		}
		t.add(append(l, became(o.Before, o.After)...)...)
		t.fields(o.Changed)
	}
	t.gap()
}

// maxLanes bounds the lanes; the list below has all objects.
const maxLanes = 12

// lanes draws a line for each object from when it was first seen until now,
// with a mark at each change of status; the objects with most problems first.
func (t *text) lanes(all []world.Transition, everyOne bool, nameW int) {
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
	laneW := t.w - nameW
	if laneW < 12 {
		return
	}
	began := slices.MinFunc([]time.Time{t.d.s.Options.Now, all[0].At}, time.Time.Compare)
	lane := track{w: laneW - 1, start: began, end: t.d.s.Facts.Now()}
	t.add(append(markup.Plain(strings.Repeat(" ", nameW)), t.scale(lane))...)
	for _, id := range shown {
		cells := slices.Repeat([]markup.Span{markup.Faint.Of(" ")}, laneW)
		trs := slices.CompactFunc(slices.Clone(by[id]), func(a, b world.Transition) bool { return a.To == b.To && !world.Ends(b) })
		for i, tr := range trs {
			from, to := lane.cell(tr.At), laneW-1
			if i+1 < len(trs) {
				to = lane.cell(trs[i+1].At)
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
			} else if before := from - 2 - markup.Width(word); before > lane.cell(trs[0].At) {
				text, begin = " "+word+" "+text, before
			}
			for k, r := range []rune(text) {
				cells[begin+k] = look.Token.Of(string(r))
			}
		}
		if last := trs[len(trs)-1]; !world.Ends(last) {
			cells[laneW-1] = markup.LookOf(last.To).Token.Of("▶")
		}
		t.add(append(markup.Plain(t.nameIn(id, nameW)), cells...)...)
	}
	if more := len(ids) - len(shown); more > 0 {
		t.add(markup.Dim.Of("and " + markup.Count(more, "more object")))
	}
}

// endWords say why a lane ends.
var endWords = map[string]string{world.ReasonPruned: "pruned", world.ReasonNotFollowed: "not followed"}

// scale is the line of times above the lanes.
func (t *text) scale(lane track) markup.Span {
	var step time.Duration
	for _, step = range []time.Duration{time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour} {
		if int(lane.end.Sub(lane.start)/step)*10 <= lane.w {
			break
		}
	}
	row := []byte(strings.Repeat(" ", lane.w))
	free := 0
	start := lane.start.In(t.d.look.zone())
	_, seconds := start.Zone()
	east := time.Duration(seconds) * time.Second // Truncate counts from midnight in UTC
	for when := start.Add(east).Truncate(step).Add(step - east); when.Before(lane.end); when = when.Add(step) {
		x, label := lane.cell(when), when.Format(time.TimeOnly)
		switch {
		case step >= 24*time.Hour || label == "00:00:00":
			label = when.Format("01-02")
		case step >= time.Minute:
			label = label[:5]
		}
		if x >= free && x+len(label) <= lane.w {
			copy(row[x:], label)
			free = x + len(label) + 2
		}
	}
	return markup.Dim.Of(string(row))
}

// wordsFrom is the least width for the word of a status beside its reason.
const wordsFrom = 72

// changes lists the changes, newest first.
func (t *text) changes(all []world.Transition, then *timeline.Moment, nameW int) {
	runs := alternations(all)
	if then != nil { // its own line
		for _, k := range runs[slices.Index(all, then.Transition)] {
			delete(runs, k)
		}
	}
	timeW := len(t.when(all[0].At))
	for i, tr := range slices.Backward(all) {
		run, n := runs[i], len(runs[i])
		if n > 0 && i != run[n-1] {
			continue
		}
		now, gap := markup.StatusSpan(tr.To), "  "
		if t.w < wordsFrom && (tr.Reason != "" || tr.Message != "") {
			now.Text, gap = markup.LookOf(tr.To).Glyph, " " // use the words for the reason
		}
		l, tok := markup.Line(nil), markup.Dim
		switch {
		case then != nil && tr == then.Transition:
			l, tok = markup.Line{markup.Accent.Of(markup.Pointer), markup.Text.Of(" ")}, markup.Accent
		case then != nil:
			l = markup.Plain("  ")
		}
		l = append(l, tok.Of(markup.Pad(t.when(tr.At), timeW)), markup.Text.Of("  "+t.nameIn(tr.ID, nameW)), now)
		reason, message := markup.Styled(tr.Reason, markup.Strong), tr.Message
		if n > 0 {
			reason = markup.Styled(fmt.Sprintf("%s%d %s/%s", markup.Times, n, tr.Reason, all[run[n-2]].Reason), markup.Strong)
		}
		if message == tr.Reason {
			message = ""
		}
		t.add(markup.Join(gap, l, markup.Join("  ", reason, markup.Styled(markup.OneLine(message), markup.Dim)))...)
	}
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
		case n == 0 || all[run[n-1]].To != tr.To || all[run[n-1]].Reason == tr.Reason, n > 2 && all[run[n-2]].Reason != tr.Reason:
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
