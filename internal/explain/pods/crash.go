package pods

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Containers that cannot start, or exit.

// lastExitMatters reports whether the last exit of a running container is part of the present
// problem: the container is not ready, or it keeps restarting.
func lastExitMatters(in *inspect.Inspector, c *object.Container) bool {
	if c.Restarts == 0 || c.Last().Finished.IsZero() {
		return false
	}
	if c.State.Kind == "running" && !c.Ready && c.Kind == object.MainContainer {
		return !in.Older(c.Last().Finished, 10*time.Minute) || c.Restarts > 3
	}
	return in.Assessment.Reason == status.ReasonRestarting // otherwise it has recovered: see the row's note
}

// problemBegan is when a container's problem began, by its states; before its first run it is when
// the Pod was scheduled.
func problemBegan(in *inspect.Inspector, c *object.Container) time.Time {
	switch {
	case !c.State.Finished.IsZero():
		return c.State.Finished
	case !c.Last().Finished.IsZero():
		return c.Last().Finished
	}
	return inspect.ScheduledAt(in.Object)
}

// cannotStart finds ContainerCannotStart: the runtime cannot start the command.
func cannotStart(in *inspect.Inspector, c *object.Container, msg, path, reason string) *inspect.Finding {
	m := message.Line(msg)
	t := message.Start(msg)
	if t.Step == message.TooLittleLimit {
		f := tooSmall(in, c.Name, c.Memory)
		f.About.Container, f.Detail, f.Since = c.Name, m, problemBegan(in, c)
		f.Prove(field(c, path), msg)
		return f
	}
	f := onContainer(in, codes.ContainerCannotStart, c, "%s cannot be started: %s", c.Name, startProblem(t))
	f.Detail = m
	if t.Step == message.NameReserved {
		f.Become(codes.NameReserved,
			"the runtime of node %s hangs in an earlier attempt to make container %s, and so refuses another "+
				"(is its disk slow or full?)",
			in.Object.Pod.Node, c.Name)
		f.Next = []string{wording.Command("", "describe", "node", in.Object.Pod.Node)}
	}
	ended := c.Last()
	if c.State.Kind == "terminated" {
		ended = &c.State
	}
	f.Since = onset(in, c, ended)
	if reason != "" {
		f.Prove(field(c, strings.TrimSuffix(path, "message")+"reason"), reason)
	}
	if msg != "" {
		f.Prove(field(c, path), msg)
	}
	return f
}

// tooSmall finds OutOfMemory: a memory limit too small to set the container up.
func tooSmall(in *inspect.Inspector, what, limit string) *inspect.Finding {
	f := in.Find(codes.OutOfMemory, "%s cannot be started: its memory limit is too low", what)
	if limit != "" {
		f.Say("%s cannot be started: its memory limit %s is too low", what, limit)
		f.Prove("spec.containers[*].resources.limits.memory", limit)
	}
	f.Key = what
	return f
}

// startProblem is the relevant part of the runtime's message.
func startProblem(t message.Trouble) string {
	switch t.Step {
	case message.CommandMissing:
		return "command " + t.Name + " is not in the image"
	case message.CommandForbidden:
		return "command " + t.Name + " may not be executed (permission denied)"
	case message.CommandWrongBuild:
		return "command " + t.Name + " is built for another platform"
	case message.ImageDamaged:
		return "its image cannot be unpacked: " + message.Clip(t.Reason, 200)
	case message.MountRefused:
		return strings.TrimSpace("volume "+t.Volume) + " cannot be mounted at " + t.Name + ": " + t.Reason
	}
	return cmp.Or(t.Reason, "no reason given")
}

// end is one exit of a container, and what is known of it.
type end struct {
	c    *object.Container
	t    *object.ContainerState
	hook *object.Event // of a failed postStart hook
	kill *object.Event // of a probe that caused it
	log  lastOutput
	// Parts of titles: "exits" or "exited", " after 3s", ": no database", " (4
	// restarts)".
	verb, after, logged, times string
}

// crash finds the cause of a container that exited unexpectedly, or exits again
// and again.
func crash(in *inspect.Inspector, c *object.Container, t *object.ContainerState, which string) {
	switch {
	case t.Kind != "terminated":
		endUnknown(in, c)
		return
	case t.Reason == "StartError" || t.Reason == "ContainerCannotRun" || t.ExitCode == 128 && t.Message != "":
		addNextRestart(in, cannotStart(in, c, t.Message, which+".terminated.message", t.Reason), c)
		return
	}
	x := endOf(in, c, t)
	f := ended(in, x)
	f.Since = onset(in, c, t)
	if f.Detail == "" && !unread(t.Message) {
		f.Detail = strings.TrimSpace(t.Message)
	}
	f.Key += fmt.Sprintf(" %d", t.ExitCode)
	if !x.log.logged {
		// One log line stands for all Pods: it must not give the exemplar a
		// group of its own.
		f.Key += " " + wording.Normal(x.log.line)
	}
	proveState(in, f, c, which+".terminated")
	if x.log.logged && x.log.line != "" {
		f.QuoteLog(in.Object.ID, c.Name, x.log.line)
	}
	policies(in, f, x.log.line)
	serviceLink(in, f, x.log.line)
	if x.log.unseen != "" {
		f.Unread = append(f.Unread, "the log of "+c.Name+": "+x.log.unseen)
	}
	if c.State.Kind == "waiting" {
		f.Prove(field(c, "state.waiting.reason"), c.State.Reason)
	}
	f.Prove(field(c, "restartCount"), c.Restarts)
	f.Next = append([]string{logs(in, c, c.State.Kind != "terminated")}, f.Next...)
	addNextRestart(in, f, c)
	if in.Object.Pod.RestartPolicy != "Always" && in.Object.Pod.Phase == "Failed" {
		f.Until, f.UntilWhat = time.Time{}, ""
		final(in, f)
	}
}

// endUnknown finds ContainerStatusLost: CrashLoopBackOff without a last state,
// which the kubelet has lost.
func endUnknown(in *inspect.Inspector, c *object.Container) {
	f := onContainer(in, codes.ContainerCrashing, c, "%s keeps ending; its last end is not known", c.Name)
	f.Certainty, f.Since = inspect.Likely, problemBegan(in, c)
	proveState(in, f, c, "state.waiting")
	f.Next = []string{logs(in, c, true)}
	addNextRestart(in, f, c)
}

// endOf collects what is known of an exit. The log of a container that was
// killed from outside is not read.
func endOf(in *inspect.Inspector, c *object.Container, t *object.ContainerState) *end {
	x := &end{c: c, t: t, hook: hookKill(in, c, t), kill: probeKill(in, c, t), verb: "exited"}
	if t.Reason != "OOMKilled" && t.Reason != "ContainerStatusUnknown" && x.kill == nil && x.hook == nil {
		x.log = lastWords(in, c, t)
	}
	if d := lived(t); d > 0 {
		x.after = " after " + wording.Span(d)
	}
	if x.log.line != "" {
		x.logged = ": " + x.log.line
	}
	if c.Restarts > 1 {
		x.times = fmt.Sprintf(" (%d restarts)", c.Restarts)
	}
	if c.Restarts > 1 || c.State.Reason == "CrashLoopBackOff" {
		x.verb = "exits"
	}
	return x
}

// ended decides why a container exited: first what was done to it, then what it
// did.
func ended(in *inspect.Inspector, x *end) (f *inspect.Finding) {
	c, t := x.c, x.t
	switch {
	case t.Reason == "OOMKilled":
		return outOfMemory(in, x)
	case t.Reason == "ContainerStatusUnknown":
		f = onContainer(in, codes.ContainerStatusLost, c,
			"how %s ended is not known (did node %s restart?)", c.Name, in.Object.Pod.Node)
		f.Certainty = inspect.Likely
	case message.WrongBuild(x.log.line), message.WrongBuild(t.Message):
		f = onContainer(in, codes.ImageWrongPlatform, c,
			"image %s is not built for the platform of node %s", c.Image, in.Object.Pod.Node)
		platform(in, f)
	case x.hook != nil:
		f = hookFailed(in, c, x.hook.Message)
		f.ProveEvent(*x.hook)
	case x.kill != nil:
		return probeKilled(in, x)
	case c.Kind == object.InitContainer:
		n, of := initOrder(in, c)
		f = onContainer(in, codes.InitContainerFailing, c, "init container %s (%d/%d) %s %d%s%s%s",
			c.Name, n, of, x.verb, t.ExitCode, x.after, x.logged, x.times)
	default:
		return exited(in, x)
	}
	return f
}

// platform adds which platform a Pod's node has, if it is known.
func platform(in *inspect.Inspector, f *inspect.Finding) {
	node := in.Get(inspect.ClusterID("", "Node", in.Object.Pod.Node))
	if node == nil {
		return
	}
	if arch, ok := node.Label("kubernetes.io/arch"); ok {
		system, _ := node.Label("kubernetes.io/os")
		f.Note("%s", strings.TrimPrefix(system+"/"+arch, "/"))
		f.ProveOn(node.ID, "metadata.labels[kubernetes.io/arch]", arch)
	}
}

// outOfMemory finds OutOfMemory.
func outOfMemory(in *inspect.Inspector, x *end) *inspect.Finding {
	f := onContainer(in, codes.OutOfMemory, x.c, "%s was killed at its memory limit %s%s",
		x.c.Name, x.c.Memory, x.times)
	if x.c.Memory != "" {
		f.Prove(specField(x.c, "resources.limits.memory"), x.c.Memory)
	}
	inspect.ByLimitRange(in, f, "memory limit", x.c.Name)
	f.Next = []string{in.Kubectl("top", "pod", in.Object.Name, "--containers")}
	return f
}

// probeKilled finds LivenessProbeFailing.
func probeKilled(in *inspect.Inspector, x *end) *inspect.Finding {
	probe, asked := message.Probe(x.kill.Message), x.c.Probes.Liveness
	if probe.Probe == "Startup" {
		asked = x.c.Probes.Startup
	}
	f := onContainer(in, codes.LivenessProbeFailing, x.c, "%s is restarted: %s probe failing%s%s",
		x.c.Name, strings.ToLower(probe.Probe), probeText(asked, probe), x.times)
	f.ProveEvent(*x.kill)
	return f
}

// exited is for a process that exited by itself or by a signal: the exit code
// tells.
func exited(in *inspect.Inspector, x *end) (f *inspect.Finding) {
	c, code := x.c, x.t.ExitCode
	switch code {
	case 0:
		f = onContainer(in, codes.ContainerCompletes, c,
			"%s ends normally (exit 0)%s, but is expected to keep running%s", c.Name, x.after, x.times)
	case 126, 127:
		what := "is not in the image"
		if code == 126 {
			what = "may not be executed"
		}
		f = onContainer(in, codes.ContainerCannotStart, c,
			"%s exits %d: its command, or one that it calls, %s%s", c.Name, code, what, x.logged)
		f.Certainty = inspect.Likely
	case 137:
		f = onContainer(in, codes.ContainerKilled, c,
			"%s was killed (SIGKILL, exit 137)%s%s%s", c.Name, x.after, x.logged, x.times)
		f.Detail = "Exit 137 without OOMKilled: a child process ran out of memory, a probe failed, or it did not stop in time."
		f.Certainty = inspect.Likely
	case 143, 139, 134:
		f = onContainer(in, codes.ContainerSignalled, c, "%s %s (exit %d)%s%s%s",
			c.Name, signals[code], code, x.after, x.logged, x.times)
	default:
		f = onContainer(in, codes.ContainerCrashing, c, "%s %s %d%s%s%s", c.Name, x.verb,
			code, x.after, x.logged, x.times)
	}
	return f
}

var signals = map[int32]string{
	143: "was asked to stop (SIGTERM)", 139: "crashes with a segmentation fault", 134: "aborts (SIGABRT)",
}

// lived is how long a container ran. One that the runtime never started has a
// start time of 1970.
func lived(t *object.ContainerState) time.Duration {
	if t.Started.Unix() <= 0 || t.Finished.Before(t.Started) {
		return 0
	}
	return t.Finished.Sub(t.Started)
}

// onset estimates when a loop of restarts began: the kubelet waits 10 s, 20 s,
// 40 s up to 5 min between two, and each run is taken to be as long as the
// last. It is never before the Pod was scheduled.
func onset(in *inspect.Inspector, c *object.Container, t *object.ContainerState) time.Time {
	if t.Finished.IsZero() || c.Restarts == 0 {
		return problemBegan(in, c)
	}
	back, wait := time.Duration(0), 10*time.Second
	for range min(c.Restarts, 1000) {
		back += wait + lived(t)
		wait = min(2*wait, 5*time.Minute)
	}
	if c.State.Kind != "waiting" && t == &c.State {
		back -= min(back, wait/2) // the last wait has not begun
	}
	began := t.Finished.Add(-back - lived(t))
	if floor := inspect.ScheduledAt(in.Object); began.Before(floor) {
		return floor
	}
	return began
}

// hookKill returns the kubelet's event for an exit after a failed postStart
// hook.
func hookKill(in *inspect.Inspector, c *object.Container, t *object.ContainerState) *object.Event {
	for _, e := range in.Events(in.Object.ID, "FailedPostStartHook") {
		if about(e, c) && near(e, t) {
			return &e
		}
	}
	return nil
}

// hookError is what a waiting container or the kubelet's event says of its postStart hook: since
// kubernetes v1.29 the event, and the state of some runtimes, only name the failure.
func hookError(in *inspect.Inspector, c *object.Container) string {
	said := c.State.Message
	if hook := hookKill(in, c, c.Last()); hook != nil && !hookSays(said) {
		return hook.Message
	}
	return said
}

// hookSays reports whether a message says why a hook failed, beside "PostStartHookError" or
// "PostStartHook failed".
func hookSays(m string) bool { return m != "" && !strings.HasPrefix(m, "PostStartHook") }

// hookFailed finds ContainerHookFailed.
func hookFailed(in *inspect.Inspector, c *object.Container, msg string) *inspect.Finding {
	hook, x := "the postStart hook", message.PostStart(msg)
	if x.Command != "" {
		hook += " " + message.Clip(x.Command, 60)
	}
	f := onContainer(in, codes.ContainerHookFailed, c, "%s of %s fails", hook, c.Name)
	if hookSays(msg) {
		f.Why("%s", startProblem(x.Start))
	}
	f.Detail = message.Line(msg)
	return f
}

// near reports whether an event is about this exit of a container. After the
// first 25 events of a type about a Pod the kubelet's recorder sends one every
// five minutes: a repeated one is taken to go on.
func near(e object.Event, t *object.ContainerState) bool {
	lag := 5 * time.Minute
	if e.Count > 2 {
		lag = time.Hour
	}
	return t.Finished.IsZero() || e.Last.IsZero() || !e.Last.Before(t.Finished.Add(-lag))
}

// about reports whether an event is about this container of its Pod.
func about(e object.Event, c *object.Container) bool {
	return e.Field == "" || strings.Contains(e.Field, "{"+c.Name+"}")
}
