package world

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func TestTheSlowestRootIsTheFirstAmongEquals(t *testing.T) {
	w := New(Options{Now: time.Unix(1e9, 0)})
	if id, took := w.Slowest(); took != 0 {
		t.Errorf("the slowest of none: %v %s", id, took)
	}
	var took []time.Duration
	for i, seconds := range []int{3, 9, 1, 9, 0, 12} {
		n := w.Tree.node(&object.ID{Kind: "ConfigMap", Name: fmt.Sprint(i)})
		n.Assess, n.untilCurrent = &status.Assessment{Status: status.Current}, time.Duration(seconds)*time.Second
		if seconds == 12 {
			n.Assess = &status.Assessment{Status: status.Failed}
		}
		w.Tree.Roots = append(w.Tree.Roots, n)
		took = append(took, w.Took(n)/time.Second)
	}
	w.Tree.node(&object.ID{Kind: "ConfigMap", Name: "6"}).Assess = &status.Assessment{Status: status.Failed}
	if id, took := w.Slowest(); id.Name != "1" || took != 9*time.Second {
		t.Errorf("the slowest: %v %s", id, took)
	}
	if want := []time.Duration{3, 9, 0, 9, 0, 0}; !slices.Equal(took, want) {
		t.Errorf("seconds taken: %d, want %d", took, want)
	}
}
