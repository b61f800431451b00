package storage

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// provisioner blames the workload that should provision a claim's volume, and does not run: it is scaled
// to 0, or has no ready Pod. Which workload that is no field says. It runs an image of a provisioner in
// one of a few namespaces, and has a part of the driver's name in its own.
func provisioner(in *inspect.Inspector, f *inspect.Finding, class, driver string) {
	for _, namespace := range provisionerNamespaces(in, class, driver) {
		for _, kind := range [...]string{"Deployment", "StatefulSet"} {
			for _, w := range in.List("apps", kind, namespace).Items {
				if w.Workload == nil || !provisions(w, driver) {
					continue
				}
				f.Next = append([]string{wording.Command(namespace, "describe", strings.ToLower(kind), w.Name)}, f.Next...)
				switch {
				case w.Workload.Replicas.Or(1) == 0:
					f.Say("the volume provisioner %s does not answer: %s of namespace %s is scaled to 0",
						driver, w.ID.String(), namespace)
					f.ProveOn(w.ID, "spec.replicas", "0")
					f.Class = codes.Action
				case w.Workload.Ready.Or(0) == 0:
					f.Say("the volume provisioner %s does not answer: %s of namespace %s has no ready pod", driver, w.ID.String(), namespace)
					f.ProveUnset(w.ID, "status.readyReplicas")
					f.Blame(w.ID)
					for _, child := range in.Children(w.ID) {
						f.AddBecause(child.ID)
					}
				}
				return
			}
		}
	}
}

// provisionerNamespaces are the namespaces in which the provisioner of a class may be: that of the agents
// which the driver has on nodes, that of the Helm release of the class, the usual one, kube-system.
func provisionerNamespaces(in *inspect.Inspector, class, driver string) (out []string) {
	add := func(namespace string) {
		if namespace != "" && !slices.Contains(out, namespace) {
			out = append(out, namespace)
		}
	}
	for _, set := range in.List("apps", "DaemonSet", "").Items {
		if set.Workload != nil && slices.Contains(set.Workload.CSIDrivers, driver) {
			add(set.Namespace)
		}
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

// provisions reports whether a workload is likely the provisioner of a driver.
func provisions(w *object.Object, driver string) bool {
	runs := slices.ContainsFunc(w.Workload.Images, func(i object.Image) bool {
		return strings.Contains(i.Image[strings.LastIndexByte(i.Image, '/')+1:], "provisioner")
	})
	separators := func(r rune) bool { return r == '.' || r == '/' }
	return runs && slices.ContainsFunc(strings.FieldsFunc(driver, separators), func(part string) bool {
		return !slices.Contains(commonParts, part) && strings.Contains(w.Name, part)
	})
}

// commonParts are parts of the names of many drivers.
var commonParts = []string{"csi", "driver", "io", "com", "org", "net", "k8s", "aws", "azure", "cloud", "storage", "local", "provisioner"}
