package convert

// A counter is required, optional or fromPointer, by the way in which its field in
// k8s.io/api/apps/v1 is left out: see those functions.

import (
	"hash/crc32"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func (c *converter) deployment(d *appsv1.Deployment) {
	w, spec, status := &object.Workload{}, d.Spec, &d.Status
	w.Replicas, w.Paused = fromPointer(spec.Replicas), spec.Paused
	w.ProgressDeadline = fromPointer(spec.ProgressDeadlineSeconds)
	w.Strategy = c.word(string(spec.Strategy.Type))
	if r := spec.Strategy.RollingUpdate; r != nil {
		w.MaxUnavailable, w.MaxSurge = c.intOrString(r.MaxUnavailable), c.intOrString(r.MaxSurge)
	}
	c.workload(w, spec.MinReadySeconds, spec.Selector, &spec.Template)
	c.noteStatus(*status)
	w.StatusReplicas = optional(status.Replicas)
	w.Updated = optional(status.UpdatedReplicas)
	w.Ready = optional(status.ReadyReplicas)
	w.Available = optional(status.AvailableReplicas)
	w.Unavailable = optional(status.UnavailableReplicas)
	w.Terminating = fromPointer(status.TerminatingReplicas)
	c.o.Observed = optional(status.ObservedGeneration)
	for i := range status.Conditions {
		x := &status.Conditions[i]
		c.condition(object.Statement{
			Type: string(x.Type), Status: string(x.Status), Reason: x.Reason, Message: x.Message,
			LastUpdateTime: when(&x.LastUpdateTime),
		}, when(&x.LastTransitionTime))
	}
	spec.Replicas = nil // scaling does not count as a change of the spec
	c.checksum(&spec)
}

func (c *converter) replicaSet(r *appsv1.ReplicaSet) {
	w, spec, status := &object.Workload{}, r.Spec, &r.Status
	w.Replicas = fromPointer(spec.Replicas)
	c.workload(w, spec.MinReadySeconds, spec.Selector, &spec.Template)
	c.hasStatus = true // it always has a replica count
	w.StatusReplicas = c.required(status.Replicas)
	w.FullyLabeled = optional(status.FullyLabeledReplicas)
	w.Ready = optional(status.ReadyReplicas)
	w.Available = optional(status.AvailableReplicas)
	w.Terminating = fromPointer(status.TerminatingReplicas)
	c.o.Observed = optional(status.ObservedGeneration)
	for _, x := range status.Conditions {
		plainCondition(c, x.Type, x.Status, x.Reason, x.Message, x.LastTransitionTime)
	}
	spec.Replicas = nil // scaling does not count as a change of the spec
	c.checksum(&spec)
}

// replicationController is a ReplicaSet with a plain selector.
func (c *converter) replicationController(r *corev1.ReplicationController) {
	spec, status := &r.Spec, &r.Status
	set := &appsv1.ReplicaSet{
		Spec: appsv1.ReplicaSetSpec{
			Replicas: spec.Replicas, MinReadySeconds: spec.MinReadySeconds,
			Template: orZero(spec.Template),
		},
		Status: appsv1.ReplicaSetStatus{
			Replicas: status.Replicas, FullyLabeledReplicas: status.FullyLabeledReplicas,
			ReadyReplicas:     status.ReadyReplicas,
			AvailableReplicas: status.AvailableReplicas, ObservedGeneration: status.ObservedGeneration,
		},
	}
	if spec.Selector != nil {
		set.Spec.Selector = &metav1.LabelSelector{MatchLabels: spec.Selector}
	}
	c.replicaSet(set)
	for _, x := range status.Conditions {
		plainCondition(c, x.Type, x.Status, x.Reason, x.Message, x.LastTransitionTime)
	}
}

func (c *converter) statefulSet(s *appsv1.StatefulSet) {
	w, spec, status := &object.Workload{}, s.Spec, &s.Status
	w.Replicas = fromPointer(spec.Replicas)
	w.ServiceName, w.PodManagement = c.word(spec.ServiceName), c.word(string(spec.PodManagementPolicy))
	w.Strategy, w.Start = c.word(string(spec.UpdateStrategy.Type)), optional(orZero(spec.Ordinals).Start)
	if r := spec.UpdateStrategy.RollingUpdate; r != nil {
		w.Partition, w.MaxUnavailable = fromPointer(r.Partition), c.intOrString(r.MaxUnavailable)
	}
	for i := range spec.VolumeClaimTemplates {
		w.ClaimTemplates = append(w.ClaimTemplates, c.word(spec.VolumeClaimTemplates[i].Name))
	}
	c.workload(w, spec.MinReadySeconds, spec.Selector, &spec.Template)
	c.hasStatus = true // it always has a replica count
	w.StatusReplicas = c.required(status.Replicas)
	w.Ready = optional(status.ReadyReplicas)
	w.Current = optional(status.CurrentReplicas)
	w.Updated = optional(status.UpdatedReplicas)
	w.Available = c.required(status.AvailableReplicas)
	w.CurrentRevision, w.UpdateRevision = c.word(status.CurrentRevision), c.word(status.UpdateRevision)
	c.o.Observed = optional(status.ObservedGeneration)
	for _, x := range status.Conditions {
		plainCondition(c, x.Type, x.Status, x.Reason, x.Message, x.LastTransitionTime)
	}
	spec.Replicas = nil // scaling does not count as a change of the spec
	c.checksum(&spec)
}

func (c *converter) daemonSet(d *appsv1.DaemonSet) {
	w, spec, status := &object.Workload{}, &d.Spec, &d.Status
	w.Strategy = c.word(string(spec.UpdateStrategy.Type))
	if r := spec.UpdateStrategy.RollingUpdate; r != nil {
		w.MaxUnavailable, w.MaxSurge = c.intOrString(r.MaxUnavailable), c.intOrString(r.MaxSurge)
	}
	c.workload(w, spec.MinReadySeconds, spec.Selector, &spec.Template)
	w.CSIDrivers, w.Placement = c.drivers(spec.Template.Spec.Volumes), c.placement(&spec.Template.Spec)
	c.hasStatus = true // it always has these four
	w.Current = c.required(status.CurrentNumberScheduled)
	w.Misscheduled = c.required(status.NumberMisscheduled)
	w.Desired = c.required(status.DesiredNumberScheduled)
	w.Ready = c.required(status.NumberReady)
	w.Updated = optional(status.UpdatedNumberScheduled)
	w.Available = optional(status.NumberAvailable)
	w.Unavailable = optional(status.NumberUnavailable)
	c.o.Observed = optional(status.ObservedGeneration)
	for _, x := range status.Conditions {
		plainCondition(c, x.Type, x.Status, x.Reason, x.Message, x.LastTransitionTime)
	}
	c.checksum(spec)
}

// drivers are the CSI drivers that a Pod template brings to a node: the kubelet finds the
// socket of each in a directory of its name (kubernetes-csi/node-driver-registrar v2.15,
// --kubelet-registration-path: …/plugins/NAME/csi.sock).
func (c *converter) drivers(volumes []corev1.Volume) (out []string) {
	for i := range volumes {
		if h := volumes[i].HostPath; h != nil {
			_, dir, ok := strings.Cut(strings.ReplaceAll(h.Path, `\`, "/"), "/plugins/")
			if name, _, _ := strings.Cut(dir, "/"); ok && name != "" {
				out = append(out, c.word(name))
			}
		}
	}
	return out
}

// workload is what all workload kinds have in common.
func (c *converter) workload(
	w *object.Workload, minReady int32, selector *metav1.LabelSelector, template *corev1.PodTemplateSpec,
) {
	c.o.Workload = w
	w.MinReadySeconds = optional(minReady)
	w.HasSelector, w.Selector = selector != nil, c.selector(selector)
	w.PodLabels, w.Images = c.labels(template.Labels), c.images(&template.Spec)
	w.ServiceAccount = c.word(template.Spec.ServiceAccountName)
}

func (c *converter) images(spec *corev1.PodSpec) (out []object.Image) {
	for _, all := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range all[:min(len(all), maxContainers)] {
			out = append(out, object.Image{
				Container: c.word(all[i].Name), Image: c.word(all[i].Image),
				Memory: quantity(all[i].Resources.Limits, corev1.ResourceMemory),
			})
		}
	}
	return out
}

func (c *converter) selector(s *metav1.LabelSelector) (out object.Selector) {
	if s == nil {
		return out
	}
	out.Match = c.labels(s.MatchLabels)
	for _, r := range s.MatchExpressions {
		out.Exprs = append(out.Exprs,
			object.Requirement{Key: c.word(r.Key), Operator: c.word(string(r.Operator)), Values: c.words(r.Values)})
	}
	return out
}

func (c *converter) intOrString(v *intstr.IntOrString) string {
	if v == nil {
		return ""
	}
	return c.word(v.String())
}

// checksum notes the checksum of a spec: unlike the generation it tells a change of the spec
// from one of replicas alone.
func (c *converter) checksum(spec interface{ Marshal() ([]byte, error) }) {
	if c.o.SpecSum = c.opts.specSum; c.o.SpecSum == 0 {
		c.o.SpecSum = specSum(spec.Marshal())
	}
}

// specSum is a one-way checksum of an encoded spec; 0 if it could not be encoded.
func specSum(text []byte, _ error) uint32 { return crc32.Checksum(text, castagnoli) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
