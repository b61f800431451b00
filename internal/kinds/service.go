package kinds

import (
	"iter"
	"strconv"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// AwaitsLoadBalancer reports whether a Service is to be reached from outside and has no
// address there: neither one of a load balancer nor one that its user has given it.
func AwaitsLoadBalancer(s *object.Service) bool {
	return s.Type == "LoadBalancer" && len(s.Ingress) == 0 && s.ExternalIPs == 0
}

// IngressAddress is the first address of an Ingress, or "". An entry without one is an
// answer, too: a controller that publishes no address writes "ingress: [{}]".
func IngressAddress(ingress *object.Object) (address string, answered bool) {
	entries := ingress.List("status", "loadBalancer", "ingress")
	for _, entry := range entries {
		for _, field := range [...]string{"hostname", "ip"} {
			if address, _ := object.At(entry, field).(string); address != "" {
				return address, true
			}
		}
	}
	return "", len(entries) > 0
}

// Selectable reports whether a Pod that a Service's selector matches becomes one of its
// endpoints as soon as it has an address. One that has ended or is being deleted does
// not (ShouldPodBeInEndpoints in staging/src/k8s.io/endpointslice/util, v1.33).
func Selectable(pod *object.Object) bool {
	return pod.Pod != nil && pod.Deleted.IsZero() && pod.Pod.Phase != "Succeeded" && pod.Pod.Phase != "Failed"
}

// Endpoints are the backends of a Service by their state, each once.
type Endpoints struct {
	Ready, NotReady, Terminating []object.Endpoint
}

// Live is how many endpoints there are, without those that are about to end and are not
// served any more.
func (e *Endpoints) Live() int {
	n := len(e.Ready) + len(e.NotReady)
	for i := range e.Terminating {
		if e.Terminating[i].Serving {
			n++
		}
	}
	return n
}

// UnservedPort is the first port of a Service whose target is the name of a container's
// port that no ready endpoint has; nil if there is none, or no endpoint is ready.
func UnservedPort(s *object.Service, slices []*object.Object) *object.Port {
	served, ready := map[string]bool{}, false
	for _, o := range slices {
		for _, e := range o.Endpoints.Endpoints {
			if e.Ready {
				ready = true
				for _, p := range o.Endpoints.Ports {
					served[p.Name] = true
				}
				break
			}
		}
	}
	for i := range s.Ports {
		_, err := strconv.Atoi(s.Ports[i].Target)
		if named := err != nil && s.Ports[i].Target != ""; named && ready && !served[s.Ports[i].Name] {
			return &s.Ports[i]
		}
	}
	return nil
}

// EndpointsOf returns the endpoints in a Service's EndpointSlices, or in its Endpoints
// object where it has no slice. A Pod counts once: in a dual-stack cluster it is in a
// slice of each address family, and for a moment in two slices while it moves from one
// to another. It is ready if one of them says so.
func EndpointsOf(children iter.Seq[*object.Object]) (out Endpoints) {
	sliced, most := false, 0
	for o := range children {
		if o != nil && o.Endpoints != nil {
			sliced = sliced || o.Kind == "EndpointSlice"
			most += len(o.Endpoints.Endpoints)
		}
	}
	seen := make(map[object.ID]bool, most)
	out.Ready = make([]object.Endpoint, 0, most) // most are
	for _, ready := range [...]bool{true, false} {
		for o := range children {
			if o == nil || o.Endpoints == nil || sliced && o.Kind != "EndpointSlice" {
				continue
			}
			for _, e := range o.Endpoints.Endpoints {
				if e.Ready != ready || seen[e.Target] {
					continue
				}
				seen[e.Target] = !e.Target.IsZero() // an address without an object cannot be told from another
				switch {
				case e.Ready:
					out.Ready = append(out.Ready, e)
				case e.Terminating:
					out.Terminating = append(out.Terminating, e)
				default:
					out.NotReady = append(out.NotReady, e)
				}
			}
		}
	}
	return out
}
