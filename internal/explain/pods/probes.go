package pods

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/logline"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/statements"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Running containers that are not ready.

// probeKill returns the most informative event of the liveness or startup probe
// that made the kubelet kill a container.
func probeKill(in *inspect.Inspector, c *object.Container, t *object.ContainerState) *object.Event {
	if c.Probes.Liveness == nil && c.Probes.Startup == nil {
		return nil
	}
	for _, e := range in.Events(in.Object.ID, "Killing") {
		x := message.Probe(e.Message)
		if x.Killed != c.Name || !near(e, t) {
			continue
		}
		if u, _, ok := unhealthy(in, c, x.Probe); ok {
			return &u
		}
		return &e
	}
	return nil
}

// unhealthy returns a container's newest Unhealthy event of a kind of probe.
func unhealthy(in *inspect.Inspector, c *object.Container, probe string) (object.Event, message.Probing, bool) {
	for _, e := range in.Events(in.Object.ID, "Unhealthy") {
		if x := message.Probe(e.Message); x.Probe == probe && about(e, c) {
			return e, x, true
		}
	}
	return object.Event{}, message.Probing{}, false
}

// probeText says what a probe requests and what it got.
func probeText(p *object.Probe, x message.Probing) string {
	asks, got := "", x.Reason
	if p != nil {
		asks = p.What
		if at, ok := strings.CutPrefix(asks, "http "); ok {
			asks = "GET " + at
		}
	}
	switch {
	case x.Port != "":
		got = "the container has no port named " + x.Port
	case x.Start.Name != "":
		got = startProblem(x.Start)
	}
	got = message.Clip(got, 120)
	switch {
	case asks != "" && got != "":
		return ": " + asks + ": " + got
	case asks+got != "":
		return ": " + asks + got
	}
	return ""
}

func initOrder(in *inspect.Inspector, c *object.Container) (n, of int) {
	for i := range in.Object.Pod.Containers {
		x := &in.Object.Pod.Containers[i]
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
func initRuns(in *inspect.Inspector, c *object.Container) {
	n, of := initOrder(in, c)
	f := onContainer(in, codes.InitContainerRunning, c, "init container %s (%d/%d) is still running", c.Name, n, of)
	f.Since = c.State.Started
	f.Prove(field(c, "state.running.startedAt"), c.State.Started)
	if x := in.Object.Condition("Initialized"); x != nil {
		f.ProveCondition(in.Object.ID, x)
	}
	f.Next = []string{logs(in, c, false)}
	f.Certainty = inspect.Likely
	if in.Older(c.State.Started, 5*time.Minute) {
		f.Class, f.Certainty = codes.Retries, inspect.Possible
	}
	if !in.Older(c.State.Started, 10*time.Second) {
		return // most end within seconds
	}
	in.Recheck(in.Now().Add(30 * time.Second)) // its log goes on
	if log := logLine(in, in.Object.ID, c.Name); log.line != "" {
		f.Why("%s", log.line)
		f.QuoteLog(in.Object.ID, c.Name, log.line)
		if ids := servicesNamedIn(in, log.line); len(ids) > 0 {
			f.Blame(ids...)
		} else {
			awaitedService(in, f, log.line)
		}
		policies(in, f, log.line)
	}
}

// servicesNamedIn are the Services of the namespace that a log line names with one of
// their ports, or failed to resolve. A Pod does not wait for its own.
func servicesNamedIn(in *inspect.Inspector, line string) (out []object.ID) {
	words := strings.FieldsFunc(line, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-.:", r)
	})
	list := in.List("", "Service", in.Object.Namespace).Items
	for _, o := range list {
		if o.Service == nil || edges.Selects(o.Service.Selector, in.Object) {
			continue
		}
		long := o.Name + "." + o.Namespace
		hosts := []string{o.Name, long, long + ".svc", long + ".svc.cluster.local", o.Service.ClusterIP}
		for i, w := range words {
			host, port, _ := strings.Cut(strings.Trim(w, ".:"), ":")
			port, _, _ = strings.Cut(port, ":") // of "db:5432: connection refused" and "dial tcp: lookup db"
			if host != "" && slices.Contains(hosts, host) && len(out) < 4 &&
				!slices.Contains(out, o.ID) && (i > 0 && words[i-1] == "lookup" ||
				slices.ContainsFunc(o.Service.Ports, func(p object.Port) bool {
					return port == strconv.Itoa(int(p.Number))
				})) {
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
func startup(in *inspect.Inspector, c *object.Container) {
	end := c.State.Started.Add(budget(c.Probes.Startup))
	e, x, failing := unhealthy(in, c, "Startup")
	f := onContainer(in, codes.StartupProbePending, c, "%s is starting: startup probe has not succeeded yet%s",
		c.Name, probeText(c.Probes.Startup, x))
	f.Since = c.State.Started
	f.Prove(field(c, "started"), "false")
	if failing {
		f.ProveEvent(e)
	}
	if end.After(in.Now()) && !c.State.Started.IsZero() {
		f.Until, f.UntilWhat = end, "the kubelet restarts the container unless the probe succeeds"
		in.Recheck(end)
	} else {
		f.Class = codes.Retries
	}
	f.Next = []string{logs(in, c, false)}
}

// readiness finds ReadinessProbeFailing.
func readiness(in *inspect.Inspector, c *object.Container) {
	e, got, failing := unhealthy(in, c, "Readiness")
	grace := max(budget(c.Probes.Readiness), 10*time.Second)
	f := onContainer(in, codes.ReadinessProbeFailing, c, "")
	f.Since = c.State.Started
	if x := in.Object.Condition("ContainersReady"); x != nil {
		if x.LastTransitionTime.After(f.Since) {
			f.Since = x.LastTransitionTime
		}
		f.ProveCondition(in.Object.ID, x)
	}
	f.Prove(field(c, "ready"), "false")
	if failing {
		f.ProveEvent(e)
		if !e.First.IsZero() && e.First.Before(f.Since) && !e.First.Before(c.State.Started) {
			f.Since = e.First
		}
	} else {
		f.Certainty = inspect.Likely
	}
	switch {
	case failing:
		if got.Port != "" {
			f.Class = codes.Action // it cannot succeed
		}
		f.Say("%s: readiness probe failing%s", c.Name, probeText(c.Probes.Readiness, got))
	case c.Probes.Readiness == nil:
		f.Say("%s is running, and not ready yet", c.Name)
	default:
		f.Say("%s: readiness probe has not succeeded%s", c.Name, probeText(c.Probes.Readiness, message.Probing{}))
	}
	f.Next = []string{logs(in, c, false)}
	switch {
	case !c.State.Started.IsZero() && !in.Older(c.State.Started, grace):
		f.Class = codes.Waits
		f.Until, f.UntilWhat = c.State.Started.Add(grace), "the readiness probe's allowance ends"
	case failing:
		complaint(in, f, c)
	}
}

// complaint adds what the end of a container's log complains of: a probe says that the container is
// not ready, and not why. A Service that the line names is blamed.
func complaint(in *inspect.Inspector, f *inspect.Finding, c *object.Container) {
	log := logLine(in, in.Object.ID, c.Name)
	if !logline.Complains(log.line) {
		refusedBeside(in, f, c)
		return
	}
	f.Also("its log: %s", log.line)
	f.QuoteLog(in.Object.ID, c.Name, log.line)
	f.Blame(servicesNamedIn(in, log.line)...)
	policies(in, f, log.line)
}

// besideMost bounds the containers of a Pod whose logs are read for another's probe.
const besideMost = 3

// refusedBeside adds that another container of the Pod lacks a permission, where the log of the one
// whose probe fails complains of nothing: what unseals a Vault runs beside it. Other complaints
// may be about the container that is not ready, and no reason for it.
func refusedBeside(in *inspect.Inspector, f *inspect.Finding, c *object.Container) {
	read := 0
	for i := range in.Object.Pod.Containers {
		x := &in.Object.Pod.Containers[i]
		serves := x.Kind == object.MainContainer || x.Kind == object.SidecarContainer
		if x.Name == c.Name || !serves || x.State.Kind != "running" || read == besideMost {
			continue
		}
		read++
		log := logLine(in, in.Object.ID, x.Name)
		if log.line != "" && message.RemedyOf(log.line) == message.Permission {
			f.Also("the log of %s: %s", x.Name, log.line)
			f.QuoteLog(in.Object.ID, x.Name, log.line)
			return
		}
	}
}

// gates finds ReadinessGateNotReady: a condition that another controller must
// set.
func gates(in *inspect.Inspector) {
	x := in.Object.Condition("Ready")
	if x == nil || x.Status == "True" || x.Reason != "ReadinessGatesNotReady" {
		return
	}
	var open []string
	for _, g := range in.Object.Pod.ReadinessGates {
		if y := in.Object.Condition(g); y == nil || y.Status != "True" {
			open = append(open, g)
		}
	}
	f := in.FindCondition(codes.ReadinessGateNotReady, x, "waiting for readiness gate %s", wording.Names(open, 3))
	for _, g := range open {
		if y := in.Object.Condition(g); y != nil && y.Message != "" {
			f.Why("%s", message.Short(y.Message, 160))
			break
		}
	}
	if e, ok := waitsFor(in, open); ok {
		f.Why("%s", message.Short(e.Message, 160))
		f.ProveEvent(e)
	}
	f.Key = strings.Join(open, " ")
	if in.Older(x.LastTransitionTime, time.Minute) {
		f.Class = codes.Retries
	}
	for _, g := range open {
		gateOf(in, f, g)
	}
}

// waitsFor is the newest event by which the controller of a gate that it has not set says what the
// Pod waits for: "Waiting for pod to become healthy in at least one of the NEG(s): [x]"
// (kubernetes/ingress-gce v1.37, pkg/neg/readiness/reflector.go).
func waitsFor(in *inspect.Inspector, gates []string) (e object.Event, ok bool) {
	if slices.ContainsFunc(gates, func(g string) bool { return in.Object.Condition(g) != nil }) {
		return e, false
	}
	for _, x := range in.Snapshot.Events(in.Object.ID) {
		if strings.HasPrefix(x.Message, "Waiting for ") && !x.Gone && (!ok || x.Last.After(e.Last)) {
			e, ok = x, true
		}
	}
	return e, ok
}

// gateOf follows a readiness gate to the object that has its name: the AWS Load Balancer Controller
// names a gate after the TargetGroupBinding that registers the Pod, and reports there alone that it
// cannot (aws-load-balancer-controller v2.13, pkg/targetgroupbinding/utils.go).
func gateOf(in *inspect.Inspector, f *inspect.Finding, gate string) {
	name, ok := strings.CutPrefix(gate, "target-health.elbv2.k8s.aws/")
	if !ok {
		return
	}
	binding := in.ID("elbv2.k8s.aws", "TargetGroupBinding", name)
	if in.Get(binding) == nil {
		if in.Absent(binding) {
			f.ProveAbsent(binding)
			f.Class = codes.Action
			f.Also("TargetGroupBinding %s does not exist", name)
		}
		return
	}
	in.Need(inspect.Need{ID: binding, Events: true})
	if list := statements.Warnings(in, binding, time.Time{}); len(list) > 0 {
		list[0].Prove(f)
		f.About = inspect.Subject{ID: binding}
		f.Say("the pods wait until it registers them: %s", list[0].Title())
	}
}
