package network

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{"networking.k8s.io/Ingress"}, AlsoCurrent: true, Find: ingress})
}

// ingress finds why an Ingress serves nothing: its class, its backends, its certificates, or an
// address that does not come.
func ingress(in *inspect.Inspector) {
	if !in.Object.Deleted.IsZero() {
		return
	}
	o := in.Object
	class := o.Str("spec", "ingressClassName")
	if _, answered := kinds.IngressAddress(o); answered {
		// A controller has taken it up, whatever its class says.
	} else if class != "" {
		id := inspect.ClusterID("networking.k8s.io", "IngressClass", class)
		if in.Absent(id) {
			f := in.Find(codes.IngressClassMissing, "IngressClass %s does not exist", class)
			f.Key, f.Shared = class, true
			f.Prove("spec.ingressClassName", class)
			f.Next = []string{"kubectl get ingressclasses"}
		} else {
			in.Get(id)
		}
	} else if _, legacy := o.Annotation("kubernetes.io/ingress.class"); !legacy {
		classes := in.List("networking.k8s.io", "IngressClass", "")
		isDefault := slices.ContainsFunc(classes.Items, func(c *object.Object) bool {
			v, _ := c.Annotation("ingressclass.kubernetes.io/is-default-class")
			return v == "true"
		})
		if classes.Complete && !isDefault {
			f := in.Find(codes.IngressClassMissing, "names no IngressClass, and none is the default")
			f.Certainty = inspect.Likely
			f.ProveUnset(in.Object.ID, "spec.ingressClassName")
			f.Next = []string{"kubectl get ingressclasses"}
		}
	}
	behind := backends(in) // the Ingress's Services with problems
	certificates(in)
	unhealthyBackends(in)
	if _, answered := kinds.IngressAddress(o); !answered &&
		in.Assessment.Status != "" && in.Assessment.Status != status.Current {
		f := in.Find(codes.IngressAddressPending, "waits for an address from its controller")
		f.Because, f.Symptom = append(behind, entrances(in, ingressClass(in))...), true
		switch by := reactedTo(in); {
		case by != "":
			f.Say("has no address; its controller has reacted and reports none%s", by)
			f.Since = o.Created
		case in.Older(o.Created, 2*time.Minute):
			f.Say("has no address: no controller for class %s has reacted", class)
			f.Certainty = inspect.Possible
		}
		f.ProveUnset(in.Object.ID, "status.loadBalancer.ingress")
	}
}

// unhealthyBackends finds BackendUnhealthy. What is wrong with the Pods of a backend's Service is
// why they fail the check; if nothing is, it asks them for something else than their readiness
// probe does.
func unhealthyBackends(in *inspect.Inspector) {
	h := kinds.BackendHealthOf(in.Object)
	if len(h.Unhealthy) == 0 {
		return
	}
	text, _ := in.Object.Annotation(object.BackendHealth)
	for _, name := range h.Unhealthy {
		f := in.Find(codes.BackendUnhealthy, "its load balancer finds no healthy endpoint of backend %s", name)
		f.Key = name
		f.Detail = "The load balancer answers with 502. Its health check asks for the path of the readiness probe, or for /, and wants status 200."
		f.Prove("metadata.annotations["+object.BackendHealth+"]", text)
		f.Next = []string{in.Kubectl("describe", wording.Resource(in.Object.ID), in.Object.Name)}
		b := kinds.BackendNamed(in.Object, name)
		if b == nil {
			continue
		}
		service := in.ID("", "Service", b.Service)
		f.Say("its load balancer finds no healthy endpoint of Service %s", b.Service)
		if b.Port != "" {
			f.Add("(port %s)", b.Port)
		}
		f.Prove(b.NamedBy, b.Service)
		f.Next = append([]string{in.Kubectl("describe", "service", b.Service)}, f.Next...)
		if in.Get(service) != nil {
			f.Blame(service)
		}
	}
}

// ingressClass is the class of an Ingress, or nil.
func ingressClass(in *inspect.Inspector) *object.Object {
	name := in.Object.Str("spec", "ingressClassName")
	if name == "" {
		name, _ = in.Object.Annotation("kubernetes.io/ingress.class")
	}
	if name == "" {
		return nil
	}
	return in.Get(inspect.ClusterID("networking.k8s.io", "IngressClass", name))
}

// entrances are the load balancers' Services without an address that belong to the controller of an
// IngressClass or a GatewayClass: such a controller reports the address of its Service as that of
// each Ingress (ingress-nginx v1.13, --publish-service; traefik v3,
// providers.kubernetesIngress.publishedService). Class and Service belong together if they share the
// labels of their installation, the annotation of its Helm release, or else the namespace that is
// named after it.
func entrances(in *inspect.Inspector, class *object.Object) (out []object.ID) {
	if class == nil {
		return nil
	}
	name, _ := class.Label("app.kubernetes.io/name")
	instance, _ := class.Label("app.kubernetes.io/instance")
	if name == "" || instance == "" {
		return nil
	}
	namespace, ok := class.Annotation("meta.helm.sh/release-namespace")
	if !ok {
		namespace = instance
	}
	for _, o := range in.List("", "Service", namespace).Items {
		ofName, _ := o.Label("app.kubernetes.io/name")
		ofInstance, _ := o.Label("app.kubernetes.io/instance")
		if o.Service != nil && kinds.AwaitsLoadBalancer(o.Service) && ofName == name && ofInstance == instance {
			out = append(out, o.ID)
		}
	}
	return out
}

// reactedTo says by what a controller has shown that it serves an Ingress: an event,
// a finalizer, or a write to its status; "" if by nothing.
func reactedTo(in *inspect.Inspector) string {
	newest := object.Event{}
	for _, e := range in.Snapshot.Events(in.Object.ID) {
		if e.Last.After(newest.Last) {
			newest = e
		}
	}
	switch {
	case newest.Reason != "":
		return " (event " + newest.Reason + ")"
	case len(in.Object.Finalizers) > 0:
		return " (finalizer " + in.Object.Finalizers[0] + ")"
	}
	for _, w := range in.Object.Writers {
		if w.Status {
			return " (" + w.Manager + ")"
		}
	}
	return ""
}

// backends finds BackendMissing and BackendNotReady: the Services of an
// Ingress. It returns those that exist.
func backends(in *inspect.Inspector) (exist []object.ID) {
	seen := map[string]bool{} // a Service, or a port of it, is reported once
	for _, b := range kinds.IngressBackends(in.Object) {
		if id, ok := backend(in, b, seen); ok {
			exist = append(exist, id)
		}
	}
	return exist
}

// backend checks one Service of an Ingress, once: it or its port may not exist,
// or its own problem explains the Ingress's.
func backend(in *inspect.Inspector, b kinds.Backend, seen map[string]bool) (service object.ID, exists bool) {
	name := b.Service
	id, key := in.ID("", "Service", name), name+" "+b.Port
	if seen[key] || seen[name] {
		return id, false
	}
	seen[key] = true
	svc := in.Get(id)
	switch {
	case svc == nil && in.Absent(id):
		f := in.Find(codes.BackendMissing, "backend Service %s does not exist", name)
		f.Key = name
		seen[name] = true
		f.Prove(b.NamedBy, name)
		f.ProveAbsent(id)
		f.Next = []string{in.Kubectl("get", "services")}
		return id, false
	case svc == nil || svc.Service == nil || svc.Service.Type == "ExternalName":
		return id, false
	}
	if kinds.HasPort(svc.Service, b.Port) {
		f := in.Find(codes.BackendNotReady, "its backend Service %s is in trouble", name)
		f.Symptom, f.NeverCause = true, true
		f.Because = []object.ID{id}
		f.Key = key
		f.Prove(b.NamedBy, name)
		return id, true
	}
	var have []string
	for _, p := range svc.Service.Ports {
		have = append(have, strings.TrimPrefix(p.Name+"/"+strconv.Itoa(int(p.Number)), "/"))
	}
	f := in.Find(codes.BackendMissing, "backend Service %s has no port %s (it has %s)",
		name, b.Port, wording.Names(have, 4))
	f.Key = key
	f.Prove(b.PortBy, b.Port)
	for _, p := range svc.Service.Ports {
		f.ProveOn(id, "spec.ports[*].port", p.Number)
	}
	f.Next = []string{in.Kubectl("describe", "service", name)}
	return id, false
}
