package pods

import (
	"fmt"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/nodefit"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func init() { inspect.Detect(inspect.Detector{Kinds: pod, Find: ending}) }

// ending finds Disrupted, PodStuckTerminating and FinalizerBlocks: a Pod that
// is being deleted or replaced.
func ending(in *inspect.Inspector) {
	p := in.Object.Pod
	if p == nil {
		return
	}
	if x := in.Object.ConditionIs("DisruptionTarget", "True"); x != nil && p.Phase != "Failed" {
		f := in.FindCondition(codes.Disrupted, x, "is being removed: ")
		f.Add("%s", disruption(in, f, x))
	}
	if in.Object.Deleted.IsZero() {
		return
	}
	in.Recheck(in.Object.Deleted.Add(5 * time.Second))
	if len(in.Object.Finalizers) > 0 {
		return // finalizers reports it
	}
	past := in.Now().Sub(in.Object.Deleted)
	if past < 5*time.Second {
		f := in.Find(codes.Deleting, "%s", graceLeft(in))
		f.Symptom = true
		f.Since = inspect.DeletionRequested(in.Object)
		f.Until, f.UntilWhat = in.Object.Deleted, "the grace period ends"
		f.Prove("metadata.deletionTimestamp", in.Object.Deleted)
		return
	}
	stuckTerminating(in, p, past)
}

// graceLeft says how much of its grace period a terminating Pod has left, and
// which containers have not exited.
func graceLeft(in *inspect.Inspector) string {
	left, unit := in.Object.Deleted.Sub(in.Now()), time.Second
	if left > 2*time.Minute {
		unit = time.Minute
	}
	if left <= 0 {
		return "terminating, its grace period is just over"
	}
	in.Recheck(in.Now().Add(unit))
	title := fmt.Sprintf("terminating, %s left of its grace period of %s",
		wording.Span(max(left.Truncate(unit), unit)),
		wording.Span(time.Duration(in.Object.Pod.GracePeriod.Or(0))*time.Second))
	var running []string
	state := " has been sent SIGTERM and has not exited"
	for i := range in.Object.Pod.Containers {
		if c := &in.Object.Pod.Containers[i]; c.State.Kind == "running" {
			running = append(running, c.Name)
			if c.PreStop {
				state = " has been told to stop: its preStop hook runs, or it ignores SIGTERM"
			}
		}
	}
	if e, ok := in.Event(in.Object.ID, "Killing"); ok &&
		!e.Last.Before(inspect.DeletionRequested(in.Object).Add(-2*time.Second)) && len(running) > 0 {
		title += ": " + wording.Names(running, 3) + state
	}
	return title
}

// stuckTerminating finds PodStuckTerminating: the grace period is over, and the Pod still
// exists. A controller that replaces it at once does not wait for it.
func stuckTerminating(in *inspect.Inspector, p *object.Pod, past time.Duration) {
	f := in.Find(codes.PodStuckTerminating,
		"stuck terminating: its grace period is over, and the kubelet has not confirmed")
	f.Since = in.Object.Deleted
	f.OnlyItself = inspect.Replaced(in)
	f.Prove("metadata.deletionTimestamp", in.Object.Deleted)
	force := true
	if w, ok := in.Object.Controller(); ok && w.Kind == "StatefulSet" {
		force = false // a second Pod of that name could start while it still runs
	}
	if p.Node == "" {
		inspect.OfferForce(in, f)
		return
	}
	// One unresponsive kubelet is one cause, however many Pods it keeps.
	f.Key, f.Shared = p.Node, true
	f.Next = []string{wording.Command("", "describe", "node", p.Node)}
	if e, ok := in.Event(in.Object.ID, "FailedKillPod", "ExceededGracePeriod", "FailedPreStopHook"); ok {
		f.Say("stuck terminating: %s", message.Short(e.Message, 160))
		if t := message.Sandbox(e.Message); e.Reason == "FailedKillPod" && t.Step == message.NetworkFailed {
			f.Say("stuck terminating: its network cannot be removed: %s", t.Reason)
		}
		f.Key += " " + e.Reason + " " + wording.Normal(message.Line(e.Message))
		f.ProveEvent(e)
	} else if e, ok := in.Event(in.Object.ID, "Killing"); ok &&
		!e.Last.Before(inspect.DeletionRequested(in.Object).Add(-2*time.Second)) {
		f.Say("stuck terminating: node %s has told its containers to stop, and says no more (is its container runtime stuck?)", p.Node)
		f.ProveEvent(e)
	} else if past >= 10*time.Second && past < time.Hour && in.Snapshot.Hidden("", "Event", in.Object.Namespace) == "" {
		// The kubelet sends an event when it begins to stop a container.
		f.Say("stuck terminating: the kubelet of node %s has not begun to stop it (is it running?)", p.Node)
		f.Key += " silent"
	}
	id := inspect.ClusterID("", "Node", p.Node)
	if x := blameNode(in, f, id); x != nil {
		f.Say("stuck terminating: node %s is not ready", p.Node)
		if x.Status == "Unknown" {
			f.Say("stuck terminating: node %s does not report", p.Node)
		}
	} else if in.Absent(id) {
		f.Say("stuck terminating: node %s does not exist any more", p.Node)
		f.ProveAbsent(id)
		f.Next, force = nil, true
	}
	if force {
		inspect.OfferForce(in, f)
	}
}

// blameNode blames a node that is not ready, and returns the condition.
func blameNode(in *inspect.Inspector, f *inspect.Finding, id object.ID) *object.Condition {
	if n := in.Get(id); n != nil {
		if x := n.Condition("Ready"); x != nil && x.Status != "True" {
			f.Blame(id)
			f.ProveCondition(id, x)
			return x
		}
	}
	return nil
}

// disruption says what removes a Pod, and names it where that is known.
func disruption(in *inspect.Inspector, f *inspect.Finding, x *object.Condition) string {
	node := in.Object.Pod.Node
	switch x.Reason {
	case "PreemptionByScheduler":
		// "Preempted by pod UID on node NAME" (kubernetes
		// pkg/scheduler/framework/preemption, v1.36).
		if e, ok := in.Event(in.Object.ID, "Preempted"); ok {
			uid := message.Between(e.Message, "Preempted by pod ", " ")
			in.AskForPodsOn(node)
			for _, p := range in.Known("", "Pod", "").Items {
				if p.UID == uid && uid != "" {
					f.ProveEvent(e)
					return "preempted by pod " + p.Namespace + "/" + p.Name + ", which has a higher priority"
				}
			}
		}
		return "preempted by a pod of higher priority"
	case "DeletionByTaintManager":
		if n := in.Get(inspect.ClusterID("", "Node", node)); n != nil {
			for _, t := range nodefit.TaintsOf(n) {
				if t.Effect == "NoExecute" {
					f.ProveTaint(n.ID, t.String())
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
		return "ended by the kubelet: " + message.Line(x.Message)
	}
	return x.Reason + " " + message.Line(x.Message)
}
