package find

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
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
func (f *Finder) Members(ctx context.Context, t inventory.Target) (Listing, error) {
	if t.Scheme == "helm" {
		return f.release(ctx, t)
	}
	id, res, err := f.resolve(ctx, t)
	if err != nil {
		return Listing{}, err
	}
	o, body, err := f.object(ctx, res, id)
	if err != nil {
		return Listing{}, err
	}
	source := inventory.Recognise(o)
	if source == nil {
		return Listing{}, &kube.Problem{Text: id.String() + " holds no inventory", Next: "kstatus-tui inventories lists those there are"}
	}
	l := Listing{Root: id, Name: source.Name}
	var ok bool
	if l.Set, ok = source.Read(inventory.Object{ID: id, Body: body}); !ok {
		return Listing{}, &kube.Problem{Text: id.String() + " holds no inventory", Next: "kstatus-tui inventories lists those there are"}
	}
	if r := l.Set.Release; r.Name != "" && (l.Set.Pending != "" || len(l.Set.Members) == 0) {
		if stored, err := f.stored(ctx, r, 0); err == nil && (stored.Pending() || len(l.Set.Members) == 0) {
			l.Set.Members = append(stored.Active(), stored.Members...)
			l.Set.Revision = strconv.Itoa(stored.Version)
		} else if err != nil {
			l.Set.Notes = append(l.Set.Notes, "its release cannot be read: "+object.Clean(kube.ErrorText(err)))
		}
	}
	for i := range l.Set.Members {
		f.scope(ctx, &l.Set.Members[i], id.Namespace)
	}
	for _, labels := range l.Set.Labels {
		if err := f.labelled(ctx, id, labels, &l.Set); err != nil {
			return l, err
		}
	}
	return l, nil
}

// scope adds the namespace to a member of a namespaced kind, and removes it
// from any other.
func (f *Finder) scope(ctx context.Context, m *inventory.Member, namespace string) {
	if m.Unreadable != "" {
		return
	}
	if m.ID.Namespace == "" {
		m.ID.Namespace = namespace
	}
	if res, err := f.kind(ctx, m.ID.Group, m.ID.Kind); err == nil {
		m.ID = res.ID(m.ID.Namespace, m.ID.Name)
	}
}

// kind finds a resource: in the table of built-in ones, otherwise by discovery,
// which is requested once.
func (f *Finder) kind(ctx context.Context, group, kind string) (kube.Resource, error) {
	if res, ok := f.resolver.Kind(group, kind); ok {
		return res, nil
	}
	all, err := f.resolver.Discover(ctx)
	if err != nil {
		return kube.Resource{}, err
	}
	for _, d := range all {
		if d.Group == group && d.Kind == kind {
			return d.Resource, nil
		}
	}
	return kube.Resource{}, kube.ErrNotServed
}

// resolve returns the object that a target means.
func (f *Finder) resolve(ctx context.Context, t inventory.Target) (object.ID, kube.Resource, error) {
	if places, err := f.places(ctx, t); t.ID.IsZero() && places != nil {
		why := err
		for _, c := range places {
			if t.AllNamespaces {
				c.ID.Namespace = ""
			}
			id, err := f.LookAt(ctx, c)
			switch {
			case !id.IsZero():
				res, err := f.kind(ctx, id.Group, id.Kind)
				return id, res, err
			case err != nil && !errors.Is(err, kube.ErrNotServed):
				why = err
			}
		}
		if why != nil {
			return object.ID{}, kube.Resource{}, fmt.Errorf("cannot look for %s: %w", t.Source, why)
		}
		hint := ""
		if !t.AllNamespaces {
			hint = ThereIsOne(f.SearchElsewhere(ctx, places))
		}
		return object.ID{}, kube.Resource{}, &kube.Problem{
			Text: fmt.Sprintf("there is no %s in namespace %q", t.Source, t.Namespace), Next: cmp.Or(hint, "kstatus-tui inventories -A lists those there are"),
		}
	}
	if !t.ID.IsZero() {
		res, err := f.kind(ctx, t.ID.Group, t.ID.Kind)
		if err != nil {
			return object.ID{}, res, fmt.Errorf("%s: %w", t.Source, err)
		}
		return res.ID(t.ID.Namespace, t.ID.Name), res, nil
	}
	res, err := f.resolver.Type(ctx, t.Type)
	if err != nil {
		return object.ID{}, res, err
	}
	return res.ID(cmp.Or(t.Namespace, f.namespace), t.Name), res, nil
}

// places are the possible roots of an inventory that is not named by kind: the
// target's candidates, and kinds that only this cluster has.
func (f *Finder) places(ctx context.Context, t inventory.Target) ([]inventory.Candidate, error) {
	places := t.Candidates()
	want := inventory.Candidate{ID: object.ID{Namespace: t.Namespace}}
	switch t.Scheme {
	case "applyset-id":
		if places == nil {
			return nil, nil
		}
		want.Selector = places[0].Selector
	case "crossplane-composite":
		want.ID.Name = t.Name
	default:
		return places, nil
	}
	kinds, _, err := f.many(ctx)
	for _, m := range kinds {
		if isApplySet := m.source.Selector != ""; isApplySet == (t.Scheme == "applyset-id") {
			c := want
			c.ID.Group, c.ID.Kind = m.res.Group, m.res.Kind
			f.resolver.Learn(m.res)
			places = append(places, c)
		}
	}
	if places == nil {
		places = []inventory.Candidate{}
	}
	return places, err
}

// object gets an object as it is (of most Secrets only the metadata), and
// converted.
func (f *Finder) object(ctx context.Context, res kube.Resource, id object.ID) (*object.Object, map[string]any, error) {
	body, err := f.client.Body(ctx, res, id, !isTimoni(id.Name))
	if kube.Code(err) == 404 && res.Namespaced {
		f.resolver.Learn(res)
		return nil, nil, &kube.Problem{
			Text: fmt.Sprintf("there is no %s in namespace %q", id, id.Namespace),
			Next: cmp.Or(ThereIsOne(f.Elsewhere(ctx, id)), "kstatus-tui inventories -A lists those there are"),
		}
	}
	if err != nil {
		return nil, nil, kube.GetError(id, err)
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, nil, err
	}
	o, err := kube.DecodeJSON(data, res, convert.Options{})
	return o, body, err
}

// labelled adds the objects with a label to a set.
func (f *Finder) labelled(ctx context.Context, root object.ID, l inventory.Labels, set *inventory.Set) error {
	var kinds []kube.Resource
	for _, gk := range l.Kinds {
		if res, err := f.kind(ctx, gk.Group, gk.Kind); err == nil {
			kinds = append(kinds, res)
		} else {
			set.Notes = append(set.Notes, gk.GroupKind()+" is not served")
		}
	}
	for _, typ := range l.Types {
		if res, err := f.resolver.Type(ctx, typ); err == nil {
			kinds = append(kinds, res)
		}
	}
	if len(l.Kinds)+len(l.Types) == 0 {
		all, err := f.resolver.Discover(ctx)
		if err != nil {
			return err
		}
		for _, d := range all {
			if d.Namespaced && d.Can("list") && !slices.Contains(NotFollowed, schema.GroupKind{Group: d.Group, Kind: d.Kind}) {
				kinds = append(kinds, d.Resource)
			}
		}
	}
	namespaces := l.Namespaces
	if len(namespaces) == 0 || l.Everywhere {
		namespaces = []string{""}
	}
	type place struct {
		res kube.Resource
		ns  string
	}
	var places []place
	for _, res := range kinds {
		for _, ns := range namespaces {
			if !res.Namespaced {
				ns = ""
			}
			if p := (place{res, ns}); !slices.Contains(places, p) {
				places = append(places, p)
			}
		}
	}
	found := make([][]metav1.PartialObjectMetadata, len(places))
	err := kube.Each(len(places), func(i int) error {
		var err error
		found[i], err = f.client.ListMetadata(ctx, places[i].res, places[i].ns, url.Values{"labelSelector": {l.Selector}})
		if err = f.resolver.Missing(ctx, places[i].res, err); errors.Is(err, kube.ErrNotServed) {
			return nil
		}
		return err
	})
	for i, p := range places {
		for _, m := range found[i] {
			if o := described(&m, p.res); o.ID != root && l.Filter.Passes(o) {
				set.Members = append(set.Members, inventory.Member{ID: o.ID, Version: p.res.Version, Note: inventory.MemberNote(o)})
			}
		}
	}
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

// release reads a Helm release.
func (f *Finder) release(ctx context.Context, t inventory.Target) (Listing, error) {
	l := Listing{Root: inventory.HelmReleaseID(t.Namespace, t.Name), Name: "Helm release"}
	r, err := f.stored(ctx, inventory.Release{Namespace: t.Namespace, Name: t.Name}, t.HelmVersion)
	if kube.Code(err) == 403 {
		l.Set.Notes = append(l.Set.Notes, "its record may not be read: these are the objects with its labels")
		return l, f.labelled(ctx, l.Root, inventory.Labels{
			Selector: "app.kubernetes.io/managed-by=Helm", Namespaces: []string{t.Namespace},
			Filter: inventory.Annotated("meta.helm.sh/release-name", t.Name),
		}, &l.Set)
	}
	if err != nil {
		return l, err
	}
	l.Set.Members = append(r.Active(), r.Members...)
	l.Set.Revision = strconv.Itoa(r.Version)
	if r.Pending() {
		l.Set.Pending = "Helm: " + r.Status
	}
	for i := range l.Set.Members {
		f.scope(ctx, &l.Set.Members[i], t.Namespace)
	}
	return l, nil
}

// stored reads a revision of a release from its storage.
func (f *Finder) stored(ctx context.Context, r inventory.Release, version int) (inventory.HelmRevision, error) {
	for _, kind := range []string{"Secret", "ConfigMap"} {
		res := kube.Builtin("", kind)
		list, err := f.client.ListMetadata(ctx, res, r.Namespace, url.Values{"labelSelector": {"owner=helm,name=" + r.Name}})
		if err != nil {
			return inventory.HelmRevision{}, err
		}
		objects := make([]*object.Object, len(list))
		for i, m := range list {
			objects[i] = described(&m, res)
		}
		if found, _ := StoredRevision(objects, version); found != nil {
			revision, err := f.Revision(ctx, found.ID)
			if word, _ := found.Label("status"); err == nil && word != "" {
				revision.Status = word
			}
			return revision, err
		}
	}
	text := fmt.Sprintf("there is no release %q in namespace %q", r.Name, r.Namespace)
	if version > 0 {
		text = fmt.Sprintf("there is no revision %d of release %q in namespace %q", version, r.Name, r.Namespace)
	}
	next := ""
	if version == 0 {
		next = ThereIsOne(f.Elsewhere(ctx, inventory.HelmReleaseID(r.Namespace, r.Name)))
	}
	return inventory.HelmRevision{}, &kube.Problem{Text: text, Next: cmp.Or(next, "helm list -A shows those there are")}
}

// Owner finds the inventory that an object belongs to, by its labels and
// annotations, or by those of its owners.
func (f *Finder) Owner(ctx context.Context, t inventory.Target) (inventory.Target, error) {
	id, res, err := f.resolve(ctx, t)
	if err != nil {
		return inventory.Target{}, err
	}
	start, missing := id, ""
	for range ownersMost {
		o, body, err := f.object(ctx, res, id)
		if err != nil {
			return inventory.Target{}, err
		}
		if id != start {
			if s := inventory.Recognise(o); s != nil {
				if _, ok := s.Read(inventory.Object{ID: id, Body: body}); ok {
					return inventory.Target{Source: id.String(), ID: id}, nil
				}
			}
		}
		for _, c := range inventory.Owners(o) {
			if c.Scheme == "helm" {
				return c, nil
			}
			root, rootRes, err := f.resolve(ctx, c)
			if root == id {
				continue // some inventories carry their own label
			}
			if err == nil {
				_, err = f.client.Body(ctx, rootRes, root, true)
			}
			if err == nil {
				return inventory.Target{Source: c.Source, ID: root}, nil
			}
			if places := f.Elsewhere(ctx, root); kube.Code(err) == 404 && c.Guessed && len(places) == 1 {
				root.Namespace = places[0]
				return inventory.Target{Source: c.Source, ID: root}, nil
			}
			missing = c.Source
		}
		owner, ok := o.Controller()
		if !ok {
			break
		}
		if res, err = f.kind(ctx, owner.Group, owner.Kind); err != nil {
			break
		}
		id = res.ID(id.Namespace, owner.Name)
	}
	if missing != "" {
		return inventory.Target{}, &kube.Problem{Text: fmt.Sprintf("%s says that it belongs to %s, which cannot be found", start, missing), Next: "follow the object itself: " + t.Source}
	}
	return inventory.Target{}, &kube.Problem{Text: start.String() + " does not say of which inventory it is", Next: "follow the object itself: " + t.Source}
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

// NotFollowed are the kinds that --all omits: records and bookkeeping that
// nobody applies.
var NotFollowed = []schema.GroupKind{
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
