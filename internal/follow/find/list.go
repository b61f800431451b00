package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// Found is an inventory that exists.
type Found struct {
	Name     string // of its source
	Target   inventory.Target
	ID       object.ID
	Revision string
	Members  int // -1 if members are only known by labels
	Created  time.Time
	// Note is a remark about the inventory, such as that it is suspended.
	Note string
	// Own is the root's own status; empty if it reports none.
	Own status.Assessment

	release inventory.Release // the release whose revisions hold the members
}

// List finds the inventories of a namespace, or of the whole cluster if it is
// empty. refused names what may not be listed.
func (f *Finder) List(ctx context.Context, namespace string) (found []Found, refused []string, err error) {
	kinds, refused, err := f.kinds(ctx)
	if err != nil && refused == nil {
		return nil, nil, err
	}
	kinds = slices.DeleteFunc(kinds, func(k rootKind) bool { return !k.res.Namespaced && namespace != "" })
	kinds = append(kinds, rootKind{res: resolve.Builtin("", "Secret")}) // Helm's
	lists, errs := make([][]Found, len(kinds)), make([]error, len(kinds))
	_ = kube.Each(len(kinds), func(i int) error {
		lists[i], errs[i] = f.roots(ctx, kinds[i], namespace)
		return nil
	})
	// A release managed by Flux is listed as Flux's; an ApplySet found in two ways, once.
	seen := map[object.ID]bool{}
	for i, list := range lists {
		if err := f.Resolver.Missing(ctx, kinds[i].res, errs[i]); err != nil && !errors.Is(err, resolve.ErrNotServed) {
			refused = append(refused, refusal(kinds[i].res, err))
		}
		for _, x := range list {
			if !seen[x.ID] {
				found = append(found, x)
			}
			seen[x.ID] = true
			if x.release.Name != "" {
				seen[inventory.HelmReleaseID(x.release.Namespace, x.release.Name)] = true
			}
		}
	}
	slices.SortFunc(found, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.ID.Namespace, b.ID.Namespace),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID.Name, b.ID.Name))
	})
	slices.Sort(refused)
	return found, slices.Compact(refused), ctx.Err()
}

func refusal(res kube.Resource, err error) string {
	return fmt.Sprintf("%s: %s", res, object.Clean(kube.ErrorText(err)))
}

// rootKind is a kind that may hold roots of a source.
type rootKind struct {
	source *inventory.Source // nil for Helm's releases, which have none
	res    kube.Resource
}

// kinds are the served kinds that may hold roots, by up to two requests beside the
// discovery. refused names what may not be listed, or (with an error) be discovered.
func (f *Finder) kinds(ctx context.Context) (kinds []rootKind, refused []string, err error) {
	all, err := f.Resolver.Discover(ctx)
	if all == nil {
		return nil, nil, err
	}
	if err != nil {
		refused = []string{object.Clean(kube.ErrorText(err))}
	}
	for i := range inventory.Known {
		s := &inventory.Known[i]
		defined := map[string]bool{}
		for _, d := range all {
			if d.Group == s.Many.Definitions.Group && d.Kind == s.Many.Definitions.Kind {
				if err := f.defined(ctx, d.Resource, s.Many.Label, defined); err != nil {
					refused = append(refused, refusal(d.Resource, err))
				}
			}
		}
		for _, d := range all {
			holds := d.Group == s.Group && d.Kind == s.Kind || defined[d.Plural+"."+d.Group] ||
				defined[d.Kind+"."+d.Group] ||
				d.Group != "" && d.Group == s.Many.Group && d.Kind != s.Many.Definitions.Kind ||
				slices.ContainsFunc(s.Many.Categories, func(c string) bool { return slices.Contains(d.Categories, c) })
			if holds && slices.Contains(d.Verbs, "list") {
				kinds = append(kinds, rootKind{s, d.Resource})
			}
		}
	}
	return kinds, refused, cmp.Or(ctx.Err(), err)
}

// defined adds the kinds that are defined by CustomResourceDefinitions with a
// label, PLURAL.GROUP, or by kro's ResourceGraphDefinitions, KIND.GROUP.
func (f *Finder) defined(ctx context.Context, res kube.Resource, label string, names map[string]bool) error {
	page, err := f.list(ctx, res, "", url.Values{"labelSelector": {label}}, label == "")
	for _, o := range page.Items {
		if label != "" {
			names[o.Name] = true
		} else {
			names[o.Str("spec", "schema", "kind")+"."+cmp.Or(o.Str("spec", "schema", "group"), "kro.run")] = true
		}
	}
	return err
}

// roots lists the roots of one source.
func (f *Finder) roots(ctx context.Context, k rootKind, namespace string) (out []Found, err error) {
	if k.source == nil {
		return f.releases(ctx, namespace)
	}
	whole := k.res.Enc != kube.Metadata // a payload is only read of an inventory that is followed
	page, err := f.list(ctx, k.res, namespace, url.Values{"labelSelector": {k.source.Selector}}, whole)
	for _, o := range page.Items {
		s := inventory.Recognise(o)
		if k.source.Kind != "" && s != k.source {
			continue
		}
		s = cmp.Or(s, k.source) // a kro instance may be managed by another tool
		found := Found{
			Name: s.Name, ID: o.ID, Members: -1, Created: o.Created,
			Target: inventory.Target{Source: s.Argument(o.ID), ID: o.ID, Version: o.Version, Scheme: s.Short},
		}
		if whole {
			set, ok := s.Read(o)
			if !ok || s.Past != nil && s.Past(o) {
				continue
			}
			found.Revision, found.release = set.Revision, set.Release
			found.Note = strings.Join(set.Notes, "; ")
			if len(set.Labels) == 0 && !set.Unlisted {
				found.Members = len(set.Members)
			}
			found.Own = status.Assess(o, status.World{Offline: true}, time.Now())
			if set.Pending != "" && found.Own.Status == status.Current {
				found.Own.Status, found.Own.Message = status.InProgress, set.Pending
			}
		}
		out = append(out, found)
	}
	return out, err
}

// releases lists Helm's releases by the metadata of their storage objects.
func (f *Finder) releases(ctx context.Context, namespace string) (out []Found, err error) {
	stored, err := f.storage(ctx, namespace, "owner=helm")
	revisions := map[object.ID][]*object.Object{}
	for _, o := range stored {
		if name, _ := o.Label("name"); name != "" {
			id := inventory.HelmReleaseID(o.Namespace, name)
			revisions[id] = append(revisions[id], o)
		}
	}
	for id, stored := range revisions {
		newest, version := StoredRevision(stored, 0)
		if newest == nil {
			continue
		}
		r := inventory.HelmRevision{Version: version}
		if r.Status, _ = newest.Label("status"); r.Status == "uninstalled" {
			continue
		}
		oldest := slices.MinFunc(stored, func(a, b *object.Object) int { return a.Created.Compare(b.Created) })
		out = append(out, Found{
			Name: "Helm release", ID: id, Members: -1, Created: oldest.Created, Revision: strconv.Itoa(version),
			Target: inventory.Target{Source: "helm/" + id.Name, Scheme: "helm", Namespace: id.Namespace, Name: id.Name},
			Own: status.Assess(ReleaseObject(id, r, newest.ResourceVersion),
				status.World{Offline: true}, time.Now()),
		})
	}
	return out, err
}
