package world

import (
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

func TestOfManyTroublesTheOneWithANextStepIsShown(t *testing.T) {
	var l link
	for _, s := range []feed.SourceState{{}, {Error: "a"}, {Error: "w", Hint: "do w"}, {Error: "b"}, {Error: "x", Hint: "do x"}, {}} {
		s.Phase = feed.Stale
		l.Trouble = append(l.Trouble, &s)
	}
	if c := l.Connection(false, nil); c.Trouble() != "w; do w" {
		t.Errorf("%q", c.Trouble())
	}
}

// References are always polled; they are delivered like children.
func TestASourceOfRootsThatPollsIsSaidToPoll(t *testing.T) {
	for _, c := range []struct {
		source feed.SourceState
		want   bool
	}{
		{feed.SourceState{Mode: feed.ModeWatch}, false},
		{feed.SourceState{Mode: feed.ModePollGet, Children: true}, false},
		{feed.SourceState{Mode: feed.ModePollList}, true},
		{feed.SourceState{Mode: feed.ModePollGet}, true},
	} {
		l := link{Sources: map[string]feed.SourceState{"watched": {Mode: feed.ModeWatch}, "other": c.source}}
		if got := l.Connection(false, nil).Polling; got != c.want {
			t.Errorf("polling is %v, want %v: %+v", got, c.want, c.source)
		}
	}
}
