package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Services, Ingresses, Gateways and their routes. Only EndpointSlices are read:
// an Endpoints object is empty both for a selector without matches and for a
// port name that no Pod has. A NetworkPolicy is never a cause (see
// policies.go), and an undeclared port number only a hint: neither follows from
// API objects.

func service(l *look) {
	s := l.o.Service
	if s == nil || s.Type == "ExternalName" || !l.o.Deleted.IsZero() {
		return
	}
	if e, ok := l.event(l.o.ID, "ClusterIPNotAllocated", "ClusterIPOutOfRange", "ClusterIPNotValid", "ClusterIPAlreadyAllocated"); ok {
		l.byEvent("ServiceAddressFailed", e, "%s", headline(e.Message))
	}
	for _, e := range s.PortErrors {
		port, why, _ := strings.Cut(e, " ")
		number, _, _ := strings.Cut(port, "/")
		f := l.find("LoadBalancerFailed", "its load balancer does not serve port %s: %s", port, why)
		f.Class = Action
		f.Key = e
		l.proof(f, "status.loadBalancer.ingress[*].ports["+number+"].error", why)
	}
	if kinds.AwaitsLoadBalancer(s) {
		l.loadBalancer()
	}
	var list []*object.Object
	for _, c := range l.s.Children(l.o.ID) {
		if c != nil && c.Kind == "EndpointSlice" && c.Endpoints != nil {
			list = append(list, c)
		}
	}
	if len(list) > 0 {
		l.endpoints(s, list)
	} else if len(s.Selector.Match) == 0 && l.o.Name != "kubernetes" {
		l.nobodysEndpoints()
	}
}

// nobodysEndpoints finds ServiceHasNoSelector.
func (l *look) nobodysEndpoints() {
	all, complete := l.s.List("discovery.k8s.io", "EndpointSlice", l.o.Namespace)
	mine := slices.ContainsFunc(all, func(o *object.Object) bool { return o.Endpoints != nil && o.Endpoints.Service == l.o.Name })
	if complete && !mine && l.older(l.o.Created, 10*time.Second) {
		f := l.find("ServiceHasNoSelector", "has no selector, and no EndpointSlice exists for it")
		f.Since, f.Certainty = l.o.Created, Possible
		f.proveUnset(l.o.ID, "spec.selector")
	}
}

// tally summarises the EndpointSlices of a Service.
type tally struct {
	total, ready int
	notReady     []object.ID
	terminating  []object.ID
	ports        map[string]bool // port names of the ready endpoints
	created      time.Time       // creation of the oldest slice
}

func tallied(list []*object.Object) tally {
	all := kinds.EndpointsOf(slices.Values(list))
	t := tally{total: len(all.Ready) + len(all.NotReady) + len(all.Terminating), ready: len(all.Ready), ports: map[string]bool{}}
	for i := range all.Terminating {
		t.terminating = append(t.terminating, all.Terminating[i].Target)
	}
	for i := range all.NotReady {
		if e := &all.NotReady[i]; e.Target.Kind == "Pod" && len(t.notReady) < MaxObjects {
			t.notReady = append(t.notReady, e.Target)
		}
	}
	for _, x := range list {
		if t.created.IsZero() || x.Created.Before(t.created) {
			t.created = x.Created
		}
		if slices.ContainsFunc(x.Endpoints.Endpoints, func(e object.Endpoint) bool { return e.Ready }) {
			for _, p := range x.Endpoints.Ports {
				t.ports[p.Name] = true
			}
		}
	}
	return t
}

// endpoints finds why a Service has no ready endpoints.
func (l *look) endpoints(s *object.Service, list []*object.Object) {
	t := tallied(list)
	switch {
	case t.ready > 0:
		l.namedPorts(s, list, t.ports)
		l.numberedPorts(s, list)
	case t.total == 0 && len(s.Selector.Match) > 0:
		l.noEndpoints(s, list[0], t.created)
	case t.total == 0:
	case len(t.terminating) == t.total:
		f := l.find("EndpointsDraining", "%d/%d endpoints terminating%s", t.total, t.total, namesAfter(": ", t.terminating))
		f.Symptom = true
		f.Since = list[0].Changed
		f.prove(list[0].ID, "endpoints[*].conditions.terminating", "true")
	case !s.PublishNotReady:
		f := l.find("EndpointsNotReady", "0/%d endpoints ready%s", t.total, namesAfter(": ", t.notReady))
		f.blame(t.notReady...)
		f.Since = list[0].Changed
		f.prove(list[0].ID, "endpoints[*].conditions.ready", "false")
		f.Next = []string{l.kubectl("get", "pods", "-l", edges.Format(s.Selector))}
		l.patience(f, t.created, 10*time.Second)
	}
}

// namesAfter is a word followed by the names of a few objects; "" without
// objects.
func namesAfter(word string, ids []object.ID) string {
	if len(ids) == 0 {
		return ""
	}
	var list []string
	for _, id := range ids {
		list = append(list, id.Name)
	}
	return word + names(list, 3)
}

// podNames is namesAfter for objects.
func podNames(word string, list []*object.Object) string {
	var ids []object.ID
	for _, o := range list {
		ids = append(ids, o.ID)
	}
	return namesAfter(word, ids)
}

// loadBalancer finds LoadBalancerPending and LoadBalancerFailed.
func (l *look) loadBalancer() {
	if e, ok := l.event(l.o.ID, "SyncLoadBalancerFailed", "UnAvailableLoadBalancer", "AllocationFailed"); ok {
		f := l.byEvent("LoadBalancerFailed", e, "its load balancer cannot be made: %s", last(e.Message))
		f.Detail = headline(e.Message)
		return
	}
	f := l.find("LoadBalancerPending", "has no address, and no controller has reacted")
	l.proof(f, "spec.type", "LoadBalancer")
	f.proveUnset(l.o.ID, "status.loadBalancer.ingress")
	if !l.older(l.o.Created, 2*time.Minute) {
		f.Class = Waits
		f.Title = "waits for an address from the load balancer"
		return
	}
	f.Certainty = Likely
	if _, ok := l.event(l.o.ID, "EnsuringLoadBalancer"); ok {
		f.Title = "has no address; a controller is at work on it"
		f.Class = Retries
	}
	if c := l.o.Service.LoadBalancerClass; c != "" {
		f.Title += " (loadBalancerClass " + c + ")"
	}
}

// noEndpoints finds SelectorMatchesNothing, with the closest miss.
func (l *look) noEndpoints(s *object.Service, slice *object.Object, since time.Time) {
	pods, _ := l.s.List("", "Pod", l.o.Namespace)
	var match []object.ID
	for _, p := range pods {
		if edges.Selects(s.Selector, p) && kinds.Selectable(p) {
			match = append(match, p.ID)
		}
	}
	if len(match) > 0 {
		f := l.find("EndpointsNotReady", "has no endpoints: %s matched, none with an address%s", plural(len(match), "pod"), namesAfter(": ", match))
		f.blame(match[:min(len(match), MaxObjects)]...)
		f.Since = since
		f.proveUnset(slice.ID, "endpoints")
		return
	}
	sel := edges.Format(s.Selector)
	f := l.find("SelectorMatchesNothing", "no pod matches its selector %s", sel)
	f.Since = since
	l.proof(f, "spec.selector", sel)
	f.proveUnset(slice.ID, "endpoints")
	f.Next = []string{l.kubectl("get", "pods", "--show-labels")}
	f.Changed = l.respec(l.o.ID, "spec.selector")
	if l.emptyBackend(f, s) {
		return
	}
	if !l.older(since, 10*time.Second) {
		f.Class = Waits
		return
	}
	l.nearMiss(f, s.Selector.Match, pods)
}

// nearMiss names the label of a selector without which the most Pods would match,
// and the values of it that Pods do have.
func (l *look) nearMiss(f *Finding, match []object.Label, pods []*object.Object) {
	best, most := object.Label{}, 0
	for i, m := range match {
		rest := object.Selector{Match: slices.Delete(slices.Clone(match), i, i+1)}
		n := 0
		for _, p := range pods {
			if len(match) == 1 || edges.Selects(rest, p) {
				n++
			}
		}
		if n > most {
			best, most = m, n
		}
	}
	if most == 0 {
		return
	}
	if len(match) > 1 {
		f.Title = fmt.Sprintf("no pod has %s=%s; %s would match without it", best.Key, best.Value, plural(most, "pod"))
	}
	var have []string
	for _, p := range pods {
		if v, ok := p.Label(best.Key); ok && !slices.Contains(have, v) && len(have) < 4 {
			have = append(have, v)
			f.prove(p.ID, "metadata.labels["+best.Key+"]", v)
		}
	}
	slices.Sort(have)
	if len(have) > 0 {
		f.Title += " (pods have " + best.Key + "=" + names(have, 3) + ")"
	}
}

// emptyBackend finds a matching workload that is scaled to zero, or whose Pods
// do not exist yet.
func (l *look) emptyBackend(f *Finding, s *object.Service) bool {
	for _, kind := range [...]string{"Deployment", "StatefulSet", "DaemonSet"} {
		sets, _ := l.s.List("apps", kind, l.o.Namespace)
		for _, w := range sets {
			if w.Workload == nil || !edges.Selects(s.Selector, &object.Object{Labels: w.Workload.PodLabels}) {
				continue
			}
			if w.Workload.Replicas.Or(1) == 0 {
				f.Class = Waits
				f.Title = "has no endpoints: " + w.ID.String() + " is scaled to 0"
				f.prove(w.ID, "spec.replicas", "0")
			} else {
				f.blame(w.ID)
				for _, c := range l.s.Children(w.ID) {
					f.Because = append(f.Because, c.ID)
				}
				f.Title = "has no endpoints: " + w.ID.String() + " has no pods"
			}
			return true
		}
	}
	return false
}

func ingress(l *look) {
	if !l.o.Deleted.IsZero() {
		return
	}
	o := l.o
	class := o.Str("spec", "ingressClassName")
	if kinds.IngressAddress(o) != "" {
		// A controller has taken it up, whatever its class says.
	} else if class != "" {
		id := cluster("networking.k8s.io", "IngressClass", class)
		if l.absent(id) {
			f := l.find("IngressClassMissing", "IngressClass %s does not exist", class)
			f.Key, f.Shared = class, true
			l.proof(f, "spec.ingressClassName", class)
			f.Next = []string{"kubectl get ingressclasses"}
		} else {
			l.object(id)
		}
	} else if _, legacy := o.Annotation("kubernetes.io/ingress.class"); !legacy {
		classes, complete := l.list("networking.k8s.io", "IngressClass", "")
		isDefault := slices.ContainsFunc(classes, func(c *object.Object) bool {
			v, _ := c.Annotation("ingressclass.kubernetes.io/is-default-class")
			return v == "true"
		})
		if complete && !isDefault {
			f := l.find("IngressClassMissing", "names no IngressClass, and none is the default")
			f.Certainty = Likely
			f.proveUnset(l.o.ID, "spec.ingressClassName")
			f.Next = []string{"kubectl get ingressclasses"}
		}
	}
	l.backends()
	l.certificates()
	var behind []object.ID // the Ingress's Services with problems
	for _, f := range l.found {
		if f.echo {
			behind = append(behind, f.Because...)
		}
	}
	if !slices.ContainsFunc(l.found, func(f *Finding) bool { return !f.echo && !f.aside }) &&
		kinds.IngressAddress(o) == "" && l.a.Status != "" && l.a.Status != status.Current {
		f := l.find("IngressAddressPending", "waits for an address from its controller")
		f.Because, f.Symptom = behind, true
		if l.older(o.Created, 2*time.Minute) {
			f.Title = "has no address: no controller for class " + class + " has reacted"
			f.Certainty = Possible
		}
		f.proveUnset(l.o.ID, "status.loadBalancer.ingress")
	}
}

// backends finds BackendMissing and BackendNotReady: the Services of an
// Ingress.
func (l *look) backends() {
	l.backend("spec.defaultBackend", l.o.Map("spec", "defaultBackend"))
	for i, rule := range each(l.o.List("spec", "rules")) {
		for j, p := range each(rule.sub("http").list("paths")) {
			l.backend(fmt.Sprintf("spec.rules[%d].http.paths[%d].backend", i, j), p.sub("backend"))
		}
	}
}

// backend checks one Service of an Ingress, once: it or its port may not exist,
// or its own problem explains the Ingress's.
func (l *look) backend(path string, m fields) {
	name, port := m.sub("service").str("name"), m.sub("service").sub("port")
	number, _ := port["number"].(int64)
	pname := port.str("name")
	want, by := pname, "name"
	if want == "" {
		want, by = strconv.FormatInt(number, 10), "number"
	}
	key := name + " " + want
	if name == "" || slices.ContainsFunc(l.found, func(f *Finding) bool { return f.Key == key || f.Key == name }) {
		return
	}
	id := l.id("", "Service", name)
	svc := l.object(id)
	switch {
	case svc == nil && l.absent(id):
		f := l.find("BackendMissing", "backend Service %s does not exist", name)
		f.Key = name
		l.proof(f, path+".service.name", name)
		f.proveAbsent(id)
		f.Next = []string{l.kubectl("get", "services")}
		return
	case svc == nil || svc.Service == nil || svc.Service.Type == "ExternalName":
		return
	}
	var have []string
	for _, p := range svc.Service.Ports {
		if number != 0 && int64(p.Number) == number || pname != "" && p.Name == pname {
			f := l.find("BackendNotReady", "its backend Service %s is in trouble", name)
			f.Symptom, f.echo = true, true
			f.Because = []object.ID{id}
			f.Key = key
			l.proof(f, path+".service.name", name)
			return
		}
		have = append(have, strings.TrimPrefix(p.Name+"/"+strconv.Itoa(int(p.Number)), "/"))
	}
	f := l.find("BackendMissing", "backend Service %s has no port %s (it has %s)", name, want, names(have, 4))
	f.Key = key
	l.proof(f, path+".service.port."+by, want)
	for _, p := range svc.Service.Ports {
		f.prove(id, "spec.ports[*].port", p.Number)
	}
	f.Next = []string{l.kubectl("describe", "service", name)}
}

// gateway finds GatewayNotReady: GatewayClasses, Gateways and their listeners.
func gateway(l *look) {
	report := func(x *object.Condition, path, listener string) {
		f := l.find("GatewayNotReady", "%s", strings.TrimSuffix(x.Reason+": "+headline(x.Message), ": "))
		if listener != "" {
			f.Title = "listener " + listener + ": " + f.Title
		}
		f.Key = listener + x.Type + x.Reason
		f.Since = x.LastTransitionTime
		f.prove(l.o.ID, path+"["+x.Type+"]", x.Status+"/"+x.Reason)
		switch x.Reason {
		case "Pending":
			f.Class = Waits
		case "AddressNotAssigned", "NoResources":
			f.Class = Retries
		}
		for _, r := range edges.References(l.o) {
			f.blame(r.To)
		}
	}
	for _, typ := range [...]string{"Accepted", "Programmed"} {
		if x := l.o.Condition(typ); x != nil && x.Status != "True" {
			report(x, "status.conditions", "")
			break
		}
	}
	for _, m := range each(l.o.List("status", "listeners")) {
		name := m.str("name")
		for _, c := range each(m.list("conditions")) {
			x := object.ConditionOf(c)
			bad := x.Status == "False" && (x.Type == "Accepted" || x.Type == "ResolvedRefs" || x.Type == "Programmed") || x.Status == "True" && x.Type == "Conflicted"
			if bad {
				report(&x, "status.listeners["+name+"].conditions", name)
				break
			}
		}
	}
}

// route finds RouteNotAccepted and RouteReferenceBroken.
func route(l *look) {
	parents := l.o.List("status", "parents")
	if len(parents) == 0 && len(l.o.List("spec", "parentRefs")) > 0 {
		f := l.find("RouteNotAccepted", "no gateway controller has taken it up")
		f.Since, f.Certainty = l.o.Created, Likely
		f.proveUnset(l.o.ID, "status.parents")
		l.patience(f, l.o.Created, 30*time.Second)
		for _, r := range edges.References(l.o) {
			if r.To.Kind == "Gateway" {
				f.blame(r.To)
				if l.object(r.To) == nil && l.absent(r.To) {
					f.Title = "Gateway " + r.To.Name + " does not exist"
					f.Symptom, f.Certainty = false, Proven
					f.proveAbsent(r.To)
				}
			}
		}
		return
	}
	for _, m := range each(parents) {
		name, by := m.sub("parentRef").str("name"), m.str("controllerName")
		for _, c := range each(m.list("conditions")) {
			x := object.ConditionOf(c)
			if x.Status != "False" || x.Type != "Accepted" && x.Type != "ResolvedRefs" {
				continue
			}
			code := "RouteNotAccepted"
			if x.Type == "ResolvedRefs" {
				code = "RouteReferenceBroken"
			}
			f := l.find(code, "%s (gateway %s): %s", x.Reason, name, headline(x.Message))
			if x.Reason == "RefNotPermitted" {
				f.Title += " (needs a ReferenceGrant)"
			}
			f.Key = name + x.Reason + normal(x.Message)
			f.Since = x.LastTransitionTime
			f.prove(l.o.ID, "status.parents["+name+"].conditions["+x.Type+"]", x.Status+"/"+x.Reason)
			f.prove(l.o.ID, "status.parents["+name+"].controllerName", by)
			if x.Reason == "Pending" {
				f.Class = Waits
			}
			return
		}
	}
}
