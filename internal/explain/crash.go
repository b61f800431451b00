package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Containers that cannot start, or end: F12 to F18, F23, F24, F27.

// recent reports whether a running container's last end is the trouble of the
// moment: it is not ready, or it keeps being restarted.
func (l *look) recent(c *object.Container) bool {
	if c.Restarts == 0 || c.Last().Finished.IsZero() {
		return false
	}
	if c.State.Kind == "running" && !c.Ready && c.Kind == object.MainContainer {
		return !l.older(c.Last().Finished, 10*time.Minute) || c.Restarts > 3
	}
	return l.a.Reason == status.ReasonRestarting // else it has healed: see the note on the row
}

// begun is when a pod's trouble began, as far as its containers tell.
func (l *look) begun(c *object.Container) time.Time {
	switch {
	case !c.State.Finished.IsZero():
		return c.State.Finished
	case !c.Last().Finished.IsZero():
		return c.Last().Finished
	}
	if x := l.o.Condition("PodScheduled"); x != nil && x.Status == "True" && !x.LastTransitionTime.IsZero() {
		return x.LastTransitionTime
	}
	return l.o.Created
}

// cannotStart is F12: the runtime cannot start the command.
func (l *look) cannotStart(c *object.Container, msg, path, reason string) {
	m := headline(msg)
	if strings.Contains(m, tooLittleMemory) {
		f := l.tooSmall(c.Name, c.Memory)
		f.Subject.Container, f.Detail, f.Since = c.Name, m, l.begun(c)
		l.proof(f, field(c, path), msg)
		f.Changed = l.changed(c, "resources")
		return
	}
	f := l.on("ContainerCannotStart", c)
	f.Title = fmt.Sprintf("%s cannot be started: %s", c.Name, startProblem(m))
	f.Detail = m
	f.Since = l.begun(c)
	if reason != "" {
		l.proof(f, field(c, strings.TrimSuffix(path, "message")+"reason"), reason)
	}
	if msg != "" {
		l.proof(f, field(c, path), msg)
	}
	f.Next = []string{l.kubectl("describe", "pod", l.o.Name)}
	f.Changed = l.changed(c, "image", "command", "volumes")
}

// tooLittleMemory is what runc says (v1.1 and later) when the process that sets a
// container up is killed at the container's limit.
const tooLittleMemory = "OOM-killed (memory limit too low"

// tooSmall is a memory limit within which a container cannot even be set up.
func (l *look) tooSmall(what, limit string) *Finding {
	f := l.find("OutOfMemory")
	f.Title = what + " cannot be started: its memory limit is too low"
	if limit != "" {
		f.Title = fmt.Sprintf("%s cannot be started: its memory limit %s is too low", what, limit)
		l.proof(f, "spec.containers[*].resources.limits.memory", limit)
	}
	f.Key = what
	f.Next = []string{l.kubectl("describe", "pod", l.o.Name)}
	return f
}

// startProblem is the part of the runtime's message that matters.
func startProblem(m string) string {
	if x := between(m, `exec: "`, `"`); x != "" {
		switch {
		case strings.Contains(m, "executable file not found") || strings.Contains(m, "no such file"):
			return "command " + x + " is not in the image"
		case strings.Contains(m, "permission denied"):
			return "command " + x + " may not be executed (permission denied)"
		case strings.Contains(m, "exec format error"):
			return "command " + x + " is built for another platform"
		}
	}
	if m == "" {
		return "no reason given"
	}
	return last(m)
}

// crash is F12 to F18, F23, F24, F27: a container ended that should not have,
// or ends again and again.
func (l *look) crash(c *object.Container, t *object.ContainerState, which string) {
	p := l.o.Pod
	if t.Kind != "terminated" {
		// CrashLoopBackOff without a last state: the kubelet lost it.
		f := l.on("ContainerCrashing", c)
		f.Title = fmt.Sprintf("%s keeps ending; its last end is not known", c.Name)
		f.Certainty, f.Since = Likely, l.begun(c)
		l.state(f, c, "state.waiting")
		f.Next = []string{l.logs(c, true)}
		l.backOff(f, c)
		return
	}
	if t.Reason == "StartError" || t.Reason == "ContainerCannotRun" || t.ExitCode == 128 && t.Message != "" {
		l.cannotStart(c, t.Message, which+".terminated.message", t.Reason)
		l.backOff(l.found[len(l.found)-1], c)
		return
	}
	kill, probe := l.probeKill(c, t)
	hook := l.hookKill(c, t)
	said := words{}
	if t.Reason != "OOMKilled" && t.Reason != "ContainerStatusUnknown" && kill == nil && hook == nil {
		said = l.lastWords(c, t)
	}
	after, times, says := "", "", ""
	if d := lived(t); d > 0 {
		after = " after " + span(d)
	}
	if c.Restarts > 1 {
		times = fmt.Sprintf(" (%d restarts)", c.Restarts)
	}
	if said.line != "" {
		says = ": " + said.line
	}
	verb := "exited"
	if c.Restarts > 1 || c.State.Reason == "CrashLoopBackOff" {
		verb = "exits"
	}
	var f *Finding
	var matters []string // fields whose change may be the reason
	switch {
	case t.Reason == "OOMKilled":
		f = l.on("OutOfMemory", c)
		limit := "its memory limit"
		if c.Memory != "" {
			limit = "its memory limit " + c.Memory
			l.proof(f, specField(c, "resources.limits.memory"), c.Memory)
		}
		f.Title = fmt.Sprintf("%s was killed at %s%s", c.Name, limit, times)
		matters = []string{"resources", "image", "command", "env"}
		f.Next = []string{l.kubectl("top", "pod", l.o.Name, "--containers")}
	case t.Reason == "ContainerStatusUnknown":
		f = l.on("ContainerStatusLost", c)
		f.Title = fmt.Sprintf("how %s ended is not known (did node %s restart?)", c.Name, p.Node)
		f.Certainty = Likely
	case strings.Contains(said.line, "exec format error") || strings.Contains(t.Message, "exec format error"):
		f = l.on("ImageWrongPlatform", c)
		f.Title = fmt.Sprintf("image %s is not built for the platform of node %s", c.Image, p.Node)
		matters = []string{"image", "placement"}
	case hook != nil:
		f = l.hookFailed(c, hook.Message)
		f.proveEvent(*hook)
		matters = []string{"lifecycle", "image"}
	case kill != nil:
		f = l.on("LivenessProbeFailing", c)
		asked := c.Probes.Liveness
		if probe == "Startup" {
			asked = c.Probes.Startup
		}
		f.Title = fmt.Sprintf("%s is restarted: %s probe failing%s%s", c.Name, strings.ToLower(probe), probeText(asked, kill.Message, probe), times)
		f.proveEvent(*kill)
		matters = []string{"probes", "ports", "image", "command", "env"}
	case c.Kind == object.InitContainer:
		f = l.on("InitContainerFailing", c)
		n, of := l.initOrder(c)
		f.Title = fmt.Sprintf("init container %s (%d/%d) %s %d%s%s%s", c.Name, n, of, verb, t.ExitCode, after, says, times)
	case t.ExitCode == 0:
		f = l.on("ContainerCompletes", c)
		f.Title = fmt.Sprintf("%s ends normally (exit 0)%s, but is expected to keep running%s", c.Name, after, times)
		matters = []string{"command", "image"}
	case t.ExitCode == 126 || t.ExitCode == 127:
		f = l.on("ContainerCannotStart", c)
		what := "is not in the image"
		if t.ExitCode == 126 {
			what = "may not be executed"
		}
		f.Title = fmt.Sprintf("%s exits %d: its command, or one that it calls, %s%s", c.Name, t.ExitCode, what, says)
		f.Certainty = Likely
		matters = []string{"image", "command"}
	case t.ExitCode == 137:
		f = l.on("ContainerKilled", c)
		f.Title = fmt.Sprintf("%s was killed (SIGKILL, exit 137)%s%s%s", c.Name, after, says, times)
		f.Detail = "Exit 137 without OOMKilled: a child process ran out of memory, a probe failed, or it did not stop in time."
		f.Certainty = Likely
	case t.ExitCode == 143 || t.ExitCode == 139 || t.ExitCode == 134:
		f = l.on("ContainerSignalled", c)
		f.Title = fmt.Sprintf("%s %s (exit %d)%s%s%s", c.Name, signals[t.ExitCode], t.ExitCode, after, says, times)
	default:
		f = l.on("ContainerCrashing", c)
		f.Title = fmt.Sprintf("%s %s %d%s%s%s", c.Name, verb, t.ExitCode, after, says, times)
	}
	f.Since = l.onset(c, t)
	if f.Detail == "" && !unread(t.Message) {
		f.Detail = strings.TrimSpace(t.Message)
	}
	f.Key += fmt.Sprintf(" %d", t.ExitCode)
	if !said.logged {
		// One log line stands for all: it must not tell the exemplar from the rest.
		f.Key += " " + normal(said.line)
	}
	l.state(f, c, which+".terminated")
	if said.logged && said.line != "" {
		f.told = true
		f.proveLog(l.o.ID, c.Name, said.line)
	}
	l.policies(f, said.line)
	if said.unseen != "" {
		f.Missing = append(f.Missing, "the log of "+c.Name+": "+said.unseen)
	}
	if c.State.Kind == "waiting" {
		l.proof(f, field(c, "state.waiting.reason"), c.State.Reason)
	}
	l.proof(f, field(c, "restartCount"), fmt.Sprint(c.Restarts))
	f.Next = append([]string{l.logs(c, c.State.Kind != "terminated")}, f.Next...)
	if matters == nil {
		matters = []string{"image", "command", "env", "resources", "volumes", "security"}
	}
	f.Changed = l.changed(c, matters...)
	l.backOff(f, c)
	if p.RestartPolicy != "Always" && p.Phase == "Failed" {
		f.Until, f.UntilWhat = time.Time{}, ""
	}
}

var signals = map[int32]string{
	143: "was asked to stop (SIGTERM)", 139: "crashes with a segmentation fault", 134: "aborts (SIGABRT)",
}

// lived is how long a container ran. What the runtime never started has a start
// of 1970.
func lived(t *object.ContainerState) time.Duration {
	if t.Started.Unix() <= 0 || t.Finished.Before(t.Started) {
		return 0
	}
	return t.Finished.Sub(t.Started)
}

// onset is about when a loop of restarts began: the kubelet waits 10 s, 20 s, 40 s
// and so on up to 5 min between two, and each time the container lived as long
// as the last. It is never before the pod had its node.
func (l *look) onset(c *object.Container, t *object.ContainerState) time.Time {
	if t.Finished.IsZero() {
		return l.begun(c)
	}
	back, wait := time.Duration(0), 10*time.Second
	for range min(c.Restarts, 1000) {
		back += wait + lived(t)
		wait = min(2*wait, 5*time.Minute)
	}
	if c.State.Kind != "waiting" && c.Restarts > 0 && t == &c.State {
		back -= min(back, wait/2) // the last wait has not begun
	}
	began := t.Finished.Add(-back - lived(t))
	floor := l.o.Created
	if x := l.o.Condition("PodScheduled"); x != nil && x.Status == "True" && x.LastTransitionTime.After(floor) {
		floor = x.LastTransitionTime
	}
	if c.Restarts == 0 || began.After(t.Finished) {
		return t.Finished
	}
	if began.Before(floor) {
		return floor
	}
	return began
}

// hookKill returns the event by which the kubelet told that a container ended
// because its postStart hook failed.
func (l *look) hookKill(c *object.Container, t *object.ContainerState) *feed.Event {
	for _, e := range l.events(l.o.ID, "FailedPostStartHook") {
		if about(e, c) && near(e, t) {
			return &e
		}
	}
	return nil
}

// hookFailed is F14.
func (l *look) hookFailed(c *object.Container, msg string) *Finding {
	f := l.on("ContainerHookFailed", c)
	m := headline(msg)
	hook := "the postStart hook"
	if x := between(m, "lifecycle hook (", ")"); x != "" {
		hook += " " + clip(x, 60)
	}
	f.Title = hook + " of " + c.Name + " fails"
	if _, why, ok := strings.Cut(m, "error: "); ok && why != "" {
		m = why
	}
	if m != "" {
		f.Title += ": " + startProblem(m)
	}
	f.Detail = headline(msg)
	return f
}

// near reports whether an event tells of this end of a container. After the first
// 25 events of a type about a pod the kubelet's recorder lets one through every
// five minutes: what has been told several times is taken to go on.
func near(e feed.Event, t *object.ContainerState) bool {
	lag := 5 * time.Minute
	if e.Count > 2 {
		lag = time.Hour
	}
	return t.Finished.IsZero() || e.Last.IsZero() || !e.Last.Before(t.Finished.Add(-lag))
}

// about reports whether an event is about this container of its pod.
func about(e feed.Event, c *object.Container) bool {
	return e.Field == "" || strings.Contains(e.Field, "{"+c.Name+"}")
}

// words are what a container said before it ended. Logged says that they come
// from its log, unseen why that cannot be read.
type words struct {
	line   string
	logged bool
	unseen string
}

// lastWords is what a container said before it ended: its termination message,
// which is there already, or else the decisive line of its log.
func (l *look) lastWords(c *object.Container, t *object.ContainerState) words {
	if m := strings.TrimSpace(t.Message); m != "" && !unread(m) {
		return words{line: decisive(m)}
	}
	return l.logLine(l.o.ID, c.Name)
}

// unread reports whether a termination message is not the container's, but the
// kubelet's word that it could not read one.
func unread(m string) bool { return strings.HasPrefix(m, "Error on reading termination ") }

// logLine is the decisive line of a container's log, as far as it has been read.
func (l *look) logLine(pod object.ID, container string) words {
	if l.s.LogLine == nil {
		return words{logged: true}
	}
	line, unseen, fresh := l.s.LogLine(pod, container)
	if !fresh {
		l.need(Need{ID: pod, Log: container})
	}
	return words{line: clip(headline(line), 160), logged: true, unseen: unseen}
}

// decisive picks of several lines the one that says why it ended.
func decisive(text string) string {
	// Decoding has made line breaks visible; see object.Clean.
	return Decisive(strings.Split(strings.ReplaceAll(text, "⏎", "\n"), "\n"))
}

// Decisive picks the line of a container's log that says why it ended: the last
// that tells of a panic or a fatal error, else the last that names a failure,
// else the last that is not empty. Lines of a stack are none. What loggers put
// before their message is taken off.
func Decisive(lines []string) string {
	best, rank := "", -1
	for _, raw := range lines {
		line := strings.TrimSpace(raw)
		if line == "" {
			continue
		}
		r := 0
		low := strings.ToLower(line)
		switch {
		case stackLine(raw, line):
			r = -1
		case hasAny(low, "panic:", "fatal"):
			r = 2
		case hasAny(low, complaints...):
			r = 1
		}
		if r >= rank && r >= 0 || best == "" {
			best, rank = line, r
		}
	}
	return clip(headline(message(best)), 160)
}

// complaints are words of lines that tell of a failure. The two streams of a
// container may reach its log in another order than they were written in, so the
// last line alone says little.
var complaints = []string{
	"panic", "error", "exception", "denied", "refused", "no such", "cannot ", "can't ", "could not", "couldn't", "unable to", "failed", "failure",
	"unknown ", "invalid", "missing", "not found", "not set", "required", "unexpected", "undefined", "unsupported", "timed out", "timeout",
	"unauthorized", "forbidden", "not permitted", "not allowed", "no space left", "out of memory", "abort", "address already in use",
}

// stackLine reports whether a line belongs to a stack trace.
func stackLine(raw, line string) bool {
	return strings.HasPrefix(raw, "\t") || strings.HasPrefix(line, "at ") || strings.HasPrefix(line, "goroutine ") ||
		strings.HasPrefix(line, "File \"") || strings.HasPrefix(line, "... ") || strings.HasPrefix(line, "panic(")
}

// stamped is what loggers write before a message: a time, or klog's header.
var stamped = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\[?\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}:\d{2}[.,\d]*(?:Z|[+-]\d{2}:?\d{2})?\]?|[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+ +\d+ [^\]]{1,80}\])\s+`)
})

// message takes a logger's frame off a line: a time, JSON, logfmt.
func message(line string) string {
	if strings.HasPrefix(line, "{") {
		var m map[string]any
		if json.Unmarshal([]byte(line), &m) == nil {
			text := func(keys ...string) string {
				for _, k := range keys {
					if s, ok := m[k].(string); ok && s != "" {
						return s
					}
				}
				return ""
			}
			msg, why := text("msg", "message", "log", "event"), text("error", "err", "exception", "reason")
			switch {
			case msg != "" && why != "" && !strings.Contains(msg, why):
				return msg + ": " + why
			case msg+why != "":
				return cmp.Or(msg, why)
			}
		}
		return line
	}
	if i := strings.Index(line, "msg="); i >= 0 && (i == 0 || line[i-1] == ' ') {
		msg, why := logfmt(line, "msg="), cmp.Or(logfmt(line, "err="), logfmt(line, "error="))
		if msg != "" && why != "" {
			return msg + ": " + why
		}
		return cmp.Or(msg, line)
	}
	return stamped().ReplaceAllString(line, "")
}

// logfmt is the value of one key of a line of key=value.
func logfmt(line, key string) string {
	i := strings.Index(" "+line, " "+key)
	if i < 0 {
		return ""
	}
	rest := line[i+len(key):]
	if strings.HasPrefix(rest, `"`) {
		if q, err := strconv.QuotedPrefix(rest); err == nil {
			s, _ := strconv.Unquote(q)
			return s
		}
		return ""
	}
	v, _, _ := strings.Cut(rest, " ")
	return v
}

// backOff adds the moment of the next restart.
func (l *look) backOff(f *Finding, c *object.Container) {
	if c.State.Reason != "CrashLoopBackOff" || c.Last().Finished.IsZero() {
		return
	}
	d, err := time.ParseDuration(between(c.State.Message, "back-off ", " "))
	if err != nil {
		return
	}
	f.Until, f.UntilWhat = c.Last().Finished.Add(d), "next restart"
}
