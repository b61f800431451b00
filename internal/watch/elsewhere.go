package watch

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Inventories mostly live in their writer's namespace (argocd, flux-system), and
// not in the one that a person works in. Where one is named that does not exist,
// it is worth a request to say where it is.

// elsewhere finds the namespaces in which there is an object of that name.
// Whoever may not list the whole cluster learns nothing.
func (e *Engine) elsewhere(ctx context.Context, id object.ID) []string {
	if id.Group == "helm.sh" && id.Kind == "Release" {
		return e.namespaces(ctx, kube.Builtin("", "Secret"), url.Values{"labelSelector": {"owner=helm,name=" + id.Name}})
	}
	res, ok := e.resolver.Kind(id.Group, id.Kind)
	if !ok || !res.Namespaced {
		return nil
	}
	return e.namespaces(ctx, res, url.Values{"fieldSelector": {"metadata.name=" + id.Name}})
}

func (e *Engine) namespaces(ctx context.Context, res kube.Resource, q url.Values) []string {
	list, err := e.client.ListMetadata(ctx, res, "", q)
	if err != nil {
		return nil
	}
	var out []string
	for _, m := range list {
		out = append(out, object.Clean(m.Namespace))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// searchElsewhere does the same for an inventory that may be one of several
// objects.
func (e *Engine) searchElsewhere(ctx context.Context, places []inventory.Candidate) []string {
	var out []string
	for _, c := range places {
		c.ID.Namespace = ""
		if id, err := e.lookAt(ctx, c); err == nil && !id.IsZero() {
			out = append(out, id.Namespace)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// thereIsOne says where an inventory is that is not where it was looked for.
func thereIsOne(namespaces []string) string {
	const named = 3
	switch n := len(namespaces); {
	case n == 0:
		return ""
	case n == 1:
		return "it is in namespace " + namespaces[0] + ", not here (-n " + namespaces[0] + ")"
	case n > named:
		return "it is in other namespaces, not here: " + strings.Join(namespaces[:named], ", ") + " …"
	default:
		return "it is in other namespaces, not here: " + strings.Join(namespaces, ", ")
	}
}
