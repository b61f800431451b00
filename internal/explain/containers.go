package explain

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Images, containers, probes. Each container gets one finding, decided in the
// order of this switch.

func containers(l *look) {
	p := l.o.Pod
	if p == nil || !l.o.Deleted.IsZero() || p.Phase == "Succeeded" || rejected(p) {
		return
	}
	for i := range p.Containers {
		c := &p.Containers[i]
		if c.Kind == object.EphemeralContainer {
			continue
		}
		l.container(c)
	}
	l.slowPull()
	l.gates()
}

// container finds the problem of one container, if any.
func (l *look) container(c *object.Container) {
	p := l.o.Pod
	switch c.State.Kind {
	case "waiting":
		switch c.State.Reason {
		case "ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", "ErrImageNeverPull", "InvalidImageName",
			"SignatureValidationFailed", "ImageInspectError":
			l.image(c)
		case "CreateContainerConfigError":
			l.configError(c)
		case "CreateContainerError", "RunContainerError", "StartError", "ContainerCannotRun":
			l.cannotStart(c, c.State.Message, "state.waiting.message", c.State.Reason)
		case "PostStartHookError", "PreStartHookError":
			f := l.hookFailed(c, c.State.Message)
			l.state(f, c, "state.waiting")
			if f.Since = l.onset(c, c.Last()); f.Since.IsZero() {
				f.Since = l.o.Created
			}
		case "CrashLoopBackOff":
			l.crash(c, c.Last(), "lastState")
		}
	case "terminated":
		switch {
		case c.State.ExitCode != 0 || c.State.Reason == "OOMKilled":
			l.crash(c, &c.State, "state")
		case c.Kind == object.MainContainer && p.RestartPolicy == "Always" && c.Restarts >= 2:
			l.crash(c, &c.State, "state")
		}
	case "running":
		kill := l.probeKill(c, c.Last()) // it may exit 0 after SIGTERM
		if c.Last().Kind == "terminated" && l.recent(c) && (kill != nil || c.Last().ExitCode != 0 || c.Last().Reason == "OOMKilled" || c.Ready && l.a.Reason == status.ReasonRestarting) {
			l.crash(c, c.Last(), "lastState")
			return
		}
		switch {
		case c.Kind == object.InitContainer:
			l.initRuns(c)
		case !c.Started && c.Probes.Startup != nil:
			l.startup(c)
		case c.Kind == object.SidecarContainer && !c.Started:
			f := l.on("SidecarNotStarted", c, "sidecar %s has not started; it holds up %s", c.Name, names(l.after(c), 3))
			f.Since = c.State.Started
			l.proof(f, field(c, "started"), "false")
			f.Next = []string{l.logs(c, false)}
			l.patience(f, c.State.Started, 10*time.Second)
		case !c.Ready:
			l.readiness(c)
		}
	}
}

// after are the containers that start once a sidecar has.
func (l *look) after(c *object.Container) (out []string) {
	i := slices.IndexFunc(l.o.Pod.Containers, func(x object.Container) bool { return x.Name == c.Name })
	for _, x := range l.o.Pod.Containers[i+1:] {
		if x.Kind != object.EphemeralContainer {
			out = append(out, x.Name)
		}
	}
	return out
}

// on starts a finding about a container.
func (l *look) on(code string, c *object.Container, title string, args ...any) *Finding {
	f := l.find(code, title, args...)
	f.Subject.Container = c.Name
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

// state adds a container's state as evidence.
func (l *look) state(f *Finding, c *object.Container, which string) {
	s := &c.State
	if strings.HasPrefix(which, "lastState") {
		s = c.Last()
	}
	if s.Reason != "" {
		l.proof(f, field(c, which+".reason"), s.Reason)
	}
	if s.Kind == "terminated" {
		l.proof(f, field(c, which+".exitCode"), s.ExitCode)
		if s.Signal != 0 {
			l.proof(f, field(c, which+".signal"), s.Signal)
		}
	}
	if s.Message != "" {
		l.proof(f, field(c, which+".message"), s.Message)
	}
}

func (l *look) logs(c *object.Container, previous bool) string {
	args := []string{"logs", l.o.Name, "-c", c.Name}
	if previous {
		args = append(args, "--previous")
	}
	return l.kubectl(args...)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
