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
	head := &text{w: w, g: d.g}
	if len(v.Streams) == 0 {
		none := v.None
		if none == "" {
			none = "There is no log to show here."
		}
		head.wrapped("", "", none, Dim)
		return content{head: head.lines}
	}
	d.logHead(head, &v)
	memo := d.look.Memo
	if memo == nil {
		memo = &Memo{}
	}
	return d.logLines(&v, w, memo, head.lines)
}

// logHead describes the log and the state of reading it.
func (d *drawing) logHead(head *text, v *model.LogView) {
	w := head.w
	var right line
	switch {
	case v.Ended:
		right = styled("ended", Dim)
	case v.Held:
		right = styled("waiting, G goes on", Stuck)
	case v.Err != nil && !v.Merged && d.s.Playback() != nil:
		// a recording has no more
	case v.Err != nil && !v.Merged:
		right = styled("trying again", Dim)
	case v.Follow:
		right = line{{d.g.Live, OK}, {" following", Dim}}
	default:
		right = styled("G follows", Dim)
	}
	if left := d.s.Scroll().Left; left > 0 {
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
		head.spread(line{{d.shortID(v.Of, max(8, w-width(what)-2)), Strong}, {"  " + what, Text}}, right)
	} else {
		left := line{{v.Key.Pod.Name, Strong}, {" " + d.g.Crumb + " " + v.Key.Container, Text}}
		if v.Key.Previous {
			left = append(left, span{"  previous instance", Stuck})
		}
		if left.width() > w {
			left = line{{truncateMiddle(v.Key.Pod.Name, max(8, w-width(v.Key.Container)-3), d.g.Ellipsis), Strong}, {" " + d.g.Crumb + " " + v.Key.Container, Text}}
		}
		head.spread(left, right)
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
		head.lines = append(head.lines, l)
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
		head.wrapped("", "  ", fmt.Sprintf("%d cannot be read: %s", failed, OneLine(err.Error())), Stuck)
	case failed > 0:
		head.wrapped("", "  ", "cannot read the log: "+OneLine(err.Error()), Stuck)
	case v.Missed > 0:
		head.add(span{fmt.Sprintf("%s %s came too fast to be kept", d.g.Stalled, count(v.Missed, "line")), Stuck})
	case v.None != "":
		head.wrapped("", "", v.None, Dim)
	case v.Lines == 0 && v.Loading:
		head.add(span{"waiting for the first line", Dim})
	case v.Lines == 0:
		head.add(span{"The log is empty.", Dim})
	}
}

// maxLogHead bounds the width of a line's prefix.
const maxLogHead = 18

// logPrefixes are the Pods' names for their lines, all of one width.
func (d *drawing) logPrefixes(v *model.LogView, w int) []string {
	if !v.Merged {
		return nil
	}
	room := min(maxLogHead, w/6)
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
		out[i] = shorten(strings.TrimPrefix(s.Key.Pod.Name, common), room, d.g.Ellipsis)
		most = max(most, width(out[i]))
	}
	for i := range out {
		out[i] = pad(out[i], most) + " "
	}
	return out
}

// logLines are the lines, wrapped if switched on.
func (d *drawing) logLines(v *model.LogView, w int, memo *Memo, head []line) content {
	prefixes := d.logPrefixes(v, w)
	stamps := v.Stamps
	if w < 60 {
		stamps = model.StampNone
	}
	lead := func(row *model.LogRow) line {
		var l line
		if row.From < len(prefixes) {
			l = append(l, span{prefixes[row.From], Accent})
		}
		switch {
		case row.Aside:
			return append(l, span{d.g.Dot + " ", Stuck})
		case stamps == model.StampClock && !row.At.IsZero():
			return append(l, span{d.look.clock(row.At) + " ", Dim})
		case stamps == model.StampExact && !row.At.IsZero():
			return append(l, span{row.At.In(d.look.zone()).Format(time.DateTime+".000") + " ", Dim})
		}
		return l
	}
	left := d.s.Scroll().Left
	show := func(row *model.LogRow) span {
		text := cut(row.Text, left)
		if row.Aside {
			return span{text, Stuck}
		}
		return span{text, Text}
	}
	// finds reports whether line i contains the search.
	finds := func(i int, needle string) bool {
		row := d.s.LogRow(i)
		return hasFold(row.Text, needle) || row.From < len(prefixes) && hasFold(prefixes[row.From], needle) ||
			stamps != model.StampNone && strings.Contains(lead(&row).String(), needle)
	}
	key := memoKey{w: w, stamps: stamps, prefixes: len(prefixes), wrapped: d.s.Scroll().Wrap}
	if !d.s.Scroll().Wrap {
		return content{
			head: head, n: v.Lines,
			line: func(i int) line {
				row := d.s.LogRow(i)
				return append(lead(&row), show(&row))
			},
			find: func(needle string) []int {
				return memo.find(v, d.s.LogRow, key, needle, finds, func(i int) int { return i })
			},
		}
	}
	parts := func(row *model.LogRow) (line, []string) {
		l := lead(row)
		room := w - l.width()
		if width(row.Text) <= room {
			return l, []string{row.Text}
		}
		return l, wrap(row.Text, max(8, room))
	}
	first := memo.layOut(v, d.s.LogRow, key, func(i int) int {
		row := d.s.LogRow(i)
		_, p := parts(&row)
		return len(p)
	})
	// The line drawn last is usually asked for its next part.
	at, lines := -1, []line(nil)
	return content{
		head: head, n: first[v.Lines],
		line: func(i int) line {
			no := search(first, i)
			if no != at {
				row := d.s.LogRow(no)
				l, texts := parts(&row)
				at, lines = no, make([]line, len(texts))
				for k, s := range texts {
					if k > 0 {
						l = line{{strings.Repeat(" ", l.width()), Text}}
					}
					lines[k] = append(l[:len(l):len(l)], span{s, show(&row).token})
				}
			}
			if k := i - first[no]; k < len(lines) {
				return lines[k]
			}
			return nil
		},
		find: func(needle string) []int {
			return memo.find(v, d.s.LogRow, key, needle, finds, func(i int) int { return first[i] })
		},
	}
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

// room ensures an entry for each line of the log of that key.
func (m *Memo) room(v *model.LogView, key memoKey) {
	key.of, key.stream = v.Of.String(), v.Key.Pod.String()+" "+v.Key.Container
	if m.key != key {
		*m = Memo{key: key}
	}
	if v.Lines > len(m.seen) {
		m.seen = make([]memoLine, max(1024, 2*v.Lines))
	}
}

// layOut returns the screen line at which each log line begins, and the total
// last.
func (m *Memo) layOut(v *model.LogView, row func(int) model.LogRow, key memoKey, height func(i int) int) []int {
	m.room(v, key)
	now := memoSpan{v.Newest, v.Lost, v.Lines}
	if m.laid == now && len(m.first) > 0 {
		return m.first
	}
	m.laid, m.first = now, m.first[:0]
	sum := 0
	for i := range v.Lines {
		s := m.slot(v.Lost+i, row(i).No)
		if s.height == 0 {
			s.height = int32(height(i))
		}
		m.first = append(m.first, sum)
		sum += int(s.height)
	}
	m.first = append(m.first, sum)
	return m.first
}

// find lists the lines that contain the needle.
func (m *Memo) find(v *model.LogView, row func(int) model.LogRow, key memoKey, needle string, finds func(i int, needle string) bool, at func(i int) int) []int {
	m.room(v, key)
	now := memoSpan{v.Newest, v.Lost, v.Lines}
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
	for i := range v.Lines {
		s := m.slot(v.Lost+i, row(i).No)
		if !s.looked {
			s.looked, s.found = true, finds(i, needle)
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
