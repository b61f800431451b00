// Package resolve finds the resource that a TYPE or a kind means: in a table of the
// built-in ones, without a request, or by client-go's mapper in what a [kube.Client]'s
// server serves. It needs of that client a RoundTripper, an address, and whom to warn.
package resolve

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

var (
	// ErrNotServed says that discovery does not know a kind.
	ErrNotServed = errors.New("the server does not know the kind")
	// ErrUnknownType says that a TYPE is neither built-in nor served.
	ErrUnknownType = errors.New("the server has no resource type")
	// ErrIncomplete says which API groups could not be discovered.
	ErrIncomplete error = &discovery.ErrGroupDiscoveryFailed{}
)

// Resolver finds resources: built-in ones in a table, without a request, others
// by discovery.
type Resolver struct {
	client    *kube.Client
	discovery *discovery.DiscoveryClient
	// onLearned is called whenever more is known than before.
	onLearned func()
	// Unknown makes the error about a kind that the server does not serve, instead of
	// ErrNotServed: it may exist all the same. Nil where the server knows all kinds.
	Unknown func(kind string) error

	mu        sync.Mutex
	kinds     map[schema.GroupKind]kube.Resource
	types     map[string]schema.GroupKind
	hasStatus map[schema.GroupKind]bool // discovered kinds with a status subresource

	discovered atomic.Pointer[served] // the whole discovery, once requested
}

// New returns a resolver that knows the built-in kinds. onLearned is called whenever it has learned
// more.
func New(c *kube.Client, onLearned func()) *Resolver {
	return &Resolver{
		client: c, discovery: newDiscovery(c), onLearned: onLearned,
		kinds: maps.Clone(builtinByKind), types: map[string]schema.GroupKind{}, hasStatus: map[schema.GroupKind]bool{},
	}
}

// Kind finds a resource without a request.
func (r *Resolver) Kind(group, kind string) (kube.Resource, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	res, ok := r.kinds[schema.GroupKind{Group: group, Kind: kind}]
	return res, ok
}

// ReportsStatus reports whether a kind has a status subresource, as far as it
// has been discovered.
func (r *Resolver) ReportsStatus(group, kind string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hasStatus[schema.GroupKind{Group: group, Kind: kind}]
}

// Child finds the resource of a need. The need of a custom kind names it; if it
// is not served, its source says so.
func (r *Resolver) Child(n edges.Need) (kube.Resource, bool) {
	if res, ok := r.Kind(n.Group, n.Kind); ok {
		return res, true
	}
	if n.Version == "" || n.Resource == "" || !strings.Contains(n.Group, ".") {
		return kube.Resource{}, false
	}
	return kube.Resource{
		Group: n.Group, Version: n.Version, Plural: n.Resource, Kind: n.Kind,
		Namespaced: n.Namespace != "",
	}, true
}

// familyMost bounds the kinds of a project in which children are looked for: a provider of a
// cloud has hundreds.
const familyMost = 12

// providedMost bounds those of the product for which the owner's kind stands.
const providedMost = 6

// Relatives replaces a need without a kind by those of the project's own kinds (of a need in a
// namespace the namespaced ones): of the group alone if its relatives are too many. Those of the
// product for which the owner's kind stands are added, if they are few: a cloud has hundreds. It
// makes no request: what has not been discovered is not looked for.
func (r *Resolver) Relatives(n edges.Need) []edges.Need {
	kinds := func(related func(group string) bool) []kube.Resource {
		list, _ := r.Followable(func(d Discovered) bool {
			return (d.Namespaced || n.Namespace == "") && related(d.Group)
		})
		return list
	}
	list := kinds(func(group string) bool { return edges.Relatives(n.Group, group) })
	if len(list) > familyMost {
		list = kinds(func(group string) bool { return group == n.Group })
	}
	provided := kinds(func(group string) bool {
		return !edges.Relatives(n.Group, group) && edges.Provides(group, n.OwnerKind)
	})
	if len(provided) > providedMost { // what the product's parts serve is left out: bmc.tinkerbell.org
		provided = slices.DeleteFunc(provided, func(res kube.Resource) bool { return strings.Count(res.Group, ".") > 1 })
	}
	list = list[:min(len(list), familyMost)]
	if len(provided) <= providedMost {
		list = append(list, provided...)
	}
	out := make([]edges.Need, 0, len(list))
	for _, res := range list {
		out = append(out,
			edges.Need{
				Group: res.Group, Version: res.Version, Resource: res.Plural, Kind: res.Kind,
				Namespace: n.Namespace, Search: n.Search,
			})
	}
	return out
}

// Known finds the resource of a TYPE without a request.
func (r *Resolver) Known(typ string) (kube.Resource, bool) {
	if res, ok := BuiltinType(typ); ok {
		return r.Kind(res.Group, res.Kind)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	res, ok := r.kinds[r.types[typ]] // in the version that is served now
	return res, ok
}

// Learn adds a resource.
func (r *Resolver) Learn(res kube.Resource) {
	gk := schema.GroupKind{Group: res.Group, Kind: res.Kind}
	r.mu.Lock()
	known := r.kinds[gk] == res
	r.kinds[gk] = res
	r.mu.Unlock()
	if !known {
		r.onLearned()
	}
}

// Served asks the server for a kind, in the given version or, if that is not
// served, in another, and learns it. ErrNotServed means that the server does not know it.
func (r *Resolver) Served(ctx context.Context, group, version, kind string) (kube.Resource, error) {
	// Without aggregated discovery the answers are small.
	groups, err := r.discovery.WithLegacyWithContext(ctx).ServerGroupsWithContext(ctx)
	if err != nil {
		return kube.Resource{}, shown(err)
	}
	var versions []string
	for _, g := range groups.Groups {
		if g.Name == group {
			versions = versionsOf(g)
		}
	}
	if i := slices.Index(versions, version); i > 0 {
		versions[0], versions[i] = version, versions[0]
	}
	for _, v := range versions {
		list, err := r.discovery.ServerResourcesForGroupVersionWithContext(ctx,
			schema.GroupVersion{Group: group, Version: v}.String())
		if err != nil {
			return kube.Resource{}, shown(err)
		}
		r.noteReports(list)
		for _, d := range resourcesOf(list) {
			if d.Kind == kind {
				r.Learn(d.Resource)
				return d.Resource, nil
			}
		}
	}
	if r.Unknown != nil {
		return kube.Resource{}, r.Unknown(schema.GroupKind{Group: group, Kind: kind}.String())
	}
	return kube.Resource{}, ErrNotServed
}

func (r *Resolver) noteReports(lists ...*metav1.APIResourceList) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range lists {
		gv, _ := schema.ParseGroupVersion(l.GroupVersion)
		for _, x := range l.APIResources {
			if strings.HasSuffix(x.Name, "/status") {
				r.hasStatus[schema.GroupKind{Group: gv.Group, Kind: x.Kind}] = true
			}
		}
	}
}

// Missing returns ErrNotServed if an answer says that a path is not found and
// discovery does not know its kind; otherwise the answer's error.
func (r *Resolver) Missing(ctx context.Context, res kube.Resource, err error) error {
	if !kube.IsNotFound(err) {
		return err
	}
	if _, e := r.Served(ctx, res.Group, res.Version, res.Kind); errors.Is(e, ErrNotServed) {
		return e
	}
	return err // it may be served in another version now
}

// Type finds the resource of a TYPE, by a request if it is not known. The error
// of an unknown one names similar types, and what else may have been meant.
func (r *Resolver) Type(ctx context.Context, typ string, meant ...string) (kube.Resource, error) {
	if res, ok := r.Known(typ); ok {
		return res, nil
	}
	all, missing := r.Discover(ctx)
	if all == nil {
		return kube.Resource{}, missing
	}
	res, err := r.discovered.Load().find(ctx, typ)
	if meta.IsNoMatchError(err) {
		name, _, _ := strings.Cut(strings.ToLower(typ), ".")
		question := ""
		if meant = append(Near(name, all), meant...); len(meant) > 0 {
			question = "; did you mean " + strings.Join(meant, " or ") + "?"
		}
		if missing != nil {
			return kube.Resource{},
				problem.New(problem.Hint(missing, ""), "no resource type %q is known%s (%w)", typ, question, missing)
		}
		if r.Unknown != nil {
			next := "without a SOURCE, everything in it is shown"
			if question == "" { // it resembles no type
				next = "a name needs its type, as in deploy/web; " + next
			}
			e := problem.New(next, "no resource type %q is in the saved cluster%s", typ, question)
			e.Err = ErrUnknownType
			return kube.Resource{}, e
		}
		next := "kubectl api-resources lists the types"
		if question == "" { // it resembles no type
			next = "a name needs its type, as in deploy/web; " + next
		}
		return kube.Resource{}, problem.New(next, "%w %q%s", ErrUnknownType, typ, question)
	}
	if err != nil {
		return kube.Resource{}, err
	}
	r.mu.Lock()
	r.types[typ] = schema.GroupKind{Group: res.Group, Kind: res.Kind}
	r.kinds[r.types[typ]] = res
	r.mu.Unlock()
	r.onLearned()
	return res, nil
}

// Near lists up to three types whose names are similar to one in lower case.
func Near(name string, all []Discovered) []string {
	var out []string
	for _, d := range all {
		for _, n := range append([]string{d.Plural, strings.ToLower(d.Kind)}, d.Short...) {
			if len(name) > 2 && problem.Distance(name, n) <= 1+len(name)/6 {
				out = append(out, d.String())
				break
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), 3)]
}

// Followable returns those of the discovered resources that are wanted, after a
// full discovery; missing says why there may be more.
func (r *Resolver) Followable(wanted func(Discovered) bool) (out []kube.Resource, missing error) {
	all := r.discovered.Load()
	if all == nil {
		return nil, nil
	}
	return Followable(all.resources, wanted), all.missing
}

// Discover requests all served resources, once; each in its preferred version,
// the core group first. If some groups could not be discovered, it returns the
// others with ErrIncomplete, and from 3 seconds later on asks again.
func (r *Resolver) Discover(ctx context.Context) ([]Discovered, error) {
	all := r.discovered.Load()
	if all == nil || all.missing != nil && time.Since(all.at) >= 3*time.Second {
		var err error
		if all, err = discoverAll(ctx, r.discovery, r.client.Warn); err != nil {
			return nil, err
		}
		r.noteReports(all.lists...)
		r.discovered.Store(all)
		r.onLearned()
	}
	return all.resources, all.missing
}
