package tui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What changes right after something else did is explained a tenth of a second
// later, and not with the next second's tick.
func TestATickComesEarlierWhenTheModelFindsOutThatItMust(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &program{opts: Options{Now: time.Now}}
		p.m, _ = model.New(model.Options{Now: time.Now(), Screen: true})
		change := func(seq uint64) {
			o := &object.Object{
				ID: object.ID{Kind: "Pod", Namespace: "shop", Name: "web"}, UID: "1", Created: time.Now(),
				Pod: &object.Pod{PodTemplate: &object.PodTemplate{}, Phase: "Running"}, Conditions: []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "False"}}},
			}
			b := feed.Batch{Seq: seq, At: time.Now(), Synced: true, Roots: []feed.Root{{ID: o.ID}}, Objects: []*object.Object{o}}
			p.m, _ = p.m.Update(model.BatchArrived{Batch: b})
		}
		change(1)
		p.tick()
		first := p.tickNo
		time.Sleep(20 * time.Millisecond)
		change(2)
		if cmd := p.rewind(); cmd == nil || p.tickNo == first || time.Until(p.due) > 200*time.Millisecond {
			t.Errorf("the next tick comes in %s", time.Until(p.due))
		}
		if cmd := p.rewind(); cmd != nil {
			t.Error("and another one")
		}
		rev := p.m.Revision()
		if p.handle(ticked{first}); p.m.Revision() != rev {
			t.Error("the tick that was put off comes too")
		}
	})
}

func TestTheWheelDoesNotReachThroughThePalette(t *testing.T) {
	p := &program{opts: Options{Now: time.Now}}
	p.m, _ = model.New(model.Options{Now: time.Now(), Screen: true})
	p.m, _ = p.m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	b := feed.Batch{Seq: 1, At: time.Now(), Synced: true}
	for _, name := range []string{"a", "b"} {
		o := &object.Object{ID: object.ID{Kind: "ConfigMap", Namespace: "shop", Name: name}, UID: name}
		b.Roots, b.Objects = append(b.Roots, feed.Root{ID: o.ID}), append(b.Objects, o)
	}
	p.m, _ = p.m.Update(model.BatchArrived{Batch: b})
	p.m, _ = p.m.Update(tea.KeyPressMsg{Code: ':', Text: ":"})
	was, _ := p.m.Selected()
	p.handle(tea.MouseWheelMsg{Button: tea.MouseWheelDown, X: 3, Y: 6})
	if is, _ := p.m.Selected(); is != was {
		t.Errorf("the selection goes from %s to %s below it", was.ID, is.ID)
	}
}
