package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

const listsAll = "kstatus-tui inventories -A lists those there are"

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
		if m.Unreadable != "" {
			continue
		}
		m.ID.Namespace = cmp.Or(m.ID.Namespace, l.Root.Namespace)
		if res, err := f.kind(ctx, m.ID); err == nil {
			m.ID = res.ID(m.ID.Namespace, m.ID.Name)
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

// labelled adds the objects with a label to a set.
func (f *Finder) labelled(ctx context.Context, root object.ID, l inventory.Labels, set *inventory.Set) error {
	var kinds []kube.Resource
	var missing error
	for _, gk := range l.Kinds {
		if res, err := f.kind(ctx, gk); err == nil {
			kinds = append(kinds, res)
		} else {
			set.Notes = append(set.Notes, gk.GroupKind()+": "+object.Clean(kube.ErrorText(err)))
		}
	}
	if len(l.Kinds) == 0 {
		all, err := f.Resolver.Discover(ctx)
		if all == nil {
			return err
		}
		kinds, missing = resolve.Followable(all, Everything), err
	}
	found := make([][]inventory.Member, len(kinds))
	err := kube.Each(len(kinds), func(i int) (why error) {
		res, namespaces := kinds[i], l.Namespaces
		if !res.Namespaced || len(namespaces) == 0 {
			namespaces = []string{""}
		}
		for _, ns := range namespaces {
			page, err := f.list(ctx, res, ns, url.Values{"labelSelector": {l.Selector}}, false)
			for _, o := range page.Items {
				if o.ID != root && l.Filter.Passes(o) {
					found[i] = append(found[i],
						inventory.Member{ID: o.ID, Version: res.Version, Note: inventory.MemberNote(o)})
				}
			}
			if err = f.Resolver.Missing(ctx, res, err); !errors.Is(err, resolve.ErrNotServed) {
				why = cmp.Or(why, err)
			}
		}
		return why
	})
	set.Members = slices.Concat(set.Members, slices.Concat(found...))
	if err = cmp.Or(err, missing); err != nil {
		set.Notes = append(set.Notes, "not all could be listed: "+object.Clean(kube.ErrorText(err)))
	}
	return nil
}

// resolve returns the object that a target means.
func (f *Finder) resolve(ctx context.Context, t inventory.Target) (object.ID, error) {
	if !t.ID.IsZero() {
		res, err := f.kind(ctx, t.ID)
		if err != nil {
			return t.ID, fmt.Errorf("%s: %w", t.Source, err)
		}
		return res.ID(t.ID.Namespace, t.ID.Name), nil
	}
	places, unknown := f.places(ctx, t)
	if places == nil {
		res, err := f.Resolver.Type(ctx, t.Type)
		return res.ID(cmp.Or(t.Namespace, f.Namespace), t.Name), err
	}
	found, why := f.Search(ctx, places)
	switch why = cmp.Or(why, unknown); {
	case !found.IsZero():
		return found, nil
	case why != nil:
		return found, fmt.Errorf("cannot look for %s: %w", t.Source, why)
	}
	return found, problem.New(cmp.Or(f.Elsewhere(ctx, places...), listsAll),
		"there is no %s in namespace %q", t.Source, t.Namespace)
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
			f.Resolver.Learn(k.res)
			places = append(places, want)
		}
	}
	return places, err
}

// object gets an object as [Finder.Read] does, and converted.
func (f *Finder) object(ctx context.Context, id object.ID) (*object.Object, map[string]any, error) {
	res, err := f.kind(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	body, err := f.Read(ctx, id)
	if kube.Code(err) == 404 && res.Namespaced {
		return nil, nil, problem.New(cmp.Or(f.Elsewhere(ctx, inventory.Candidate{ID: id}), listsAll),
			"there is no %s in namespace %q", id, id.Namespace)
	}
	if err != nil {
		return nil, nil, kube.GetError(id, err)
	}
	o, err := convert.Map(body, convert.Options{Kind: res.ObjectKind()})
	return o, body, err
}

// Owner finds the inventory that an object belongs to, by its labels and
// annotations, or by those of its owners.
func (f *Finder) Owner(ctx context.Context, t inventory.Target) (inventory.Target, error) {
	id, err := f.resolve(ctx, t)
	if err != nil {
		return inventory.Target{}, err
	}
	start := id
	none := problem.New("follow the object itself: "+t.Source, "%s does not say of which inventory it is", start)
	for range 6 { // levels of owners
		o, body, err := f.object(ctx, id)
		if err != nil {
			return inventory.Target{}, err
		}
		if s, _ := inventory.Decode(o, body); s != nil && id != start {
			return inventory.Target{Source: id.String(), ID: id}, nil
		}
		for _, c := range inventory.InventoriesOf(o) {
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
				if places := f.namespaces(ctx, inventory.Candidate{ID: root}); len(places) == 1 {
					root.Namespace, err = places[0], nil
				}
			}
			if err == nil {
				// Candidates tells how it was found, by a name that is not its own.
				return inventory.Target{
					Source: c.Source, ID: root, Scheme: c.Scheme, Name: c.Name,
					Namespace: c.Namespace,
				}, nil
			}
			none = problem.New("follow the object itself: "+t.Source,
				"%s says that it belongs to %s, which cannot be found", start, c.Source)
			if code := kube.Code(err); code != 0 && code != 404 {
				none = problem.New("", "%s says that it belongs to %s, which cannot be looked for: %s",
					start, c.Source, kube.ErrorText(err))
			}
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
	return inventory.Target{}, none
}
