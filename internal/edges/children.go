package edges

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Need says where generated children of a parent are looked for: one kind, in
// the parent's namespace, narrowed by a selector or a name; with neither, the
// whole namespace. Results must be checked with [IsChild]: selectors overlap,
// and owners are recreated.
//
// Without a kind it means the kinds of the group and its [Relatives], as far as they are
// discovered and few.
type Need struct {
	Group, Version, Resource, Kind string
	Namespace                      string
	Selector                       object.Selector
	Name                           string
	// Search says that nothing but the owner tells which objects are meant: their metadata
	// suffice to find them.
	Search bool
	// OwnerKind is the owner's kind in a need that has no Kind: that of the relatives of Group.
	OwnerKind string
}

// Whole reports whether the need is the whole namespace.
func (n Need) Whole() bool {
	return n.Name == "" && len(n.Selector.Match) == 0 && len(n.Selector.Exprs) == 0
}

func need(group, version, resource, kind string, o *object.Object, sel object.Selector) Need {
	return Need{Group: group, Version: version, Resource: resource, Kind: kind, Namespace: o.Namespace, Selector: sel}
}

func pods(o *object.Object, sel object.Selector) Need {
	return need("", "v1", "pods", "Pod", o, sel)
}

func equals(key, value string) object.Selector {
	return object.Selector{Match: []object.Label{{Key: key, Value: value}}}
}

// Needs lists where the generated descendants of o are looked for, or nil if it
// generates none. If one selector finds two generations at once (a Deployment's
// ReplicaSets and Pods), both are listed; [Covered] then tells which needs of a
// child are met already.
func Needs(o *object.Object) []Need {
	switch o.GroupKind() {
	case "apps/Deployment":
		if w := o.Workload; w != nil && w.HasSelector {
			return []Need{
				need("apps", "v1", "replicasets", "ReplicaSet", o, w.Selector),
				pods(o, w.Selector),
			}
		}
	case "apps/StatefulSet":
		if w := o.Workload; w != nil && w.HasSelector {
			n := []Need{pods(o, w.Selector)}
			if len(w.ClaimTemplates) > 0 {
				// The controller copies the selector's matchLabels to the claims
				// (kubernetes v1.36 pkg/controller/statefulset/stateful_set_utils.go,
				// getPersistentVolumeClaims).
				n = append(n, need("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", o,
					object.Selector{Match: w.Selector.Match}))
			}
			return n
		}
	case "apps/ReplicaSet", "apps/DaemonSet", "ReplicationController":
		if w := o.Workload; w != nil && w.HasSelector {
			return []Need{pods(o, w.Selector)}
		}
	case "batch/Job":
		switch {
		case o.Job != nil && len(o.Job.Selector.Match) > 0: // the API server sets one
			return []Need{pods(o, o.Job.Selector)}
		case o.UID != "":
			return []Need{pods(o, equals("batch.kubernetes.io/controller-uid", o.UID))}
		}
	case "batch/CronJob":
		// A CronJob's Jobs have no label of it: the whole namespace, by owner.
		return []Need{need("batch", "v1", "jobs", "Job", o, object.Selector{})}
	case "Service":
		if s := o.Service; s != nil && s.Type != "ExternalName" {
			n := []Need{need("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", o,
				equals("kubernetes.io/service-name", o.Name))}
			if len(s.Selector.Match) > 0 {
				n = append(n, pods(o, s.Selector))
			}
			return n
		}
	}
	return append(customNeeds(o), partNeeds(o)...)
}

// Always lists the needs that all objects of a kind have, as whole namespaces:
// for parents so numerous that nothing narrower is worthwhile, before they are
// known. [Needs] may list more.
func Always(groupKind, namespace string) []Need {
	o := &object.Object{ID: object.ID{Namespace: namespace}}
	switch groupKind {
	case "apps/Deployment":
		return []Need{need("apps", "v1", "replicasets", "ReplicaSet", o, object.Selector{}), pods(o, object.Selector{})}
	case "apps/StatefulSet", "apps/DaemonSet", "apps/ReplicaSet", "ReplicationController", "batch/Job":
		return []Need{pods(o, object.Selector{})}
	case "Service":
		return []Need{need("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", o, object.Selector{})}
	}
	return nil
}

// Instead returns a replacement for a need that may not be read, or is not
// served: a Service's Endpoints for its EndpointSlices.
func Instead(n Need) (Need, bool) {
	if n.Kind != "EndpointSlice" || len(n.Selector.Match) != 1 {
		return Need{}, false
	}
	return Need{
		Version: "v1", Resource: "endpoints", Kind: "Endpoints", Namespace: n.Namespace,
		Name: n.Selector.Match[0].Value,
	}, true
}

// Covered reports whether the parent's needs already find everything that child
// needs: the Pods of a Deployment's ReplicaSet.
func Covered(parent, child *object.Object) bool {
	gk := parent.GroupKind()
	if Searches(parent) && (parent.Namespace == child.Namespace || parent.Namespace == "") {
		return Searches(child)
	}
	return (gk == "apps/Deployment" || gk == "argoproj.io/Rollout") && child.GroupKind() == "apps/ReplicaSet"
}

// Offers appends to into the keys by which children of o refer to it.
func Offers(o *object.Object, into []string) []string {
	if o.UID != "" {
		into = append(into, o.UID)
	}
	switch {
	case o.Kind == "StatefulSet" && o.Group == "apps" && o.Workload != nil:
		for _, t := range o.Workload.ClaimTemplates {
			into = append(into, claimKey(o.Namespace, t+"-"+o.Name))
		}
	case o.Kind == "Service" && o.Group == "":
		into = append(into, serviceKey(o.Namespace, o.Name))
	case o.Endpoints != nil:
		for i := range o.Endpoints.Endpoints {
			e := &o.Endpoints.Endpoints[i]
			if e.Target.Kind == "Pod" && e.TargetUID != "" {
				into = append(into, e.TargetUID)
			}
		}
	}
	return into
}

// Refers appends to into the keys by which o refers to its possible parents. A
// Pod also refers to itself, because an EndpointSlice points at it by UID; the
// same key is among its [Offers], so callers that look up others' offers must
// ignore the Pod's own.
func Refers(o *object.Object, into []string) []string {
	for i := range o.Owners {
		into = append(into, o.Owners[i].UID)
	}
	switch {
	case o.Kind == "Pod" && o.Group == "":
		into = append(into, o.UID)
	case o.Kind == "PersistentVolumeClaim" && o.Group == "":
		if base, ok := ordinalBase(o.Name); ok {
			into = append(into, claimKey(o.Namespace, base))
		}
	case o.Endpoints != nil:
		into = append(into, serviceKey(o.Namespace, o.Endpoints.Service))
	}
	return into
}

// IsChild reports whether child belongs under parent: it is owned by it (by
// UID), was made for it by name (a StatefulSet's claims), or is an endpoint of
// it (an EndpointSlice's Pods).
func IsChild(parent, child *object.Object) bool {
	if parent == child || (parent.UID != "" && parent.UID == child.UID) {
		return false
	}
	var a, b [8]string
	offers := Offers(parent, a[:0])
	for _, r := range Refers(child, b[:0]) {
		if r == "" {
			continue
		}
		if slices.Contains(offers, r) {
			return true
		}
	}
	return false
}

// ordinalBase removes "-<number>": data-db-0 → data-db.
func ordinalBase(name string) (string, bool) {
	i := strings.LastIndexByte(name, '-')
	if i <= 0 || i == len(name)-1 {
		return "", false
	}
	for _, c := range name[i+1:] {
		if c < '0' || c > '9' {
			return "", false
		}
	}
	return name[:i], true
}

// The key prefixes contain a byte that no UID has.
func claimKey(namespace, base string) string   { return "claim/" + namespace + "/" + base }
func serviceKey(namespace, name string) string { return "service/" + namespace + "/" + name }
