package world

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func TestTheSlowestRootsComeSlowestFirstAndTheEarlierAskedForAmongEquals(t *testing.T) {
	w := New(Options{Now: time.Unix(1e9, 0)})
	for i, seconds := range []int{3, 9, 1, 9, 5, 0, 7} {
		n := w.node(&object.ID{Kind: "ConfigMap", Name: fmt.Sprint(i)})
		n.Assess, n.took = &status.Assessment{Status: status.Current}, time.Duration(seconds)*time.Second
		w.Roots = append(w.Roots, n)
	}
	w.node(&object.ID{Kind: "ConfigMap", Name: "6"}).Assess = &status.Assessment{Status: status.Failed}
	for n, want := range []string{"", "1", "13", "134", "1340", "1340"} {
		var got strings.Builder
		for _, s := range w.Slowest(n) {
			got.WriteString(s.ID.Name)
		}
		if got.String() != want {
			t.Errorf("the %d slowest: %s, want %s", n, got.String(), want)
		}
	}
}
