package plan

import (
	"fmt"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// largeInput is a plan's input while a first sync goes on: n Deployments and
// Services in one namespace were named, and all of them are known.
func largeInput(n int) Input {
	in := input()
	in.All = true
	for i := range n {
		name := fmt.Sprintf("web-%05d", i)
		sel := object.Selector{Match: []object.Label{{Key: "app", Value: name}}}
		for _, o := range []*object.Object{
			{ID: deploymentKind.ID("shop", name), Workload: &object.Workload{HasSelector: true, Selector: sel}},
			{ID: object.ID{Kind: "Service", Namespace: "shop", Name: name}, Service: &object.Service{Type: "ClusterIP"}},
		} {
			in.Named.Add(Area{resolve.Builtin(o.Group, o.Kind), "shop"}, name)
			in.Needs = append(in.Needs, edges.Needs(o)...)
		}
	}
	in.Have = Make(in)
	return in
}

// A plan is made whenever parents have come; what it takes must not grow as
// they do.
func TestAPlanAllocatesByAreasAndNotByParents(t *testing.T) {
	few, many := largeInput(1000), largeInput(5000)
	cost := func(in Input) float64 { return testing.AllocsPerRun(10, func() { Make(in) }) }
	if f, m := cost(few), cost(many); m > 2*f || m > 200 {
		t.Errorf("%.0f allocations for 1,000 parents, %.0f for 5,000", f, m)
	}
	if specs := Make(many); len(specs) != 5 {
		t.Errorf("%d sources: %v", len(specs), keys(specs))
	}
}

func BenchmarkPlan(b *testing.B) {
	in := largeInput(1000)
	b.ReportAllocs()
	for b.Loop() {
		Make(in)
	}
}
