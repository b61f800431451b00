// Package logs is the logs pane: which containers' logs are read for an object,
// and the lines of them.
package logs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const (
	// Length is how many lines of a log are held.
	Length = 20000
	// spare is the room that must be left to read on while the log is not
	// followed: lines on the screen are not dropped.
	spare = 2000
	// retry is the delay before a failed log is read again.
	retry = 2 * time.Second
	// maxMerged bounds the Pods whose logs are merged.
	maxMerged = 24
)

// View is the state of the pane, to draw.
type View struct {
	// Merged says that the lines of several Pods below Of are merged by time:
	// Read of Pods, the others are left out.
	Merged bool
	// Every says that all containers of the Pods are read, not one of each.
	AllContainers bool
	Of            object.ID
	Read, Pods    int
	Streams       []Stream
	Key           feed.LogKey // of the first stream
	Containers    []string    // of the Pods, in order, to choose from
	Lines         []Line      // in memory
	Lost          int         // older lines dropped
	Newest        uint64      // number of the newest line
	Missed        int         // lines that were dropped before they were read
	Ended         bool
	Loading       bool
	Follow        bool // the newest lines are shown
	Held          bool // reading pauses: the user is not at the end, and there is no room
	Stamps        Stamps
	Left          int    // cells that unwrapped lines are scrolled by
	Err           error  // of the first stream
	None          string // why there is no log
}

// Several reports whether the lines come from more than one container.
func (v *View) Several() bool { return v.Merged || v.AllContainers }

// Stream is one container's log.
type Stream struct {
	Key     feed.LogKey
	Ended   bool
	Err     error
	Reading bool // a request is under way
	Cursor  uint64

	failed time.Time // when Err arrived: the log is read again after retry
	uid    string    // of the Pod: another one may have its name later
}

// Line is a line of the pane, with its stream and a unique number.
type Line struct {
	feed.LogLine
	From int
	No   uint64
}

// Stamps is the format of lines' times.
type Stamps uint8

// The formats.
const (
	StampClock Stamps = iota // the time of day
	StampExact               // with date and milliseconds
	StampNone
	stampWays
)

// Arrived is the message with what was read of a stream. One with an older Gen
// is dropped.
type Arrived struct {
	Gen   uint64
	Key   feed.LogKey
	Chunk feed.LogChunk
	Err   error
}

// Pane is the pane. Its zero value is closed.
type Pane struct {
	View

	Gen uint64

	w         *world.World
	chosen    bool   // the user chose Pods, container or instance
	container string // the container chosen for all Pods; "" for each Pod's default
	instance  bool   // the user chose the previous instance
	previous  bool
	structure uint64 // if merged: the world's Structure when its Pods were looked for
	restarts  int64  // of the container, when its stream was chosen
}

// reset forgets the streams. Lines' numbers go on: no two are the same.
func (p *Pane) reset(of object.ID) {
	*p = Pane{View: View{Of: of, Follow: true, Stamps: p.Stamps, Newest: p.Newest}, Gen: p.Gen + 1, w: p.w}
}

// Close ends the streams.
func (p *Pane) Close() {
	p.reset(object.ID{})
	p.w = nil
}

// Open reports whether streams are read.
func (p *Pane) Open() bool { return len(p.Streams) > 0 }

// Choose chooses the streams for n, unless the user has chosen some of it.
// answered says that all of its Pods are known.
func (p *Pane) Choose(w *world.World, n *world.Node, answered bool) {
	if p.w = w; p.Of != *n.ID || !p.chosen && (!p.Open() || p.outlived()) {
		p.choose(n, answered)
	} else if p.Several() && p.structure != w.Tree.Structure {
		p.join(p.podsBelow())
	}
}

// Due are the streams to read on now.
func (p *Pane) Due(now time.Time) (due []Stream) {
	for i := range p.Streams {
		if s := &p.Streams[i]; !s.Reading && !s.Ended && !p.held() && now.Sub(s.failed) >= retry {
			s.Reading = true
			due = append(due, *s)
		}
	}
	return due
}

// held reports whether reading pauses until the user scrolls to the end.
func (p *Pane) held() bool {
	return !p.Follow && len(p.Lines)+spare > Length
}

// outlived reports whether the container has restarted since its previous
// instance was chosen automatically, or its Pod's name is another's since it
// ended: then the newer one's log is wanted.
func (p *Pane) outlived() bool {
	if p.Several() || !p.Open() {
		return false
	}
	s := &p.Streams[0]
	n := p.w.Tree.Nodes[s.Key.Pod]
	return n != nil && n.Object != nil &&
		(s.Key.Previous && restarts(n.Object, s.Key.Container) > p.restarts || s.Ended && s.uid != n.Object.UID)
}

// Take takes in what was read.
func (p *Pane) Take(msg Arrived, now time.Time) {
	from := slices.IndexFunc(p.Streams, func(s Stream) bool { return s.Key == msg.Key && !s.Ended })
	if msg.Gen != p.Gen || from < 0 {
		return
	}
	s := &p.Streams[from]
	s.Reading, s.Ended = false, msg.Chunk.Ended
	s.Err, s.failed = msg.Err, time.Time{}
	if s.Ended {
		p.structure = 0 // there may be room, and another Pod of that name
	}
	if msg.Err != nil {
		s.failed = now
		return
	}
	s.Cursor = msg.Chunk.Cursor
	p.Missed += msg.Chunk.Missed
	p.add(msg.Chunk.Lines, from)
}

// add adds lines of one stream. Merged streams are sorted by time; a line
// without a time stays with the previous one.
func (p *Pane) add(lines []feed.LogLine, from int) {
	if len(lines) == 0 {
		return
	}
	newer := 0 // number of existing lines that are newer
	if first := lines[0].At; p.Several() && !first.IsZero() {
		for _, row := range slices.Backward(p.Lines) {
			if !row.At.After(first) {
				break
			}
			newer++
		}
	}
	for _, line := range lines {
		p.Newest++
		p.Lines = append(p.Lines, Line{LogLine: line, From: from, No: p.Newest})
	}
	if old := len(p.Lines) - Length; old > 0 {
		p.Lines, p.Lost = p.Lines[old:], p.Lost+old
	}
	if newer == 0 {
		return
	}
	all := p.Lines
	slices.SortStableFunc(all[max(len(all)-newer-len(lines), 0):], func(a, b Line) int {
		if a.From == b.From {
			return 0 // keep a stream's own order
		}
		return a.At.Compare(b.At)
	})
}

// choose selects the streams for n. Of a Pod it is the failing container, and
// its previous instance if the present one has no output. Of an object with
// several Pods it is the blocking Pod, or all of them if none blocks.
func (p *Pane) choose(n *world.Node, answered bool) {
	p.reset(*n.ID)
	pods := p.podsBelow()
	if len(pods) == 0 {
		p.None = "no pod below " + n.ID.String()
		if refused := p.w.Sources.ChildRefusals(n); n.Object == nil {
			p.None = n.Assess.Message
		} else if len(refused) > 0 {
			p.None = strings.Join(refused, "; ")
		} else if n.Asked() && !answered {
			p.None = "looking for the pods of " + n.ID.String()
		}
		return
	}
	lead := n.Lead.Node
	blamed := lead != nil && lead.Object != nil && lead.Object.Pod != nil && lead.Assess.Status != status.Current
	if worst := pods[0]; !blamed && worst.Assess.Status == status.Failed {
		lead, blamed = worst, true
	}
	p.Merged = len(pods) > 1 && !blamed
	if blamed {
		pods = first(lead, pods)
	}
	p.read(pods)
}

// first moves a node to the front.
func first(n *world.Node, list []*world.Node) []*world.Node {
	return slices.Insert(slices.DeleteFunc(slices.Clone(list), func(x *world.Node) bool { return x == n }), 0, n)
}

// read reads the logs of Pods, worst first, from their beginning.
func (p *Pane) read(pods []*world.Node) {
	p.Gen++
	p.None, p.Missed = "", 0
	p.Streams, p.Containers, p.Lines, p.Lost = nil, nil, nil, 0
	p.join(pods)
	if !p.Open() {
		p.None = "no container of " + pods[0].ID.String() + " is known"
	} else if !p.Several() {
		p.restarts = restarts(pods[0].Object, p.Streams[0].Key.Container)
	}
}

// join adds the logs of Pods that are not read yet: of all if merged, otherwise
// of the first. Ended ones make room.
func (p *Pane) join(pods []*world.Node) {
	p.Read, p.Pods, p.structure = len(pods), len(pods), p.w.Tree.Structure
	reading := len(p.Wanted())
	if !p.Merged {
		pods = pods[:1]
	}
	for _, pod := range pods {
		some := false
		for _, key := range p.keysOf(pod) {
			read := slices.ContainsFunc(p.Streams, func(s Stream) bool {
				return s.Key == key && (!s.Ended || s.uid == pod.Object.UID)
			})
			if !read && reading < maxMerged && len(p.Streams) < 8*maxMerged {
				p.Streams = append(p.Streams, Stream{Key: key, uid: pod.Object.UID})
				reading++
				read = true
			}
			some = some || read
		}
		if !some {
			p.Read--
		}
	}
}

// keysOf are the logs that are read of a Pod: of all its containers, of the container
// that the user chose, or of the failing one.
func (p *Pane) keysOf(pod *world.Node) (keys []feed.LogKey) {
	name, previous := failingContainer(pod.Object.Pod)
	for i := range pod.Object.Pod.Containers {
		c := pod.Object.Pod.Containers[i].Name
		if !slices.Contains(p.Containers, c) {
			p.Containers = append(p.Containers, c)
		}
		key := feed.LogKey{Pod: *pod.ID, Container: c}
		if p.container == "" && c == name {
			key.Previous = previous
		}
		if p.instance {
			key.Previous = p.previous
		}
		if p.AllContainers || c == p.container || p.container == "" && c == name {
			keys = append(keys, key)
		}
	}
	return keys
}

// reopen reads the logs of the user's choice, the Pod that was read alone first.
func (p *Pane) reopen() {
	pods := p.podsBelow()
	if !p.Merged && p.Open() {
		if i := slices.IndexFunc(pods, func(n *world.Node) bool { return *n.ID == p.Streams[0].Key.Pod }); i > 0 {
			pods = first(pods[i], pods)
		}
	}
	if len(pods) > 0 {
		p.chosen, p.Follow = true, true
		p.read(pods)
	}
}

// TogglePrevious switches between the present instance and the previous one.
func (p *Pane) TogglePrevious() (answer string) {
	if !p.Open() {
		return noLog
	}
	p.previous, p.instance = !p.Streams[0].Key.Previous, true
	if !p.Several() && p.container == "" {
		p.container = p.Streams[0].Key.Container
	}
	p.reopen()
	return ""
}

// HasPrevious reports whether one of the containers that are read has run before.
func (p *Pane) HasPrevious() bool {
	return p.w != nil && slices.ContainsFunc(p.Streams, func(s Stream) bool {
		n := p.w.Tree.Nodes[s.Key.Pod]
		if n == nil || n.Object == nil || n.Object.Pod == nil {
			return false
		}
		return slices.ContainsFunc(n.Object.Pod.Containers, func(c object.Container) bool {
			return c.Name == s.Key.Container && (c.Restarts > 0 || c.Last().Kind != "")
		})
	})
}

// NextContainer goes to the next of the Pods' containers, and after the last to all of
// them together.
func (p *Pane) NextContainer() (answer string) {
	switch {
	case !p.Open():
		return noLog
	case len(p.Containers) < 2:
		return "there is no other container"
	}
	at := slices.Index(p.Containers, cmp.Or(p.container, p.Streams[0].Key.Container)) + 1
	if p.AllContainers {
		at = 0
	}
	if p.AllContainers = at == len(p.Containers); p.AllContainers {
		p.container = ""
	} else {
		p.container = p.Containers[at]
	}
	p.previous, p.instance = false, true
	p.reopen()
	return ""
}

// ShowContainer goes to one of the Pods' containers.
func (p *Pane) ShowContainer(name string) {
	if !p.Open() || !p.AllContainers && p.Streams[0].Key.Container == name || !slices.Contains(p.Containers, name) {
		return
	}
	p.container, p.AllContainers = name, false
	p.previous, p.instance = false, false
	p.reopen()
}

// CanMerge reports whether there are several Pods below the object.
func (p *Pane) CanMerge() bool { return p.Merged || len(p.podsBelow()) > 1 }

// noLog answers keys that need one.
const noLog = "there is no log"

// ToggleMerged switches between the logs of all Pods below the object and that
// of the failing one.
func (p *Pane) ToggleMerged() (answer string) {
	switch {
	case !p.Open():
		return noLog
	case !p.CanMerge():
		return "there is no other Pod"
	}
	merged, every := !p.Merged, p.AllContainers
	p.reset(p.Of)
	p.Merged, p.AllContainers = merged, every
	p.reopen()
	return ""
}

// NextStamps changes the format of lines' times.
func (p *Pane) NextStamps() (message string) {
	p.Stamps = (p.Stamps + 1) % stampWays
	return map[Stamps]string{StampClock: "times of day", StampExact: "exact times", StampNone: "no times"}[p.Stamps]
}

// sidewaysStep is how many cells a key scrolls unwrapped lines.
const sidewaysStep = 16

// ScrollSideways scrolls unwrapped lines horizontally; width is that of a text in cells.
func (p *Pane) ScrollSideways(by int, width func(string) int) (answer string) {
	if len(p.Lines) == 0 {
		return noLog
	}
	longest := 0
	for i := range p.Lines {
		longest = max(longest, width(p.Lines[i].Text))
	}
	p.Left = max(min(p.Left+by*sidewaysStep, longest-sidewaysStep), 0)
	return ""
}

// File is the lines in memory as a file, and its name; "" if there are none.
func (p *Pane) File() (name, text string) {
	if len(p.Lines) == 0 {
		return "", ""
	}
	var b strings.Builder
	name = p.Streams[0].Key.Pod.Name + "-" + p.Streams[0].Key.Container
	switch {
	case p.Merged:
		name = strings.ToLower(p.Of.Kind) + "-" + p.Of.Name
	case p.AllContainers:
		name = p.Streams[0].Key.Pod.Name
	}
	for _, row := range p.Lines {
		if p.Several() {
			key := p.Streams[row.From].Key
			b.WriteString(key.Pod.Name + "/" + key.Container + " ")
		}
		if !row.At.IsZero() {
			b.WriteString(row.At.UTC().Format("2006-01-02T15:04:05.000Z07:00 "))
		}
		b.WriteString(row.Text + "\n")
	}
	return name + ".log", b.String()
}

// podsBelow returns the object's Pods, those with problems first: itself, its
// descendants, and the endpoints of a Service, which are below their owners.
func (p *Pane) podsBelow() []*world.Node {
	var out []*world.Node
	seen := map[*world.Node]bool{}
	add := func(n *world.Node) {
		if n != nil && n.Object != nil && n.Object.Pod != nil && !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	if n := p.w.Tree.Nodes[p.Of]; n != nil {
		world.Walk(n, func(k *world.Node) bool {
			add(k)
			if k.Object != nil && k.Object.Endpoints != nil {
				for i := range k.Object.Endpoints.Endpoints {
					add(p.w.Tree.Nodes[k.Object.Endpoints.Endpoints[i].Target])
				}
			}
			return true
		})
	}
	slices.SortStableFunc(out, func(a, b *world.Node) int {
		return cmp.Or(cmp.Compare(a.Rank(), b.Rank()), world.ByID(a, b))
	})
	return out
}

// failingContainer is the first container with a problem, otherwise the first
// main container.
func failingContainer(p *object.Pod) (name string, previous bool) {
	best := 3
	for i := range p.Containers {
		c := &p.Containers[i]
		crashes := c.State.Kind == "waiting" && c.State.Reason == "CrashLoopBackOff"
		unready := c.State.Kind == "running" && !c.Ready
		rank := 3
		switch {
		case crashes, c.State.Kind == "terminated" && c.State.ExitCode != 0, unready && c.Restarts > 0:
			rank = 0
		case unready && c.Kind != object.EphemeralContainer:
			rank = 1
		case c.Kind == object.MainContainer:
			rank = 2
		}
		if rank < best {
			best, name, previous = rank, c.Name, crashes
		}
	}
	return name, previous
}

// Wanted are the logs that have not ended.
func (p *Pane) Wanted() (keys []feed.LogKey) {
	for i := range p.Streams {
		if s := &p.Streams[i]; !s.Ended {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// Shown is the state of the pane, to draw.
func (p *Pane) Shown() View {
	v := p.View
	v.Held = p.Open() && p.held()
	v.Ended = p.Open() && len(p.Wanted()) == 0
	v.Streams = slices.Clone(v.Streams)
	if p.Open() {
		v.Key, v.Err = v.Streams[0].Key, v.Streams[0].Err
	}
	v.Loading = p.Open() && len(v.Lines) == 0 && !v.Ended && v.Err == nil
	return v
}

// restarts are those of a Pod's container.
func restarts(p *object.Object, container string) int64 {
	if p == nil || p.Pod == nil {
		return 0
	}
	for i := range p.Pod.Containers {
		if c := &p.Pod.Containers[i]; c.Name == container {
			return c.Restarts
		}
	}
	return 0
}
