package kube

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
)

// Discovered is one resource of discovery.
type Discovered struct {
	Resource
	Short      []string
	Verbs      []string
	Categories []string
	reports    bool // it has a status subresource
}

// Can reports whether the resource has a verb.
func (d Discovered) Can(verb string) bool { return slices.Contains(d.Verbs, verb) }

// discovery is client-go's discovery client on this client. Without aggregated
// discovery it asks for groups and single group versions in small answers.
func (c *Client) discovery(aggregated bool) (*discovery.DiscoveryClient, error) {
	config := rest.ClientContentConfig{Negotiator: runtime.NewClientNegotiator(codecs.WithoutConversion(), schema.GroupVersion{Version: "v1"})}
	client, err := rest.NewRESTClient(c.base, "", config, nil, &http.Client{Transport: verified{c}})
	if err != nil {
		return nil, err
	}
	d := discovery.NewDiscoveryClient(client)
	d.UseLegacyDiscovery = !aggregated
	return d, nil
}

// verified refuses answers that are no discovery: client-go takes {} for a
// server without any API.
type verified struct{ c *Client }

func (v verified) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := v.c.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err == nil {
		err = CheckKind(data, discoveryKinds(v.c.path(r))...)
	}
	if err != nil {
		return nil, &hidden{err}
	}
	if CheckKind(data, aggregatedKind) == nil {
		// client-go tells it by this header, which proxies shorten.
		resp.Header.Set("Content-Type", discovery.AcceptV2)
	}
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return resp, nil
}

var aggregatedKind = schema.GroupVersionKind{Group: "apidiscovery.k8s.io", Version: "v2", Kind: "APIGroupDiscoveryList"}

func discoveryKinds(path string) []schema.GroupVersionKind {
	switch path {
	case "/api":
		return []schema.GroupVersionKind{{Version: "v1", Kind: "APIVersions"}, {Kind: "APIVersions"}, aggregatedKind}
	case "/apis":
		return []schema.GroupVersionKind{{Version: "v1", Kind: "APIGroupList"}, aggregatedKind}
	}
	return []schema.GroupVersionKind{{Version: "v1", Kind: "APIResourceList"}, {Kind: "APIResourceList"}}
}

// discover requests all served resources; the core group first, and of each
// group the preferred version. A group whose aggregated server is down is left
// out.
func (c *Client) discover(ctx context.Context) (*served, error) {
	client, err := c.discovery(true)
	if err != nil {
		return nil, err
	}
	groups, lists, err := discovery.ServerGroupsAndResourcesWithContext(ctx, client)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, shown(err)
	}
	for _, err := range failed {
		if err = shown(err); IsForeign(err) || errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	return newServed(ctx, groups, lists, c.Warn)
}

// discoverVersion requests the resources of one group version.
func (c *Client) discoverVersion(ctx context.Context, gv schema.GroupVersion) ([]Discovered, error) {
	client, err := c.discovery(false)
	if err != nil {
		return nil, err
	}
	list, err := client.ServerResourcesForGroupVersionWithContext(ctx, gv.String())
	if err != nil {
		return nil, shown(err)
	}
	return resourcesOf(gv, list.APIResources), nil
}

// discoverGroup requests the served versions of a group, the preferred one
// first; none if the group is not served.
func (c *Client) discoverGroup(ctx context.Context, group string) ([]string, error) {
	client, err := c.discovery(false)
	if err != nil {
		return nil, err
	}
	groups, err := client.ServerGroupsWithContext(ctx)
	if err != nil {
		return nil, shown(err)
	}
	for _, g := range groups.Groups {
		if g.Name == group {
			return versionsOf(g), nil
		}
	}
	return nil, nil
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
func resourcesOf(gv schema.GroupVersion, list []metav1.APIResource) (out []Discovered) {
	for _, x := range list {
		if strings.Contains(x.Name, "/") {
			continue
		}
		reports := slices.ContainsFunc(list, func(sub metav1.APIResource) bool { return sub.Name == x.Name+"/status" })
		out = append(out, Discovered{newResource(gv.WithResource(x.Name), x.Kind, x.Namespaced), x.ShortNames, x.Verbs, x.Categories, reports})
	}
	return out
}

func newResource(gvr schema.GroupVersionResource, kind string, namespaced bool) Resource {
	res := Resource{Group: gvr.Group, Version: gvr.Version, Plural: gvr.Resource, Kind: kind, Namespaced: namespaced}
	if convert.MetadataKind(res.Group, res.Kind) {
		res.Enc = Metadata
	} else if b, ok := builtinByKind[schema.GroupKind{Group: res.Group, Kind: res.Kind}]; ok && b.Version == res.Version {
		res.Enc = b.Enc
	}
	return res
}
