package panes

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The actions of the pane.
const (
	Previous   Action = "previous-instance"
	NextCont   Action = "container"
	AllPods    Action = "all-pods"
	logsLeft   Action = "logs-left"
	logsRight  Action = "logs-right"
	timestamps Action = "timestamps"
	saveLines  Action = "save"
)

// Logs is the pane with the logs of the selected object's Pods.
type Logs struct {
	Pane logs.Pane

	on   Selection
	memo Memo
}

// Title names the pane.
func (*Logs) Title() Title {
	return Title{Name: "Logs", Short: "Logs", Does: "logs", Show: "logs", Keys: []string{"4", "l"}}
}

// Keys are the pane's keys.
func (l *Logs) Keys() []Key {
	keys := []Key{
		{Action: logsLeft, Does: "back to the left, where lines are not wrapped", Keys: []string{"left"}},
		{Action: logsRight, Does: "more of long lines, where they are not wrapped", Keys: []string{"right"}},
		{
			Action: Previous, Does: "previous instance, or present instance",
			Label: "previous instance", Keys: []string{"p"},
		},
		{
			Action: NextCont, Does: "next container, after the last all of them together",
			Label: "next container", Keys: []string{"v"},
		},
		{
			Action: AllPods, Does: "all pods together, or one that fails",
			Label: "all pods together", Keys: []string{"M"},
		},
		{Action: timestamps, Does: "times of day, exact times, or none", Keys: []string{"i"}},
		{Action: saveLines, Does: "save the lines to a file", Keys: []string{"s"}},
	}
	if !l.Pane.Open() {
		for i := range keys {
			keys[i].Label = ""
		}
		return keys
	}
	switch {
	case l.Pane.Shown().Key.Previous:
		keys[2].Label = "present instance"
	case !l.Pane.HasPrevious():
		keys[2].Label = ""
	}
	if len(l.Pane.Containers) < 2 { // the footer names keys that do something
		keys[3].Label = ""
	}
	if l.Pane.Merged {
		keys[4].Label = "one that fails"
	} else if !l.Pane.CanMerge() {
		keys[4].Label = ""
	}
	return keys
}

// Load reads the logs while the pane is open.
func (l *Logs) Load(on Selection) (cmd tea.Cmd) {
	l.on = on
	switch {
	case on.Node != nil && on.Open:
		l.Pane.Choose(on.World, on.Node, on.Answered)
		if on.Frozen && len(l.Pane.Lines) > 0 {
			break
		}
		for _, s := range l.Pane.Due(on.Ask.Clock()) {
			cmd = tea.Batch(cmd, on.Ask.Logs(s.Key, s.Cursor, l.Pane.Gen))
		}
	case l.Pane.Open():
		l.Pane.Close()
	}
	return cmd
}

// Update takes in lines, and chooses which logs are read and how they are shown.
func (l *Logs) Update(msg tea.Msg) (string, tea.Cmd) {
	switch msg := msg.(type) {
	case Forget:
		l.Pane.Close()
	case logs.Arrived:
		l.Pane.Take(msg, l.on.Ask.Clock())
	case Action:
		switch msg {
		case logsLeft:
			return l.scrollSideways(-1), nil
		case logsRight:
			return l.scrollSideways(1), nil
		case Previous:
			return l.Pane.TogglePrevious(), nil
		case NextCont:
			return l.Pane.NextContainer(), nil
		case AllPods:
			return l.Pane.ToggleMerged(), nil
		case timestamps:
			return l.Pane.NextStamps(), nil
		case saveLines:
			return l.save()
		}
	}
	return "", nil
}

// scrollSideways scrolls the lines sideways, if they are not wrapped.
func (l *Logs) scrollSideways(by int) string {
	if l.on.Wrap {
		return "long lines are wrapped (w)"
	}
	return l.Pane.ScrollSideways(by, ansi.StringWidth)
}

// save writes the lines in memory to a file.
func (l *Logs) save() (string, tea.Cmd) {
	name, text := l.Pane.File()
	if text == "" {
		return "there are no lines to save", nil
	}
	return "saving " + strconv.Itoa(len(l.Pane.Lines)) + " lines", l.on.Ask.Save(name, text)
}

// Content is the logs.
func (l *Logs) Content(p *Page) Content { return p.Logs(l.Pane.Shown(), &l.memo) }

// Logs writes a line or two about the log, then its lines.
func (t *Page) Logs(v logs.View, memo *Memo) Content {
	head := t.Blank()
	if len(v.Streams) == 0 {
		head.Wrapped("", "", cmp.Or(v.None, "There is no log to show here."), markup.Dim)
		return Content{Head: head.lines}
	}
	head.logHead(&v)
	l := &logText{p: t, v: &v, stamps: v.Stamps, memo: cmp.Or(memo, &Memo{})}
	l.prefixes = l.prefixesOf()
	return l.content(head.lines)
}

// logHead describes the log and the state of reading it.
func (t *Page) logHead(v *logs.View) {
	var right markup.Line
	switch {
	case v.Ended:
		right = markup.Styled("ended", markup.Dim)
	case v.Held:
		right = markup.Styled("waiting, G continues", markup.Stuck)
	case v.Err != nil && !v.Several() && !t.Replay: // a recording has no more
		right = markup.Styled("trying again", markup.Dim)
	case v.Err != nil:
	case v.Key.Previous && !v.Several(): // it gets no further lines
	case !t.mayWrite(v):
		if len(v.Lines) > 0 {
			right = markup.Styled("ended", markup.Dim)
		}
	case v.Follow && t.Stands:
		right = markup.Styled("paused with the recording", markup.Dim)
	case v.Follow:
		right = markup.Line{markup.OK.Of(markup.Live), markup.Dim.Of(" following")}
	default:
		right = markup.Styled("G follows", markup.Dim)
	}
	if left := v.Left; left > 0 && !t.Wrap {
		right = append(markup.Styled(fmt.Sprintf("from column %d  ", left+1), markup.Stuck), right...)
	}
	mark := markup.Line(nil)
	if v.Key.Previous {
		mark = markup.Styled("  previous instance", markup.Stuck)
	}
	// Which instance it is must be seen however long the names are.
	of, container := v.Key.Pod, markup.Text.Of(" "+markup.Crumb+" "+v.Key.Container)
	if v.AllContainers {
		container.Text = " " + markup.Crumb + " all containers"
	}
	room := t.W - mark.Width() - markup.Width(container.Text)
	left := markup.Line{markup.Strong.Of(markup.TruncateMiddle(of.Name, max(8, room))), container}
	if v.Merged {
		of, container = v.Of, markup.Text.Of(fmt.Sprintf("  %d of %s", v.Read, markup.Count(v.Pods, "pod")))
		if room = t.W - mark.Width() - markup.Width(container.Text); room < leastMerged {
			room, container.Text = t.W-mark.Width(), ""
		}
		left = markup.Line{markup.Strong.Of(t.shortID(v.Of, max(8, room))), container}
	}
	if left.Width()+mark.Width() > t.W {
		left = markup.Line{markup.Strong.Of(markup.TruncateMiddle(left.String(), max(8, t.W-mark.Width())))}
	}
	left = append(left, mark...)
	// Two Pods may differ in their namespace alone. What has no room beside the name is on a
	// second line.
	var space markup.Line
	if of.Namespace != "" {
		space = markup.Styled("in "+of.Namespace, markup.Dim)
	}
	if whole := markup.Join("  ", left, space); whole.Width() <= t.W {
		left, space = whole, nil
	}
	if len(space) > 0 || left.Width()+2+right.Width() > t.W {
		t.Add(left...)
	} else {
		t.Spread(left, right)
		right = nil
	}
	containers := t.containers(v)
	if second := markup.Fitting(t.W, "  ", containers, space); len(second)+len(right) > 0 &&
		(len(containers) > 0 || !t.Tight) {
		t.Spread(second, right)
	}
	var errs []error
	for _, s := range v.Streams {
		if s.Err != nil {
			errs = append(errs, s.Err)
		}
	}
	refused := slices.ContainsFunc(errs, func(err error) bool { return feed.IsRefusal(err.Error()) })
	switch n := len(errs); {
	case len(v.Lines) == 0 && !v.Several() && !refused && t.neverStarted(v) != "":
		// also before the API has refused to read it
		t.Wrapped("", "  ", t.neverStarted(v), markup.Stuck)
	case n > 0:
		what := "the log"
		if v.Several() {
			what = markup.Count(n, "log")
		}
		why := "cannot read " + what + ": " + markup.OneLine(errs[n-1].Error())
		if t.Replay { // it was not recorded: nothing is wrong
			why = markup.OneLine(errs[n-1].Error())
		}
		t.Wrapped("", "  ", why, markup.Stuck)
	case v.Missed > 0:
		t.Add(markup.Stuck.Of(
			fmt.Sprintf("%s %s came too fast to be kept", markup.Stalled, markup.Count(v.Missed, "line"))))
	case v.None != "":
		t.Wrapped("", "", v.None, markup.Dim)
	case len(v.Lines) == 0 && v.Loading:
		t.Add(markup.Dim.Of("waiting for the first line"))
	case len(v.Lines) == 0:
		t.Add(markup.Dim.Of("The log is empty."))
	}
}

// leastMerged is the least width of a workload's name beside the number of its Pods.
const leastMerged = 16

// containers are the names of a log's containers, if there are several.
func (t *Page) containers(v *logs.View) (l markup.Line) {
	if len(v.Containers) < 2 {
		return nil
	}
	l = markup.Styled("containers:", markup.Dim)
	for _, name := range v.Containers {
		tok := markup.Dim
		if name == v.Key.Container || v.AllContainers {
			tok = markup.Strong
		}
		l = append(l, markup.Text.Of(" "), tok.Of(name))
	}
	return l
}

// mayWrite reports whether one of the containers runs. A recording may not hold that a log has
// ended, and a container that waits for its next start writes nothing.
func (t *Page) mayWrite(v *logs.View) bool {
	for i := range v.Streams {
		s := &v.Streams[i]
		r, ok := t.Facts.Resource(s.Key.Pod)
		if s.Ended || s.Key.Previous || !ok || r.Object == nil || r.Object.Pod == nil {
			continue
		}
		for j := range r.Object.Pod.Containers {
			if c := &r.Object.Pod.Containers[j]; c.Name == s.Key.Container && c.State.Kind == "running" {
				return true
			}
		}
	}
	return false
}

// neverStarted says why a container that has not started yet has no log. A refusal
// to read logs is said before it: it holds for the next container too.
func (t *Page) neverStarted(v *logs.View) string {
	r, ok := t.Facts.Resource(v.Key.Pod)
	if !ok || r.Object == nil || r.Object.Pod == nil {
		return ""
	}
	for i := range r.Object.Pod.Containers {
		c := &r.Object.Pod.Containers[i]
		if c.Name == v.Key.Container && c.State.Kind == "waiting" && c.Restarts == 0 && c.Last().Kind == "" {
			why := strings.TrimSuffix(c.State.Reason+": "+markup.OneLine(c.State.Message), ": ")
			for _, cause := range t.Facts.CausesOf(v.Key.Pod) {
				if cause.Subject.Container == c.Name && cause.Healed.IsZero() {
					why = markup.OneLine(cause.Title) + " (" + c.State.Reason + ")"
					break
				}
			}
			return "container " + c.Name + " has not started: " + why
		}
	}
	return ""
}

// The least width of a Pod's name before a line: what differs from its siblings'. And the greatest
// of a container's.
const (
	leastLogPod     = 6
	maxLogContainer = 12
)

// prefixTokens are the colours of the prefixes, taken in turn.
var prefixTokens = []markup.Token{markup.Accent, markup.Going, markup.OK, markup.Busy}

// logText are a log's lines, wrapped if switched on.
type logText struct {
	p        *Page
	v        *logs.View
	stamps   logs.Stamps
	prefixes []string // by stream
	memo     *Memo
}

// prefixesOf name the lines' Pods where there are several, and their containers where all
// are read. They are of one width.
func (l *logText) prefixesOf() []string {
	if !l.v.Several() {
		return nil
	}
	out, widest := make([]string, len(l.v.Streams)), 0
	pods := l.pods()
	for i, s := range l.v.Streams {
		if l.v.Merged {
			out[i] = pods[i] + " "
		}
		if l.v.AllContainers {
			out[i] += markup.TruncateMiddle(s.Key.Container, min(maxLogContainer, max(l.p.W/6, 4))) + " "
		}
		widest = max(widest, markup.Width(out[i]))
	}
	for i := range out {
		out[i] = markup.Pad(out[i], widest)
	}
	return out
}

// pods are the streams' Pods in few cells, where lines have little room in as many as tell them
// apart. They are of one width.
func (l *logText) pods() []string {
	out := make([]string, len(l.v.Streams))
	for w := max(min(leastLogPod, l.p.W/6), l.p.W/8); ; w++ {
		of, widest, alike := map[string]object.ID{}, 0, false
		for i, s := range l.v.Streams {
			pod := s.Key.Pod
			out[i] = markup.Shorten(pod.Name, w)
			widest = max(widest, markup.Width(out[i]))
			other, ok := of[out[i]]
			alike = alike || ok && other.Name != pod.Name
			of[out[i]] = pod
		}
		if !alike || w >= l.p.W/3 {
			for i := range out {
				out[i] = markup.Pad(out[i], widest)
			}
			return out
		}
	}
}

func (l *logText) content(head []markup.Line) Content {
	c := Content{Head: head, N: len(l.v.Lines), Find: l.find, Line: func(i int) markup.Line { return l.part(i, 0) }}
	if l.p.Wrap {
		c.Starts = l.layOut()
		c.N = c.Starts[len(l.v.Lines)]
		c.Line = func(i int) markup.Line {
			no := c.Entry(i)
			return l.part(no, i-c.Starts[no])
		}
	}
	return c
}

// lead is what precedes a line: its Pod's name, its time.
func (l *logText) lead(row *logs.Line) (lead markup.Line) {
	if row.From < len(l.prefixes) {
		lead = append(lead, prefixTokens[row.From%len(prefixTokens)].Of(l.prefixes[row.From]))
	}
	switch {
	case row.Remark:
		lead = append(lead, markup.Stuck.Of(markup.Dot+" "))
	case l.stamps == logs.StampClock && !row.At.IsZero():
		lead = append(lead, markup.Dim.Of(l.p.clock(row.At)+" "))
	case l.stamps == logs.StampExact && !row.At.IsZero():
		lead = append(lead, markup.Dim.Of(row.At.In(l.p.zone()).Format(time.DateTime+".000")+" "))
	}
	return lead
}

// parts are the screen lines of a log line, and what precedes the first.
func (l *logText) parts(row *logs.Line) (lead markup.Line, parts []string) {
	lead = l.lead(row)
	room := l.p.W - lead.Width()
	if !l.p.Wrap || markup.Width(row.Text) <= room {
		return lead, []string{cutLeft(row.Text, l.v.Left)}
	}
	return lead, markup.Wrap(row.Text, max(8, room))
}

// cutLeft is text without its first cells. A mark says so, also in place of text that is
// shorter.
func cutLeft(text string, cells int) string {
	if cells == 0 || text == "" {
		return text
	}
	return markup.Ellipsis + ansi.TruncateLeft(text, cells+markup.Width(markup.Ellipsis), "")
}

// part is the k-th screen line of log line i.
func (l *logText) part(i, k int) markup.Line {
	row := &l.v.Lines[i]
	lead, parts := l.parts(row)
	tok := levelToken(row.Text)
	if row.Remark {
		tok = markup.Stuck
	}
	if k > 0 {
		lead = markup.Plain(strings.Repeat(" ", lead.Width()))
	}
	return append(lead, tok.Of(parts[k]))
}

// find lists the log lines that contain the search.
func (l *logText) find(needle string) []int {
	key := fmt.Sprint(l.layout(), needle, l.v.Newest, l.v.Lost, len(l.v.Lines))
	if l.memo.key == key {
		return l.memo.hits
	}
	var hits []int
	for i := range l.v.Lines {
		row := &l.v.Lines[i]
		if markup.HasFold(row.Text, needle) || markup.HasFold(l.lead(row).String(), needle) {
			hits = append(hits, i)
		}
	}
	l.memo.key, l.memo.hits = key, hits
	return hits
}

// Memo caches the heights of a log's wrapped lines and the hits of a search
// between drawings. It does not affect the result. It must not be used
// concurrently.
type Memo struct {
	layout string     // what a line's height depends on besides the line
	lines  []memoLine // by the lines' numbers, of which the last bits count
	key    string     // what the hits depend on
	hits   []int
}

type memoLine struct {
	no     uint64
	height int
}

func (l *logText) layout() string {
	return fmt.Sprint(l.v.Of, l.v.Key, l.v.AllContainers, l.p.W, l.stamps, len(l.prefixes))
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
