package status

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
)

func service(j *judge) Assessment {
	s := j.o.Service
	if j.holds(s.Type == "ExternalName", "externalName",
		"it is a name for something outside", "spec.type spec.externalName") {
		return j.current("an alias of " + s.ExternalName)
	}
	// A manifest of a plain Service has no address either; the API server
	// assigns one on creation.
	if j.holds(s.ClusterIP == "" && (s.Type == "LoadBalancer" || j.o.UID != ""),
		"clusterIP", "it has no address", "spec.type spec.clusterIP") {
		return j.progress("NoClusterIP", "has no cluster IP yet").since(j.o.Created)
	}
	if j.holds(kinds.AwaitsLoadBalancer(s), "loadBalancer",
		"it has no load balancer yet", "spec.type status.loadBalancer.ingress") {
		return j.progress("LoadBalancerPending", "waits for a load balancer").since(j.o.Created)
	}
	if j.holds(len(s.PortErrors) > 0, "portErrors", "its load balancer does not serve a port",
		"status.loadBalancer.ingress[].ports[].error") {
		port, why, _ := strings.Cut(s.PortErrors[0], " ")
		return j.fault("LoadBalancerPortError", "its load balancer does not serve port "+port+": "+why)
	}
	message := "cluster IP " + s.ClusterIP
	switch {
	case s.ClusterIP == "None":
		message = "headless"
	case s.ClusterIP == "":
		message = "needs no address yet"
	case len(s.Ingress) > 0:
		message = reachedAt(s.Ingress[0])
	}
	a := j.by("ready", "spec.clusterIP").current(message).since(j.o.Created)
	switch {
	case !NeedsChildren(j.o):
		return a
	case !j.w.ChildrenKnown && j.w.Hidden != "":
		a.Confidence = Assumed
		return a.noted("its endpoints cannot be seen: " + j.w.Hidden)
	case !j.w.ChildrenKnown:
		return a
	}
	endpoints := kinds.EndpointsOf(j.w.Children.objects())
	ready, total := int64(len(endpoints.Ready)), int64(endpoints.Live())
	unserved := kinds.UnservedPort(s, j.w.Children.endpointSlices())
	switch {
	case j.holds(unserved != nil, "ports",
		"a port of its pods that it targets by name does not exist", "spec.ports[].targetPort"):
		return j.fault("PortNameMissing", "targetPort "+unserved.Target+" is no port name of its pods")
	case j.holds(total > 0 && ready == 0, "endpoints", "none of its endpoints is ready", "spec.selector"):
		a = j.progress("NoReadyEndpoints", of(0, total, " endpoints ready"))
	case total == 0 && j.holds(j.awaitsAddresses() > 0, "endpoints",
		"no pod that it selects has an address", "spec.selector"):
		a = j.progress("NoReadyEndpoints", of(0, j.awaitsAddresses(), " pods have an address"))
	case total == 0:
		// Intended if its workload is scaled to 0; so only a note.
		a.Note = "its selector matches no pod"
	case ready < total:
		a.Note = of(ready, total, " endpoints ready")
	}
	return a
}

// awaitsAddresses is how many Pods will be endpoints of the Service, which has none, once
// they have an address.
func (j *judge) awaitsAddresses() (n int64) {
	if j.w.Selected == nil || len(j.o.Service.Selector.Match) == 0 {
		return 0
	}
	for _, pod := range j.w.Selected(j.o.Service.Selector) {
		if kinds.Selectable(pod) {
			n++
		}
	}
	return n
}

// reachedAt is the message of what a load balancer serves. A controller may answer
// without an address: "ingress: [{}]".
func reachedAt(address string) string {
	if address == "" {
		return "its controller has answered, and publishes no address"
	}
	return "reached at " + address
}
