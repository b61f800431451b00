package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"
	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/edges"
)

// ErrNotServed says that discovery does not know a kind.
var ErrNotServed = errors.New("the server does not know the kind")

// Resolver finds resources: built-in ones in a table, without a request, others
// by discovery.
type Resolver struct {
	c *Client
	// found is called after each discovered resource.
	found func()

	mu      sync.Mutex
	kinds   map[schema.GroupKind]Resource
	types   map[string]Resource
	learned int                       // number of additions
	reports map[schema.GroupKind]bool // kinds with a status subresource, of those discovered
	all     []Discovered              // the whole discovery, once requested
}

// Discovered is one resource of discovery.
type Discovered struct {
	Resource
	Singular   string
	Short      []string
	Verbs      []string
	Categories []string
}

// NewResolver knows the built-in kinds; found is called when it has learned
// another one.
func NewResolver(c *Client, found func()) *Resolver {
	return &Resolver{c: c, found: found, kinds: map[schema.GroupKind]Resource{}, types: map[string]Resource{}, reports: map[schema.GroupKind]bool{}}
}

// Can reports whether the resource has a verb.
func (d Discovered) Can(verb string) bool { return slices.Contains(d.Verbs, verb) }

// Kind finds a resource without a request.
func (r *Resolver) Kind(group, kind string) (Resource, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if res, ok := r.kinds[schema.GroupKind{Group: group, Kind: kind}]; ok {
		return res, true
	}
	res, ok := builtinByKind[schema.GroupKind{Group: group, Kind: kind}]
	return res, ok
}

// ReportsStatus reports whether a kind has a status subresource, as far as it
// has been discovered.
func (r *Resolver) ReportsStatus(group, kind string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reports[schema.GroupKind{Group: group, Kind: kind}]
}

func (r *Resolver) learnReports(group, kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports[schema.GroupKind{Group: group, Kind: kind}] = true
}

// Child finds the resource of a need. The need of a custom kind names it; if it
// is not served, its source says so.
func (r *Resolver) Child(n edges.Need) (Resource, bool) {
	if res, ok := r.Kind(n.Group, n.Kind); ok {
		return res, true
	}
	if n.Version == "" || n.Resource == "" || !strings.Contains(n.Group, ".") {
		return Resource{}, false
	}
	return Resource{Group: n.Group, Version: n.Version, Plural: n.Resource, Kind: n.Kind, Namespaced: n.Namespace != ""}, true
}

// Known finds the resource of a TYPE without a request.
func (r *Resolver) Known(typ string) (Resource, bool) {
	if res, ok := builtinType(typ); ok {
		return r.Kind(res.Group, res.Kind)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	res, ok := r.types[typ]
	return res, ok
}

// Changed learns a resource and calls found.
func (r *Resolver) Changed(res Resource) {
	r.Learn(res)
	r.found()
}

// Learn adds a resource that was found elsewhere.
func (r *Resolver) Learn(res Resource) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kinds[schema.GroupKind{Group: res.Group, Kind: res.Kind}] = res
	r.learned++
}

// Learnings changes when the same question may have another answer.
func (r *Resolver) Learnings() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.learned
}

// Served asks the server for a kind, in the given version or, if that is not
// served, in another. ErrNotServed means that the server does not know it.
func (r *Resolver) Served(ctx context.Context, group, version, kind string) (Resource, error) {
	var absent error // the error for the given version
	if version != "" {
		res, err := r.inVersion(ctx, group, version, kind)
		if !IsNotFound(err) && !errors.Is(err, ErrNotServed) || group == "" && !IsNotFound(err) {
			return res, err
		}
		absent = err
	}
	versions, err := r.versions(ctx, group)
	if err != nil {
		return Resource{}, err
	}
	for _, v := range versions {
		if v == version {
			continue
		}
		if res, err := r.inVersion(ctx, group, v, kind); !errors.Is(err, ErrNotServed) {
			return res, err
		}
	}
	if IsNotFound(absent) && slices.Contains(versions, version) {
		return Resource{}, absent // one of the two answers is not the API server's
	}
	return Resource{}, ErrNotServed
}

func (r *Resolver) inVersion(ctx context.Context, group, version, kind string) (Resource, error) {
	list, err := r.version(ctx, group, version)
	if err != nil {
		return Resource{}, err
	}
	for _, d := range list {
		if d.Kind == kind {
			return d.Resource, nil
		}
	}
	return Resource{}, ErrNotServed
}

// versions returns the served versions of a group, the preferred one first. For
// a group that it does not serve, an API server answers "404 page not found" in
// plain text, as any proxy would; so its list of groups decides.
func (r *Resolver) versions(ctx context.Context, group string) ([]string, error) {
	if group == "" {
		var l metav1.APIVersions
		err := r.c.ReadJSON(ctx, "/api", nil, AcceptJSON, &l, TypeMeta{"v1", "APIVersions"}, TypeMeta{"", "APIVersions"})
		return l.Versions, err
	}
	var l metav1.APIGroupList
	if err := r.c.ReadJSON(ctx, "/apis", nil, AcceptJSON, &l, TypeMeta{"v1", "APIGroupList"}); err != nil {
		return nil, err
	}
	var out []string
	for _, g := range l.Groups {
		if g.Name != group {
			continue
		}
		for _, v := range append([]metav1.GroupVersionForDiscovery{g.PreferredVersion}, g.Versions...) {
			if v.Version != "" && !slices.Contains(out, v.Version) {
				out = append(out, v.Version)
			}
		}
	}
	return out, nil
}

// Missing returns ErrNotServed if an answer says that a path is not found and
// discovery does not know its kind; otherwise the answer's error.
func (r *Resolver) Missing(ctx context.Context, res Resource, err error) error {
	if !IsNotFound(err) {
		return err
	}
	switch now, e := r.Served(ctx, res.Group, res.Version, res.Kind); {
	case errors.Is(e, ErrNotServed):
		return ErrNotServed
	case e == nil && now != res:
		r.Changed(now) // now served in another version
	}
	return err
}

// version requests the resources of one group and version.
func (r *Resolver) version(ctx context.Context, group, version string) ([]Discovered, error) {
	path := "/apis/" + group + "/" + version
	if group == "" {
		path = "/api/" + version
	}
	var l metav1.APIResourceList
	if err := r.c.ReadJSON(ctx, path, nil, AcceptJSON, &l, TypeMeta{"v1", "APIResourceList"}, TypeMeta{"", "APIResourceList"}); err != nil {
		return nil, err
	}
	var out []Discovered
	for _, x := range l.APIResources {
		if strings.HasSuffix(x.Name, "/status") {
			r.learnReports(group, x.Kind)
		}
		if !strings.Contains(x.Name, "/") {
			out = append(out, Discovered{newResource(group, version, x.Name, x.Kind, x.Namespaced), x.SingularName, x.ShortNames, x.Verbs, x.Categories})
		}
	}
	return out, nil
}

func newResource(group, version, plural, kind string, namespaced bool) Resource {
	res := Resource{Group: group, Version: version, Plural: plural, Kind: kind, Namespaced: namespaced}
	if convert.MetadataKind(group, kind) {
		res.Enc = Metadata
	} else if b, ok := builtinByKind[schema.GroupKind{Group: group, Kind: kind}]; ok && b.Version == version {
		res.Enc = b.Enc
	}
	return res
}

// UnknownTypeError is a TYPE that is neither built-in nor served.
type UnknownTypeError struct {
	Type string
	Near []string // similar types
}

func (e *UnknownTypeError) Error() string {
	text := fmt.Sprintf("the server has no resource type %q", e.Type)
	if len(e.Near) > 0 {
		text += "; did you mean " + strings.Join(e.Near, " or ") + "?"
	}
	return text
}

// Hint is the next step.
func (e *UnknownTypeError) Hint() string { return "kubectl api-resources lists the types there are" }

// Type asks the server for the resource of a TYPE.
func (r *Resolver) Type(ctx context.Context, typ string) (Resource, error) {
	all, err := r.Discover(ctx)
	if err != nil {
		return Resource{}, err
	}
	name, rest, qualified := strings.Cut(typ, ".")
	name = strings.ToLower(name)
	for _, d := range all {
		if name != d.Plural && name != strings.ToLower(d.Kind) && name != d.Singular && !slices.Contains(d.Short, name) {
			continue
		}
		if qualified && rest != d.Group && rest != d.Version+"."+d.Group {
			continue
		}
		r.mu.Lock()
		r.types[typ] = d.Resource
		r.learned++
		r.kinds[schema.GroupKind{Group: d.Group, Kind: d.Kind}] = d.Resource
		r.mu.Unlock()
		return d.Resource, nil
	}
	return Resource{}, &UnknownTypeError{Type: typ, Near: near(name, all)}
}

// Category returns the watchable resources of a category ("all", or one that
// CRDs declare) after a full discovery; nil if it is none.
func (r *Resolver) Category(name string) []Resource {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Resource
	for _, d := range r.all {
		if slices.Contains(d.Categories, name) && d.Can("list") && d.Can("watch") {
			out = append(out, d.Resource)
		}
	}
	return out
}

// near lists types with similar names.
func near(name string, all []Discovered) []string {
	var out []string
	for _, d := range all {
		for _, n := range append([]string{d.Plural, strings.ToLower(d.Kind)}, d.Short...) {
			if len(name) > 2 && levenshtein.ComputeDistance(name, n) <= 1+len(name)/6 {
				out = append(out, d.String())
				break
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), 3)]
}

// NearTypes lists built-in types with similar names.
func NearTypes(name string) []string {
	var all []Discovered
	for word, res := range BuiltinNames {
		all = append(all, Discovered{Resource: res, Short: []string{word}})
	}
	return near(strings.ToLower(name), all)
}

const acceptDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

// Discovered returns all served resources after a full discovery; otherwise
// nil.
func (r *Resolver) Discovered() []Discovered {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all
}

// Discover requests all served resources, once; the preferred version of each
// group, the core group first.
func (r *Resolver) Discover(ctx context.Context) ([]Discovered, error) {
	if all := r.Discovered(); all != nil {
		return all, nil
	}
	var core, groups []Discovered
	var coreErr, groupsErr error
	var wg sync.WaitGroup
	wg.Go(func() { core, coreErr = r.discoverAt(ctx, "/api") })
	wg.Go(func() { groups, groupsErr = r.discoverAt(ctx, "/apis") })
	wg.Wait()
	if err := cmp.Or(coreErr, groupsErr); err != nil {
		return nil, err
	}
	all := append(core, groups...)
	r.mu.Lock()
	r.all = all
	r.mu.Unlock()
	return all, nil
}

func (r *Resolver) discoverAt(ctx context.Context, path string) ([]Discovered, error) {
	var l struct {
		metav1.TypeMeta
		Items    []apidiscovery.APIGroupDiscovery // APIGroupDiscoveryList
		Groups   []metav1.APIGroup                // APIGroupList
		Versions []string                         // APIVersions
	}
	types := []TypeMeta{{"apidiscovery.k8s.io/v2", "APIGroupDiscoveryList"}, {"v1", "APIGroupList"}, {"v1", "APIVersions"}, {"", "APIVersions"}}
	if err := r.c.ReadJSON(ctx, path, nil, acceptDiscovery, &l, types...); err != nil {
		return nil, err
	}
	switch {
	case l.Kind == "APIGroupDiscoveryList":
		return r.aggregated(l.Items), nil
	case path == "/api":
		return r.version(ctx, "", cmp.Or(slices.Max(append(l.Versions, "")), "v1"))
	}
	// A server without aggregated discovery: a request per group.
	lists, errs := make([][]Discovered, len(l.Groups)), make([]error, len(l.Groups))
	limit := make(chan struct{}, 8)
	var wg sync.WaitGroup
	for i, g := range l.Groups {
		wg.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			// The group of an unavailable aggregated server is skipped.
			var err error
			if lists[i], err = r.version(ctx, g.Name, g.PreferredVersion.Version); IsForeign(err) {
				errs[i] = err
			}
		})
	}
	wg.Wait()
	return slices.Concat(lists...), cmp.Or(cmp.Or(errs...), ctx.Err())
}

// aggregated returns the resources of groups, each in its preferred version.
func (r *Resolver) aggregated(groups []apidiscovery.APIGroupDiscovery) []Discovered {
	var out []Discovered
	for _, g := range groups {
		seen := map[string]bool{}
		for _, v := range g.Versions { // in order of preference
			for _, x := range v.Resources {
				if seen[x.Resource] {
					continue
				}
				seen[x.Resource] = true
				kind := ""
				if x.ResponseKind != nil {
					kind = x.ResponseKind.Kind
				}
				if slices.ContainsFunc(x.Subresources, func(s apidiscovery.APISubresourceDiscovery) bool { return s.Subresource == "status" }) {
					r.learnReports(g.Name, kind)
				}
				out = append(out, Discovered{
					newResource(g.Name, v.Version, x.Resource, kind, x.Scope == apidiscovery.ScopeNamespace),
					x.SingularResource, x.ShortNames, x.Verbs, x.Categories,
				})
			}
		}
	}
	return out
}
