package pods

import (
	"cmp"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/statements"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Sandboxes and networks of Pods.

func init() { inspect.Detect(inspect.Detector{Kinds: pod, Find: sandbox}) }

// sandbox finds why the node cannot set a scheduled Pod up, beside its volumes.
func sandbox(in *inspect.Inspector) {
	if inspect.BeingSetUp(in.Object) {
		setUpFailed(in, inspect.ScheduledAt(in.Object))
	}
}

// setUpFailed finds PodNetworkFailed and PodSandboxFailed.
func setUpFailed(in *inspect.Inspector, since time.Time) {
	events := in.Obstacles("FailedCreatePodSandBox", "NetworkNotReady")
	if len(events) == 0 {
		nodeSilent(in, since)
		return
	}
	e := events[0]
	t := message.Sandbox(e.Message)
	if sandboxRefused(in, e, t) {
		return
	}
	code := codes.PodSandboxFailed
	if e.Reason == "NetworkNotReady" || t.Step == message.NetworkFailed {
		code = codes.PodNetworkFailed
	}
	f := in.Find(code, "")
	switch {
	case t.Name != "":
		f.Say("network plugin %s fails: %s", t.Name, t.Reason)
	case e.Reason == "NetworkNotReady":
		f.Say("the network of node %s is not ready: %s", in.Object.Pod.Node, t.Reason)
	case t.Step == message.NetworkFailed:
		f.Say("the pod's network cannot be set up on node %s: %s", in.Object.Pod.Node, t.Reason)
	default:
		f.Say("the pod's sandbox cannot be made on node %s: %s", in.Object.Pod.Node, t.Reason)
	}
	f.Key, f.Shared = t.Name+" "+wording.Normal(t.Reason), true
	f.Detail = message.Line(e.Message)
	f.ProveEvent(e)
	f.Dated(since)
	if x := in.Object.Condition("PodReadyToStartContainers"); x != nil {
		f.ProveCondition(in.Object.ID, x)
	}
	// One or two failures are normal while a node starts.
	in.Patience(f, f.Since, 10*time.Second)
	f.Next = []string{wording.Command("kube-system", "get", "pods", "-o", "wide", "--field-selector",
		"spec.nodeName="+in.Object.Pod.Node)}
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
	if slices.ContainsFunc(p.Uses, func(u object.Use) bool {
		return u.Kind == "PersistentVolumeClaim" || u.Kind == "ResourceClaim"
	}) {
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
	if len(statements.Warnings(in, in.Object.ID, since)) > 0 {
		return // it says something: general.Warnings quotes it
	}
	f := in.Find(codes.PodSandboxFailed,
		"node %s has not set the pod up yet, and says nothing about it (is its container runtime stuck?)", p.Node)
	f.Certainty = inspect.Likely
	f.Since = since
	f.Key, f.Shared = p.Node+" silent", true
	if p.Started.IsZero() {
		f.Say("the kubelet of node %s has not taken the pod up (is it running?)", p.Node)
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
func sandboxRefused(in *inspect.Inspector, e object.Event, t message.Trouble) bool {
	var f *inspect.Finding
	switch t.Step {
	case message.TooLittleLimit:
		limit := ""
		for i := range in.Object.Pod.Containers {
			limit = cmp.Or(limit, in.Object.Pod.Containers[i].Memory)
		}
		f = tooSmall(in, "the pod", limit)
	case message.RuntimeMissing:
		class := in.Object.Pod.RuntimeClass
		f = in.Find(codes.RuntimeClassMissing, "node %s has no runtime %s, which RuntimeClass %s wants",
			in.Object.Pod.Node, t.Name, class)
		f.Key, f.Shared = in.Object.Pod.Node+" "+t.Name, true
		f.Next = []string{wording.Command("", "describe", "runtimeclass", class)}
		f.Prove("spec.runtimeClassName", class)
	case message.NameReserved:
		f = in.Find(codes.NameReserved,
			"the runtime of node %s hangs in an earlier attempt to make the pod's sandbox, and so refuses another "+
				"(is its disk slow or full?)",
			in.Object.Pod.Node)
		f.Key, f.Shared = in.Object.Pod.Node, true
		f.Since = in.Began(in.Object.ID, e)
		f.Next = []string{wording.Command("", "describe", "node", in.Object.Pod.Node)}
	default:
		return false
	}
	f.Detail = message.Line(e.Message)
	f.ProveEvent(e)
	return true
}
