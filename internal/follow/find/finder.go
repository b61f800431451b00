package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Finder looks inventories up.
type Finder struct {
	client    *kube.Client
	resolver  *kube.Resolver
	namespace string
}

// Bounds of a Finder's requests.
const (
	findPage   = 500 // objects per page
	findMost   = 20  // pages per kind
	ownersMost = 6   // levels of owners
)

const listsAll = "kstatus-tui inventories -A lists those there are"

// New prepares a Finder, without a request; Close it in the end. namespace is
// the default namespace.
func New(cfg *rest.Config, from kube.Origin, namespace string, log *slog.Logger) (*Finder, error) {
	c, err := kube.NewClient(cfg, from, nil, log)
	if err != nil {
		return nil, err
	}
	return Using(c, kube.NewResolver(c, func() {}), cmp.Or(namespace, metav1.NamespaceDefault)), nil
}

// Using returns a Finder that shares a client and a resolver.
func Using(c *kube.Client, r *kube.Resolver, namespace string) *Finder {
	return &Finder{client: c, resolver: r, namespace: namespace}
}

// Close closes its connections.
func (f *Finder) Close() { f.client.Close() }

// Listing is the content of one inventory.
type Listing struct {
	Root object.ID
	Name string // name of its source: "Flux Kustomization"
	Set  inventory.Set
}

// Members reads one inventory: its root and, if members are selected by a
// label, the metadata of the objects with that label.
func (f *Finder) Members(ctx context.Context, t inventory.Target) (l Listing, err error) {
	if t.Scheme == "helm" {
		l, err = f.release(ctx, t)
	} else {
		l, err = f.listed(ctx, t)
	}
	if err != nil {
		return l, err
	}
	for i := range l.Set.Members {
		m := &l.Set.Members[i]
		if m.Unreadable == "" {
			m.ID.Namespace = cmp.Or(m.ID.Namespace, l.Root.Namespace)
			_, _ = f.kind(ctx, m.ID) // once found, it is known whether it has a namespace
			m.ID = f.Scoped(m.ID)
		}
	}
	for _, labels := range l.Set.Labels {
		if err := f.labelled(ctx, l.Root, labels, &l.Set); err != nil {
			return l, err
		}
	}
	return l, nil
}

// listed reads a root that is an object.
func (f *Finder) listed(ctx context.Context, t inventory.Target) (Listing, error) {
	id, err := f.resolve(ctx, t)
	if err != nil {
		return Listing{}, err
	}
	o, body, err := f.object(ctx, id)
	if err != nil {
		return Listing{}, err
	}
	source, set := inventory.Decode(o, body)
	if source == nil {
		return Listing{}, problem.New("kstatus-tui inventories lists those there are", "%s holds no inventory", id)
	}
	if r := set.Release; r.Name != "" && (set.Pending != "" || len(set.Members) == 0) {
		if stored, err := f.stored(ctx, r, 0); err == nil {
			set.Add(stored)
		} else {
			set.Notes = append(set.Notes, "its release cannot be read: "+object.Clean(kube.ErrorText(err)))
		}
	}
	return Listing{Root: id, Name: source.Name, Set: set}, nil
}

// release reads a Helm release.
func (f *Finder) release(ctx context.Context, t inventory.Target) (Listing, error) {
	l := Listing{Root: inventory.HelmReleaseID(t.Namespace, t.Name), Name: "Helm release"}
	release := inventory.Release{Namespace: t.Namespace, Name: t.Name}
	stored, err := f.stored(ctx, release, t.HelmVersion)
	switch {
	case kube.Code(err) == 403:
		l.Set.Notes = append(l.Set.Notes, "its record may not be read: these are the objects with its labels")
		l.Set.Labels = release.Labels()
	case err != nil:
		return l, err
	default:
		l.Set.Add(stored)
	}
	return l, nil
}

// kind finds an object's resource: in the table of built-in ones, otherwise by
// discovery, which is requested once.
func (f *Finder) kind(ctx context.Context, id object.ID) (kube.Resource, error) {
	if res, ok := f.resolver.Kind(id.Group, id.Kind); ok {
		return res, nil
	}
	all, err := f.resolver.Discover(ctx)
	if err != nil {
		return kube.Resource{}, err
	}
	for _, d := range all {
		if d.Group == id.Group && d.Kind == id.Kind {
			f.resolver.Learn(d.Resource)
			return d.Resource, nil
		}
	}
	return kube.Resource{}, kube.ErrNotServed
}

// resolve returns the object that a target means.
func (f *Finder) resolve(ctx context.Context, t inventory.Target) (object.ID, error) {
	id := t.ID
	if id.IsZero() {
		places, unknown := f.places(ctx, t)
		if places == nil {
			res, err := f.resolver.Type(ctx, t.Type)
			if err == nil {
				f.resolver.Learn(res)
			}
			return res.ID(cmp.Or(t.Namespace, f.namespace), t.Name), err
		}
		found, why := f.Search(ctx, places)
		if why = cmp.Or(why, unknown); found.IsZero() && why != nil {
			return found, fmt.Errorf("cannot look for %s: %w", t.Source, why)
		}
		if found.IsZero() {
			return found, problem.New(cmp.Or(ThereIsOne(f.Elsewhere(ctx, places...)), listsAll), "there is no %s in namespace %q", t.Source, t.Namespace)
		}
		id = found
	}
	res, err := f.kind(ctx, id)
	if err != nil {
		return id, fmt.Errorf("%s: %w", t.Source, err)
	}
	return res.ID(id.Namespace, id.Name), nil
}

// places are the possible roots of an inventory that is not named by kind: the
// target's candidates, and kinds that only this cluster has. Nil means that it
// is named by kind.
func (f *Finder) places(ctx context.Context, t inventory.Target) ([]inventory.Candidate, error) {
	places := t.Candidates()
	want := inventory.Candidate{ID: object.ID{Namespace: t.Namespace}}
	switch {
	case t.Scheme == "applyset-id" && places != nil:
		want.Selector = places[0].Selector
	case t.Scheme == "crossplane-composite":
		want.ID.Name, places = t.Name, []inventory.Candidate{}
	default:
		return places, nil
	}
	kinds, _, err := f.kinds(ctx)
	for _, k := range kinds {
		if isApplySet := k.source.Selector != ""; k.source.Kind == "" && isApplySet == (want.Selector != "") {
			want.ID.Group, want.ID.Kind = k.res.Group, k.res.Kind
			f.resolver.Learn(k.res)
			places = append(places, want)
		}
	}
	return places, err
}

// object gets an object as it is (of most Secrets only the metadata), and
// converted.
func (f *Finder) object(ctx context.Context, id object.ID) (*object.Object, map[string]any, error) {
	res, err := f.kind(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	body, err := f.Read(ctx, id)
	if kube.Code(err) == 404 && res.Namespaced {
		return nil, nil, problem.New(cmp.Or(ThereIsOne(f.Elsewhere(ctx, inventory.Candidate{ID: id})), listsAll), "there is no %s in namespace %q", id, id.Namespace)
	}
	if err != nil {
		return nil, nil, kube.GetError(id, err)
	}
	o, err := convert.Map(body, convert.Options{Kind: schema.GroupVersionKind{Group: res.Group, Version: res.Version, Kind: res.Kind}})
	return o, body, err
}

// labelled adds the objects with a label to a set.
func (f *Finder) labelled(ctx context.Context, root object.ID, l inventory.Labels, set *inventory.Set) error {
	var kinds []kube.Resource
	for _, gk := range l.Kinds {
		if res, err := f.kind(ctx, gk); err == nil {
			kinds = append(kinds, res)
		} else {
			set.Notes = append(set.Notes, gk.GroupKind()+" is not served")
		}
	}
	if len(l.Kinds) == 0 {
		all, err := f.resolver.Discover(ctx)
		if err != nil {
			return err
		}
		kinds = Everything(all)
	}
	namespaces := l.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	type place struct {
		res kube.Resource
		ns  string
	}
	var places []place
	for _, res := range kinds {
		for _, ns := range namespaces {
			places = append(places, place{res, ns})
			if !res.Namespaced {
				break
			}
		}
	}
	found := make([][]inventory.Member, len(places))
	err := kube.Each(len(places), func(i int) error {
		res := places[i].res
		list, err := f.client.ListMetadata(ctx, res, places[i].ns, url.Values{"labelSelector": {l.Selector}})
		for _, m := range list {
			if o := described(&m, res); o.ID != root && l.Filter.Passes(o) {
				found[i] = append(found[i], inventory.Member{ID: o.ID, Version: res.Version, Note: inventory.MemberNote(o)})
			}
		}
		if err = f.resolver.Missing(ctx, res, err); errors.Is(err, kube.ErrNotServed) {
			return nil
		}
		return err
	})
	set.Members = slices.Concat(set.Members, slices.Concat(found...))
	if err != nil {
		set.Notes = append(set.Notes, "not all could be listed: "+object.Clean(kube.ErrorText(err)))
	}
	return nil
}

// described is an object converted from its metadata alone.
func described(m *metav1.PartialObjectMetadata, res kube.Resource) *object.Object {
	o, err := kube.Convert(m, res, convert.Options{})
	if err != nil { // converting metadata does not fail
		return &object.Object{ID: res.ID(m.Namespace, m.Name), MetadataOnly: true}
	}
	return o
}

// storage lists the metadata of Helm's storage objects, Secrets or ConfigMaps
// (HELM_DRIVER=configmap).
func (f *Finder) storage(ctx context.Context, namespace, selector string) (out []*object.Object, why error) {
	for _, kind := range []string{"Secret", "ConfigMap"} {
		res := kube.Builtin("", kind)
		list, err := f.client.ListMetadata(ctx, res, namespace, url.Values{"labelSelector": {selector}})
		why = cmp.Or(why, err)
		for _, m := range list {
			out = append(out, described(&m, res))
		}
	}
	return out, why
}

// stored reads a revision of a release from its storage.
func (f *Finder) stored(ctx context.Context, r inventory.Release, version int) (inventory.HelmRevision, error) {
	objects, err := f.storage(ctx, r.Namespace, "owner=helm,name="+r.Name)
	if found, _ := StoredRevision(objects, version); found != nil {
		return f.Revision(ctx, found.ID)
	}
	if err != nil {
		return inventory.HelmRevision{}, err
	}
	what, next := fmt.Sprintf("release %q", r.Name), ""
	if version > 0 {
		what = fmt.Sprintf("revision %d of %s", version, what)
	} else {
		next = ThereIsOne(f.Elsewhere(ctx, inventory.Candidate{ID: inventory.HelmReleaseID(r.Namespace, r.Name)}))
	}
	return inventory.HelmRevision{}, problem.New(cmp.Or(next, "helm list -A shows those there are"), "there is no %s in namespace %q", what, r.Namespace)
}

// Owner finds the inventory that an object belongs to, by its labels and
// annotations, or by those of its owners.
func (f *Finder) Owner(ctx context.Context, t inventory.Target) (inventory.Target, error) {
	id, err := f.resolve(ctx, t)
	if err != nil {
		return inventory.Target{}, err
	}
	start, missing := id, ""
	for range ownersMost {
		o, body, err := f.object(ctx, id)
		if err != nil {
			return inventory.Target{}, err
		}
		if s, _ := inventory.Decode(o, body); s != nil && id != start {
			return inventory.Target{Source: id.String(), ID: id}, nil
		}
		for _, c := range inventory.Owners(o) {
			if c.Scheme == "helm" {
				return c, nil
			}
			root, err := f.resolve(ctx, c)
			if root == id {
				continue // some inventories carry their own label
			}
			if err == nil {
				_, err = f.Read(ctx, root)
			}
			if kube.Code(err) == 404 && c.Guessed {
				if places := f.Elsewhere(ctx, inventory.Candidate{ID: root}); len(places) == 1 {
					root.Namespace, err = places[0], nil
				}
			}
			if err == nil {
				return inventory.Target{Source: c.Source, ID: root}, nil
			}
			missing = c.Source
		}
		owner, ok := o.Controller()
		if !ok {
			break
		}
		res, err := f.kind(ctx, object.ID{Group: owner.Group, Kind: owner.Kind})
		if err != nil {
			break
		}
		id = res.ID(id.Namespace, owner.Name)
	}
	if missing != "" {
		return inventory.Target{}, problem.New("follow the object itself: "+t.Source, "%s says that it belongs to %s, which cannot be found", start, missing)
	}
	return inventory.Target{}, problem.New("follow the object itself: "+t.Source, "%s does not say of which inventory it is", start)
}

// isTimoni recognises the Secret that holds Timoni's record of an instance; its
// payload is read.
func isTimoni(name string) bool { return strings.HasPrefix(name, "timoni.") }

// Read gets an object of a known kind as it is; of most Secrets only the
// metadata.
func (f *Finder) Read(ctx context.Context, id object.ID) (map[string]any, error) {
	res, ok := f.resolver.Kind(id.Group, id.Kind)
	if !ok {
		return nil, kube.ErrNotServed
	}
	return f.client.Body(ctx, res, id, !isTimoni(id.Name))
}

// Scoped removes the namespace of an object whose kind is known to have none.
func (f *Finder) Scoped(id object.ID) object.ID {
	if res, ok := f.resolver.Kind(id.Group, id.Kind); ok {
		return res.ID(id.Namespace, id.Name)
	}
	return id
}

// Everything returns the kinds that --all means: namespaced ones that can be
// followed.
func Everything(all []kube.Discovered) (out []kube.Resource) {
	for _, d := range all {
		if d.Namespaced && d.Can("list") && d.Can("watch") && !slices.Contains(notFollowed, schema.GroupKind{Group: d.Group, Kind: d.Kind}) {
			out = append(out, d.Resource)
		}
	}
	return out
}

// notFollowed are records and bookkeeping that nobody applies.
var notFollowed = []schema.GroupKind{
	{Group: "", Kind: "Event"},
	{Group: "events.k8s.io", Kind: "Event"},
	{Group: "", Kind: "Endpoints"},
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"},
	{Group: "coordination.k8s.io", Kind: "Lease"},
	{Group: "apps", Kind: "ControllerRevision"},
	{Group: "metrics.k8s.io", Kind: "PodMetrics"},
	{Group: "", Kind: "PodTemplate"},
	{Group: "authorization.k8s.io", Kind: "LocalSubjectAccessReview"},
	{Group: "cilium.io", Kind: "CiliumEndpoint"},
}
