package convert

import (
	"reflect"
	"sync"
	"weak"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Templates lets the Pods of one owner share their template's fields, without
// keeping Pods in memory. The zero value is ready and safe for concurrent use.
type Templates struct {
	mu      sync.Mutex
	byOwner map[string]template
}

type template struct {
	pod        weak.Pointer[object.PodTemplate]
	containers []weak.Pointer[object.ContainerSpec]
}

// maxTemplates bounds the remembered owners; then all are forgotten.
const maxTemplates = 16 << 10

// share replaces the template and the containers' specs of a Pod, whose status
// has not been read yet, by equal ones of an earlier Pod of its owner.
func (t *Templates) share(o *object.Object) {
	owner, ok := o.Controller()
	if t == nil || !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, ok := t.byOwner[owner.UID]; ok && known.replaces(o.Pod) {
		return
	}
	if t.byOwner == nil || len(t.byOwner) >= maxTemplates {
		t.byOwner = map[string]template{}
	}
	own := template{pod: weak.Make(o.Pod.PodTemplate)}
	for i := range o.Pod.Containers {
		own.containers = append(own.containers, weak.Make(o.Pod.Containers[i].ContainerSpec))
	}
	t.byOwner[owner.UID] = own
}

// replaces shares the template with a Pod if they are equal and another Pod
// still uses it.
func (t template) replaces(p *object.Pod) bool {
	pod := t.pod.Value()
	if pod == nil || len(p.Containers) != len(t.containers) || !reflect.DeepEqual(pod, p.PodTemplate) {
		return false
	}
	specs := make([]*object.ContainerSpec, len(t.containers))
	for i, w := range t.containers {
		if specs[i] = w.Value(); specs[i] == nil || !reflect.DeepEqual(specs[i], p.Containers[i].ContainerSpec) {
			return false
		}
	}
	p.PodTemplate = pod
	for i := range specs {
		p.Containers[i].ContainerSpec = specs[i]
	}
	return true
}
