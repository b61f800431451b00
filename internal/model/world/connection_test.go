package world

import (
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

func TestOfManyTroublesTheOneWithANextStepIsShown(t *testing.T) {
	var c Connection
	for _, s := range []feed.SourceState{{Error: "a"}, {Error: "x", Hint: "do x"}, {Error: "b"}, {Error: "w", Hint: "do w"}, {}} {
		c.stale(&s)
	}
	if c.Trouble() != "w; do w" {
		t.Errorf("%q", c.Trouble())
	}
}
