package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// kubectlTargets are the targets of kubectl's text, in a context whose namespace is
// shop.
func kubectlTargets(t *testing.T, text string) []inventory.Target {
	t.Helper()
	targets, err := inventory.Parse(t.Context(), inventory.Request{Files: []string{"-"}, Stdin: strings.NewReader(text), Namespace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	return targets
}

// putAt puts objects "namespace/kind/name"; a "-" behind one says that it is
// terminating.
func putAt(c *testcluster.Cluster, objects string) {
	for f := range strings.FieldsSeq(objects) {
		f, terminating := strings.CutSuffix(f, "-")
		p := strings.Split(f, "/")
		meta := map[string]any{"name": p[2]}
		if p[0] != "" {
			meta["namespace"] = p[0]
		}
		if terminating {
			meta["deletionTimestamp"], meta["finalizers"] = "2026-01-01T00:00:00Z", []any{"example.com/hold"}
		}
		version := map[string]string{"Deployment": "apps/v1"}[p[1]]
		if version == "" {
			version = "v1"
		}
		c.Put(map[string]any{"apiVersion": version, "kind": p[1], "metadata": meta})
	}
}

const (
	both    = "deployment.apps/web created\nconfigmap/settings unchanged\n"
	deleted = "deployment.apps \"web\" deleted\nconfigmap \"settings\" deleted\n"
)

func TestTheNamespaceOfKubectlsTextIsFound(t *testing.T) {
	for name, test := range map[string]struct{ text, objects, want string }{
		"all here, and elsewhere":                         {both, "shop/Deployment/web shop/ConfigMap/settings other/Deployment/web other/ConfigMap/settings", "shop shop"},
		"all in one other":                                {both, "other/Deployment/web other/ConfigMap/settings", "other other"},
		"all in one other, a namesake here":               {both, "shop/Deployment/web other/Deployment/web other/ConfigMap/settings third/ConfigMap/settings", "other other"},
		"by -o name":                                      {"deployment.apps/web\nconfigmap/settings\n", "other/Deployment/web other/ConfigMap/settings", "other other"},
		"nothing exists yet":                              {both, "", "shop shop"},
		"part of it exists yet, here":                     {both, "shop/Deployment/web", "shop shop"},
		"cluster-scoped kinds beside it":                  {"namespace/other created\n" + both, "/Namespace/other other/Deployment/web other/ConfigMap/settings", " other other"},
		"cluster-scoped kinds alone":                      {"namespace/other created\n", "/Namespace/other", ""},
		"a dry run that creates what has a namesake":      {"deployment.apps/web created (dry run)\n", "other/Deployment/web", "shop"},
		"a dry run that changes":                          {"deployment.apps/web configured (server dry run)\nconfigmap/settings created (server dry run)\n", "other/Deployment/web", "other other"},
		"server-side":                                     {"deployment.apps/web serverside-applied\n", "other/Deployment/web", "other"},
		"pruned besides":                                  {"deployment.apps/web configured\nconfigmap/settings pruned\n", "other/Deployment/web", "other"},
		"deleted, and gone":                               {deleted, "", "shop shop"},
		"deleted, and gone; namesakes live":               {deleted, "other/Deployment/web third/ConfigMap/settings", "shop shop"},
		"deleted, terminating elsewhere":                  {deleted, "other/Deployment/web- other/ConfigMap/settings-", "other other"},
		"deleted, terminating elsewhere, a namesake here": {deleted, "shop/Deployment/web other/Deployment/web-", "other other"},
		"deleted from a namespace that is said":           {"deployment.apps \"web\" deleted from other namespace\n", "shop/Deployment/web", "other"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				putAt(c, test.objects)
				f := start(t, c, Options{}, kubectlTargets(t, test.text)...)
				f.settled()
				roots := make([]feed.Root, 0, len(f.roots))
				for _, r := range f.roots {
					roots = append(roots, r)
				}
				slices.SortFunc(roots, func(a, b feed.Root) int { return a.Order - b.Order })
				var got []string
				for _, r := range roots {
					got = append(got, r.ID.Namespace)
					if moved := r.ID.Namespace == "other" && !strings.Contains(test.text, "from other"); moved != (r.Note == "found in namespace other") {
						t.Errorf("%s has the note %q", r.ID, r.Note)
					}
				}
				if got := strings.Join(got, " "); got != test.want {
					t.Errorf("followed in %q, want %q", got, test.want)
				}
			})
		})
	}
}

func TestANamespaceThatKubectlsTextLeavesOpenIsAnError(t *testing.T) {
	for name, test := range map[string]struct{ text, objects, want string }{
		"each elsewhere":    {both, "other/Deployment/web third/ConfigMap/settings", "none has all that it names (deployment.apps/web other, configmap/settings third)"},
		"one here":          {both, "shop/Deployment/web third/ConfigMap/settings", "none has all that it names"},
		"one nowhere":       {both, "other/Deployment/web", "none has all that it names (deployment.apps/web other, configmap/settings nowhere)"},
		"all in two others": {both, "other/Deployment/web other/ConfigMap/settings third/Deployment/web third/ConfigMap/settings", "several have all that it names: other, third"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				putAt(c, test.objects)
				wantsNoNamespace(t, c, test.text, test.want)
			})
		})
	}
}

// wantsNoNamespace wants an error, and -o yaml in its hint.
func wantsNoNamespace(t *testing.T, c *testcluster.Cluster, text, want string) {
	t.Helper()
	e, err := New(Options{Config: c.Config(), Namespace: "shop", Targets: kubectlTargets(t, text)})
	if err != nil {
		t.Fatal(err)
	}
	e.Start(t.Context())
	defer e.Close()
	err = e.Preflight(t.Context())
	if p, ok := err.(*problem.Error); !ok || !strings.Contains(p.Text, want) || !strings.Contains(p.Next, "-o yaml") {
		t.Errorf("Preflight: %v, want %q", err, want)
	}
	if _, nextErr := e.Next(t.Context(), 0); nextErr == nil {
		t.Error("the feed goes on")
	}
}

// forbidden is a refusal of what matches.
func forbidden(match func(testcluster.Request) bool) testcluster.Fault {
	return testcluster.Fault{Match: match, Status: 403, Message: "you cannot list deployments at the cluster scope"}
}

func TestWithoutTheRightToListAllNamespacesThoseThatMayBeSeenAreTried(t *testing.T) {
	wide := func(r testcluster.Request) bool {
		return r.Verb == "list" && r.Namespace == "" && r.Resource != "namespaces"
	}
	follows := func(objects, text, want string, refuse func(testcluster.Request) bool) {
		t.Helper()
		inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
			putAt(c, "/Namespace/shop /Namespace/other /Namespace/third "+objects)
			c.Inject(forbidden(refuse))
			f := start(t, c, Options{}, kubectlTargets(t, text)...)
			f.within(5*time.Second, "found", func() bool { return len(f.roots) > 0 })
			for _, r := range f.roots {
				if r.ID.Namespace != want {
					t.Errorf("%s is followed in %s, want %s", r.ID, r.ID.Namespace, want)
				}
			}
		})
	}
	web := "deployment.apps/web configured\n"
	follows("other/Deployment/web", web, "other", wide)
	follows("third/Deployment/web other/Deployment/web", web, "other", func(r testcluster.Request) bool {
		return wide(r) || r.Namespace == "third"
	})
	follows("shop/Deployment/web", web+"configmap/settings created (dry run)\n", "shop", wide)
	follows("shop/Deployment/web other/Deployment/web", web, "other", func(r testcluster.Request) bool {
		return wide(r) || r.Namespace == "shop"
	})
	for _, refuse := range []func(testcluster.Request) bool{
		wide,
		func(r testcluster.Request) bool { return wide(r) || r.Resource == "namespaces" },
	} {
		inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
			putAt(c, "/Namespace/shop /Namespace/other")
			c.Inject(forbidden(refuse))
			wantsNoNamespace(t, c, web, "deployment.apps/web is not found in shop, and may not be looked for elsewhere: you cannot list deployments at the cluster scope")
		})
	}
}

func TestANamespaceIsLookedForAsLongAsTheServerDoesNotAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		putAt(c, "other/Deployment/web")
		lift := c.Inject(testcluster.Fault{Match: func(r testcluster.Request) bool { return r.Resource == "deployments" }, Status: 503})
		f := start(t, c, Options{}, kubectlTargets(t, "deployment.apps/web created\n")...)
		f.rest(5 * time.Second)
		if f.synced || len(f.roots) > 0 {
			t.Errorf("nothing is known yet: synced %v, %s", f.synced, fmt.Sprint(f.roots))
		}
		lift()
		f.within(10*time.Second, "found", f.has(object.ID{Group: "apps", Kind: "Deployment", Namespace: "other", Name: "web"}))
	})
}
