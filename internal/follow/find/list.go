package find

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Found is an inventory that exists.
type Found struct {
	Name, Short string // of its source
	Target      inventory.Target
	ID          object.ID
	Revision    string
	Members     int // -1 if members are only known by labels
	Created     time.Time
	// Note is a remark about the inventory, such as that it is suspended.
	Note string
	// Own is the root's own status; empty if it reports none.
	Own status.Assessment

	release inventory.Release // the release whose revisions hold the members
}

// List finds the inventories of a namespace, or of the whole cluster if it is
// empty. refused names what may not be listed.
func (f *Finder) List(ctx context.Context, namespace string) (found []Found, refused []string, err error) {
	all, err := f.resolver.Discover(ctx)
	if err != nil {
		return nil, nil, err
	}
	places, refused, err := f.many(ctx)
	if err != nil {
		return nil, refused, err
	}
	places = slices.DeleteFunc(places, func(p place) bool { return !p.res.Namespaced && namespace != "" })
	for i := range inventory.Known {
		s := &inventory.Known[i]
		for _, d := range all {
			if s.Plural != "" && d.Group == s.Group && d.Kind == s.Kind && (d.Namespaced || namespace == "") {
				places = append(places, place{s, d.Resource})
			}
		}
	}
	var mu sync.Mutex
	refuse := func(res kube.Resource, err error) {
		mu.Lock()
		defer mu.Unlock()
		refused = append(refused, fmt.Sprintf("%s: %s", res, object.Clean(kube.ErrorText(err))))
	}
	_ = kube.Each(len(places)+1, func(i int) error {
		if i == len(places) {
			list, err := f.releases(ctx, namespace)
			if err != nil {
				refuse(kube.Builtin("", "Secret"), err)
			}
			mu.Lock()
			defer mu.Unlock()
			found = append(found, list...)
			return nil
		}
		p := places[i]
		list, err := f.roots(ctx, p.source, p.res, namespace)
		if err = f.resolver.Missing(ctx, p.res, err); err != nil && !errors.Is(err, kube.ErrNotServed) {
			refuse(p.res, err)
		}
		mu.Lock()
		defer mu.Unlock()
		found = append(found, list...)
		return nil
	})
	// A release managed by Flux is listed as Flux's.
	kept := map[object.ID]bool{}
	for _, x := range found {
		kept[inventory.HelmReleaseID(x.release.Namespace, x.release.Name)] = x.release.Name != ""
	}
	// An ApplySet that is found in two ways is listed once.
	seen := map[object.ID]bool{}
	found = slices.DeleteFunc(found, func(x Found) bool {
		again := seen[x.ID]
		seen[x.ID] = true
		return again || kept[x.ID]
	})
	slices.SortFunc(found, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.ID.Namespace, b.ID.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID.Name, b.ID.Name))
	})
	slices.Sort(refused)
	return found, slices.Compact(refused), ctx.Err()
}

// place is a kind that may hold roots of a source.
type place struct {
	source *inventory.Source
	res    kube.Resource
}

// many finds the kinds of roots that depend on the cluster: Crossplane's, kro's
// and those of ApplySets' parents. It takes up to two requests beside the
// discovery. refused names what may not be listed.
func (f *Finder) many(ctx context.Context) (places []place, refused []string, err error) {
	all, err := f.resolver.Discover(ctx)
	if err != nil {
		return nil, nil, err
	}
	served := func(group, kind string) (kube.Resource, bool) {
		i := slices.IndexFunc(all, func(d kube.Discovered) bool { return d.Group == group && d.Kind == kind && d.Can("list") })
		if i < 0 {
			return kube.Resource{}, false
		}
		return all[i].Resource, true
	}
	for i := range inventory.Known {
		s := &inventory.Known[i]
		add := func(res kube.Resource) {
			if p := (place{s, res}); !slices.Contains(places, p) {
				places = append(places, p)
			}
		}
		for _, d := range all {
			if d.Can("list") && slices.ContainsFunc(s.Many.Categories, func(c string) bool { return slices.Contains(d.Categories, c) }) {
				add(d.Resource)
			}
			if s.Many.Graphs && d.Group == "kro.run" && d.Kind != "ResourceGraphDefinition" && d.Kind != "GraphRevision" && d.Can("list") {
				add(d.Resource)
			}
		}
		if graphs, ok := served("kro.run", "ResourceGraphDefinition"); ok && s.Many.Graphs {
			list, err := f.graphs(ctx, graphs)
			if err != nil {
				refused = append(refused, fmt.Sprintf("%s: %s", graphs, object.Clean(kube.ErrorText(err))))
			}
			for _, gk := range list {
				if res, ok := served(gk.Group, gk.Kind); ok {
					add(res)
				}
			}
		}
		definitions, ok := served("apiextensions.k8s.io", "CustomResourceDefinition")
		if s.Many.Label == "" || !ok {
			continue
		}
		list, err := f.client.ListMetadata(ctx, definitions, "", url.Values{"labelSelector": {s.Many.Label}})
		if err != nil {
			refused = append(refused, fmt.Sprintf("%s: %s", definitions, object.Clean(kube.ErrorText(err))))
		}
		for _, m := range list {
			for _, d := range all {
				if d.Plural+"."+d.Group == m.Name && d.Can("list") {
					add(d.Resource)
				}
			}
		}
	}
	return places, refused, ctx.Err()
}

// graphs returns the kinds that kro's definitions define.
func (f *Finder) graphs(ctx context.Context, res kube.Resource) ([]schema.GroupKind, error) {
	var list struct {
		Items []struct {
			Spec struct {
				Schema struct{ Group, Kind string } `json:"schema"`
			} `json:"spec"`
		} `json:"items"`
	}
	if err := f.client.ReadJSON(ctx, res.Path(""), url.Values{"limit": {strconv.Itoa(findPage)}}, kube.AcceptJSON, &list, res.ListKind()); err != nil {
		return nil, err
	}
	var out []schema.GroupKind
	for _, item := range list.Items {
		out = append(out, schema.GroupKind{Group: cmp.Or(item.Spec.Schema.Group, "kro.run"), Kind: item.Spec.Schema.Kind})
	}
	return out, nil
}

// roots lists the roots of one source.
func (f *Finder) roots(ctx context.Context, s *inventory.Source, res kube.Resource, namespace string) ([]Found, error) {
	var out []Found
	q := url.Values{"limit": {strconv.Itoa(findPage)}}
	if s.Selector != "" {
		q.Set("labelSelector", s.Selector)
	}
	accept := kube.AcceptJSON
	if res.Enc == kube.Metadata { // the payload is only read of an inventory that is followed
		accept = kube.AcceptMetadataList
	}
	now := time.Now()
	var unread error
	for range findMost {
		var list struct {
			Metadata struct{ Continue string } `json:"metadata"`
			Items    []json.RawMessage         `json:"items"`
		}
		if err := f.client.ReadJSON(ctx, res.Path(namespace), q, accept, &list, kube.PartialMetadataList, res.ListKind()); err != nil {
			return out, err
		}
		for _, raw := range list.Items {
			o, err := kube.DecodeJSON(raw, res, convert.Options{})
			if err != nil {
				unread = fmt.Errorf("one cannot be read: %w", err)
				continue
			}
			s := s
			if as := inventory.Recognise(o); s.Kind != "" && as != s {
				continue
			} else if as != nil {
				s = as // a kro instance that another tool manages
			}
			found := Found{
				Name: s.Name, Short: s.Short, ID: o.ID, Members: -1, Created: o.Created,
				Target: inventory.Target{Source: s.Argument(o.ID), ID: o.ID, Version: o.Version, Scheme: s.Short},
			}
			var body map[string]any
			if res.Enc != kube.Metadata && json.Unmarshal(raw, &body) == nil {
				root := inventory.Object{ID: o.ID, Body: body}
				set, ok := s.Read(root)
				if !ok || s.Past != nil && s.Past(root) {
					continue
				}
				found.Revision, found.release = set.Revision, set.Release
				found.Note = strings.Join(set.Notes, "; ")
				if set.Cluster != "" {
					found.Note = strings.TrimPrefix(found.Note+"; its members are in "+set.Cluster, "; ")
				}
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
			return out, unread
		}
		q.Set("continue", list.Metadata.Continue)
	}
	return out, fmt.Errorf("there are more than %d", findMost*findPage)
}

// releases lists Helm's releases by the metadata of their storage objects.
func (f *Finder) releases(ctx context.Context, namespace string) ([]Found, error) {
	newest := map[object.ID]metav1.PartialObjectMetadata{}
	first := map[object.ID]time.Time{}
	list, err := f.client.ListMetadata(ctx, kube.Builtin("", "Secret"), namespace, url.Values{"labelSelector": {"owner=helm"}})
	maps, mapsErr := f.client.ListMetadata(ctx, kube.Builtin("", "ConfigMap"), namespace, url.Values{"labelSelector": {"owner=helm"}})
	for _, m := range append(list, maps...) {
		id := inventory.HelmReleaseID(m.Namespace, m.Labels["name"])
		if id.Name == "" {
			continue
		}
		if at, ok := first[id]; !ok || m.CreationTimestamp.Time.Before(at) {
			first[id] = m.CreationTimestamp.Time
		}
		if old, ok := newest[id]; !ok || inventory.HelmVersion(m.Labels["version"]) > inventory.HelmVersion(old.Labels["version"]) {
			newest[id] = m
		}
	}
	var out []Found
	for id, m := range newest {
		r := inventory.HelmRevision{Status: object.Clean(m.Labels["status"]), Version: max(inventory.HelmVersion(m.Labels["version"]), 0)}
		if r.Status == "uninstalled" {
			continue
		}
		out = append(out, Found{
			Name: "Helm release", Short: "helm", ID: id, Members: -1, Created: first[id], Revision: strconv.Itoa(r.Version),
			Target: inventory.Target{Source: "helm/" + id.Name, Scheme: "helm", Namespace: id.Namespace, Name: id.Name},
			Own:    status.Assess(ReleaseObject(id, r, 1), status.World{Offline: true}, time.Now()),
		})
	}
	return out, cmp.Or(err, mapsErr)
}
