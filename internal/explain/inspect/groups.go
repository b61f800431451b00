package inspect

import "github.com/kstatus-tui/kstatus-tui/internal/object"

// BuiltinGroup reports whether a group belongs to Kubernetes itself: its kinds
// have detectors of their own, or none.
func BuiltinGroup(g string) bool { return !object.ProjectGroup(g) }

// BuiltinGroups are the groups of kinds that messages name without one.
var BuiltinGroups = map[string]string{
	"Deployment": "apps", "StatefulSet": "apps", "DaemonSet": "apps", "ReplicaSet": "apps",
	"Job": "batch", "CronJob": "batch",
	"Pod": "", "Service": "", "PersistentVolumeClaim": "", "Namespace": "", "Secret": "", "ConfigMap": "",
	"Ingress":     "networking.k8s.io",
	"HelmRelease": "helm.toolkit.fluxcd.io", "Kustomization": "kustomize.toolkit.fluxcd.io",
	"Certificate": "cert-manager.io", "ExternalSecret": "external-secrets.io",
}
