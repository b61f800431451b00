package convert

import (
	"hash/maphash"
	"slices"
	"sync"
	"weak"

	corev1 "k8s.io/api/core/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Templates lets the Pods of one owner share what they have from its template,
// without keeping Pods in memory. Two specs are the same if the fields that are
// read of them (message.txt) are the same in protobuf. The zero value is ready
// and safe for concurrent use.
type Templates struct {
	mu      sync.Mutex
	byOwner map[string]template
}

// template is what the newest Pods of an owner have in common.
type template struct {
	sum        uint64 // of the spec
	pod        weak.Pointer[object.PodTemplate]
	containers []weak.Pointer[object.ContainerSpec]
}

// knownSpec is what an object has from a Pod's spec.
type knownSpec struct {
	sum        uint64 // of the spec; 0 if it cannot be shared
	template   *object.PodTemplate
	containers []*object.ContainerSpec
}

// maxTemplates bounds the remembered owners; then all are forgotten.
const maxTemplates = 16 << 10

var specSeed = maphash.MakeSeed()

// sumOf is the sum of an encoded spec; never 0.
func sumOf(spec []byte) uint64 { return maphash.Bytes(specSeed, spec) | 1 }

// sumOfSpec is the sum of a decoded spec, 0 if it depends on the Pod's name.
func sumOfSpec(spec corev1.PodSpec) uint64 {
	if namesClaims(&spec) {
		return 0
	}
	spec.NodeName = ""
	encoded, err := spec.Marshal()
	if err != nil {
		return 0
	}
	kept, ok := podSpecFields().keep(nil, encoded)
	if !ok {
		return 0
	}
	return sumOf(kept)
}

// namesClaims reports whether claims are named after the Pod.
func namesClaims(spec *corev1.PodSpec) bool {
	return slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Ephemeral != nil })
}

// controllerOf is the UID of a Pod's controller.
func controllerOf(pod *corev1.Pod) string {
	for _, owner := range pod.OwnerReferences {
		if orZero(owner.Controller) {
			return string(owner.UID)
		}
	}
	return ""
}

// find returns what a Pod of the same controller has from an equal spec, if
// such a Pod is still in memory; otherwise the sum alone.
func (t *Templates) find(pod *corev1.Pod, sum uint64) knownSpec {
	owner := controllerOf(pod)
	if t == nil || owner == "" || sum == 0 {
		return knownSpec{}
	}
	t.mu.Lock()
	found, ok := t.byOwner[owner]
	t.mu.Unlock()
	known := knownSpec{sum: sum}
	if !ok || found.sum != sum {
		return known
	}
	template := found.pod.Value()
	if template == nil || template.QOS != string(pod.Status.QOSClass) {
		return known
	}
	containers := make([]*object.ContainerSpec, len(found.containers))
	for i, c := range found.containers {
		if containers[i] = c.Value(); containers[i] == nil {
			return known
		}
	}
	return knownSpec{sum: sum, template: template, containers: containers}
}

// remember notes what a Pod has from its spec, before its statuses are read.
func (t *Templates) remember(pod *corev1.Pod, sum uint64, p *object.Pod) {
	owner := controllerOf(pod)
	if t == nil || owner == "" || sum == 0 {
		return
	}
	own := template{sum: sum, pod: weak.Make(p.PodTemplate)}
	for i := range p.Containers {
		own.containers = append(own.containers, weak.Make(p.Containers[i].ContainerSpec))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byOwner == nil || len(t.byOwner) >= maxTemplates {
		t.byOwner = map[string]template{}
	}
	t.byOwner[owner] = own
}
