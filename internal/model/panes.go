package model

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// logLength is how many lines of a log are held.
const logLength = 20000

// logRetry is after how long a log that could not be read is asked for again.
const logRetry = 2 * time.Second

// detailState is what the YAML pane knows.
type detailState struct {
	gen     uint64
	id      status.ID
	version string // resourceVersion of the object when it was asked for
	lines   []string
	at      time.Time
	loading bool
	err     error
}

// logState is what the logs pane knows.
type logState struct {
	gen        uint64
	of         status.ID // the selected object that the stream was chosen for
	chosen     bool      // the user chose container or instance
	key        status.LogKey
	open       bool // key names a stream that is read
	reading    bool // a question is on its way
	lines      *ring[status.LogLine]
	cursor     uint64
	missed     int
	ended      bool
	follow     bool
	err        error
	failed     time.Time // when err came: it is asked again after a while
	containers []string
	restarts   int64 // of the container, when the stream was chosen
	none       string
}

// loadPane asks for what the open pane lacks.
func (m Model) loadPane() (Model, []Cmd) {
	var cmds []Cmd
	n := m.seenNode()
	if m.pane == PaneYAML && n != nil && n.obj != nil && m.paneOpen() {
		if m.detail.id != n.id || (!m.detail.loading && m.detail.version != n.obj.ResourceVersion && m.w.now.Sub(m.detail.at) >= time.Second) {
			if m.detail.id != n.id {
				m.detail = detailState{gen: m.detail.gen}
				m.scroll[PaneYAML] = 0
			}
			m.detail.gen++
			m.detail.id, m.detail.version, m.detail.loading = n.id, n.obj.ResourceVersion, true
			cmds = append(cmds, loadDetail(n.id, m.detail.gen))
		}
	}
	if m.pane == PaneLogs && n != nil && m.paneOpen() {
		if m.logs.of != n.id || (!m.logs.chosen && n.obj != nil && (!m.logs.open || m.outlived())) {
			m = m.chooseLog(n)
		}
		if m.logs.open && !m.logs.reading && !m.logs.ended && (m.frozen == nil || m.logs.lines.len() == 0) && m.w.now.Sub(m.logs.failed) >= logRetry {
			m.logs.reading = true
			cmds = append(cmds, readLogs(m.logs.key, m.logs.cursor, m.logs.gen))
		}
	} else if m.logs.open {
		// Nobody looks: the stream is let go.
		m.logs = logState{gen: m.logs.gen + 1, follow: true}
		m.wants.dirty = true
	}
	return m, cmds
}

// outlived reports whether another instance has ended since the previous one
// was chosen by itself: that one's log is wanted now.
func (m Model) outlived() bool {
	n := m.seen().nodes[m.logs.key.Pod]
	return m.logs.key.Previous && n != nil && n.obj != nil && restarts(n.obj.Pod, m.logs.key.Container) > m.logs.restarts
}

func restarts(p *status.Pod, container string) int64 {
	if p != nil {
		for i := range p.Containers {
			if p.Containers[i].Name == container {
				return p.Containers[i].Restarts
			}
		}
	}
	return 0
}

// paneOpen reports whether the pane is on the screen at all.
func (m Model) paneOpen() bool {
	return m.width >= sideBySide || m.paneSize != PaneNormal
}

func (m Model) detailLoaded(msg DetailLoaded) Model {
	if msg.Gen != m.detail.gen {
		return m
	}
	m.detail.loading, m.detail.err, m.detail.at = false, msg.Err, m.w.now
	if msg.Err == nil {
		m.detail.lines = strings.Split(strings.TrimRight(msg.Detail.YAML, "\n"), "\n")
		if !msg.Detail.At.IsZero() {
			m.detail.at = msg.Detail.At
		}
	}
	return m
}

func (m Model) logsArrived(msg LogsArrived) (Model, []Cmd) {
	if msg.Gen != m.logs.gen {
		return m, nil
	}
	m.logs.reading = false
	m.logs.err, m.logs.failed = msg.Err, time.Time{}
	if msg.Err != nil {
		m.logs.ended, m.logs.failed = msg.Chunk.Ended, m.w.now
		return m, nil
	}
	for _, l := range msg.Chunk.Lines {
		m.logs.lines.push(l)
	}
	m.logs.cursor = msg.Chunk.Cursor
	m.logs.missed += msg.Chunk.Missed
	m.logs.ended = msg.Chunk.Ended
	return m, nil
}

// chooseLog picks the stream to show for n: of the pod that fails, or of the
// first that runs; the container that fails; its previous instance where the
// present one has nothing to tell.
func (m Model) chooseLog(n *node) Model {
	l := logState{gen: m.logs.gen + 1, of: n.id, follow: true}
	pod := m.podOf(n)
	if pod == nil {
		l.none = "no pod below " + n.id.String()
		if n.wanted != 0 && !m.answered() {
			l.none = "looking for the pods of " + n.id.String()
		}
		m.logs = l
		return m
	}
	c, previous := failingContainer(pod.obj.Pod)
	for i := range pod.obj.Pod.Containers {
		l.containers = append(l.containers, pod.obj.Pod.Containers[i].Name)
	}
	if c == "" {
		l.none = "no container of " + pod.id.String() + " is known"
		m.logs = l
		return m
	}
	l.key = status.LogKey{Pod: pod.id, Container: c, Previous: previous}
	l.restarts = restarts(pod.obj.Pod, c)
	m.logs = l
	return m.openLog()
}

func (m Model) openLog() Model {
	m.logs.open = true
	m.logs.lines = &ring[status.LogLine]{limit: logLength}
	m.logs.cursor, m.logs.missed, m.logs.ended, m.logs.err, m.logs.reading = 0, 0, false, nil, false
	m.logs.failed = time.Time{}
	m.logs.gen++
	m.wants.dirty = true
	return m
}

func (m Model) togglePrevious() Model {
	if m.logs.open {
		m.logs.key.Previous = !m.logs.key.Previous
		m.logs.chosen = true
		m = m.openLog()
	}
	return m
}

func (m Model) nextContainer() Model {
	if len(m.logs.containers) > 1 {
		i := slices.Index(m.logs.containers, m.logs.key.Container)
		m.logs.key.Container = m.logs.containers[(i+1)%len(m.logs.containers)]
		m.logs.key.Previous = false
		m.logs.chosen = true
		m = m.openLog()
	}
	return m
}

// podOf is the pod whose log says most about n: the one that its lead points
// at, else the first below it, those with problems first.
func (m Model) podOf(n *node) *node {
	if n.obj != nil && n.obj.Pod != nil {
		return n
	}
	if l := n.lead.node; l != nil && l.obj != nil && l.obj.Pod != nil {
		return l
	}
	var best *node
	for _, k := range n.kids {
		p := m.podOf(k)
		if p != nil && (best == nil || p.rank() < best.rank()) {
			best = p
		}
	}
	if best == nil && n.obj != nil && n.obj.Endpoints != nil {
		// A Service's pods stand under what owns them.
		for i := range n.obj.Endpoints.Endpoints {
			p := m.seen().nodes[n.obj.Endpoints.Endpoints[i].Target]
			if p != nil && p.obj != nil && p.obj.Pod != nil && (best == nil || p.rank() < best.rank()) {
				best = p
			}
		}
	}
	return best
}

// failingContainer is the first container in trouble, else the first main one.
func failingContainer(p *status.Pod) (name string, previous bool) {
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
		if c := &p.Containers[i]; c.Kind != status.EphemeralContainer && c.State.Kind == "running" && !c.Ready {
			return c.Name, false
		}
	}
	for i := range p.Containers {
		if p.Containers[i].Kind == status.MainContainer {
			return p.Containers[i].Name, false
		}
	}
	return "", false
}

// Logs is the state of the logs pane.
func (m Model) Logs() LogView {
	v := LogView{
		Key: m.logs.key, Containers: m.logs.containers, Missed: m.logs.missed, Ended: m.logs.ended,
		Follow: m.logs.follow, Err: m.logs.err, None: m.logs.none,
	}
	if m.logs.lines != nil {
		v.Lines = m.logs.lines.len()
		v.Missed += m.logs.lines.lost
	}
	v.Loading = m.logs.open && v.Lines == 0 && !m.logs.ended && m.logs.err == nil
	return v
}

// LogLines returns up to n log lines from line number from on.
func (m Model) LogLines(from, n int) []status.LogLine {
	if m.logs.lines == nil {
		return nil
	}
	from = max(from, 0)
	to := min(from+n, m.logs.lines.len())
	var out []status.LogLine
	for i := from; i < to; i++ {
		out = append(out, m.logs.lines.at(i))
	}
	return out
}

// Detail is the state of the YAML pane.
func (m Model) Detail() DetailView {
	d := DetailView{ID: m.detail.id, Lines: m.detail.lines, At: m.detail.at, Loading: m.detail.loading, Err: m.detail.err}
	if o := m.seen().lookup(m.detail.id); o != nil && o.ResourceVersion != m.detail.version {
		d.Stale = true
	}
	return d
}

// topConditions are the conditions that sum up an object, by kind of
// convention: the first that an object has is its top one.
var topConditions = []string{"Ready", "Available", "Succeeded", "Complete", "Established", "Healthy", "Synced", "Programmed", "Accepted", "Bound"}

// polarity is what is known of a condition type on an object of that kind.
func (m Model) polarity(o *status.Object, typ string) (p status.Polarity, by status.Confidence) {
	if typ == "Progressing" && o.Group == "apps" {
		return status.NormalTrue, status.Exact // a Deployment's stays True when it has succeeded
	}
	return status.PolarityFor(o, m.opt.Rules, typ)
}

// ConditionsOf are an object's conditions, the one that sums up first.
func (m Model) ConditionsOf(id status.ID) []ConditionRow {
	n := m.seen().nodes[id]
	if n == nil || n.obj == nil {
		return nil
	}
	top := -1
	for _, t := range topConditions {
		if top = slices.IndexFunc(n.obj.Conditions, func(c status.Condition) bool { return c.Type == t }); top >= 0 {
			break
		}
	}
	rows := make([]ConditionRow, 0, len(n.obj.Conditions))
	for i, c := range n.obj.Conditions {
		r := ConditionRow{Condition: c, Top: i == top, Deciding: i == n.assess.Deciding}
		r.Polarity, r.KnownBy = m.polarity(n.obj, c.Type)
		switch r.Polarity {
		case status.NormalTrue:
			r.Good = c.Status == "True"
		case status.AbnormalTrue:
			r.Good = c.Status == "False"
		default:
			r.Good = true
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b ConditionRow) int {
		return cmp.Or(-cmpBool(a.Top, b.Top), -cmpBool(a.Deciding, b.Deciding))
	})
	return rows
}

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Conditions are the selected object's conditions, the one that sums up first.
func (m Model) Conditions() []ConditionRow {
	if n := m.seenNode(); n != nil {
		return m.ConditionsOf(n.id)
	}
	return nil
}

// eventRows bounds the events pane.
const eventRows = 1000

// Events are the events of the selected object and its descendants, newest
// first, equal ones folded.
func (m Model) Events() []EventRow {
	n := m.seenNode()
	if n == nil {
		return nil
	}
	return m.EventsOf(n.id)
}

// EventsOf are the events of an object and its descendants, newest first,
// equal ones folded; warnings alone if that is the user's choice.
func (m Model) EventsOf(id status.ID) []EventRow {
	n := m.seen().nodes[id]
	if n == nil {
		return nil
	}
	type kind struct {
		about                   status.ID
		typ, reason, text, from string
	}
	at := map[kind]int{}
	var rows []EventRow
	var walk func(n *node)
	walk = func(n *node) {
		for _, e := range m.seen().eventsOf(n) {
			if m.warnings && e.Type == "Normal" {
				continue
			}
			k := kind{e.About, e.Type, e.Reason, e.Message, e.From}
			times := max(e.Count, 1)
			if i, ok := at[k]; ok {
				r := &rows[i]
				r.Times += times
				if e.Last.After(r.Last) {
					r.Last = e.Last
				}
				if !e.First.IsZero() && e.First.Before(r.First) {
					r.First = e.First
				}
				continue
			}
			at[k] = len(rows)
			rows = append(rows, EventRow{Event: e, Times: times})
		}
		for _, k := range n.kids {
			if len(rows) < 4*eventRows {
				walk(k)
			}
		}
	}
	walk(n)
	slices.SortStableFunc(rows, func(a, b EventRow) int {
		return cmp.Or(b.Last.Compare(a.Last), a.About.Compare(b.About), strings.Compare(a.Reason, b.Reason))
	})
	return rows[:min(len(rows), eventRows)]
}

// eventsOf are the events about n's present object.
func (w *world) eventsOf(n *node) []status.Event {
	list := w.events[n.id]
	if n.obj == nil || n.obj.UID == "" {
		return list
	}
	for i := range list {
		if list[i].AboutUID != "" && list[i].AboutUID != n.obj.UID {
			return slices.DeleteFunc(slices.Clone(list), func(e status.Event) bool {
				return e.AboutUID != "" && e.AboutUID != n.obj.UID
			})
		}
	}
	return list
}

// Timeline returns the history of the selected object and its descendants
// (of everything where none is selected), oldest first.
func (m Model) Timeline() []Transition {
	n := m.seenNode()
	var out []Transition
	for i := range m.seen().history.len() {
		t := m.seen().history.at(i)
		if n == nil || t.ID == n.id {
			out = append(out, t)
		} else if k := m.seen().nodes[t.ID]; k != nil && k.below(n) {
			out = append(out, t)
		}
	}
	return out
}

// History returns all that is remembered, oldest first.
func (m Model) History() []Transition {
	out := make([]Transition, m.w.history.len())
	for i := range out {
		out[i] = m.w.history.at(i)
	}
	return out
}

// HistoryOf returns one object's own history, oldest first.
func (m Model) HistoryOf(id status.ID) []Transition {
	var out []Transition
	for i := range m.seen().history.len() {
		if t := m.seen().history.at(i); t.ID == id {
			out = append(out, t)
		}
	}
	return out
}

// Notices are the newest messages that are not about an object, oldest first.
func (m Model) Notices() []status.Notice {
	out := make([]status.Notice, m.seen().notices.len())
	for i := range out {
		out[i] = m.seen().notices.at(i)
	}
	return out
}
