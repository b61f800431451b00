package kube

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
)

// served is all that a server serves. client-go's ShortcutExpander reads it in
// place of a discovery client, which has the resources of an aggregated
// discovery in random order.
type served struct {
	discovery.DiscoveryInterfaceWithContext // not used

	groups    []*metav1.APIGroup
	lists     []*metav1.APIResourceList // in the order of groups, preferred versions first
	resources []Discovered              // each in its preferred version
	mapper    meta.RESTMapperWithContext
}

func newServed(ctx context.Context, groups []*metav1.APIGroup, lists []*metav1.APIResourceList, warn func(string)) (*served, error) {
	s := &served{groups: groups}
	byVersion := map[string]*metav1.APIResourceList{}
	for _, l := range lists {
		byVersion[l.GroupVersion] = l
	}
	known := map[schema.GroupResource]bool{}
	for _, g := range groups {
		for _, v := range versionsOf(*g) {
			gv := schema.GroupVersion{Group: g.Name, Version: v}
			l := byVersion[gv.String()]
			if l == nil {
				continue
			}
			s.lists = append(s.lists, l)
			for _, d := range resourcesOf(gv, l.APIResources) {
				if gr := (schema.GroupResource{Group: d.Group, Resource: d.Plural}); !known[gr] {
					known[gr] = true
					s.resources = append(s.resources, d)
				}
			}
		}
	}
	all, err := restmapper.GetAPIGroupResourcesWithContext(ctx, s)
	s.mapper = restmapper.NewShortcutExpanderWithContext(restmapper.NewDiscoveryRESTMapperWithContext(all), s, warn)
	return s, err
}

// ServerGroupsAndResourcesWithContext implements discovery's interface.
func (s *served) ServerGroupsAndResourcesWithContext(context.Context) ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	return s.groups, s.lists, nil
}

// find understands a TYPE as kubectl does: widgets, wg, Widget, widgets.lab.io,
// widgets.v1.lab.io.
func (s *served) find(ctx context.Context, typ string) (Resource, error) {
	gvr, gr := schema.ParseResourceArg(strings.ToLower(typ))
	if gvr == nil {
		gvr = new(gr.WithVersion(""))
	}
	gvk, err := s.mapper.KindForWithContext(ctx, *gvr)
	if meta.IsNoMatchError(err) {
		gvk, err = s.mapper.KindForWithContext(ctx, gr.WithVersion(""))
	}
	if meta.IsNoMatchError(err) { // a kind that is not the singular, too
		i := slices.IndexFunc(s.resources, func(d Discovered) bool {
			return strings.ToLower(d.Kind) == gr.Resource && (gr.Group == "" || gr.Group == d.Group)
		})
		if i >= 0 {
			return s.resources[i].Resource, nil
		}
	}
	if err != nil {
		return Resource{}, err
	}
	m, err := s.mapper.RESTMappingWithContext(ctx, gvk.GroupKind(), gvk.Version)
	if err != nil {
		return Resource{}, err
	}
	return newResource(m.Resource, gvk.Kind, m.Scope.Name() == meta.RESTScopeNameNamespace), nil
}
