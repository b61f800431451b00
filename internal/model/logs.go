package model

import (
	"cmp"
	"slices"
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

// logPane is the logs pane. left, stamps and gen outlive a choice of streams.
type logPane struct {
	*tree

	logState
	left   int // cells that unwrapped lines are scrolled by
	stamps LogStamps
}

// logState is what is read, and what has been.
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
	follow    bool // the newest lines are shown
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

// load chooses the streams and reads them.
func (l *logPane) load(n *world.Node) tea.Cmd {
	if l.of != *n.ID || !l.chosen && (!l.open || l.outlived()) {
		if l.of != *n.ID {
			l.left = 0
		}
		l.choose(n)
	} else if l.merged && l.structure != l.seen().Structure {
		l.joinNew(n)
	}
	if !l.open || l.frozen != nil && l.lines.Len() > 0 || l.waits() {
		return nil
	}
	var cmds []tea.Cmd
	for i := range l.streams {
		if s := &l.streams[i]; !s.reading && !s.ended && l.w.Now.Sub(s.failed) >= logRetry {
			s.reading = true
			cmds = append(cmds, l.ask.readLogs(s.key, s.cursor, l.gen))
		}
	}
	return tea.Batch(cmds...)
}

// waits reports whether reading pauses until the user scrolls to the end.
func (l *logPane) waits() bool {
	return !l.follow && l.lines.Len()+logSpare > logLength
}

// outlived reports whether the container has restarted since its previous
// instance was chosen automatically: then the newer one's log is wanted.
func (l *logPane) outlived() bool {
	if l.merged || len(l.streams) == 0 {
		return false
	}
	key := l.streams[0].key
	n := l.seen().Nodes[key.Pod]
	return key.Previous && n != nil && n.Object != nil && restarts(n.Object.Pod, key.Container) > l.restarts
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

func (l *logPane) arrived(msg LogsArrived) {
	if msg.Gen != l.gen || !l.open {
		return
	}
	from := slices.IndexFunc(l.streams, func(s logStream) bool { return s.key == msg.Key })
	if from < 0 {
		return
	}
	s := &l.streams[from]
	s.reading = false
	s.err, s.failed = msg.Err, time.Time{}
	if msg.Err != nil {
		s.ended, s.failed = msg.Chunk.Ended, l.w.Now
		return
	}
	s.cursor, s.ended = msg.Chunk.Cursor, msg.Chunk.Ended
	l.missed += msg.Chunk.Missed
	l.take(msg.Chunk.Lines, from)
}

// take adds lines of one stream. Merged streams are sorted by time; a line
// without a time stays with the previous one.
func (l *logPane) take(lines []feed.LogLine, from int) {
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

// close ends the streams.
func (l *logPane) close() {
	l.logState = logState{gen: l.gen + 1, follow: true}
	l.wants.dirty = true
}

// choose selects the streams for n. Of a Pod it is the failing container, and
// its previous instance if the present one has no output. Of an object with
// several Pods it is the blocking Pod, or all of them if none blocks.
func (l *logPane) choose(n *world.Node) {
	l.logState = logState{gen: l.gen + 1, of: *n.ID, follow: true}
	pods := l.podsOf(n)
	if len(pods) == 0 {
		l.none = "no pod below " + n.ID.String()
		if refused := l.seen().ChildRefusals(n); n.Object == nil {
			l.none = n.Assess.Message
		} else if len(refused) > 0 {
			l.none = strings.Join(refused, "; ")
		} else if n.Asked() && !l.Answered() {
			l.none = "looking for the pods of " + n.ID.String()
		}
		return
	}
	lead := n.Lead.Node
	blamed := lead != nil && lead.Object != nil && lead.Object.Pod != nil && lead.Assess.Status != status.Current
	if worst := pods[0]; !blamed && worst.Assess.Status == status.Failed {
		lead, blamed = worst, true
	}
	l.merged = len(pods) > 1 && !blamed
	if blamed {
		pods = first(lead, pods)
	}
	l.read(pods)
}

// first moves a node to the front.
func first(n *world.Node, list []*world.Node) []*world.Node {
	return slices.Insert(slices.DeleteFunc(list, func(x *world.Node) bool { return x == n }), 0, n)
}

// read reads the logs of Pods, worst first, from their beginning: of all if
// merged, otherwise of the first.
func (l *logPane) read(pods []*world.Node) {
	l.gen++
	l.open, l.none, l.missed = false, "", 0
	l.streams, l.containers, l.lines = nil, nil, &world.Ring[LogRow]{Limit: logLength}
	l.pods, l.structure = len(pods), l.seen().Structure
	shown := pods[:1]
	if l.merged {
		shown = pods[:min(len(pods), maxMerged)]
	}
	for _, p := range shown {
		l.join(p)
	}
	l.wants.dirty = true
	if l.open = len(l.streams) > 0; !l.open {
		l.none = "no container of " + pods[0].ID.String() + " is known"
	} else if !l.merged {
		l.restarts = restarts(pods[0].Object.Pod, l.streams[0].key.Container)
	}
}

// join adds a Pod's log.
func (l *logPane) join(p *world.Node) {
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

// joinNew adds new Pods. Ended ones make room.
func (l *logPane) joinNew(n *world.Node) {
	pods := l.podsOf(n)
	l.pods, l.structure = len(pods), l.seen().Structure
	reading := 0
	for i := range l.streams {
		if !l.streams[i].ended {
			reading++
		}
	}
	for _, p := range pods {
		known := slices.ContainsFunc(l.streams, func(s logStream) bool { return s.key.Pod == *p.ID })
		if known || reading >= maxMerged {
			continue
		}
		if before := len(l.streams); before < 8*maxMerged {
			l.join(p)
			reading += len(l.streams) - before
			l.wants.dirty = true
		}
	}
}

// reopen reads the logs of the user's choice.
func (l *logPane) reopen() {
	n := l.seenNode()
	if n == nil || !l.open {
		return
	}
	pods := l.podsOf(n)
	if !l.merged && len(l.streams) > 0 {
		if p := l.seen().Nodes[l.streams[0].key.Pod]; p != nil && p.Object != nil && p.Object.Pod != nil {
			pods = first(p, pods)
		}
	}
	if len(pods) > 0 {
		l.chosen, l.follow = true, true
		l.read(pods)
	}
}

func (l *logPane) togglePrevious() {
	if len(l.streams) == 0 {
		return
	}
	l.previous, l.instance = !l.streams[0].key.Previous, true
	if !l.merged && l.container == "" {
		l.container = l.streams[0].key.Container
	}
	l.reopen()
}

func (l *logPane) nextContainer() {
	if len(l.containers) < 2 || len(l.streams) == 0 {
		return
	}
	l.container = after(l.containers, cmp.Or(l.container, l.streams[0].key.Container))
	l.previous, l.instance = false, true
	l.reopen()
}

// toggleMerged switches between the logs of all Pods below the selected object
// and that of the failing one.
func (l *logPane) toggleMerged() (said string) {
	n := l.seenNode()
	if n == nil || !l.open {
		return ""
	}
	if !l.merged && len(l.podsOf(n)) < 2 {
		return n.ID.String() + " has one pod"
	}
	l.logState = logState{gen: l.gen, of: *n.ID, merged: !l.merged, open: true}
	l.reopen()
	return ""
}

// asideBy is how many cells a key scrolls unwrapped lines.
const asideBy = 16

// aside scrolls unwrapped lines horizontally.
func (l *logPane) aside(by int, wrapped bool) (said string) {
	if wrapped {
		return "long lines are wrapped (w)"
	}
	if l.lines == nil {
		return "there is no log"
	}
	longest := 0
	for _, row := range l.lines.All() {
		longest = max(longest, len(row.Text))
	}
	l.left = max(min(l.left+by*asideBy, longest-asideBy), 0)
	return ""
}

// file is the lines in memory as a file, and a name for it; "" if there are
// none.
func (l *logPane) file() (name, text string) {
	if l.lines == nil || l.lines.Len() == 0 {
		return "", ""
	}
	var b strings.Builder
	name = l.streams[0].key.Pod.Name + "-" + l.streams[0].key.Container
	if l.merged {
		name = strings.ToLower(l.of.Kind) + "-" + l.of.Name
	}
	for _, row := range l.lines.All() {
		if l.merged {
			key := l.streams[row.From].key
			b.WriteString(key.Pod.Name + "/" + key.Container + " ")
		}
		if !row.At.IsZero() {
			b.WriteString(row.At.UTC().Format("2006-01-02T15:04:05.000Z07:00 "))
		}
		b.WriteString(row.Text + "\n")
	}
	return name + ".log", b.String()
}

// podsOf returns the Pods of n, those with problems first: n itself, its
// descendants, and the endpoints of a Service, which are below their owners.
func (l *logPane) podsOf(n *world.Node) []*world.Node {
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
				add(l.seen().Nodes[k.Object.Endpoints.Endpoints[i].Target])
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

// wanted are the logs that have not ended.
func (l *logPane) wanted() (keys []feed.LogKey) {
	for i := range l.streams {
		if s := &l.streams[i]; l.open && !s.ended {
			keys = append(keys, s.key)
		}
	}
	return keys
}

// view is the state of the pane.
func (l *logPane) view() LogView {
	v := LogView{
		Merged: l.merged, Of: l.of, Pods: l.pods, Containers: l.containers, Missed: l.missed,
		Follow: l.follow, Stamps: l.stamps, None: l.none, Ended: l.open,
	}
	if l.lines != nil {
		v.Lines = l.lines.Len()
		v.Lost, v.Newest = l.lines.Lost, l.number
		v.Held = l.open && l.waits()
	}
	for i := range l.streams {
		s := &l.streams[i]
		v.Streams = append(v.Streams, LogStream{Key: s.key, Ended: s.ended, Err: s.err})
		v.Ended = v.Ended && s.ended
	}
	if len(v.Streams) > 0 {
		v.Key = v.Streams[0].Key
		v.Err = v.Streams[0].Err
	}
	v.Loading = l.open && v.Lines == 0 && !v.Ended && v.Err == nil
	return v
}

// row is line i of the lines in memory, 0 ≤ i < LogView.Lines.
func (l *logPane) row(i int) LogRow {
	if l.lines == nil || i < 0 || i >= l.lines.Len() {
		return LogRow{}
	}
	return l.lines.At(i)
}
