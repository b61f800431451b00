package convert

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
	w.Replicas, w.Paused, w.ProgressDeadline = pointed(spec.Replicas), spec.Paused, pointed(spec.ProgressDeadlineSeconds)
	w.Strategy = c.word(string(spec.Strategy.Type))
	if r := spec.Strategy.RollingUpdate; r != nil {
		w.MaxUnavailable, w.MaxSurge = c.intOrString(r.MaxUnavailable), c.intOrString(r.MaxSurge)
	}
	c.workload(w, spec.MinReadySeconds, spec.Selector, &spec.Template)
	w.StatusReplicas, w.Updated, w.Ready, w.Available = optional(status.Replicas), optional(status.UpdatedReplicas), optional(status.ReadyReplicas), optional(status.AvailableReplicas)
	c.reports(*status)
	w.Unavailable, w.Terminating = optional(status.UnavailableReplicas), pointed(status.TerminatingReplicas)
	c.o.Observed = optional(status.ObservedGeneration)
	for i := range status.Conditions {
		x := &status.Conditions[i]
		c.condition(object.Statement{
			Type: string(x.Type), Status: string(x.Status), Reason: x.Reason, Message: x.Message, LastUpdateTime: when(&x.LastUpdateTime),
		}, when(&x.LastTransitionTime))
	}
	spec.Replicas = nil // scaling does not count as a change of the spec
	c.sum(&spec)
}

func (c *converter) replicaSet(r *appsv1.ReplicaSet) {
	w, spec, status := &object.Workload{}, r.Spec, &r.Status
	w.Replicas = pointed(spec.Replicas)
	c.workload(w, spec.MinReadySeconds, spec.Selector, &spec.Template)
	c.reported = true // the status always has a replica count
	w.StatusReplicas, w.FullyLabeled, w.Ready = c.required(status.Replicas), optional(status.FullyLabeledReplicas), optional(status.ReadyReplicas)
	w.Available, w.Terminating = optional(status.AvailableReplicas), pointed(status.TerminatingReplicas)
	c.o.Observed = optional(status.ObservedGeneration)
	for _, x := range status.Conditions {
		plainCondition(c, x.Type, x.Status, x.Reason, x.Message, x.LastTransitionTime)
	}
	spec.Replicas = nil // scaling does not count as a change of the spec
	c.sum(&spec)
}

// replicationController is a ReplicaSet with a plain selector.
func (c *converter) replicationController(r *corev1.ReplicationController) {
	spec, status := &r.Spec, &r.Status
	set := &appsv1.ReplicaSet{
		Spec: appsv1.ReplicaSetSpec{Replicas: spec.Replicas, MinReadySeconds: spec.MinReadySeconds, Template: orZero(spec.Template)},
		Status: appsv1.ReplicaSetStatus{
			Replicas: status.Replicas, FullyLabeledReplicas: status.FullyLabeledReplicas, ReadyReplicas: status.ReadyReplicas,
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
	w.Replicas, w.ServiceName, w.PodManagement = pointed(spec.Replicas), c.word(spec.ServiceName), c.word(string(spec.PodManagementPolicy))
	w.Strategy, w.Start = c.word(string(spec.UpdateStrategy.Type)), optional(orZero(spec.Ordinals).Start)
	if r := spec.UpdateStrategy.RollingUpdate; r != nil {
		w.Partition, w.MaxUnavailable = pointed(r.Partition), c.intOrString(r.MaxUnavailable)
	}
	for i := range spec.VolumeClaimTemplates {
		w.ClaimTemplates = append(w.ClaimTemplates, c.word(spec.VolumeClaimTemplates[i].Name))
	}
	c.workload(w, spec.MinReadySeconds, spec.Selector, &spec.Template)
	c.reported = true
	w.StatusReplicas, w.Ready, w.Current, w.Updated = c.required(status.Replicas), optional(status.ReadyReplicas), optional(status.CurrentReplicas), optional(status.UpdatedReplicas)
	w.Available, w.CurrentRevision, w.UpdateRevision = c.required(status.AvailableReplicas), c.word(status.CurrentRevision), c.word(status.UpdateRevision)
	c.o.Observed = optional(status.ObservedGeneration)
	for _, x := range status.Conditions {
		plainCondition(c, x.Type, x.Status, x.Reason, x.Message, x.LastTransitionTime)
	}
	spec.Replicas = nil // scaling does not count as a change of the spec
	c.sum(&spec)
}

func (c *converter) daemonSet(d *appsv1.DaemonSet) {
	w, spec, status := &object.Workload{}, &d.Spec, &d.Status
	w.Strategy = c.word(string(spec.UpdateStrategy.Type))
	if r := spec.UpdateStrategy.RollingUpdate; r != nil {
		w.MaxUnavailable, w.MaxSurge = c.intOrString(r.MaxUnavailable), c.intOrString(r.MaxSurge)
	}
	c.workload(w, spec.MinReadySeconds, spec.Selector, &spec.Template)
	w.CSIDrivers, w.Placement = c.drivers(spec.Template.Spec.Volumes), c.placement(&spec.Template.Spec)
	c.reported = true
	w.Current, w.Misscheduled, w.Desired, w.Ready = c.required(status.CurrentNumberScheduled), c.required(status.NumberMisscheduled), c.required(status.DesiredNumberScheduled), c.required(status.NumberReady)
	w.Updated, w.Available, w.Unavailable = optional(status.UpdatedNumberScheduled), optional(status.NumberAvailable), optional(status.NumberUnavailable)
	c.o.Observed = optional(status.ObservedGeneration)
	for _, x := range status.Conditions {
		plainCondition(c, x.Type, x.Status, x.Reason, x.Message, x.LastTransitionTime)
	}
	c.sum(spec)
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
func (c *converter) workload(w *object.Workload, minReady int32, selector *metav1.LabelSelector, template *corev1.PodTemplateSpec) {
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
				Container: c.word(all[i].Name), Image: c.word(all[i].Image), Memory: quantity(all[i].Resources.Limits, corev1.ResourceMemory),
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
		out.Exprs = append(out.Exprs, object.Requirement{Key: c.word(r.Key), Operator: c.word(string(r.Operator)), Values: c.words(r.Values)})
	}
	return out
}

func (c *converter) intOrString(v *intstr.IntOrString) string {
	if v == nil {
		return ""
	}
	return c.word(v.String())
}

// sum notes the checksum of a spec.
func (c *converter) sum(spec interface{ Marshal() ([]byte, error) }) {
	if c.o.SpecSum = c.opts.specSum; c.o.SpecSum == 0 {
		c.o.SpecSum = specSum(spec.Marshal())
	}
}

// specSum is a one-way checksum of an encoded spec; 0 if it could not be encoded.
func specSum(text []byte, _ error) uint32 { return crc32.Checksum(text, castagnoli) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
