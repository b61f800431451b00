package model

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/timeline"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func TestTheTimelineShowsTheStateAndTheChangesOfEachMoment(t *testing.T) {
	p := screen(t)
	d := deployment("web", 2)
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{root(d)}, Objects: []*object.Object{d}, Synced: true})
	worse := again(d, func(o *object.Object) { o.Workload.Ready, o.Workload.Available = object.IntOf(1), object.IntOf(1) })
	p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{worse}})
	p.batch(3*time.Second, feed.Batch{Objects: []*object.Object{again(worse, func(o *object.Object) { *o = *again(d, func(*object.Object) {}) })}})
	p.keys("6", "tab")
	if timelineOf(p.m).Moment != nil {
		t.Fatal("in the past from the start")
	}
	p.keys("left", "left")
	got := timelineOf(p.m).Moment
	if got.To != status.InProgress || got.Object != worse || !got.At.Equal(at(2*time.Second)) || !got.Before.Equal(at(time.Second)) || got.No != 2 || got.Of != 3 {
		t.Errorf("%+v", got)
	}
	want := []explain.Change{
		{Path: "status.readyReplicas", Before: "2", After: "1"},
		{Path: "status.availableReplicas", Before: "2", After: "1"},
	}
	if diff := cmp.Diff(want, got.Changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	// New entries do not move the chosen one.
	p.batch(4*time.Second, feed.Batch{Objects: []*object.Object{again(worse, func(o *object.Object) { o.ResourceVersion = "9" })}})
	if after := timelineOf(p.m).Moment; after.No != 2 || after.Of != 4 {
		t.Errorf("after another change: %d of %d", after.No, after.Of)
	}
	p.keys("right", "right", "right")
	if timelineOf(p.m).Moment != nil {
		t.Error("beyond the newest change it is not the present")
	}
	for range 9 {
		p.keys("left")
	}
	if first := timelineOf(p.m).Moment; first.No != 1 || len(first.Changed) != 0 {
		t.Errorf("the first: %+v", first)
	}
}

func TestTwoMomentsThatAreChosenAreCompared(t *testing.T) {
	p := screen(t)
	d, other := deployment("web", 2), deployment("other", 2)
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{root(d), root(other)}, Objects: []*object.Object{d}, Synced: true})
	worse := again(d, func(o *object.Object) { o.Workload.Ready = object.IntOf(1) })
	p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{worse}})
	p.batch(3*time.Second, feed.Batch{Objects: []*object.Object{other}})
	worst := again(worse, func(o *object.Object) { o.Workload.Ready = object.IntOf(0) })
	p.batch(4*time.Second, feed.Batch{Objects: []*object.Object{worst}})
	p.keys("6", "tab", "a") // of everything
	if v := timelineOf(p.m); v.Form != timeline.LanesAndList || !v.Whole {
		t.Fatalf("form %v, whole %v", v.Form, v.Whole)
	}
	if timelineOf(p.m).Comparison != nil {
		t.Fatal("compared, and nothing is marked")
	}
	for range 9 {
		p.keys("left")
	}
	for at := timelineOf(p.m).Moment; at.ID != d.ID || at.To != status.Current; at = timelineOf(p.m).Moment {
		p.keys("right")
	}
	p.keys("space")
	for range 20 {
		p.keys("right") // to the present
	}
	c := timelineOf(p.m).Comparison
	if c == nil || !c.From.Equal(at(time.Second)) || !c.To.IsZero() {
		t.Fatalf("%+v", c)
	}
	var web *timeline.Difference
	for i := range c.Objects {
		if c.Objects[i].ID == d.ID {
			web = &c.Objects[i]
		}
	}
	if web == nil || web.Before != status.Current || web.After != status.Current { // the tests' judge looks elsewhere
		t.Fatalf("%+v", c.Objects)
	}
	if diff := cmp.Diff([]explain.Change{{Path: "status.readyReplicas", Before: "2", After: "0"}}, web.Changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	p.keys("left", "left")
	if c := timelineOf(p.m).Comparison; c != nil {
		for _, o := range c.Objects {
			if o.ID == d.ID && len(o.Changed) > 0 && o.Changed[0].After == "0" {
				t.Errorf("before its last change it says %+v", o)
			}
		}
	}
	p.keys("space", "space")
	p.keys("v")
	if form := timelineOf(p.m).Form; form != timeline.LanesAlone {
		t.Errorf("form %v", form)
	}
}

// A mark in the present is of what is then, not of the change that comes next.
func TestAMarkInThePresentIsComparedWithLaterChanges(t *testing.T) {
	p := screen(t)
	d := deployment("web", 2)
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{root(d)}, Objects: []*object.Object{d}, Synced: true})
	p.keys("6", "tab", "a", "space")
	if c := timelineOf(p.m).Comparison; c == nil || len(c.Objects) > 0 {
		t.Errorf("nothing has come since: %+v", c)
	}
	p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{again(d, func(o *object.Object) {
		o.Workload.Ready, o.Workload.Available = object.IntOf(1), object.IntOf(1)
	})}})
	for _, to := range []time.Time{{}, at(2 * time.Second)} {
		c := timelineOf(p.m).Comparison
		if c == nil || !c.From.Equal(at(time.Second)) || !c.To.Equal(to) || len(c.Objects) != 1 || c.Objects[0].Before != status.Current || c.Objects[0].After != status.InProgress {
			t.Errorf("web was Current when the present was marked: %+v", c)
		}
		p.keys("left")
	}
	p.keys("right", "right", "space", "space")
	if timelineOf(p.m).Comparison != nil {
		t.Error("the mark is gone, and compared")
	}
}

func TestMomentsThatAreForgottenAreNeitherShownNorCompared(t *testing.T) {
	p := screen(t)
	d := deployment("web", 2)
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{root(d)}, Objects: []*object.Object{d}, Synced: true})
	ready := func(n int64) {
		d = again(d, func(o *object.Object) { o.Workload.Ready, o.Workload.Available = object.IntOf(n), object.IntOf(n) })
		p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{d}})
	}
	ready(1)
	p.keys("6", "tab", "left", "left", "space", "right") // the first is marked, the second looked at
	if v := timelineOf(p.m); v.Moment == nil || v.Comparison == nil {
		t.Fatalf("moment %v, comparison %v", v.Moment, v.Comparison)
	}
	p.keys("2") // thousands of changes are not worth a picture each
	for i := 0; p.m.Facts.World.Records.History.Lost == 0; i++ {
		ready(int64(2 - i%2))
	}
	p.keys("6")
	if v := timelineOf(p.m); v.Moment != nil || v.Comparison != nil {
		t.Errorf("moment %+v, comparison %+v", v.Moment, v.Comparison)
	}
	p.keys("left", "space", "right") // a mark and the present
	if c := timelineOf(p.m).Comparison; c == nil || !c.To.IsZero() {
		t.Errorf("with the present: %+v", c)
	}
}
