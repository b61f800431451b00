package dump

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	discoveryv2 "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Host is the address of a saved cluster. Nothing listens there: [Saved.RoundTrip]
// answers.
const Host = "http://saved.cluster"

// listVersion is the resource version of every list.
const listVersion = "1"

// RoundTrip implements http.RoundTripper: it answers a Kubernetes client's requests
// as an API server would that serves the kinds in the dump. Whatever the dump does
// not hold is refused (403): only where it has everything of a kind, an object that
// is not there does not exist (404).
func (s *Saved) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.Method != http.MethodGet:
		return failure(r, apierrors.NewMethodNotSupported(schema.GroupResource{}, r.Method)), nil
	case r.URL.Path == "/version":
		return answer(r, "", version.Info{GitVersion: "v0.0.0-saved"}), nil
	case parts[0] == "readyz":
		return respond(r, http.StatusOK, "text/plain", []byte("ok")), nil
	case len(parts) == 1 && strings.Contains(r.Header.Get("Accept"), "apidiscovery"):
		return s.discovery(r, parts[0] == "api"), nil
	case len(parts) == 1:
		return s.groups(r, parts[0] == "api"), nil
	case parts[0] == "api" && len(parts) == 2:
		return s.resources(r, schema.GroupVersion{Version: parts[1]}), nil
	case parts[0] == "apis" && len(parts) == 3:
		return s.resources(r, schema.GroupVersion{Group: parts[1], Version: parts[2]}), nil
	}
	var group, namespace, name string
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		group, parts = parts[1], parts[3:]
	default:
		return failure(r, refused("it")), nil
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		namespace, parts = parts[1], parts[2:]
	}
	gr := schema.GroupResource{Group: group, Resource: parts[0]}
	if len(parts) > 1 {
		name = parts[1]
	}
	k := s.resource(gr)
	switch {
	case k == nil:
		return failure(r, refused(strings.TrimSuffix(gr.String()+" in "+namespace, " in "))), nil
	case name == "":
		return s.list(r, k, gr, namespace), nil
	}
	return s.get(r, k, gr, namespace, name), nil
}

// CloseIdleConnections has nothing to close. client-go calls it.
func (s *Saved) CloseIdleConnections() {}

// refused is the error for what the dump does not hold.
func refused(what string) *apierrors.StatusError {
	err := apierrors.NewForbidden(schema.GroupResource{}, "", nil)
	err.ErrStatus.Message = what + ": " + feed.NotSaved
	err.ErrStatus.Details = nil
	return err
}

// Unknown is the answer about a kind that is not in a dump.
func (s *Saved) Unknown(kind string) error { return refused(kind) }

func (s *Saved) resource(gr schema.GroupResource) *kind {
	for gk, k := range s.kinds {
		if gk.Group == gr.Group && k.res.Plural == gr.Resource {
			return k
		}
	}
	return nil
}

// list answers with what is known of a kind in a namespace.
func (s *Saved) list(r *http.Request, k *kind, gr schema.GroupResource, namespace string) *http.Response {
	q := r.URL.Query()
	matches, err := selection(q)
	if err != nil {
		return failure(r, apierrors.NewBadRequest(err.Error()))
	}
	var found []*entry
	some := namespace == "" // known of the kind in the namespace
	for _, e := range k.sorted {
		if namespace == "" || e.namespace == namespace {
			some = true
			if matches(e) {
				found = append(found, e)
			}
		}
	}
	complete := k.complete[namespace] || k.complete[""]
	if name, ok := named(q); ok && len(found) == 0 && !complete && k.in(namespace) {
		return failure(r, refused(strings.TrimSuffix(gr.String()+" "+name+" in "+namespace, " in ")))
	}
	if !some && !complete {
		return failure(r, refused(strings.TrimSuffix(gr.String()+" in "+namespace, " in ")))
	}
	start, _ := strconv.Atoi(q.Get("continue"))
	found = found[min(max(start, 0), len(found)):]
	m := metav1.ListMeta{ResourceVersion: listVersion}
	if limit, _ := strconv.Atoi(q.Get("limit")); limit > 0 && len(found) > limit {
		m.Continue, m.RemainingItemCount = strconv.Itoa(start+limit), new(int64(len(found)-limit))
		found = found[:limit]
	}
	head, err := json.Marshal(m)
	if err != nil {
		return failure(r, apierrors.NewInternalError(err))
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"kind":%q,"apiVersion":%q,"metadata":%s,"items":[`, k.res.Kind+"List", k.groupVersion(r), head)
	res := k.res
	res.Version = versionIn(r)
	for i, e := range found {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(e.append(b.AvailableBuffer(), res))
	}
	b.WriteString("]}")
	return respond(r, http.StatusOK, "application/json", b.Bytes())
}

// versionIn is the version that a request's path names. A dump has each object in one
// version, and says of it what is asked for: nearly all fields have the same names.
func versionIn(r *http.Request) string {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if parts[0] == "api" {
		return parts[1]
	}
	return parts[2]
}

func (k *kind) groupVersion(r *http.Request) string {
	return schema.GroupVersion{Group: k.res.Group, Version: versionIn(r)}.String()
}

// selection parses the selectors of a query.
func selection(q url.Values) (func(*entry) bool, error) {
	byLabel, err := labels.Parse(q.Get("labelSelector"))
	if err != nil {
		return nil, err
	}
	byField, err := fields.ParseSelector(q.Get("fieldSelector"))
	if err != nil {
		return nil, err
	}
	return func(e *entry) bool {
		if !byLabel.Matches(labels.Set(e.labels)) {
			return false
		}
		for _, f := range byField.Requirements() {
			is := e.field(f.Field) == f.Value
			if is == (f.Operator == "!=") {
				return false
			}
		}
		return true
	}, nil
}

// in reports whether there is anything of a kind in a namespace.
func (k *kind) in(namespace string) bool {
	return slices.ContainsFunc(k.sorted, func(e *entry) bool { return e.namespace == namespace })
}

// named is the name that a query selects, if it selects one.
func named(q url.Values) (string, bool) {
	s, err := fields.ParseSelector(q.Get("fieldSelector"))
	if err != nil {
		return "", false
	}
	return s.RequiresExactMatch("metadata.name")
}

// field is the value of a field that selects.
func (e *entry) field(at string) string {
	switch at {
	case "metadata.name":
		return e.name
	case "metadata.namespace":
		return e.namespace
	}
	var m map[string]any
	if json.Unmarshal(append([]byte("{"), e.body...), &m) != nil {
		return ""
	}
	switch v := object.At(m, strings.Split(at, ".")...).(type) {
	case string:
		return v
	case nil:
		return ""
	default:
		return fmt.Sprint(v)
	}
}

// get answers with one object.
func (s *Saved) get(r *http.Request, k *kind, gr schema.GroupResource, namespace, name string) *http.Response {
	e := k.objects[namespace+"/"+name]
	switch {
	case e == nil && (k.complete[namespace] || k.complete[""]):
		return failure(r, apierrors.NewNotFound(gr, name))
	case e == nil && !k.in(namespace):
		return failure(r, refused(strings.TrimSuffix(gr.String()+" in "+namespace, " in ")))
	case e == nil:
		return failure(r, refused(strings.TrimSuffix(gr.String()+" "+name+" in "+namespace, " in ")))
	case strings.Contains(r.Header.Get("Accept"), "as=Table"):
		return e.table(r)
	}
	res := k.res
	res.Version = versionIn(r)
	return respond(r, http.StatusOK, "application/json", e.append(nil, res))
}

// table is what kubectl get prints of a Secret: its type, and how many values it has.
func (e *entry) table(r *http.Request) *http.Response {
	var o struct {
		Metadata json.RawMessage `json:"metadata"`
		Type     string          `json:"type"`
		Keys     []string        `json:"keys"`
	}
	_ = json.Unmarshal(append([]byte("{"), e.body...), &o)
	row := []byte(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":`)
	row = append(append(row, o.Metadata...), '}')
	return answer(r, "", map[string]any{
		"kind": "Table", "apiVersion": "meta.k8s.io/v1",
		"columnDefinitions": []map[string]any{{"name": "Name"}, {"name": "Type"}, {"name": "Data"}},
		"rows": []map[string]any{
			{"cells": []any{e.name, o.Type, len(o.Keys)}, "object": json.RawMessage(row)},
		},
	})
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// discovery lists the kinds in the dump.
func (s *Saved) discovery(r *http.Request, core bool) *http.Response {
	list := discoveryv2.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"},
	}
	groups := map[string][]*kind{}
	var order []string
	for gk, k := range s.kinds {
		if core != (gk.Group == "") {
			continue
		}
		if groups[gk.Group] == nil {
			order = append(order, gk.Group)
		}
		groups[gk.Group] = append(groups[gk.Group], k)
	}
	slices.Sort(order)
	for _, name := range order {
		group := discoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: name}}
		kinds := groups[name]
		slices.SortFunc(kinds, func(x, y *kind) int { return strings.Compare(x.res.Plural, y.res.Plural) })
		for _, k := range kinds {
			scope := discoveryv2.ScopeCluster
			if k.res.Namespaced {
				scope = discoveryv2.ScopeNamespace
			}
			d := discoveryv2.APIResourceDiscovery{
				Resource: k.res.Plural,
				ResponseKind: &metav1.GroupVersionKind{
					Group: name, Version: k.res.Version,
					Kind: k.res.Kind,
				}, Scope: scope,
				SingularResource: strings.ToLower(k.res.Kind), ShortNames: k.short,
				Verbs:      []string{"get", "list", "watch"},
				Categories: k.inCategories(),
			}
			i := slices.IndexFunc(group.Versions,
				func(v discoveryv2.APIVersionDiscovery) bool { return v.Version == k.res.Version })
			if i < 0 {
				i = len(group.Versions)
				group.Versions = append(group.Versions,
					discoveryv2.APIVersionDiscovery{
						Version:   k.res.Version,
						Freshness: discoveryv2.DiscoveryFreshnessCurrent,
					})
			}
			group.Versions[i].Resources = append(group.Versions[i].Resources, d)
		}
		list.Items = append(list.Items, group)
	}
	return answer(r, aggregated, list)
}

// groups lists the API groups of the kinds in the dump.
func (s *Saved) groups(r *http.Request, core bool) *http.Response {
	if core {
		return answer(r, "",
			metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
	}
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for gk, k := range s.kinds {
		v := metav1.GroupVersionForDiscovery{
			GroupVersion: schema.GroupVersion{Group: gk.Group, Version: k.res.Version}.String(), Version: k.res.Version,
		}
		i := slices.IndexFunc(list.Groups, func(g metav1.APIGroup) bool { return g.Name == gk.Group })
		switch {
		case gk.Group == "":
		case i < 0:
			list.Groups = append(list.Groups,
				metav1.APIGroup{Name: gk.Group, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v})
		case !slices.Contains(list.Groups[i].Versions, v):
			list.Groups[i].Versions = append(list.Groups[i].Versions, v)
		}
	}
	return answer(r, "", list)
}

// resources lists the resources of a version in the dump.
func (s *Saved) resources(r *http.Request, gv schema.GroupVersion) *http.Response {
	list := metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv.String(),
	}
	for gk, k := range s.kinds {
		if gk.Group == gv.Group && k.res.Version == gv.Version {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: k.res.Plural, SingularName: strings.ToLower(gk.Kind),
				Kind: gk.Kind, Namespaced: k.res.Namespaced, ShortNames: k.short, Categories: k.inCategories(),
				Verbs: []string{"get", "list", "watch"},
			})
		}
	}
	if list.APIResources == nil {
		return failure(r, refused(gv.String()))
	}
	return answer(r, "", list)
}

// inAll are the built-in kinds of the category "all", which kubectl users know
// (kubernetes v1.36, pkg/registry: Categories of each REST storage).
var inAll = []schema.GroupKind{
	{Kind: "Pod"},
	{Kind: "Service"},
	{Kind: "ReplicationController"},
	{Group: "apps", Kind: "DaemonSet"},
	{Group: "apps", Kind: "Deployment"},
	{Group: "apps", Kind: "ReplicaSet"},
	{Group: "apps", Kind: "StatefulSet"},
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"},
	{Group: "batch", Kind: "CronJob"},
	{Group: "batch", Kind: "Job"},
}

// inCategories are the categories of a kind: "all", or those of its definition.
func (k *kind) inCategories() []string {
	if slices.Contains(inAll, schema.GroupKind{Group: k.res.Group, Kind: k.res.Kind}) {
		return []string{"all"}
	}
	return k.categories
}

func answer(r *http.Request, contentType string, v any) *http.Response {
	if contentType == "" {
		contentType = "application/json"
	}
	data, err := json.Marshal(v)
	if err != nil {
		return failure(r, apierrors.NewInternalError(err))
	}
	return respond(r, http.StatusOK, contentType, data)
}

func failure(r *http.Request, err *apierrors.StatusError) *http.Response {
	st := err.ErrStatus
	st.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	data, _ := json.Marshal(st)
	return respond(r, int(st.Code), "application/json", data)
}

func respond(r *http.Request, code int, contentType string, body []byte) *http.Response {
	return &http.Response{
		Status: http.StatusText(code), StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": []string{contentType}},
		Body:   io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
}
