package follow

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// cluster is what a Follower needs of a cluster and of who watches it.
type cluster struct {
	t *testing.T
	f *Follower

	mu         sync.Mutex
	roots      map[object.ID]Root
	objects    map[object.ID]*object.Object
	supporting map[object.ID]Supporting
	bodies     map[object.ID]map[string]any
	revisions  map[object.ID]inventory.HelmRevision
	refused    error // by Read
	decided    map[object.ID]Decision
	reads      int
}

func (c *cluster) Root(id object.ID) (Root, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.roots[id]
	return r, ok
}

func (c *cluster) Object(id object.ID) (o *object.Object, answered bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.objects[id], c.objects[id] != nil
}

func (c *cluster) Supporting(root object.ID) Supporting {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.supporting[root]
}

func (c *cluster) Follow(root object.ID, d Decision) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.decided[root] = d
}

func (c *cluster) Read(_ context.Context, id object.ID) (map[string]any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	return c.bodies[id], c.refused
}

func (c *cluster) Revision(_ context.Context, id object.ID) (inventory.HelmRevision, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	return c.revisions[id], nil
}

func (c *cluster) Scoped(id object.ID) object.ID { return id }

func (c *cluster) Elsewhere(context.Context, ...inventory.Candidate) string {
	return "it is in namespace flux-system, not here (-n flux-system)"
}

// withCluster runs a test under a fake clock.
func withCluster(t *testing.T, test func(t *testing.T, c *cluster)) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{
			t: t, roots: map[object.ID]Root{}, objects: map[object.ID]*object.Object{}, supporting: map[object.ID]Supporting{},
			bodies: map[object.ID]map[string]any{}, revisions: map[object.ID]inventory.HelmRevision{}, decided: map[object.ID]Decision{},
		}
		c.f = &Follower{Engine: c, Reader: c, Spawn: func(f func()) { go f() }}
		test(t, c)
	})
}

func id(kind, name string) object.ID { return object.ID{Kind: kind, Namespace: "shop", Name: name} }

var apps = object.ID{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization", Namespace: "shop", Name: "apps"}

// kustomization puts a new version of a root that lists ConfigMaps.
func (c *cluster) kustomization(version int, source map[string]any, names ...string) {
	entries := []any{}
	for _, name := range names {
		entries = append(entries, map[string]any{"id": "shop_" + name + "__ConfigMap", "v": "v1"})
	}
	c.mu.Lock()
	c.bodies[apps] = map[string]any{
		"spec":   map[string]any{"sourceRef": source},
		"status": map[string]any{"lastAppliedRevision": "main@sha1:0123456789abcdef", "inventory": map[string]any{"entries": entries}},
	}
	c.roots[apps] = Root{
		Root: feed.Root{ID: apps, Source: "flux/ks/apps"}, NamedAsInventory: true, Change: uint64(version),
		Object: &object.Object{ID: apps, UID: "u", ResourceVersion: fmt.Sprint(version)},
	}
	c.mu.Unlock()
	c.f.Changed(apps)
	synctest.Wait()
}

func (c *cluster) put(o *object.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects[o.ID] = o
}

// lists checks the last decision about a root.
func (c *cluster) lists(root object.ID, want ...string) Decision {
	c.t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.decided[root]
	var got []string
	for _, t := range d.Targets {
		line := t.ID.String()
		if t.Selector != "" {
			line += " -l " + t.Selector
		}
		if t.Supporting {
			line += " (supporting)"
		}
		if t.Note != "" {
			line += " [" + t.Note + "]"
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("followed for %s (-want +got)\n%s", root, diff)
	}
	return d
}

func TestMembersComeAndGoWithTheirRoot(t *testing.T) {
	withCluster(t, func(t *testing.T, c *cluster) {
		c.f.Start(t.Context(), nil)
		c.put(&object.Object{ID: id("ConfigMap", "a")})
		c.put(&object.Object{ID: id("ConfigMap", "b")})
		c.kustomization(1, nil, "a", "b")
		if d := c.lists(apps, "ConfigMap/a", "ConfigMap/b"); d.Change != 1 || d.Hold || d.Note != "main@sha1:0123456" || !d.NeedsMembers {
			t.Errorf("decided: %+v", d)
		}
		c.kustomization(2, nil, "a")
		c.lists(apps, "ConfigMap/a", "ConfigMap/b [no longer in the set]")
		time.Sleep(keptAfter + time.Second)
		c.lists(apps, "ConfigMap/a", "ConfigMap/b [no longer in the set, but kept]")
		if c.reads != 2 {
			t.Errorf("the root was read %d times, want once a version", c.reads)
		}

		c.mu.Lock()
		delete(c.roots, apps)
		c.mu.Unlock()
		c.f.Changed(apps)
		if d := c.lists(apps); d.Facts != (Facts{}) {
			t.Errorf("of what is no root: %+v", d)
		}
	})
}

// Flux does not wait for what it prunes: one that a finalizer holds is still shown,
// and counts no longer.
func TestAPrunedMemberThatAFinalizerHoldsDoesNotCountForEver(t *testing.T) {
	withCluster(t, func(t *testing.T, c *cluster) {
		c.f.Start(t.Context(), nil)
		c.put(&object.Object{ID: id("ConfigMap", "a")})
		c.put(&object.Object{ID: id("ConfigMap", "old"), Deleted: time.Now(), Finalizers: []string{"example.org/hold"}})
		c.kustomization(1, nil, "a", "old")
		c.kustomization(2, nil, "a")
		kept := func() bool { return c.lists(apps, "ConfigMap/a", "ConfigMap/old [being pruned]").Targets[1].Kept }
		if kept() {
			t.Error("an ordinary prune is not waited for")
		}
		time.Sleep(keptAfter + 2*time.Second)
		if !kept() {
			t.Error("what cannot be deleted counts for ever")
		}
	})
}

func TestARootIsHeldBackUntilItsSourceHasBeenLookedAt(t *testing.T) {
	withCluster(t, func(t *testing.T, c *cluster) {
		c.f.Start(t.Context(), nil)
		repo := object.ID{Group: "source.toolkit.fluxcd.io", Kind: "GitRepository", Namespace: "shop", Name: "repo"}
		c.kustomization(1, map[string]any{"kind": "GitRepository", "name": "repo"}, "a")
		if d := c.lists(apps, "ConfigMap/a", "GitRepository/repo (supporting)"); !d.Hold || d.Pending != "its source is being looked at" {
			t.Errorf("decided: %+v", d)
		}
		c.put(&object.Object{ID: repo, Tree: map[string]any{"status": map[string]any{"artifact": map[string]any{"revision": "main@sha1:fedcba9876543210"}}}})
		c.f.Changed(apps)
		if d := c.lists(apps, "ConfigMap/a", "GitRepository/repo (supporting)"); d.Hold || d.Pending == "" {
			t.Errorf("its source is ahead: %+v", d)
		}
	})
}

// An entry's two underscores are a colon, or the name's own: what exists tells.
func TestAnAmbiguousNameIsTheOneThatExists(t *testing.T) {
	withCluster(t, func(t *testing.T, c *cluster) {
		c.f.Start(t.Context(), nil)
		c.kustomization(1, nil, "a__b")
		if d := c.lists(apps, "ConfigMap/a:b", "ConfigMap/a__b (supporting)"); !d.Hold {
			t.Errorf("the other name was not looked at, and decided: %+v", d)
		}
		c.put(&object.Object{ID: id("ConfigMap", "a__b")})
		c.f.Changed(apps)
		if d := c.lists(apps, "ConfigMap/a__b", "ConfigMap/a:b (supporting)"); d.Hold {
			t.Errorf("decided: %+v", d)
		}
		c.put(&object.Object{ID: id("ConfigMap", "a:b")})
		c.f.Changed(apps)
		c.lists(apps, "ConfigMap/a:b", "ConfigMap/a__b (supporting)")
	})
}

func TestARootThatCannotBeReadIsReadAgain(t *testing.T) {
	withCluster(t, func(t *testing.T, c *cluster) {
		c.f.Start(t.Context(), nil)
		c.refused = errors.New("not now")
		c.kustomization(1, nil, "a")
		if d := c.lists(apps); d.Pending != "what it lists cannot be read: not now" {
			t.Errorf("decided: %+v", d)
		}
		c.mu.Lock()
		c.refused = nil
		c.mu.Unlock()
		time.Sleep(setRetry)
		c.lists(apps, "ConfigMap/a")
	})
}

// A cache may answer with an earlier version than was watched.
func TestAnInventoryIsNotDecidedByAnOlderVersion(t *testing.T) {
	withCluster(t, func(t *testing.T, c *cluster) {
		c.f.Start(t.Context(), nil)
		c.kustomization(1, nil, "a")
		earlier := map[string]any{"resourceVersion": "1"}
		c.mu.Lock()
		c.bodies[apps]["metadata"] = earlier
		root := c.roots[apps]
		root.Object, root.Change = &object.Object{ID: apps, UID: "u", ResourceVersion: "2"}, 2
		c.roots[apps] = root
		c.mu.Unlock()
		c.f.Changed(apps)
		if d := c.lists(apps, "ConfigMap/a"); d.Pending == "" {
			t.Errorf("decided: %+v", d)
		}
		c.mu.Lock()
		earlier["resourceVersion"] = "3"
		c.mu.Unlock()
		time.Sleep(setRetry)
		if d := c.lists(apps, "ConfigMap/a"); d.Pending != "" {
			t.Errorf("decided: %+v", d)
		}
	})
}

func TestAReleaseListsTheObjectsOfItsNewestRevision(t *testing.T) {
	withCluster(t, func(t *testing.T, c *cluster) {
		web := inventory.HelmReleaseID("shop", "web")
		c.roots[web] = Root{Root: feed.Root{ID: web, Source: "helm/web"}, NamedAsInventory: true}
		c.f.Start(t.Context(), []inventory.Target{{Scheme: "helm", Source: "helm/web", Namespace: "shop", Name: "web"}})
		secrets, maps := "Secret/ -l owner=helm,name=web (supporting)", "ConfigMap/ -l owner=helm,name=web (supporting)"
		c.lists(web, secrets)
		c.supporting[web] = Supporting{Answered: true}
		c.f.Changed(web)
		c.lists(web, secrets, maps)
		c.f.Changed(web)
		if d := c.lists(web, secrets, maps); !d.Fixed || d.Object != nil || d.Given.Message != "it is in namespace flux-system, not here (-n flux-system)" {
			t.Errorf("there is none here: %+v", d)
		}

		stored := &object.Object{ID: id("Secret", "sh.helm.release.v1.web.v3"), ResourceVersion: "7", Labels: []object.Label{{Key: "version", Value: "3"}, {Key: "status", Value: "deployed"}}}
		c.mu.Lock()
		c.supporting[web] = Supporting{Answered: true, Objects: []*object.Object{stored}}
		c.revisions[stored.ID] = inventory.HelmRevision{Version: 3, Members: []inventory.Member{{ID: id("ConfigMap", "a")}}}
		c.mu.Unlock()
		for range 2 {
			c.f.Changed(web)
			if d := c.lists(web, "ConfigMap/a", secrets, maps); d.Object == nil || d.Revision != "3" || c.reads != 1 {
				t.Errorf("its revision was read %d times, and decided: %+v", c.reads, d)
			}
		}
	})
}
