package views

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// timeline is the timeline pane: a lane for each object, then the list of
// changes, newest first.
func (t *text) timeline() []line {
	form, whole := t.s.TimelineForm()
	var hint line
	if t.s.Focus() == model.FocusPane {
		hint = styled(t.keyName("left")+" "+t.keyName("right")+" through the changes", Dim)
	}
	if r, ok := t.selected(); ok && !whole {
		t.spread(t.crumbs(r.ID, t.w), hint)
		t.gap()
	} else if whole {
		t.spread(styled("everything that is followed", Strong), hint)
		t.gap()
	}
	all := t.s.Timeline()
	if len(all) == 0 {
		t.add(span{"Nothing has changed since " + t.look.clock(t.s.Options().Now) + ".", Dim})
	} else {
		t.moment()
		t.comparison()
		if form != model.ListAlone {
			t.lanes(all, form == model.LanesAlone)
			t.gap()
		}
		if form != model.LanesAlone {
			t.changes(all)
		}
	}
	t.dates()
	if notices := t.s.Notices(); len(notices) > 0 {
		t.heading("MESSAGES")
		for _, n := range slices.Backward(notices) {
			tok := Dim
			if n.Level != "info" {
				tok = Stuck
			}
			from := n.From
			if from != "" {
				from += ": "
			}
			t.wrappedSpan(span{t.look.clock(n.At) + "  ", Dim}, strings.Repeat(" ", 10), from+OneLine(n.Text), tok)
		}
	}
	return t.lines
}

// dates are the objects' own dates from before, newest first.
func (t *text) dates() {
	dates := t.s.Dates()
	if len(dates) == 0 {
		return
	}
	t.heading("BEFORE, AS THE OBJECTS TELL")
	for _, x := range slices.Backward(dates) {
		at := t.look.clock(x.At)
		if t.s.Now().Sub(x.At) >= 24*time.Hour {
			at = x.At.In(t.look.zone()).Format(time.DateOnly)
		}
		t.wrapped(at+"  ", strings.Repeat(" ", 12), t.shortID(x.ID, t.w*9/20)+"  "+x.What, Text)
	}
}

// moment shows the chosen entry of the timeline.
func (t *text) moment() {
	m, past := t.s.Moment()
	if !past {
		return
	}
	t.heading(fmt.Sprintf("THEN %s %d of %d, %s ago", t.g.Dot, m.No, m.Of, since(m.At, t.s.Now())))
	became := line{statusSpan(m.To, t.g)}
	if m.From != "" && m.From != m.To {
		became = append(line{statusSpan(m.From, t.g), {" " + t.g.Right + " ", Faint}}, became...)
	}
	head := line{{"  " + t.look.clock(m.At) + "  ", Dim}, {t.shortID(m.ID, t.w/2), Strong}}
	if head.width()+2+became.width() <= t.w {
		t.lines = append(t.lines, append(append(head, span{"  ", Text}), became...))
	} else {
		t.lines = append(t.lines, head, append(line{{"  ", Text}}, became...))
	}
	if m.Reason != "" {
		t.wrapped("  ", "  ", m.Reason, Strong)
	}
	if m.Message != m.Reason {
		t.wrapped("  ", "  ", OneLine(m.Message), Text)
	}
	switch {
	case m.Before.IsZero():
		t.wrapped("  ", "  ", "It was seen for the first time.", Dim)
	case m.Object == nil:
		t.wrapped("  ", "  ", "What it was is not remembered.", Dim)
	case len(m.Changed) == 0:
		t.wrapped("  ", "  ", "No field had changed since "+t.look.clock(m.Before)+"; time alone did it, or something below it.", Dim)
	default:
		t.wrapped("  ", "  ", "changed since "+t.look.clock(m.Before)+":", Dim)
	}
	t.fields(m.Changed)
	t.gap()
}

// fields lists an object's changed fields.
func (t *text) fields(changed []explain.Change) {
	for _, c := range changed {
		l := line{{"  " + c.Path + "  ", Dim}, {c.Before, Dim}, {" " + t.g.Right + " ", Faint}, {c.After, Strong}}
		if l.width() <= t.w {
			t.lines = append(t.lines, l)
			continue
		}
		t.add(span{"  " + c.Path, Dim})
		t.wrapped("    ", "      ", c.Before, Dim)
		t.wrapped("  "+t.g.Right+" ", "      ", c.After, Strong)
	}
}

// comparison lists the differences between the marked and the chosen entry.
func (t *text) comparison() {
	c, ok := t.s.Comparison()
	if !ok {
		return
	}
	to := "now"
	if !c.To.IsZero() {
		to = t.look.clock(c.To)
	}
	from := "now"
	if !c.From.IsZero() {
		from = t.look.clock(c.From)
	}
	if from == to && !c.From.Equal(c.To) && !c.From.IsZero() && !c.To.IsZero() {
		const fine = "15:04:05.000"
		from, to = c.From.In(t.look.zone()).Format(fine), c.To.In(t.look.zone()).Format(fine)
	}
	t.heading("COMPARED " + from + " " + t.g.Right + " " + to)
	if len(c.Objects) == 0 {
		t.wrapped("  ", "  ", "Nothing differs.", Dim)
	}
	for _, o := range c.Objects {
		l := line{{"  " + t.shortID(o.ID, t.w/2), Strong}, {"  ", Text}}
		switch {
		case o.Before == "":
			l = append(l, span{"new ", Dim}, statusSpan(orUnknown(o.After), t.g))
		case o.Before != o.After:
			l = append(l, statusSpan(o.Before, t.g), span{" " + t.g.Right + " ", Faint}, statusSpan(orUnknown(o.After), t.g))
		default:
			l = append(l, statusSpan(o.After, t.g))
		}
		t.lines = append(t.lines, l)
		in := &text{drawing: t.drawing, w: t.w - 2}
		in.fields(o.Changed)
		for _, l := range in.lines {
			t.lines = append(t.lines, append(line{{"  ", Text}}, l...))
		}
	}
	t.gap()
}

// maxLanes bounds the lanes; the list below has all objects.
const maxLanes = 12

// lanes draws a line for each object from when it was first seen until now,
// with a mark at each change; the objects with most problems first.
func (t *text) lanes(all []world.Transition, everyOne bool) {
	var ids []object.ID
	by := map[object.ID][]world.Transition{}
	for _, tr := range all {
		if by[tr.ID] == nil {
			ids = append(ids, tr.ID)
		}
		by[tr.ID] = append(by[tr.ID], tr)
	}
	more := 0
	if len(ids) > maxLanes && !everyOne {
		worst := func(id object.ID) int {
			n := 0
			for _, tr := range by[id] {
				if tr.To == status.Failed {
					n++
				}
			}
			return n
		}
		slices.SortStableFunc(ids, func(a, b object.ID) int { return worst(b) - worst(a) })
		more = len(ids) - maxLanes
		ids = ids[:maxLanes]
	}
	nameW := 0
	for _, id := range ids {
		nameW = max(nameW, width(t.shortID(id, t.w*9/20)))
	}
	laneW := t.w - nameW - 2
	if laneW < 12 {
		return
	}
	start, end := t.s.Options().Now, t.s.Now()
	if first := all[0].At; first.Before(start) {
		start = first
	}
	if !end.After(start) {
		end = start.Add(time.Second)
	}
	span0 := end.Sub(start)
	at := func(when time.Time) int {
		return min(max(int(int64(laneW-2)*int64(when.Sub(start))/int64(span0)), 0), laneW-2)
	}
	t.lines = append(t.lines, t.scale(start, end, nameW+2, laneW))
	for _, id := range ids {
		cells := make([]span, laneW)
		for i := range cells {
			cells[i] = span{" ", Faint}
		}
		trs := by[id]
		for i, tr := range trs {
			from, to := at(tr.At), laneW-1
			if i+1 < len(trs) {
				to = at(trs[i+1].At)
			}
			tok := statusToken(tr.To)
			if world.Ends(tr) {
				for x := from; x < to; x++ {
					cells[x] = span{" ", Faint}
				}
				text, begin := t.g.LaneStop, from
				word := endWord(tr)
				if from+2+width(word) <= to {
					text += " " + word
				} else if before := from - 2 - width(word); before > at(trs[0].At) {
					text, begin = " "+word+" "+text, before
				}
				for k, r := range []rune(text) {
					cells[begin+k] = span{string(r), tok}
				}
				continue
			}
			begins := i == 0 || trs[i-1].To != tr.To
			for x := from; x < to; x++ {
				// The sign of the change stays when only the reason changes
				// after it.
				if begins || x > from || cells[x].text == " " {
					cells[x] = span{t.g.Lane, tok}
				}
			}
			if begins {
				cells[from] = span{t.g.Of(tr.To), tok}
			}
		}
		if last := trs[len(trs)-1]; !world.Ends(last) {
			cells[laneW-1] = span{t.g.LaneEnd, statusToken(last.To)}
		}
		l := line{{pad(t.shortID(id, nameW), nameW) + "  ", Text}}
		t.lines = append(t.lines, append(l, joined(cells)...))
	}
	if more > 0 {
		t.add(span{"and " + count(more, "more object"), Dim})
	}
}

// endWord says why a lane ends.
func endWord(t world.Transition) string {
	switch t.Reason {
	case world.ReasonPruned:
		return "pruned"
	case world.ReasonNotFollowed:
		return "not followed"
	}
	return "deleted"
}

// joined joins adjacent spans with one token.
func joined(cells []span) line {
	var l line
	for _, c := range cells {
		if n := len(l); n > 0 && l[n-1].token == c.token {
			l[n-1].text += c.text
			continue
		}
		l = append(l, c)
	}
	return l
}

// scale is the line of times above the lanes.
func (t *text) scale(start, end time.Time, indent, w int) line {
	total := end.Sub(start)
	step := time.Second
	for _, s := range []time.Duration{time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour} {
		step = s
		if int(total/s)*10 <= w {
			break
		}
	}
	row := []byte(strings.Repeat(" ", w))
	free := 0
	for when := start.Truncate(step).Add(step); when.Before(end); when = when.Add(step) {
		x := int(int64(w-2) * int64(when.Sub(start)) / int64(total))
		label := t.look.clock(when)
		if step >= time.Minute {
			label = label[:5]
		}
		if x >= free && x+len(label) <= w {
			copy(row[x:], label)
			free = x + len(label) + 2
		}
	}
	return line{{strings.Repeat(" ", indent), Text}, {string(row), Dim}}
}

// wordsFrom is the width from which a change has the word of its status beside
// its reason.
const wordsFrom = 72

// changes lists the changes, newest first.
func (t *text) changes(all []world.Transition) {
	nameW := 0
	for _, tr := range all {
		nameW = max(nameW, width(t.shortID(tr.ID, t.w*9/20)))
	}
	then, past := t.s.Moment()
	runs := alternations(all)
	for i, tr := range slices.Backward(all) {
		run := runs[i]
		if run != nil && past && slices.ContainsFunc(run.places, func(k int) bool { return all[k] == then.Transition }) {
			run = nil
		}
		if run != nil && i != run.newest() {
			continue
		}
		var l line
		tok, became, gap := Dim, statusSpan(tr.To, t.g), "  "
		if t.w < wordsFrom {
			became.text, gap = t.g.Of(tr.To), " " // use the words for the reason
		}
		switch {
		case past && tr == then.Transition:
			tok = Accent
			l = line{{t.g.Selected, Accent}, {" ", Text}}
		case past:
			l = plain("  ")
		}
		l = append(
			l,
			span{t.look.clock(tr.At), tok},
			span{"  " + pad(t.shortID(tr.ID, nameW), nameW) + "  ", Text},
			became,
		)
		if tr.Reason != "" {
			l = append(l, span{gap + tr.Reason, Strong})
		}
		if run != nil {
			l = append(l, span{"/" + run.other(tr.Reason) + " " + t.g.Times + strconv.Itoa(len(run.places)), Strong})
		}
		if tr.Message != "" && tr.Message != tr.Reason {
			if tr.Reason != "" {
				gap = "  "
			}
			l = append(l, span{gap + OneLine(tr.Message), Dim})
		}
		if t.w < wordsFrom && tr.Reason == "" && tr.Message == "" {
			l = append(l, span{" " + string(tr.To), statusToken(tr.To)})
		}
		t.lines = append(t.lines, l)
	}
}

// alternation is a run of changes of one object between two reasons, such as
// ErrImagePull and ImagePullBackOff.
type alternation struct {
	places   []int // indexes in the list of changes
	reasons  [2]string
	switches int
}

func (a *alternation) other(reason string) string {
	if reason == a.reasons[0] {
		return a.reasons[1]
	}
	return a.reasons[0]
}

func (a *alternation) newest() int { return a.places[len(a.places)-1] }

// alternations maps indexes of changes to the alternation that they belong to.
func alternations(all []world.Transition) map[int]*alternation {
	at := map[int]*alternation{}
	last := map[object.ID]*alternation{}
	for i, tr := range all {
		run := last[tr.ID]
		switch {
		case run == nil || all[run.newest()].To != tr.To:
			run = &alternation{reasons: [2]string{tr.Reason}}
		case all[run.newest()].Reason == tr.Reason:
		case run.reasons[1] == "" || run.other(all[run.newest()].Reason) == tr.Reason:
			run.reasons = [2]string{all[run.newest()].Reason, tr.Reason}
			run.switches++
		case run.switches < 2: // one change and back is no alternation yet
			before := run.newest()
			run = &alternation{places: []int{before}, reasons: [2]string{all[before].Reason, tr.Reason}, switches: 1}
			at[before] = run
		default:
			run = &alternation{reasons: [2]string{tr.Reason}}
		}
		run.places = append(run.places, i)
		last[tr.ID], at[i] = run, run
	}
	for i, run := range at {
		if run.switches < 2 {
			delete(at, i)
		}
	}
	return at
}
