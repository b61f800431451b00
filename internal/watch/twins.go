package watch

import (
	"slices"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// twinsKept is of how many owners a Pod is remembered. Lists are sorted by name,
// so that one would nearly do.
const twinsKept = 256

// twins has the Pods of one owner share what they have in common, which is most
// of what came from its template: ports, probes, labels, what they use. An
// object that has just been decoded is still ours to write to.
type twins struct {
	mu sync.Mutex
	of map[string]*status.Object // by the owner's UID
}

func (t *twins) share(o *status.Object) {
	if o.Pod == nil {
		return
	}
	owner, ok := o.Controller()
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	twin := t.of[owner.UID]
	if t.of == nil || len(t.of) >= twinsKept {
		t.of = map[string]*status.Object{}
	}
	t.of[owner.UID] = o
	if twin == nil {
		return
	}
	one(&o.Labels, twin.Labels)
	one(&o.Annotations, twin.Annotations)
	one(&o.Owners, twin.Owners)
	one(&o.Finalizers, twin.Finalizers)
	p, q := o.Pod, twin.Pod
	one(&p.ReadinessGates, q.ReadinessGates)
	one(&p.Uses, q.Uses)
	one(&p.Requests, q.Requests)
	one(&p.HostPorts, q.HostPorts)
	for i := range min(len(p.Containers), len(q.Containers)) {
		c, d := &p.Containers[i], &q.Containers[i]
		one(&c.Ports, d.Ports)
		oneProbe(&c.Probes.Startup, d.Probes.Startup)
		oneProbe(&c.Probes.Readiness, d.Probes.Readiness)
		oneProbe(&c.Probes.Liveness, d.Probes.Liveness)
	}
}

func one[T comparable](mine *[]T, twin []T) {
	if len(*mine) > 0 && slices.Equal(*mine, twin) {
		*mine = twin
	}
}

func oneProbe(mine **status.Probe, twin *status.Probe) {
	if *mine != nil && twin != nil && **mine == *twin {
		*mine = twin
	}
}
