package model

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const (
	// logLength is how many lines of a log are held.
	logLength = 20000
	// logSpare is the room that must be left to read on while the log is not
	// followed: lines on the screen are not dropped.
	logSpare = 2000
	// logRetry is the delay before a failed log is read again.
	logRetry = 2 * time.Second
	// maxMerged bounds the Pods whose logs are merged.
	maxMerged = 24
)

// logState is the state of the logs pane.
type logState struct {
	gen       uint64
	of        object.ID // the selected object when the streams were chosen
	chosen    bool      // the user chose Pods, container or instance
	merged    bool      // several Pods
	container string    // the container chosen for all Pods; "" for each Pod's default
	instance  bool      // the user chose the previous instance
	previous  bool
	pods      int    // if merged: number of Pods
	structure uint64 // if merged: the world's Structure at that time
	open      bool   // streams are being read
	streams   []logStream
	lines     *world.Ring[LogRow]
	number    uint64 // of the newest line
	missed    int
	follow    bool
	// containers are the containers to choose from.
	containers []string
	restarts   int64 // of the container, when its stream was chosen
	none       string
}

// logStream is one container's log.
type logStream struct {
	key     feed.LogKey
	reading bool // a request is under way
	cursor  uint64
	ended   bool
	err     error
	failed  time.Time // when err arrived: the log is read again after logRetry
}

// LogStamps is the format of log lines' times.
type LogStamps uint8

// The formats.
const (
	StampClock LogStamps = iota // the time of day
	StampExact                  // with date and milliseconds
	StampNone
	stampWays
)

// loadLogs chooses the logs pane's streams and reads them.
func (m Model) loadLogs(n *world.Node) (Model, tea.Cmd) {
	if m.logs.of != *n.ID || !m.logs.chosen && (!m.logs.open || m.outlived()) {
		if m.logs.of != *n.ID {
			m.logLeft = 0
		}
		m = m.chooseLog(n)
	} else if m.logs.merged && m.logs.structure != m.seen().Structure {
		m = m.joinLogs(n)
	}
	if !m.logs.open || m.frozen != nil && m.logs.lines.Len() > 0 || m.logHeld() {
		return m, nil
	}
	var cmds []tea.Cmd
	for i := range m.logs.streams {
		if s := &m.logs.streams[i]; !s.reading && !s.ended && m.w.Now.Sub(s.failed) >= logRetry {
			s.reading = true
			cmds = append(cmds, m.ask.readLogs(s.key, s.cursor, m.logs.gen))
		}
	}
	return m, tea.Batch(cmds...)
}

// logHeld reports whether reading pauses until the user scrolls to the end.
func (m Model) logHeld() bool {
	return !m.logs.follow && m.logs.lines.Len()+logSpare > logLength
}

// outlived reports whether the container has restarted since its previous
// instance was chosen automatically: then the newer one's log is wanted.
func (m Model) outlived() bool {
	if m.logs.merged || len(m.logs.streams) == 0 {
		return false
	}
	key := m.logs.streams[0].key
	n := m.seen().Nodes[key.Pod]
	return key.Previous && n != nil && n.Object != nil && restarts(n.Object.Pod, key.Container) > m.logs.restarts
}

func restarts(p *object.Pod, container string) int64 {
	if p != nil {
		for i := range p.Containers {
			if p.Containers[i].Name == container {
				return p.Containers[i].Restarts
			}
		}
	}
	return 0
}

func (m Model) logsArrived(msg LogsArrived) Model {
	if msg.Gen != m.logs.gen || !m.logs.open {
		return m
	}
	from := slices.IndexFunc(m.logs.streams, func(s logStream) bool { return s.key == msg.Key })
	if from < 0 {
		return m
	}
	s := &m.logs.streams[from]
	s.reading = false
	s.err, s.failed = msg.Err, time.Time{}
	if msg.Err != nil {
		s.ended, s.failed = msg.Chunk.Ended, m.w.Now
		return m
	}
	s.cursor, s.ended = msg.Chunk.Cursor, msg.Chunk.Ended
	m.logs.missed += msg.Chunk.Missed
	m.logs.take(msg.Chunk.Lines, from)
	return m
}

// take adds lines of one stream. Merged streams are sorted by time; a line
// without a time stays with the previous one.
func (l *logState) take(lines []feed.LogLine, from int) {
	if len(lines) == 0 {
		return
	}
	behind := 0 // number of existing lines that are newer
	if first := lines[0].At; l.merged && !first.IsZero() {
		for n := l.lines.Len(); behind < n && l.lines.At(n-1-behind).At.After(first); {
			behind++
		}
	}
	for _, line := range lines {
		l.number++
		l.lines.Push(LogRow{LogLine: line, From: from, No: l.number})
	}
	if behind == 0 {
		return
	}
	n := min(behind+len(lines), l.lines.Len())
	tail := make([]LogRow, n)
	begin := l.lines.Len() - n
	for i := range tail {
		tail[i] = l.lines.At(begin + i)
	}
	slices.SortStableFunc(tail, func(a, b LogRow) int {
		if a.From == b.From {
			return 0 // keep a stream's own order
		}
		return a.At.Compare(b.At)
	})
	for i := range tail {
		l.lines.Set(begin+i, tail[i])
	}
}

// chooseLog selects the streams for n. Of a Pod it is the failing container,
// and its previous instance if the present one has no output. Of an object with
// several Pods it is the blocking Pod, or all of them if none blocks.
func (m Model) chooseLog(n *world.Node) Model {
	l := logState{gen: m.logs.gen + 1, of: *n.ID, follow: true}
	pods := m.podsOf(n)
	if len(pods) == 0 {
		l.none = "no pod below " + n.ID.String()
		if refused := m.seen().ChildRefusals(n); n.Object == nil {
			l.none = n.Assess.Message
		} else if len(refused) > 0 {
			l.none = strings.Join(refused, "; ")
		} else if n.Wanted != 0 && !m.answered() {
			l.none = "looking for the pods of " + n.ID.String()
		}
		m.logs = l
		return m
	}
	lead := n.Lead.Node
	blamed := lead != nil && lead.Object != nil && lead.Object.Pod != nil && lead.Assess.Status != status.Current
	if worst := pods[0]; !blamed && worst.Assess.Status == status.Failed {
		lead, blamed = worst, true
	}
	l.merged = len(pods) > 1 && !blamed
	if blamed {
		pods = slices.Insert(slices.DeleteFunc(pods, func(p *world.Node) bool { return p == lead }), 0, lead)
	}
	m.logs = l
	return m.openLogs(pods)
}

// openLogs reads the logs of Pods, worst first, from their beginning: of all if
// merged, otherwise of the first.
func (m Model) openLogs(pods []*world.Node) Model {
	l := &m.logs
	l.gen++
	l.open, l.none, l.missed = false, "", 0
	l.streams, l.containers, l.lines = nil, nil, &world.Ring[LogRow]{Limit: logLength}
	l.pods, l.structure = len(pods), m.seen().Structure
	shown := pods[:1]
	if l.merged {
		shown = pods[:min(len(pods), maxMerged)]
	}
	for _, p := range shown {
		l.join(p)
	}
	m.wants.dirty = true
	if l.open = len(l.streams) > 0; !l.open {
		l.none = "no container of " + pods[0].ID.String() + " is known"
	} else if !l.merged {
		l.restarts = restarts(pods[0].Object.Pod, l.streams[0].key.Container)
	}
	return m
}

// join adds a Pod's log.
func (l *logState) join(p *world.Node) {
	for i := range p.Object.Pod.Containers {
		if name := p.Object.Pod.Containers[i].Name; !slices.Contains(l.containers, name) {
			l.containers = append(l.containers, name)
		}
	}
	container, previous := failingContainer(p.Object.Pod)
	if l.container != "" {
		container, previous = l.container, false
		if !slices.ContainsFunc(p.Object.Pod.Containers, func(c object.Container) bool { return c.Name == container }) {
			return
		}
	}
	if l.instance {
		previous = l.previous
	}
	if container != "" {
		l.streams = append(l.streams, logStream{key: feed.LogKey{Pod: *p.ID, Container: container, Previous: previous}})
	}
}

// joinLogs adds new Pods. Ended ones make room.
func (m Model) joinLogs(n *world.Node) Model {
	pods := m.podsOf(n)
	m.logs.pods, m.logs.structure = len(pods), m.seen().Structure
	reading := 0
	for i := range m.logs.streams {
		if !m.logs.streams[i].ended {
			reading++
		}
	}
	for _, p := range pods {
		known := slices.ContainsFunc(m.logs.streams, func(s logStream) bool { return s.key.Pod == *p.ID })
		if known || reading >= maxMerged {
			continue
		}
		if before := len(m.logs.streams); before < 8*maxMerged {
			m.logs.join(p)
			reading += len(m.logs.streams) - before
			m.wants.dirty = true
		}
	}
	return m
}

// reopenLogs reads the logs of the user's choice.
func (m Model) reopenLogs() Model {
	n := m.seenNode()
	if n == nil || !m.logs.open {
		return m
	}
	pods := m.podsOf(n)
	if !m.logs.merged && len(m.logs.streams) > 0 {
		if p := m.seen().Nodes[m.logs.streams[0].key.Pod]; p != nil && p.Object != nil && p.Object.Pod != nil {
			pods = slices.Insert(slices.DeleteFunc(pods, func(x *world.Node) bool { return x == p }), 0, p)
		}
	}
	if len(pods) == 0 {
		return m
	}
	m.logs.chosen, m.logs.follow = true, true
	return m.openLogs(pods)
}

func (m Model) togglePrevious() Model {
	if len(m.logs.streams) == 0 {
		return m
	}
	m.logs.previous, m.logs.instance = !m.logs.streams[0].key.Previous, true
	if !m.logs.merged && m.logs.container == "" {
		m.logs.container = m.logs.streams[0].key.Container
	}
	return m.reopenLogs()
}

func (m Model) nextContainer() Model {
	if len(m.logs.containers) < 2 || len(m.logs.streams) == 0 {
		return m
	}
	now := cmp.Or(m.logs.container, m.logs.streams[0].key.Container)
	m.logs.container, m.logs.previous = after(m.logs.containers, now), false
	m.logs.instance = true
	return m.reopenLogs()
}

// toggleMerged switches between the logs of all Pods below the selected object
// and that of the failing one.
func (m Model) toggleMerged() Model {
	n := m.seenNode()
	if n == nil || !m.logs.open {
		return m
	}
	if !m.logs.merged && len(m.podsOf(n)) < 2 {
		return m.say(n.ID.String() + " has one pod")
	}
	merged := !m.logs.merged
	m.logs = logState{gen: m.logs.gen, of: *n.ID, merged: merged, open: true}
	return m.reopenLogs()
}

// asideBy is how many cells a key scrolls unwrapped lines.
const asideBy = 16

// aside scrolls unwrapped lines horizontally.
func (m Model) aside(by int) Model {
	if m.wrap {
		return m.say("long lines are wrapped (w)")
	}
	longest := 0
	for i := range m.logs.lines.Len() {
		longest = max(longest, len(m.logs.lines.At(i).Text))
	}
	m.logLeft = max(min(m.logLeft+by*asideBy, longest-asideBy), 0)
	return m
}

// saveLogs writes the lines in memory to a file.
func (m Model) saveLogs() (Model, tea.Cmd) {
	if m.logs.lines == nil || m.logs.lines.Len() == 0 {
		return m.say("there are no lines to save"), nil
	}
	var b strings.Builder
	name := m.logs.streams[0].key.Pod.Name + "-" + m.logs.streams[0].key.Container
	if m.logs.merged {
		name = strings.ToLower(m.logs.of.Kind) + "-" + m.logs.of.Name
	}
	for i := range m.logs.lines.Len() {
		row := m.logs.lines.At(i)
		if m.logs.merged {
			key := m.logs.streams[row.From].key
			b.WriteString(key.Pod.Name + "/" + key.Container + " ")
		}
		if !row.At.IsZero() {
			b.WriteString(row.At.UTC().Format("2006-01-02T15:04:05.000Z07:00 "))
		}
		b.WriteString(row.Text)
		b.WriteByte('\n')
	}
	return m.say("saving "+strconv.Itoa(m.logs.lines.Len())+" lines").save(name+".log", b.String())
}

// podsOf returns the Pods of n, those with problems first: n itself, its
// descendants, and the endpoints of a Service, which are below their owners.
func (m Model) podsOf(n *world.Node) []*world.Node {
	var out []*world.Node
	seen := map[*world.Node]bool{}
	add := func(p *world.Node) {
		if p != nil && p.Object != nil && p.Object.Pod != nil && !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	world.Walk(n, func(k *world.Node) bool {
		add(k)
		if k.Object != nil && k.Object.Endpoints != nil {
			for i := range k.Object.Endpoints.Endpoints {
				add(m.seen().Nodes[k.Object.Endpoints.Endpoints[i].Target])
			}
		}
		return true
	})
	slices.SortStableFunc(out, func(a, b *world.Node) int { return cmp.Or(cmp.Compare(a.Rank(), b.Rank()), world.ByID(a, b)) })
	return out
}

// failingContainer is the first container with a problem, otherwise the first
// main container.
func failingContainer(p *object.Pod) (name string, previous bool) {
	for i := range p.Containers {
		c := &p.Containers[i]
		switch {
		case c.State.Kind == "waiting" && c.State.Reason == "CrashLoopBackOff":
			return c.Name, true
		case c.State.Kind == "terminated" && c.State.ExitCode != 0,
			c.State.Kind == "running" && !c.Ready && c.Restarts > 0:
			return c.Name, false
		}
	}
	for i := range p.Containers {
		if c := &p.Containers[i]; c.Kind != object.EphemeralContainer && c.State.Kind == "running" && !c.Ready {
			return c.Name, false
		}
	}
	for i := range p.Containers {
		if p.Containers[i].Kind == object.MainContainer {
			return p.Containers[i].Name, false
		}
	}
	return "", false
}

// Logs is the state of the logs pane.
func (m Model) Logs() LogView {
	v := LogView{
		Merged: m.logs.merged, Of: m.logs.of, Pods: m.logs.pods, Containers: m.logs.containers, Missed: m.logs.missed,
		Follow: m.logs.follow, Stamps: m.stamps, None: m.logs.none, Ended: m.logs.open,
	}
	if m.logs.lines != nil {
		v.Lines = m.logs.lines.Len()
		v.Lost, v.Newest = m.logs.lines.Lost, m.logs.number
		v.Held = m.logs.open && m.logHeld()
	}
	for i := range m.logs.streams {
		s := &m.logs.streams[i]
		v.Streams = append(v.Streams, LogStream{Key: s.key, Ended: s.ended, Err: s.err})
		v.Ended = v.Ended && s.ended
	}
	if len(v.Streams) > 0 {
		v.Key = v.Streams[0].Key
		v.Err = v.Streams[0].Err
	}
	v.Loading = m.logs.open && v.Lines == 0 && !v.Ended && v.Err == nil
	return v
}

// LogRow is line i of the lines in memory, 0 ≤ i < LogView.Lines.
func (m Model) LogRow(i int) LogRow {
	if m.logs.lines == nil || i < 0 || i >= m.logs.lines.Len() {
		return LogRow{}
	}
	return m.logs.lines.At(i)
}
