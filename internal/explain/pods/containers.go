package pods

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Images, containers, probes. Each container gets one finding, decided in the
// order of this switch.

func init() { inspect.Detect(inspect.Detector{Kinds: pod, Find: containers}) }

func containers(in *inspect.Inspector) {
	p := in.Object.Pod
	if p == nil || !in.Object.Deleted.IsZero() || p.Phase == "Succeeded" || rejected(p) {
		return
	}
	for i := range p.Containers {
		Container(in, &p.Containers[i])
	}
	slowPull(in)
	gates(in)
}

// Container finds the problem of one container, if any. A container that somebody has added to
// look for a fault (kubectl debug) is no reason for anything.
func Container(in *inspect.Inspector, c *object.Container) {
	if c.Kind == object.EphemeralContainer {
		return
	}
	p := in.Object.Pod
	switch c.State.Kind {
	case "waiting":
		switch c.State.Reason {
		case "ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", "ErrImageNeverPull", "InvalidImageName",
			"SignatureValidationFailed", "ImageInspectError":
			pullFailed(in, c)
		case "CreateContainerConfigError":
			configError(in, c)
		case "CreateContainerError", "RunContainerError", "StartError", "ContainerCannotRun":
			cannotStart(in, c, c.State.Message, "state.waiting.message", c.State.Reason)
		case "PostStartHookError", "PreStartHookError":
			f := hookFailed(in, c, hookError(in, c))
			proveState(in, f, c, "state.waiting")
			if f.Since = onset(in, c, c.Last()); f.Since.IsZero() {
				f.Since = in.Object.Created
			}
		case "CrashLoopBackOff":
			crash(in, c, c.Last(), "lastState")
		}
	case "terminated":
		switch {
		case c.State.ExitCode != 0 || c.State.Reason == "OOMKilled":
			crash(in, c, &c.State, "state")
		case c.Kind == object.MainContainer && p.RestartPolicy == "Always" && c.Restarts >= 2:
			crash(in, c, &c.State, "state")
		}
	case "running":
		kill := probeKill(in, c, c.Last()) // it may exit 0 after SIGTERM
		if c.Last().Kind == "terminated" && lastExitMatters(in, c) && (kill != nil || c.Last().ExitCode != 0 ||
			c.Last().Reason == "OOMKilled" || c.Ready && in.Assessment.Reason == status.ReasonRestarting) {
			crash(in, c, c.Last(), "lastState")
			return
		}
		switch {
		case c.Kind == object.InitContainer:
			initRuns(in, c)
		case !c.Started && c.Probes.Startup != nil:
			startup(in, c)
		case c.Kind == object.SidecarContainer && !c.Started:
			f := onContainer(in, codes.SidecarNotStarted, c,
				"sidecar %s has not started; it holds up %s", c.Name, wording.Names(startAfter(in, c), 3))
			f.Since = c.State.Started
			f.Prove(field(c, "started"), "false")
			f.Next = []string{logs(in, c, false)}
			in.Patience(f, c.State.Started, 10*time.Second)
		case !c.Ready:
			readiness(in, c)
		}
	}
}

// startAfter are the containers that start once a sidecar has.
func startAfter(in *inspect.Inspector, c *object.Container) (out []string) {
	i := slices.IndexFunc(in.Object.Pod.Containers, func(x object.Container) bool { return x.Name == c.Name })
	for _, x := range in.Object.Pod.Containers[i+1:] {
		if x.Kind != object.EphemeralContainer {
			out = append(out, x.Name)
		}
	}
	return out
}

// onContainer starts a finding about a container.
func onContainer(
	in *inspect.Inspector, code *codes.Code, c *object.Container, title string, args ...any,
) *inspect.Finding {
	f := in.Find(code, title, args...)
	f.About.Container = c.Name
	f.Key = c.Name
	return f
}

// field is the path of a container's status.
func field(c *object.Container, sub string) string {
	list := "containerStatuses"
	if c.Kind == object.InitContainer || c.Kind == object.SidecarContainer {
		list = "initContainerStatuses"
	}
	return "status." + list + "[" + c.Name + "]." + sub
}

// specField is the path of a container's specification.
func specField(c *object.Container, sub string) string {
	list := "containers"
	if c.Kind == object.InitContainer || c.Kind == object.SidecarContainer {
		list = "initContainers"
	}
	return "spec." + list + "[" + c.Name + "]." + sub
}

// proveState adds a container's state as evidence.
func proveState(in *inspect.Inspector, f *inspect.Finding, c *object.Container, which string) {
	s := &c.State
	if strings.HasPrefix(which, "lastState") {
		s = c.Last()
	}
	if s.Reason != "" {
		f.Prove(field(c, which+".reason"), s.Reason)
	}
	if s.Kind == "terminated" {
		f.Prove(field(c, which+".exitCode"), s.ExitCode)
		if s.Signal != 0 {
			f.Prove(field(c, which+".signal"), s.Signal)
		}
	}
	if s.Message != "" {
		f.Prove(field(c, which+".message"), s.Message)
	}
}

func logs(in *inspect.Inspector, c *object.Container, previous bool) string {
	args := []string{"logs", in.Object.Name, "-c", c.Name}
	if previous {
		args = append(args, "--previous")
	}
	return in.Kubectl(args...)
}
