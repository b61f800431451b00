package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// The cases that following inventories must pass, and the scenarios that show
// them. Where a name is in brackets it is another file's.
//
//	 1      a kind and its objects in one file     TestAManifestMayDefineTheKindThatItUses, [TestAWaitTakesAKindWhoseDefinitionComesLate]
//	 2, 3   forms of input; -n against the file    TestEveryFormOfInputNamesTheSameObjects
//	 4, 5   scopes; generated names                TestClusterScopedAndGeneratedNamesAreFollowed
//	 6      rights that are missing                TestAMissingPermissionIsNamedInTheRow, TestAReleaseIsFollowedByItsLabelsWhereSecretsMayNotBeRead
//	 7, 8   id strings; stale and unserved kinds   TestEveryEntryOfAnInventoryIsARow
//	 9      Helm's records                         TestAHelmReleaseIsReadInEveryFormOfStorage
//	10      kapp                                   TestAKappAppHoldsObjectsThatCarryItsIdentity
//	11      ApplySets and kro                      TestTheMembersOfAnApplySetAreTheObjectsWithItsLabel, TestWritersKubectlAppliesAndPrunesAnApplySet
//	12      ResourceGroup (and ConfigMap)          TestAResourceGroupIsReadByItsListAndNotByItsReportedStatuses, TestAnInventoryInAConfigMapIsItsKeys
//	13      Argo CD                                TestAnApplicationIsItsResourcesAndNotItsHealth
//	14      Timoni                                 TestATimoniInstanceHoldsTheObjectsItIsAboutToApply
//	15      composites                             TestACompositeHoldsItsResourceRefs
//	16      a member is added                      TestAMemberThatComesLaterIsWaitedFor
//	17      a member is pruned                     TestAPrunedMemberIsFollowedUntilItHasGone, TestAWaitHoldsOutForAPruneAndNotForAFinalizer
//	18      pruned, but kept                       TestAnObjectThatWasKeptWhenPrunedDoesNotCount
//	19      created after the start                TestAnInventoryThatDoesNotExistYetIsWaitedFor
//	20, 21  deleted; recreated                     TestADeletedInventoryEndsAWaitWith4
//	22, 35  empty, and back                        TestASetThatBecomesEmptyIsNotDone
//	23      Helm's revisions                       TestAReleaseIsFollowedThroughItsRevisions, TestWritersHelmInstallsUpgradesFailsAndRollsBack
//	24      a HelmRelease at work                  TestAHelmReleaseDuringAnUpgradeIsReadFromItsStoredRevision
//	25, 26  a kind comes and goes                  TestAMemberIsFollowedWhenItsKindComesAndGoes
//	27      lost connections, 410, tokens          [TestAlone_TheRowsOutliveAnAPIServerThatIsStoppedAndStarted, TestATokenThatExpiresHealsWithItsFile]
//	28      sets within sets, and cycles           TestInventoriesWithinInventoriesAreFollowedToTheirMembers
//	29      one object in two sets                 TestAnObjectInTwoInventoriesIsShownOnce
//	30      a thousand members                     TestAThousandMembersTakeAHandfulOfRequests
//	31-34   exit codes, last words, failures       TestAWaitForAnInventoryEndsWithItsCode, TestADeletedInventoryEndsAWaitWith4
//	36      a generation in words                  TestARolloutWithItsGenerationInWordsHasAStatus
//	37, 38  pipes, terminals and neither           TestManifestsComeThroughAPipeAndKeysFromTheTerminal, [TestASignalEndsTheDashboardAndRestoresTheTerminal]
//	39      another apply went beyond              [TestAWaitHoldsOutForTheGenerationThatWasApplied]
//
// And beyond the list: every other writer's sets, live, under all their names,
// and in the list of inventories (TestEveryOtherWritersSetIsFollowedUnderAllItsNames),
// what is in another cluster, what a writer leaves out of its health, and what is
// read of a release's Secret.
//
// The scenarios about inventories play the controllers that write them: no
// Flux, no Argo CD runs here, their definitions are minimal ones that keep
// whatever is put into them.

var defined sync.Once

// writers defines the kinds of those who record what they applied.
func writers(t *testing.T) {
	t.Helper()
	var err error
	defined.Do(func() {
		kinds := servedKind("kustomize.toolkit.fluxcd.io", "Namespaced", "Kustomization", "kustomizations", "v1") +
			servedKind("helm.toolkit.fluxcd.io", "Namespaced", "HelmRelease", "helmreleases", "v2") +
			servedKind("source.toolkit.fluxcd.io", "Namespaced", "GitRepository", "gitrepositories", "v1") +
			servedKind("argoproj.io", "Namespaced", "Application", "applications", "v1alpha1") +
			servedKind("argoproj.io", "Namespaced", "Rollout", "rollouts", "v1alpha1") +
			servedKind("kpt.dev", "Namespaced", "ResourceGroup", "resourcegroups", "v1alpha1") +
			servedKind("kro.run", "Namespaced", "WebShop", "webshops", "v1alpha1") +
			servedKind("shop.example.org", "Cluster", "XStore", "xstores", "v1") +
			servedKind("shop.example.org", "Namespaced", "Store", "stores", "v2")
		defineOnce(t, kinds)
		if err = shared.Apply(t.Context(), "", kinds); err != nil {
			return
		}
		// They are served a moment after they are defined.
		for apiVersion, kinds := range map[string][]string{
			"kustomize.toolkit.fluxcd.io/v1": {"Kustomization"}, "helm.toolkit.fluxcd.io/v2": {"HelmRelease"},
			"source.toolkit.fluxcd.io/v1": {"GitRepository"}, "argoproj.io/v1alpha1": {"Application", "Rollout"},
			"kpt.dev/v1alpha1": {"ResourceGroup"}, "kro.run/v1alpha1": {"WebShop"},
			"shop.example.org/v1": {"XStore"}, "shop.example.org/v2": {"Store"},
		} {
			for _, kind := range kinds {
				deadline := time.Now().Add(patience)
				for {
					on, e := shared.Kind(t.Context(), apiVersion, kind, "default")
					if e == nil {
						if _, e = on.List(t.Context(), metav1.ListOptions{Limit: 1}); e == nil {
							break
						}
					}
					if err = e; time.Now().After(deadline) {
						return
					}
					time.Sleep(100 * time.Millisecond)
					err = nil
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// record writes objects as their controllers would: the status after the rest,
// as of the generation that the object then has, unless it says otherwise.
func record(t *testing.T, ns, manifest string) {
	t.Helper()
	writers(t)
	objs, err := cluster.Objects([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	for _, obj := range objs {
		state, _ := obj.Object["status"].(map[string]any)
		delete(obj.Object, "status")
		text, err := json.Marshal(obj.Object)
		if err != nil {
			t.Fatal(err)
		}
		apply(t, ns, string(text))
		if state == nil {
			continue
		}
		if obj.GetNamespace() == "" {
			obj.SetNamespace(ns)
		}
		if _, ok := state["observedGeneration"]; !ok {
			state["observedGeneration"] = fetch(t, obj).GetGeneration()
		}
		patch, err := json.Marshal(map[string]any{"status": state})
		if err != nil {
			t.Fatal(err)
		}
		if err := shared.PatchStatus(t.Context(), obj.GetAPIVersion(), obj.GetKind(), obj.GetNamespace(), obj.GetName(), string(patch)); err != nil {
			t.Fatal(err)
		}
	}
}

func fetch(t *testing.T, obj *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	on, err := shared.Kind(t.Context(), obj.GetAPIVersion(), obj.GetKind(), obj.GetNamespace())
	if err != nil {
		t.Fatal(err)
	}
	got, err := on.Get(t.Context(), obj.GetName(), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func remove(t *testing.T, ns, manifest string) {
	t.Helper()
	if err := shared.Delete(t.Context(), ns, manifest); err != nil {
		t.Fatal(err)
	}
}

func patch(t *testing.T, apiVersion, kind, ns, name, text string) {
	t.Helper()
	on, err := shared.Kind(t.Context(), apiVersion, kind, ns)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := on.Patch(t.Context(), name, types.MergePatchType, []byte(text), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

func configMap(name string, labels ...string) string {
	return fmt.Sprintf("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %q, labels: {%s}}\n", name, strings.Join(labels, ", "))
}

// kustomization is one that has applied a revision, as it is when all is well.
// An id begins with the namespace.
func kustomization(name, revision string, ids ...string) string {
	return kustomizationIn("", name, revision, "", ids...)
}

// kustomizationIn has further fields of the spec, in the flow style of YAML.
func kustomizationIn(ns, name, revision, spec string, ids ...string) string {
	var entries strings.Builder
	for _, id := range ids {
		version := "v1"
		if at, v, ok := strings.Cut(id, "@"); ok {
			id, version = at, v
		}
		fmt.Fprintf(&entries, "{id: %q, v: %s}, ", id, version)
	}
	return fmt.Sprintf(`---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: %q, namespace: %q}
spec: {interval: 1m, %s}
status:
  lastAppliedRevision: %q
  lastAttemptedRevision: %q
  conditions: [{type: Ready, status: "True", reason: ReconciliationSucceeded, message: "Applied revision", lastTransitionTime: "2026-01-01T00:00:00Z"}]
  inventory: {entries: [%s]}
`, name, ns, spec, revision, revision, entries.String())
}

// member finds the entry of an object anywhere in the document.
func (d document) member(kind, name string) resource {
	if r := d.resource(kind, name); r != nil {
		return *r
	}
	return resource{}
}

// states is every resource as "Kind/name Status", sorted.
func (d document) states() []string {
	var out []string
	for _, r := range d.Resources {
		out = append(out, r.Kind+"/"+r.Name+" "+r.Status)
	}
	slices.Sort(out)
	return out
}

// wants compares the followed objects and their statuses with "Kind/name
// Status" each.
func (d document) wants(t *testing.T, got outcome, code int, states ...string) {
	t.Helper()
	slices.Sort(states)
	if got.code != code || !slices.Equal(d.states(), states) {
		t.Errorf("want exit %d and\n  %s\ngot\n  %s\n%s", code, strings.Join(states, "\n  "), strings.Join(d.states(), "\n  "), got)
	}
}

// helmRecord is what Helm stores of a revision of a release.
type helmRecord struct {
	release  string
	version  int
	status   string
	manifest string
	hooks    []map[string]any
	driver   string // "configmap"; a Secret otherwise
	plain    bool   // not compressed, as old releases are
	spoil    bool
}

func (h helmRecord) object(t *testing.T, ns string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"name": h.release, "namespace": ns, "version": h.version, "manifest": h.manifest, "hooks": h.hooks,
		"info": map[string]any{
			"status": h.status, "description": "Release " + h.status,
			"first_deployed": "2026-01-01T00:00:00Z", "last_deployed": time.Now().UTC().Format(time.RFC3339),
		},
		"chart":  map[string]any{"metadata": map[string]any{"name": "shop", "version": "1.2.3"}},
		"config": map[string]any{"password": "never-to-be-seen"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !h.plain {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(body)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		body = b.Bytes()
	}
	if h.spoil {
		body = body[:len(body)/2]
	}
	payload := base64.StdEncoding.EncodeToString(body)
	kind := "Secret"
	if h.driver == "configmap" {
		kind = "ConfigMap"
	} else {
		payload = base64.StdEncoding.EncodeToString([]byte(payload))
	}
	obj := map[string]any{
		"apiVersion": "v1", "kind": kind,
		"metadata": map[string]any{
			"name": fmt.Sprintf("sh.helm.release.v1.%s.v%d", h.release, h.version),
			"labels": map[string]any{
				"owner": "helm", "name": h.release, "version": fmt.Sprint(h.version), "status": h.status, "modifiedAt": "1767225600",
			},
		},
		"data": map[string]any{"release": payload},
	}
	if kind == "Secret" {
		obj["type"] = "helm.sh/release.v1"
	}
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (h helmRecord) store(t *testing.T, ns string) {
	t.Helper()
	apply(t, ns, h.object(t, ns))
}

// gone waits until an object is no longer there.
func gone(t *testing.T, apiVersion, kind, ns, name string) {
	t.Helper()
	on, err := shared.Kind(t.Context(), apiVersion, kind, ns)
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(patience)
	for {
		if _, err := on.Get(t.Context(), name, metav1.GetOptions{}); apierrors.IsNotFound(err) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s/%s stays", kind, name)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
