package status

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

var (
	serviceExternal  = newRule("Service.externalName", "it is a name for something outside", "spec.type", "spec.externalName")
	serviceAddress   = newRule("Service.clusterIP", "it has no address", "spec.type", "spec.clusterIP")
	serviceBalancer  = newRule("Service.loadBalancer", "it has no load balancer yet", "spec.type", "status.loadBalancer.ingress")
	serviceEndpoints = newRule("Service.endpoints", "none of its endpoints is ready", "spec.selector")
	serviceDone      = newRule("Service.ready", "it has its address", "spec.clusterIP")
)

func (j *judge) service() Assessment {
	s := j.o.Service
	if j.holds(serviceExternal, s.Type == "ExternalName") {
		return j.current(serviceExternal, "an alias of "+s.ExternalName)
	}
	// A manifest of a plain Service has no address either; the API server
	// allots one before anybody can see the object.
	if j.holds(serviceAddress, s.ClusterIP == "" && (s.Type == "LoadBalancer" || j.o.UID != "")) {
		return j.progress(serviceAddress, "NoClusterIP", "has no cluster IP yet", j.o.Created)
	}
	if j.holds(serviceBalancer, s.Type == "LoadBalancer" && len(s.Ingress) == 0 && s.ExternalIPs == 0) {
		return j.progress(serviceBalancer, "LoadBalancerPending", "waits for a load balancer", j.o.Created)
	}
	message := "cluster IP " + s.ClusterIP
	switch {
	case s.ClusterIP == "None":
		message = "headless"
	case s.ClusterIP == "":
		message = "needs no address yet"
	case len(s.Ingress) > 0:
		message = "reached at " + s.Ingress[0]
	}
	a := j.is(serviceDone, Current, "", message, j.o.Created)
	switch {
	case !NeedsChildren(j.o):
		return a
	case !j.w.ChildrenKnown && j.w.Hidden != "":
		a.Confidence = Assumed
		a.Note = "its endpoints cannot be seen: " + j.w.Hidden
		return a
	case !j.w.ChildrenKnown:
		return a
	}
	ready, total := j.endpoints()
	switch {
	case j.holds(serviceEndpoints, total > 0 && ready == 0):
		a = j.progress(serviceEndpoints, "NoReadyEndpoints", of(0, total, " endpoints ready"), time.Time{})
	case total == 0:
		// By wish, when its workload is scaled to 0; so no more than a note.
		a.Note = "its selector matches no pod"
	case ready < total:
		a.Note = of(ready, total, " endpoints ready")
	}
	return a
}

// endpoints counts the endpoints of a Service's slices, each pod once though it
// may stand in a slice for every address family.
func (j *judge) endpoints() (ready, total int64) {
	seen := map[object.ID]bool{}
	for i := range j.w.Children {
		o := j.w.Children[i].Object
		if o == nil || o.Endpoints == nil || o.Kind == "Endpoints" && seenSlices(j.w.Children) {
			continue
		}
		for _, e := range o.Endpoints.Endpoints {
			if !e.Target.IsZero() {
				if seen[e.Target] {
					continue
				}
				seen[e.Target] = true
			}
			if e.Terminating && !e.Serving {
				continue
			}
			total++
			if e.Ready {
				ready++
			}
		}
	}
	return ready, total
}

func seenSlices(children []Child) bool {
	for i := range children {
		if o := children[i].Object; o != nil && o.Kind == "EndpointSlice" {
			return true
		}
	}
	return false
}
