package watch

import (
	"context"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// notFollowed are the kinds that --all leaves out: records and bookkeeping that
// come and go by themselves, not something that anybody applies.
var notFollowed = []groupKind{
	{"", "Event"},
	{"events.k8s.io", "Event"},
	{"", "Endpoints"},
	{"discovery.k8s.io", "EndpointSlice"},
	{"coordination.k8s.io", "Lease"},
	{"apps", "ControllerRevision"},
	{"metrics.k8s.io", "PodMetrics"},
	{"", "PodTemplate"},
	{"authorization.k8s.io", "LocalSubjectAccessReview"},
	{"cilium.io", "CiliumEndpoint"},
}

// lookUpEverything finds the kinds of --all without a type: every namespaced
// kind that can be listed.
func (e *Engine) lookUpEverything(t *target) bool {
	if t.kinds != nil {
		return true
	}
	t.unowned = true // before there is a source that reads it
	all := e.resolver.discoveredAll()
	if all == nil {
		e.ask("all types", func(ctx context.Context) error {
			_, err := e.resolver.discover(ctx)
			return err
		})
		return false
	}
	seen := map[string]bool{}
	for _, d := range all {
		gk := groupKind{d.Group, d.Kind}
		if !d.Namespaced || !d.can("list") || !d.can("watch") || slices.Contains(notFollowed, gk) || seen[d.String()] {
			continue
		}
		seen[d.String()] = true
		t.kinds = append(t.kinds, d.resource)
	}
	return true
}

// ofTheSystem reports whether Kubernetes itself puts the object into every
// namespace.
func ofTheSystem(o *object.Object) bool {
	switch o.GroupKind() {
	case "ConfigMap":
		return o.Name == "kube-root-ca.crt"
	case "ServiceAccount":
		return o.Name == "default"
	}
	return false
}
