package resolve

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
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
	c, err := kube.NewClient(&rest.Config{Host: srv.URL}, kube.Origin{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return New(c, func() {})
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
func TestAnAggregatedDiscoveryIsRecognisedByItsKind(t *testing.T) {
	for _, contentType := range []string{"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", "application/json"} {
		r := discovering(t, contentType, map[string]string{"/api": aggregatedCore, "/apis": aggregatedGroups})
		all, err := r.Discover(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := []kube.Resource{
			{Version: "v1", Plural: "pods", Kind: "Pod", Namespaced: true, Enc: kube.Protobuf},
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

// A TYPE that is not known may be of a group that could not be discovered, as its
// server is down.
func TestAnIncompleteDiscoveryNamesTheMissingGroups(t *testing.T) {
	groups := strings.Replace(aggregatedGroups, "metrics.k8s.io", "down.io", 1)
	r := discovering(t, "application/json", map[string]string{"/api": aggregatedCore, "/apis": groups})
	all, err := r.Discover(t.Context())
	if len(all) != 3 || !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), "down.io/v1beta1") {
		t.Errorf("got %+v, %v", all, err)
	}
	if res, err := r.Type(t.Context(), "wg"); err != nil || res.Kind != "Widget" {
		t.Errorf("wg is %+v, %v", res, err)
	}
	if kinds, err := r.Followable(func(Discovered) bool { return true }); len(kinds) != 3 || !errors.Is(err, ErrIncomplete) {
		t.Errorf("got %+v, %v", kinds, err)
	}
	_, err = r.Type(t.Context(), "widgts")
	if !errors.Is(err, ErrIncomplete) || errors.Is(err, ErrUnknownType) || !strings.Contains(err.Error(), `"widgts" is known; did you mean widgets.lab.io?`) {
		t.Errorf("got %v", err)
	}
}

// What is no discovery is evidence of nothing, also where client-go would take
// it for a server without any API.
func TestAForeignAnswerToADiscoveryIsAnError(t *testing.T) {
	for _, answer := range []string{`{}`, `{"kind": "APIResourceList", "apiVersion": "v1", "resources": []}`, `{"kind": "Status", "apiVersion": "v1", "status": "Success"}`} {
		r := discovering(t, "application/json", map[string]string{"/api": aggregatedCore, "/apis": answer})
		if all, err := r.Discover(t.Context()); err == nil || !kube.IsForeign(err) {
			t.Errorf("%s: got %v, %v", answer, all, err)
		}
		if _, err := r.Served(t.Context(), "lab.io", "v1", "Widget"); err == nil || !kube.IsForeign(err) {
			t.Errorf("%s: whether Widget is served got %v", answer, err)
		}
	}
}

// The resources of another group say nothing of what this one serves.
func TestResourcesOfAnotherGroupAreAForeignAnswer(t *testing.T) {
	r := discovering(t, "application/json", map[string]string{
		"/api":            `{"kind": "APIVersions", "versions": ["v1"]}`,
		"/apis":           `{"kind": "APIGroupList", "apiVersion": "v1", "groups": [{"name": "lab.io", "versions": [{"groupVersion": "lab.io/v1", "version": "v1"}]}]}`,
		"/apis/lab.io/v1": `{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "apps/v1", "resources": []}`,
	})
	if _, err := r.Served(t.Context(), "lab.io", "v1", "Widget"); !kube.IsForeign(err) {
		t.Errorf("whether Widget is served got %v", err)
	}
}

const manyGroups = `{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [
 {"metadata": {"name": "first.io"}, "versions": [
  {"version": "v2", "freshness": "Current", "resources": [
   {"resource": "crates", "responseKind": {"group": "first.io", "version": "v2", "kind": "Crate"}, "scope": "Namespaced", "singularResource": "crate", "shortNames": ["cr", "boxes"], "verbs": ["list"]}]},
  {"version": "v1", "freshness": "Current", "resources": [
   {"resource": "crates", "responseKind": {"group": "first.io", "version": "v1", "kind": "Crate"}, "scope": "Namespaced", "singularResource": "crate", "shortNames": ["cr"], "verbs": ["list"]},
   {"resource": "lids", "responseKind": {"group": "first.io", "version": "v1", "kind": "Lid"}, "scope": "Cluster", "singularResource": "cover", "verbs": ["list"]}]}]},
 {"metadata": {"name": "second.io"}, "versions": [{"version": "v1", "freshness": "Current", "resources": [
   {"resource": "boxes", "responseKind": {"group": "second.io", "version": "v1", "kind": "Box"}, "scope": "Namespaced", "singularResource": "box", "verbs": ["list"]},
   {"resource": "credits", "responseKind": {"group": "second.io", "version": "v1", "kind": "Credit"}, "scope": "Namespaced", "singularResource": "credit", "shortNames": ["cr"], "verbs": ["list"]},
   {"resource": "lids", "responseKind": {"group": "second.io", "version": "v1", "kind": "Lid"}, "scope": "Namespaced", "singularResource": "lid", "verbs": ["list"]}]}]}]}`

// A name of several groups is that of the first, a name before a short name,
// and a version is another than the preferred one where it is named. A plural that the
// kind might have is understood, too: a saved cluster may have guessed another one.
func TestATypeIsUnderstoodAsKubectlDoes(t *testing.T) {
	for range 10 { // the order is the server's, and not a map's
		r := discovering(t, "application/json", map[string]string{"/api": aggregatedCore, "/apis": manyGroups})
		var warnings []string
		r.client.Warn = func(text string) { warnings = append(warnings, text) }
		for typ, want := range map[string]string{
			"crates": "first.io/v2 Crate", "crate": "first.io/v2 Crate", "Crate": "first.io/v2 Crate", "CRATES": "first.io/v2 Crate",
			"crates.first.io": "first.io/v2 Crate", "crates.v1.first.io": "first.io/v1 Crate", "cr.v1.first.io": "first.io/v2 Crate",
			"crates.first": "first.io/v2 Crate", "crates.v3.first.io": "", "crates.second.io": "",
			"cr": "first.io/v2 Crate", "CR": "first.io/v2 Crate", "cr.second.io": "second.io/v1 Credit", "boxes": "second.io/v1 Box", "boxs.second.io": "second.io/v1 Box", "lides": "first.io/v1 Lid",
			"lids": "first.io/v1 Lid", "lid": "second.io/v1 Lid", "cover": "first.io/v1 Lid", "Lid.first.io": "first.io/v1 Lid", "pods": "/v1 Pod",
		} {
			res, err := r.Type(t.Context(), typ)
			got := res.Group + "/" + res.Version + " " + res.Kind
			if err != nil {
				got = ""
				if !errors.Is(err, ErrUnknownType) {
					t.Errorf("%s: %v", typ, err)
				}
			}
			if got != want {
				t.Errorf("%s: %q, want %q", typ, got, want)
			}
		}
		if !slices.Contains(warnings, `short name "cr" could also match lower priority resource credits.second.io`) {
			t.Errorf("warnings: %q", warnings)
		}
	}
}

// A TinkerbellMachine owns what tinkerbell.org serves: those kinds are looked at, too, unless they
// are as many as a cloud's. They never take the place of the project's own.
func TestRelativesAreOfTheProjectAndOfTheProductOfTheOwnersKind(t *testing.T) {
	kind := func(group, kind string) string {
		return fmt.Sprintf(`{"resource": %q, "scope": "Namespaced", "verbs": ["get", "list", "watch"],
 "responseKind": {"group": %q, "version": "v1", "kind": %q}}`, strings.ToLower(kind)+"s", group, kind)
	}
	group := func(name string, kinds ...string) string {
		var list []string
		for _, k := range kinds {
			list = append(list, kind(name, k))
		}
		return fmt.Sprintf(`{"metadata": {"name": %q}, "versions": [{"version": "v1", "freshness": "Current", "resources": [%s]}]}`,
			name, strings.Join(list, ","))
	}
	var many []string
	for i := range familyMost {
		many = append(many, fmt.Sprintf("Kind%d", i))
	}
	groups := `{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [` + strings.Join([]string{
		group("infrastructure.cluster.x-k8s.io", many...), group("cluster.x-k8s.io", "Cluster"),
		group("tinkerbell.org", "Workflow"), group("bmc.tinkerbell.org", many[:providedMost]...),
		group("compute.azure.com", many...), group("lab.io", "Widget"),
	}, ",") + `]}`
	r := discovering(t, "application/json", map[string]string{"/api": aggregatedCore, "/apis": groups})
	if _, err := r.Discover(t.Context()); err != nil {
		t.Fatal(err)
	}
	for owner, want := range map[string]string{"TinkerbellMachine": "Workflow", "AzureMachine": "", "AWSMachine": ""} {
		got := r.Relatives(edges.Need{
			Group: "infrastructure.cluster.x-k8s.io", Namespace: "a", Search: true, OwnerKind: owner,
		})
		own, rest := got[:familyMost], got[familyMost:]
		if own[0].Kind != "Kind0" || own[0].Namespace != "a" || !own[0].Search {
			t.Errorf("below a %s: the first kind is %+v", owner, own[0])
		}
		if want == "" && len(rest) > 0 || want != "" && (len(rest) != 1 || rest[0].Kind != want) {
			t.Errorf("below a %s: beside its project's kinds %+v, want %q", owner, rest, want)
		}
	}
}
