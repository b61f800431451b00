package explain

import (
	"errors"
	"fmt"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// pendingPods is a cluster with as many nodes as pending Pods, all of them too
// small. cpu is a Pod's request, by its number.
func pendingPods(t testing.TB, n int, cpu func(i int) int) (*world, []object.ID) {
	w := newWorld(caseNow)
	w.complete[object.ID{Kind: "Node"}], w.complete[object.ID{Kind: "Pod"}] = true, true
	var roots []object.ID
	for i := range n {
		w.add(t, fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-%d", "namespace": "shop", "uid": "p%d"},
			"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": "%d"}}}]},
			"status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
			"message": "0/%d nodes are available: %d Insufficient cpu."}]}}`, i, i, cpu(i), n, n))
		w.add(t, fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n%d", "uid": "n%d"},
			"status": {"allocatable": {"cpu": "4", "pods": "110"}}}`, i, i))
		roots = append(roots, object.ID{Kind: "Pod", Namespace: "shop", Name: fmt.Sprint("web-", i)})
	}
	return w, roots
}

// The number of checks is bounded: Pods of one template are checked once, and
// where each Pod asks for something else, those beyond a bound are judged by
// the scheduler's message. It is counted in allocations, which do not depend on
// the machine.
func TestPendingPodsAreNotEachCheckedAgainstEachNode(t *testing.T) {
	for name, c := range map[string]struct {
		pods   int
		cpu    func(i int) int
		allocs float64 // for each Pod
	}{
		"one template": {300, func(int) int { return 8 }, 150},
		"each its own": {600, func(i int) int { return 8 + i }, 150},
	} {
		t.Run(name, func(t *testing.T) {
			w, roots := pendingPods(t, c.pods, c.cpu)
			s := w.snapshot()
			var causes []Cause
			allocs := testing.AllocsPerRun(1, func() { causes = Explain(s, roots).Causes })
			count := 0
			for _, x := range causes {
				if x.Code != "NotEnoughResources" {
					t.Errorf("%s: %s", x.Code, x.Title)
				}
				count += x.Count
			}
			if count != c.pods {
				t.Errorf("%d Pods are explained, want %d", count, c.pods)
			}
			if allocs /= float64(c.pods); allocs > c.allocs {
				t.Errorf("%.0f allocations for each Pod, want at most %.0f", allocs, c.allocs)
			}
			t.Logf("%.0f allocations for each Pod", allocs)
		})
	}
}

// A Pod that its decoder refuses is known by its metadata alone. It is Unknown,
// and what it belongs to is explained.
func TestAPodWithoutAViewIsExplained(t *testing.T) {
	w := newWorld(caseNow)
	w.add(t, []byte(`{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web-1", "namespace": "shop", "uid": "rs", "generation": 1},
		"spec": {"replicas": 1}, "status": {"replicas": 1, "observedGeneration": 1}}`))
	w.put(&object.Object{
		ID: object.ID{Kind: "Pod", Namespace: "shop", Name: "web-1-x"}, UID: "p", MetadataOnly: true,
		Flaws:  []object.Flaw{object.Unreadable(errors.New("cannot read spec.containers"))},
		Owners: []object.Owner{{Kind: "ReplicaSet", Name: "web-1", UID: "rs", Controller: true}},
	})
	causes := Explain(w.snapshot(), w.roots("shop")).Causes
	if len(causes) == 0 {
		t.Error("no causes")
	}
}
