// Package find looks up inventories once, without following them: lists of
// them, the members of one, the inventory that an object belongs to, and the
// namespaces of one that was not found where it was looked for.
package find

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/fields"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// Finder looks inventories up.
type Finder struct {
	Client    *kube.Client
	Resolver  *resolve.Resolver
	Namespace string // the default one
}

// kind finds an object's resource: a built-in one, or by discovery, requested once.
func (f *Finder) kind(ctx context.Context, id object.ID) (kube.Resource, error) {
	if res, ok := f.Resolver.Kind(id.Group, id.Kind); ok {
		return res, nil
	}
	all, err := f.Resolver.Discover(ctx)
	i := slices.IndexFunc(all, func(d resolve.Discovered) bool { return d.Group == id.Group && d.Kind == id.Kind })
	if i < 0 {
		return kube.Resource{}, cmp.Or(err, resolve.ErrNotServed)
	}
	f.Resolver.Learn(all[i].Resource)
	return all[i].Resource, nil
}

// Read gets an object as it is; of most Secrets only the metadata. Its kind may be
// known from the discovery alone, as that of what --all has found.
func (f *Finder) Read(ctx context.Context, id object.ID) (map[string]any, error) {
	res, err := f.kind(ctx, id)
	if err != nil {
		return nil, err
	}
	return f.body(ctx, res, id, !strings.HasPrefix(id.Name, "timoni.")) // Timoni's record of an instance
}

// list and body read what the client of the same name reads.
func (f *Finder) list(
	ctx context.Context, res kube.Resource, namespace string, q url.Values, whole bool,
) (kube.Page, error) {
	return retried(ctx, func() (kube.Page, error) { return f.Client.List(ctx, res, namespace, q, whole) })
}

func (f *Finder) body(ctx context.Context, res kube.Resource, id object.ID, sparing bool) (map[string]any, error) {
	return retried(ctx, func() (map[string]any, error) { return f.Client.Body(ctx, res, id, sparing) })
}

const (
	retries    = 3
	longestLag = 5 * time.Second
)

// retried reads anew when the server says in how many seconds it will answer, as
// client-go does (rest/with_retry.go). A kind that was defined a moment ago
// answers so: "storage is (re)initializing".
func retried[T any](ctx context.Context, read func() (T, error)) (T, error) {
	for try := 0; ; try++ {
		value, err := read()
		lag := kube.RetryAfter(err, 0)
		if lag == 0 || lag > longestLag || try == retries || gate.Sleep(ctx, lag) != nil {
			return value, err
		}
	}
}

// Scoped removes the namespace of an object whose kind is known to have none.
func (f *Finder) Scoped(id object.ID) object.ID {
	if res, ok := f.Resolver.Kind(id.Group, id.Kind); ok {
		return res.ID(id.Namespace, id.Name)
	}
	return id
}

// ErrSeveral says that a name leaves open which inventory is meant.
var ErrSeveral = errors.New("several inventories")

// Search returns the first object found, or why one could not be looked for.
func (f *Finder) Search(ctx context.Context, places []inventory.Candidate) (found object.ID, why error) {
	for _, c := range places {
		ids, err := f.lookAt(ctx, c)
		if len(ids) > 1 {
			return found, problem.New("name one of them: "+strings.ToLower(ids[0].Kind)+"/"+ids[0].Name,
				"%w have %s: %v", ErrSeveral, c.Selector, ids)
		} else if len(ids) > 0 {
			return ids[0], nil
		}
		if err != nil && !errors.Is(err, resolve.ErrNotServed) {
			if why = err; kube.Code(err) != http.StatusForbidden {
				return found, why // it may be there, before all others
			}
		}
	}
	return found, why
}

// lookAt returns what exists at one place; the first where it must be inspected.
func (f *Finder) lookAt(ctx context.Context, c inventory.Candidate) (found []object.ID, err error) {
	res, ok := f.Resolver.Kind(c.ID.Group, c.ID.Kind)
	if !ok {
		if res, err = f.Resolver.Served(ctx, c.ID.Group, "", c.ID.Kind); err != nil {
			return nil, err
		}
	}
	q := url.Values{"labelSelector": {c.Selector}}
	if c.ID.Name != "" {
		q.Set("fieldSelector", fields.OneTermEqualSelector("metadata.name", c.ID.Name).String())
	}
	page, err := f.list(ctx, res, c.ID.Namespace, q, false)
	for _, o := range page.Items {
		if c.Check == nil {
			found = append(found, o.ID)
		} else if body, err := f.body(ctx, res, o.ID, true); err == nil &&
			c.Check(&object.Object{ID: o.ID, Tree: body}) {
			return []object.ID{o.ID}, nil // each costs a request
		}
	}
	return found, f.Resolver.Missing(ctx, res, err)
}

// namespaces are those in which one of these exists. Inventories usually are in
// their controller's namespace (argocd, flux-system), not in the user's.
func (f *Finder) namespaces(ctx context.Context, places ...inventory.Candidate) []string {
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

// Elsewhere says in which namespaces one of these exists, if the cluster may be listed.
func (f *Finder) Elsewhere(ctx context.Context, places ...inventory.Candidate) string {
	switch all := f.namespaces(ctx, places...); len(all) {
	case 0:
		return ""
	case 1:
		return "it is in namespace " + all[0] + ", not here (-n " + all[0] + ")"
	default:
		return "it is in other namespaces, not here: " + Some(all)
	}
}

// Some prints the first elements of a list.
func Some(list []string) string {
	if len(list) > 3 {
		return strings.Join(list[:3], ", ") + " …"
	}
	return strings.Join(list, ", ")
}

// Types are the kinds that can be followed: of a cluster that is silent, built-in ones.
func (f *Finder) Types(ctx context.Context) []kube.Resource {
	all, _ := f.Resolver.Discover(ctx)
	if all == nil {
		all = resolve.Builtins
	}
	return resolve.Followable(all, func(resolve.Discovered) bool { return true })
}

// Names lists the metadata of the objects of a TYPE.
func (f *Finder) Names(ctx context.Context, typ, namespace string) ([]*object.Object, error) {
	res, err := f.Resolver.Type(ctx, typ)
	if err != nil {
		return nil, err
	}
	page, err := f.list(ctx, res, namespace, url.Values{"limit": {"500"}}, false)
	return page.Items, err
}

// Everything reports whether --all means a kind, if it can be followed.
func Everything(d resolve.Discovered) bool {
	return d.Namespaced && !slices.Contains(notFollowed, d.ID("", "").GroupKind())
}

// notFollowed are records and bookkeeping that nobody applies.
var notFollowed = []string{
	"Event", "events.k8s.io/Event", "Endpoints", "discovery.k8s.io/EndpointSlice", "cilium.io/CiliumEndpoint",
	"coordination.k8s.io/Lease", "apps/ControllerRevision", "PodTemplate", "metrics.k8s.io/PodMetrics",
}
