package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/explaintest"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// What an explanation needs and what it rests on do not take turns: on a cluster where
// nothing changes, nothing is asked for any more once a first look has ended. The clusters
// are every fifth case of internal/explain.
func TestNothingIsAskedForAtRest(t *testing.T) {
	cases, err := explaintest.Cases(filepath.Join("..", "..", "internal", "explain", "testdata", "cases"))
	if err != nil {
		t.Fatal(err)
	}
	followed := 0
	for i, c := range cases {
		if i%5 > 0 {
			continue
		}
		if requests, ok := requestsAtRest(t, c); !ok {
			t.Logf("%s, %s: is not played", c.File, c.Name)
		} else if followed++; len(requests) > 0 {
			t.Errorf("%s, %s: %d requests at rest:\n%s", c.File, c.Name, len(requests), strings.Join(requests[:min(len(requests), 30)], "\n"))
		}
	}
	t.Logf("%d cases of %d", followed, len(cases))
}

// requestsAtRest serves a case and follows its roots, or all of its namespace. It returns
// what is asked for in the twenty seconds after the first look; false if that does not end.
func requestsAtRest(t *testing.T, c explaintest.Case) (requests []string, ok bool) {
	request := inventory.Request{Namespace: "a", All: true}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(explaintest.Now)) // from the year 2000
		server := testcluster.New()
		defer server.Close()
		served := map[schema.GroupVersionKind]bool{}
		for _, r := range testcluster.Builtin {
			served[schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}] = true
		}
		plurals := map[string]bool{"events": true}
		for _, r := range testcluster.Builtin {
			plurals[r.Plural] = true
		}
		for _, o := range c.Objects {
			delete(o, "judged") // the case's own
			gvk := schema.FromAPIVersionAndKind(fmt.Sprint(o["apiVersion"]), fmt.Sprint(o["kind"]))
			metadata, _ := o["metadata"].(map[string]any)
			if !served[gvk] {
				served[gvk] = true
				plural, _ := meta.UnsafeGuessKindToResource(gvk)
				name := plural.Resource
				if r := resolve.Builtin(gvk.Group, gvk.Kind); r.Plural != "" {
					name = r.Plural
				}
				plurals[name] = true
				server.Serve(testcluster.Resource{Group: gvk.Group, Version: gvk.Version, Plural: name, Kind: gvk.Kind, Cluster: metadata["namespace"] == nil})
			}
			if refused := put(server, o); refused != nil {
				t.Logf("%s, %s: the server does not take it: %v", c.File, c.Name, refused)
				return
			}
		}
		targets, err := inventory.Parse(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		engine, err := watch.New(watch.Options{Config: server.Config(), Targets: targets, Namespace: "a"})
		if err != nil {
			t.Fatal(err)
		}
		engine.Start(t.Context())
		defer engine.Close()
		opt := model.Options{Now: time.Now(), Sources: inventory.Sources(targets), Namespace: "a"}
		began, rested, before := time.Now(), time.Time{}, 0
		_, err = headless{feed: engine, now: time.Now}.run(t.Context(), opt, func(m *model.Model) (bool, time.Time) {
			if rested.IsZero() && m.Intake.Quiesced() {
				rested, before = time.Now(), len(server.Requests())
			}
			end := rested.Add(20 * time.Second)
			if rested.IsZero() {
				end = began.Add(time.Minute)
			}
			return !time.Now().Before(end), end
		})
		if err != nil {
			t.Fatal(err)
		}
		if ok = !rested.IsZero(); ok {
			for _, r := range server.Requests()[before:] {
				if plurals[r.Resource] { // whether a kind is served by now is asked now and then
					requests = append(requests, fmt.Sprintf("%s %s?%s", r.Verb, r.Path, r.Query))
				}
			}
		}
	})
	slices.Sort(requests)
	return requests, ok
}

// put is false where an API server would not take such an object.
func put(server *testcluster.Cluster, o map[string]any) (refused any) {
	defer func() { refused = recover() }()
	server.Put(o)
	return nil
}
