package network

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func init() {
	inspect.Detect(inspect.Detector{
		Kinds:       []string{"gateway.networking.k8s.io/Gateway", "gateway.networking.k8s.io/GatewayClass"},
		AlsoCurrent: true, Find: gateway,
	})
}

// gateway finds GatewayNotReady: GatewayClasses, Gateways and their listeners.
func gateway(in *inspect.Inspector) {
	for _, typ := range [...]string{"Accepted", "Programmed"} {
		if x := in.Object.Condition(typ); x != nil && x.Status != "True" {
			gatewayNotReady(in, x, "")
			break
		}
	}
	for _, m := range fields.Each(in.Object.List("status", "listeners")) {
		var worst *object.Condition
		for _, c := range fields.Each(m.List("conditions")) {
			x := object.ConditionOf(c)
			bad := x.Status == "False" &&
				(x.Type == "Accepted" || x.Type == "ResolvedRefs" || x.Type == "Programmed") ||
				x.Status == "True" && x.Type == "Conflicted"
			if bad && (worst == nil || worst.Type == "Programmed") { // which the others decide
				worst = &x
			}
		}
		if worst != nil {
			gatewayNotReady(in, worst, m.Str("name"))
		}
	}
}

// envoyProxy blames the Service and the Deployment of the proxy that Envoy Gateway made for a
// Gateway in its own namespace, as far as they are at fault (envoyproxy/gateway v1.6,
// internal/infrastructure/kubernetes/proxy: the labels of its resources; envoy-gateway-system is
// where it is installed unless somebody chose another namespace).
func envoyProxy(in *inspect.Inspector, f *inspect.Finding) {
	class := in.Get(inspect.ClusterID(in.Object.Group, "GatewayClass", in.Object.Str("spec", "gatewayClassName")))
	if class == nil || class.Str("spec", "controllerName") != "gateway.envoyproxy.io/gatewayclass-controller" {
		return
	}
	for _, of := range [...][2]string{{"", "Service"}, {"apps", "Deployment"}} {
		for _, o := range in.List(of[0], of[1], "envoy-gateway-system").Items {
			name, _ := o.Label("gateway.envoyproxy.io/owning-gateway-name")
			namespace, _ := o.Label("gateway.envoyproxy.io/owning-gateway-namespace")
			if name == in.Object.Name && namespace == in.Object.Namespace {
				f.Blame(o.ID)
			}
		}
	}
}

// gatewayNotReady reports a condition of a Gateway, or of one of its listeners. What is not
// programmed may be the consequence of what is wrong with the proxy that was made for the Gateway.
func gatewayNotReady(in *inspect.Inspector, x *object.Condition, listener string) {
	f := in.Find(codes.GatewayNotReady, "%s", strings.TrimSuffix(x.Reason+": "+message.Short(x.Message, 160), ": "))
	f.Key = listener + x.Type + x.Reason
	f.Since = x.LastTransitionTime
	if listener == "" {
		f.ProveCondition(in.Object.ID, x)
	} else {
		f.Say("listener %s: %s", listener, f.Title())
		f.ProveOn(in.Object.ID, "status.listeners["+listener+"].conditions["+x.Type+"]", x.Status+"/"+x.Reason)
	}
	switch x.Reason {
	case "Pending":
		f.Class = codes.Waits
	case "AddressNotAssigned", "NoResources":
		f.Class = codes.Retries
	}
	if x.Reason == "RefNotPermitted" {
		grants(in, f, x.Message)
	}
	if x.Type == "Programmed" {
		for _, proxy := range in.Children(in.Object.ID) {
			f.Blame(proxy.ID)
		}
		envoyProxy(in, f)
	}
	for _, r := range edges.References(in.Object) {
		if r.To.Kind == "GatewayClass" {
			class := in.Get(r.To)
			if class != nil && len(in.Inspect(class, gateway)) > 0 {
				f.Blame(r.To)
			}
			if x.Type == "Programmed" && listener == "" {
				for _, service := range entrances(in, class) {
					f.Blame(service)
				}
			}
		}
		// Some controllers leave the message empty.
		if listener != "" && x.Type == "ResolvedRefs" && r.To.Kind == "Secret" && in.Get(r.To) == nil &&
			in.Absent(r.To) {
			if !strings.Contains(f.Title(), r.To.Name) {
				f.Also("Secret %s does not exist", r.To.Name)
			}
			f.ProveAbsent(r.To)
		}
	}
}

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{
		"gateway.networking.k8s.io/HTTPRoute", "gateway.networking.k8s.io/GRPCRoute",
		"gateway.networking.k8s.io/TCPRoute",
		"gateway.networking.k8s.io/TLSRoute", "gateway.networking.k8s.io/UDPRoute",
	}, AlsoCurrent: true, Find: route})
}

// route finds RouteNotAccepted and RouteReferenceBroken.
func route(in *inspect.Inspector) {
	parents := in.Object.List("status", "parents")
	if len(parents) == 0 && len(in.Object.List("spec", "parentRefs")) > 0 {
		f := in.Find(codes.RouteNotAccepted, "no gateway controller has taken it up")
		f.Since, f.Certainty = in.Object.Created, inspect.Likely
		f.ProveUnset(in.Object.ID, "status.parents")
		in.Patience(f, in.Object.Created, 30*time.Second)
		for _, r := range edges.References(in.Object) {
			if r.To.Kind == "Gateway" {
				f.Blame(r.To)
				if in.Get(r.To) == nil && in.Absent(r.To) {
					f.Say("Gateway %s does not exist", r.To.Name)
					f.Symptom, f.Certainty = false, inspect.Proven
					f.ProveAbsent(r.To)
				}
			}
		}
		return
	}
	for _, m := range fields.Each(parents) {
		name, by := m.Sub("parentRef").Str("name"), m.Str("controllerName")
		for _, c := range fields.Each(m.List("conditions")) {
			x := object.ConditionOf(c)
			if x.Status != "False" || x.Type != "Accepted" && x.Type != "ResolvedRefs" {
				continue
			}
			code := codes.RouteNotAccepted
			if x.Type == "ResolvedRefs" {
				code = codes.RouteReferenceBroken
			}
			f := in.Find(code, "%s (gateway %s)", x.Reason, name)
			if x.Message != "" {
				f.Say("%s (gateway %s): %s", x.Reason, name, message.Short(x.Message, 160))
			}
			if x.Reason == "NoMatchingParent" {
				listeners(in, f, m.Sub("parentRef"))
			}
			if x.Reason == "RefNotPermitted" {
				grants(in, f, x.Message)
			}
			f.Key = name + x.Reason + wording.Normal(x.Message)
			f.Since = x.LastTransitionTime
			f.ProveOn(in.Object.ID, "status.parents["+name+"].conditions["+x.Type+"]", x.Status+"/"+x.Reason)
			f.ProveOn(in.Object.ID, "status.parents["+name+"].controllerName", by)
			if x.Reason == "Pending" {
				f.Class = codes.Waits
			}
			return
		}
	}
}

// listeners names the listener that a route wants and its Gateway does not have: some controllers
// leave the message empty (Kong/kubernetes-ingress-controller#3221).
func listeners(in *inspect.Inspector, f *inspect.Finding, parent fields.Map) {
	to := object.ID{
		Group: gatewayGroup, Kind: "Gateway", Name: parent.Str("name"),
		Namespace: cmp.Or(parent.Str("namespace"), in.Object.Namespace),
	}
	wanted, gateway := parent.Str("sectionName"), in.Get(to)
	if wanted == "" || gateway == nil {
		return
	}
	var names []string
	for _, listener := range fields.Each(gateway.List("spec", "listeners")) {
		names = append(names, listener.Str("name"))
	}
	if slices.Contains(names, wanted) {
		return
	}
	f.Also("it has no listener %s, only %s", wanted, wording.Names(names, 3))
	for _, name := range names[:min(len(names), 3)] {
		f.ProveOn(to, "spec.listeners["+name+"].name", name)
	}
}
