package storage

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// provisioner blames the workload that should provision a claim's volume: it is scaled to 0, or its
// Pods do not run. Which workload that is no field says: see provisionerOf.
func provisioner(in *inspect.Inspector, f *inspect.Finding, class, driver string) {
	w := provisionerOf(in, class, driver)
	if w == nil {
		return
	}
	f.Next = append([]string{wording.Command(w.Namespace, "describe", strings.ToLower(w.Kind), w.Name)}, f.Next...)
	if w.Workload.Replicas.Or(1) == 0 {
		f.Say("the volume provisioner %s does not answer: %s of namespace %s is scaled to 0",
			driver, w.ID.String(), w.Namespace)
		f.ProveOn(w.ID, "spec.replicas", "0")
		f.Class = codes.Action
		return
	}
	if w.Workload.Ready.Or(0) == 0 {
		f.Say("the volume provisioner %s does not answer: %s of namespace %s has no ready pod",
			driver, w.ID.String(), w.Namespace)
		f.ProveUnset(w.ID, "status.readyReplicas")
	}
	// One that crashes is ready between two crashes.
	f.Blame(w.ID)
	for _, child := range in.Children(w.ID) {
		f.AddBecause(child.ID)
	}
	for _, p := range in.List("", "Pod", w.Namespace).Items {
		if p.Pod != nil && edges.Selects(w.Workload.Selector, p) && !slices.Contains(f.Because, p.ID) {
			f.AddBecause(p.ID)
		}
	}
}

// provisionerOf is the workload that should provision the volumes of a driver, or nil. It runs an
// image of a provisioner in one of a few namespaces, and has a part of the driver's name in its
// own; or it is the only such workload in the namespace of the driver's agents.
func provisionerOf(in *inspect.Inspector, class, driver string) *object.Object {
	for _, namespace := range provisionerNamespaces(in, class, driver) {
		var alone []*object.Object
		for _, kind := range [...]string{"Deployment", "StatefulSet"} {
			for _, w := range in.List("apps", kind, namespace).Items {
				switch {
				case w.Workload == nil || !runsProvisioner(w):
				case named(w, driver):
					return w
				default:
					alone = append(alone, w)
				}
			}
		}
		if len(alone) == 1 && namespace != "kube-system" && slices.Contains(agentNamespaces(in, driver), namespace) {
			return alone[0]
		}
	}
	return nil
}

// provisionerNamespaces are the namespaces in which the provisioner of a class may be: that of the
// agents which the driver has on nodes, that of the Helm release of the class, the usual one,
// kube-system.
func provisionerNamespaces(in *inspect.Inspector, class, driver string) (out []string) {
	add := func(namespace string) {
		if namespace != "" && !slices.Contains(out, namespace) {
			out = append(out, namespace)
		}
	}
	for _, namespace := range agentNamespaces(in, driver) {
		add(namespace)
	}
	if c := in.Get(inspect.ClusterID("storage.k8s.io", "StorageClass", class)); c != nil {
		namespace, _ := c.Annotation("meta.helm.sh/release-namespace")
		add(namespace)
	}
	add(usualNamespace[driver])
	add("kube-system")
	return out
}

// usualNamespace is where the manifest of a provisioner without agents on nodes puts it.
var usualNamespace = map[string]string{
	"rancher.io/local-path": "local-path-storage", // local-path-provisioner v0.0.30, deploy/local-path-storage.yaml
	"openebs.io/local":      "openebs",
}

// agentNamespaces are those of the DaemonSets that bring a driver to the nodes.
func agentNamespaces(in *inspect.Inspector, driver string) (out []string) {
	for _, set := range in.List("apps", "DaemonSet", "").Items {
		if set.Workload != nil && slices.Contains(set.Workload.CSIDrivers, driver) {
			out = append(out, set.Namespace)
		}
	}
	return out
}

// runsProvisioner reports whether a workload runs an image of a provisioner.
func runsProvisioner(w *object.Object) bool {
	return slices.ContainsFunc(w.Workload.Images, func(i object.Image) bool {
		return strings.Contains(i.Image[strings.LastIndexByte(i.Image, '/')+1:], "provisioner")
	})
}

// named reports whether a workload has a part of a driver's name in its own.
func named(w *object.Object, driver string) bool {
	separators := func(r rune) bool { return r == '.' || r == '/' }
	return slices.ContainsFunc(strings.FieldsFunc(driver, separators), func(part string) bool {
		return !slices.Contains(commonParts, part) && strings.Contains(w.Name, part)
	})
}

// commonParts are parts of the names of many drivers.
var commonParts = []string{
	"csi", "driver", "io", "com", "org", "net", "k8s", "aws", "azure", "cloud",
	"storage", "local", "provisioner",
}
