package resolve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Discovered is one resource of discovery.
type Discovered struct {
	kube.Resource
	Short      []string
	Verbs      []string
	Categories []string
}

// Followable returns those that are wanted and can be listed and watched.
func Followable(all []Discovered, wanted func(Discovered) bool) (out []kube.Resource) {
	for _, d := range all {
		if slices.Contains(d.Verbs, "list") && slices.Contains(d.Verbs, "watch") && wanted(d) {
			out = append(out, d.Resource)
		}
	}
	return out
}

// newDiscovery is client-go's discovery client on a client.
func newDiscovery(c *kube.Client) *discovery.DiscoveryClient {
	// its error is always nil
	d, _ := discovery.NewDiscoveryClientForConfigAndClient(&rest.Config{Host: c.Server(), QPS: -1},
		&http.Client{Transport: verified{c}})
	return d
}

// hidden wraps an error so that client-go does not retry: sources do, visibly.
type hidden struct{ err error }

func (h *hidden) Error() string { return "hidden" }

// shown unwraps a hidden error.
func shown(err error) error {
	if h, ok := errors.AsType[*hidden](err); ok {
		return h.err
	}
	return err
}

// verified refuses answers that are no discovery: client-go takes {} for a
// server without any API.
type verified struct{ c *kube.Client }

func (v verified) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := v.c.RoundTrip(r)
	if err != nil {
		return nil, &hidden{err}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err == nil {
		err = kube.CheckKind(data, discoveryKinds(r.URL.Path)...)
	}
	var list metav1.APIResourceList
	if err == nil && json.Unmarshal(data, &list) == nil && list.GroupVersion != "" &&
		!strings.HasSuffix(r.URL.Path, "/"+list.GroupVersion) {
		err = kube.Another(list.GroupVersion, r.URL.Path)
	}
	if err != nil {
		return nil, &hidden{err}
	}
	if kube.CheckKind(data, aggregatedKind) == nil {
		// client-go tells it by this header, which proxies shorten.
		resp.Header.Set("Content-Type", discovery.AcceptV2)
	}
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return resp, nil
}

var aggregatedKind = schema.GroupVersionKind{Group: "apidiscovery.k8s.io", Version: "v2", Kind: "APIGroupDiscoveryList"}

// discoveryKinds are the types of an answer to a path. Some have no version.
func discoveryKinds(path string) []schema.GroupVersionKind {
	kind := "APIResourceList"
	switch {
	case strings.HasSuffix(path, "/api"):
		kind = "APIVersions"
	case strings.HasSuffix(path, "/apis"):
		kind = "APIGroupList"
	}
	return []schema.GroupVersionKind{{Version: "v1", Kind: kind}, {Kind: kind}, aggregatedKind}
}

// served is all that a server serves. client-go's ShortcutExpander reads it in
// place of a discovery client, which has the resources of an aggregated
// discovery in random order.
type served struct {
	discovery.DiscoveryInterfaceWithContext // not used

	groups    []*metav1.APIGroup
	lists     []*metav1.APIResourceList // in the order of groups, preferred versions first
	resources []Discovered              // each in its preferred version
	mapper    meta.RESTMapperWithContext
	missing   error // an ErrIncomplete, or nil
	at        time.Time
}

// discoverAll requests all served resources; the core group first, and of each
// group the preferred version.
func discoverAll(ctx context.Context, client *discovery.DiscoveryClient, warn func(string)) (*served, error) {
	groups, lists, err := discovery.ServerGroupsAndResourcesWithContext(ctx, client)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, shown(err)
	}
	for gv, err := range failed {
		failed[gv] = errors.New(kube.ErrorText(shown(err)))
		// nothing in them can be followed, and their servers are often down
		if strings.HasSuffix("."+gv.Group, ".metrics.k8s.io") {
			delete(failed, gv)
		}
	}
	order := map[string]int{} // of group versions
	for _, g := range groups {
		for _, v := range versionsOf(*g) {
			order[schema.GroupVersion{Group: g.Name, Version: v}.String()] = len(order)
		}
	}
	slices.SortStableFunc(lists, func(a, b *metav1.APIResourceList) int {
		return order[a.GroupVersion] - order[b.GroupVersion]
	})
	s := &served{groups: groups, lists: lists, at: time.Now()}
	if len(failed) > 0 {
		s.missing = problem.New("kubectl get apiservices lists those that are not available", "%w", err)
	}
	known := map[schema.GroupResource]bool{}
	for _, l := range lists {
		for _, d := range resourcesOf(l) {
			if gr := (schema.GroupResource{Group: d.Group, Resource: d.Plural}); !known[gr] {
				known[gr] = true
				s.resources = append(s.resources, d)
			}
		}
	}
	all, err := restmapper.GetAPIGroupResourcesWithContext(ctx, s)
	s.mapper = restmapper.NewShortcutExpanderWithContext(restmapper.NewDiscoveryRESTMapperWithContext(all), s, warn)
	return s, err
}

// ServerGroupsAndResourcesWithContext implements discovery's interface.
func (s *served) ServerGroupsAndResourcesWithContext(
	context.Context,
) ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	return s.groups, s.lists, nil
}

// find understands a TYPE as kubectl does: widgets, wg, Widget, widgets.lab.io,
// widgets.v1.lab.io.
func (s *served) find(ctx context.Context, typ string) (kube.Resource, error) {
	gvr, gr := schema.ParseResourceArg(strings.ToLower(typ))
	if gvr == nil {
		gvr = new(gr.WithVersion(""))
	}
	gvk, err := s.mapper.KindForWithContext(ctx, *gvr)
	if meta.IsNoMatchError(err) {
		gvk, err = s.mapper.KindForWithContext(ctx, gr.WithVersion(""))
	}
	// A kind that is not the singular, too, and its plural: a saved cluster without the definition
	// of a kind has a guess of it.
	if meta.IsNoMatchError(err) {
		i := slices.IndexFunc(s.resources, func(d Discovered) bool {
			return slices.Contains(wordsFor(d.Kind), gr.Resource) && (gr.Group == "" || gr.Group == d.Group)
		})
		if i >= 0 {
			return s.resources[i].Resource, nil
		}
	}
	if err != nil {
		return kube.Resource{}, err
	}
	m, err := s.mapper.RESTMappingWithContext(ctx, gvk.GroupKind(), gvk.Version)
	if err != nil {
		return kube.Resource{}, err
	}
	// client-go's mapper adds a kind List to each group, which no server serves (v0.37.2,
	// restmapper.NewDiscoveryRESTMapper): "list pods" would be a missing List.
	if gvk.Kind == "List" && !slices.ContainsFunc(s.resources, func(d Discovered) bool {
		return d.Kind == gvk.Kind && d.Group == gvk.Group
	}) {
		return kube.Resource{}, &meta.NoResourceMatchError{PartialResource: *gvr}
	}
	return newResource(m.Resource, gvk.Kind, m.Scope.Name() == meta.RESTScopeNameNamespace), nil
}

// versionsOf returns the versions of a group, the preferred one first.
func versionsOf(g metav1.APIGroup) (out []string) {
	for _, v := range append([]metav1.GroupVersionForDiscovery{g.PreferredVersion}, g.Versions...) {
		if v.Version != "" && !slices.Contains(out, v.Version) {
			out = append(out, v.Version)
		}
	}
	return out
}

// resourcesOf returns the resources of a group version without subresources.
func resourcesOf(list *metav1.APIResourceList) (out []Discovered) {
	gv, _ := schema.ParseGroupVersion(list.GroupVersion)
	for _, x := range list.APIResources {
		if !strings.Contains(x.Name, "/") {
			out = append(out,
				Discovered{
					newResource(gv.WithResource(x.Name), x.Kind, x.Namespaced),
					x.ShortNames, x.Verbs, x.Categories,
				})
		}
	}
	return out
}

func newResource(gvr schema.GroupVersionResource, kind string, namespaced bool) kube.Resource {
	res := kube.Resource{
		Group: gvr.Group, Version: gvr.Version, Plural: gvr.Resource,
		Kind: kind, Namespaced: namespaced,
	}
	if convert.MetadataKind(res.Group, res.Kind) {
		res.Enc = kube.Metadata
	} else if b, ok := builtinByKind[schema.GroupKind{Group: res.Group, Kind: res.Kind}]; ok &&
		b.Version == res.Version {
		res.Enc = b.Enc
	}
	return res
}
