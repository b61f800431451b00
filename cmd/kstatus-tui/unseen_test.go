package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
	"github.com/kstatus-tui/kstatus-tui/internal/wait"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

// What may not be listed is neither an empty list nor absent: no goal is reached
// over a selection of it.
func TestASelectionThatMayNotBeSeenIsNotAnEmptyOne(t *testing.T) {
	service := inventory.Target{Source: "svc --all", Type: "svc", Namespace: "shop", All: true}
	maps := inventory.Target{Source: "cm --all", Type: "cm", Namespace: "shop", All: true}
	everything := inventory.Target{Source: "--all", Namespace: "shop", All: true}
	const refusal = "list configmaps in shop"
	for _, test := range []struct {
		what    wait.Kind
		targets []inventory.Target
		delete  bool
		code    int
		verdict status.Status
	}{
		{wait.Current, []inventory.Target{service, maps}, false, exitPending, status.Unknown},
		{wait.Exists, []inventory.Target{service, maps}, false, exitPending, status.Unknown},
		{wait.Deleted, []inventory.Target{service, maps}, true, exitPending, status.Unknown},
		{wait.Deleted, []inventory.Target{maps}, false, exitPending, status.Unknown},
		{wait.Current, []inventory.Target{everything}, false, exitOK, status.Current}, // nobody has named ConfigMaps
	} {
		synctest.Test(t, func(t *testing.T) {
			c := testcluster.New()
			defer c.Close()
			c.Inject(testcluster.Fault{Status: 403, Message: `configmaps is forbidden: User "dev" cannot list resource "configmaps" in API group "" in the namespace "shop"`, Match: func(r testcluster.Request) bool {
				return r.Resource == "configmaps"
			}})
			c.Put(map[string]any{
				"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "web", "namespace": "shop"},
				"spec": map[string]any{"type": "ExternalName", "externalName": "example.com"},
			})
			if test.delete {
				time.AfterFunc(2*time.Second, func() { c.Delete("Service", "shop", "web") })
			}
			g := newWaiter(test.what)
			g.Deadline = time.Now().Add(10 * time.Second)
			var end *report.End
			o := watch.Options{Targets: test.targets, Namespace: "shop"}
			opt := modelOptions(o)
			opt.Screen = true
			m := followUntil(t, c, o, opt, func(m *model.Model) (bool, time.Time) {
				o, wake := look(g, seenOf(m))
				end = o
				return o != nil, wake
			})
			name := strings.Join(opt.Sources, " ") + " --for " + string(test.what)
			if end == nil || end.Code != test.code || (test.code != exitOK) != strings.Contains(end.Why, refusal) {
				t.Errorf("%s: %+v", name, end)
			}
			if v := m.Facts.Verdict(); v.Status != test.verdict || v.Gone || v.Lost {
				t.Errorf("%s: the verdict is %+v", name, v)
			}
			if got, want := views.WindowTitle(views.Of(m)), map[bool]string{true: "DONE ", false: "NOT DONE "}[test.code == exitOK]; !strings.HasPrefix(got, want) {
				t.Errorf("%s: it is %q", name, got)
			}
			if !slices.ContainsFunc(m.Tree.Rows(0, m.Tree.RowCount()), func(r rows.Row) bool { return strings.Contains(r.Name, refusal) }) {
				t.Errorf("%s: no row says what may not be seen", name)
			}
			var plain strings.Builder
			if err := report.NewPlain(&plain, time.UTC, false).Show(m.Facts); err != nil || strings.Count(plain.String(), refusal) != 1 {
				t.Errorf("%s: in lines, %v:\n%s", name, err, plain.String())
			}
		})
	}
}

// Where an API group cannot be discovered, what is asked for may be in it: no goal
// is reached over all that is known. The metrics APIs hold nothing to wait for.
func TestAllIsNeverReachedWhileAGroupCannotBeDiscovered(t *testing.T) {
	for _, test := range []struct {
		what    wait.Kind
		group   string
		delete  bool
		code    int
		verdict status.Status
	}{
		{wait.Current, "example.com", false, exitPending, status.Unknown},
		{wait.Exists, "example.com", false, exitPending, status.Unknown},
		{wait.Deleted, "example.com", true, exitPending, status.Unknown},
		{wait.Current, "metrics.k8s.io", false, exitOK, status.Current},
	} {
		for _, aggregated := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				c := testcluster.New()
				defer c.Close()
				c.Serve(testcluster.Resource{Group: test.group, Version: "v1", Plural: "widgets", Kind: "Widget", Short: []string{"wd"}})
				if aggregated {
					c.Inject(testcluster.Fault{Garble: [][2]string{{`["wd"]}],"freshness":"Current"`, `["wd"]}],"freshness":"Stale"  `}}})
				} else {
					c.Inject(testcluster.Fault{NoAggregation: true})
					c.Inject(testcluster.Fault{Status: 503, Match: func(r testcluster.Request) bool { return r.Path == "/apis/"+test.group+"/v1" }})
				}
				c.Put(map[string]any{
					"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "web", "namespace": "shop"},
					"spec": map[string]any{"type": "ExternalName", "externalName": "example.com"},
				})
				if test.delete {
					time.AfterFunc(2*time.Second, func() { c.Delete("Service", "shop", "web") })
				}
				targets := []inventory.Target{{Source: "--all", Namespace: "shop", All: true}}
				g := newWaiter(test.what)
				g.Deadline = time.Now().Add(10 * time.Second)
				var end *report.End
				o := watch.Options{Targets: targets, Namespace: "shop"}
				opt := modelOptions(o)
				opt.Screen = true
				m := followUntil(t, c, o, opt, func(m *model.Model) (bool, time.Time) {
					o, wake := look(g, seenOf(m))
					end = o
					return o != nil, wake
				})
				if end == nil || end.Code != test.code {
					t.Fatalf("%+v: %+v", test, end)
				}
				if v := m.Facts.Verdict(); v.Status != test.verdict || v.Gone || v.Lost {
					t.Errorf("%+v: the verdict is %+v", test, v)
				}
				var warned strings.Builder
				_ = somethingFound(m, &warned)
				if said := test.group + "/v1: "; test.code != exitOK && !(strings.Contains(end.Why, said) && strings.Contains(warned.String(), said)) {
					t.Errorf("%+v: it says %q, and %q", test, end.Why, warned.String())
				}
			})
		}
	}
}

// Who reads the document of inventories learns what is missing from it.
func TestTheDocumentOfInventoriesNamesKindsThatCouldNotBeListed(t *testing.T) {
	for _, test := range []struct {
		refused []string
		code    int
		listed  bool
	}{{nil, exitOK, true}, {[]string{"secrets"}, exitOK, true}, {[]string{"secrets", "configmaps"}, exitError, false}} {
		c := testcluster.New()
		defer c.Close()
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"inv","namespace":"default","labels":{"cli-utils.sigs.k8s.io/inventory-id":"i"}}}`)
		c.Inject(testcluster.Fault{Status: 403, Match: func(r testcluster.Request) bool { return slices.Contains(test.refused, r.Resource) }})
		url, err := c.Listen()
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("HOME", t.TempDir())
		var out, stderr bytes.Buffer
		code := run([]string{"kstatus-tui", "inventories", "-o", "json", "--server", url}, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &stderr})
		var document struct {
			Inventories []struct{ Name string }
			Unseen      []string
		}
		if err := json.Unmarshal(out.Bytes(), &document); err != nil || code != test.code || (len(document.Inventories) > 0) != test.listed {
			t.Errorf("%v: exit code %d, %v: %s", test.refused, code, err, out.String())
		}
		for _, resource := range test.refused {
			if !slices.ContainsFunc(document.Unseen, func(s string) bool { return strings.HasPrefix(s, resource+": ") }) {
				t.Errorf("%v: %s is not among what is not seen: %q", test.refused, resource, document.Unseen)
			}
		}
		for _, text := range document.Unseen {
			if !strings.Contains(stderr.String(), text) {
				t.Errorf("%v: %q is not what is said: %s", test.refused, text, stderr.String())
			}
		}
		if strings.Contains(out.String(), `"unseen"`) != (len(test.refused) > 0) {
			t.Errorf("%v: %s", test.refused, out.String())
		}
	}
}
