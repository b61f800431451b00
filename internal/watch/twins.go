package watch

import (
	"slices"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// twinsKept is of how many owners a Pod is remembered. Lists are sorted by name,
// so that one would nearly do.
const twinsKept = 256

// twins has the Pods of one owner share what they have in common, which is most
// of what came from its template: ports, probes, labels, what they use. An
// object that has just been decoded is still ours to write to.
type twins struct {
	mu sync.Mutex
	of map[string]*object.Object // by the owner's UID
}

func (t *twins) share(o *object.Object) {
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
		t.of = map[string]*object.Object{}
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
	if sameTemplate(p.PodTemplate, q.PodTemplate) {
		p.PodTemplate = q.PodTemplate
	} else { // a StatefulSet's pods each use a claim of their own
		one(&p.ReadinessGates, q.ReadinessGates)
		one(&p.Uses, q.Uses)
		one(&p.Requests, q.Requests)
		one(&p.HostPorts, q.HostPorts)
	}
	for i := range min(len(p.Containers), len(q.Containers)) {
		c, d := &p.Containers[i], &q.Containers[i]
		if sameSpec(c.ContainerSpec, d.ContainerSpec) {
			c.ContainerSpec = d.ContainerSpec
		}
	}
}

func sameTemplate(a, b *object.PodTemplate) bool {
	return a == b || a.RestartPolicy == b.RestartPolicy && a.ServiceAccount == b.ServiceAccount && a.PriorityClass == b.PriorityClass && a.RuntimeClass == b.RuntimeClass &&
		a.QOS == b.QOS && a.Scheduler == b.Scheduler && a.EvictAfter == b.EvictAfter && slices.Equal(a.ReadinessGates, b.ReadinessGates) &&
		slices.Equal(a.Uses, b.Uses) && slices.Equal(a.Gates, b.Gates) && slices.Equal(a.Requests, b.Requests) && slices.Equal(a.HostPorts, b.HostPorts)
}

func sameSpec(a, b *object.ContainerSpec) bool {
	return a == b || a.Name == b.Name && a.Image == b.Image && a.Kind == b.Kind && a.Memory == b.Memory && slices.Equal(a.Ports, b.Ports) &&
		sameProbe(a.Probes.Startup, b.Probes.Startup) && sameProbe(a.Probes.Readiness, b.Probes.Readiness) && sameProbe(a.Probes.Liveness, b.Probes.Liveness)
}

func sameProbe(a, b *object.Probe) bool { return a == b || a != nil && b != nil && *a == *b }

func one[T comparable](mine *[]T, twin []T) {
	if len(*mine) > 0 && slices.Equal(*mine, twin) {
		*mine = twin
	}
}
