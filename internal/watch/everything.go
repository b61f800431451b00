package watch

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// lookUpEverything resolves --all without a type: every namespaced kind that
// can be listed.
func (e *Engine) lookUpEverything(t *target) bool {
	if t.kinds != nil {
		return true
	}
	t.unowned = true // set before a source reads it
	all := e.resolver.Discovered()
	if all == nil {
		e.ask("all types", func(ctx context.Context) error {
			_, err := e.resolver.Discover(ctx)
			return err
		})
		return false
	}
	seen := map[string]bool{}
	for _, d := range all {
		gk := schema.GroupKind{Group: d.Group, Kind: d.Kind}
		if !d.Namespaced || !d.Can("list") || !d.Can("watch") || slices.Contains(find.NotFollowed, gk) || seen[d.String()] {
			continue
		}
		seen[d.String()] = true
		t.kinds = append(t.kinds, d.Resource)
	}
	return true
}

// ofTheSystem reports whether Kubernetes creates the object in every namespace.
func ofTheSystem(o *object.Object) bool {
	switch o.GroupKind() {
	case "ConfigMap":
		return o.Name == "kube-root-ca.crt"
	case "ServiceAccount":
		return o.Name == "default"
	}
	return false
}
