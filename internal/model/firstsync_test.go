package model

import (
	"testing"
	"time"
)

// While much is being explained a tick comes with every frame; a frame is drawn
// when there is something new to see.
func TestTicksThatShowNothingNewAreNoNewRevision(t *testing.T) {
	batch, pods := city(500)
	for _, o := range pods {
		o.Pod.Containers[0].Started = false // or nobody would look at it
	}
	p := newPlay(t, Options{Screen: true})
	p.send(Resized{200, 60}, Measured{TreeRows: 50})
	p.batch(0, batch)
	ticks, drawn := 0, 0
	rev := p.m.Revision()
	for p.m.x.busy() {
		if ticks++; ticks > 60 {
			t.Fatal("it is still being explained")
		}
		p.send(ClockTicked{Now: at(time.Duration(ticks) * stepEvery)})
		if r := p.m.Revision(); r != rev {
			rev = r
			drawn++
		}
	}
	if ticks < 5 || drawn > 3 {
		t.Errorf("%d revisions in %d ticks", drawn, ticks)
	}
	p.send(ClockTicked{Now: at(999 * time.Millisecond)})
	if r := p.m.Revision(); r != rev {
		t.Error("a tick within the same second is a new revision")
	}
	p.send(ClockTicked{Now: at(time.Second)})
	if r := p.m.Revision(); r == rev {
		t.Error("a new second is no new revision")
	}
}
