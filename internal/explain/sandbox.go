package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Sandboxes and networks of Pods.

// sandbox finds PodNetworkFailed: the node cannot set up the Pod's network.
func (l *look) sandbox(since time.Time) {
	e, ok := l.event(l.o.ID, "FailedCreatePodSandBox", "NetworkNotReady")
	if !ok {
		l.nodeSilent(since)
		return
	}
	m := headline(e.Message)
	if l.sandboxRefused(e, m) {
		return
	}
	code := "PodSandboxFailed"
	if e.Reason == "NetworkNotReady" || hasAny(strings.ToLower(m), "network", "cni", "plugin type=") {
		code = "PodNetworkFailed"
	}
	f := l.find(code, "")
	plugin := cmp.Or(between(m, `plugin type="`, `"`), between(m, `plugin "`, `"`))
	switch {
	case plugin != "":
		f.Title = fmt.Sprintf("network plugin %s fails: %s", plugin, last(m))
	case e.Reason == "NetworkNotReady":
		f.Title = "the network of node " + l.o.Pod.Node + " is not ready: " + last(m)
	default:
		f.Title = "the pod's sandbox cannot be made on node " + l.o.Pod.Node + ": " + last(m)
	}
	f.Key, f.Shared = plugin+" "+normal(last(m)), true
	f.Detail = m
	f.proveEvent(e)
	f.dated(since)
	if x := l.o.Condition("PodReadyToStartContainers"); x != nil {
		f.proveCondition(l.o.ID, x)
	}
	// One or two failures are normal while a node starts.
	l.patience(f, f.Since, 10*time.Second)
	f.Next = []string{command("kube-system", "get", "pods", "-o", "wide", "--field-selector", "spec.nodeName="+l.o.Pod.Node)}
	if code == "PodSandboxFailed" {
		f.Next = []string{command("", "describe", "node", l.o.Pod.Node)}
	}
}

// nodeSilent finds PodSandboxFailed for a Pod that its node neither starts nor
// reports on: the kubelet or its container runtime hangs. A volume may take its
// time; the kubelet reports a missing one after two minutes and three seconds.
func (l *look) nodeSilent(since time.Time) {
	p := l.o.Pod
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
	unready := l.o.Condition("PodReadyToStartContainers")
	if unready == nil && l.s.Hidden("", "Event", l.o.Namespace) != "" {
		return // events may not be read: it may be pulling an image
	}
	if _, ok := l.event(l.o.ID, "Pulling", "Pulled", "Created", "Started"); ok || !l.older(since, patience) {
		return
	}
	f := l.find("PodSandboxFailed", "node %s has not set the pod up yet, and says nothing about it (is its container runtime stuck?)", p.Node)
	f.Certainty = Likely
	f.Since = since
	f.Key, f.Shared = p.Node+" silent", true
	if p.Started.IsZero() {
		f.Title = "the kubelet of node " + p.Node + " has not taken the pod up (is it running?)"
		f.proveUnset(l.o.ID, "status.startTime")
	}
	if x := l.o.Condition("PodScheduled"); x != nil {
		f.proveCondition(l.o.ID, x)
	}
	if unready != nil {
		f.proveCondition(l.o.ID, unready)
	}
	l.blameNode(f, cluster("", "Node", p.Node))
	f.Next = []string{command("", "describe", "node", p.Node)}
}

// sandboxRefused finds sandbox errors other than the network's: a memory limit
// that is too small, and a RuntimeClass handler that the node does not have.
func (l *look) sandboxRefused(e object.Event, m string) bool {
	var f *Finding
	switch {
	case strings.Contains(m, tooLittleMemory):
		limit := ""
		for i := range l.o.Pod.Containers {
			limit = cmp.Or(limit, l.o.Pod.Containers[i].Memory)
		}
		f = l.tooSmall("the pod", limit)
	case hasAny(m, `no runtime for "`, "failed to find runtime handler", "RuntimeHandler "): // containerd, CRI-O, cri-dockerd
		handler := cmp.Or(between(m, `no runtime for "`, `"`), between(m, "failed to find runtime handler ", " "), between(m, `RuntimeHandler "`, `"`))
		class := l.o.Pod.RuntimeClass
		f = l.find("RuntimeClassMissing", "node %s has no runtime %s, which RuntimeClass %s wants", l.o.Pod.Node, handler, class)
		f.Key, f.Shared = l.o.Pod.Node+" "+handler, true
		f.Next = []string{command("", "describe", "runtimeclass", class)}
		l.proof(f, "spec.runtimeClassName", class)
	default:
		return false
	}
	f.Detail = m
	f.proveEvent(e)
	return true
}
