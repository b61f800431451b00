package kube

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/client-go/rest"
)

// discovering is a resolver on a server with these answers, by path.
func discovering(t *testing.T, contentType string, answers map[string]string) *Resolver {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(srv.Close)
	c, err := NewClient(&rest.Config{Host: srv.URL}, Origin{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return NewResolver(c, func() {})
}

const aggregatedCore = `{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [
 {"metadata": {}, "versions": [{"version": "v1", "freshness": "Current", "resources": [
  {"resource": "pods", "responseKind": {"version": "v1", "kind": "Pod"}, "scope": "Namespaced", "singularResource": "pod", "verbs": ["get", "list", "watch"]}]}]}]}`

const aggregatedGroups = `{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [
 {"metadata": {"name": "lab.io"}, "versions": [
  {"version": "v2", "freshness": "Current", "resources": [
   {"resource": "widgets", "responseKind": {"group": "lab.io", "version": "v2", "kind": "Widget"}, "scope": "Namespaced", "singularResource": "widget", "shortNames": ["wg"], "verbs": ["get", "list", "watch"],
    "subresources": [{"subresource": "status", "responseKind": {"group": "lab.io", "version": "v2", "kind": "Widget"}, "verbs": ["get", "patch"]}]}]},
  {"version": "v1", "freshness": "Current", "resources": [
   {"resource": "widgets", "responseKind": {"group": "lab.io", "version": "v1", "kind": "Widget"}, "scope": "Namespaced", "verbs": ["get", "list", "watch"]},
   {"resource": "gadgets", "responseKind": {"group": "lab.io", "version": "v1", "kind": "Gadget"}, "scope": "Cluster", "verbs": ["get", "list", "watch"]}]}]},
 {"metadata": {"name": "metrics.k8s.io"}, "versions": [{"version": "v1beta1", "freshness": "Stale"}]}]}`

// A proxy may shorten the Content-Type by which client-go tells an aggregated
// discovery. A resource is found in the preferred version that has it, and the
// group of a server that is down hides no other one.
func TestAnAggregatedDiscoveryIsToldByItsKind(t *testing.T) {
	for _, contentType := range []string{"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", "application/json"} {
		r := discovering(t, contentType, map[string]string{"/api": aggregatedCore, "/apis": aggregatedGroups})
		all, err := r.Discover(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := []Resource{
			{Version: "v1", Plural: "pods", Kind: "Pod", Namespaced: true, Enc: Protobuf},
			{Group: "lab.io", Version: "v2", Plural: "widgets", Kind: "Widget", Namespaced: true},
			{Group: "lab.io", Version: "v1", Plural: "gadgets", Kind: "Gadget"},
		}
		if len(all) != len(want) {
			t.Fatalf("%s: got %+v", contentType, all)
		}
		for i, d := range all {
			if d.Resource != want[i] {
				t.Errorf("%s: got %+v, want %+v", contentType, d.Resource, want[i])
			}
		}
		if res, err := r.Type(t.Context(), "wg"); err != nil || res != want[1] {
			t.Errorf("%s: wg is %+v, %v", contentType, res, err)
		}
		if !r.ReportsStatus("lab.io", "Widget") || r.ReportsStatus("lab.io", "Gadget") {
			t.Errorf("%s: the status subresources are not told apart", contentType)
		}
	}
}

// What is no discovery is evidence of nothing, also where client-go would take
// it for a server without any API.
func TestWhatIsNoDiscoveryIsAnError(t *testing.T) {
	for _, answer := range []string{`{}`, `{"kind": "APIResourceList", "apiVersion": "v1", "resources": []}`, `{"kind": "Status", "apiVersion": "v1", "status": "Success"}`} {
		r := discovering(t, "application/json", map[string]string{"/api": aggregatedCore, "/apis": answer})
		if all, err := r.Discover(t.Context()); err == nil || !IsForeign(err) {
			t.Errorf("%s: got %v, %v", answer, all, err)
		}
		if _, err := r.Served(t.Context(), "lab.io", "v1", "Widget"); err == nil || !IsForeign(err) {
			t.Errorf("%s: whether Widget is served got %v", answer, err)
		}
	}
}
