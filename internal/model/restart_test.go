package model

import (
	"fmt"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A Deployment whose own status says that all is available, and whose pod crashed a
// moment ago.
func TestACrashLoopIsNotCurrentBetweenTwoCrashesUnderAnyRoot(t *testing.T) {
	for _, children := range []Children{ChildrenAuto, ChildrenAll} {
		p := newPlay(t, Options{Screen: true, Children: children, Judge: status.Assess})
		p.late = true
		p.send(rowsOn(120, 20))
		d := deployment("web", 2)
		rs := replicaSet(d, "1", 2)
		fine, loop := pod(rs, "a", ""), pod(rs, "b", "")
		c := &loop.Pod.Containers[0]
		c.Restarts, c.State.Started = 3, at(20*time.Second)
		c.Prior = &object.ContainerState{Kind: "terminated", ExitCode: 2, Started: at(0), Finished: at(8 * time.Second)}

		p.batch(21*time.Second, feed.Batch{Synced: true, Roots: []feed.Root{root(d)}, Objects: []*object.Object{d}})
		done, _ := p.m.Facts.Done()
		if v := p.m.Facts.Verdict(); v.Status == status.Current || done ||
			slices.ContainsFunc(p.m.Tree.Rows(0, 9), func(r rows.Row) bool { return r.Status == status.Current }) {
			t.Errorf("%s: green before anything was heard of its pods: %s, done %v, %v", children, v.Status, done, p.rows())
		}
		p.batch(22*time.Second, feed.Batch{Synced: true, Objects: []*object.Object{rs, fine, loop}, Answered: p.wants.Gen})
		for _, o := range []*object.Object{d, rs, loop} {
			if r, _ := p.m.Facts.Resource(o.ID); r.Assessment.Status != status.InProgress ||
				r.Assessment.Reason != status.ReasonRestarting {
				t.Errorf("%s: %s is %s %s", children, o.ID, r.Assessment.Status, r.Assessment.Reason)
			}
		}
		if causes := p.m.Facts.Causes(); len(causes) != 1 ||
			causes[0].Title != "web exits 2 after 8s (3 restarts)" || !slices.Contains(causes[0].Blocks, d.ID) {
			t.Errorf("%s: causes: %+v", children, causes)
		}
		all := p.m.Tree.Rows(0, 9)
		if i := slices.IndexFunc(all, func(r rows.Row) bool { return r.Key.ID == loop.ID }); i < 0 || all[i].Restarts != 3 {
			t.Errorf("%s: the restarts do not stand on its row: %v", children, p.rows())
		}
		// It has run for 16 s at 36, and nothing else happens.
		if wake := p.m.Intake.NextWake(); wake.After(at(36 * time.Second)) {
			t.Errorf("%s: nobody wakes it before %v", children, wake)
		}
		p.send(ClockTicked{at(36*time.Second - 1)})
		if v := p.m.Facts.Verdict(); v.Status != status.InProgress {
			t.Errorf("%s: %s before its time", children, v.Status)
		}
		p.send(ClockTicked{at(36 * time.Second)})
		if v := p.m.Facts.Verdict(); v.Status != status.Current {
			t.Errorf("%s: %s after it has run for long enough", children, v.Status)
		}
		if r, _ := p.m.Facts.Resource(loop.ID); r.Assessment.Note != "restarted 3 times; container web exited with code 2" {
			t.Errorf("%s: its note is %q", children, r.Assessment.Note)
		}
	}
}

// The verdict of a crash loop alternates with each restart. The headline and the
// notification must not.
func TestTheHeadlineDoesNotFlapInACrashLoop(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Children: ChildrenAll, Judge: status.Assess})
	p.send(rowsOn(120, 20))
	d := deployment("web", 0)
	d.Workload.Replicas, d.Workload.Updated, d.Workload.StatusReplicas = object.IntOf(1), object.IntOf(1), object.IntOf(1)
	rs := replicaSet(d, "1", 0)
	rs.Workload.Replicas, rs.Workload.StatusReplicas = object.IntOf(1), object.IntOf(1)
	crashed := object.ContainerState{Kind: "terminated", Reason: "Error", ExitCode: 2, Started: at(0), Finished: at(2 * time.Second)}
	waits := again(pod(rs, "b", "CrashLoopBackOff"), func(o *object.Object) {
		o.Pod.Phase, o.Pod.Containers[0].Restarts, o.Pod.Containers[0].Prior = "Running", 3, &crashed
	})
	p.m.keyPressed(press("m"))
	p.batch(40*time.Second, feed.Batch{Synced: true, Roots: []feed.Root{root(d)}, Objects: []*object.Object{d, rs, waits}})
	p.batch(100*time.Second, feed.Batch{})
	if v := p.m.Facts.Verdict(); v.Status != status.Failed {
		t.Fatalf("this test needs a crash loop that has failed: %+v", v)
	}
	p.told = nil
	for round := range 3 {
		from := time.Duration(110+20*round) * time.Second
		p.batch(from, feed.Batch{Objects: []*object.Object{again(waits, func(o *object.Object) {
			c := &o.Pod.Containers[0]
			c.Restarts, c.State = int64(4+round), object.ContainerState{Kind: "running", Started: at(from)}
			o.ResourceVersion = fmt.Sprint(from)
		})}})
		p.batch(from+time.Second, feed.Batch{})
		if v := p.m.Facts.Verdict(); v.Status != status.InProgress || !v.Failing {
			t.Errorf("between two crashes: %s, failing %v", v.Status, v.Failing)
		}
		last := crashed
		last.Started, last.Finished = at(from), at(from+2*time.Second)
		p.batch(from+2*time.Second, feed.Batch{Objects: []*object.Object{again(waits, func(o *object.Object) {
			o.Pod.Containers[0].Restarts, o.Pod.Containers[0].Prior = int64(4+round), &last
			o.ResourceVersion = fmt.Sprint(from + 1)
		})}})
		if v := p.m.Facts.Verdict(); v.Status != status.Failed {
			t.Errorf("after the crash: %s", v.Status)
		}
	}
	for _, msg := range p.told {
		if raw, ok := msg.(tea.RawMsg); ok {
			t.Errorf("it notified again: %q", raw.Msg)
		}
	}
	// It is over when the container is settled.
	p.batch(160*time.Second, feed.Batch{Objects: []*object.Object{
		again(waits, func(o *object.Object) {
			c := &o.Pod.Containers[0]
			c.Ready, c.Started, c.State = true, true, object.ContainerState{Kind: "running", Started: at(160 * time.Second)}
			o.Conditions[1].Statement = &object.Statement{Type: "Ready", Status: "True"}
			o.ResourceVersion = "settled"
		}),
		again(rs, func(o *object.Object) { o.Workload.Ready, o.Workload.Available = object.IntOf(1), object.IntOf(1) }),
		again(d, func(o *object.Object) {
			o.Workload.Ready, o.Workload.Available = object.IntOf(1), object.IntOf(1)
			o.Conditions[1].Statement = &object.Statement{Type: "Available", Status: "True", Reason: "MinimumReplicas"}
		}),
	}})
	p.send(ClockTicked{at(20 * time.Minute)})
	if v := p.m.Facts.Verdict(); v.Status != status.Current || v.Failing {
		t.Errorf("in the end: %s, failing %v", v.Status, v.Failing)
	}
}

// The column of restarts comes with the first restart and stays: a screen whose columns come
// and go with a crash loop cannot be read.
func TestTheColumnOfRestartsStaysWhenTheRestartedPodIsGone(t *testing.T) {
	p := screen(t)
	shown := func() bool { return layout.Shows(p.m.Panes.Layout().Columns, "restarts") }
	d := deployment("web", 1)
	rs := replicaSet(d, "1", 1)
	one := pod(rs, "a", "")
	p.batch(time.Second, feed.Batch{Synced: true, Roots: []feed.Root{root(d)}, Objects: []*object.Object{d, rs, one}})
	if shown() {
		t.Error("nothing has restarted, and there is a column for it")
	}
	p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{again(one, func(o *object.Object) { o.Pod.Containers[0].Restarts = 1 })}})
	if !shown() {
		t.Error("a restart has no column")
	}
	p.batch(3*time.Second, feed.Batch{Gone: []feed.Gone{{ID: one.ID, UID: one.UID}}, Objects: []*object.Object{pod(rs, "b", "")}})
	if !shown() {
		t.Error("the column went with the Pod that had restarted")
	}
}

// The column of namespaces took nine cells for "shop", which the reason or the age needed.
func TestTheColumnOfNamespacesFitsTheLongestOfThem(t *testing.T) {
	p := screen(t)
	width := func() int {
		for _, c := range p.m.Panes.Layout().Columns {
			if c.Name == "namespace" {
				return c.W
			}
		}
		return 0
	}
	within := func(o *object.Object, space string) *object.Object {
		return again(o, func(o *object.Object) { o.Namespace = space })
	}
	web, api := within(deployment("web", 2), "shop"), within(deployment("api", 2), "pay")
	p.batch(time.Second, feed.Batch{Synced: true, Roots: []feed.Root{root(web), root(api)}, Objects: []*object.Object{web, api}})
	if got := width(); got != len("shop") {
		t.Errorf("shop and pay have %d cells", got)
	}
	node := again(deployment("n1", 2), func(o *object.Object) { o.ID = object.ID{Kind: "Node", Name: "n1"} })
	child := within(replicaSet(node, "1", 2), "kube-system")
	p.batch(2*time.Second, feed.Batch{Roots: []feed.Root{root(node)}, Objects: []*object.Object{node, child}})
	if got := width(); got < len("kube-sys") {
		t.Errorf("kube-system, of an object below another, has %d cells", got)
	}
}
