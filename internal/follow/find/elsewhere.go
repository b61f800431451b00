package find

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Inventories usually are in their controller's namespace (argocd,
// flux-system), not in the user's. If a named one does not exist, a request
// finds out where it is.

// Elsewhere returns the namespaces with an object of that name; none if the
// cluster may not be listed.
func (f *Finder) Elsewhere(ctx context.Context, id object.ID) []string {
	if id.Group == "helm.sh" && id.Kind == "Release" {
		return f.namespaces(ctx, kube.Builtin("", "Secret"), url.Values{"labelSelector": {"owner=helm,name=" + id.Name}})
	}
	res, ok := f.resolver.Kind(id.Group, id.Kind)
	if !ok || !res.Namespaced {
		return nil
	}
	return f.namespaces(ctx, res, url.Values{"fieldSelector": {"metadata.name=" + id.Name}})
}

func (f *Finder) namespaces(ctx context.Context, res kube.Resource, q url.Values) []string {
	list, err := f.client.ListMetadata(ctx, res, "", q)
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

// SearchElsewhere does the same for an inventory with several possible roots.
func (f *Finder) SearchElsewhere(ctx context.Context, places []inventory.Candidate) []string {
	var out []string
	for _, c := range places {
		c.ID.Namespace = ""
		if id, err := f.LookAt(ctx, c); err == nil && !id.IsZero() {
			out = append(out, id.Namespace)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ThereIsOne names the namespaces in which an inventory exists.
func ThereIsOne(namespaces []string) string {
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

// LookAt searches one place.
func (f *Finder) LookAt(ctx context.Context, c inventory.Candidate) (object.ID, error) {
	res, ok := f.resolver.Kind(c.ID.Group, c.ID.Kind)
	if !ok {
		var err error
		if res, err = f.resolver.Served(ctx, c.ID.Group, "", c.ID.Kind); err != nil {
			return object.ID{}, err
		}
		f.resolver.Changed(res)
	}
	q := url.Values{}
	if c.Selector != "" {
		q.Set("labelSelector", c.Selector)
	}
	if c.ID.Name != "" {
		q.Set("fieldSelector", "metadata.name="+c.ID.Name)
	}
	list, err := f.client.ListMetadata(ctx, res, c.ID.Namespace, q)
	if err != nil {
		return object.ID{}, f.resolver.Missing(ctx, res, err)
	}
	for _, m := range list {
		id := res.ID(m.Namespace, m.Name)
		if c.Check != nil {
			body, err := f.client.Body(ctx, res, id, true)
			if err != nil || !c.Check(inventory.Object{ID: id, Body: body}) {
				continue
			}
		}
		return id, nil
	}
	return object.ID{}, nil
}
