package events

import (
	"fmt"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

func TestOfTooManyEventsItIsKnownAboutWhomTheyWere(t *testing.T) {
	var e kept
	about := func(uid string, n int) (list []feed.Event) {
		for i := range n {
			list = append(list, feed.Event{UID: fmt.Sprint(uid, i), AboutUID: uid})
		}
		return list
	}
	got := func(uid string) int {
		n := -1
		e.hand(uid, func(list []feed.Event) { n = len(list) })
		return n
	}
	if got("nobody") >= 0 {
		t.Error("an answer before there was a list")
	}
	e.add(about("early", 3))
	e.add(about("late", 3))
	e.begin()
	gone := about("early", 1)
	gone[0].Gone = true
	e.add(gone)
	if n := got("early"); n != 2 {
		t.Errorf("%d events about early, of which one has gone", n)
	}
	if n := got("nobody"); n != 0 {
		t.Errorf("%d events about nobody", n)
	}
	e.add(about("many", keptMost-4))
	if got("early") >= 0 {
		t.Error("what was dropped passes for everything")
	}
	if n := got("late"); n != 3 {
		t.Errorf("%d events about late", n)
	}
}
