package dump

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// tree writes files into a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	onePod  = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop, uid: u-web, resourceVersion: \"1\"}\n"
	noPods  = "apiVersion: v1\nkind: PodList\nmetadata: {resourceVersion: \"5\"}\nitems: []\n"
	podPath = "/api/v1/namespaces/shop/pods"
)

// Dumps that other tools were reported to read wrongly, or that were written
// otherwise than expected. wants are answers' codes, and what the text contains.
func TestDumpsOfPublicReports(t *testing.T) {
	type want struct {
		code int
		text string
	}
	for name, x := range map[string]struct {
		files map[string]string
		wants map[string]want
	}{
		"gmeghnag/omc#147: the list of Pods is missing, each Pod is there": {
			map[string]string{"mg/img/namespaces/shop/pods/web/web.yaml": "---\n" + onePod},
			map[string]want{podPath: {200, "u-web"}, podPath + "/web": {200, "u-web"}, podPath + "/other": {403, feed.NotSaved}},
		},
		"openshift/oc pkg/cli/admin/inspect/namespace.go: each Pod is there twice, and the list decides": {
			map[string]string{
				"mg/img/namespaces/shop/core/pods.yaml":        "---\napiVersion: v1\nkind: PodList\nmetadata: {resourceVersion: \"5\"}\nitems:\n- metadata: {name: web, namespace: shop, uid: u-of-the-list, resourceVersion: \"1\"}\n",
				"mg/img/namespaces/shop/pods/web/web.yaml":     "---\n" + strings.Replace(onePod, `"1"`, `"7"`, 1),
				"mg/img/namespaces/shop/pods/later/later.yaml": "---\n" + strings.Replace(onePod, "name: web", "name: later", 1),
			},
			map[string]want{podPath + "/web": {200, "u-of-the-list"}, podPath + "/later": {404, "not found"}},
		},
		"the folder of docs/saved-cluster.md": {
			map[string]string{
				"saved/cluster/nodes.yaml":                         "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: n1}\n",
				"saved/cluster/storageclasses.storage.k8s.io.yaml": "apiVersion: v1\nkind: List\nitems: []\n",
				"saved/cluster/pods.yaml":                          "apiVersion: v1\nkind: List\nitems: []\n", // of a namespace with that name
			},
			map[string]want{
				"/api/v1/nodes/n1": {200, "n1"}, "/api/v1/nodes/n2": {404, "not found"}, "/apis/storage.k8s.io/v1/storageclasses/fast": {404, "not found"},
				podPath: {403, feed.NotSaved}, "/api/v1/namespaces/cluster/pods/web": {404, "not found"},
			},
		},
		"gmeghnag/omc#206: one Pod was inspected by its name": {
			map[string]string{"inspect.local.66/namespaces/shop/core/pods/web.yaml": "---\n" + onePod, "inspect.local.66/event-filter.html": "<html>"},
			map[string]want{podPath + "/web": {200, "u-web"}, podPath + "/other": {403, feed.NotSaved}},
		},
		"gmeghnag/omc#150: the list of Pods is an empty file": {
			map[string]string{"mg/img/namespaces/shop/core/pods.yaml": "", "mg/img/namespaces/shop/pods/web/web.yaml": "---\n" + onePod},
			map[string]want{podPath: {200, "u-web"}, podPath + "/other": {403, feed.NotSaved}},
		},
		"openshift/oc#1249: a kind of one namespace is written one file per object": {
			map[string]string{"inspect/namespaces/shop/core/configmaps/settings.yaml": "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n"},
			map[string]want{"/api/v1/namespaces/shop/configmaps/settings": {200, "settings"}, "/api/v1/namespaces/shop/configmaps/other": {403, feed.NotSaved}},
		},
		"gmeghnag/omc#133: a must-gather in a folder in a folder": {
			map[string]string{"cs2/must-gather.local.699/quay-io-x/namespaces/shop/core/pods.yaml": "---\n" + noPods},
			map[string]want{podPath + "/web": {404, "not found"}},
		},
		"gmeghnag/omc#1: what oc adm inspect wrote by itself": {
			map[string]string{
				"inspect.local.1/namespaces/shop/shop.yaml":                               "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
				"inspect.local.1/namespaces/shop/core/pods.yaml":                          "---\n" + noPods,
				"inspect.local.1/cluster-scoped-resources/config.openshift.io/dnses.yaml": "---\napiVersion: config.openshift.io/v1\nkind: DNSList\nitems:\n- apiVersion: config.openshift.io/v1\n  kind: DNS\n  metadata: {name: cluster}\n",
			},
			map[string]want{podPath + "/web": {404, "not found"}, "/api/v1/namespaces/shop": {200, "Namespace"}, "/apis/config.openshift.io/v1/dnses/cluster": {200, "cluster"}, "/apis/config.openshift.io/v1/dnses/other": {404, "not found"}},
		},
		"gmeghnag/omc#132: Roles that were inspected by name": {
			map[string]string{"inspect.local.1/namespaces/shop/rbac.authorization.k8s.io/roles/reader.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: reader, namespace: shop}\n"},
			map[string]want{
				"/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles":        {200, "reader"},
				"/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles/writer": {403, feed.NotSaved},
			},
		},
		"replicatedhq/troubleshoot#1167: the Pods of a namespace could not be listed": {
			map[string]string{
				"sb/cluster-resources/pods-errors.json":      `{"shop": "forbidden"}`,
				"sb/cluster-resources/pods/other.json":       `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`,
				"sb/cluster-resources/deployments/shop.json": `{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{},"items":[]}`,
			},
			map[string]want{
				podPath: {403, "pods in shop: not in the saved cluster"}, "/api/v1/namespaces/other/pods/web": {404, "not found"},
				"/apis/apps/v1/namespaces/shop/deployments/web": {404, "not found"},
			},
		},
		"rancher/support-bundle-kit#21: pods.yaml holds PodMetrics": {
			map[string]string{"sb/yamls/namespaced/shop/pods.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: metrics.k8s.io/v1beta1\n  kind: PodMetrics\n  metadata:\n    name: web\n    namespace: shop\n"},
			map[string]want{podPath + "/web": {403, feed.NotSaved}, "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods/web": {200, "PodMetrics"}},
		},
		"replicatedhq/troubleshoot#1142: Secrets and ConfigMaps of collectors of their own": {
			map[string]string{
				"sb/secrets/shop/db/password.json":          `{"namespace":"shop","name":"db","key":"password","secretExists":true,"keyExists":true,"value":"PLAINTEXT"}`,
				"sb/configmaps/shop/settings.json":          `{"namespace":"shop","name":"settings","configMapExists":true,"data":{"a":"b"}}`,
				"sb/cluster-resources/namespaces.json":      `[{"metadata":{"name":"shop"}}]`,
				"sb/cluster-resources/configmaps/shop.json": `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]}`,
			},
			map[string]want{"/api/v1/namespaces/shop/secrets/db": {403, feed.NotSaved}, "/api/v1/namespaces/shop": {200, "Namespace"}},
		},
		"replicatedhq/sbctl#48: definitions without a kind, and objects of them": {
			map[string]string{
				"sb/cluster-resources/custom-resource-definitions.json":               `{"metadata":{"resourceVersion":"66"},"items":[{"metadata":{"name":"oxen.lab.io"},"spec":{"group":"lab.io","scope":"Namespaced","names":{"kind":"Ox","plural":"oxen","shortNames":["ox"],"categories":["cattle"]},"versions":[{"name":"v1"}]}}]}`,
				"sb/cluster-resources/custom-resources/oxen.lab.io/shop.json":         `[{"apiVersion":"lab.io/v1","kind":"Ox","metadata":{"name":"bessie","namespace":"shop"}}]`,
				"sb/cluster-resources/custom-resources/herds.lab.io.yaml":             "- apiVersion: lab.io/v1\n  kind: Herd\n  metadata:\n    name: all\n",
				"sb/cluster-resources/custom-resources/oxen.lab.io/other-errors.json": `["forbidden"]`,
			},
			map[string]want{
				"/apis/lab.io/v1/namespaces/shop/oxen": {200, "bessie"}, "/apis/lab.io/v1/namespaces/shop/oxen/other": {404, "not found"},
				"/apis/lab.io/v1/herds": {200, "all"}, "/apis/lab.io/v1": {200, `"shortNames":["ox"],"categories":["cattle"]`}, "/apis": {200, "lab.io"}, "/apis/other.io/v1": {403, feed.NotSaved},
				"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/oxen.lab.io": {200, "oxen"},
			},
		},
		"openshift/must-gather#188: a product's own must-gather": {
			map[string]string{
				"mg/failure/restart_pods/shop.web.get.yaml":      onePod,
				"mg/failure/restart_pods/shop.web.describe.yaml": "Name:         web\nNamespace:    shop\nItems:\n",
				"mg/failure/restart_pods/shop.web.current.log":   "hello\n",
			},
			map[string]want{podPath + "/web": {200, "u-web"}},
		},
		"doitintl/kube-no-trouble#13: the last applied manifest is no JSON": {
			map[string]string{"a.json": `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{]"}}}`},
			map[string]want{podPath + "/web": {200, `{]`}},
		},
		"openshift/local-storage-operator#330: an empty list of inspect": {
			map[string]string{"inspect/namespaces/shop/core/pods.yaml": "---\n" + noPods, "inspect/timestamp": "2022-03-04 10:00:00.1 +0000 UTC m=+0.1\n"},
			map[string]want{podPath + "/web": {404, "not found"}, podPath: {200, `"items":[]`}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := read(t, tree(t, x.files))
			if len(s.LeftOut) > 0 {
				t.Errorf("left out: %q", s.LeftOut)
			}
			for path, want := range x.wants {
				if code, text := ask(t, s, path); code != want.code || !strings.Contains(text, want.text) {
					t.Errorf("%s: %d %s", path, code, text)
				}
			}
		})
	}
}

// gmeghnag/omc#157: five namespaces have an object of their own, the others a folder.
func TestNamespacesAreKnownByTheirObjects(t *testing.T) {
	s := read(t, tree(t, map[string]string{
		"mg/img/cluster-scoped-resources/core/namespaces/default.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n",
		"mg/img/namespaces/shop/core/pods.yaml":                        "---\n" + noPods,
		"mg/img/namespaces/prod/apps/deployments.yaml":                 "---\napiVersion: apps/v1\nkind: DeploymentList\nitems:\n- apiVersion: apps/v1\n  kind: Deployment\n  metadata:\n    name: web\n    namespace: prod\n",
	}))
	if got := s.Namespaces(); !slices.Equal(got, []string{"prod", "shop"}) {
		t.Errorf("%q", got)
	}
}

// replicatedhq/sbctl#71: a bundle of host collectors alone.
func TestABundleWithoutClusterDataIsAnErrorThatNamesTheReason(t *testing.T) {
	dir := tree(t, map[string]string{"sb/host-collectors/system/cpu.json": `{"logicalCount":4}`, "sb/version.yaml": "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\nspec: {}\n"})
	if _, err := Read(t.Context(), []string{dir}, nil, now); err == nil || !strings.Contains(err.Error(), "no Kubernetes object") {
		t.Error(err)
	}
}

// replicatedhq/sbctl#31, kubernetes/kubectl#931: what the log of a container is, and
// what only looks like one.
func TestOnlyFilesOfContainersAreReadAsLogs(t *testing.T) {
	s := read(t, tree(t, map[string]string{
		"sb/cluster-resources/pods/shop.json":                          `{"kind":"PodList","apiVersion":"v1","items":[{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"shop"}}]}`,
		"sb/cluster-resources/pods/logs/shop/web/app.log":              "one\n",
		"sb/cluster-resources/pods/logs/shop/web/app-previous.log":     "two\n",
		"sb/cluster-resources/pods/logs/shop/web/side-logs-errors.log": "the server could not find the requested resource\n",
		"sb/host/journald.log":                                         "noise\n",
		"info/shop/web/logs.txt":                                       "==== START logs for container run of pod shop/web ====\nthree\n==== END logs for container run of pod shop/web ====\n",
	}))
	for container, want := range map[string]string{"app": "one", "side": "", "run": "three", "init": ""} {
		c, err := s.Feed(nil).Logs(t.Context(), feed.LogKey{Pod: object.ID{Kind: "Pod", Namespace: "shop", Name: "web"}, Container: container}, 0)
		if want == "" && (err == nil || !feed.IsUnsaved(err.Error())) || want != "" && (err != nil || c.Lines[0].Text != want) {
			t.Errorf("%s: %v, %v", container, c, err)
		}
	}
}
