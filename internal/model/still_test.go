package model

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestAFrozenPictureShowsTheRowsAsTheyWere(t *testing.T) {
	p := screen(t)
	batch, pods := city(5)
	p.batch(0, batch)
	p.keys("Z")
	before := p.m.Tree.Rows(0, p.m.Tree.RowCount())
	p.keys(".")
	if diff := cmp.Diff(before, p.m.Tree.Rows(0, p.m.Tree.RowCount())); diff != "" {
		t.Fatalf("by freezing it (-before +frozen):\n%s", diff)
	}
	for i, o := range pods {
		c := *o
		c.Pod = &object.Pod{PodTemplate: &object.PodTemplate{}, Phase: "Failed"}
		b := feed.Batch{Objects: []*object.Object{&c}}
		if i%3 == 0 {
			b = feed.Batch{Gone: []feed.Gone{{ID: o.ID, UID: o.UID}}}
		}
		p.batch(time.Duration(i)*time.Second, b)
	}
	if diff := cmp.Diff(before, p.m.Tree.Rows(0, p.m.Tree.RowCount())); diff != "" {
		t.Errorf("while it is frozen (-before +now):\n%s", diff)
	}
	p.keys(".")
	if cmp.Equal(before, p.m.Tree.Rows(0, p.m.Tree.RowCount())) {
		t.Error("nothing has happened meanwhile: this test tests nothing")
	}
}

// What waits while the picture is frozen is taken in batch by batch: nothing of
// it is lost to the timeline, and its times are its own.
func TestResumingAFrozenScreenAppliesTheChangesInBetween(t *testing.T) {
	p := screen(t)
	_, _, p1, _, _, b := shop()
	p.batch(0, b)
	p.keys(".")
	for i := range 3 {
		o := again(p1, func(o *object.Object) { o.ResourceVersion = fmt.Sprint(i) })
		if i == 1 {
			o.Deleted = at(time.Minute)
		}
		p.batch(time.Duration(i+1)*time.Second, feed.Batch{Objects: []*object.Object{o}})
		p.send(ClockTicked{at(time.Duration(i+1) * time.Second)})
	}
	if !p.m.Facts.Now().Equal(at(0)) {
		t.Errorf("the picture is of %v", p.m.Facts.Now())
	}
	p.keys(".")
	var got []string
	for _, x := range historyOf(p.m, p1.ID) {
		got = append(got, fmt.Sprint(x.At.Sub(t0), " ", x.To))
	}
	if want := []string{"0s Failed", "2s Terminating", "3s Failed"}; !slices.Equal(got, want) {
		t.Errorf("the history is %q, want %q", got, want)
	}
}

func TestAFrozenPictureHasNothingToWakeFor(t *testing.T) {
	p := screen(t)
	d := deployment("web", 1)
	d.Annotations = []object.Label{{Key: "recheck", Value: "3s"}}
	p.batch(0, feed.Batch{Roots: []feed.Root{root(d)}, Objects: []*object.Object{d}, Synced: true})
	p.send(ClockTicked{at(time.Second)})
	if wake := p.m.Intake.NextWake(); !wake.Equal(at(3 * time.Second)) {
		t.Fatalf("it is judged again at %v", wake)
	}
	p.keys(".")
	p.send(ClockTicked{at(time.Minute)})
	if wake := p.m.Intake.NextWake(); !wake.IsZero() {
		t.Errorf("a frozen picture wakes at %v", wake)
	}
	p.keys(".")
	if wake := p.m.Intake.NextWake(); !wake.Equal(at(3 * time.Second)) {
		t.Errorf("thawed, it wakes at %v", wake)
	}
}
