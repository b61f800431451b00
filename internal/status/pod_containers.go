package status

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// containerFaults returns the assessment of the first failing container, init containers first. It is
// false if none fails.
func (p *podRule) containerFaults() (Assessment, bool) {
	for i := range p.pod.Containers {
		c := &p.pod.Containers[i]
		if c.Kind == object.EphemeralContainer || c.Ready && c.State.Kind != "waiting" {
			continue
		}
		if c.Kind.Order() == 0 {
			p.j.by("initContainers", "status.initContainerStatuses")
		} else {
			p.j.by("containers", "status.containerStatuses")
		}
		switch c.State.Kind {
		case "waiting":
			if a, hit := p.waiting(c); hit {
				return a, true
			}
		case "terminated":
			if c.State.ExitCode == 0 && c.State.Signal == 0 {
				continue
			}
			reason, message := cmp.Or(c.State.Reason, "Error"), ended(c, &c.State)
			if !kinds.RestartsAfter(p.pod, c, true) {
				return p.j.terminal(reason, message).since(c.State.Finished), true
			}
			return p.crash(c, reason, message, p.crashingSince(c, &c.State)), true
		}
	}
	// For the trace: neither rule applies.
	p.j.holds(false, "initContainers", "an init container fails", "status.initContainerStatuses")
	p.j.holds(false, "containers", "a container fails", "status.containerStatuses")
	return Assessment{}, false
}

// waiting judges a waiting container.
func (p *podRule) waiting(c *object.Container) (Assessment, bool) {
	reason, text := c.State.Reason, c.State.Message
	switch {
	case reason == "" || reason == "ContainerCreating" || reason == "PodInitializing":
		return Assessment{}, false
	case reason == "CrashLoopBackOff":
		message := "container " + c.Name + " keeps crashing: " + cmp.Or(text, "back-off")
		if c.Last().Kind == "terminated" {
			message = ended(c, c.Last()) + "; restarted " + times(c.Restarts)
		}
		a := p.crash(c, reason, message, p.crashingSince(c, c.Last()))
		a.Retrying = &Retry{LastError: message, Count: int(c.Restarts)}
		return a, true
	case reason == "InvalidImageName":
		return p.j.terminal(reason, "container "+c.Name+": "+cmp.Or(text, "the image name "+c.Image+" is invalid")),
			true
	case !badWaiting(reason):
		return Assessment{}, false
	}
	message := "container " + c.Name + ": " + cmp.Or(text, reason)
	if imageReason(reason) && c.Image != "" && !strings.Contains(message, c.Image) {
		message = "container " + c.Name + ": image " + c.Image + ": " + cmp.Or(text, reason)
	}
	// The Pod does not say when a container that never ran began to fail.
	// Without an earlier observation its start time is the best estimate.
	since := p.pod.Started
	if c.Restarts > 0 {
		since = p.crashingSince(c, c.Last()) // between two back-offs the reason is what the runtime says
	}
	if p.j.w.Prior != nil {
		since = time.Time{}
	}
	a := p.j.fault(reason, message).since(since)
	a.Retrying = &Retry{LastError: message}
	return a, true
}

// defaultBackoffLimit is how many restarts a Job allows that does not say so
// (SetDefaults_Job in pkg/apis/batch/v1/defaults.go, v1.36.3).
const defaultBackoffLimit = 6

// crash judges a container that exits with an error and is restarted. With
// OnFailure its Job's backoffLimit counts the attempts, as with Never, where
// each takes a Pod of its own: the Job gives up, not the Pod. Once it has been
// restarted more often than most Jobs allow, nothing shows that its Job will
// ever end it, and it fails like any other.
func (p *podRule) crash(c *object.Container, reason, message string, since time.Time) Assessment {
	if !counted(p.o) {
		return p.j.fault(reason, message).since(since)
	}
	a := p.j.progress(reason, message)
	if c.Restarts > defaultBackoffLimit {
		a = p.j.fault(reason, message)
	}
	a.Retrying = &Retry{LastError: message, Count: int(c.Restarts)}
	return a.since(since)
}

// counted reports whether an owner counts a Pod's attempts and ends them: see crash.
func counted(o *object.Object) bool { return o.Pod.RestartPolicy == "OnFailure" && kinds.RunsToEnd(o) }

// crashingSince estimates when a container began to crash. A crash continues the fault
// of the one before it unless the run between them settled the container. Where nothing
// dates that one, it ended before the run began. If the back-offs alone (10, 20, 40 s…)
// have taken longer than the grace period, it is no later than that, or when the Pod was
// last ready.
func (p *podRule) crashingSince(c *object.Container, last *object.ContainerState) time.Time {
	since := last.Finished
	crash, _ := crashOf(p.pod, c, last)
	if crash.Ran >= crashRemembered {
		return since // the kubelet has reset its back-off
	}
	if c.Restarts >= 3 {
		if t := p.o.Transition("Ready"); !t.IsZero() && (since.IsZero() || t.Before(since)) {
			since = t
		}
		if lasted := p.j.now.Add(-healGrace); since.IsZero() || since.After(lasted) {
			since = lasted
		}
		return since
	}
	dated := int64(0) // restarts after crashes whose dates are known
	if before := c.Last(); before != last {
		earlier, crashed := crashOf(p.pod, c, before)
		if !crashed || !last.Finished.Before(earlier.settledAt(last.Started)) {
			return since
		}
		since, last, crash, dated = before.Finished, before, earlier, 1
	}
	if c.Restarts > dated && crash.Ran > 0 && crash.Ran < settleLeast {
		since = last.Started
	}
	return since
}

// ended formats "container app exited with code 1: message".
func ended(c *object.Container, s *object.ContainerState) string {
	var how string
	switch {
	case s.Reason == "OOMKilled" && c.Memory != "":
		how = " was killed: out of memory (limit " + c.Memory + ")"
	case s.Reason == "OOMKilled":
		how = " was killed: out of memory"
	case s.Signal != 0:
		how = fmt.Sprintf(" was ended by signal %d", s.Signal)
	default:
		how = fmt.Sprintf(" exited with code %d", s.ExitCode)
	}
	if s.Message != "" {
		how += ": " + s.Message
	}
	return "container " + c.Name + how
}

// badWaiting reports whether a waiting reason is a fault.
func badWaiting(reason string) bool {
	return imageReason(reason) || strings.HasSuffix(reason, "Error") || strings.HasPrefix(reason, "Err") ||
		strings.HasSuffix(reason, "BackOff") || reason == "ContainerCannotRun" || reason == "DeadlineExceeded"
}

func imageReason(reason string) bool {
	switch reason {
	case "ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable",
		"SignatureValidationFailed":
		return true
	}
	return false
}
