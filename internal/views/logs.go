package views

import (
	"fmt"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// logs is the logs pane: a line or two about the log, then its lines.
func (d *drawing) logs(w int) content {
	v := d.s.Logs()
	head := d.text(w)
	if len(v.Streams) == 0 {
		none := v.None
		if none == "" {
			none = "There is no log to show here."
		}
		head.wrapped("", "", none, Dim)
		return content{head: head.lines}
	}
	head.logHead(&v)
	l := &logText{drawing: d, v: &v, w: w, stamps: v.Stamps, memo: d.look.Memo}
	l.prefixes = l.prefixesOf()
	if l.memo == nil {
		l.memo = &Memo{}
	}
	if w < 60 {
		l.stamps = model.StampNone
	}
	return l.content(head.lines)
}

// logHead describes the log and the state of reading it.
func (t *text) logHead(v *model.LogView) {
	var right line
	switch {
	case v.Ended:
		right = styled("ended", Dim)
	case v.Held:
		right = styled("waiting, G goes on", Stuck)
	case v.Err != nil && !v.Merged && t.s.Playback() != nil:
		// a recording has no more
	case v.Err != nil && !v.Merged:
		right = styled("trying again", Dim)
	case v.Follow:
		right = line{{t.g.Live, OK}, {" following", Dim}}
	default:
		right = styled("G follows", Dim)
	}
	if left := t.s.Scroll().Left; left > 0 {
		right = append(styled(fmt.Sprintf("from column %d  ", left+1), Stuck), right...)
	}
	if v.Merged {
		what := count(v.Pods, "pod")
		if left := v.Pods - len(v.Streams); left > 0 {
			what = fmt.Sprintf("%d of %d pods", len(v.Streams), v.Pods)
		}
		if v.Key.Previous {
			what += ", previous instance"
		}
		t.spread(line{{t.shortID(v.Of, max(8, t.w-width(what)-2)), Strong}, {"  " + what, Text}}, right)
	} else {
		left := line{{v.Key.Pod.Name, Strong}, {" " + t.g.Crumb + " " + v.Key.Container, Text}}
		if v.Key.Previous {
			left = append(left, span{"  previous instance", Stuck})
		}
		if left.width() > t.w {
			left = line{{truncateMiddle(v.Key.Pod.Name, max(8, t.w-width(v.Key.Container)-3), t.g.Ellipsis), Strong}, {" " + t.g.Crumb + " " + v.Key.Container, Text}}
		}
		t.spread(left, right)
	}
	if len(v.Containers) > 1 {
		l := line{{"containers: ", Dim}}
		for i, name := range v.Containers {
			if i > 0 {
				l = append(l, span{" ", Text})
			}
			tok := Dim
			if name == v.Key.Container {
				tok = Strong
			}
			l = append(l, span{name, tok})
		}
		t.lines = append(t.lines, l)
	}
	failed := 0
	var err error
	for i := range v.Streams {
		if v.Streams[i].Err != nil {
			failed++
			err = v.Streams[i].Err
		}
	}
	switch {
	case failed > 0 && v.Merged:
		t.wrapped("", "  ", fmt.Sprintf("%d cannot be read: %s", failed, OneLine(err.Error())), Stuck)
	case failed > 0:
		t.wrapped("", "  ", "cannot read the log: "+OneLine(err.Error()), Stuck)
	case v.Missed > 0:
		t.add(span{fmt.Sprintf("%s %s came too fast to be kept", t.g.Stalled, count(v.Missed, "line")), Stuck})
	case v.None != "":
		t.wrapped("", "", v.None, Dim)
	case v.Lines == 0 && v.Loading:
		t.add(span{"waiting for the first line", Dim})
	case v.Lines == 0:
		t.add(span{"The log is empty.", Dim})
	}
}

// maxLogHead bounds the width of a line's prefix.
const maxLogHead = 18

// logText are a log's lines, wrapped if switched on.
type logText struct {
	*drawing
	v        *model.LogView
	w        int
	stamps   model.LogStamps
	prefixes []string // by stream
	memo     *Memo
}

// prefixesOf are the Pods' names for their lines, all of one width.
func (l *logText) prefixesOf() []string {
	v := l.v
	if !v.Merged {
		return nil
	}
	room := min(maxLogHead, l.w/6)
	// Pods' names differ after their common prefix.
	common := v.Streams[0].Key.Pod.Name
	for _, s := range v.Streams[1:] {
		for !strings.HasPrefix(s.Key.Pod.Name, common) {
			common = common[:len(common)-1]
		}
	}
	common = common[:strings.LastIndexByte(common, '-')+1]
	if len(v.Streams) == 1 {
		common = ""
	}
	out := make([]string, len(v.Streams))
	most := 0
	for i, s := range v.Streams {
		out[i] = shorten(strings.TrimPrefix(s.Key.Pod.Name, common), room, l.g.Ellipsis)
		most = max(most, width(out[i]))
	}
	for i := range out {
		out[i] = pad(out[i], most) + " "
	}
	return out
}

func (l *logText) content(head []line) content {
	c := content{head: head, n: l.v.Lines, line: l.whole}
	at := func(i int) int { return i }
	if l.s.Scroll().Wrap {
		first := l.memo.layOut(l)
		c.n, c.line = first[l.v.Lines], l.parts(first)
		at = func(i int) int { return first[i] }
	}
	c.find = func(needle string) []int { return l.memo.find(l, needle, at) }
	return c
}

// lead is what precedes a line: its Pod's name, its time.
func (l *logText) lead(row *model.LogRow) (lead line) {
	if row.From < len(l.prefixes) {
		lead = append(lead, span{l.prefixes[row.From], Accent})
	}
	switch {
	case row.Aside:
		lead = append(lead, span{l.g.Dot + " ", Stuck})
	case l.stamps == model.StampClock && !row.At.IsZero():
		lead = append(lead, span{l.look.clock(row.At) + " ", Dim})
	case l.stamps == model.StampExact && !row.At.IsZero():
		lead = append(lead, span{row.At.In(l.look.zone()).Format(time.DateTime+".000") + " ", Dim})
	}
	return lead
}

// token is the token of a line.
func (l *logText) token(row *model.LogRow) Token {
	if row.Aside {
		return Stuck
	}
	return Text
}

// whole is log line i where lines are not wrapped.
func (l *logText) whole(i int) line {
	row := l.s.LogRow(i)
	return append(l.lead(&row), span{cut(row.Text, l.s.Scroll().Left), l.token(&row)})
}

// wrapped is a log line in parts, and what precedes the first.
func (l *logText) wrapped(row *model.LogRow) (lead line, parts []string) {
	lead = l.lead(row)
	room := l.w - lead.width()
	if width(row.Text) <= room {
		return lead, []string{row.Text}
	}
	return lead, wrap(row.Text, max(8, room))
}

// parts are the screen lines of log lines that begin at first. The line drawn
// last is usually asked for its next part.
func (l *logText) parts(first []int) func(i int) line {
	at, lines := -1, []line(nil)
	return func(i int) line {
		no := search(first, i)
		if no != at {
			row := l.s.LogRow(no)
			lead, texts := l.wrapped(&row)
			at, lines = no, make([]line, len(texts))
			for k, s := range texts {
				if k > 0 {
					lead = line{{strings.Repeat(" ", lead.width()), Text}}
				}
				lines[k] = append(lead[:len(lead):len(lead)], span{s, l.token(&row)})
			}
		}
		if k := i - first[no]; k < len(lines) {
			return lines[k]
		}
		return nil
	}
}

// finds reports whether log line i contains the search.
func (l *logText) finds(i int, needle string) bool {
	row := l.s.LogRow(i)
	return hasFold(row.Text, needle) || row.From < len(l.prefixes) && hasFold(l.prefixes[row.From], needle) ||
		l.stamps != model.StampNone && strings.Contains(l.lead(&row).String(), needle)
}

// search is the index of the last element of a rising list that is not above x.
func search(list []int, x int) int {
	lo, hi := 0, len(list)-1
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if list[mid] <= x {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// Memo caches the layout of a log's lines, so that the next drawing only has to
// look at new ones. It does not affect the result. It must not be used
// concurrently.
type Memo struct {
	key    memoKey
	seen   []memoLine // a ring, by the line's number since the beginning
	first  []int      // first screen lines of the log lines in laid
	laid   memoSpan
	needle string
	hits   []int // matches within sought
	sought memoSpan
}

// memoKey is what a line's height depends on besides the line.
type memoKey struct {
	of, stream string
	w          int
	stamps     model.LogStamps
	prefixes   int
	wrapped    bool
}

// memoSpan identifies a state of a log.
type memoSpan struct {
	newest      uint64
	lost, lines int
}

type memoLine struct {
	no     uint64
	height int32
	looked bool // the needle has been searched
	found  bool
}

// slot is a line's cache entry, cleared if it held another line.
func (m *Memo) slot(place int, no uint64) *memoLine {
	s := &m.seen[place%len(m.seen)]
	if s.no != no {
		*s = memoLine{no: no}
	}
	return s
}

// room ensures an entry for each line.
func (m *Memo) room(l *logText) {
	key := memoKey{
		of: l.v.Of.String(), stream: l.v.Key.Pod.String() + " " + l.v.Key.Container,
		w: l.w, stamps: l.stamps, prefixes: len(l.prefixes), wrapped: l.s.Scroll().Wrap,
	}
	if m.key != key {
		*m = Memo{key: key}
	}
	if l.v.Lines > len(m.seen) {
		m.seen = make([]memoLine, max(1024, 2*l.v.Lines))
	}
}

// layOut returns the screen line at which each log line begins, and the total
// last.
func (m *Memo) layOut(l *logText) []int {
	m.room(l)
	now := memoSpan{l.v.Newest, l.v.Lost, l.v.Lines}
	if m.laid == now && len(m.first) > 0 {
		return m.first
	}
	m.laid, m.first = now, m.first[:0]
	sum := 0
	for i := range l.v.Lines {
		row := l.s.LogRow(i)
		s := m.slot(l.v.Lost+i, row.No)
		if s.height == 0 {
			_, parts := l.wrapped(&row)
			s.height = int32(len(parts))
		}
		m.first = append(m.first, sum)
		sum += int(s.height)
	}
	m.first = append(m.first, sum)
	return m.first
}

// find lists the screen lines of the log lines that contain the needle.
func (m *Memo) find(l *logText, needle string, at func(i int) int) []int {
	m.room(l)
	now := memoSpan{l.v.Newest, l.v.Lost, l.v.Lines}
	if m.needle != needle {
		m.needle, m.sought = needle, memoSpan{lines: -1}
		for i := range m.seen {
			m.seen[i].looked = false
		}
	}
	if m.sought == now {
		return m.hits
	}
	out := m.hits[:0]
	for i := range l.v.Lines {
		s := m.slot(l.v.Lost+i, l.s.LogRow(i).No)
		if !s.looked {
			s.looked, s.found = true, l.finds(i, needle)
		}
		if s.found {
			out = append(out, at(i))
		}
	}
	m.hits, m.sought = out, now
	return out
}

// hasFold reports whether s contains the lower-case needle, ignoring case.
func hasFold(s, needle string) bool {
	if needle == "" {
		return true
	}
	c := needle[0]
	up := c
	if 'a' <= c && c <= 'z' {
		up -= 'a' - 'A'
	}
	if c >= 0x80 {
		return strings.Contains(strings.ToLower(s), needle)
	}
	for i := 0; i+len(needle) <= len(s); i++ {
		if (s[i] == c || s[i] == up) && strings.EqualFold(s[i:i+len(needle)], needle) {
			return true
		}
	}
	return false
}
