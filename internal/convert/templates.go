package convert

import (
	"reflect"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Templates lets the Pods of one owner share what they have from its template. The
// zero value is ready and safe for concurrent use.
type Templates struct {
	mu      sync.Mutex
	byOwner map[string]template
}

type template struct {
	pod        *object.PodTemplate
	containers []*object.ContainerSpec
}

// maxTemplates is how many owners are remembered; then it begins anew.
const maxTemplates = 16 << 10

// share replaces the template and the containers' specs of a Pod, whose status has
// not been read yet, by those of an earlier Pod of its owner that has the same.
func (t *Templates) share(o *object.Object) {
	owner, ok := o.Controller()
	if t == nil || !ok {
		return
	}
	own := template{pod: o.Pod.PodTemplate}
	for i := range o.Pod.Containers {
		own.containers = append(own.containers, o.Pod.Containers[i].ContainerSpec)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, ok := t.byOwner[owner.UID]; ok && reflect.DeepEqual(known, own) {
		o.Pod.PodTemplate = known.pod
		for i := range o.Pod.Containers {
			o.Pod.Containers[i].ContainerSpec = known.containers[i]
		}
		return
	}
	if t.byOwner == nil || len(t.byOwner) >= maxTemplates {
		t.byOwner = map[string]template{}
	}
	t.byOwner[owner.UID] = own
}
