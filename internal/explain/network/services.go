package network

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Services. Only EndpointSlices are read: an Endpoints object is empty both for a selector without
// matches and for a port name that no Pod has. A NetworkPolicy is never a cause (see
// ../pods/policies.go), and an undeclared port number is only a hint: API objects do not prove what
// traffic passes.

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{"Service"}, AlsoCurrent: true, Find: service})
}

func service(in *inspect.Inspector) {
	s := in.Object.Service
	if s == nil || s.Type == "ExternalName" || !in.Object.Deleted.IsZero() {
		return
	}
	if e, ok := in.Event(in.Object.ID, "ClusterIPNotAllocated", "ClusterIPOutOfRange", "ClusterIPNotValid",
		"ClusterIPAlreadyAllocated"); ok {
		in.FindEvent(codes.ServiceAddressFailed, e, "%s", message.Short(e.Message, 160))
	}
	for _, e := range s.PortErrors {
		port, why, _ := strings.Cut(e, " ")
		number, _, _ := strings.Cut(port, "/")
		f := in.Find(codes.LoadBalancerFailed, "its load balancer does not serve port %s: %s", port, why)
		f.Class = codes.Action
		f.Key = e
		f.Prove("status.loadBalancer.ingress[*].ports["+number+"].error", why)
	}
	if kinds.AwaitsLoadBalancer(s) {
		loadBalancer(in)
	}
	var list []*object.Object
	for _, c := range in.Children(in.Object.ID) {
		if c != nil && c.Kind == "EndpointSlice" && c.Endpoints != nil {
			list = append(list, c)
		}
	}
	switch {
	case slices.ContainsFunc(list, hasReady):
		namedPorts(in, s, list)
		numberedPorts(in, s, list)
	case len(list) > 0:
		noneReady(in, s, list)
	case len(s.Selector.Match) == 0 && in.Object.Name != "kubernetes":
		nobodysEndpoints(in)
	}
}

// nobodysEndpoints finds ServiceHasNoSelector.
func nobodysEndpoints(in *inspect.Inspector) {
	if !in.Older(in.Object.Created, 10*time.Second) {
		return
	}
	all := in.List("discovery.k8s.io", "EndpointSlice", in.Object.Namespace)
	mine := slices.ContainsFunc(all.Items, func(o *object.Object) bool {
		return o.Endpoints != nil && o.Endpoints.Service == in.Object.Name
	})
	if all.Complete && !mine {
		f := in.Find(codes.ServiceHasNoSelector, "has no selector, and no EndpointSlice exists for it")
		f.Since, f.Certainty = in.Object.Created, inspect.Possible
		f.ProveUnset(in.Object.ID, "spec.selector")
	}
}

// hasReady reports whether an EndpointSlice has a ready endpoint. It is asked of every
// Service, at every explanation.
func hasReady(slice *object.Object) bool {
	return slices.ContainsFunc(slice.Endpoints.Endpoints, func(e object.Endpoint) bool { return e.Ready })
}

// tally summarises the EndpointSlices of a Service without ready endpoints.
type tally struct {
	total       int
	notReady    []object.ID
	terminating []object.ID
	created     time.Time // creation of the oldest slice
}

func tallied(list []*object.Object) tally {
	all := kinds.EndpointsOf(slices.Values(list))
	t := tally{total: len(all.NotReady) + len(all.Terminating)}
	for i := range all.Terminating {
		t.terminating = append(t.terminating, all.Terminating[i].Target)
	}
	for i := range all.NotReady {
		if e := &all.NotReady[i]; e.Target.Kind == "Pod" && len(t.notReady) < inspect.MaxObjects {
			t.notReady = append(t.notReady, e.Target)
		}
	}
	for _, x := range list {
		if t.created.IsZero() || x.Created.Before(t.created) {
			t.created = x.Created
		}
	}
	return t
}

// noneReady finds why a Service has no ready endpoints.
func noneReady(in *inspect.Inspector, s *object.Service, list []*object.Object) {
	t := tallied(list)
	switch {
	case t.total == 0 && len(s.Selector.Match) > 0:
		noEndpoints(in, s, list[0], t.created)
	case t.total == 0:
	case len(t.terminating) == t.total:
		f := in.Find(codes.EndpointsDraining, "%d/%d endpoints terminating%s", t.total, t.total,
			wording.NamesAfter(": ", t.terminating))
		f.Symptom = true
		f.Since = list[0].Changed
		f.ProveOn(list[0].ID, "endpoints[*].conditions.terminating", "true")
	case !s.PublishNotReady:
		f := in.Find(codes.EndpointsNotReady, "0/%d endpoints ready%s", t.total, wording.NamesAfter(": ", t.notReady))
		f.Blame(t.notReady...)
		f.Since = list[0].Changed
		f.ProveOn(list[0].ID, "endpoints[*].conditions.ready", "false")
		f.Next = []string{in.Kubectl("get", "pods", "-l", edges.Format(s.Selector))}
		in.Patience(f, t.created, 10*time.Second)
	}
}

// loadBalancer finds LoadBalancerPending and LoadBalancerFailed.
func loadBalancer(in *inspect.Inspector) {
	if events := in.Obstacles("SyncLoadBalancerFailed", "CreatingLoadBalancerFailed", "UnAvailableLoadBalancer",
		"AllocationFailed"); len(events) > 0 {
		e := events[0]
		f := in.FindEvent(codes.LoadBalancerFailed, e,
			"its load balancer cannot be made: %s", message.Reason(e.Message))
		f.Since = in.Began(in.Object.ID, e)
		f.Detail = message.Line(e.Message)
		if e.Reason == "UnAvailableLoadBalancer" {
			serviceLB(in, f) // it says this when no Pod of it is ready any more
		}
		return
	}
	f := in.Find(codes.LoadBalancerPending, "has no address, and no controller has reacted")
	f.Prove("spec.type", "LoadBalancer")
	f.ProveUnset(in.Object.ID, "status.loadBalancer.ingress")
	if !in.Older(in.Object.Created, 2*time.Minute) {
		f.Class = codes.Waits
		f.Say("waits for an address from the load balancer")
		return
	}
	f.Certainty = inspect.Likely
	// The finalizer is of every cloud's service controller (k8s.io/cloud-provider v0.37,
	// service/helpers), and the second event of K3s's, see serviceLB.
	const finalizer = "service.kubernetes.io/load-balancer-cleanup"
	_, working := in.Event(in.Object.ID, "EnsuringLoadBalancer", "AppliedDaemonSet")
	switch {
	case working:
		f.Say("has no address; a controller is at work on it")
		f.Class = codes.Retries
	case slices.Contains(in.Object.Finalizers, finalizer):
		f.Say("has no address; a controller has taken it up, and has reported no result")
		f.Prove("metadata.finalizers[*]", finalizer)
		working = true
	}
	if working {
		serviceLB(in, f)
	}
	if c := in.Object.Service.LoadBalancerClass; c != "" {
		f.Note("loadBalancerClass %s", c)
	}
}

// serviceLB blames the Pods that are a Service's load balancer where K3s makes it: its ServiceLB
// has a DaemonSet for each Service, whose Pods take the Service's ports on the nodes. It is in
// kube-system, and in older versions in the Service's own namespace (k3s,
// pkg/cloudprovider/servicelb.go, of klipper-lb v0.4.9). The DaemonSet of an older version may
// remain and hold the ports, so that there are two.
func serviceLB(in *inspect.Inspector, f *inspect.Finding) {
	sets := slices.Concat(in.List("apps", "DaemonSet", "kube-system").Items,
		in.Known("apps", "DaemonSet", in.Object.Namespace).Items)
	var next []string
	for _, set := range sets {
		name, _ := set.Label("svccontroller.k3s.cattle.io/svcname")
		namespace, ok := set.Label("svccontroller.k3s.cattle.io/svcnamespace")
		if name != in.Object.Name || namespace != in.Object.Namespace && (ok || set.Namespace != in.Object.Namespace) ||
			slices.Contains(f.Because, set.ID) {
			continue // another Service's, or another controller's
		}
		f.Blame(set.ID)
		next = append(next, wording.Command(set.Namespace, "describe", "daemonset", set.Name))
		for _, p := range in.List("", "Pod", set.Namespace).Items {
			if by, ok := p.Controller(); ok && by.UID == set.UID {
				f.AddBecause(p.ID)
			}
		}
	}
	f.Next = append(next, f.Next...)
}

// noEndpoints finds SelectorMatchesNothing, with the closest miss.
func noEndpoints(in *inspect.Inspector, s *object.Service, slice *object.Object, since time.Time) {
	pods := in.Known("", "Pod", in.Object.Namespace)
	var match []object.ID
	for _, p := range pods.Items {
		if edges.Selects(s.Selector, p) && kinds.Selectable(p) {
			match = append(match, p.ID)
		}
	}
	if len(match) > 0 {
		f := in.Find(codes.EndpointsNotReady, "has no endpoints: %s matched, none with an address%s",
			wording.Plural(len(match), "pod"), wording.NamesAfter(": ", match))
		f.Blame(match[:min(len(match), inspect.MaxObjects)]...)
		f.Since = since
		f.ProveUnset(slice.ID, "endpoints")
		return
	}
	if in.Older(since, 10*time.Second) {
		pods = in.List("", "Pod", in.Object.Namespace) // for the closest miss
	}
	sel := edges.Format(s.Selector)
	f := in.Find(codes.SelectorMatchesNothing, "no pod matches its selector %s", sel)
	f.Since = since
	f.Prove("spec.selector", sel)
	f.ProveUnset(slice.ID, "endpoints")
	f.Next = []string{in.Kubectl("get", "pods", "--show-labels")}
	f.Changed = in.SpecChanges(in.Object.ID, "spec.selector")
	settled := in.Older(since, 10*time.Second)
	if emptyBackend(in, f, s, settled) {
		f.NoneOf(pods)
		return
	}
	if settled { // the others, too: one of them may be meant
		pods = in.List("", "Pod", in.Object.Namespace)
	} else {
		f.Class = codes.Waits
	}
	f.NoneOf(pods)
	if settled {
		nearMiss(f, s.Selector.Match, pods.Items)
	}
}

// nearMiss names the label of a selector without which the most Pods would match,
// and the values of it that Pods do have.
func nearMiss(f *inspect.Finding, match []object.Label, pods []*object.Object) {
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
		f.Say("no pod has %s=%s; %s would match without it", best.Key, best.Value, wording.Plural(most, "pod"))
	}
	with := map[string]*object.Object{} // a Pod for each value
	for _, p := range pods {
		if v, ok := p.Label(best.Key); ok && with[v] == nil {
			with[v] = p
		}
	}
	have := wording.Nearest(best.Value, slices.Sorted(maps.Keys(with)))
	for _, v := range have[:min(len(have), 4)] {
		f.ProveOn(with[v].ID, "metadata.labels["+best.Key+"]", v)
	}
	if len(have) > 0 {
		f.Note("pods have %s=%s", best.Key, wording.Names(have, 3))
	}
}

// emptyBackend finds a matching workload that is scaled to zero, or whose Pods
// do not exist yet. Workloads that are not known are asked for if the Service is not new.
// An operator's Service has no Pods while the custom object that owns it wants none.
func emptyBackend(in *inspect.Inspector, f *inspect.Finding, s *object.Service, ask bool) bool {
	for _, id := range in.Snapshot.Parents(in.Object.ID) {
		if owner := in.Get(id); owner != nil && owner.Int("spec", "replicas") == object.IntOf(0) {
			scaledToZero(f, id)
			return true
		}
	}
	find := in.Known
	if ask {
		find = in.List
	}
	for _, kind := range [...]string{"Deployment", "StatefulSet", "DaemonSet"} {
		for _, w := range find("apps", kind, in.Object.Namespace).Items {
			if w.Workload == nil || !edges.Selects(s.Selector, &object.Object{Labels: w.Workload.PodLabels}) {
				continue
			}
			if w.Workload.Replicas.Or(1) == 0 {
				scaledToZero(f, w.ID)
			} else {
				f.Blame(w.ID)
				for _, c := range in.Children(w.ID) {
					f.Because = append(f.Because, c.ID)
				}
				f.Say("has no endpoints: %s has no pods", w.ID.String())
			}
			return true
		}
	}
	return false
}

// scaledToZero says that a Service has no Pods because none are wanted.
func scaledToZero(f *inspect.Finding, owner object.ID) {
	f.Class, f.OnlyItself = codes.Waits, true
	f.Say("has no endpoints: %s is scaled to 0", owner.String())
	f.ProveOn(owner, "spec.replicas", "0")
}
