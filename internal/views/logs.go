package views

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
)

// logs is the logs pane: a line or two about the log, then its lines.
func (d *drawing) logs(v logs.View, w int) content {
	head := d.text(w)
	if len(v.Streams) == 0 {
		head.wrapped("", "", cmp.Or(v.None, "There is no log to show here."), Dim)
		return content{head: head.lines}
	}
	head.logHead(&v)
	l := &logText{d: d, v: &v, w: w, stamps: v.Stamps, memo: cmp.Or(d.look.Memo, &Memo{})}
	l.prefixes = l.prefixesOf()
	return l.content(head.lines)
}

// logHead describes the log and the state of reading it.
func (t *text) logHead(v *logs.View) {
	var right line
	switch {
	case v.Ended:
		right = styled("ended", Dim)
	case v.Held:
		right = styled("waiting, G goes on", Stuck)
	case v.Err != nil && !v.Merged && t.d.s.Intake.Playback() == nil: // a recording has no more
		right = styled("trying again", Dim)
	case v.Err != nil:
	case v.Follow:
		right = line{{live, OK}, {" following", Dim}}
	default:
		right = styled("G follows", Dim)
	}
	if left := t.d.s.Panes.Scroll().Left; left > 0 {
		right = append(styled(fmt.Sprintf("from column %d  ", left+1), Stuck), right...)
	}
	mark := line(nil)
	if v.Key.Previous {
		mark = styled("  previous instance", Stuck)
	}
	// Which instance it is must be seen however long the names are.
	room := t.w - mark.width() - width(v.Key.Container) - 3
	name := truncateMiddle(v.Key.Pod.Name, max(8, room))
	left := line{{name, Strong}, {" " + crumb + " " + v.Key.Container, Text}}
	if v.Merged {
		what := fmt.Sprintf("%d of %s", v.Read, count(v.Pods, "pod"))
		left = line{{t.d.shortID(v.Of, max(8, t.w-width(what)-2)), Strong}, {"  " + what, Text}}
	}
	if left.width()+mark.width() > t.w {
		left = line{{truncateMiddle(left.String(), max(8, t.w-mark.width())), Strong}}
	}
	t.spread(append(left, mark...), right)
	if len(v.Containers) > 1 {
		l := styled("containers:", Dim)
		for _, name := range v.Containers {
			tok := Dim
			if name == v.Key.Container {
				tok = Strong
			}
			l = append(l, span{" ", Text}, span{name, tok})
		}
		t.add(l...)
	}
	var errs []error
	for _, s := range v.Streams {
		if s.Err != nil {
			errs = append(errs, s.Err)
		}
	}
	switch n := len(errs); {
	case n > 0 && !v.Merged && !feed.IsRefusal(errs[n-1].Error()) && t.neverStarted(v) != "":
		t.wrapped("", "  ", t.neverStarted(v), Stuck)
	case n > 0:
		what := "the log"
		if v.Merged {
			what = count(n, "log")
		}
		t.wrapped("", "  ", "cannot read "+what+": "+OneLine(errs[n-1].Error()), Stuck)
	case v.Missed > 0:
		t.add(span{fmt.Sprintf("%s %s came too fast to be kept", stalled, count(v.Missed, "line")), Stuck})
	case v.None != "":
		t.wrapped("", "", v.None, Dim)
	case len(v.Lines) == 0 && v.Loading:
		t.add(span{"waiting for the first line", Dim})
	case len(v.Lines) == 0:
		t.add(span{"The log is empty.", Dim})
	}
}

// neverStarted says why a container that has not started yet has no log. A refusal
// to read logs is said before it: it holds for the next container too.
func (t *text) neverStarted(v *logs.View) string {
	r, ok := t.d.s.Facts.Resource(v.Key.Pod)
	if !ok || r.Object == nil || r.Object.Pod == nil {
		return ""
	}
	for i := range r.Object.Pod.Containers {
		c := &r.Object.Pod.Containers[i]
		if c.Name == v.Key.Container && c.State.Kind == "waiting" && c.Restarts == 0 && c.Last().Kind == "" {
			return "container " + c.Name + " has not started: " + strings.TrimSuffix(c.State.Reason+": "+OneLine(c.State.Message), ": ")
		}
	}
	return ""
}

// maxLogHead bounds the width of a line's prefix.
const maxLogHead = 6

// logText are a log's lines, wrapped if switched on.
type logText struct {
	d        *drawing
	v        *logs.View
	w        int
	stamps   logs.Stamps
	prefixes []string // by stream
	memo     *Memo
}

// prefixesOf are the Pods' names for their lines, all of one width.
func (l *logText) prefixesOf() []string {
	if !l.v.Merged {
		return nil
	}
	out, w := make([]string, len(l.v.Streams)), min(maxLogHead, l.w/6)
	for i, s := range l.v.Streams {
		out[i] = pad(shorten(s.Key.Pod.Name, w), w) + " "
	}
	return out
}

func (l *logText) content(head []line) content {
	c := content{head: head, n: len(l.v.Lines), find: l.find, line: func(i int) line { return l.part(i, 0) }}
	if l.d.s.Panes.Scroll().Wrap {
		c.starts = l.layOut()
		c.n = c.starts[len(l.v.Lines)]
		c.line = func(i int) line {
			no := c.entry(i)
			return l.part(no, i-c.starts[no])
		}
	}
	return c
}

// lead is what precedes a line: its Pod's name, its time.
func (l *logText) lead(row *logs.Line) (lead line) {
	if row.From < len(l.prefixes) {
		lead = append(lead, span{l.prefixes[row.From], Accent})
	}
	switch {
	case row.Aside:
		lead = append(lead, span{dot + " ", Stuck})
	case l.stamps == logs.StampClock && !row.At.IsZero():
		lead = append(lead, span{l.d.look.clock(row.At) + " ", Dim})
	case l.stamps == logs.StampExact && !row.At.IsZero():
		lead = append(lead, span{row.At.In(l.d.look.zone()).Format(time.DateTime+".000") + " ", Dim})
	}
	return lead
}

// parts are the screen lines of a log line, and what precedes the first.
func (l *logText) parts(row *logs.Line) (lead line, parts []string) {
	lead = l.lead(row)
	scroll, room := l.d.s.Panes.Scroll(), l.w-lead.width()
	if !scroll.Wrap || width(row.Text) <= room {
		return lead, []string{ansi.TruncateLeft(row.Text, scroll.Left, "")}
	}
	return lead, wrap(row.Text, max(8, room))
}

// part is the k-th screen line of log line i.
func (l *logText) part(i, k int) line {
	row := &l.v.Lines[i]
	lead, parts := l.parts(row)
	tok := Text
	if row.Aside {
		tok = Stuck
	}
	if k > 0 {
		lead = plain(strings.Repeat(" ", lead.width()))
	}
	return append(lead, span{parts[k], tok})
}

// find lists the log lines that contain the search.
func (l *logText) find(needle string) []int {
	asked := fmt.Sprint(l.layout(), needle, l.v.Newest, l.v.Lost, len(l.v.Lines))
	if l.memo.asked == asked {
		return l.memo.hits
	}
	var hits []int
	for i := range l.v.Lines {
		row := &l.v.Lines[i]
		if hasFold(row.Text, needle) || hasFold(l.lead(row).String(), needle) {
			hits = append(hits, i)
		}
	}
	l.memo.asked, l.memo.hits = asked, hits
	return hits
}

// Memo caches the heights of a log's wrapped lines and the hits of a search
// between drawings. It does not affect the result. It must not be used
// concurrently.
type Memo struct {
	layout string     // what a line's height depends on besides the line
	lines  []memoLine // by the lines' numbers, of which the last bits count
	asked  string     // what the hits depend on
	hits   []int
}

type memoLine struct {
	no     uint64
	height int
}

func (l *logText) layout() string {
	return fmt.Sprint(l.v.Of, l.v.Key, l.w, l.stamps, len(l.prefixes))
}

// layOut returns the screen line at which each log line begins, and the total
// last.
func (l *logText) layOut() []int {
	m := l.memo
	if layout := l.layout(); m.layout != layout {
		m.layout, m.lines = layout, make([]memoLine, 1<<15)
	}
	starts := make([]int, 1, len(l.v.Lines)+1)
	for i := range l.v.Lines {
		row := &l.v.Lines[i]
		kept := &m.lines[row.No%uint64(len(m.lines))]
		if kept.no != row.No {
			_, parts := l.parts(row)
			*kept = memoLine{row.No, len(parts)}
		}
		starts = append(starts, starts[i]+kept.height)
	}
	return starts
}

// hasFold reports whether s contains the lower-case needle, ignoring case.
func hasFold(s, needle string) bool { return strings.Contains(strings.ToLower(s), needle) }
