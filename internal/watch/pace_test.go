package watch

import (
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/watch/refs"
)

// A kind that nobody knew is looked up, learned, planned for and read: three plans may pass
// until a reference has its answer, each on a machine that has no time for it.
func TestAPlanThatTookLongDoesNotKeepAReferenceBack(t *testing.T) {
	if got, want := restAfterPlan(10*time.Millisecond), 190*time.Millisecond; got != want {
		t.Errorf("after a plan of 10ms %v pass, not %v: plans take a twentieth of the time", got, want)
	}
	if got := restAfterPlan(time.Second); 3*got > refs.Patience/2 {
		t.Errorf("after a plan of 1s %v pass: three of them leave nothing of %v", got, refs.Patience)
	}
}
