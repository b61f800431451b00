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
func pod(j *judge) Assessment { return (&podRule{j: j, o: j.o, pod: j.o.Pod}).assess() }

// podRule judges a Pod: its phases here, its containers in pod_containers.go, and
// containers that run again after a crash in pod_restart.go.
type podRule struct {
	j   *judge
	o   *object.Object
	pod *object.Pod
}

func (p *podRule) assess() Assessment {
	o, phase := p.o, p.pod.Phase
	if p.j.holds(phase == "", "silent", "it has no phase yet", "status.phase") {
		return p.j.silent("")
	}
	ready := o.ConditionIndex("Ready", "True")
	switch phase {
	case "Succeeded":
		return p.j.by("succeeded", "status.phase").is(Current, "Completed", "has completed").since(lastFinished(p.pod))
	case "Failed":
		return p.failed()
	case "Unknown":
		return p.j.by("lost", "status.phase status.reason").unknown("NodeLost",
			"its node does not answer").since(o.Transition("Ready"))
	case "Pending", "Running":
	default:
		return p.j.by("phase", "status.phase").unknown("UnknownPhase", "phase "+phase+" is not known")
	}
	running := phase == "Running"
	toEnd := kinds.RunsToEnd(o)
	gate := closedGate(o)
	again, until := p.restarting()
	if running && p.j.holds(ready >= 0 && !toEnd && again == nil && gate == "",
		"ready", "it is ready", "status.phase status.conditions[Ready]") {
		return p.resizing(
			p.restarted(p.j.current("ready").since(o.Conditions[ready].LastTransitionTime).decided(ready)))
	}
	if a, hit := p.scheduled(); hit {
		return a
	}
	if a, hit := p.containerFaults(); hit {
		return a
	}
	if p.j.holds(again != nil, "restarting", "a container crashed and has not run for long enough since",
		"status.containerStatuses status.initContainerStatuses") {
		return p.runsAgain(again, until)
	}
	if p.j.holds(running && toEnd, "runsToEnd", "it runs and is meant to end",
		"status.phase spec.restartPolicy metadata.ownerReferences") {
		return p.j.progress("Running", "runs; it is done when it has ended").since(p.pod.Started)
	}
	return p.notYet(gate)
}

// resizing is the assessment of a ready Pod, unless its resources are being
// changed in place: the kubelet keeps a condition until that is done, for which
// WaitForPodResizeActuation waits too (test/e2e/framework/pod/resize.go, v1.33).
// PodResizePending is the later request of the two.
func (p *podRule) resizing(ready Assessment) Assessment {
	i := p.o.ConditionIndex("PodResizePending", "True")
	if i < 0 {
		i = p.o.ConditionIndex("PodResizeInProgress", "True")
	}
	if !p.j.holds(i >= 0, "resize", "its resources are being changed", "status.conditions") {
		return ready
	}
	c := &p.o.Conditions[i]
	if c.Reason == "Infeasible" || c.Reason == "Error" {
		return p.j.fault("", "its resources cannot be changed").from(p.o, i)
	}
	return p.j.progress(c.Type, "its resources are being changed").from(p.o, i)
}

func lastFinished(p *object.Pod) (t time.Time) {
	for i := range p.Containers {
		t = newest(t, p.Containers[i].State.Finished)
	}
	return t
}

// failed explains a Pod in phase Failed.
func (p *podRule) failed() Assessment {
	reason, message := p.pod.Reason, p.pod.Message
	for i := range p.pod.Containers {
		c := &p.pod.Containers[i]
		if c.State.Kind == "terminated" && c.State.ExitCode != 0 {
			reason, message = cmp.Or(reason, c.State.Reason), cmp.Or(message, ended(c, &c.State))
			break
		}
	}
	return p.j.by("failed", "status.phase status.reason status.containerStatuses").
		terminal(cmp.Or(reason, "Failed"), cmp.Or(message, "has failed")).since(lastFinished(p.pod))
}

// scheduled judges a Pod that has no node. Beside one, the condition is old:
// SchedulerError may be written though the API server carried the binding out.
func (p *podRule) scheduled() (Assessment, bool) {
	i := p.o.ConditionIndex("PodScheduled", "False")
	started := p.pod.Phase == "Running" || p.o.ConditionIndex("PodScheduled", "True") >= 0 ||
		slices.ContainsFunc(p.pod.Containers, func(c object.Container) bool { return c.Place > 0 })
	if !p.j.holds(p.pod.Node == "" && (i >= 0 || !started), "scheduling",
		"no node has been found for it", "status.conditions[PodScheduled]") {
		return Assessment{}, false
	}
	switch {
	case i < 0:
		return p.j.progress("Scheduling", "waits for the scheduler").since(p.o.Created), true
	case p.o.Conditions[i].Reason != "Unschedulable":
		return p.j.progress("Scheduling", "waits for the scheduler").from(p.o, i), true
	case p.pod.Nominated != "":
		return p.j.progress("Preempting", "waits for room on node "+p.pod.Nominated).since(
			p.o.Conditions[i].LastTransitionTime).decided(i), true
	}
	if p.j.w.Events != nil {
		events, _ := p.j.w.Events()
		until, ordered := kinds.NodeOnItsWay(events, p.j.now)
		if p.j.holds(ordered, "node", "an autoscaler has ordered a node for it", "") {
			a := p.j.progress("Unschedulable", "no node fits").from(p.o, i)
			a.Message, a.Recheck = a.Message+"; a node is on its way", until
			return a, true
		}
		p.j.by("scheduling", "status.conditions[PodScheduled]")
	}
	a := p.j.fault("Unschedulable", "no node fits").from(p.o, i)
	if strings.Contains(a.Message, "unbound immediate PersistentVolumeClaims") {
		return p.unboundClaim(a), true
	}
	return a, true
}

// unboundClaim is the fault of a Pod that waits for a volume: none while that is being
// provisioned.
func (p *podRule) unboundClaim(unschedulable Assessment) Assessment {
	for _, use := range p.pod.Uses {
		if use.Kind != "PersistentVolumeClaim" || p.j.w.Lookup == nil {
			continue
		}
		id := object.ID{Kind: use.Kind, Namespace: p.o.Namespace, Name: use.Name}
		claim := p.j.w.Lookup(id)
		if claim == nil || claim.Claim == nil || claim.Claim.Phase == "Bound" {
			continue
		}
		if until := claim.Created.Add(settlePatience + p.j.w.Ahead); p.j.now.Before(until) {
			a := p.j.consequence(unschedulable, id)
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

// notYet says what a Pod without a fault is waiting for.
func (p *podRule) notYet(gate string) Assessment {
	notReady := p.o.ConditionIndex("Ready", "False")
	since := cmp.Or(p.o.Transition("Ready"), newest(p.pod.Started, p.o.Created))
	waits := gate != "" && p.o.ConditionIndex("ContainersReady", "True") >= 0
	if p.j.holds(waits, "readinessGates", "a readiness gate is closed", "spec.readinessGates status.conditions") {
		message := "waits for the readiness gate " + gate
		if c := p.o.Condition(gate); c != nil && c.Message != "" {
			message += ": " + c.Message
		}
		return p.j.progress("ReadinessGatesNotReady", message).since(since).decided(notReady)
	}
	reason, message := p.notUp()
	return p.j.progress(reason, message).since(since).decided(notReady)
}

// notUp says what the first container that is not ready is waiting for.
func (p *podRule) notUp() (reason, message string) {
	var inits, initsDone, mains, mainsReady int64
	var first *object.Container
	for i := range p.pod.Containers {
		c := &p.pod.Containers[i]
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
	p.j.by("notReady", "status.conditions[Ready] status.containerStatuses")
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
	p.j.by("starting", "status.phase status.containerStatuses")
	if first.Kind == object.InitContainer {
		return "Initializing", of(initsDone, inits, " init containers are done; "+first.Name+" is next")
	}
	return cmp.Or(first.State.Reason, "ContainerCreating"), "container " + first.Name + " is being started"
}
