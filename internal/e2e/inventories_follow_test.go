package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

// held is a ConfigMap that a finalizer keeps from going.
func held(name string) string {
	return fmt.Sprintf("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, finalizers: [shop.example.org/held]}\n", name)
}

// broken is a Deployment whose Pod never starts, of a deadline that passes soon.
const broken = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: worker}
spec:
  progressDeadlineSeconds: 2
  selector: {matchLabels: {app: worker}}
  template:
    metadata: {labels: {app: worker}, annotations: {kstatus-tui.test/fault: "%s"}}
    spec:
      containers: [{name: worker, image: "registry.example.com/shop/worker:1"}]
`

// Case 16: a set that grows while it is waited for is waited for as it is then.
func TestAMemberThatComesLaterIsWaitedFor(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "added")
	id := func(name string) string { return ns + "_" + name + "__ConfigMap" }
	apply(t, ns, configMap("one"))
	record(t, ns, kustomization("apps", "main@sha1:1", id("one"), id("two")))
	w := startWait(t, "-n", ns, "flux/ks/apps", "--timeout=3m").says("Kustomization/apps  ")
	w.stillWaits(time.Second)
	record(t, ns, kustomization("apps", "main@sha1:1", id("one"), id("two"), id("three")))
	apply(t, ns, configMap("two"))
	w.stillWaits(2 * time.Second)
	apply(t, ns, configMap("three"))
	w.ends(0, "4 of 4 Current", "ConfigMap/three")
}

// Case 17.
func TestAPrunedMemberIsFollowedUntilItHasGone(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "pruned")
	id := func(name string) string { return ns + "_" + name + "__ConfigMap" }
	apply(t, ns, configMap("one")+held("two"))
	record(t, ns, kustomization("apps", "main@sha1:1", id("one"), id("two")))
	ui := dashboard(t, cluster.ReadOnly, "-n", ns, "flux/ks/apps")
	ui.until("the set", func(s terminal.Screen) bool { return s.Has("✓ DONE") && row(s, "/apps") != "" })
	if err := ui.Type(" "); err != nil { // unfolds it
		t.Fatal(err)
	}
	ui.until("its members", func(s terminal.Screen) bool { return row(s, "/two") != "" })
	record(t, ns, kustomization("apps", "main@sha1:2", id("one")))
	remove(t, ns, configMap("two"))
	ui.until("two being pruned", func(s terminal.Screen) bool { return row(s, "/two", "⊘") != "" && !s.Has("✓ DONE") })
	patch(t, "v1", "ConfigMap", ns, "two", `{"metadata":{"finalizers":null}}`)
	ui.until("two gone, and nothing else to wait for", func(s terminal.Screen) bool {
		return row(s, "/two") == "" && s.Has("✓ DONE") && row(s, "/one") != ""
	})
	ui.quit()
}

// Flux does not wait for what it prunes: what leaves the list has a moment to be gone,
// and what a finalizer holds after that counts no longer.
func TestAWaitHoldsOutForAPruneAndNotForAFinalizer(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "pruned")
	id := func(name string) string { return ns + "_" + name + "__ConfigMap" }
	apply(t, ns, configMap("one")+held("two"))
	record(t, ns, kustomization("apps", "main@sha1:1", id("one"), id("two"), id("never")))
	w := startWait(t, "-n", ns, "flux/ks/apps", "--timeout=3m").says("ConfigMap/two  ")
	w.stillWaits(2 * time.Second)
	remove(t, ns, configMap("two"))
	record(t, ns, kustomization("apps", "main@sha1:1", id("one")))
	w.stillWaits(2 * time.Second) // an ordinary prune is over by then
	w.ends(0, "ConfigMap/two  Terminating: FinalizersRemaining", "2 of 2 Current")
	patch(t, "v1", "ConfigMap", ns, "two", `{"metadata":{"finalizers":null}}`) // it is still there, or this fails
}

// Case 18: what stays although it was pruned is said to have been kept.
func TestAnObjectThatWasKeptWhenPrunedDoesNotCount(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "kept")
	apply(t, ns, configMap("one")+fmt.Sprintf("---"+broken, cluster.ConfigMissing))
	record(t, ns, kustomization("apps", "main@sha1:1", ns+"_one__ConfigMap", ns+"_worker_apps_Deployment"))
	mark := shared.Mark()
	w := startWait(t, "-n", ns, "flux/ks/apps", "--fail-fast=never", "--timeout=3m", "-o", "json")
	asked(t, mark, cluster.ReadOnly, func(requests []cluster.Request) string {
		for _, r := range requests {
			if r.Namespace == ns && r.Resource == "deployments" {
				return ""
			}
		}
		return "nothing looks after the member"
	})
	w.stillWaits(2 * time.Second)
	record(t, ns, kustomization("apps", "main@sha1:1", ns+"_one__ConfigMap"))
	w.stillWaits(2 * time.Second) // it may be about to be deleted
	w.ends(0, "no longer in the set, but kept")
}

// Case 19.
func TestAnInventoryThatDoesNotExistYetIsWaitedFor(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "later")
	writers(t)
	apply(t, ns, configMap("one"))
	ks := startWait(t, "-n", ns, "flux/ks/apps", "--timeout=3m")
	cm := startWait(t, "-n", ns, "inventory/shop", "--timeout=3m")
	helm := startWait(t, "-n", ns, "helm/shop", "--timeout=3m")
	set := startWait(t, "-n", ns, "applyset/set", "--timeout=3m")
	all := []waiting{ks, cm, helm, set}
	for _, w := range all {
		w.stillWaits(time.Second)
	}
	apply(t, ns, "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\nspec: {interval: 1m}\n")
	apply(t, ns, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop, labels: {cli-utils.sigs.k8s.io/inventory-id: shop}}\n")
	one := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n"
	helmRecord{release: "shop", version: 1, status: "pending-install", manifest: one}.store(t, ns)
	parent := "apiVersion: v1\nkind: Secret\nmetadata: {name: set, labels: {applyset.kubernetes.io/id: applyset-late-v1}, annotations: {applyset.kubernetes.io/contains-group-kinds: ConfigMap}}\n"
	apply(t, ns, parent)
	for _, w := range all {
		w.stillWaits(time.Second) // nothing is listed yet, or not all of it
	}
	record(t, ns, kustomization("apps", "main@sha1:1", ns+"_one__ConfigMap"))
	apply(t, ns, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop, labels: {cli-utils.sigs.k8s.io/inventory-id: shop}}\ndata: {"+ns+"_one__ConfigMap: \"\"}\n")
	helmRecord{release: "shop", version: 1, status: "deployed", manifest: one}.store(t, ns)
	apply(t, ns, configMap("two", "applyset.kubernetes.io/part-of: applyset-late-v1"))
	for _, w := range all {
		w.ends(0, "2 of 2 Current")
	}
}

// Cases 20, 21.
func TestADeletedInventoryEndsAWaitWith4(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "deleted")
	apply(t, ns, configMap("one"))
	ks := func(revision string) string {
		return kustomization("apps", revision, ns+"_one__ConfigMap", ns+"_never__ConfigMap")
	}
	record(t, ns, ks("main@sha1:1"))
	w := startWait(t, "-n", ns, "flux/ks/apps", "--timeout=3m").says("Kustomization/apps  ")
	d := startWait(t, "-n", ns, "flux/ks/apps", "--for=deleted", "--timeout=3m").says("ConfigMap/one  Current")
	w.stillWaits(2 * time.Second)
	remove(t, ns, ks(""))
	w.ends(4, "deleted")
	d.stillWaits(time.Second) // what it had applied is still there
	remove(t, ns, configMap("one"))
	d.ends(0)

	record(t, ns, ks("main@sha1:1"))
	w = startWait(t, "-n", ns, "flux/ks/apps", "--timeout=3m").says("Kustomization/apps  ")
	w.stillWaits(2 * time.Second)
	remove(t, ns, ks(""))
	record(t, ns, ks("main@sha1:1"))
	w.ends(4, "deleted")

	// A release that is uninstalled, and installed anew.
	r := helmRecord{release: "shop", version: 1, status: "deployed", manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: never\n"}
	r.store(t, ns)
	w = startWait(t, "-n", ns, "helm/shop", "--timeout=3m").says("Release/shop  ")
	w.stillWaits(2 * time.Second)
	remove(t, ns, r.object(t, ns))
	w.ends(4, "deleted")
}

// Case 22, 35.
func TestASetThatBecomesEmptyIsNotDone(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "empty")
	part := "applyset.kubernetes.io/part-of: applyset-empty-v1"
	parent := "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: set, labels: {applyset.kubernetes.io/id: applyset-empty-v1}, annotations: {applyset.kubernetes.io/contains-group-kinds: \"ConfigMap,Deployment.apps\"}}\n"
	worker := strings.Replace("---"+fmt.Sprintf(broken, cluster.ConfigMissing), "name: worker}", "name: worker, labels: {"+part+"}}", 1)
	apply(t, ns, configMap("one")+parent+worker)
	record(t, ns, kustomization("apps", "main@sha1:1", ns+"_one__ConfigMap", ns+"_never__ConfigMap"))
	ks := startWait(t, "-n", ns, "flux/ks/apps", "--timeout=3m")
	set := startWait(t, "-n", ns, "applyset/configmap/set", "--fail-fast=never", "--timeout=3m")
	ks.stillWaits(2 * time.Second)
	record(t, ns, kustomization("apps", "main@sha1:1"))
	remove(t, ns, worker)
	ks.stillWaits(3 * time.Second)
	set.stillWaits(time.Second)
	record(t, ns, kustomization("apps", "main@sha1:1", ns+"_one__ConfigMap"))
	apply(t, ns, configMap("two", part))
	set.ends(0, "2 of 2 Current")
	ks.ends(0, "Current")
}

// Case 23.
func TestAReleaseIsFollowedThroughItsRevisions(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "helm")
	cm := func(name string) string {
		return "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n"
	}
	apply(t, ns, configMap("one"))
	first := helmRecord{release: "shop", version: 9, status: "deployed", manifest: cm("one")}
	first.store(t, ns)
	startWait(t, "-n", ns, "helm/shop", "--timeout=3m").ends(0, "2 of 2 Current")

	second := helmRecord{release: "shop", version: 10, status: "pending-upgrade", manifest: cm("one") + cm("two")}
	second.store(t, ns)
	w := startWait(t, "-n", ns, "helm/shop", "--timeout=3m")
	w.stillWaits(2 * time.Second)
	apply(t, ns, configMap("two"))
	w.stillWaits(time.Second) // all is there; Helm has not ended
	first.status = "superseded"
	first.store(t, ns)
	second.status = "deployed"
	second.store(t, ns)
	w.ends(0, "3 of 3 Current")
	remove(t, ns, first.object(t, ns)) // the history is short
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "helm/shop")
	doc.wants(t, got, 0, "Release/shop Current", "ConfigMap/one Current", "ConfigMap/two Current")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "helm/shop@10")
	doc.wants(t, got, 0, "Release/shop Current", "ConfigMap/one Current", "ConfigMap/two Current")

	third := helmRecord{release: "shop", version: 11, status: "pending-upgrade", manifest: cm("one")}
	third.store(t, ns)
	w = startWait(t, "-n", ns, "helm/shop", "--timeout=3m")
	w.stillWaits(2 * time.Second)
	third.status = "failed"
	third.store(t, ns)
	w.ends(2, "Release/shop", "failed")

	// Another upgrade begins while one is waited for.
	fourth := helmRecord{release: "shop", version: 12, status: "pending-upgrade", manifest: cm("one")}
	fourth.store(t, ns)
	w = startWait(t, "-n", ns, "helm/shop", "--timeout=3m").says("Release/shop  ")
	w.stillWaits(2 * time.Second)
	helmRecord{release: "shop", version: 13, status: "pending-rollback", manifest: cm("one")}.store(t, ns)
	w.ends(4, "revision 13")
}

func helmRelease(name string, version int, entries, more string) string {
	return fmt.Sprintf(`---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: %s}
spec: {interval: 1m, releaseName: %s}
status:
  history: [{name: %s, version: %d, status: deployed}]
  inventory: {entries: [%s]}
  conditions: [%s]
`, name, name, name, version, entries, more)
}

const (
	hrReady   = `{type: Ready, status: "True", reason: UpgradeSucceeded, lastTransitionTime: "2026-01-01T00:00:00Z"}`
	hrWorking = `{type: Reconciling, status: "True", reason: Progressing, message: "Running 'upgrade' action", lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Ready, status: Unknown, reason: Progressing, lastTransitionTime: "2026-01-01T00:00:00Z"}`
)

// Case 24: in the middle of an upgrade the HelmRelease lists what was before it.
func TestAHelmReleaseDuringAnUpgradeIsReadFromItsStoredRevision(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "hr")
	cm := func(name string) string {
		return "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n"
	}
	entry := func(name string) string { return "{id: " + ns + "_" + name + "__ConfigMap, v: v1}, " }
	apply(t, ns, configMap("one"))
	helmRecord{release: "web", version: 1, status: "deployed", manifest: cm("one")}.store(t, ns)
	record(t, ns, helmRelease("web", 1, entry("one"), hrReady))
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "hr/web")
	doc.wants(t, got, 0, "HelmRelease/web Current", "ConfigMap/one Current")

	second := helmRecord{release: "web", version: 2, status: "pending-upgrade", manifest: cm("one") + cm("two")}
	second.store(t, ns)
	record(t, ns, helmRelease("web", 1, entry("one"), hrWorking))
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "flux/hr/web")
	doc.wants(t, got, 3, "HelmRelease/web InProgress", "ConfigMap/one Current", "ConfigMap/two NotFound")
	w := startWait(t, "-n", ns, "flux/hr/web", "--timeout=3m")
	w.stillWaits(2 * time.Second)
	apply(t, ns, configMap("two"))
	second.status = "deployed"
	second.store(t, ns)
	w.stillWaits(time.Second) // the controller has not said so yet
	record(t, ns, helmRelease("web", 2, entry("one")+entry("two"), hrReady))
	w.ends(0, "3 of 3 Current")
}

// Cases 25, 26.
func TestAMemberIsFollowedWhenItsKindComesAndGoes(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "kinds")
	kind := servedKind("members.example.com", "Namespaced", "Crate", "crates", "v1")
	crate := `
apiVersion: members.example.com/v1
kind: Crate
metadata: {name: first}
spec: {}
status: {conditions: [{type: Ready, status: "True", reason: Packed, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
`
	t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), "", kind) })
	apply(t, ns, configMap("one"))
	record(t, ns, kustomization("apps", "main@sha1:1", ns+"_one__ConfigMap", ns+"_first_members.example.com_Crate@v1beta1"))
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "ks/apps")
	doc.wants(t, got, 3, "Kustomization/apps Current", "ConfigMap/one Current", "Crate/first NotFound")
	w := startWait(t, "-n", ns, "ks/apps", "--timeout=3m")
	w.stillWaits(time.Second)
	apply(t, "", kind)
	record(t, ns, crate)
	w.ends(0, "3 of 3 Current")

	record(t, ns, kustomization("apps", "main@sha1:1", ns+"_one__ConfigMap", ns+"_first_members.example.com_Crate", ns+"_never__ConfigMap"))
	w = startWait(t, "-n", ns, "ks/apps", "--timeout=30s").says("Crate/first  ")
	w.stillWaits(2 * time.Second)
	remove(t, "", kind)
	w.stillWaits(2 * time.Second)
	apply(t, ns, configMap("never"))
	w.ends(3, "Crate/first", "out of time", "3 of 4 Current")
}

// Case 28.
func TestInventoriesWithinInventoriesAreFollowedToTheirMembers(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "nested")
	cm := "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: inner\n"
	apply(t, ns, configMap("one"))
	helmRecord{release: "web", version: 1, status: "deployed", manifest: cm}.store(t, ns)
	hr := strings.Replace(helmRelease("web", 1, "", hrReady), "  inventory: {entries: []}\n", "", 1)
	record(t, ns, hr+
		kustomization("apps", "main@sha1:1", ns+"_one__ConfigMap", ns+"_web_helm.toolkit.fluxcd.io_HelmRelease@v2")+
		kustomization("all", "main@sha1:1", ns+"_all_kustomize.toolkit.fluxcd.io_Kustomization", ns+"_apps_kustomize.toolkit.fluxcd.io_Kustomization")+
		kustomization("ring", "main@sha1:1", ns+"_rung_kustomize.toolkit.fluxcd.io_Kustomization")+
		kustomization("rung", "main@sha1:1", ns+"_ring_kustomize.toolkit.fluxcd.io_Kustomization", ns+"_one__ConfigMap"))
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "flux/ks/all")
	doc.wants(t, got, 3, "Kustomization/all Current", "Kustomization/apps Current", "ConfigMap/one Current", "HelmRelease/web Current", "ConfigMap/inner NotFound")
	if note := doc.member("Kustomization", "all").Note; !strings.Contains(note, "it holds Kustomization/all, which it stands under") {
		t.Errorf("nothing says that it holds itself: %q", note)
	}
	w := startWait(t, "-n", ns, "flux/ks/all", "--timeout=3m")
	w.stillWaits(2 * time.Second)
	apply(t, ns, configMap("inner"))
	w.ends(0, "5 of 5 Current")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "flux/ks/ring")
	doc.wants(t, got, 0, "Kustomization/ring Current", "Kustomization/rung Current", "ConfigMap/one Current")

	// What fails inside is shown although the outside is content.
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "--expand=none", "flux/ks/all")
	if got.code != 0 || doc.member("ConfigMap", "inner").Status != "" {
		t.Errorf("an inventory that was named as one is not expanded within\n%s", got)
	}
}

// Case 29.
func TestAnObjectInTwoInventoriesIsShownOnce(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "two")
	apply(t, ns, configMap("one")+configMap("mine"))
	record(t, ns, kustomization("a", "main@sha1:1", ns+"_one__ConfigMap")+
		kustomization("b", "main@sha1:2", ns+"_one__ConfigMap", ns+"_mine__ConfigMap"))
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "flux/ks/a", "flux/ks/b")
	doc.wants(t, got, 0, "Kustomization/a Current", "Kustomization/b Current", "ConfigMap/one Current", "ConfigMap/mine Current")
	if doc.Counts["Current"] != 4 {
		t.Errorf("counted twice\n%s", got)
	}
	// It stays when one of them drops it.
	w := startWait(t, "-n", ns, "flux/ks/a", "flux/ks/b", "cm/never", "--timeout=3m", "-o", "json")
	w.stillWaits(2 * time.Second)
	record(t, ns, kustomization("a", "main@sha1:1", ns+"_mine__ConfigMap"))
	w.stillWaits(time.Second)
	remove(t, ns, configMap("one"))
	w.stillWaits(2 * time.Second)
	apply(t, ns, configMap("never"))
	w.stillWaits(2 * time.Second) // b still lists what is gone
	apply(t, ns, configMap("one"))
	w.ends(0)
	// And when the other one does.
	record(t, ns, kustomization("a", "main@sha1:1", ns+"_one__ConfigMap", ns+"_mine__ConfigMap"))
	w = startWait(t, "-n", ns, "flux/ks/a", "flux/ks/b", "cm/gate", "--timeout=3m")
	w.stillWaits(2 * time.Second)
	record(t, ns, kustomization("b", "main@sha1:2", ns+"_mine__ConfigMap"))
	w.stillWaits(time.Second)
	remove(t, ns, configMap("one"))
	apply(t, ns, configMap("gate"))
	w.stillWaits(2 * time.Second) // a still lists what is gone
	apply(t, ns, configMap("one"))
	w.ends(0)
}

// Case 30. The time is only printed; the requests are checked.
func TestAThousandMembersTakeAHandfulOfRequests(t *testing.T) {
	since(t, 34, "streamed lists")
	t.Parallel()
	const members = 1000
	ns := namespace(t, "many")
	writers(t)
	var ids []string
	var present strings.Builder
	for i := range members {
		name := fmt.Sprintf("m%03d", i)
		ids = append(ids, ns+"_"+name+"__ConfigMap")
		present.WriteString(configMap(name))
	}
	apply(t, ns, present.String())
	p := tap(t)
	out := &growing{}
	cmd := exec.CommandContext(t.Context(), binary, "wait", "-n", ns, "flux/ks/apps", "cm/gate", "-o", "jsonl", "--timeout=3m")
	cmd.Env, cmd.Stdout, cmd.Stderr = environment(t, kubeconfigAt(t, p.URL())), out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until := func(what string, ok func(text string) bool) time.Duration {
		t.Helper()
		began := time.Now()
		for !ok(out.String()) {
			if time.Since(began) > patience {
				t.Fatalf("waiting for %s:\n%.4000s", what, out.String())
			}
			time.Sleep(5 * time.Millisecond)
		}
		return time.Since(began)
	}
	until("the beginning", func(text string) bool { return strings.Contains(text, `"apps"`) })
	mine := func() (asked []string) {
		for _, x := range p.Exchanges() {
			if strings.Contains(x.URI, ns) {
				asked = append(asked, x.Method+" "+x.URI)
			}
		}
		return asked
	}
	before := len(mine())
	record(t, ns, kustomization("apps", "main@sha1:1", ids...))
	took := until("all members", func(text string) bool { return strings.Count(text, `"name":"m`) >= members })
	apply(t, ns, configMap("gate"))
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%.2000s", err, out.String())
	}
	asked := mine()
	if n := len(asked) - before; n == 0 || n > 8 || len(asked) > 20 {
		t.Errorf("%d requests, %d of them since the root was written:\n%.4000s", len(asked), n, strings.Join(asked, "\n"))
	}
	t.Logf("%d members are shown %s after their root was written, with %d requests", members, took.Round(time.Millisecond), len(asked)-before)
}

// A set at another revision than the one that was waited for is another set.
func TestASetThatMovesOnEndsAWait(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "moved")
	record(t, ns, kustomization("apps", "main@sha1:1", ns+"_never__ConfigMap"))
	w := startWait(t, "-n", ns, "flux/ks/apps", "--timeout=3m").says("Kustomization/apps  ")
	w.stillWaits(2 * time.Second)
	record(t, ns, kustomization("apps", "main@sha1:2", ns+"_never__ConfigMap"))
	w.ends(4, "moved on to revision main@sha1:2")
}

// A Kustomization between two revisions, at an older generation, behind its
// source, or suspended.
func TestASetThatIsBeingWrittenIsNeverDone(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "provisional")
	apply(t, ns, configMap("one"))
	ks := kustomization("apps", "main@sha1:1", ns+"_one__ConfigMap")
	named := func(name, old, with string) string {
		text := strings.Replace(ks, `name: "apps"`, "name: "+name, 1)
		if !strings.Contains(text, old) {
			t.Fatalf("there is no %q", old)
		}
		return strings.Replace(text, old, with, 1)
	}
	source := `---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: repo}
spec: {interval: 1m}
status: {artifact: {revision: "main@sha1:2"}, conditions: [{type: Ready, status: "True", reason: Succeeded, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
`
	record(t, ns, source+
		named("attempted", `lastAttemptedRevision: "main@sha1:1"`, `lastAttemptedRevision: "main@sha1:2"`)+
		named("reconciling", `conditions: [`, `conditions: [{type: Reconciling, status: "True", reason: Progressing, message: "Building manifests"}, `)+
		named("stale", "status:\n", "status:\n  observedGeneration: 0\n")+
		named("behind", "spec: {", "spec: {sourceRef: {kind: GitRepository, name: repo}, ")+
		named("suspended", "spec: {", "spec: {suspend: true, sourceRef: {kind: GitRepository, name: repo}, "))
	for _, name := range []string{"attempted", "reconciling", "stale", "behind"} {
		doc, got := status(t, cluster.ReadOnly, "-n", ns, "flux/ks/"+name)
		doc.wants(t, got, 3, "Kustomization/"+name+" InProgress", "ConfigMap/one Current")
	}
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "flux/ks/suspended")
	if r := doc.member("Kustomization", "suspended"); !strings.Contains(r.Note+r.Message+r.Reason, "uspend") {
		t.Errorf("nothing says that it is suspended\n%s", got)
	}
	w := startWait(t, "-n", ns, "flux/ks/attempted", "--timeout=3m")
	w.stillWaits(2 * time.Second)
	record(t, ns, strings.ReplaceAll(strings.Replace(ks, `name: "apps"`, "name: attempted", 1), "main@sha1:1", "main@sha1:2"))
	w.ends(0, "2 of 2 Current")

	remote := kustomizationIn("", "remote", "main@sha1:1", "kubeConfig: {secretRef: {name: prod}}, ", ns+"_one__ConfigMap", ns+"_never__ConfigMap")
	record(t, ns, remote)
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "flux/ks/remote")
	for _, name := range []string{"one", "never"} {
		r := doc.member("ConfigMap", name)
		if r.Reason != "OtherCluster" || r.UID != "" || r.Status == "Current" {
			t.Errorf("what is in another cluster was looked up here: %+v", r)
		}
	}
	if r := doc.member("Kustomization", "remote"); r.Status != "Current" || got.code != 0 {
		t.Errorf("the root's own health counts where its members cannot be seen\n%s", got)
	}
}
