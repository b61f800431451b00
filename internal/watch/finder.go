package watch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Finder looks inventories up, once and without following anything: for lists
// of them, for the members of one, and for the one that an object belongs to.
type Finder struct {
	e      *Engine
	cancel context.CancelFunc
}

// The bounds on what a Finder asks for.
const (
	findersMost = 6   // requests at the same time
	findPage    = 500 // objects in one answer
	findMost    = 20  // answers for one kind
	ownersMost  = 6   // owners above an object that are looked at
)

// NewFinder prepares one. It makes no request. Of o, Config, Namespace and Log
// count.
func NewFinder(ctx context.Context, o Options) (*Finder, error) {
	o.Targets = nil
	e, err := New(o)
	if err != nil {
		return nil, err
	}
	e.ctx, e.cancel = context.WithCancel(ctx)
	return &Finder{e: e, cancel: e.cancel}, nil
}

// Close ends what is still on its way.
func (f *Finder) Close() {
	f.cancel()
	f.e.wg.Wait()
	f.e.client.close()
}

// Listing is what one inventory lists.
type Listing struct {
	Root status.ID
	Name string // of its source: "Flux Kustomization"
	Set  inventory.Set
}

// Members reads one inventory: its root, and where it names its members by a
// label, the metadata of what has that label. Nothing else is looked at.
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
		return Listing{}, &Problem{Text: id.String() + " holds no inventory", Next: "kstatus-tui inventories lists those there are"}
	}
	l := Listing{Root: id, Name: source.Name}
	var ok bool
	if l.Set, ok = source.Read(inventory.Object{ID: id, Body: body}); !ok {
		return Listing{}, &Problem{Text: id.String() + " holds no inventory", Next: "kstatus-tui inventories lists those there are"}
	}
	if r := l.Set.Release; r.Name != "" && (l.Set.Pending != "" || len(l.Set.Members) == 0) {
		if stored, err := f.stored(ctx, r, 0); err == nil && (stored.Pending() || len(l.Set.Members) == 0) {
			l.Set.Members = append(stored.Active(), stored.Members...)
			l.Set.Revision = strconv.Itoa(stored.Version)
		} else if err != nil {
			l.Set.Notes = append(l.Set.Notes, "its release cannot be read: "+status.Clean(errorText(err)))
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

// scope gives a member the namespace that its kind has, or has not.
func (f *Finder) scope(ctx context.Context, m *inventory.Member, namespace string) {
	if m.Unreadable != "" {
		return
	}
	if m.ID.Namespace == "" {
		m.ID.Namespace = namespace
	}
	if res, err := f.kind(ctx, m.ID.Group, m.ID.Kind); err == nil {
		m.ID = res.id(m.ID.Namespace, m.ID.Name)
	}
}

// kind finds a resource: from the table of built-in ones, else from the whole
// discovery, which is asked for once.
func (f *Finder) kind(ctx context.Context, group, kind string) (resource, error) {
	if res, ok := f.e.resolver.kind(group, kind); ok {
		return res, nil
	}
	all, err := f.e.resolver.discover(ctx)
	if err != nil {
		return resource{}, err
	}
	for _, d := range all {
		if d.Group == group && d.Kind == kind {
			return d.resource, nil
		}
	}
	return resource{}, errNotServed
}

// resolve finds out which object a target means.
func (f *Finder) resolve(ctx context.Context, t inventory.Target) (status.ID, resource, error) {
	if places := t.Candidates(); t.ID.IsZero() && places != nil {
		var why error
		for _, c := range places {
			if t.AllNamespaces {
				c.ID.Namespace = ""
			}
			id, err := f.e.lookAt(ctx, c)
			switch {
			case !id.IsZero():
				res, err := f.kind(ctx, id.Group, id.Kind)
				return id, res, err
			case err != nil && !errors.Is(err, errNotServed) && code(err) != 404:
				why = err
			}
		}
		if why != nil {
			return status.ID{}, resource{}, fmt.Errorf("cannot look for %s: %w", t.Source, why)
		}
		return status.ID{}, resource{}, &Problem{
			Text: fmt.Sprintf("there is no %s in namespace %q", t.Source, t.Namespace), Next: "kstatus-tui inventories -A lists those there are",
		}
	}
	if !t.ID.IsZero() {
		res, err := f.kind(ctx, t.ID.Group, t.ID.Kind)
		if err != nil {
			return status.ID{}, res, fmt.Errorf("%s: %w", t.Source, err)
		}
		return res.id(t.ID.Namespace, t.ID.Name), res, nil
	}
	res, ok := f.e.resolver.known(t.Type)
	if !ok {
		var err error
		if res, err = f.e.resolver.typ(ctx, t.Type); err != nil {
			return status.ID{}, res, err
		}
	}
	return res.id(cmp.Or(t.Namespace, f.e.opts.Namespace), t.Name), res, nil
}

// object gets an object, whole (of most Secrets the metadata), and as the rules
// see it.
func (f *Finder) object(ctx context.Context, res resource, id status.ID) (*status.Object, map[string]any, error) {
	body, err := f.e.client.fetchBody(ctx, res, id, !isTimoni(id.Name))
	if err != nil {
		return nil, nil, detailError(id, err)
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, nil, err
	}
	o, err := decodeJSON(data, res, status.DecodeOptions{})
	return o, body, err
}

// labelled adds what has a label to a set.
func (f *Finder) labelled(ctx context.Context, root status.ID, l inventory.Labels, set *inventory.Set) error {
	var kinds []resource
	for _, gk := range l.Kinds {
		if res, err := f.kind(ctx, gk.Group, gk.Kind); err == nil {
			kinds = append(kinds, res)
		} else {
			set.Notes = append(set.Notes, gk.GroupKind()+" is not served")
		}
	}
	for _, typ := range l.Types {
		if res, err := f.e.resolver.typ(ctx, typ); err == nil {
			kinds = append(kinds, res)
		}
	}
	if len(l.Kinds)+len(l.Types) == 0 {
		all, err := f.e.resolver.discover(ctx)
		if err != nil {
			return err
		}
		for _, d := range all {
			if d.Namespaced && d.can("list") && !slices.Contains(notFollowed, groupKind{d.Group, d.Kind}) {
				kinds = append(kinds, d.resource)
			}
		}
	}
	namespaces := l.Namespaces
	if len(namespaces) == 0 || l.Everywhere {
		namespaces = []string{""}
	}
	type place struct {
		res resource
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
	found := make([][]metaObject, len(places))
	err := f.each(len(places), func(i int) error {
		var err error
		found[i], err = f.e.client.listMeta(ctx, places[i].res, places[i].ns, url.Values{"labelSelector": {l.Selector}})
		if code(err) == 404 {
			return nil
		}
		return err
	})
	for i, p := range places {
		for _, m := range found[i] {
			o := m.object(p.res)
			if o.ID != root && l.Filter.Passes(o) {
				set.Members = append(set.Members, inventory.Member{ID: o.ID, Version: p.res.Version, Note: inventory.MemberNote(o)})
			}
		}
	}
	if err != nil {
		set.Notes = append(set.Notes, "not all could be listed: "+status.Clean(errorText(err)))
	}
	return nil
}

// object is what is known of an object from its metadata alone.
func (m metaObject) object(res resource) *status.Object {
	o := &status.Object{ID: res.id(m.Namespace, m.Name), Version: res.Version, UID: m.UID, Created: m.Created, MetadataOnly: true}
	for k, v := range m.Labels {
		o.Labels = append(o.Labels, status.Label{Key: k, Value: v})
	}
	for k, v := range m.Annotations {
		o.Annotations = append(o.Annotations, status.Label{Key: k, Value: v})
	}
	for range m.Owners {
		o.Owners = append(o.Owners, status.Owner{})
	}
	return o
}

// each does n things, a few at a time, and returns the first error.
func (f *Finder) each(n int, do func(i int) error) error {
	limit := make(chan struct{}, findersMost)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			errs[i] = do(i)
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// release reads a Helm release.
func (f *Finder) release(ctx context.Context, t inventory.Target) (Listing, error) {
	l := Listing{Root: inventory.HelmReleaseID(t.Namespace, t.Name), Name: "Helm release"}
	r, err := f.stored(ctx, inventory.Release{Namespace: t.Namespace, Name: t.Name}, t.HelmVersion)
	if code(err) == 403 {
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
		res := builtinByKind[groupKind{"", kind}]
		list, err := f.e.client.listMeta(ctx, res, r.Namespace, url.Values{"labelSelector": {"owner=helm,name=" + r.Name}})
		if err != nil {
			return inventory.HelmRevision{}, err
		}
		objects := make([]*status.Object, len(list))
		for i, m := range list {
			objects[i] = m.object(res)
		}
		if found, _ := storedRevision(objects, version); found != nil {
			revision, err := f.e.client.helmRevision(ctx, found.ID)
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
	return inventory.HelmRevision{}, &Problem{Text: text, Next: "helm list -A shows those there are"}
}

// Owner finds the inventory that an object belongs to: by what its labels and
// annotations say, else by what those of its owners say.
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
			if err == nil {
				_, err = f.e.client.fetchBody(ctx, rootRes, root, true)
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
		if res, err = f.kind(ctx, owner.Group, owner.Kind); err != nil {
			break
		}
		id = res.id(id.Namespace, owner.Name)
	}
	if missing != "" {
		return inventory.Target{}, &Problem{Text: fmt.Sprintf("%s says that it belongs to %s, which cannot be found", start, missing), Next: "follow the object itself: " + t.Source}
	}
	return inventory.Target{}, &Problem{Text: start.String() + " does not say of which inventory it is", Next: "follow the object itself: " + t.Source}
}

// Found is an inventory that exists.
type Found struct {
	Name, Short string // of its source
	Target      inventory.Target
	ID          status.ID
	Revision    string
	Members     int // -1 where only its labels tell
	Created     time.Time
	// Own is what the root says of itself; its status is empty where it says
	// nothing.
	Own status.Assessment

	release inventory.Release // whose revisions are this one's members
}

// List finds the inventories of a namespace, or with an empty one of the whole
// cluster. What may not be listed is said in refused.
func (f *Finder) List(ctx context.Context, namespace string) (found []Found, refused []string, err error) {
	all, err := f.e.resolver.discover(ctx)
	if err != nil {
		return nil, nil, err
	}
	type place struct {
		source *inventory.Source
		res    resource
	}
	var places []place
	for i := range inventory.Known {
		s := &inventory.Known[i]
		for _, d := range all {
			if s.Plural != "" && d.Group == s.Group && d.Kind == s.Kind && (d.Namespaced || namespace == "") {
				places = append(places, place{s, d.resource})
			}
			// Every kind of kro's holds instances, all of them ApplySets.
			if s.Kind == "" && s.Short == "applyset" && d.Group == "kro.run" && d.Kind != "ResourceGraphDefinition" && d.can("list") {
				places = append(places, place{s, d.resource})
			}
		}
	}
	var mu sync.Mutex
	refuse := func(res resource, err error) {
		mu.Lock()
		defer mu.Unlock()
		refused = append(refused, fmt.Sprintf("%s: %s", res, status.Clean(errorText(err))))
	}
	_ = f.each(len(places)+1, func(i int) error {
		if i == len(places) {
			list, err := f.releases(ctx, namespace)
			if err != nil {
				refuse(builtinByKind[groupKind{"", "Secret"}], err)
			}
			mu.Lock()
			defer mu.Unlock()
			found = append(found, list...)
			return nil
		}
		p := places[i]
		list, err := f.roots(ctx, p.source, p.res, namespace)
		if err != nil && code(err) != 404 {
			refuse(p.res, err)
		}
		mu.Lock()
		defer mu.Unlock()
		found = append(found, list...)
		return nil
	})
	// A release that Flux keeps is listed as Flux's.
	kept := map[status.ID]bool{}
	for _, x := range found {
		kept[inventory.HelmReleaseID(x.release.Namespace, x.release.Name)] = x.release.Name != ""
	}
	found = slices.DeleteFunc(found, func(x Found) bool { return kept[x.ID] })
	slices.SortFunc(found, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.ID.Namespace, b.ID.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID.Name, b.ID.Name))
	})
	found = slices.CompactFunc(found, func(a, b Found) bool { return a.ID == b.ID })
	slices.Sort(refused)
	return found, slices.Compact(refused), ctx.Err()
}

// roots lists the roots of one source.
func (f *Finder) roots(ctx context.Context, s *inventory.Source, res resource, namespace string) ([]Found, error) {
	var out []Found
	q := url.Values{"limit": {strconv.Itoa(findPage)}}
	if s.Selector != "" {
		q.Set("labelSelector", s.Selector)
	}
	accept := acceptJSON
	if res.Enc == encMeta { // their payload is for whoever follows one of them
		accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
	}
	now := time.Now()
	for range findMost {
		resp, err := f.e.client.get(ctx, res.path(namespace), q, accept)
		if err != nil {
			return out, err
		}
		var list struct {
			Metadata struct{ Continue string } `json:"metadata"`
			Items    []json.RawMessage         `json:"items"`
		}
		err = json.NewDecoder(io.LimitReader(resp.Body, 8*maxRoot)).Decode(&list)
		_ = resp.Body.Close()
		if err != nil {
			return out, err
		}
		for _, raw := range list.Items {
			o, err := decodeJSON(raw, res, status.DecodeOptions{})
			if err != nil || inventory.Recognise(o) != s {
				continue
			}
			found := Found{
				Name: s.Name, Short: s.Short, ID: o.ID, Members: -1, Created: o.Created,
				Target: inventory.Target{Source: sourceName(s, o.ID), ID: o.ID, Version: o.Version, Scheme: s.Short},
			}
			var body map[string]any
			if res.Enc != encMeta && json.Unmarshal(raw, &body) == nil {
				set, ok := s.Read(inventory.Object{ID: o.ID, Body: body})
				if !ok {
					continue
				}
				found.Revision, found.release = set.Revision, set.Release
				if len(set.Labels) == 0 && !set.Unlisted {
					found.Members = len(set.Members)
				}
				found.Own = status.Assess(o, status.World{Offline: true}, now)
				if set.Pending != "" && found.Own.Status == status.Current {
					found.Own.Status, found.Own.Message = status.InProgress, set.Pending
				}
			}
			out = append(out, found)
		}
		if list.Metadata.Continue == "" {
			return out, nil
		}
		q.Set("continue", list.Metadata.Continue)
	}
	return out, fmt.Errorf("there are more than %d", findMost*findPage)
}

// releases lists Helm's releases by the metadata of their storage.
func (f *Finder) releases(ctx context.Context, namespace string) ([]Found, error) {
	newest := map[status.ID]metaObject{}
	first := map[status.ID]time.Time{}
	list, err := f.e.client.listMeta(ctx, builtinByKind[groupKind{"", "Secret"}], namespace, url.Values{"labelSelector": {"owner=helm"}})
	maps, mapsErr := f.e.client.listMeta(ctx, builtinByKind[groupKind{"", "ConfigMap"}], namespace, url.Values{"labelSelector": {"owner=helm"}})
	for _, m := range append(list, maps...) {
		id := inventory.HelmReleaseID(m.Namespace, m.Labels["name"])
		if id.Name == "" {
			continue
		}
		if at, ok := first[id]; !ok || m.Created.Before(at) {
			first[id] = m.Created
		}
		if old, ok := newest[id]; !ok || inventory.HelmVersion(m.Labels["version"]) > inventory.HelmVersion(old.Labels["version"]) {
			newest[id] = m
		}
	}
	var out []Found
	for id, m := range newest {
		r := inventory.HelmRevision{Status: status.Clean(m.Labels["status"]), Version: max(inventory.HelmVersion(m.Labels["version"]), 0)}
		if r.Status == "uninstalled" {
			continue
		}
		out = append(out, Found{
			Name: "Helm release", Short: "helm", ID: id, Members: -1, Created: first[id], Revision: strconv.Itoa(r.Version),
			Target: inventory.Target{Source: "helm/" + id.Name, Scheme: "helm", Namespace: id.Namespace, Name: id.Name},
			Own:    status.Assess(releaseObject(id, r, 1), status.World{Offline: true}, time.Now()),
		})
	}
	return out, cmp.Or(err, mapsErr)
}

// sourceName is how an inventory is named on the command line.
func sourceName(s *inventory.Source, id status.ID) string {
	switch s.Short {
	case "timoni":
		return "timoni/" + id.Name[min(len("timoni."), len(id.Name)):]
	case "kapp":
		return "kapp/" + strings.TrimSuffix(id.Name, ".apps.k14s.io")
	case "", "argo/appset":
		return id.Kind + "." + id.Group + "/" + id.Name
	case "applyset":
		if id.Kind != "Secret" {
			return "applyset/" + id.Kind + "/" + id.Name
		}
	}
	return s.Short + "/" + id.Name
}
