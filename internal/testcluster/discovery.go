package testcluster

import (
	"net/http"
	"slices"
	"strings"

	discoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

var verbs = []string{"get", "list", "watch", "create", "delete"}

// discover serves discovery: aggregated if the client accepts it, otherwise
// group by group.
func (c *Cluster) discover(w http.ResponseWriter, r *http.Request, path []string, fault Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	groups := c.groups()
	core := path[0] == "api"
	whole := len(path) == 1 && !fault.NoAggregation && strings.Contains(r.Header.Get("Accept"), aggregated)
	switch {
	case whole:
		w.Header().Set("Content-Type", aggregated)
		list := discoveryv2.APIGroupDiscoveryList{
			TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"},
		}
		for _, g := range groups {
			if (g.Name == "") == core {
				list.Items = append(list.Items, c.aggregate(g))
			}
		}
		writeJSON(w, list)
	case len(path) == 1 && core:
		writeJSON(w, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
	case len(path) == 1:
		groups = slices.DeleteFunc(groups, func(g metav1.APIGroup) bool { return g.Name == "" })
		writeJSON(w, metav1.APIGroupList{
			TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: groups,
		})
	case len(path) == 2 && !core:
		i := slices.IndexFunc(groups, func(g metav1.APIGroup) bool { return g.Name == path[1] })
		if i < 0 {
			http.NotFound(w, r)
			return
		}
		groups[i].TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		writeJSON(w, groups[i])
	default:
		group := strings.Join(path[1:len(path)-1], "")
		list := metav1.APIResourceList{
			TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
			GroupVersion: strings.Join(path[1:], "/"),
			APIResources: c.served(group, path[len(path)-1]),
		}
		if list.APIResources == nil {
			http.NotFound(w, r)
			return
		}
		writeJSON(w, list)
	}
}

// groups are the groups in the order in which their resources were added.
func (c *Cluster) groups() []metav1.APIGroup {
	var out []metav1.APIGroup
	for _, r := range c.resources {
		i := slices.IndexFunc(out, func(g metav1.APIGroup) bool { return g.Name == r.Group })
		v := metav1.GroupVersionForDiscovery{GroupVersion: r.groupVersion().String(), Version: r.Version}
		switch {
		case i < 0:
			out = append(out,
				metav1.APIGroup{Name: r.Group, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v})
		case !slices.Contains(out[i].Versions, v):
			out[i].Versions = append(out[i].Versions, v)
		}
	}
	return out
}

// served are the resources of a version, with their status subresources.
func (c *Cluster) served(group, version string) []metav1.APIResource {
	var out []metav1.APIResource
	for _, r := range c.resources {
		if r.Group != group || r.Version != version {
			continue
		}
		out = append(out, metav1.APIResource{
			Name: r.Plural, SingularName: strings.ToLower(r.Kind), Kind: r.Kind, Namespaced: !r.Cluster,
			ShortNames: r.Short, Categories: r.Categories, Verbs: verbs,
		})
		if c.reporting[r.Kind] {
			out = append(out,
				metav1.APIResource{
					Name: r.Plural + "/status", Kind: r.Kind, Namespaced: !r.Cluster,
					Verbs: []string{"get", "patch", "update"},
				})
		}
	}
	return out
}

func (c *Cluster) aggregate(g metav1.APIGroup) discoveryv2.APIGroupDiscovery {
	out := discoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: g.Name}}
	for _, v := range g.Versions {
		version := discoveryv2.APIVersionDiscovery{Version: v.Version, Freshness: discoveryv2.DiscoveryFreshnessCurrent}
		for _, r := range c.served(g.Name, v.Version) {
			kind := &metav1.GroupVersionKind{Group: g.Name, Version: v.Version, Kind: r.Kind}
			if name, sub, ok := strings.Cut(r.Name, "/"); ok {
				last := &version.Resources[len(version.Resources)-1]
				if last.Resource == name {
					last.Subresources = append(last.Subresources,
						discoveryv2.APISubresourceDiscovery{Subresource: sub, ResponseKind: kind, Verbs: r.Verbs})
				}
				continue
			}
			scope := discoveryv2.ScopeNamespace
			if !r.Namespaced {
				scope = discoveryv2.ScopeCluster
			}
			version.Resources = append(version.Resources, discoveryv2.APIResourceDiscovery{
				Resource: r.Name, ResponseKind: kind, Scope: scope, SingularResource: r.SingularName,
				ShortNames: r.ShortNames, Categories: r.Categories, Verbs: r.Verbs,
			})
		}
		out.Versions = append(out.Versions, version)
	}
	return out
}
