package message

import (
	"regexp"
	"strings"
	"sync"
)

// Probing is what the kubelet says of a probe of a container.
type Probing struct {
	Probe  string  // Liveness, Readiness or Startup; "" if the message is about none
	Killed string  // the container that is ended because of it; "" where a result is reported
	Port   string  // the port name that the probe asks for and the container does not have
	Start  Trouble // why the probe's command could not be started
	Reason string  // what the probe got, without the kubelet's own words
}

// Probe reads a result of a probe, and the kubelet's note that it ends a container for one
// (kubernetes v1.36, pkg/kubelet/prober/prober.go, pkg/kubelet/kuberuntime/kuberuntime_manager.go):
//
//	Readiness probe failed: HTTP probe failed with statuscode: 503
//	Startup probe errored and resulted in unknown state: strconv.Atoi: parsing "http": invalid syntax
//	Startup probe errored and resulted in unknown state: port "http" not found (since v1.37)
//	Container app failed liveness probe, will be restarted
//	Init container proxy failed startup probe
//
// What a program printed stands behind the colon, and may say anything: only an error of the
// kubelet's own is read for a port.
func Probe(text string) Probing {
	text = Line(text)
	if m := probeKills().FindStringSubmatch(text); m != nil {
		return Probing{Probe: strings.ToUpper(m[2][:1]) + m[2][1:], Killed: m[1]}
	}
	m := probeResult().FindStringSubmatch(text)
	if m == nil {
		return Probing{}
	}
	x := Probing{Probe: m[1], Reason: strings.TrimPrefix(m[3], "HTTP probe failed with statuscode: ")}
	switch {
	case m[2] == "errored" && portUnknown().MatchString(x.Reason):
		x.Port = Between(x.Reason, `"`, `"`)
	case execs().MatchString(x.Reason):
		x.Start = Start(x.Reason)
	case strings.HasPrefix(x.Reason, `Get "`), strings.HasPrefix(x.Reason, "dial "):
		x.Reason = Clause(x.Reason)
	}
	return x
}

var (
	probeResult = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`^(Liveness|Readiness|Startup) probe (failed|errored|warning)(?: and resulted in \w+ state)?:(?: (.*)|)$`)
	})
	probeKills = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`^(?:Killing container with id \S+?:|Init )?[Cc]ontainer (\S+) failed (liveness|startup) probe\b`)
	})
	portUnknown = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:strconv\.Atoi: parsing "[^"]+": invalid syntax|port "[^"]+" not found)$`)
	})
)

// Hook is what the kubelet says of a container's hook that failed.
type Hook struct {
	Command string // what it runs or requests; "" if the message does not say
	Start   Trouble
}

// PostStart reads why a hook failed (kubernetes v1.36, pkg/kubelet/lifecycle/handlers.go,
// pkg/kubelet/kuberuntime/kuberuntime_container.go):
//
//	Exec lifecycle hook ([sh -c x]) for Container "app" in Pod "web_shop(UID)" failed - error: TEXT, message: ""
func PostStart(text string) Hook {
	text = Line(text)
	x := Hook{Command: Between(text, "lifecycle hook (", ")")}
	if _, why, ok := strings.Cut(text, "error: "); ok && why != "" {
		text = strings.TrimRight(strings.TrimSuffix(why, `, message: ""`), ": ")
	}
	if text != "" {
		x.Start = Start(text)
	}
	return x
}

// Eviction is why the kubelet evicted a Pod.
type Eviction struct {
	Resource  string // what the node was low on
	Container string // the container that used most of it, with what it used and requested
	Used      string
	Requested string
}

// Evicted reads why the kubelet evicted a Pod (kubernetes v1.36, pkg/kubelet/eviction/helpers.go,
// evictionMessage), since v1.12:
//
//	The node was low on resource: memory. Container app was using 90Mi, which exceeds its request of 0.
//	The node was low on resource: memory. Threshold quantity: 1Gi, available: 9Mi. Container app was using 3Gi, request is 0, has larger …
func Evicted(text string) Eviction {
	text = Line(text)
	x := Eviction{Resource: strings.TrimSpace(Between(text, "The node was low on resource: ", "."))}
	if m := evictedUse().FindStringSubmatch(text); m != nil {
		x.Container, x.Used, x.Requested = m[1], m[2], m[3]
	}
	return x
}

var evictedUse = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`\bContainer (\S+) was using ([^\s,]+), (?:request is |which exceeds its request of )([^\s,]+?)[.,](?:\s|$)`)
})
