package watch

import (
	"fmt"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// BenchmarkPlan makes plans for 3,000 targets that do not change between them, as
// when one child after the other has come.
func BenchmarkPlan(b *testing.B) {
	c := testcluster.New()
	defer c.Close()
	var targets []inventory.Target
	for i := range 1000 {
		for _, typ := range []string{"deployment", "service", "configmap"} {
			targets = append(targets, named(typ, fmt.Sprintf("web-%04d", i)))
		}
	}
	e, err := New(Options{Config: c.Config(), Targets: targets, Namespace: "shop"})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	e.plan()
	b.ReportAllocs()
	for b.Loop() {
		e.plan()
	}
}
