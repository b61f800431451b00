package watch

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

var (
	helmReleases = testcluster.Resource{Group: "helm.toolkit.fluxcd.io", Version: "v2", Plural: "helmreleases", Kind: "HelmRelease", Short: []string{"hr"}}
	gitRepos     = testcluster.Resource{Group: "source.toolkit.fluxcd.io", Version: "v1", Plural: "gitrepositories", Kind: "GitRepository"}
	applications = testcluster.Resource{Group: "argoproj.io", Version: "v1alpha1", Plural: "applications", Kind: "Application", Short: []string{"app"}}
	databases    = testcluster.Resource{Group: "example.org", Version: "v1", Plural: "databases", Kind: "Database"}
)

// labelledMap is a ConfigMap with a label.
func labelledMap(name, label string) string {
	key, value, _ := strings.Cut(label, "=")
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"` + name + `","labels":{"` + key + `":"` + value + `"}}}`
}

func applySetParent(kinds string) string {
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"set","labels":{"applyset.kubernetes.io/id":"applyset-x-v1"},
		"annotations":{"applyset.kubernetes.io/contains-group-kinds":"` + kinds + `"}}}`
}

func TestInventoriesThatHaveGoneTakeNoRoom(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		f := start(t, c, Options{}, inventory.Target{Type: "configmaps", Source: "configmaps"})
		f.settled()
		for i := range 100 {
			c.Put(strings.ReplaceAll(applySetParent("ConfigMap"), `"set"`, fmt.Sprintf(`"set-%d"`, i)))
		}
		f.within(5*time.Second, "all are followed", func() bool { return len(f.e.order) == 101 })
		for i := range 100 {
			c.Delete("ConfigMap", "shop", fmt.Sprintf("set-%d", i))
		}
		f.rest(5 * time.Second)
		if n := len(f.e.groups); n != 1 || len(f.e.order) != n {
			t.Errorf("%d groups, in order %v", n, f.e.order)
		}
	})
}

func TestAnApplySetFollowsItsLabelAndTheKindsThatItNames(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		const part = "applyset.kubernetes.io/part-of=applyset-x-v1"
		c.Put(applySetParent("ConfigMap"))
		f := start(t, c, Options{}, commandLine(t, "applyset/configmaps/set")...)
		f.settled()
		f.wantTree("ConfigMap/set pending: its inventory is empty")
		c.Put(labelledMap("a", part))
		c.Put(labelledMap("other", "applyset.kubernetes.io/part-of=another"))
		f.rest(100 * time.Millisecond)
		f.wantTree("ConfigMap/set", "ConfigMap/set > ConfigMap/a")

		// Another kind comes, and one that is not served: of that there may be members.
		c.Put(applySetParent("ConfigMap,Deployment.apps,Thing.example.org"))
		c.Put(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"shop","name":"web","labels":{"applyset.kubernetes.io/part-of":"applyset-x-v1"}}}`)
		f.rest(200 * time.Millisecond)
		const pending = "ConfigMap/set pending: the cluster does not know its kind example.org/Thing"
		f.wantTree("ConfigMap/set > ConfigMap/a", "ConfigMap/set > Deployment/web", pending)
		c.Delete("ConfigMap", "shop", "a")
		f.rest(100 * time.Millisecond)
		f.wantTree("ConfigMap/set > Deployment/web", pending)
	})
}

// What a selection of the user's finds has its place below the inventory whose label it
// bears, whichever selection delivers it first, as long as it bears it.
func TestAnObjectOfTwoSelectionsIsAMemberOfItsInventory(t *testing.T) {
	const part = "applyset.kubernetes.io/part-of=applyset-x-v1"
	for _, late := range []bool{false, true} {
		inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
			c.Put(applySetParent("ConfigMap"))
			if !late {
				c.Put(labelledMap("a", part))
			}
			f := start(t, c, Options{}, inventory.Target{Type: "configmaps", Source: "configmaps"})
			f.settled()
			f.rest(time.Second)
			if late {
				c.Put(labelledMap("a", part))
				f.rest(time.Second)
			}
			f.wantTree("ConfigMap/set", "ConfigMap/set > ConfigMap/a")
			c.Put(labelledMap("a", "applyset.kubernetes.io/part-of=another"))
			f.rest(time.Second)
			f.wantTree("ConfigMap/set", "ConfigMap/a")
			c.Put(labelledMap("a", part))
			f.rest(time.Second)
			f.wantTree("ConfigMap/set", "ConfigMap/set > ConfigMap/a")
		})
	}
}

func TestAHelmReleaseWithForbiddenSecretsIsFollowedByLabelsWithANote(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Inject(testcluster.Fault{Status: http.StatusForbidden, Match: func(r testcluster.Request) bool { return r.Resource == "secrets" }})
		owned := func(name, release string) string {
			return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"` + name + `","labels":{"app.kubernetes.io/managed-by":"Helm"},
				"annotations":{"meta.helm.sh/release-name":"` + release + `","meta.helm.sh/release-namespace":"shop"}}}`
		}
		c.Put(owned("a", "web"))
		c.Put(owned("b", "other"))
		f := start(t, c, Options{}, commandLine(t, "helm/web")...)
		f.settled()
		f.rest(time.Second)
		f.wantTree(
			"Release/web (Current FollowedByLabels) [followed by labels: Secrets may not be read here]",
			"Release/web > ConfigMap/a",
		)
	})
}

func TestAHelmReleaseThatNeitherSecretsNorLabelsTellOfIsUnknown(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Inject(testcluster.Fault{Status: http.StatusForbidden, Match: func(r testcluster.Request) bool { return r.Resource == "secrets" }})
		f := start(t, c, Options{}, commandLine(t, "helm/web")...)
		f.settled()
		f.rest(time.Second)
		f.wantTree("Release/web (Unknown Forbidden) [followed by labels: Secrets may not be read here]")
	})
}

func TestAHelmReleaseIsFoundInConfigMapsToo(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		s := helmSecret(t, "web", 1, "deployed", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
		s["kind"] = "ConfigMap"
		delete(s, "type")
		s["data"] = map[string]any{"release": untwice(t, s["data"].(map[string]any)["release"].(string))}
		c.Put(s)
		c.Put(configMap("a"))
		f := start(t, c, Options{}, commandLine(t, "helm/web")...)
		f.settled()
		f.rest(time.Second)
		f.wantTree("Release/web [revision 1]", "Release/web > ConfigMap/a")
	})
}

func TestNestedInventoriesExpandAndThoseThatHoldEachOtherDoNotGoRound(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(kustomizations)
		c.Serve(helmReleases)
		c.Put(ks("outer", "r1", "shop_inner_kustomize.toolkit.fluxcd.io_Kustomization", "shop_outer_kustomize.toolkit.fluxcd.io_Kustomization"))
		c.Put(ks("inner", "r2", "shop_web_helm.toolkit.fluxcd.io_HelmRelease", "shop_outer_kustomize.toolkit.fluxcd.io_Kustomization", "shop_a__ConfigMap"))
		// A HelmRelease without an inventory of its own: the release's storage counts.
		c.Put(`{"apiVersion":"helm.toolkit.fluxcd.io/v2","kind":"HelmRelease","metadata":{"namespace":"shop","name":"web","generation":1},
			"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"x"}]}}`)
		c.Put(helmSecret(t, "web", 1, "deployed", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"))
		c.Put(configMap("a"))
		c.Put(configMap("b"))
		f := start(t, c, Options{}, commandLine(t, "ks/outer")...)
		f.settled()
		f.rest(time.Second)
		f.wantTree(
			"Kustomization/outer [r1; it holds Kustomization/outer, which it stands under]",
			"Kustomization/outer > Kustomization/inner [r2; it holds Kustomization/outer, which it stands under]",
			"Kustomization/inner > HelmRelease/web [revision 1]",
			"Kustomization/inner > ConfigMap/a [also in HelmRelease/web]",
			"HelmRelease/web > ConfigMap/b",
		)
	})
}

func TestExpandNoneFollowsNoMembers(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(kustomizations)
		c.Put(ks("outer", "r1", "shop_inner_kustomize.toolkit.fluxcd.io_Kustomization"))
		c.Put(ks("inner", "r2", "shop_a__ConfigMap"))
		f := start(t, c, Options{Expand: "none"}, commandLine(t, "ks/outer")...)
		f.settled()
		f.rest(time.Second)
		f.wantTree("Kustomization/outer")
		f = start(t, c, Options{Expand: "none"}, commandLine(t, "flux/ks/outer")...)
		f.settled()
		f.rest(time.Second)
		f.wantTree("Kustomization/outer [r1]", "Kustomization/outer > Kustomization/inner")
	})
}

func TestMembersInAnotherClusterAreNeverLookedUpHere(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(applications)
		c.Put(configMap("cfg")) // another object than the one of that name in prod
		c.Put(`{"apiVersion":"argoproj.io/v1alpha1","kind":"Application","metadata":{"namespace":"shop","name":"web"},
			"spec":{"destination":{"name":"prod","namespace":"shop"}},"status":{"health":{"status":"Healthy"},"resources":[
			{"version":"v1","kind":"ConfigMap","namespace":"shop","name":"cfg","health":{"status":"Degraded"}}]}}`)
		f := start(t, c, Options{}, commandLine(t, "argo/web")...)
		f.settled()
		f.rest(time.Second)
		f.wantTree("Application/web [its members are in prod]", "Application/web > ConfigMap/cfg (Failed OtherCluster) [in another cluster]")
		for _, r := range c.Requests() {
			if r.Resource == "configmaps" {
				t.Errorf("asked for %s %s", r.Path, r.Query)
			}
		}
	})
}

func TestASetIsComparedWithItsSourcesRevision(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(kustomizations)
		c.Serve(gitRepos)
		repo := func(revision string) string {
			return `{"apiVersion":"source.toolkit.fluxcd.io/v1","kind":"GitRepository","metadata":{"namespace":"shop","name":"repo"},"status":{"artifact":{"revision":"` + revision + `"}}}`
		}
		set := ks("apps", "main@sha1:1111111111111111", "shop_a__ConfigMap")
		set["spec"] = map[string]any{"sourceRef": map[string]any{"kind": "GitRepository", "name": "repo"}}
		c.Put(configMap("a"))
		c.Put(set)
		c.Put(repo("main@sha1:1111111111111111"))
		f := start(t, c, Options{}, commandLine(t, "flux/ks/apps")...)
		f.settled()
		f.rest(time.Second)
		f.wantTree("Kustomization/apps [main@sha1:1111111]", "Kustomization/apps > ConfigMap/a")
		c.Put(repo("main@sha1:2222222222222222"))
		f.rest(100 * time.Millisecond)
		f.wantTree("Kustomization/apps pending: its source is at main@sha1:2222222, it is at main@sha1:1111111 [main@sha1:1111111]", "Kustomization/apps > ConfigMap/a")
		set["spec"].(map[string]any)["suspend"] = true
		c.Put(set) // with something left to do
		f.rest(100 * time.Millisecond)
		f.wantTree("Kustomization/apps pending: its source is at main@sha1:2222222, it is at main@sha1:1111111 [main@sha1:1111111; suspended]", "Kustomization/apps > ConfigMap/a")
	})
}

// A repository is usually the source of several Kustomizations.
func TestEverySetOfASourceIsComparedWithIt(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(kustomizations)
		c.Serve(gitRepos)
		c.Put(configMap("a"))
		for _, name := range []string{"one", "two", "three"} {
			set := ks(name, "r1", "shop_a__ConfigMap")
			set["spec"] = map[string]any{"sourceRef": map[string]any{"kind": "GitRepository", "name": "repo"}}
			c.Put(set)
		}
		c.Put(`{"apiVersion":"source.toolkit.fluxcd.io/v1","kind":"GitRepository","metadata":{"namespace":"shop","name":"repo"},"status":{"artifact":{"revision":"r2"}}}`)
		f := start(t, c, Options{}, commandLine(t, "flux/ks/one", "flux/ks/two", "flux/ks/three")...)
		f.settled()
		f.drain()
		for _, r := range f.roots {
			if r.ID.Kind == "Kustomization" && r.Pending != "its source is at r2, it is at r1" {
				t.Errorf("%s: pending %q", r.ID, r.Pending)
			}
		}
	})
}

// A set that comes to be followed during a wait must not look done before its
// source has been heard of; where there is nothing to be heard, that is known.
func TestANestedInventoryIsNotDoneBeforeItsSourceHasAnswered(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(kustomizations)
		c.Serve(gitRepos)
		c.Put(configMap("a"))
		inner := func(name, repo string) {
			set := ks(name, "r1", "shop_a__ConfigMap")
			set["spec"] = map[string]any{"sourceRef": map[string]any{"kind": "GitRepository", "name": repo}}
			c.Put(set)
		}
		inner("inner", "repo")
		inner("lost", "none")
		c.Put(`{"apiVersion":"source.toolkit.fluxcd.io/v1","kind":"GitRepository","metadata":{"namespace":"shop","name":"repo"},"status":{"artifact":{"revision":"r2"}}}`)
		c.Put(ks("outer", "r1", "shop_a__ConfigMap"))
		f := start(t, c, Options{Frame: time.Millisecond}, commandLine(t, "flux/ks/outer")...)
		f.settled()
		lift := c.Inject(testcluster.Fault{Hang: true, Match: func(r testcluster.Request) bool { return r.Resource == "gitrepositories" }})
		id := func(name string) object.ID {
			return object.ID{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization", Namespace: "shop", Name: name}
		}
		c.Put(ks("outer", "r1", "shop_a__ConfigMap", "shop_inner_kustomize.toolkit.fluxcd.io_Kustomization", "shop_lost_kustomize.toolkit.fluxcd.io_Kustomization"))
		for range 3000 {
			f.drain()
			if f.objects[id("inner")] != nil && f.roots[id("inner")].Pending == "" {
				t.Fatal("shown as done while its source has not been heard of")
			}
			time.Sleep(time.Millisecond)
		}
		if f.objects[id("inner")] == nil || f.roots[id("inner")].Pending != "its source is being looked at" {
			t.Errorf("held back for ever, or nothing is said: %+v", f.roots[id("inner")])
		}
		lift()
		f.rest(time.Minute)
		f.drain()
		if p := f.roots[id("inner")].Pending; p != "its source is at r2, it is at r1" {
			t.Errorf("pending %q", p)
		}
		if r, ok := f.roots[id("lost")]; !ok || r.Pending != "" {
			t.Errorf("it waits for a source that does not exist: %+v", r)
		}
	})
}

func TestAnInventoryIsAbsentOnceAllHaveAnswered(t *testing.T) {
	for code, want := range map[int]string{403: "ConfigMap/x-1 (Unknown Forbidden)", 500: "ConfigMap/x-1 (Unknown WaitingForFirstAnswer)"} {
		inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
			maps := func(r testcluster.Request) bool { return r.Resource == "configmaps" }
			lift := c.Inject(testcluster.Fault{Match: maps, Hang: true})
			f := start(t, c, Options{}, commandLine(t, "inventory/x-1")...)
			f.rest(time.Second)
			f.wantTree("ConfigMap/x-1 (?)") // nothing is known
			refuse := c.Inject(testcluster.Fault{Match: maps, Status: code})
			lift()
			f.rest(30 * time.Second)
			f.wantTree(want)
			refuse()
			f.rest(5 * time.Second)
			f.wantTree("ConfigMap/x-1 (NotFound NotFound)")
		})
	}
}

func TestAnInventoryThatComesLaterIsFoundByNameOrID(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		f := start(t, c, Options{}, commandLine(t, "inventory/x-1", "kapp/web")...)
		f.settled()
		f.wantTree("ConfigMap/x-1 (NotFound NotFound)", "ConfigMap/web (NotFound NotFound)")
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"inv","labels":{"cli-utils.sigs.k8s.io/inventory-id":"x-1"}},"data":{"shop_a__ConfigMap":""}}`)
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"web.apps.k14s.io","labels":{"kapp.k14s.io/is-app":""}},
			"data":{"spec":"{\"labelKey\":\"kapp.k14s.io/app\",\"labelValue\":\"17\",\"lastChange\":{\"successful\":true},\"usedGKs\":[{\"Group\":\"\",\"Kind\":\"ConfigMap\"}]}"}}`)
		c.Put(configMap("a"))
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"mine","labels":{"kapp.k14s.io/app":"17"},"annotations":{"kapp.k14s.io/identity":"v1;shop//ConfigMap/mine;v1"}}}`)
		c.Put(labelledMap("transient", "kapp.k14s.io/app=17"))
		f.rest(3 * time.Second)
		f.wantTree("ConfigMap/inv", "ConfigMap/inv > ConfigMap/a", "ConfigMap/web.apps.k14s.io", "ConfigMap/web.apps.k14s.io > ConfigMap/mine")
	})
}

func TestAnInventoryIDThatTwoObjectsHaveIsAnErrorThatListsThem(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		for _, name := range []string{"one", "two"} {
			c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"` + name + `","labels":{"cli-utils.sigs.k8s.io/inventory-id":"x-1"}},"data":{}}`)
		}
		e, err := New(Options{Config: c.Config(), Namespace: "shop", Targets: commandLine(t, "inventory/x-1")})
		if err != nil {
			t.Fatal(err)
		}
		e.Start(t.Context())
		defer e.Close()
		for err == nil {
			_, err = e.Next(t.Context(), 0)
		}
		const want = "several inventories have cli-utils.sigs.k8s.io/inventory-id=x-1: [ConfigMap/one ConfigMap/two]"
		if err.Error() != want || problem.Hint(err, "") != "name one of them: configmap/one" {
			t.Errorf("got %v (%s), want %s", err, problem.Hint(err, ""), want)
		}
	})
}

// The kinds beyond the budget of streams are polled, which is an answer as well.
func TestAnAppOfVeryManyKindsIsDone(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		var kinds []string
		for i := range plan.SelectionBudget + 5 {
			kind := fmt.Sprint("Kind", i)
			c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: strings.ToLower(kind) + "s", Kind: kind})
			kinds = append(kinds, `{\"Group\":\"example.com\",\"Kind\":\"`+kind+`\"}`)
		}
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"web","labels":{"kapp.k14s.io/is-app":""}},
			"data":{"spec":"{\"labelKey\":\"kapp.k14s.io/app\",\"labelValue\":\"17\",\"lastChange\":{\"successful\":true},\"usedGKs\":[` + strings.Join(kinds, ",") + `]}"}}`)
		for _, kind := range []string{"Kind0", fmt.Sprint("Kind", len(kinds)-1)} {
			c.Put(`{"apiVersion":"example.com/v1","kind":"` + kind + `","metadata":{"namespace":"shop","name":"a","labels":{"kapp.k14s.io/app":"17"},"annotations":{"kapp.k14s.io/identity":"v1;shop/example.com/` + kind + `/a;example.com/v1"}}}`)
		}
		f := start(t, c, Options{}, commandLine(t, "kapp/web")...)
		f.settled()
		f.rest(10 * time.Second)
		f.wantTree("ConfigMap/web", "ConfigMap/web > Kind0/a", "ConfigMap/web > Kind244/a")
		modes := map[feed.Mode]int{}
		for key, s := range f.sources {
			if strings.HasPrefix(key, "kind") {
				modes[s.Mode]++
			}
		}
		if modes[feed.ModeWatch] != plan.SelectionBudget || modes[feed.ModePollList] != 5 {
			t.Errorf("kinds by mode: %v", modes)
		}
	})
}

func TestARecreatedInventoryIsReadAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(kustomizations)
		c.Put(configMap("a"))
		c.Put(configMap("b"))
		c.Put(ks("apps", "r1", "shop_a__ConfigMap"))
		f := start(t, c, Options{}, commandLine(t, "flux/ks/apps")...)
		f.settled()
		c.Delete("Kustomization", "shop", "apps")
		f.rest(time.Second)
		f.wantTree("Kustomization/apps (absent)", "Kustomization/apps > ConfigMap/a")
		c.Put(ks("apps", "r2", "shop_b__ConfigMap"))
		f.rest(8 * time.Second)
		f.wantTree("Kustomization/apps [r2]", "Kustomization/apps > ConfigMap/b", "Kustomization/apps > ConfigMap/a kept [no longer in the set, but kept]")
	})
}

func TestACompositeIsRecognisedByItsReferences(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(databases)
		c.Put(configMap("db"))
		c.Put(`{"apiVersion":"example.org/v1","kind":"Database","metadata":{"namespace":"shop","name":"db"},
			"spec":{"crossplane":{"resourceRefs":[{"apiVersion":"v1","kind":"ConfigMap","name":"db"},{"apiVersion":"example.org/v1","kind":"Database","name":"plain"}]}},
			"status":{"conditions":[{"type":"Synced","status":"True"},{"type":"Ready","status":"True"}]}}`)
		c.Put(`{"apiVersion":"example.org/v1","kind":"Database","metadata":{"namespace":"shop","name":"plain"},"status":{"conditions":[{"type":"Synced","status":"True"}]}}`)
		f := start(t, c, Options{}, commandLine(t, "databases.example.org/db")...)
		f.settled()
		f.rest(time.Second)
		f.wantTree("Database/db", "Database/db > ConfigMap/db", "Database/db > Database/plain")
	})
}

func TestAnAmbiguousNameIsTheOneThatExists(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(kustomizations)
		c.Serve(testcluster.Resource{Group: "rbac.authorization.k8s.io", Version: "v1", Plural: "clusterroles", Kind: "ClusterRole", Cluster: true})
		c.Put(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"a__b"}}`)
		c.Put(ks("apps", "r1", "_a__b_rbac.authorization.k8s.io_ClusterRole"))
		f := start(t, c, Options{}, commandLine(t, "flux/ks/apps")...)
		f.settled()
		f.rest(3 * time.Second)
		f.wantTree("Kustomization/apps [r1]", "Kustomization/apps > ClusterRole/a__b")
	})
}

// TestNoBatchShowsAGrownSetWithoutItsNewMembers: at no moment does a receiver
// know a root's new state and not yet what it lists since.
func TestNoBatchShowsAGrownSetWithoutItsNewMembers(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(kustomizations)
		c.Put(ks("apps", "r0"))
		f := start(t, c, Options{Frame: time.Millisecond}, commandLine(t, "flux/ks/apps")...)
		f.settled()
		var ids []string
		for i := range 30 {
			ids = append(ids, fmt.Sprintf("shop_c%d__ConfigMap", i))
			c.Put(ks("apps", fmt.Sprint("r", i+1), ids...))
			for range 20 {
				f.drain()
				root := f.objects[object.ID{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization", Namespace: "shop", Name: "apps"}]
				set, _ := inventory.Recognise(root).Read(&object.Object{ID: root.ID, Tree: root.Tree})
				for _, m := range set.Members {
					if _, ok := f.roots[m.ID]; !ok {
						t.Fatalf("the root is shown at %s without %s", set.Revision, m.ID)
					}
				}
				time.Sleep(time.Millisecond)
			}
		}
	})
}

func TestAThousandMembersAreShownSoonAndWithFewRequests(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(kustomizations)
		var ids []string
		for i := range 1000 {
			name := fmt.Sprintf("c%d", i)
			c.Put(configMap(name))
			ids = append(ids, "shop_"+name+"__ConfigMap")
		}
		c.Put(ks("apps", "r1", ids...))
		f := start(t, c, Options{}, commandLine(t, "flux/ks/apps")...)
		took := f.within(500*time.Millisecond, "all members", func() bool { return len(f.objects) == 1001 })
		t.Logf("%d objects after %v of the server's time", len(f.objects), took)
		var asked []string
		for _, r := range c.Requests() {
			asked = append(asked, r.Verb+" "+r.Path)
		}
		// The types, the root, the number of ConfigMaps, all of them; nothing for each.
		if len(asked) > 8 {
			t.Errorf("%d requests for a set of 1000: %v", len(asked), asked)
		}
		before := len(c.Requests())
		c.Put(ks("apps", "r2", ids[:999]...))
		f.rest(3 * time.Second)
		if n := len(c.Requests()) - before; n > 2 {
			t.Errorf("%d requests for a member that left", n)
		}
	})
}

func TestAMemberThatIsNamedTooHasItsPlaceInTheSet(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(kustomizations)
		c.Put(configMap("a"))
		c.Put(ks("apps", "r1", "shop_a__ConfigMap"))
		f := start(t, c, Options{}, commandLine(t, "cm/a", "ks/apps")...)
		f.settled()
		f.wantTree("Kustomization/apps [r1]", "Kustomization/apps > ConfigMap/a")
		r := f.roots[object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "a"}]
		if diff := cmp.Diff(true, r.Named && r.ByUser()); diff != "" {
			t.Errorf("%+v", r)
		}
	})
}

func TestAHookIsShownWhileItBlocksAndLeavesNoRowBehind(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Put(helmSecret(t, "web", 1, "deployed", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"))
		c.Put(configMap("a"))
		f := start(t, c, Options{}, commandLine(t, "helm/web")...)
		f.settled()
		f.rest(100 * time.Millisecond)
		hook := map[string]any{
			"name": "mig", "kind": "Job", "events": []any{"pre-upgrade"}, "last_run": map[string]any{"phase": "Running"},
			"manifest": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: mig}\n",
		}
		c.Put(helmSecret(t, "web", 2, "pending-upgrade", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", hook))
		f.rest(100 * time.Millisecond)
		f.wantTree("Release/web pending: Helm: pending-upgrade [revision 2]", "Release/web > ConfigMap/a", "Release/web > Job/mig (absent) [hook pre-upgrade (running)]")
		// A release that comes at once as deployed is never shown without its members.
		c.Put(helmSecret(t, "web", 3, "deployed", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"))
		for range 100 {
			f.drain()
			o := f.objects[inventory.HelmReleaseID("shop", "web")]
			if _, ok := f.roots[object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "b"}]; o.Generation.V == 3 && !ok {
				t.Fatal("revision 3 is shown without what it lists")
			}
			time.Sleep(time.Millisecond)
		}
		f.rest(8 * time.Second)
		f.wantTree("Release/web [revision 3]", "Release/web > ConfigMap/b (absent)", "Release/web > ConfigMap/a kept [no longer in the set, but kept]")
	})
}
