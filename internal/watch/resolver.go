package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agnivade/levenshtein"
	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/edges"
)

// servedPoll is how often, at most, the server is asked for a kind that it
// does not know yet.
const servedPoll = 4 * time.Second

// errNotServed says that discovery does not list a kind.
var errNotServed = errors.New("the server does not know the kind")

// resolver knows which resource is meant: from the table of built-in ones at
// once, from discovery otherwise.
type resolver struct {
	c *client
	// found is called when something became known.
	found func()

	mu      sync.Mutex
	kinds   map[groupKind]resource
	types   map[string]resource
	learned int                // how often something was added to them
	reports map[groupKind]bool // kinds with a status subresource, of those discovered
	all     []discovered       // the whole discovery, once it was needed
}

// discovered is one resource of the discovery.
type discovered struct {
	resource
	Singular   string
	Short      []string
	Verbs      []string
	Categories []string
}

// newResolver is one that knows the built-in kinds; found is called when it has learned
// of another.
func newResolver(c *client, found func()) *resolver {
	return &resolver{c: c, found: found, kinds: map[groupKind]resource{}, types: map[string]resource{}, reports: map[groupKind]bool{}}
}

func (d discovered) can(verb string) bool { return slices.Contains(d.Verbs, verb) }

// kind finds a resource without asking anybody.
func (r *resolver) kind(group, kind string) (resource, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if res, ok := r.kinds[groupKind{group, kind}]; ok {
		return res, true
	}
	res, ok := builtinByKind[groupKind{group, kind}]
	return res, ok
}

// reportsStatus tells whether the server serves a status subresource for a kind,
// as far as discovery has been asked.
func (r *resolver) reportsStatus(group, kind string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reports[groupKind{group, kind}]
}

func (r *resolver) learnReports(group, kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports[groupKind{group, kind}] = true
}

// child finds the resource of a need. A need of a custom kind names it itself; where
// it is not served, its source says so.
func (r *resolver) child(n edges.Need) (resource, bool) {
	if res, ok := r.kind(n.Group, n.Kind); ok {
		return res, true
	}
	if n.Version == "" || n.Resource == "" || !strings.Contains(n.Group, ".") {
		return resource{}, false
	}
	return resource{Group: n.Group, Version: n.Version, Plural: n.Resource, Kind: n.Kind, Namespaced: n.Namespace != ""}, true
}

// known finds what a TYPE means without asking anybody.
func (r *resolver) known(typ string) (resource, bool) {
	if res, ok := builtinType(typ); ok {
		return r.kind(res.Group, res.Kind)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	res, ok := r.types[typ]
	return res, ok
}

func (r *resolver) changed(res resource) {
	r.learn(res)
	r.found()
}

func (r *resolver) learn(res resource) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kinds[groupKind{res.Group, res.Kind}] = res
	r.learned++
}

// learnings tells whether the same question may be answered in another way now.
func (r *resolver) learnings() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.learned
}

// served asks the server for one kind, in the given version or, where that is
// not served, in another. errNotServed means that it does not know the kind.
func (r *resolver) served(ctx context.Context, group, version, kind string) (resource, error) {
	var absent error // that of the version
	if version != "" {
		res, err := r.inVersion(ctx, group, version, kind)
		if !notFound(err) && !errors.Is(err, errNotServed) || group == "" && !notFound(err) {
			return res, err
		}
		absent = err
	}
	versions, err := r.versions(ctx, group)
	if err != nil {
		return resource{}, err
	}
	for _, v := range versions {
		if v == version {
			continue
		}
		if res, err := r.inVersion(ctx, group, v, kind); !errors.Is(err, errNotServed) {
			return res, err
		}
	}
	if notFound(absent) && slices.Contains(versions, version) {
		return resource{}, absent // one of the two does not come from the API server
	}
	return resource{}, errNotServed
}

func (r *resolver) inVersion(ctx context.Context, group, version, kind string) (resource, error) {
	list, err := r.version(ctx, group, version)
	if err != nil {
		return resource{}, err
	}
	for _, d := range list {
		if d.Kind == kind {
			return d.resource, nil
		}
	}
	return resource{}, errNotServed
}

// versions asks which versions of a group are served, the preferred one first. Of a
// group or version that it does not serve an API server says "404 page not found" in
// plain text, as any server on the way would; so its list of the groups decides.
func (r *resolver) versions(ctx context.Context, group string) ([]string, error) {
	if group == "" {
		var l metav1.APIVersions
		err := r.c.readJSON(ctx, "/api", nil, acceptJSON, &l, typeMeta{"v1", "APIVersions"}, typeMeta{"", "APIVersions"})
		return l.Versions, err
	}
	var l metav1.APIGroupList
	if err := r.c.readJSON(ctx, "/apis", nil, acceptJSON, &l, typeMeta{"v1", "APIGroupList"}); err != nil {
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

// missing is errNotServed where an answer says that a path is not found and the
// discovery that its kind is not served; else it is the answer's error.
func (r *resolver) missing(ctx context.Context, res resource, err error) error {
	if !notFound(err) {
		return err
	}
	switch now, e := r.served(ctx, res.Group, res.Version, res.Kind); {
	case errors.Is(e, errNotServed):
		return errNotServed
	case e == nil && now != res:
		r.changed(now) // in another version
	}
	return err
}

// version asks for the resources of one group and version.
func (r *resolver) version(ctx context.Context, group, version string) ([]discovered, error) {
	path := "/apis/" + group + "/" + version
	if group == "" {
		path = "/api/" + version
	}
	var l metav1.APIResourceList
	if err := r.c.readJSON(ctx, path, nil, acceptJSON, &l, typeMeta{"v1", "APIResourceList"}, typeMeta{"", "APIResourceList"}); err != nil {
		return nil, err
	}
	var out []discovered
	for _, x := range l.APIResources {
		if strings.HasSuffix(x.Name, "/status") {
			r.learnReports(group, x.Kind)
		}
		if !strings.Contains(x.Name, "/") {
			out = append(out, discovered{newResource(group, version, x.Name, x.Kind, x.Namespaced), x.SingularName, x.ShortNames, x.Verbs, x.Categories})
		}
	}
	return out, nil
}

func newResource(group, version, plural, kind string, namespaced bool) resource {
	res := resource{Group: group, Version: version, Plural: plural, Kind: kind, Namespaced: namespaced}
	if convert.MetadataKind(group, kind) {
		res.Enc = encMeta
	} else if b, ok := builtinByKind[groupKind{group, kind}]; ok && b.Version == version {
		res.Enc = b.Enc
	}
	return res
}

// UnknownTypeError is a TYPE that neither we nor the server know.
type UnknownTypeError struct {
	Type string
	Near []string // what may have been meant
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

// typ asks the server what a TYPE means.
func (r *resolver) typ(ctx context.Context, typ string) (resource, error) {
	all, err := r.discover(ctx)
	if err != nil {
		return resource{}, err
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
		r.types[typ] = d.resource
		r.learned++
		r.kinds[groupKind{d.Group, d.Kind}] = d.resource
		r.mu.Unlock()
		return d.resource, nil
	}
	return resource{}, &UnknownTypeError{Type: typ, Near: near(name, all)}
}

// category is what can be watched of what a category (all, or one that CRDs
// declare) stands for, once everything has been discovered; nil for another word.
func (r *resolver) category(name string) []resource {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []resource
	for _, d := range r.all {
		if slices.Contains(d.Categories, name) && d.can("list") && d.can("watch") {
			out = append(out, d.resource)
		}
	}
	return out
}

// near lists the types whose names are a slip away.
func near(name string, all []discovered) []string {
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

// NearTypes lists the built-in types whose names are a slip away.
func NearTypes(name string) []string {
	var all []discovered
	for word, res := range builtinByName {
		all = append(all, discovered{resource: res, Short: []string{word}})
	}
	return near(strings.ToLower(name), all)
}

const acceptDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

// discoveredAll is everything that is served, where it has been asked for; else nil.
func (r *resolver) discoveredAll() []discovered {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all
}

// discover asks for everything that is served, once; the preferred version of
// each group, the core group first.
func (r *resolver) discover(ctx context.Context) ([]discovered, error) {
	if all := r.discoveredAll(); all != nil {
		return all, nil
	}
	var core, groups []discovered
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

func (r *resolver) discoverAt(ctx context.Context, path string) ([]discovered, error) {
	var l struct {
		metav1.TypeMeta
		Items    []apidiscovery.APIGroupDiscovery // APIGroupDiscoveryList
		Groups   []metav1.APIGroup                // APIGroupList
		Versions []string                         // APIVersions
	}
	types := []typeMeta{{"apidiscovery.k8s.io/v2", "APIGroupDiscoveryList"}, {"v1", "APIGroupList"}, {"v1", "APIVersions"}, {"", "APIVersions"}}
	if err := r.c.readJSON(ctx, path, nil, acceptDiscovery, &l, types...); err != nil {
		return nil, err
	}
	switch {
	case l.Kind == "APIGroupDiscoveryList":
		return r.aggregated(l.Items), nil
	case path == "/api":
		return r.version(ctx, "", cmp.Or(slices.Max(append(l.Versions, "")), "v1"))
	}
	// An old or aggregating server: a request for each group.
	lists, errs := make([][]discovered, len(l.Groups)), make([]error, len(l.Groups))
	limit := make(chan struct{}, 8)
	var wg sync.WaitGroup
	for i, g := range l.Groups {
		wg.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			// A group whose server is down is no reason to know nothing.
			var err error
			if lists[i], err = r.version(ctx, g.Name, g.PreferredVersion.Version); isForeign(err) {
				errs[i] = err
			}
		})
	}
	wg.Wait()
	return slices.Concat(lists...), cmp.Or(cmp.Or(errs...), ctx.Err())
}

// aggregated are the resources of groups, each in its preferred version.
func (r *resolver) aggregated(groups []apidiscovery.APIGroupDiscovery) []discovered {
	var out []discovered
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
				out = append(out, discovered{
					newResource(g.Name, v.Version, x.Resource, kind, x.Scope == apidiscovery.ScopeNamespace),
					x.SingularResource, x.ShortNames, x.Verbs, x.Categories,
				})
			}
		}
	}
	return out
}
