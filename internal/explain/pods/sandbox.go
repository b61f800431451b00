package pods

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Sandboxes and networks of Pods.

func init() { inspect.Detect(inspect.Detector{Kinds: pod, Find: sandbox}) }

// Sandbox finds why the node cannot set a scheduled Pod up, beside its volumes.
func sandbox(in *inspect.Inspector) {
	if inspect.BeingSetUp(in.Object) {
		setUpFailed(in, inspect.ScheduledAt(in.Object))
	}
}

// setUpFailed finds PodNetworkFailed and PodSandboxFailed.
func setUpFailed(in *inspect.Inspector, since time.Time) {
	e, ok := in.Event(in.Object.ID, "FailedCreatePodSandBox", "NetworkNotReady")
	if !ok {
		nodeSilent(in, since)
		return
	}
	m := message.Line(e.Message)
	if sandboxRefused(in, e, m) {
		return
	}
	code := codes.PodSandboxFailed
	if e.Reason == "NetworkNotReady" || wording.HasAny(strings.ToLower(m), "network", "cni", "plugin type=") {
		code = codes.PodNetworkFailed
	}
	f := in.Find(code, "")
	plugin := cmp.Or(wording.Between(m, `plugin type="`, `"`), wording.Between(m, `plugin "`, `"`))
	switch {
	case plugin != "":
		f.Title = fmt.Sprintf("network plugin %s fails: %s", plugin, message.Reason(m))
	case e.Reason == "NetworkNotReady":
		f.Title = "the network of node " + in.Object.Pod.Node + " is not ready: " + message.Reason(m)
	default:
		f.Title = "the pod's sandbox cannot be made on node " + in.Object.Pod.Node + ": " + message.Reason(m)
	}
	f.Key, f.Shared = plugin+" "+wording.Normal(message.Reason(m)), true
	f.Detail = m
	f.ProveEvent(e)
	f.Dated(since)
	if x := in.Object.Condition("PodReadyToStartContainers"); x != nil {
		f.ProveCondition(in.Object.ID, x)
	}
	// One or two failures are normal while a node starts.
	in.Patience(f, f.Since, 10*time.Second)
	f.Next = []string{wording.Command("kube-system", "get", "pods", "-o", "wide", "--field-selector", "spec.nodeName="+in.Object.Pod.Node)}
	if code == codes.PodSandboxFailed {
		f.Next = []string{wording.Command("", "describe", "node", in.Object.Pod.Node)}
	}
}

// nodeSilent finds PodSandboxFailed for a Pod that its node neither starts nor
// reports on: the kubelet or its container runtime hangs. A volume may take its
// time; the kubelet reports a missing one after two minutes and three seconds.
func nodeSilent(in *inspect.Inspector, since time.Time) {
	p := in.Object.Pod
	patience := time.Minute
	if slices.ContainsFunc(p.Uses, func(u object.Use) bool { return u.Kind == "PersistentVolumeClaim" || u.Kind == "ResourceClaim" }) {
		patience = 3 * time.Minute
	}
	if p.Started.IsZero() {
		patience = 30 * time.Second // not even acknowledged by the kubelet
	}
	for i := range p.Containers {
		c := &p.Containers[i]
		if c.State.Kind == "running" || c.State.Kind == "terminated" || c.Restarts > 0 ||
			c.State.Reason != "" && c.State.Reason != "ContainerCreating" && c.State.Reason != "PodInitializing" {
			return
		}
	}
	unready := in.Object.Condition("PodReadyToStartContainers")
	if unready == nil && in.Snapshot.Hidden("", "Event", in.Object.Namespace) != "" {
		return // events may not be read: it may be pulling an image
	}
	if _, ok := in.Event(in.Object.ID, "Pulling", "Pulled", "Created", "Started"); ok || !in.Older(since, patience) {
		return
	}
	f := in.Find(codes.PodSandboxFailed, "node %s has not set the pod up yet, and says nothing about it (is its container runtime stuck?)", p.Node)
	f.Certainty = inspect.Likely
	f.Since = since
	f.Key, f.Shared = p.Node+" silent", true
	if p.Started.IsZero() {
		f.Title = "the kubelet of node " + p.Node + " has not taken the pod up (is it running?)"
		f.ProveUnset(in.Object.ID, "status.startTime")
	}
	if x := in.Object.Condition("PodScheduled"); x != nil {
		f.ProveCondition(in.Object.ID, x)
	}
	if unready != nil {
		f.ProveCondition(in.Object.ID, unready)
	}
	blameNode(in, f, inspect.ClusterID("", "Node", p.Node))
	f.Next = []string{wording.Command("", "describe", "node", p.Node)}
}

// sandboxRefused finds sandbox errors other than the network's: a memory limit
// that is too small, and a RuntimeClass handler that the node does not have.
func sandboxRefused(in *inspect.Inspector, e object.Event, m string) bool {
	var f *inspect.Finding
	switch {
	case strings.Contains(m, tooLittleMemory):
		limit := ""
		for i := range in.Object.Pod.Containers {
			limit = cmp.Or(limit, in.Object.Pod.Containers[i].Memory)
		}
		f = tooSmall(in, "the pod", limit)
	case wording.HasAny(m, `no runtime for "`, "failed to find runtime handler", "RuntimeHandler "): // containerd, CRI-O, cri-dockerd
		handler := cmp.Or(wording.Between(m, `no runtime for "`, `"`), wording.Between(m, "failed to find runtime handler ", " "), wording.Between(m, `RuntimeHandler "`, `"`))
		class := in.Object.Pod.RuntimeClass
		f = in.Find(codes.RuntimeClassMissing, "node %s has no runtime %s, which RuntimeClass %s wants", in.Object.Pod.Node, handler, class)
		f.Key, f.Shared = in.Object.Pod.Node+" "+handler, true
		f.Next = []string{wording.Command("", "describe", "runtimeclass", class)}
		f.Prove("spec.runtimeClassName", class)
	case strings.Contains(m, `runtimeclass.node.k8s.io "`) && strings.Contains(m, "not found"): // deleted since the Pod was admitted
		class := wording.Between(m, `runtimeclass.node.k8s.io "`, `"`)
		f = in.Find(codes.RuntimeClassMissing, "RuntimeClass %s does not exist", class)
		f.Key, f.Shared = class, true
		f.Next = []string{"kubectl get runtimeclasses"}
		f.Prove("spec.runtimeClassName", class)
		in.Missing(f, inspect.ClusterID("node.k8s.io", "RuntimeClass", class), "; the kubelet is about to try again")
	default:
		return false
	}
	f.Detail = m
	f.ProveEvent(e)
	return true
}
