package find

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// serveSome serves kinds, each "plural.group/version Kind", with "c" for those of
// the cluster's scope and "@category".
func serveSome(c *testcluster.Cluster, kinds ...string) {
	for _, k := range kinds {
		f := strings.Fields(k)
		name, version, _ := strings.Cut(f[0], "/")
		plural, group, _ := strings.Cut(name, ".")
		r := testcluster.Resource{Group: group, Version: version, Plural: plural, Kind: f[1]}
		for _, more := range f[2:] {
			if category, ok := strings.CutPrefix(more, "@"); ok {
				r.Categories = append(r.Categories, category)
			}
			r.Cluster = r.Cluster || more == "c"
		}
		c.Serve(r)
	}
}

// withFinder looks for inventories in a cluster.
func withFinder(t *testing.T, c *testcluster.Cluster) *Finder {
	t.Helper()
	client, err := kube.NewClient(c.Config(), kube.Origin{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return &Finder{client, resolve.New(client, func() {}), "shop"}
}

// everyKindOfRoot fills a cluster with roots of kinds that only it knows, and of
// those that stand in no other test.
func everyKindOfRoot(c *testcluster.Cluster) {
	serveSome(c,
		"customresourcedefinitions.apiextensions.k8s.io/v1 CustomResourceDefinition c",
		"stores.example.org/v1 Store @claim", "xstores.example.org/v1 XStore c @composite", "buckets.example.org/v1 Bucket c @managed",
		"providers.pkg.crossplane.io/v1 Provider c", "locks.pkg.crossplane.io/v1 Lock c",
		"resourcegraphdefinitions.kro.run/v1alpha1 ResourceGraphDefinition c", "webshops.kro.run/v1alpha1 WebShop", "caches.platform.example.org/v1 Cache",
		"bundles.apps.example.org/v1 Bundle",
		"installplans.operators.coreos.com/v1alpha1 InstallPlan", "clusterserviceversions.operators.coreos.com/v1alpha1 ClusterServiceVersion",
		"clusterobjectsets.olm.operatorframework.io/v1 ClusterObjectSet c",
	)
	obj := func(apiVersion, kind, meta, rest string) {
		c.Put(fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{%s},%s}`, apiVersion, kind, meta, rest))
	}
	obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", `"name":"bundles.apps.example.org","labels":{"applyset.kubernetes.io/is-parent-type":"true"}`, `"spec":{}`)
	obj("example.org/v1", "Store", `"name":"db","namespace":"shop"`, `"spec":{"resourceRef":{"apiVersion":"example.org/v1","kind":"XStore","name":"db-abc"}}`)
	obj("example.org/v1", "XStore", `"name":"db-abc","labels":{"crossplane.io/composite":"db-abc"}`, `"spec":{"claimRef":{"apiVersion":"example.org/v1","kind":"Store","namespace":"shop","name":"db"},"resourceRefs":[{"apiVersion":"example.org/v1","kind":"Bucket","name":"b"},{"apiVersion":"example.org/v1","kind":"Bucket","name":"c"}]},"status":{"conditions":[{"type":"Synced","status":"True"},{"type":"Ready","status":"True"}]}`)
	obj("example.org/v1", "Bucket", `"name":"b","labels":{"crossplane.io/composite":"db-abc"}`, `"spec":{}`)
	obj("pkg.crossplane.io/v1", "Provider", `"name":"aws"`, `"spec":{"package":"xpkg.example.org/aws:v1.2.0"},"status":{"currentRevision":"aws-1"}`)
	obj("pkg.crossplane.io/v1", "Lock", `"name":"lock"`, `"spec":{}`)
	obj("kro.run/v1alpha1", "ResourceGraphDefinition", `"name":"cache"`, `"spec":{"schema":{"group":"platform.example.org","kind":"Cache"}}`)
	parent := func(name, id, tool string) string {
		return fmt.Sprintf(`"name":%q,"namespace":"shop","labels":{"applyset.kubernetes.io/id":%q},"annotations":{"applyset.kubernetes.io/tooling":%q,"applyset.kubernetes.io/contains-group-kinds":"ConfigMap"}`, name, id, tool)
	}
	obj("kro.run/v1alpha1", "WebShop", parent("web", "applyset-w-v1", "kro/v0.9.3"), `"spec":{}`)
	obj("platform.example.org/v1", "Cache", parent("cache", "applyset-c-v1", "kro/v0.9.3"), `"spec":{}`)
	obj("apps.example.org/v1", "Bundle", parent("bundle", "applyset-b-v1", "kubectl/v1.36"), `"spec":{}`)
	obj("apps.example.org/v1", "Bundle", `"name":"plain","namespace":"shop"`, `"spec":{}`)
	obj("operators.coreos.com/v1alpha1", "InstallPlan", `"name":"install-1","namespace":"shop"`, `"status":{"phase":"Complete","plan":[{"resource":{"group":"apps","version":"v1","kind":"Deployment","name":"op"}}]}`)
	obj("operators.coreos.com/v1alpha1", "ClusterServiceVersion", `"name":"op.v1","namespace":"shop"`, `"status":{"requirementStatus":[]}`)
	obj("olm.operatorframework.io/v1", "ClusterObjectSet", `"name":"op-1"`, `"spec":{"lifecycleState":"Archived","phases":[]}`)
	obj("olm.operatorframework.io/v1", "ClusterObjectSet", `"name":"op-2"`, `"spec":{"lifecycleState":"Active","phases":[{"objects":[{"object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"shop"}}}]}]}`)
	c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"shop","name":"set","labels":{"applyset.kubernetes.io/id":"applyset-s-v1"}}}`)
}

func TestAListHoldsRootsOfKindsThatOnlyTheClusterKnows(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		everyKindOfRoot(c)
		f := withFinder(t, c)
		defer f.Client.Close()
		before := len(c.Requests())
		found, refused, err := f.List(t.Context(), "")
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		var got []string
		for _, x := range found {
			got = append(got, fmt.Sprintf("%s: %s, %d, %s", x.Name, x.Target.Source, x.Members, x.Revision))
		}
		slices.Sort(got)
		want := []string{
			"ApplySet: applyset/bundle.apps.example.org/bundle, -1, ",
			"ApplySet: applyset/set, -1, ",
			"Crossplane Provider: Provider.pkg.crossplane.io/aws, 1, v1.2.0",
			"Crossplane composite: Store.example.org/db, 1, ",
			"Crossplane composite: XStore.example.org/db-abc, 2, ",
			"OLM ClusterObjectSet: ClusterObjectSet.olm.operatorframework.io/op-2, 1, ",
			"OLM ClusterServiceVersion: ClusterServiceVersion.operators.coreos.com/op.v1, 0, ",
			"OLM InstallPlan: InstallPlan.operators.coreos.com/install-1, 1, ",
			"kro instance: kro/cache.platform.example.org/cache, -1, ",
			"kro instance: kro/webshop.kro.run/web, -1, ",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		// A list for each kind that is served, however many roots there are; for
		// ConfigMaps and Secrets one for each of their labels.
		lists := map[string]int{}
		for _, r := range c.Requests()[before:] {
			if r.Resource != "" {
				lists[r.Verb+" "+r.Resource]++
			}
		}
		for what, n := range lists {
			most := map[string]int{"list configmaps": 4, "list secrets": 3}[what]
			if n > max(most, 1) || strings.HasPrefix(what, "get ") || strings.Contains(what, "buckets") || strings.Contains(what, "locks") {
				t.Errorf("%d times %s", n, what)
			}
		}

		// In one namespace, cluster-scoped ones are left out.
		found, _, err = f.List(t.Context(), "shop")
		for _, x := range found {
			if x.ID.Namespace != "shop" {
				t.Errorf("%s is not in the namespace", x.ID)
			}
		}
		if err != nil || len(found) != 7 {
			t.Errorf("%d inventories in the namespace, %v", len(found), err)
		}
	})
}

func TestAKindThatMayNotBeListedIsReportedBesideTheOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		everyKindOfRoot(c)
		denied := []string{"customresourcedefinitions", "resourcegraphdefinitions", "xstores"}
		c.Inject(testcluster.Fault{Status: http.StatusForbidden, Message: "not for you", Match: func(r testcluster.Request) bool { return slices.Contains(denied, r.Resource) }})
		f := withFinder(t, c)
		defer f.Client.Close()
		found, refused, err := f.List(t.Context(), "")
		// A kro kind of kro's own group is found all the same.
		if err != nil || len(found) != 7 {
			t.Errorf("%d inventories, %v", len(found), err)
		}
		if len(refused) != len(denied) {
			t.Errorf("refused: %q", refused)
		}
	})
}

// Of an API group whose server is down nothing is found; the rest is, and that it is
// not all is said. Nothing is reported as absent.
func TestAGroupThatCannotBeDiscoveredIsReportedBesideTheOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		everyKindOfRoot(c)
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"a","labels":{"app.kubernetes.io/managed-by":"Helm"},"annotations":{"meta.helm.sh/release-name":"web","meta.helm.sh/release-namespace":"shop"}}}`)
		c.Inject(testcluster.Fault{NoAggregation: true})
		c.Inject(testcluster.Fault{Status: http.StatusServiceUnavailable, Message: "no server", Match: func(r testcluster.Request) bool { return r.Path == "/apis/example.org/v1" }})
		const said = "example.org/v1: no server (503)"
		f := withFinder(t, c)
		defer f.Client.Close()
		found, refused, err := f.List(t.Context(), "")
		if err != nil || len(found) != 8 || len(refused) != 1 || !strings.Contains(refused[0], said) {
			t.Errorf("%d inventories, refused %q, %v", len(found), refused, err)
		}
		if types := f.Types(t.Context()); !slices.ContainsFunc(types, func(r kube.Resource) bool { return r.Kind == "Bundle" }) {
			t.Errorf("types %v", types)
		}
		_, err = f.Owner(t.Context(), inventory.Target{Source: "crossplane/db", Scheme: "crossplane-composite", Namespace: "shop", Name: "db"})
		if err == nil || !strings.Contains(err.Error(), "cannot look for") || !strings.Contains(err.Error(), said) {
			t.Errorf("a composite that may be there: %v", err)
		}
		c.Inject(testcluster.Fault{Status: http.StatusForbidden, Match: func(r testcluster.Request) bool { return r.Resource == "secrets" && strings.Contains(r.Query, "owner") }})
		l, err := f.Members(t.Context(), inventory.Target{Source: "helm/web", Scheme: "helm", Namespace: "shop", Name: "web"})
		if notes := strings.Join(l.Set.Notes, "; "); err != nil || len(l.Set.Members) != 1 || !strings.Contains(notes, said) {
			t.Errorf("members %v, notes %q, %v", l.Set.Members, notes, err)
		}
	})
}

// A root that its decoder refuses is listed beside the others, with the reason.
func TestAnInventoryThatCannotBeDecodedIsListedWithTheReason(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		serveSome(c, "kustomizations.kustomize.toolkit.fluxcd.io/v1 Kustomization")
		for _, name := range []string{"apps", "odd"} {
			c.Put(`{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"` + name + `","namespace":"shop"},"status":{"n":"` + name + `-12345"}}`)
		}
		c.Inject(testcluster.Fault{Garble: [][2]string{{`"odd-12345"`, `1e999999999`}}})
		f := withFinder(t, c)
		defer f.Client.Close()
		found, refused, err := f.List(t.Context(), "shop")
		if err != nil || len(refused) > 0 || len(found) != 2 || found[0].ID.Name != "apps" || found[1].ID.Name != "odd" || found[1].Own.Reason != "Malformed" {
			t.Errorf("found %v, refused %q, %v", found, refused, err)
		}
	})
}

func TestTheOwnerIsFoundAmongKindsThatOnlyTheClusterKnows(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		everyKindOfRoot(c)
		c.Put(partOf("a", "applyset-b-v1"))
		c.Put(partOf("k", "applyset-c-v1"))
		f := withFinder(t, c)
		defer f.Client.Close()
		for _, test := range []struct{ typ, name, want string }{
			{"configmaps", "a", "Bundle/bundle"},
			{"configmaps", "k", "Cache/cache"},
			{"buckets.example.org", "b", "XStore/db-abc"},
			{"xstores.example.org", "db-abc", "Store/db"},
		} {
			got, err := f.Owner(t.Context(), inventory.Target{Source: test.typ + "/" + test.name, Type: test.typ, Namespace: "shop", Name: test.name})
			if err != nil || got.ID.String() != test.want {
				t.Errorf("the owner of %s/%s is %s, %v", test.typ, test.name, got.ID, err)
			}
		}
	})
}

// What stands where a name is looked for first cannot be passed over for a moment's
// error; what may not be read is.
func TestALikelierPlaceIsNotPassedOver(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		serveSome(c, "resourcegroups.kpt.dev/v1alpha1 ResourceGroup")
		c.Put(`{"apiVersion":"kpt.dev/v1alpha1","kind":"ResourceGroup","metadata":{"name":"inv","namespace":"shop"}}`)
		f := withFinder(t, c)
		defer f.Client.Close()
		target := inventory.Target{Scheme: "inventory", Namespace: "shop", Name: "inv"}
		for code, want := range map[int]string{403: "ResourceGroup/inv", 500: "/"} {
			lift := c.Inject(testcluster.Fault{Status: code, Match: func(r testcluster.Request) bool { return r.Resource == "configmaps" }})
			if found, why := f.Search(t.Context(), target.Candidates()); found.String() != want || (why == nil) != (code == 403) {
				t.Errorf("%d: found %s, %v", code, found, why)
			}
			lift()
		}
	})
}

// inBubble runs a test against an in-memory API server under a fake clock.
func inBubble(t *testing.T, f func(t *testing.T, c *testcluster.Cluster)) {
	synctest.Test(t, func(t *testing.T) {
		c := testcluster.New()
		defer c.Close()
		f(t, c)
	})
}

// partOf is a ConfigMap that belongs to an ApplySet.
func partOf(name, set string) string {
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"` + name + `","labels":{"applyset.kubernetes.io/part-of":"` + set + `"}}}`
}

// A kind that was defined a moment ago is not yet served: "storage is
// (re)initializing", with a time to wait for (apiextensions-apiserver,
// pkg/apiserver/customresource_handler.go).
func TestAListWaitsForAKindThatIsBeingDefined(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		everyKindOfRoot(c)
		f := withFinder(t, c)
		defer f.Client.Close()
		tries := 0
		c.Inject(testcluster.Fault{
			Status: http.StatusTooManyRequests, Message: "storage is (re)initializing", RetryAfter: 1,
			Match: func(r testcluster.Request) bool {
				if r.Resource == "bundles" {
					tries++
				}
				return r.Resource == "bundles" && tries <= 2
			},
		})
		found, refused, err := f.List(t.Context(), "shop")
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		if !slices.ContainsFunc(found, func(x Found) bool { return x.ID.Kind == "Bundle" }) || tries != 3 {
			t.Errorf("%d tries, found %v", tries, found)
		}
	})
}
