package model

import (
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// While much is being explained a tick comes with every frame; a frame is drawn
// when there is something new to see.
func TestTicksThatShowNothingNewAreNoNewRevision(t *testing.T) {
	batch, pods := city(500)
	for _, o := range pods { // much to explain
		o.Pod.Phase, o.Pod.Containers[0].Ready = "Pending", false
		o.Pod.Containers[0].State = status.ContainerState{Kind: "waiting", Reason: "ImagePullBackOff", Message: "no such image: " + o.Name}
	}
	p := newPlay(t, Options{Screen: true})
	p.send(Resized{200, 60}, Measured{TreeRows: 50})
	p.batch(0, batch)
	ticks, drawn := 0, 0
	rev := p.m.Revision()
	for p.m.x.busy() {
		if ticks++; ticks > 600 {
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
	second := p.m.Now().Truncate(time.Second)
	p.send(ClockTicked{Now: second.Add(999 * time.Millisecond)})
	if r := p.m.Revision(); r != rev {
		t.Error("a tick within the same second is a new revision")
	}
	p.send(ClockTicked{Now: second.Add(time.Second)})
	if r := p.m.Revision(); r == rev {
		t.Error("a new second is no new revision")
	}
}
