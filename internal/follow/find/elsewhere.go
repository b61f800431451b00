package find

import (
	"cmp"
	"context"
	"errors"
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

// Elsewhere returns the namespaces in which one of these exists; none if the
// cluster may not be listed.
func (f *Finder) Elsewhere(ctx context.Context, places ...inventory.Candidate) []string {
	var out []string
	for _, c := range places {
		if c.ID == inventory.HelmReleaseID(c.ID.Namespace, c.ID.Name) {
			c = inventory.Candidate{ID: object.ID{Kind: "Secret"}, Selector: "owner=helm,name=" + c.ID.Name}
		}
		c.ID.Namespace = ""
		found, _ := f.lookAt(ctx, c)
		for _, id := range found {
			out = append(out, id.Namespace)
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(ns string) bool { return ns == "" })
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
		namespaces = append(namespaces[:named:named], "…")
	}
	return "it is in other namespaces, not here: " + strings.Join(namespaces, ", ")
}

// Search returns the first object found, or why one could not be looked for.
func (f *Finder) Search(ctx context.Context, places []inventory.Candidate) (found object.ID, why error) {
	for _, c := range places {
		ids, err := f.lookAt(ctx, c)
		if len(ids) > 0 {
			return ids[0], nil
		}
		if !errors.Is(err, kube.ErrNotServed) {
			why = cmp.Or(err, why)
		}
	}
	return found, why
}

// lookAt returns what exists at one place; the first where it must be inspected.
func (f *Finder) lookAt(ctx context.Context, c inventory.Candidate) (found []object.ID, err error) {
	res, ok := f.resolver.Kind(c.ID.Group, c.ID.Kind)
	if !ok {
		if res, err = f.resolver.Served(ctx, c.ID.Group, "", c.ID.Kind); err != nil {
			return nil, err
		}
		f.resolver.Changed(res)
	}
	q := url.Values{"labelSelector": {c.Selector}}
	if c.ID.Name != "" {
		q.Set("fieldSelector", "metadata.name="+c.ID.Name)
	}
	list, err := f.client.ListMetadata(ctx, res, c.ID.Namespace, q)
	for _, m := range list {
		id := res.ID(object.Clean(m.Namespace), m.Name)
		if c.Check != nil {
			body, err := f.client.Body(ctx, res, id, true)
			if err != nil || !c.Check(&object.Object{ID: id, Tree: body}) {
				continue
			}
		}
		found = append(found, id)
		if c.Check != nil { // each costs a request
			break
		}
	}
	return found, f.resolver.Missing(ctx, res, err)
}
