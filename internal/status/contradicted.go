package status

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// contradicted is what the rule of a built-in kind calls Current, unless a condition that
// the rule does not read is clearly a fault, as of a load balancer's controller
// (LoadBalancerPortsError) or a node-problem-detector of one's own. What a custom kind's
// row calls Current is compared with the conventions where the row is read (byRow).
func (j *judge) contradicted(a Assessment) Assessment {
	if !slices.ContainsFunc(j.o.Conditions, func(c object.Condition) bool { return !kubernetesOwn(c.Type) }) {
		return a
	}
	s := newSignals(j)
	s.rootTrue, s.summed = true, true
	for i := range j.o.Conditions {
		c := &j.o.Conditions[i]
		if i == a.condition-1 || c.Type == "" || kubernetesOwn(c.Type) ||
			j.o.Stale(c) || j.o.Superseded(i) || j.row.Ignores(c.Type) || j.row.Names(c.Type) {
			continue
		}
		s.sibling(i, true)
	}
	other, found := s.worst()
	if !found || other.Status != Failed {
		return a
	}
	j.sure = Convention
	return other
}

// kubernetesOwn reports whether a condition type is one that the rule of a built-in kind
// has judged: those of k8s.io/api v0.37.
func kubernetesOwn(typ string) bool {
	switch typ {
	case "Ready", "PodScheduled", "Initialized", "ContainersReady",
		"PodReadyToStartContainers", "DisruptionTarget", "PodResizePending", "PodResizeInProgress",
		"Progressing", "Available", "ReplicaFailure", "StatefulSetProgressing",
		"Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet",
		"Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError",
		"ModifyingVolume", "ModifyVolumeError",
		Reconciling, Stalled:
		return true
	}
	return false
}
