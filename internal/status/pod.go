package status

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// pod judges the phases of Pods. Beyond kstatus it knows every waiting reason,
// init containers and sidecars, exit codes, and that a failed Pod is not
// Current.
func pod(j *judge) Assessment {
	o, p := j.o, j.o.Pod
	if j.holds(p.Phase == "", "silent", "it has no phase yet", "status.phase") {
		return j.silent("")
	}
	ready := o.ConditionIndex("Ready", "True")
	switch p.Phase {
	case "Succeeded":
		return j.by("succeeded", "status.phase").is(Current, "Completed", "has completed").since(lastFinished(p))
	case "Failed":
		return j.podEnded()
	case "Unknown":
		return j.by("lost", "status.phase status.reason").unknown("NodeLost", "its node does not answer").since(o.Transition("Ready"))
	case "Pending", "Running":
	default:
		return j.by("phase", "status.phase").unknown("UnknownPhase", "phase "+p.Phase+" is not known")
	}
	running := p.Phase == "Running"
	toEnd := kinds.RunsToEnd(o)
	gate := closedGate(o)
	again, until := j.restarting()
	if running && j.holds(ready >= 0 && !toEnd && again == nil && gate == "",
		"ready", "it is ready", "status.phase status.conditions[Ready]") {
		return j.resizing(j.restarted(j.current("ready").since(o.Conditions[ready].LastTransitionTime).decided(ready)))
	}
	if a, hit := j.podScheduled(); hit {
		return a
	}
	if a, hit := j.podFaults(); hit {
		return a
	}
	if j.holds(again != nil, "restarting", "a container crashed and has not run for long enough since",
		"status.containerStatuses status.initContainerStatuses") {
		return j.runsAgain(again, until)
	}
	if j.holds(running && toEnd, "runsToEnd", "it runs and is meant to end",
		"status.phase spec.restartPolicy metadata.ownerReferences") {
		return j.progress("Running", "runs; it is done when it has ended").since(p.Started)
	}
	return j.podNotYet(gate)
}

// resizing is the assessment of a ready Pod, unless its resources are being
// changed in place: the kubelet keeps a condition until that is done, for which
// WaitForPodResizeActuation waits too (test/e2e/framework/pod/resize.go, v1.33).
// PodResizePending is the later request of the two.
func (j *judge) resizing(ready Assessment) Assessment {
	i := j.o.ConditionIndex("PodResizePending", "True")
	if i < 0 {
		i = j.o.ConditionIndex("PodResizeInProgress", "True")
	}
	if !j.holds(i >= 0, "resize", "its resources are being changed", "status.conditions") {
		return ready
	}
	c := &j.o.Conditions[i]
	if c.Reason == "Infeasible" || c.Reason == "Error" {
		return j.fault("", "its resources cannot be changed").from(j.o, i)
	}
	return j.progress(c.Type, "its resources are being changed").from(j.o, i)
}

func lastFinished(p *object.Pod) (t time.Time) {
	for i := range p.Containers {
		t = newest(t, p.Containers[i].State.Finished)
	}
	return t
}

// podEnded explains a Pod in phase Failed.
func (j *judge) podEnded() Assessment {
	p := j.o.Pod
	reason, message := p.Reason, p.Message
	for i := range p.Containers {
		c := &p.Containers[i]
		if c.State.Kind == "terminated" && c.State.ExitCode != 0 {
			reason, message = cmp.Or(reason, c.State.Reason), cmp.Or(message, ended(c, &c.State))
			break
		}
	}
	return j.by("failed", "status.phase status.reason status.containerStatuses").
		terminal(cmp.Or(reason, "Failed"), cmp.Or(message, "has failed")).since(lastFinished(p))
}

// podScheduled judges a Pod that has no node. Beside one, the condition is old:
// SchedulerError may be written though the API server carried the binding out.
func (j *judge) podScheduled() (Assessment, bool) {
	o, p := j.o, j.o.Pod
	i := o.ConditionIndex("PodScheduled", "False")
	started := p.Phase == "Running" || o.ConditionIndex("PodScheduled", "True") >= 0 ||
		slices.ContainsFunc(p.Containers, func(c object.Container) bool { return c.Place > 0 })
	if !j.holds(p.Node == "" && (i >= 0 || !started), "scheduling",
		"no node has been found for it", "status.conditions[PodScheduled]") {
		return Assessment{}, false
	}
	switch {
	case i < 0:
		return j.progress("Scheduling", "waits for the scheduler").since(o.Created), true
	case o.Conditions[i].Reason != "Unschedulable":
		return j.progress("Scheduling", "waits for the scheduler").from(o, i), true
	case p.Nominated != "":
		return j.progress("Preempting", "waits for room on node "+p.Nominated).since(o.Conditions[i].LastTransitionTime).decided(i), true
	}
	if j.w.Events != nil {
		events, _ := j.w.Events()
		until, ordered := kinds.NodeOnItsWay(events, j.now)
		if j.holds(ordered, "node", "an autoscaler has ordered a node for it", "") {
			a := j.progress("Unschedulable", "no node fits").from(o, i)
			a.Message, a.Recheck = a.Message+"; a node is on its way", until
			return a, true
		}
		j.by("scheduling", "status.conditions[PodScheduled]")
	}
	a := j.fault("Unschedulable", "no node fits").from(o, i)
	if strings.Contains(a.Message, "unbound immediate PersistentVolumeClaims") {
		return j.unboundClaim(a), true
	}
	return a, true
}

// unboundClaim is the fault of a Pod that waits for a volume: none while that is being
// provisioned.
func (j *judge) unboundClaim(unschedulable Assessment) Assessment {
	for _, use := range j.o.Pod.Uses {
		if use.Kind != "PersistentVolumeClaim" || j.w.Lookup == nil {
			continue
		}
		id := object.ID{Kind: use.Kind, Namespace: j.o.Namespace, Name: use.Name}
		claim := j.w.Lookup(id)
		if claim == nil || claim.Claim == nil || claim.Claim.Phase == "Bound" {
			continue
		}
		if until := claim.Created.Add(settlePatience + j.w.Ahead); j.now.Before(until) {
			a := j.consequence(unschedulable, id)
			if a.Status == InProgress {
				a.Recheck = until
			}
			return a
		}
	}
	return unschedulable
}

// closedGate is a readiness gate that is not True, or "". A Pod with one is not
// ready, also while the writer of its Ready=True is behind, or ignores gates.
func closedGate(o *object.Object) string {
	for _, gate := range o.Pod.ReadinessGates {
		if o.ConditionIndex(gate, "True") < 0 {
			return gate
		}
	}
	return ""
}

// podNotYet says what a Pod without a fault is waiting for.
func (j *judge) podNotYet(gate string) Assessment {
	o, p := j.o, j.o.Pod
	notReady, since := o.ConditionIndex("Ready", "False"), cmp.Or(o.Transition("Ready"), newest(p.Started, o.Created))
	waits := gate != "" && o.ConditionIndex("ContainersReady", "True") >= 0
	if j.holds(waits, "readinessGates", "a readiness gate is closed", "spec.readinessGates status.conditions") {
		message := "waits for the readiness gate " + gate
		if c := o.Condition(gate); c != nil && c.Message != "" {
			message += ": " + c.Message
		}
		return j.progress("ReadinessGatesNotReady", message).since(since).decided(notReady)
	}
	reason, message := j.notUp()
	return j.progress(reason, message).since(since).decided(notReady)
}

// notUp says what the first container that is not ready is waiting for.
func (j *judge) notUp() (reason, message string) {
	var inits, initsDone, mains, mainsReady int64
	var first *object.Container
	for i := range j.o.Pod.Containers {
		c := &j.o.Pod.Containers[i]
		up := c.Ready
		switch c.Kind {
		case object.EphemeralContainer:
			continue
		case object.InitContainer:
			inits++
			if up = up || c.State.Kind == "terminated" && c.State.ExitCode == 0; up {
				initsDone++
			}
		default:
			mains++
			if up {
				mainsReady++
			}
		}
		if !up && first == nil {
			first = c
		}
	}
	j.by("notReady", "status.conditions[Ready] status.containerStatuses")
	switch {
	case first == nil:
		return "NotReady", "is not ready yet"
	case first.Kind != object.InitContainer && first.State.Kind == "running":
		message = "container " + first.Name + " is not ready"
		switch pr := first.Probes; {
		case pr.Startup != nil && !first.Started:
			message += ": startup probe " + pr.Startup.What
		case pr.Readiness != nil:
			message += ": readiness probe " + pr.Readiness.What
		}
		if mains > 1 {
			message = of(mainsReady, mains, " containers are ready; ") + message
		}
		return "ContainersNotReady", message
	case first.Kind != object.InitContainer && first.State.Kind == "terminated":
		return cmp.Or(first.State.Reason, "Completed"), ended(first, &first.State)
	}
	j.by("starting", "status.phase status.containerStatuses")
	if first.Kind == object.InitContainer {
		return "Initializing", of(initsDone, inits, " init containers are done; "+first.Name+" is next")
	}
	return cmp.Or(first.State.Reason, "ContainerCreating"), "container " + first.Name + " is being started"
}
