package explain

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Running containers that are not ready.

// probeKill returns the most informative event of the liveness or startup probe
// that made the kubelet kill a container.
func (l *look) probeKill(c *object.Container, t *object.ContainerState) *object.Event {
	if c.Probes.Liveness == nil && c.Probes.Startup == nil {
		return nil
	}
	for _, e := range l.events(l.o.ID, "Killing") {
		for _, probe := range [...]string{"Liveness", "Startup"} {
			if !strings.Contains(e.Message, "ontainer "+c.Name+" failed "+strings.ToLower(probe)+" probe") || !near(e, t) {
				continue
			}
			if u, ok := l.unhealthy(c, probe); ok {
				return &u
			}
			return &e
		}
	}
	return nil
}

// unhealthy returns a container's newest Unhealthy event of a kind of probe.
func (l *look) unhealthy(c *object.Container, probe string) (object.Event, bool) {
	for _, e := range l.events(l.o.ID, "Unhealthy") {
		if strings.HasPrefix(headline(e.Message), probe+" probe") && about(e, c) {
			return e, true
		}
	}
	return object.Event{}, false
}

// probeText says what a probe requests and what it got.
func probeText(p *object.Probe, msg, kind string) string {
	asks, got := "", headline(msg)
	if p != nil {
		asks = p.What
		if at, ok := strings.CutPrefix(asks, "http "); ok {
			asks = "GET " + at
		}
	}
	got = strings.TrimPrefix(got, kind+" probe failed: ")
	got = strings.TrimPrefix(got, kind+" probe errored: ")
	got = strings.TrimPrefix(got, kind+" probe errored and resulted in unknown state: ")
	got = strings.TrimPrefix(got, "HTTP probe failed with statuscode: ")
	switch {
	case strings.Contains(got, "strconv.Atoi: parsing"): // the kubelet's, for a port name
		got = "the container has no port named " + between(got, `parsing "`, `"`)
	case strings.Contains(got, `exec: "`):
		got = startProblem(got)
	case strings.HasPrefix(got, `Get "`), strings.HasPrefix(got, "dial "):
		got = last(got)
	case strings.HasPrefix(got, "Container "):
		got = "" // the event only says that the container was killed
	}
	got = clip(got, 120)
	switch {
	case asks != "" && got != "":
		return ": " + asks + ": " + got
	case asks+got != "":
		return ": " + asks + got
	}
	return ""
}

func (l *look) initOrder(c *object.Container) (n, of int) {
	for i := range l.o.Pod.Containers {
		x := &l.o.Pod.Containers[i]
		if x.Kind == object.InitContainer || x.Kind == object.SidecarContainer {
			of++
			if x.Name == c.Name {
				n = of
			}
		}
	}
	return n, of
}

// initRuns finds InitContainerRunning.
func (l *look) initRuns(c *object.Container) {
	n, of := l.initOrder(c)
	f := l.on("InitContainerRunning", c, "init container %s (%d/%d) is still running", c.Name, n, of)
	f.Since = c.State.Started
	l.proof(f, field(c, "state.running.startedAt"), c.State.Started)
	if x := l.o.Condition("Initialized"); x != nil {
		f.proveCondition(l.o.ID, x)
	}
	f.Next = []string{l.logs(c, false)}
	f.Certainty = Likely
	if l.older(c.State.Started, 5*time.Minute) {
		f.Class, f.Certainty = Retries, Possible
	}
	if !l.older(c.State.Started, 10*time.Second) {
		return // most end within seconds
	}
	l.again(l.now().Add(30 * time.Second)) // its log goes on
	if said := l.logLine(l.o.ID, c.Name); said.line != "" {
		f.told = true
		f.proveLog(l.o.ID, c.Name, said.line)
		f.Title += ": " + said.line
		if ids := l.services(said.line); len(ids) > 0 {
			f.blame(ids...)
		}
		l.policies(f, said.line)
	}
}

// services are the Services of the namespace that a log line names with one of
// their ports, or failed to resolve. A Pod does not wait for its own.
func (l *look) services(line string) (out []object.ID) {
	words := strings.FieldsFunc(line, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-.:", r)
	})
	list, _ := l.s.List("", "Service", l.o.Namespace)
	for _, o := range list {
		if o.Service == nil || edges.Selects(o.Service.Selector, l.o) {
			continue
		}
		long := o.Name + "." + o.Namespace
		hosts := []string{o.Name, long, long + ".svc", long + ".svc.cluster.local", o.Service.ClusterIP}
		for i, w := range words {
			host, port, _ := strings.Cut(strings.Trim(w, ".:"), ":")
			port, _, _ = strings.Cut(port, ":") // of "db:5432: connection refused" and "dial tcp: lookup db"
			if host != "" && slices.Contains(hosts, host) && len(out) < 4 && !slices.Contains(out, o.ID) && (i > 0 && words[i-1] == "lookup" ||
				slices.ContainsFunc(o.Service.Ports, func(p object.Port) bool { return port == strconv.Itoa(int(p.Number)) })) {
				out = append(out, o.ID)
			}
		}
	}
	return out
}

// budget is how long a probe may fail before it takes effect.
func budget(p *object.Probe) time.Duration {
	if p == nil {
		return 10 * time.Second
	}
	period, threshold := p.Period, p.Threshold
	if period <= 0 {
		period = 10
	}
	if threshold <= 0 {
		threshold = 3
	}
	return time.Duration(p.InitialDelay)*time.Second + time.Duration(period)*time.Duration(threshold)*time.Second
}

// startup finds StartupProbePending.
func (l *look) startup(c *object.Container) {
	end := c.State.Started.Add(budget(c.Probes.Startup))
	e, failing := l.unhealthy(c, "Startup")
	f := l.on("StartupProbePending", c, "%s is starting: startup probe has not succeeded yet%s", c.Name, probeText(c.Probes.Startup, e.Message, "Startup"))
	f.Since = c.State.Started
	l.proof(f, field(c, "started"), "false")
	if failing {
		f.proveEvent(e)
	}
	if end.After(l.now()) && !c.State.Started.IsZero() {
		f.Until, f.UntilWhat = end, "the kubelet restarts the container unless the probe succeeds"
		l.again(end)
	} else {
		f.Class = Retries
	}
	f.Next = []string{l.logs(c, false)}
}

// readiness finds ReadinessProbeFailing.
func (l *look) readiness(c *object.Container) {
	e, failing := l.unhealthy(c, "Readiness")
	grace := max(budget(c.Probes.Readiness), 10*time.Second)
	f := l.on("ReadinessProbeFailing", c, "")
	f.Since = c.State.Started
	if x := l.o.Condition("ContainersReady"); x != nil {
		if x.LastTransitionTime.After(f.Since) {
			f.Since = x.LastTransitionTime
		}
		f.proveCondition(l.o.ID, x)
	}
	l.proof(f, field(c, "ready"), "false")
	if failing {
		f.proveEvent(e)
		if !e.First.IsZero() && e.First.Before(f.Since) && !e.First.Before(c.State.Started) {
			f.Since = e.First
		}
	} else {
		f.Certainty = Likely
	}
	switch {
	case failing:
		if strings.Contains(e.Message, "strconv.Atoi: parsing") {
			f.Class = Action // it cannot succeed
		}
		f.Title = c.Name + ": readiness probe failing" + probeText(c.Probes.Readiness, e.Message, "Readiness")
	case c.Probes.Readiness == nil:
		f.Title = c.Name + " is running, and not ready yet"
	default:
		f.Title = c.Name + ": readiness probe has not succeeded" + probeText(c.Probes.Readiness, "", "Readiness")
	}
	f.Next = []string{l.logs(c, false)}
	if !c.State.Started.IsZero() && !l.older(c.State.Started, grace) {
		f.Class = Waits
		f.Until, f.UntilWhat = c.State.Started.Add(grace), "the readiness probe's allowance ends"
	}
}

// gates finds ReadinessGateNotReady: a condition that another controller must
// set.
func (l *look) gates() {
	x := l.o.Condition("Ready")
	if x == nil || x.Status == "True" || x.Reason != "ReadinessGatesNotReady" {
		return
	}
	var open []string
	for _, g := range l.o.Pod.ReadinessGates {
		if y := l.o.Condition(g); y == nil || y.Status != "True" {
			open = append(open, g)
		}
	}
	f := l.byCondition("ReadinessGateNotReady", x, "waiting for readiness gate %s", names(open, 3))
	for _, g := range open {
		if y := l.o.Condition(g); y != nil && y.Message != "" {
			f.Title += ": " + headline(y.Message)
			break
		}
	}
	f.Key = strings.Join(open, " ")
	if l.older(x.LastTransitionTime, time.Minute) {
		f.Class = Retries
	}
}
