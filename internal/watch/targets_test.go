package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/hub"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// What is named is resolved by what is known when a plan is made, and anew only where more is known.
func TestANameIsResolvedAgainOnlyWhenMoreIsKnown(t *testing.T) {
	e, err := New(Options{Config: &rest.Config{Host: "https://127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	var targets []inventory.Target
	for i := range 1000 {
		targets = append(targets, inventory.Target{ID: deployments.ID("shop", fmt.Sprint("web-", i))})
	}
	e.setGroup(byUser, targets, follow.Facts{})
	count := func(r *resolution) (n int) {
		for _, names := range r.named.Of {
			n += len(names)
		}
		return n
	}
	expect := func(when string, named int, resolved bool, lookups int) {
		t.Helper()
		first := e.lookUpTargets()
		if n, l := count(first), len(first.lookups); n != named || first.resolved != resolved || l != lookups {
			t.Errorf("%s: %d named, resolved %v, %d lookups; want %d, %v, %d", when, n, first.resolved, l, named, resolved, lookups)
		}
		if e.lookUpTargets() != first {
			t.Errorf("%s: resolved again, though nothing more is known", when)
		}
	}
	expect("at first", 1000, true, 0)
	e.setGroup(byUser, targets[:900], follow.Facts{})
	expect("100 are named no more", 900, true, 0)
	crate := object.ID{Group: "example.com", Kind: "Crate", Namespace: "shop", Name: "one"}
	e.setGroup(byUser, append(slices.Clone(targets), inventory.Target{ID: crate}), follow.Facts{})
	expect("one is of a kind that nobody knows yet", 1000, true, 1)
	e.resolver.Learn(kube.Resource{Group: "example.com", Version: "v1", Plural: "crates", Kind: "Crate", Namespaced: true})
	expect("its kind is known", 1001, true, 0)
	e.resolver.Learn(kube.Resource{Group: "example.com", Version: "v1", Plural: "crates", Kind: "Crate"})
	named := e.lookUpTargets().named
	if last := named.Areas[len(named.Areas)-1]; last.Namespace != "" {
		t.Errorf("its kind has no namespaces any more, and it is looked for in %q", last.Namespace)
	}
	e.setGroup(targets[0].ID, nil, follow.Facts{Note: "seen"})
	e.lookUpTargets()
	root, _ := e.hub.Root(targets[0].ID)
	if note := root.Note; note != "seen" {
		t.Errorf("what an inventory says of its root is %q, want seen", note)
	}
}

// What an optional inventory lists no longer is required by the next one.
func TestAMovedMemberIsRequiredByItsNewInventory(t *testing.T) {
	member, one, other := deployments.ID("shop", "web"), object.ID{Kind: "ConfigMap", Name: "one"}, object.ID{Kind: "ConfigMap", Name: "other"}
	roots := hub.Roots{ByID: map[object.ID]*feed.Root{}}
	wantRoot(&target{Target: &inventory.Target{ID: member, In: one, Gone: true, Kept: true, Optional: true}, root: member}, &roots)
	wantRoot(&target{Target: &inventory.Target{ID: member, In: other}, root: member}, &roots)
	if r := roots.List[0]; r.In != other || r.Optional || r.Kept {
		t.Errorf("got %+v", r)
	}
}

// An RBAC object's name may hold what a field selector means something by.
func TestANameMayHoldACommaOrAnEqualsSign(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		const name = `a,metadata.name=b\`
		c.Put(fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":%q}}`, name))
		f := start(t, c, Options{}, named("cm", name), named("deploy", name))
		f.settled()
		f.rest(100 * time.Millisecond)
		f.wantTree(`ConfigMap/a,metadata.name=b\`, `Deployment/a,metadata.name=b\ (absent)`)
	})
}

// A list of names that grows by one, as an inventory's does, lists none of the others again.
func TestOneMoreNameInAnAreaOfManyListsNothingAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		var targets []inventory.Target
		for i := range 60 {
			name := fmt.Sprint("web-", i)
			c.Put(deployment(name))
			targets = append(targets, named("deploy", name))
		}
		c.Put(deployment("late"))
		f := start(t, c, Options{}, targets...)
		f.settled()
		began := time.Now()
		f.rest(time.Millisecond)
		f.more("more", []inventory.Target{named("deploy", "late")})
		late := object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "late"}
		f.within(2*time.Second, "the new one", func() bool { return f.synced && f.objects[late] != nil })
		if n := count(c, func(r testcluster.Request) bool {
			return r.At.After(began) && r.Resource == "deployments" && (isList(r) || isInitialWatch(r)) && !strings.Contains(r.Query, "metadata.name")
		}); n > 0 {
			t.Errorf("%d lists of the whole area for one more name", n)
		}
	})
}
