package e2e

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// Case 7, 8: entries are names as they were encoded, and one that cannot be
// read, or looked up, costs its own row.
func TestEveryEntryOfAnInventoryIsARow(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "entries")
	role := func(name string) string {
		return fmt.Sprintf("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: %q}\nrules: []\n", name)
	}
	apply(t, ns, pair+role("shop:reader")+role("shop_writer")+role("shop__owner")+`
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: front}
spec: {maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: front}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]}
`)
	rbac := "rbac.authorization.k8s.io_"
	record(t, ns, kustomization("apps", "main@sha1:0123456789abcdef",
		ns+"_front_apps_Deployment", ns+"_front-settings__ConfigMap",
		"_"+ns+"__Namespace", "_kstatus-tui__view_"+rbac+"ClusterRole",
		ns+"_shop__reader_"+rbac+"Role", ns+"_shop_writer_"+rbac+"Role", ns+"_shop__owner_"+rbac+"Role",
		ns+"_front_autoscaling_HorizontalPodAutoscaler@v2beta2", // no longer served; the kind is
		ns+"_front_gone.example.org_Widget",
		"garbage", "a_b_c", ns+"_../../secrets__ConfigMap",
	))
	startWait(t, "-n", ns, "deploy/front", "--timeout=3m").ends(0)
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "flux/ks/apps")
	want := []string{
		"Kustomization/apps Current", "Deployment/front Current", "ConfigMap/front-settings Current",
		"Namespace/" + ns + " Current", "ClusterRole/kstatus-tui:view Current",
		"Role/shop:reader Current", "Role/shop_writer Current", "Role/shop__owner Current",
		"Widget/front NotFound",
		"Entry/garbage Unknown", "Entry/a_b_c Unknown", "Entry/" + ns + "_../../secrets__ConfigMap Unknown",
	}
	hpa := doc.member("HorizontalPodAutoscaler", "front")
	if hpa.Status == "" || hpa.Status == "NotFound" || hpa.Status == "Unknown" && hpa.Reason != "NoController" && hpa.UID == "" {
		t.Errorf("the autoscaler is not found by its served version: %+v", hpa)
	}
	doc.wants(t, got, 3, append(want, "HorizontalPodAutoscaler/front "+hpa.Status)...)
	if r := doc.member("Widget", "front"); r.Reason != "KindNotServed" {
		t.Errorf("an unserved kind is not called that: %+v", r)
	}
	for _, r := range doc.Resources {
		if r.Kind == "Entry" && (r.Reason != "UnreadableEntry" || r.Message == "") {
			t.Errorf("nothing says why %s cannot be read: %+v", r.Name, r)
		}
	}
	if got.code == 0 || doc.Verdict == "Current" {
		t.Errorf("green with unreadable entries\n%s", got)
	}
}

// Case 9: whatever Helm has stored, and wherever.
func TestAHelmReleaseIsReadInEveryFormOfStorage(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "helm")
	apply(t, ns, configMap("one")+configMap("two"))
	one := "# Source: shop/templates/one.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n"
	two := strings.ReplaceAll(one, "one", "two")
	for _, test := range []struct {
		name    string
		records []helmRecord
		code    int
		want    []string
	}{
		{"as a Secret", []helmRecord{{manifest: "---\n" + one}}, 0, []string{"Release Current", "ConfigMap/one Current"}},
		{"not compressed", []helmRecord{{manifest: "---\n" + one, plain: true}}, 0, []string{"Release Current", "ConfigMap/one Current"}},
		{"as a ConfigMap", []helmRecord{{manifest: "---\n" + one, driver: "configmap"}}, 0, []string{"Release Current", "ConfigMap/one Current"}},
		{
			"the tenth revision after the ninth",
			[]helmRecord{{version: 9, status: "superseded", manifest: two}, {version: 10, manifest: one}},
			0,
			[]string{"Release Current", "ConfigMap/one Current"},
		},
		{
			"failed after deployed",
			[]helmRecord{{version: 4, manifest: one}, {version: 5, status: "failed", manifest: one + "---\n" + two}},
			2,
			[]string{"Release Failed", "ConfigMap/one Current", "ConfigMap/two Current"},
		},
		{
			"a List, and documents that are glued to their separators",
			[]helmRecord{{manifest: "---apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n---apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: two}\n---\n# nothing\n"}},
			0,
			[]string{"Release Current", "ConfigMap/one Current", "ConfigMap/two Current"},
		},
		{
			"an object that was never created",
			[]helmRecord{{manifest: one + "---\n" + strings.ReplaceAll(one, "one", "three")}},
			3,
			[]string{"Release Current", "ConfigMap/one Current", "ConfigMap/three NotFound"},
		},
		{"corrupted", []helmRecord{{manifest: one, spoil: true}}, 3, []string{"Release Unknown"}},
		{
			"five megabytes",
			[]helmRecord{{manifest: one + "data:\n  filler: " + strings.Repeat("x", 5<<20) + "\n---\n" + two}},
			0,
			[]string{"Release Current", "ConfigMap/one Current", "ConfigMap/two Current"},
		},
		{
			"beyond the cap",
			[]helmRecord{{manifest: one + "data:\n  filler: " + strings.Repeat("x", 33<<20) + "\n"}},
			3,
			[]string{"Release Unknown"},
		},
		{
			"hooks that are over, and have been deleted",
			[]helmRecord{{manifest: one, hooks: []map[string]any{{
				"name": "migrate", "kind": "Job", "events": []string{"pre-upgrade"}, "last_run": map[string]any{"phase": "Succeeded"},
				"manifest": "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n",
			}}}},
			0,
			[]string{"Release Current", "ConfigMap/one Current"},
		},
		{
			"a hook that runs",
			[]helmRecord{{version: 3, status: "pending-upgrade", manifest: one, hooks: []map[string]any{{
				"name": "migrate", "kind": "Job", "events": []string{"pre-upgrade"}, "last_run": map[string]any{"phase": "Running"},
				"manifest": "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n",
			}}}},
			3,
			[]string{"Release InProgress", "ConfigMap/one Current", "Job/migrate NotFound"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			name := strings.Map(func(r rune) rune {
				if r < 'a' || r > 'z' {
					return -1
				}
				return r
			}, test.name)
			for _, r := range test.records {
				r.release = name
				if r.version == 0 {
					r.version = 1
				}
				if r.status == "" {
					r.status = "deployed"
				}
				r.store(t, ns)
			}
			doc, got := status(t, cluster.ReadOnly, "-n", ns, "helm/"+name)
			for i := range test.want {
				test.want[i] = strings.Replace(test.want[i], "Release ", "Release/"+name+" ", 1)
			}
			doc.wants(t, got, test.code, test.want...)
			if strings.Contains(got.stdout+got.stderr, "never-to-be-seen") {
				t.Error("a value of the release is shown")
			}
		})
	}
}

// Case 9, 6: without the right to read Secrets, the release is followed by what
// Helm wrote on its objects, and that is said.
func TestAReleaseIsFollowedByItsLabelsWhereSecretsMayNotBeRead(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "helm")
	mine := `---
apiVersion: v1
kind: ConfigMap
metadata: {name: one, labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: shop, meta.helm.sh/release-namespace: %s}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: others, labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: other, meta.helm.sh/release-namespace: %s}}
`
	apply(t, ns, fmt.Sprintf(mine, ns, ns))
	helmRecord{release: "shop", version: 2, status: "deployed", manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n"}.store(t, ns)
	as := allowed(t, ns, `{apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}`)
	doc, got := status(t, cluster.Admin, "-n", ns, "--as="+as, "helm/shop")
	doc.wants(t, got, 0, "Release/shop Current", "ConfigMap/one Current")
	if r := doc.member("Release", "shop"); !strings.Contains(r.Note+r.Message, "labels") {
		t.Errorf("nothing says that it is followed by labels\n%s", got)
	}
}

// allowed is a user who may do in a namespace what the rules say.
func allowed(t *testing.T, ns string, rules ...string) string {
	t.Helper()
	name := "somebody-in-" + ns
	text := fmt.Sprintf(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: somebody}
rules:
%s---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: somebody}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: somebody}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %s}]
`, "- "+strings.Join(rules, "\n- ")+"\n", name)
	apply(t, ns, text)
	objs, err := cluster.Objects([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	given, _, _ := unstructured.NestedSlice(objs[0].Object, "rules")
	first := func(field string) string {
		list, _, _ := unstructured.NestedStringSlice(given[0].(map[string]any), field)
		return append(list, "")[0]
	}
	if err := shared.WaitAllowed(t.Context(), ns, cluster.User(name), first("verbs"), first("apiGroups"), first("resources"), first("resourceNames")); err != nil {
		t.Fatal(err)
	}
	return name
}

func kappApp(name, spec string) string {
	return fmt.Sprintf("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, labels: {kapp.k14s.io/is-app: \"\"}}\ndata:\n  spec: '%s'\n", name, spec)
}

// Case 10: kapp's label is on what its objects generate, too.
func TestAKappAppHoldsObjectsThatCarryItsIdentity(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "kapp")
	apply(t, ns, kappApp("shop.apps.k14s.io", `{"labelKey":"kapp.k14s.io/app","labelValue":"17115","lastChangeName":"shop-change-a","lastChange":{"successful":true,"namespaces":["`+ns+`"]},"usedGKs":[{"Group":"apps","Kind":"Deployment"},{"Group":"","Kind":"ConfigMap"},{"Group":"","Kind":"Pod"}]}`)+
		kappApp("old", `{"labelKey":"kapp.k14s.io/app","labelValue":"17115","lastChange":{"successful":true}}`)+
		kappApp("busy", `{"labelKey":"kapp.k14s.io/app","labelValue":"17116","lastChange":{"startedAt":"2026-01-01T00:00:00Z"},"usedGKs":[{"Group":"","Kind":"ConfigMap"}]}`)+
		kappApp("failed", `{"labelKey":"kapp.k14s.io/app","labelValue":"17116","lastChange":{"successful":false,"description":"update: Op: 1 create"},"usedGKs":[{"Group":"","Kind":"ConfigMap"}]}`)+
		fmt.Sprintf(`
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: front, labels: {kapp.k14s.io/app: "17115"}, annotations: {kapp.k14s.io/identity: v1;%[1]s/apps/Deployment/front;apps/v1}}
spec:
  replicas: 2
  selector: {matchLabels: {app: front}}
  template:
    metadata: {labels: {app: front, kapp.k14s.io/app: "17115"}}
    spec:
      containers: [{name: front, image: "registry.example.com/shop/front:1"}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {kapp.k14s.io/app: "17115"}, annotations: {kapp.k14s.io/identity: v1;%[1]s//ConfigMap/settings;v1}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: copied, labels: {kapp.k14s.io/app: "17115"}, annotations: {kapp.k14s.io/identity: v1;%[1]s//ConfigMap/settings;v1}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other, labels: {kapp.k14s.io/app: "17116"}, annotations: {kapp.k14s.io/identity: v1;%[1]s//ConfigMap/other;v1}}
`, ns))
	startWait(t, "-n", ns, "deploy/front", "--timeout=3m").ends(0)
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "kapp/shop")
	doc.wants(t, got, 0, "ConfigMap/shop.apps.k14s.io Current", "Deployment/front Current", "ConfigMap/settings Current")
	// By its shape, under its full name, too.
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "cm/shop.apps.k14s.io")
	doc.wants(t, got, 0, "ConfigMap/shop.apps.k14s.io Current", "Deployment/front Current", "ConfigMap/settings Current")
	// One that does not say which kinds it uses: all are looked through.
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "kapp/old")
	doc.wants(t, got, 0, "ConfigMap/old Current", "Deployment/front Current", "ConfigMap/settings Current")

	doc, got = status(t, cluster.ReadOnly, "-n", ns, "kapp/busy")
	doc.wants(t, got, 3, "ConfigMap/busy InProgress", "ConfigMap/other Current")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "kapp/failed")
	doc.wants(t, got, 2, "ConfigMap/failed Failed", "ConfigMap/other Current")
	startWait(t, "-n", ns, "kapp/busy", "--timeout=10s").ends(3, "a change is being applied")
}

// Case 11.
func TestTheMembersOfAnApplySetAreTheObjectsWithItsLabel(t *testing.T) {
	t.Parallel()
	ns, more := namespace(t, "applyset"), namespace(t, "applyset-more")
	parent := func(apiVersion, kind, name, id, annotations string) string {
		return fmt.Sprintf("---\napiVersion: %s\nkind: %s\nmetadata: {name: %s, labels: {applyset.kubernetes.io/id: %s}, annotations: {applyset.kubernetes.io/tooling: kubectl/v1.36%s}}\n",
			apiVersion, kind, name, id, annotations)
	}
	kinds := ", applyset.kubernetes.io/contains-group-kinds: \"ConfigMap,Deployment.apps\""
	part := "applyset.kubernetes.io/part-of: "
	record(t, ns, parent("v1", "Secret", "first", "applyset-a-v1", kinds+", applyset.kubernetes.io/additional-namespaces: "+more)+
		parent("v1", "ConfigMap", "second", "applyset-b-v1", "")+
		parent("v1", "ConfigMap", "unserved", "applyset-b-v1", ", applyset.kubernetes.io/contains-group-kinds: \"ConfigMap,Widget.gone.example.org\"")+
		parent("v1", "ConfigMap", "empty", "applyset-e-v1", ", applyset.kubernetes.io/contains-group-kinds: \"ConfigMap\"")+
		configMap("one", part+"applyset-a-v1")+configMap("two", part+"applyset-b-v1")+configMap("neither"))
	apply(t, more, configMap("three", part+"applyset-a-v1"))

	doc, got := status(t, cluster.ReadOnly, "-n", ns, "applyset/first")
	doc.wants(t, got, 0, "Secret/first Current", "ConfigMap/one Current", "ConfigMap/three Current")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "secret/first")
	doc.wants(t, got, 0, "Secret/first Current", "ConfigMap/one Current", "ConfigMap/three Current")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "applyset/configmap/second")
	doc.wants(t, got, 0, "ConfigMap/second Current", "ConfigMap/two Current")
	if r := doc.member("ConfigMap", "second"); !strings.Contains(r.Note, "does not say which kinds") {
		t.Errorf("nothing says that all kinds were looked through\n%s", got)
	}
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "applyset/configmap/unserved") // of that kind nobody can see what there is
	doc.wants(t, got, 3, "ConfigMap/unserved InProgress", "ConfigMap/two Current")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "applyset/configmap/empty")
	doc.wants(t, got, 3, "ConfigMap/empty InProgress")

	// An instance of kro is a parent; its nodes bear their names in the graph,
	// under the old labels or the new ones.
	record(t, ns, `
apiVersion: kro.run/v1alpha1
kind: WebShop
metadata:
  name: shop
  labels: {applyset.kubernetes.io/id: applyset-c-v1}
  annotations: {applyset.kubernetes.io/tooling: kro/v0.9.3, applyset.kubernetes.io/contains-group-kinds: ConfigMap}
spec: {size: 1}
status: {state: ACTIVE, conditions: [{type: Ready, status: "True", reason: Ready, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
`+configMap("shop-old", part+"applyset-c-v1", "kro.run/node-id: settings")+
		configMap("shop-new", part+"applyset-c-v1", "internal.kro.run/node-id: shelves", `internal.kro.run/collection-index: "2"`, `internal.kro.run/collection-size: "5"`,
			"internal.kro.run/instance-kind: WebShop", "internal.kro.run/instance-group: kro.run", "internal.kro.run/instance-name: shop", "internal.kro.run/instance-namespace: "+ns))
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "kro/webshop/shop")
	doc.wants(t, got, 0, "WebShop/shop Current", "ConfigMap/shop-old Current", "ConfigMap/shop-new Current")
	if a, b := doc.member("ConfigMap", "shop-old").Note, doc.member("ConfigMap", "shop-new").Note; a != "settings" || b != "shelves 3 of 5" {
		t.Errorf("the nodes are called %q and %q", a, b)
	}
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "--owner", "cm/shop-new")
	doc.wants(t, got, 0, "WebShop/shop Current", "ConfigMap/shop-old Current", "ConfigMap/shop-new Current")
}

// Case 12.
func TestAResourceGroupIsReadByItsListAndNotByItsReportedStatuses(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "group")
	group := func(name, state string) string {
		return fmt.Sprintf(`---
apiVersion: kpt.dev/v1alpha1
kind: ResourceGroup
metadata: {name: %s, labels: {cli-utils.sigs.k8s.io/inventory-id: id-of-%s}}
spec:
  resources:
  - {group: apps, kind: Deployment, namespace: %q, name: front}
  - {group: "", kind: ConfigMap, namespace: %q, name: front-settings}
  - {group: "", kind: Namespace, namespace: "", name: %s}
%s`, name, name, ns, ns, ns, state)
	}
	apply(t, ns, pair)
	said := func(more string) string {
		return "status:\n" + more + "  resourceStatuses:\n  - {group: apps, kind: Deployment, namespace: " + ns + ", name: front, status: Failed, strategy: Apply, actuation: Succeeded, reconcile: Failed}\n"
	}
	record(t, ns, group("disabled", "")+group("said", said(""))+group("stale", said("  observedGeneration: 0\n"))+
		group("applying", strings.Replace(said(""), "actuation: Succeeded", "actuation: Pending", 1)))
	startWait(t, "-n", ns, "deploy/front", "--timeout=3m").ends(0)
	rows := []string{"Deployment/front Current", "ConfigMap/front-settings Current", "Namespace/" + ns + " Current"}

	doc, got := status(t, cluster.ReadOnly, "-n", ns, "inventory/disabled")
	doc.wants(t, got, 0, append(rows, "ResourceGroup/disabled Current")...)
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "inventory/id-of-said")
	doc.wants(t, got, 0, append(rows, "ResourceGroup/said Current")...)
	if note := doc.member("Deployment", "front").Note; !strings.Contains(note, "says Failed") {
		t.Errorf("what the ResourceGroup says is not shown: %q", note)
	}
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "resourcegroup/stale")
	doc.wants(t, got, 3, append(rows, "ResourceGroup/stale InProgress")...)
	if note := doc.member("Deployment", "front").Note; strings.Contains(note, "says") {
		t.Errorf("what it said of an older list is shown: %q", note)
	}
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "resourcegroup/applying")
	doc.wants(t, got, 3, append(rows, "ResourceGroup/applying InProgress")...)
}

// Case 13.
func TestAnApplicationIsItsResourcesAndNotItsHealth(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "argo")
	app := func(name, destination, state string, resources ...string) string {
		return fmt.Sprintf(`---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: %s}
spec: {destination: {%s}}
status:
  health: {status: Healthy}
  sync: {status: Synced, revision: 0123456789abcdef}
  %s
  resources: [%s]
`, name, destination, state, strings.Join(resources, ", "))
	}
	here := "server: https://kubernetes.default.svc, namespace: " + ns
	front := func(more string) string {
		return "{group: apps, version: v1, kind: Deployment, namespace: " + ns + ", name: front, status: Synced" + more + "}"
	}
	settings := "{version: v1, kind: ConfigMap, name: front-settings, status: Synced}" // no namespace: the destination's
	hook := "{group: batch, version: v1, kind: Job, namespace: " + ns + ", name: migrate, hook: true}"
	old := "{version: v1, kind: ConfigMap, namespace: " + ns + ", name: old, status: OutOfSync, requiresPruning: true}"
	apply(t, ns, pair+configMap("old"))
	record(t, ns, app("tree", here, "resourceHealthSource: appTree", front(""), settings, hook, old)+
		app("inline", here, "operationState: {phase: Succeeded}", front(", health: {status: Degraded}"), settings)+
		app("running", here, "operationState: {phase: Running}", front(", health: {status: Healthy}"), settings)+
		app("remote", "server: https://elsewhere.example.com, namespace: "+ns, "operationState: {phase: Succeeded}", front(", health: {status: Healthy}"))+
		app("missing", here, "operationState: {phase: Succeeded}", front(""), "{version: v1, kind: ConfigMap, namespace: "+ns+", name: never, status: OutOfSync}"))
	startWait(t, "-n", ns, "deploy/front", "--timeout=3m").ends(0)

	doc, got := status(t, cluster.ReadOnly, "-n", ns, "argo/tree")
	doc.wants(t, got, 0, "Application/tree Current", "Deployment/front Current", "ConfigMap/front-settings Current", "Job/migrate NotFound", "ConfigMap/old Current")
	if j, o := doc.member("Job", "migrate"), doc.member("ConfigMap", "old"); !j.Optional || j.Note != "hook" || !o.Optional || o.Note != "to be pruned" {
		t.Errorf("want a hook and what is to be pruned: %+v, %+v", j, o)
	}
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "app.argoproj.io/inline")
	doc.wants(t, got, 0, "Application/inline Current", "Deployment/front Current", "ConfigMap/front-settings Current")
	if note := doc.member("Deployment", "front").Note; !strings.Contains(note, "Argo CD says Degraded") {
		t.Errorf("what Argo CD says is not shown: %q", note)
	}
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "argo/running")
	doc.wants(t, got, 3, "Application/running InProgress", "Deployment/front Current", "ConfigMap/front-settings Current")

	// In another cluster there is one of the same name, which is not this one.
	remove(t, ns, pair)
	gone(t, "apps/v1", "Deployment", ns, "front")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "argo/remote")
	r := doc.member("Deployment", "front")
	if r.Reason != "OtherCluster" || r.UID != "" || r.Status != "Current" || !strings.Contains(r.Message, "elsewhere.example.com") {
		t.Errorf("want what Argo CD says, and that it is elsewhere: %+v\n%s", r, got)
	}
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "argo/missing")
	doc.wants(t, got, 3, "Application/missing Current", "Deployment/front NotFound", "ConfigMap/never NotFound")
}

// Case 14: what Timoni is about to apply is its set, while it does.
func TestATimoniInstanceHoldsTheObjectsItIsAboutToApply(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "timoni")
	instance := func(names ...string) string {
		var entries []string
		for _, n := range names {
			entries = append(entries, fmt.Sprintf(`{"id":"%s_%s__ConfigMap","v":"v1"}`, ns, n))
		}
		return base64.StdEncoding.EncodeToString([]byte(`{"kind":"Instance","metadata":{"name":"shop"},"module":{"version":"1.2.3"},"values":"password: never-to-be-seen","inventory":{"entries":[` + strings.Join(entries, ",") + `]}}`))
	}
	secret := func(data string) string {
		return "---\napiVersion: v1\nkind: Secret\nmetadata: {name: timoni.shop, labels: {app.kubernetes.io/created-by: timoni}}\ntype: timoni.sh/instance\ndata: {" + data + "}\n"
	}
	apply(t, ns, configMap("one")+secret("instance: "+instance("one")))
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "timoni/shop")
	doc.wants(t, got, 0, "Secret/timoni.shop Current", "ConfigMap/one Current")
	apply(t, ns, secret("instance: "+instance("one")+", pending: "+instance("one", "two")))
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "timoni/shop")
	doc.wants(t, got, 3, "Secret/timoni.shop InProgress", "ConfigMap/one Current", "ConfigMap/two NotFound")
	if strings.Contains(got.stdout+got.stderr, "never-to-be-seen") {
		t.Error("a value of the instance is shown")
	}
}

// Case 15.
func TestACompositeHoldsItsResourceRefs(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "crossplane")
	ready := `{conditions: [{type: Synced, status: "%s", reason: ReconcileSuccess, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Ready, status: "True", reason: Available, lastTransitionTime: "2026-01-01T00:00:00Z"}]}`
	composite := func(apiVersion, kind, name, synced, refs string) string {
		if kind == "Store" {
			refs = "{crossplane: {resourceRefs: [" + refs + "]}}"
		} else {
			refs = "{resourceRefs: [" + refs + "]}"
		}
		return fmt.Sprintf("---\napiVersion: %s\nkind: %s\nmetadata: {name: %s}\nspec: %s\nstatus: %s\n", apiVersion, kind, name, refs, fmt.Sprintf(ready, synced))
	}
	one := "{apiVersion: v1, kind: ConfigMap, name: one}"
	first := "{apiVersion: v1, kind: ConfigMap, namespace: " + ns + ", name: one}"
	apply(t, ns, configMap("one"))
	x := composite("shop.example.org/v1", "XStore", ns, "True", first)
	t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), "", x) })
	record(t, ns, x+composite("shop.example.org/v2", "Store", "whole", "True", one)+
		composite("shop.example.org/v2", "Store", "composing", "False", one)+
		composite("shop.example.org/v2", "Store", "missing", "True", one+", {apiVersion: v1, kind: ConfigMap, name: never}"))
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "xstore/"+ns)
	doc.wants(t, got, 0, "XStore/"+ns+" Current", "ConfigMap/one Current")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "store/whole")
	doc.wants(t, got, 0, "Store/whole Current", "ConfigMap/one Current")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "store/missing")
	doc.wants(t, got, 3, "Store/missing Current", "ConfigMap/one Current", "ConfigMap/never NotFound")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "store/composing")
	if doc.Verdict == "Current" || got.code == 0 {
		t.Errorf("green although it is not synced\n%s", got)
	}
}

// cli-utils' own inventory, in a ConfigMap.
func TestAnInventoryInAConfigMapIsItsKeys(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "inventory")
	record := func(name string, lines ...string) string {
		return fmt.Sprintf("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, labels: {cli-utils.sigs.k8s.io/inventory-id: id-of-%s}}\ndata:\n  %s\n",
			name, name, strings.Join(lines, "\n  "))
	}
	apply(t, ns, pair+configMap("old")+
		record("plain", ns+`_front_apps_Deployment: ""`, ns+`_front-settings__ConfigMap: ""`)+
		record("applying", ns+`_front_apps_Deployment: '{"strategy":"Apply","actuation":"Pending","reconcile":"Unknown"}'`)+
		record("pruning", ns+`_front_apps_Deployment: '{"strategy":"Apply","actuation":"Succeeded","reconcile":"Succeeded"}'`, ns+`_old__ConfigMap: '{"strategy":"Delete","actuation":"Succeeded","reconcile":"Pending"}'`))
	apply(t, ns, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: empty, labels: {cli-utils.sigs.k8s.io/inventory-id: none}}\n")
	startWait(t, "-n", ns, "deploy/front", "--timeout=3m").ends(0)
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "inventory/plain")
	doc.wants(t, got, 0, "ConfigMap/plain Current", "Deployment/front Current", "ConfigMap/front-settings Current")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "inventory/id-of-plain")
	doc.wants(t, got, 0, "ConfigMap/plain Current", "Deployment/front Current", "ConfigMap/front-settings Current")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "cm/applying")
	doc.wants(t, got, 3, "ConfigMap/applying InProgress", "Deployment/front Current")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "inventory/pruning")
	if got.code != 0 || doc.member("ConfigMap", "old").Note != "to be pruned" {
		t.Errorf("want what is to be pruned named as that\n%s", got)
	}
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "inventory/empty")
	doc.wants(t, got, 3, "ConfigMap/empty InProgress")
	doc, got = status(t, cluster.ReadOnly, "-n", ns, "--expand=none", "cm/applying")
	doc.wants(t, got, 0, "ConfigMap/applying Current")
}
