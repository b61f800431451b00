package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Nodes, Pods that the kubelet rejects, Pods that do not terminate.

// lost finds NodeLost from the Pod's side: its containers are fine, but it is
// not ready, because its node has stopped reporting.
func lost(l *look) {
	p := l.o.Pod
	if p == nil || p.Node == "" || p.Phase == "Failed" || p.Phase == "Succeeded" || !l.o.Deleted.IsZero() {
		return
	}
	ready, containers := l.o.Condition("Ready"), l.o.Condition("ContainersReady")
	if ready == nil || ready.Status == "True" {
		return
	}
	split := containers != nil && containers.Status == "True" && ready.Reason != "ReadinessGatesNotReady"
	if !split {
		return
	}
	node := cluster("", "Node", p.Node)
	n := l.object(node)
	f := l.byCondition("NodeLost", ready, "node %s stopped reporting; the containers were ready in its last report", p.Node)
	f.Subject = Subject{ID: node}
	f.Key, f.Shared = p.Node, true
	f.proveCondition(l.o.ID, containers)
	f.Certainty = Likely
	if n == nil {
		l.lacks(f, "nodes", node)
	} else {
		x := n.Condition("Ready")
		if x == nil || x.Status == "True" {
			// The node is back; the Pod's condition follows in a moment.
			f.Class = Waits
			f.Certainty = Possible
			f.Title = "not ready, though its containers are and node " + p.Node + " reports; the kubelet has not updated it yet"
			f.Code, f.Key = "PodConditionStale", p.Node
			return
		}
		l.nodeTitle(f, n, x)
		f.Certainty = Proven
	}
	if p.EvictAfter.Set && !f.Since.IsZero() {
		f.Until, f.UntilWhat = f.Since.Add(time.Duration(p.EvictAfter.V)*time.Second), "its pods are evicted"
	}
	f.Next = []string{command("", "describe", "node", p.Node)}
}

func (l *look) nodeTitle(f *Finding, n *object.Object, x *object.Condition) {
	f.proveCondition(n.ID, x)
	if !x.LastTransitionTime.IsZero() {
		f.Since = x.LastTransitionTime
	}
	switch x.Status {
	case "Unknown":
		f.Title = "node " + n.Name + " stopped reporting (" + x.Reason + ")"
	default:
		f.Title = "node " + n.Name + " is not ready: " + clip(headline(x.Message), 120)
	}
}

// node finds the same from the node's side, and NodePressure.
func node(l *look) {
	x := l.o.Condition("Ready")
	if x != nil && x.Status != "True" {
		f := l.find("NodeLost", "")
		f.Key, f.Shared = l.o.Name, true
		l.nodeTitle(f, l.o, x)
		return
	}
	for _, typ := range [...]string{"MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"} {
		if y := l.o.ConditionIs(typ, "True"); y != nil {
			f := l.byCondition("NodePressure", y, "node %s is under %s: %s", l.o.Name, typ, headline(y.Message))
			f.Key, f.Shared = typ, true // several nodes under the same pressure are one cause
		}
	}
	if b, _ := l.o.Bool("spec", "unschedulable"); b && l.a.Status != status.Current {
		f := l.find("NodeCordoned", "node %s is cordoned", l.o.Name)
		f.order = 0
		f.Key, f.Shared = l.o.Name+" ", true
		l.proof(f, "spec.unschedulable", "true")
		if l.o.Deleted.IsZero() {
			f.offer(command("", "uncordon", l.o.Name), uncordons)
		}
	}
}

const uncordons = "pods may be scheduled to the node again"

// refused finds KubeletRefused, Evicted and PodDeadlineExceeded: the kubelet
// rejected, evicted or ended the Pod.
func refused(l *look) {
	p := l.o.Pod
	if p == nil || p.Phase != "Failed" || p.Reason == "" {
		return
	}
	m := headline(p.Message)
	var f *Finding
	switch p.Reason {
	case "DeadlineExceeded":
		f = l.find("PodDeadlineExceeded", "ran longer than its activeDeadlineSeconds, and was ended")
	case "Evicted":
		f = l.find("Evicted", "evicted from node %s: %s", p.Node, m)
		if f.Key = strings.TrimSpace(between(m, "The node was low on resource: ", ".")); f.Key != "" {
			f.Title = "evicted: node " + p.Node + " was low on " + f.Key
			if c := between(m, "Container ", " was using "); c != "" {
				f.Title += fmt.Sprintf("; %s used %s", c, between(m, "was using ", ","))
				if r := strings.FieldsFunc(between(m, "request is ", ""), func(r rune) bool { return strings.ContainsRune("., ", r) }); len(r) > 0 {
					f.Title += ", requested " + r[0]
				}
			}
		}
		f.offer(l.kubectl("delete", "pods", "--field-selector", "status.phase=Failed"), "deletes every failed Pod of the namespace")
	case "Terminated", "NodeShutdown", "Shutdown":
		f = l.find("KubeletRefused", "ended because node %s shut down", p.Node)
	default:
		f = l.find("KubeletRefused", "node %s refused the pod: %s", p.Node, p.Reason)
		if m != "" {
			f.Title += ": " + strings.TrimPrefix(strings.TrimPrefix(m, "Pod was rejected: "), "Pod ")
		}
	}
	if f.Code == "KubeletRefused" {
		f.Key = p.Reason + " " + p.Node
	}
	l.proof(f, "status.reason", p.Reason)
	if p.Reason != "DeadlineExceeded" {
		l.proof(f, "status.message", p.Message)
		f.Next = []string{command("", "describe", "node", p.Node)}
	}
	f.Detail = m
	if x := l.o.Condition("Ready"); x != nil {
		f.Since = x.LastTransitionTime
	}
	l.final(f)
}

// final adds that a failed Pod stays failed if no controller replaces it.
func (l *look) final(f *Finding) {
	if _, owned := l.o.Controller(); !owned && l.o.Pod.Phase == "Failed" {
		f.Class = Terminal
		f.Title += "; the pod has failed for good: no controller makes it again"
	}
}

// ending finds Disrupted, PodStuckTerminating and FinalizerBlocks: a Pod that
// is being deleted or replaced.
func ending(l *look) {
	p := l.o.Pod
	if p == nil {
		return
	}
	if x := l.o.ConditionIs("DisruptionTarget", "True"); x != nil && p.Phase != "Failed" {
		f := l.byCondition("Disrupted", x, "is being removed: ")
		f.Title += l.disruption(f, x)
	}
	if l.o.Deleted.IsZero() {
		return
	}
	l.again(l.o.Deleted.Add(5 * time.Second))
	if len(l.o.Finalizers) > 0 {
		return // finalizers reports it
	}
	past := l.now().Sub(l.o.Deleted)
	if past < 5*time.Second {
		f := l.find("Deleting", "%s", l.graceLeft())
		f.Symptom = true
		f.Since = deleted(l.o)
		f.Until, f.UntilWhat = l.o.Deleted, "the grace period ends"
		l.proof(f, "metadata.deletionTimestamp", l.o.Deleted)
		return
	}
	l.stuck(p, past)
}

// graceLeft says how much of its grace period a terminating Pod has left, and
// which containers have not exited.
func (l *look) graceLeft() string {
	left, unit := l.o.Deleted.Sub(l.now()), time.Second
	if left > 2*time.Minute {
		unit = time.Minute
	}
	if left <= 0 {
		return "terminating, its grace period is just over"
	}
	l.again(l.now().Add(unit))
	title := fmt.Sprintf("terminating, %s left of its grace period of %s",
		span(max(left.Truncate(unit), unit)), span(time.Duration(l.o.Pod.GracePeriod.Or(0))*time.Second))
	var running []string
	says := " has been sent SIGTERM and has not exited"
	for i := range l.o.Pod.Containers {
		if c := &l.o.Pod.Containers[i]; c.State.Kind == "running" {
			running = append(running, c.Name)
			if c.PreStop {
				says = " has been told to stop: its preStop hook runs, or it ignores SIGTERM"
			}
		}
	}
	if e, ok := l.event(l.o.ID, "Killing"); ok && !e.Last.Before(deleted(l.o).Add(-2*time.Second)) && len(running) > 0 {
		title += ": " + names(running, 3) + says
	}
	return title
}

// stuck finds PodStuckTerminating: the grace period is over, and the Pod still
// exists. A controller that replaces it at once does not wait for it.
func (l *look) stuck(p *object.Pod, past time.Duration) {
	f := l.find("PodStuckTerminating", "stuck terminating: its grace period is over, and the kubelet has not confirmed")
	f.Since = l.o.Deleted
	f.own = l.replaced()
	l.proof(f, "metadata.deletionTimestamp", l.o.Deleted)
	force := true
	if w, ok := l.o.Controller(); ok && w.Kind == "StatefulSet" {
		force = false // a second Pod of that name could start while it still runs
	}
	if p.Node == "" {
		l.offerForce(f)
		return
	}
	// One unresponsive kubelet is one cause, however many Pods it keeps.
	f.Key, f.Shared = p.Node, true
	f.Next = []string{command("", "describe", "node", p.Node)}
	if e, ok := l.event(l.o.ID, "FailedKillPod", "ExceededGracePeriod", "FailedPreStopHook"); ok {
		f.Title = "stuck terminating: " + headline(e.Message)
		f.Key += " " + e.Reason + " " + normal(headline(e.Message))
		f.proveEvent(e)
	} else if e, ok := l.event(l.o.ID, "Killing"); ok && !e.Last.Before(deleted(l.o).Add(-2*time.Second)) {
		f.Title = "stuck terminating: node " + p.Node + " has told its containers to stop, and says no more (is its container runtime stuck?)"
		f.proveEvent(e)
	} else if past >= 10*time.Second && past < time.Hour && l.s.Hidden("", "Event", l.o.Namespace) == "" {
		// The kubelet sends an event when it begins to stop a container.
		f.Title = "stuck terminating: the kubelet of node " + p.Node + " has not begun to stop it (is it running?)"
		f.Key += " silent"
	}
	id := cluster("", "Node", p.Node)
	if x := l.blameNode(f, id); x != nil {
		f.Title = "stuck terminating: node " + p.Node + " is not ready"
		if x.Status == "Unknown" {
			f.Title = "stuck terminating: node " + p.Node + " does not report"
		}
	} else if l.absent(id) {
		f.Title = "stuck terminating: node " + p.Node + " does not exist any more"
		f.proveAbsent(id)
		f.Next, force = nil, true
	}
	if force {
		l.offerForce(f)
	}
}

// blameNode blames a node that is not ready, and returns the condition.
func (l *look) blameNode(f *Finding, id object.ID) *object.Condition {
	if n := l.object(id); n != nil {
		if x := n.Condition("Ready"); x != nil && x.Status != "True" {
			f.blame(id)
			f.proveCondition(id, x)
			return x
		}
	}
	return nil
}

// deleted is when the deletion of an object was asked for: a Pod's deletion
// timestamp is the end of its grace period.
func deleted(o *object.Object) time.Time {
	if o.Pod == nil {
		return o.Deleted
	}
	return o.Deleted.Add(-time.Duration(o.Pod.GracePeriod.Or(0)) * time.Second)
}

// offerForce offers to force-delete a Pod whose end no kubelet confirms.
func (l *look) offerForce(f *Finding) {
	f.offer(l.kubectl("delete", "pod", l.o.Name, "--force", "--grace-period=0"), "removes the Pod from the API; its processes may still run")
}

// replaced reports whether another Pod takes this one's place before it has
// ended, as a ReplicaSet arranges, unless it is deleted too or its Deployment
// recreates.
func (l *look) replaced() bool {
	w, ok := l.o.Controller()
	if !ok || w.Kind != "ReplicaSet" {
		return false
	}
	rs := l.s.Object(l.id("apps", "ReplicaSet", w.Name))
	if rs == nil || !rs.Deleted.IsZero() {
		return false
	}
	if d, ok := rs.Controller(); ok && d.Kind == "Deployment" {
		o := l.s.Object(l.id("apps", "Deployment", d.Name))
		return o != nil && o.Workload != nil && o.Workload.Strategy != "Recreate" && o.Deleted.IsZero()
	}
	return true
}

// disruption says what removes a Pod, and names it where that is known.
func (l *look) disruption(f *Finding, x *object.Condition) string {
	node := l.o.Pod.Node
	switch x.Reason {
	case "PreemptionByScheduler":
		// "Preempted by pod UID on node NAME" (kubernetes
		// pkg/scheduler/framework/preemption, v1.36).
		if e, ok := l.event(l.o.ID, "Preempted"); ok {
			uid := between(e.Message, "Preempted by pod ", " ")
			pods, _ := l.s.List("", "Pod", "")
			for _, p := range pods {
				if p.UID == uid && uid != "" {
					f.proveEvent(e)
					return "preempted by pod " + p.Namespace + "/" + p.Name + ", which has a higher priority"
				}
			}
		}
		return "preempted by a pod of higher priority"
	case "DeletionByTaintManager":
		if n := l.object(cluster("", "Node", node)); n != nil {
			for _, t := range taints(n) {
				if t.effect == "NoExecute" {
					f.proveTaint(n.ID, t.String())
					return "node " + node + " has taint " + t.String() + ", which it does not tolerate for longer"
				}
			}
		}
		return "node " + node + " has a taint that it does not tolerate for longer"
	case "EvictionByEvictionAPI":
		return "evicted from node " + node + " through the API (a drain?)"
	case "DeletionByPodGC":
		return "its node " + node + " is gone"
	case "TerminationByKubelet":
		return "ended by the kubelet: " + headline(x.Message)
	}
	return x.Reason + " " + headline(x.Message)
}

// resizing finds PodResizeStuck.
func resizing(l *look) {
	if l.o.Pod == nil || !l.o.Deleted.IsZero() {
		return
	}
	for i := range l.o.Conditions {
		x := &l.o.Conditions[i]
		if x.Status != "True" || x.Type != "PodResizePending" && (x.Type != "PodResizeInProgress" || x.Reason != "Error") {
			continue
		}
		f := l.byCondition("PodResizeStuck", x, "its resize is %s on node %s: %s", strings.ToLower(x.Reason), l.o.Pod.Node, headline(x.Message))
		f.order = 0
		if x.Reason == "Deferred" {
			f.Class = Retries
		}
		return
	}
}

// nowhere finds NodeMissing: the Pod is bound to a node that does not exist.
func nowhere(l *look) {
	p := l.o.Pod
	if p == nil || p.Node == "" || p.Phase != "Pending" || !l.o.Deleted.IsZero() {
		return
	}
	id := cluster("", "Node", p.Node)
	if l.absent(id) {
		f := l.find("NodeMissing", "is bound to node %s, which does not exist", p.Node)
		f.Key, f.Shared = p.Node, true
		l.proof(f, "spec.nodeName", p.Node)
		f.proveAbsent(id)
		f.Next = []string{"kubectl get nodes"}
	}
}
