package convert

import (
	"cmp"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Bounds of one Pod.
const (
	maxContainers = 256
	maxUses       = 256
)

func (c *converter) pod(pod *corev1.Pod) {
	p, spec, status := &object.Pod{GracePeriod: fromPointer(pod.DeletionGracePeriodSeconds)}, &pod.Spec, &pod.Status
	c.o.Pod = p
	p.Node, p.Nominated = c.word(spec.NodeName), c.word(status.NominatedNodeName)
	p.Phase, p.Reason, p.Message = c.word(string(status.Phase)), c.word(status.Reason), c.text(status.Message)
	p.Started, p.IP = when(status.StartTime), c.text(status.PodIP)

	c.template(pod)
	c.statuses(object.InitContainer, status.InitContainerStatuses)
	c.statuses(object.MainContainer, status.ContainerStatuses)
	c.statuses(object.EphemeralContainer, status.EphemeralContainerStatuses)
	slices.SortStableFunc(p.Containers, func(a, b object.Container) int { return a.Kind.Order() - b.Kind.Order() })
	if p.Node == "" {
		p.Placement = c.placement(spec)
	}
	c.noteStatus(*status)
	c.o.Observed = optional(status.ObservedGeneration)
	c.o.Conditions = slices.Grow(c.o.Conditions, min(len(status.Conditions), maxConditions))
	for i := range status.Conditions {
		x := &status.Conditions[i]
		c.condition(object.Statement{
			Type: string(x.Type), Status: string(x.Status), Reason: x.Reason,
			Message: x.Message, ObservedGeneration: optional(x.ObservedGeneration),
		}, when(&x.LastTransitionTime))
	}
}

// template is what a Pod has from its spec, but for its node: shared with an
// earlier Pod of its owner if that has the same spec.
func (c *converter) template(pod *corev1.Pod) {
	known := c.opts.known
	if known.sum == 0 && c.opts.Shared != nil && controllerOf(pod) != "" {
		known = c.opts.Shared.find(pod, sumOfSpec(pod.Spec))
	}
	if known.template == nil {
		c.readTemplate(pod)
		c.opts.Shared.remember(pod, known.sum, c.o.Pod)
		return
	}
	p := c.o.Pod
	p.PodTemplate = known.template
	p.Containers = make([]object.Container, 0, max(len(known.containers), len(pod.Status.ContainerStatuses)))
	for _, spec := range known.containers {
		p.Containers = append(p.Containers, object.Container{ContainerSpec: spec})
	}
}

func (c *converter) readTemplate(pod *corev1.Pod) {
	spec := &pod.Spec
	template := &object.PodTemplate{
		RestartPolicy:  c.word(string(spec.RestartPolicy)),
		ServiceAccount: c.word(spec.ServiceAccountName), PriorityClass: c.word(spec.PriorityClassName),
		RuntimeClass: c.word(orZero(spec.RuntimeClassName)),
		QOS:          c.word(string(pod.Status.QOSClass)), Scheduler: c.word(spec.SchedulerName),
		Uses: c.uses(spec), Requests: requests(pod), EvictAfter: evictAfter(spec.Tolerations),
	}
	for _, g := range spec.ReadinessGates {
		template.ReadinessGates = append(template.ReadinessGates, c.word(string(g.ConditionType)))
	}
	for _, g := range spec.SchedulingGates {
		template.Gates = append(template.Gates, c.word(g.Name))
	}
	if a := spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		template.AntiAffinity = c.podTerms(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	c.o.Pod.PodTemplate = template
	for i := range spec.InitContainers {
		kind := object.InitContainer
		if x := &spec.InitContainers[i]; orZero(x.RestartPolicy) == corev1.ContainerRestartPolicyAlways {
			kind = object.SidecarContainer
		}
		c.container(kind, &spec.InitContainers[i])
	}
	for i := range spec.Containers {
		c.container(object.MainContainer, &spec.Containers[i])
	}
	for i := range spec.EphemeralContainers {
		x := corev1.Container(spec.EphemeralContainers[i].EphemeralContainerCommon)
		c.container(object.EphemeralContainer, &x)
	}
}

func (c *converter) container(kind object.ContainerKind, from *corev1.Container) {
	p := c.o.Pod
	if len(p.Containers) >= maxContainers {
		return
	}
	policy := corev1.ContainerRestartPolicy("") // its own
	if kind != object.SidecarContainer {
		policy = orZero(from.RestartPolicy)
	}
	spec := &object.ContainerSpec{
		Name: c.word(from.Name), Image: c.word(from.Image), Kind: kind,
		Memory:        quantity(from.Resources.Limits, corev1.ResourceMemory),
		CPURequest:    quantity(from.Resources.Requests, corev1.ResourceCPU),
		CPULimit:      quantity(from.Resources.Limits, corev1.ResourceCPU),
		MemoryRequest: quantity(from.Resources.Requests, corev1.ResourceMemory),
		Probes: object.Probes{
			Startup: c.probe(from.StartupProbe), Readiness: c.probe(from.ReadinessProbe),
			Liveness: c.probe(from.LivenessProbe),
		},
		PreStop: from.Lifecycle != nil && from.Lifecycle.PreStop != nil,
		Again:   policy != "" && policy != corev1.ContainerRestartPolicyNever || len(from.RestartPolicyRules) > 0,
		Always:  policy == corev1.ContainerRestartPolicyAlways,
	}
	for _, port := range from.Ports {
		spec.Ports = append(spec.Ports,
			object.Port{Name: c.word(port.Name), Number: port.ContainerPort, Protocol: c.word(string(port.Protocol))})
		if port.HostPort != 0 {
			p.HostPorts = append(p.HostPorts,
				object.Port{Name: c.word(port.Name), Number: port.HostPort, Protocol: c.word(string(port.Protocol))})
		}
	}
	p.Containers = append(p.Containers, object.Container{ContainerSpec: spec})
}

func (c *converter) probe(from *corev1.Probe) *object.Probe {
	if from == nil {
		return nil
	}
	p := &object.Probe{
		InitialDelay: from.InitialDelaySeconds, Period: from.PeriodSeconds,
		Threshold: from.FailureThreshold, Wait: from.TimeoutSeconds,
	}
	switch {
	case from.HTTPGet != nil:
		scheme := strings.ToLower(cmp.Or(string(from.HTTPGet.Scheme), "http"))
		p.What = c.word(scheme + " :" + from.HTTPGet.Port.String() + from.HTTPGet.Path)
	case from.TCPSocket != nil:
		p.What = c.word("tcp :" + from.TCPSocket.Port.String())
	case from.GRPC != nil:
		p.What = c.word("grpc :" + (&intstr.IntOrString{IntVal: from.GRPC.Port}).String())
	case from.Exec != nil:
		p.What = "exec"
	}
	return p
}

// statuses joins container statuses with the spec's containers. A status
// without a container is kept, too.
func (c *converter) statuses(kind object.ContainerKind, all []corev1.ContainerStatus) {
	p := c.o.Pod
	for i := range all {
		from := &all[i]
		name := c.word(from.Name)
		at := slices.IndexFunc(p.Containers, func(x object.Container) bool {
			return x.Name == name && x.Kind.Order() == kind.Order() && x.Place == 0
		})
		if at < 0 {
			if len(p.Containers) >= maxContainers {
				return
			}
			at = len(p.Containers)
			p.Containers = append(p.Containers,
				object.Container{ContainerSpec: &object.ContainerSpec{Name: name, Kind: kind}})
		}
		x := &p.Containers[at]
		x.Ready, x.Started, x.Restarts, x.Place = from.Ready, orZero(from.Started),
			int64(from.RestartCount), int32(min(i, 1<<20))+1
		x.State = c.state(&from.State)
		if last := c.state(&from.LastTerminationState); last != (object.ContainerState{}) {
			x.Prior = &last
		}
		if x.Image == "" && from.Image != "" {
			own := *x.ContainerSpec // a copy: the spec may be shared
			own.Image = c.word(from.Image)
			x.ContainerSpec = &own
		}
	}
}

func (c *converter) state(from *corev1.ContainerState) (s object.ContainerState) {
	switch {
	case from.Terminated != nil:
		t := from.Terminated
		return object.ContainerState{
			Kind: "terminated", Reason: c.word(t.Reason), Message: c.text(t.Message),
			ExitCode: t.ExitCode, Signal: t.Signal,
			Started: when(&t.StartedAt), Finished: when(&t.FinishedAt),
		}
	case from.Running != nil:
		return object.ContainerState{Kind: "running", Started: when(&from.Running.StartedAt)}
	case from.Waiting != nil:
		return object.ContainerState{
			Kind: "waiting", Reason: c.word(from.Waiting.Reason),
			Message: c.text(from.Waiting.Message),
		}
	}
	return s
}

// uses are the objects that a Pod needs by name. Values of environment
// variables are not read.
func (c *converter) uses(spec *corev1.PodSpec) (out []object.Use) {
	add := func(kind, name, key string, optional *bool) {
		u := object.Use{Kind: kind, Name: c.word(name), Key: c.word(key), Optional: orZero(optional)}
		if u.Name != "" && len(out) < maxUses && !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	env := func(all []corev1.EnvVar, from []corev1.EnvFromSource) {
		for _, e := range all {
			if e.ValueFrom == nil {
				continue
			}
			if r := e.ValueFrom.ConfigMapKeyRef; r != nil {
				add("ConfigMap", r.Name, r.Key, r.Optional)
			}
			if r := e.ValueFrom.SecretKeyRef; r != nil {
				add("Secret", r.Name, r.Key, r.Optional)
			}
		}
		for _, f := range from {
			if f.ConfigMapRef != nil {
				add("ConfigMap", f.ConfigMapRef.Name, "", f.ConfigMapRef.Optional)
			}
			if f.SecretRef != nil {
				add("Secret", f.SecretRef.Name, "", f.SecretRef.Optional)
			}
		}
	}
	for _, all := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range all {
			env(all[i].Env, all[i].EnvFrom)
		}
	}
	for i := range spec.EphemeralContainers {
		env(spec.EphemeralContainers[i].Env, spec.EphemeralContainers[i].EnvFrom)
	}
	for _, r := range spec.ResourceClaims {
		add("ResourceClaim", orZero(r.ResourceClaimName), "", nil)
	}
	for _, r := range spec.ImagePullSecrets {
		add("Secret", r.Name, "", nil)
	}
	for i := range spec.Volumes {
		c.volume(&spec.Volumes[i], add)
	}
	return out
}

func (c *converter) volume(v *corev1.Volume, add func(kind, name, key string, optional *bool)) {
	switch {
	case v.PersistentVolumeClaim != nil:
		add("PersistentVolumeClaim", v.PersistentVolumeClaim.ClaimName, "", nil)
	case v.ConfigMap != nil:
		add("ConfigMap", v.ConfigMap.Name, "", v.ConfigMap.Optional)
	case v.Secret != nil:
		add("Secret", v.Secret.SecretName, "", v.Secret.Optional)
	case v.CSI != nil && v.CSI.NodePublishSecretRef != nil:
		add("Secret", v.CSI.NodePublishSecretRef.Name, "", nil)
	case v.Ephemeral != nil && c.o.Name != "": // the claim is named POD-VOLUME
		add("PersistentVolumeClaim", c.o.Name+"-"+v.Name, "", nil)
	case v.Projected != nil:
		for _, s := range v.Projected.Sources {
			if s.ConfigMap != nil {
				add("ConfigMap", s.ConfigMap.Name, "", s.ConfigMap.Optional)
			}
			if s.Secret != nil {
				add("Secret", s.Secret.Name, "", s.Secret.Optional)
			}
		}
	}
}

// requests are the resources that the scheduler reserves for a Pod, sorted by
// name.
func requests(pod *corev1.Pod) (out []object.Amount) {
	for name, q := range resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}) {
		milli := int64(math.MaxInt64)
		if q.Value() < math.MaxInt64/1000 {
			milli = q.MilliValue()
		}
		out = append(out, object.Amount{Name: string(name), Milli: milli})
	}
	slices.SortFunc(out, func(a, b object.Amount) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func quantity(list corev1.ResourceList, name corev1.ResourceName) string {
	q, ok := list[name]
	if !ok {
		return ""
	}
	return q.String()
}

// evictAfter is how many seconds a Pod tolerates an unreachable node.
func evictAfter(all []corev1.Toleration) (out object.Int) {
	for _, t := range all {
		if t.Key == corev1.TaintNodeUnreachable &&
			(t.Effect == corev1.TaintEffectNoExecute || t.Effect == "") && t.TolerationSeconds != nil {
			out = object.IntOf(*t.TolerationSeconds)
		}
	}
	return out
}

// placement is the scheduling constraints of a Pod, or of a template.
func (c *converter) placement(spec *corev1.PodSpec) *object.Placement {
	p := &object.Placement{NodeSelector: c.labels(spec.NodeSelector)}
	for _, t := range spec.Tolerations[:min(len(spec.Tolerations), 64)] {
		p.Tolerations = append(p.Tolerations,
			object.Toleration{
				Key: c.word(t.Key), Operator: c.word(string(t.Operator)), Value: c.word(t.Value),
				Effect: c.word(string(t.Effect)),
			})
	}
	for _, s := range spec.TopologySpreadConstraints {
		if s.WhenUnsatisfiable != corev1.ScheduleAnyway {
			p.Spread = append(p.Spread,
				object.Spread{
					TopologyKey: c.word(s.TopologyKey), MaxSkew: s.MaxSkew,
					Selector: c.selector(s.LabelSelector),
				})
		}
	}
	a := spec.Affinity
	if a == nil {
		return p
	}
	if a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		terms := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
		p.HasTerms = terms != nil
		for _, t := range terms {
			p.Terms = append(p.Terms,
				object.NodeTerm{
					Exprs:  c.nodeRequirements(t.MatchExpressions),
					Fields: c.nodeRequirements(t.MatchFields),
				})
		}
	}
	if a.PodAffinity != nil {
		p.Affinity = c.podTerms(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	return p
}

func (c *converter) nodeRequirements(all []corev1.NodeSelectorRequirement) (out []object.Requirement) {
	for _, r := range all {
		out = append(out,
			object.Requirement{Key: c.word(r.Key), Operator: c.word(string(r.Operator)), Values: c.words(r.Values)})
	}
	return out
}

func (c *converter) podTerms(all []corev1.PodAffinityTerm) (out []object.PodTerm) {
	for _, t := range all {
		term := object.PodTerm{
			Selector: c.selector(t.LabelSelector), Namespaces: c.words(t.Namespaces),
			TopologyKey: c.word(t.TopologyKey),
		}
		term.AnySelector = t.LabelSelector != nil && len(term.Selector.Match) == 0 && len(term.Selector.Exprs) == 0
		out = append(out, term)
	}
	return out
}
