package status

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The phase machine of pods. It knows more than kstatus's: every reason for
// which a container waits, init containers and sidecars, exit codes, and that
// a pod which failed is not fine.
var (
	podSilent      = newRule("Pod.silent", "it has no phase yet", "status.phase")
	podSucceeded   = newRule("Pod.succeeded", "it has ended well", "status.phase")
	podFailed      = newRule("Pod.failed", "it has ended badly", "status.phase", "status.reason", "status.containerStatuses")
	podLost        = newRule("Pod.lost", "its node is lost", "status.phase", "status.reason")
	podReady       = newRule("Pod.ready", "it is ready", "status.phase", "status.conditions[Ready]")
	podRuns        = newRule("Pod.runsToEnd", "it runs and is meant to end", "status.phase", "spec.restartPolicy")
	podScheduling  = newRule("Pod.scheduling", "no node has been found for it", "status.conditions[PodScheduled]")
	podInitFault   = newRule("Pod.initContainers", "an init container fails", "status.initContainerStatuses")
	podFault       = newRule("Pod.containers", "a container fails", "status.containerStatuses")
	podGates       = newRule("Pod.readinessGates", "a readiness gate is closed", "spec.readinessGates", "status.conditions")
	podStarting    = newRule("Pod.starting", "its containers are starting", "status.phase", "status.containerStatuses")
	podNotReady    = newRule("Pod.notReady", "a container is not ready", "status.conditions[Ready]", "status.containerStatuses")
	podUnknownWord = newRule("Pod.phase", "its phase is a word nobody knows", "status.phase")
)

func (j *judge) pod() Assessment {
	o, p := j.o, j.o.Pod
	if j.holds(podSilent, p.Phase == "") {
		return j.silent(podSilent)
	}
	ready := o.ConditionIndex("Ready", "True")
	switch p.Phase {
	case "Succeeded":
		return j.is(podSucceeded, Current, "Completed", "has completed", lastFinished(p))
	case "Failed":
		return j.podEnded()
	case "Unknown":
		return j.is(podLost, Unknown, "NodeLost", "its node does not answer", o.Transition("Ready"))
	case "Pending", "Running":
	default:
		return j.is(podUnknownWord, Unknown, "UnknownPhase", "phase "+p.Phase+" is not known", time.Time{})
	}
	toEnd := p.RestartPolicy == "Never" || p.RestartPolicy == "OnFailure"
	if a, closed := j.closedGate(ready); closed {
		return a
	}
	again, until := j.restarting()
	if p.Phase == "Running" && j.holds(podReady, ready >= 0 && !toEnd && again == nil) {
		a := j.is(podReady, Current, "", "ready", o.Conditions[ready].LastTransitionTime).decided(ready)
		if len(p.Containers) > 0 {
			j.restarted(&a)
		}
		return a
	}
	if a, hit := j.podScheduled(); hit {
		return a
	}
	if a, hit := j.podFaults(); hit {
		return a
	}
	if j.holds(podRestarting, again != nil) {
		return j.runsAgain(again, until)
	}
	if j.holds(podRuns, p.Phase == "Running" && toEnd) {
		return j.progress(podRuns, "Running", "runs; it is done when it has ended", p.Started)
	}
	return j.podNotYet()
}

func lastFinished(p *object.Pod) (t time.Time) {
	for i := range p.Containers {
		t = newest(t, p.Containers[i].State.Finished)
	}
	return t
}

// podEnded explains a pod in phase Failed.
func (j *judge) podEnded() Assessment {
	p := j.o.Pod
	reason, message := p.Reason, p.Message
	for i := range p.Containers {
		c := &p.Containers[i]
		if c.State.Kind != "terminated" || c.State.ExitCode == 0 {
			continue
		}
		if reason == "" {
			reason = c.State.Reason
		}
		if message == "" {
			message = ended(c, &c.State)
		}
		break
	}
	if reason == "" {
		reason = "Failed"
	}
	if message == "" {
		message = "has failed"
	}
	return j.terminal(podFailed, reason, message, lastFinished(p))
}

// ended is "container app exited with code 1: message".
func ended(c *object.Container, s *object.ContainerState) string {
	var b strings.Builder
	b.WriteString("container ")
	b.WriteString(c.Name)
	switch {
	case s.Reason == "OOMKilled" && c.Memory != "":
		b.WriteString(" was killed: out of memory (limit " + c.Memory + ")")
	case s.Reason == "OOMKilled":
		b.WriteString(" was killed: out of memory")
	case s.Signal != 0:
		b.WriteString(" was ended by signal " + strconv.Itoa(int(s.Signal)))
	default:
		b.WriteString(" exited with code " + strconv.Itoa(int(s.ExitCode)))
	}
	if s.Message != "" {
		b.WriteString(": " + s.Message)
	}
	return b.String()
}

// podScheduled judges a pod that no node has.
func (j *judge) podScheduled() (Assessment, bool) {
	o, p := j.o, j.o.Pod
	i := o.ConditionIndex("PodScheduled", "False")
	placed := p.Node != "" || p.Phase == "Running" || o.ConditionIndex("PodScheduled", "True") >= 0 ||
		slices.ContainsFunc(p.Containers, func(c object.Container) bool { return c.Place > 0 })
	if !j.holds(podScheduling, i >= 0 || !placed) {
		return Assessment{}, false
	}
	if i < 0 {
		return j.progress(podScheduling, "Scheduling", "waits for the scheduler", o.Created), true
	}
	c := &o.Conditions[i]
	switch {
	case c.Reason != "Unschedulable":
		reason := c.Reason
		if reason == "" {
			reason = "Scheduling"
		}
		return j.progress(podScheduling, reason, orText(c.Message, "waits for the scheduler"), c.LastTransitionTime).decided(i), true
	case p.Nominated != "":
		return j.progress(podScheduling, "Preempting", "waits for room on node "+p.Nominated, c.LastTransitionTime).decided(i), true
	}
	return j.fault(podScheduling, "Unschedulable", orText(c.Message, "no node fits"), c.LastTransitionTime).decided(i), true
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// podFaults looks for the first container that fails, init containers first.
func (j *judge) podFaults() (Assessment, bool) {
	p := j.o.Pod
	for i := range p.Containers {
		c := &p.Containers[i]
		if c.Kind == object.EphemeralContainer || c.Ready && c.State.Kind != "waiting" {
			continue
		}
		r := podFault
		if c.Kind.Order() == 0 {
			r = podInitFault
		}
		switch c.State.Kind {
		case "waiting":
			if a, hit := j.waiting(r, c); hit {
				return a, true
			}
		case "terminated":
			if c.State.ExitCode == 0 && c.State.Signal == 0 {
				continue
			}
			if p.RestartPolicy == "Never" && c.Kind != object.SidecarContainer {
				return j.terminal(r, orText(c.State.Reason, "Error"), ended(c, &c.State), c.State.Finished), true
			}
			return j.crash(r, orText(c.State.Reason, "Error"), ended(c, &c.State), j.crashingSince(c, &c.State)), true
		}
	}
	if j.w.trace.on() {
		j.holds(podInitFault, false)
		j.holds(podFault, false)
	}
	return Assessment{}, false
}

// waiting judges a container that waits.
func (j *judge) waiting(r *rule, c *object.Container) (Assessment, bool) {
	reason := c.State.Reason
	switch {
	case reason == "" || reason == "ContainerCreating" || reason == "PodInitializing":
		return Assessment{}, false
	case reason == "CrashLoopBackOff":
		message := "container " + c.Name + " keeps crashing: " + orText(c.State.Message, "back-off")
		if c.Last().Kind == "terminated" {
			message = ended(c, c.Last()) + "; restarted " + times(c.Restarts)
		}
		a := j.crash(r, reason, message, j.crashingSince(c, c.Last()))
		a.Retrying = &Retry{LastError: message, Count: int(c.Restarts)}
		return a, true
	case reason == "InvalidImageName":
		return j.terminal(r, reason, "container "+c.Name+": "+orText(c.State.Message, "the image name "+c.Image+" is invalid"), time.Time{}), true
	case !badWaiting(reason):
		return Assessment{}, false
	}
	message := "container " + c.Name + ": " + orText(c.State.Message, reason)
	if imageReason(reason) && c.Image != "" && !strings.Contains(message, c.Image) {
		message = "container " + c.Name + ": image " + c.Image + ": " + orText(c.State.Message, reason)
	}
	a := j.fault(r, reason, message, j.waitingSince(c))
	a.Retrying = &Retry{LastError: message}
	return a, true
}

// crash is a container that ends badly and is started again. With OnFailure
// the attempts are counted, by its Job's backoffLimit, just as they are with
// Never, where each takes a pod of its own: it is the Job that gives up.
func (j *judge) crash(r *rule, reason, message string, since time.Time) Assessment {
	if j.o.Pod.RestartPolicy != "OnFailure" {
		return j.fault(r, reason, message, since)
	}
	a := j.progress(r, reason, message, since)
	a.Retrying = &Retry{LastError: message}
	return a
}

// badWaiting reports whether a container that waits for this reason waits for
// something to be repaired.
func badWaiting(reason string) bool {
	return imageReason(reason) || strings.HasSuffix(reason, "Error") || strings.HasPrefix(reason, "Err") ||
		strings.HasSuffix(reason, "BackOff") || reason == "ContainerCannotRun" || reason == "DeadlineExceeded"
}

func imageReason(reason string) bool {
	switch reason {
	case "ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed":
		return true
	}
	return false
}

// waitingSince estimates when a container that never ran began to fail. The
// pod does not say; where nobody has been watching, its start is the best
// there is.
func (j *judge) waitingSince(c *object.Container) time.Time {
	switch {
	case j.w.Prior != nil:
		return time.Time{}
	case c.Restarts > 0:
		return c.Last().Finished
	}
	return j.o.Pod.Started
}

// crashingSince estimates when a container began to crash: its last end, or,
// where the restarts alone have taken longer than the grace (the back-off is
// 10, 20, 40 s…), when the pod last was ready.
func (j *judge) crashingSince(c *object.Container, last *object.ContainerState) time.Time {
	since := last.Finished
	if c.Restarts < 3 {
		return since
	}
	if t := j.o.Transition("Ready"); !t.IsZero() && (since.IsZero() || t.Before(since)) {
		since = t
	}
	if lasted := j.w.now.Add(-healGrace); since.IsZero() || since.After(lasted) {
		since = lasted
	}
	return since
}

// closedGate judges a pod that is called ready though one of its readiness gates
// is not True: by definition it is not ready, and whoever wrote Ready has not
// caught up, or does not know of gates.
func (j *judge) closedGate(ready int) (Assessment, bool) {
	o, p := j.o, j.o.Pod
	if ready < 0 || p.Phase != "Running" || len(p.ReadinessGates) == 0 {
		return Assessment{}, false
	}
	for _, gate := range p.ReadinessGates {
		if j.holds(podGates, o.ConditionIndex(gate, "True") < 0) {
			return j.gateClosed(gate, o.Transition(gate)).decided(o.ConditionIndex(gate, "False")), true
		}
	}
	return Assessment{}, false
}

func (j *judge) gateClosed(gate string, since time.Time) Assessment {
	message := "waits for the readiness gate " + gate
	if c := j.o.Condition(gate); c != nil && c.Message != "" {
		message += ": " + c.Message
	}
	return j.progress(podGates, "ReadinessGatesNotReady", message, since)
}

// podNotYet says what a pod without a fault still waits for.
func (j *judge) podNotYet() Assessment {
	o, p := j.o, j.o.Pod
	notReady := o.ConditionIndex("Ready", "False")
	since := o.Transition("Ready")
	if since.IsZero() {
		since = newest(p.Started, o.Created)
	}
	if o.ConditionIndex("ContainersReady", "True") >= 0 {
		for _, gate := range p.ReadinessGates {
			if j.holds(podGates, o.ConditionIndex(gate, "True") < 0) {
				return j.gateClosed(gate, since).decided(notReady)
			}
		}
	}
	inits, initsDone := 0, 0
	mains, mainsReady := int64(0), int64(0)
	var first *object.Container // the first that is not up
	for i := range p.Containers {
		c := &p.Containers[i]
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
	switch {
	case first == nil:
		return j.progress(podNotReady, "NotReady", "is not ready yet", since).decided(notReady)
	case first.Kind == object.InitContainer:
		return j.progress(podStarting, "Initializing", of(int64(initsDone), int64(inits), " init containers are done; "+first.Name+" is next"), since).decided(notReady)
	case first.State.Kind == "running":
		what := "container " + first.Name + " is not ready"
		switch pr := first.Probes; {
		case pr.Startup != nil && !first.Started:
			what += ": startup probe " + pr.Startup.What
		case pr.Readiness != nil:
			what += ": readiness probe " + pr.Readiness.What
		}
		if mains > 1 {
			what = of(mainsReady, mains, " containers are ready; ") + what
		}
		return j.progress(podNotReady, "ContainersNotReady", what, since).decided(notReady)
	case first.State.Kind == "terminated":
		return j.progress(podNotReady, orText(first.State.Reason, "Completed"), ended(first, &first.State), since).decided(notReady)
	}
	return j.progress(podStarting, orText(first.State.Reason, "ContainerCreating"), "container "+first.Name+" is being started", since).decided(notReady)
}
