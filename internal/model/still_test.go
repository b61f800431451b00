package model

import (
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
	before := p.m.Rows(0, p.m.RowCount())
	p.keys(".")
	if diff := cmp.Diff(before, p.m.Rows(0, p.m.RowCount())); diff != "" {
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
	if diff := cmp.Diff(before, p.m.Rows(0, p.m.RowCount())); diff != "" {
		t.Errorf("while it is frozen (-before +now):\n%s", diff)
	}
	p.keys(".")
	if cmp.Equal(before, p.m.Rows(0, p.m.RowCount())) {
		t.Error("nothing has happened meanwhile: this test tests nothing")
	}
}
