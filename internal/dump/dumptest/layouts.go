// Package dumptest is for tests. It writes objects and logs in the layouts of the tools
// that save a cluster. What it writes is modelled on the tools' sources, which
// internal/dump/layout.go names.
package dumptest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// Cluster is what is saved.
type Cluster struct {
	At      time.Time
	Objects []Object
	Logs    []Log
	// Listed are the kinds that are saved completely. A namespace without any object of such a kind
	// gets an empty list.
	Listed []Kind
}

// Object is an object as JSON has it.
type Object map[string]any

// Kind is a kind with its plural.
type Kind struct {
	APIVersion, Kind, Plural string
	Cluster                  bool
}

// Namespaced is a kind of which each namespace has its own.
func Namespaced(apiVersion, kind, plural string) Kind { return Kind{apiVersion, kind, plural, false} }

// ClusterScoped is a kind outside of namespaces.
func ClusterScoped(apiVersion, kind, plural string) Kind { return Kind{apiVersion, kind, plural, true} }

// Log is the log of a container.
type Log struct {
	Namespace, Pod, Container string
	Previous                  bool
	Text                      string
}

// Layouts are the layouts that Write knows, by name.
var Layouts = []string{
	"kubectl", "kubectl-folder", "kubectl-folder-json", "cluster-info", "cluster-info-yaml",
	"cluster-info-file", "must-gather", "support-bundle", "old-support-bundle",
}

func (o Object) text(fields ...string) string {
	var v any = map[string]any(o)
	for _, f := range fields {
		m, _ := v.(map[string]any)
		v = m[f]
	}
	s, _ := v.(string)
	return s
}

// Write writes the cluster into a folder, in one of the layouts.
func (c *Cluster) Write(dir, layout string) error {
	w := writer{Cluster: c, dir: dir}
	switch layout {
	case "kubectl":
		w.file("saved.yaml",
			asYAML(map[string]any{
				"apiVersion": "v1", "kind": "List",
				"metadata": map[string]any{"resourceVersion": ""}, "items": c.Objects,
			}))
	case "kubectl-folder":
		w.kubectlFolder(".yaml", asYAML)
	case "kubectl-folder-json":
		w.kubectlFolder(".json", asJSON)
	case "cluster-info", "cluster-info-yaml", "cluster-info-file":
		w.clusterInfo(layout)
	case "must-gather":
		w.mustGather()
	case "support-bundle", "old-support-bundle":
		w.supportBundle(layout == "old-support-bundle")
	default:
		return fmt.Errorf("no layout %q", layout)
	}
	return w.err
}

type writer struct {
	*Cluster
	dir string
	err error
}

func (w *writer) file(name, text string) {
	name = filepath.Join(w.dir, filepath.FromSlash(name))
	if w.err == nil {
		w.err = os.MkdirAll(filepath.Dir(name), 0o755)
	}
	if w.err == nil {
		w.err = os.WriteFile(name, []byte(text), 0o644)
	}
}

func asYAML(v any) string {
	b, err := yaml.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func asJSON(v any) string {
	b, err := json.MarshalIndent(v, "", "    ")
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}

func (w *writer) namespaces() []string {
	names := map[string]bool{}
	for _, o := range w.Objects {
		if ns := o.text("metadata", "namespace"); ns != "" {
			names[ns] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// of are the objects of a kind in a namespace; without the fields that the items of a
// typed list lack, if they are bare.
func (w *writer) of(k Kind, namespace string, bare bool) []Object {
	out := []Object{}
	for _, o := range w.Objects {
		if o.text("kind") != k.Kind || o.text("apiVersion") != k.APIVersion ||
			o.text("metadata", "namespace") != namespace {
			continue
		}
		if bare {
			o = maps.Clone(o)
			delete(o, "kind")
			delete(o, "apiVersion")
		}
		out = append(out, o)
	}
	return out
}

func (k Kind) list(items []Object) map[string]any {
	return map[string]any{
		"apiVersion": k.APIVersion, "kind": k.Kind + "List",
		"metadata": map[string]any{"resourceVersion": "4711"}, "items": items,
	}
}

// typed is a typed list as Go's encoder writes it: kind first.
func (k Kind) typed(items []Object) string {
	b, err := json.MarshalIndent(struct {
		Kind       string            `json:"kind"`
		APIVersion string            `json:"apiVersion"`
		Metadata   map[string]string `json:"metadata"`
		Items      []Object          `json:"items"`
	}{k.Kind + "List", k.APIVersion, map[string]string{"resourceVersion": "4711"}, items}, "", "    ")
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}

func (k Kind) group() string {
	group, _, ok := strings.Cut(k.APIVersion, "/")
	if !ok {
		return ""
	}
	return group
}

func (w *writer) each(do func(k Kind, namespace string)) {
	for _, k := range w.Listed {
		if k.Cluster {
			do(k, "")
			continue
		}
		for _, ns := range w.namespaces() {
			do(k, ns)
		}
	}
}

// kubectlFolder is what the loop in docs/saved-cluster.md writes, or the same with -o json.
func (w *writer) kubectlFolder(ending string, encode func(any) string) {
	w.each(func(k Kind, ns string) {
		name := strings.TrimSuffix(k.Plural+"."+k.group(), ".")
		if ns == "" {
			ns = "cluster"
		}
		items := w.of(k, strings.TrimPrefix(ns, "cluster"), false)
		w.file(ns+"/"+name+ending,
			encode(map[string]any{
				"apiVersion": "v1", "kind": "List",
				"metadata": map[string]any{"resourceVersion": ""}, "items": items,
			}))
	})
	for _, l := range w.Logs {
		name := l.Container
		if l.Previous {
			name += "-previous"
		}
		w.file(path.Join(l.Namespace, l.Pod, name+".log"), l.Text)
	}
}

// clusterInfo is kubectl cluster-info dump, with --output-directory or without.
func (w *writer) clusterInfo(layout string) {
	var all strings.Builder
	put := func(name string, k Kind, items []Object) {
		switch layout {
		case "cluster-info-yaml":
			w.file(name+".yaml", asYAML(k.list(items)))
		case "cluster-info-file":
			all.WriteString(k.typed(items))
		default:
			w.file(name+".json", k.typed(items))
		}
	}
	nodes := Kind{"v1", "Node", "nodes", true}
	put("nodes", nodes, w.of(nodes, "", true))
	for _, ns := range w.namespaces() {
		for _, k := range []Kind{
			{"v1", "Event", "events", false},
			{"v1", "ReplicationController", "replication-controllers", false},
			{"v1", "Service", "services", false},
			{"apps/v1", "DaemonSet", "daemonsets", false},
			{"apps/v1", "Deployment", "deployments", false},
			{"apps/v1", "ReplicaSet", "replicasets", false},
			{"v1", "Pod", "pods", false},
		} {
			put(ns+"/"+k.Plural, k, w.of(k, ns, true))
		}
		for _, pod := range w.of(Kind{"v1", "Pod", "pods", false}, ns, false) {
			var text strings.Builder
			for _, l := range w.Logs {
				if l.Namespace == ns && l.Pod == pod.text("metadata", "name") && !l.Previous {
					fmt.Fprintf(&text, "==== START logs for container %s of pod %s/%s ====\n", l.Container, ns, l.Pod)
					text.WriteString(l.Text)
					fmt.Fprintf(&text, "==== END logs for container %s of pod %s/%s ====\n", l.Container, ns, l.Pod)
				}
			}
			if layout == "cluster-info-file" {
				all.WriteString(text.String())
			} else {
				w.file(ns+"/"+pod.text("metadata", "name")+"/logs.txt", text.String())
			}
		}
	}
	if layout == "cluster-info-file" {
		w.file("dump.txt", all.String())
	}
}

// mustGather is oc adm must-gather with one image.
func (w *writer) mustGather() {
	const root = "quay-io-acme-must-gather-sha256-0123/"
	core := func(k Kind) string {
		if k.group() == "" {
			return "core"
		}
		return k.group()
	}
	began := w.At.Add(-2 * time.Minute)
	w.file("timestamp", began.String()+" m=+0.012\n"+w.At.String()+" m=+120.5\n")
	w.file("version", "4.20.1\n")
	w.file("must-gather.logs", "[must-gather      ] OUT gathering\n")
	w.file("event-filter.html", "<html><body>kind: List</body></html>")
	w.each(func(k Kind, ns string) {
		items := w.of(k, ns, false)
		if ns != "" {
			w.file(root+path.Join("namespaces", ns, core(k), k.Plural+".yaml"), "---\n"+asYAML(k.list(items)))
			return
		}
		for _, o := range items {
			w.file(root+path.Join("cluster-scoped-resources", core(k), k.Plural, o.text("metadata", "name")+".yaml"),
				"---\n"+asYAML(o))
		}
	})
	for _, pod := range w.Objects {
		if pod.text("kind") == "Pod" {
			name := pod.text("metadata", "name")
			w.file(root+path.Join("namespaces", pod.text("metadata", "namespace"), "pods", name, name+".yaml"),
				"---\n"+asYAML(pod))
		}
	}
	for _, l := range w.Logs {
		name := "current.log"
		if l.Previous {
			name = "previous.log"
		}
		w.file(root+path.Join("namespaces", l.Namespace, "pods", l.Pod, l.Container, l.Container, "logs", name), l.Text)
	}
}

// supportBundle is a bundle of troubleshoot.sh; old ones have arrays of bare items.
func (w *writer) supportBundle(old bool) {
	root := "support-bundle-" + w.At.UTC().Format("2006-01-02T15_04_05") + "/"
	folders := map[string]string{
		"ingresses": "ingress", "persistentvolumes": "pvs", "persistentvolumeclaims": "pvcs",
		"storageclasses":  "storage-classes",
		"networkpolicies": "network-policy", "resourcequotas": "resource-quota",
		"poddisruptionbudgets":      "pod-disruption-budgets",
		"customresourcedefinitions": "custom-resource-definitions",
	}
	w.file(root+"version.yaml",
		"apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\nspec:\n  versionNumber: v0.121.0\n")
	w.file(root+"cluster-resources/groups.json", "[]")
	w.file(root+"cluster-resources/pods-errors.json", "null")
	w.each(func(k Kind, ns string) {
		folder := k.Plural
		if f := folders[folder]; f != "" {
			folder = f
		}
		if strings.Contains(k.group(), ".") && !strings.HasSuffix(k.group(), ".k8s.io") {
			folder = "custom-resources/" + k.Plural + "." + k.group()
		}
		name := root + path.Join("cluster-resources", folder)
		if ns != "" {
			name += "/" + ns
		}
		if old {
			w.file(name+".json", asJSON(w.of(k, ns, !strings.Contains(folder, "/"))))
			return
		}
		w.file(name+".json", asJSON(k.list(w.of(k, ns, false))))
	})
	for _, l := range w.Logs {
		name := l.Container
		if l.Previous {
			name += "-previous"
		}
		w.file(root+path.Join("cluster-resources/pods/logs", l.Namespace, l.Pod, name+".log"), l.Text)
	}
}
