package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/timeline"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The objects that the tests are made of, as a decoder would leave them.

var t0 = time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return t0.Add(d) }

func id(group, kind, name string) object.ID {
	return object.ID{Group: group, Kind: kind, Namespace: "shop", Name: name}
}

func owner(o *object.Object) []object.Owner {
	return []object.Owner{{Group: o.Group, Kind: o.Kind, Name: o.Name, UID: o.UID, Controller: true}}
}

func deployment(name string, ready int64) *object.Object {
	return &object.Object{
		ID: id("apps", "Deployment", name), Version: "v1", UID: "uid-deploy-" + name, ResourceVersion: "1",
		Created: t0, Generation: object.IntOf(1), Observed: object.IntOf(1),
		Workload: &object.Workload{
			Replicas: object.IntOf(2), Updated: object.IntOf(2), StatusReplicas: object.IntOf(2),
			Ready: object.IntOf(ready), Available: object.IntOf(ready), HasSelector: true,
			Selector: object.Selector{Match: []object.Label{{Key: "app", Value: name}}}, Revision: "1",
		},
		Conditions: []object.Condition{
			{Statement: &object.Statement{Type: "Progressing", Status: "True", Reason: "NewReplicaSetAvailable"}},
			{Statement: &object.Statement{Type: "Available", Status: truth(ready >= 2), Reason: "MinimumReplicas"}},
		},
	}
}

func truth(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

func replicaSet(of *object.Object, hash string, ready int64) *object.Object {
	name := of.Name + "-" + hash
	return &object.Object{
		ID: id("apps", "ReplicaSet", name), Version: "v1", UID: "uid-rs-" + name, ResourceVersion: "1",
		Created: t0, Generation: object.IntOf(1), Observed: object.IntOf(1), Owners: owner(of),
		Workload: &object.Workload{
			Replicas: object.IntOf(2), StatusReplicas: object.IntOf(2), FullyLabeled: object.IntOf(2),
			Ready: object.IntOf(ready), Available: object.IntOf(ready), HasSelector: true,
			Selector: of.Workload.Selector, Revision: "1",
		},
	}
}

// pod is a running pod, or one that fails with the given waiting reason.
func pod(of *object.Object, suffix, waiting string) *object.Object {
	o := &object.Object{
		ID: id("", "Pod", of.Name+"-"+suffix), Version: "v1", UID: "uid-pod-" + of.Name + "-" + suffix, ResourceVersion: "1",
		Created: t0, Owners: owner(of),
		Pod: &object.Pod{PodTemplate: &object.PodTemplate{}, Phase: "Running", Started: t0, Containers: []object.Container{{
			ContainerSpec: &object.ContainerSpec{Name: "web", Image: "web:1"}, Ready: waiting == "", Started: waiting == "",
			State: object.ContainerState{Kind: "running", Started: t0},
		}}},
		Conditions: []object.Condition{
			{Statement: &object.Statement{Type: "PodScheduled", Status: "True"}, LastTransitionTime: t0},
			{Statement: &object.Statement{Type: "Ready", Status: truth(waiting == "")}, LastTransitionTime: t0},
		},
	}
	if waiting != "" {
		o.Pod.Phase = "Pending"
		o.Pod.Containers[0].State = object.ContainerState{Kind: "waiting", Reason: waiting, Message: "because"}
	}
	return o
}

// again is the object as a later event would bring it.
func again(o *object.Object, change func(*object.Object)) *object.Object {
	c := *o
	c.ResourceVersion += "1"
	if o.Pod != nil {
		p := *o.Pod
		p.Containers = append([]object.Container(nil), p.Containers...)
		c.Pod = &p
	}
	if o.Workload != nil {
		w := *o.Workload
		c.Workload = &w
	}
	c.Conditions = append([]object.Condition(nil), o.Conditions...)
	change(&c)
	return &c
}

func root(o *object.Object) feed.Root { return feed.Root{ID: o.ID, Source: "-f app.yaml"} }

// play is a model that messages are sent to. It remembers the last wants, and
// what was asked of the outside.
type play struct {
	t     testing.TB
	m     *Model
	seq   uint64
	wants feed.Wants
	told  []Msg
	saved map[string]string // texts by name
	other Other
	found []CausesFound
	late  bool // the feed answers when the test says so
}

func newPlay(t testing.TB, opt Options) *play {
	if opt.Now.IsZero() {
		opt.Now = t0
	}
	if opt.Judge == nil {
		opt.Judge = bluntly
	}
	p := &play{t: t, saved: map[string]string{}}
	opt.Outside = Outside{
		Report: func(_ *Model, format string) ([]byte, error) { return []byte("a report as " + format), nil },
		Save: func(name, text string) (string, error) {
			p.saved[name] = text
			return "/tmp/" + name, nil
		},
		Reopen: func(_ context.Context, other Other) (*Session, error) {
			p.other = other
			return nil, errors.New("it cannot be followed")
		},
		Namespaces:  func(context.Context) ([]string, error) { return []string{"default", "kube-system", "shop"}, nil },
		Inventories: func(context.Context) ([]string, error) { return []string{"helm/shop", "flux/ks/apps"}, nil },
	}
	if opt.Feed == nil {
		opt.Feed = &feedStub{p: p}
	}
	p.m, _ = New(opt)
	return p
}

// rowsOn is the size of a screen of w columns whose tree has so many rows.
func rowsOn(w, rows int) tea.WindowSizeMsg {
	for h := 1; h < 200; h++ {
		if layout.Place(layout.Screen{W: w, H: h}).Tree.H == rows {
			return tea.WindowSizeMsg{Width: w, Height: h}
		}
	}
	panic("no screen has so many rows")
}

// screen is a dashboard of 120 columns whose tree shows 20 rows.
func screen(t testing.TB) *play {
	p := newPlay(t, Options{Screen: true})
	p.send(rowsOn(120, 20))
	return p
}

func (p *play) send(msgs ...Msg) {
	p.t.Helper()
	for _, msg := range msgs {
		var cmd tea.Cmd
		p.m, cmd = p.m.Update(msg)
		for _, msg := range answers(cmd) {
			switch msg := msg.(type) {
			case FeedEnded: // the stub has no batches
			case reopened, inventoriesKnown, namespacesKnown, viewed, NoticeArrived:
				p.send(msg)
			case CausesFound:
				p.found = append(p.found, msg) // see explained
			default:
				p.told = append(p.told, msg)
			}
		}
	}
}

// answers runs a command, and each of a batch.
func answers(cmd tea.Cmd) (all []Msg) {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			all = append(all, answers(c)...)
		}
	case Answer:
		all = []Msg{msg.Msg}
	default:
		all = []Msg{msg}
	}
	return all
}

// explained brings the answers of the explanations that were asked for.
func (p *play) explained() {
	for len(p.found) > 0 {
		found := p.found[0]
		p.found = p.found[1:]
		p.send(found)
	}
}

func (p *play) batch(at time.Duration, b feed.Batch) {
	p.t.Helper()
	p.seq++
	b.Seq, b.At = p.seq, t0.Add(at)
	p.send(BatchArrived{b})
	// A workload is not judged before its children have been asked for.
	if gen := p.wants.Gen; p.m.Facts.World.Sources.Answered < gen && p.m.Facts.World.Awaiting() && !p.late {
		p.send(BatchArrived{feed.Batch{Seq: p.seq, At: b.At, Answered: gen}})
	}
}

func (p *play) keys(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.send(press(k))
	}
}

// rows is the tree as text: one row a line, the selected one marked.
func (p *play) rows() []string {
	var out []string
	for _, r := range p.m.Tree.Rows(0, p.m.Tree.RowCount()) {
		mark := " "
		if r.Selected {
			mark = ">"
		}
		fold := map[rows.Fold]string{rows.Leaf: "", rows.Opened: "- ", rows.Closed: "+ "}[r.Fold]
		line := mark + fmt.Sprintf("%*s", 2*r.Depth, "") + fold + r.Name + " " + string(r.Status)
		if r.Carried > 0 {
			line += fmt.Sprintf(" » %s ×%d", r.Reason, r.Carried)
		}
		out = append(out, line)
	}
	return out
}

// bluntly judges by few and simple rules, so that these tests say what the
// model does and not what the rules of the day are.
func bluntly(o *object.Object, w status.World, now time.Time) status.Assessment {
	a := status.Assessment{Status: status.Current, Deciding: -1, Confidence: status.Exact, Rule: "blunt"}
	switch {
	case !o.Deleted.IsZero():
		a.Status, a.Reason = status.Terminating, "Deleting"
	case o.Pod != nil:
		for _, c := range o.Pod.Containers {
			if c.State.Reason != "" {
				a.Status, a.Reason, a.Message = status.Failed, c.State.Reason, c.State.Message
			}
		}
	case o.Workload != nil:
		if wl := o.Workload; wl.Available.Or(0) < wl.Replicas.Or(1) {
			a.Status, a.Reason = status.InProgress, "ReplicasNotReady"
			for _, c := range w.Children {
				if c.Assessment.Status == status.Failed {
					a.Status, a.Child = status.Failed, c.Object.ID
				}
			}
		}
	}
	if r, ok := o.Annotation("recheck"); ok {
		if d, err := time.ParseDuration(r); err == nil {
			a.Status, a.Recheck = status.InProgress, t0.Add(d)
			if !now.Before(a.Recheck) {
				a.Status, a.Recheck, a.Reason = status.Failed, time.Time{}, "Late"
			}
		}
	}
	return a
}

// timelineOf is what the timeline pane shows.
func timelineOf(m *Model) timeline.View { return m.Panes.Timeline() }

// eventsOf is what the events pane shows.
func eventsOf(m *Model) panes.EventsView { return m.Panes.all[PaneEvents].(*panes.Events).View() }

// yamlGen is the number of the last request for an object.
func (p *play) yamlGen() uint64 {
	for _, msg := range slices.Backward(p.told) {
		if d, ok := msg.(panes.DetailLoaded); ok {
			return d.Gen
		}
	}
	return 0
}

// longPane is a pane of many lines.
type longPane struct {
	panes.Conditions
	lines []markup.Line
}

func (l *longPane) Content(*panes.Page) panes.Content { return panes.Lines(l.lines) }
