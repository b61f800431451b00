package inspect

import "strings"

// BuiltinGroup reports whether a group belongs to Kubernetes itself: its kinds
// have detectors of their own, or none.
func BuiltinGroup(g string) bool {
	switch g {
	case "", "apps", "batch", "autoscaling", "policy", "extensions", "gateway.networking.k8s.io":
		return true
	}
	return strings.HasSuffix(g, ".k8s.io") && !strings.Contains(g, ".x-k8s.io") && strings.Count(g, ".") == 2
}

// BuiltinGroups are the groups of kinds that messages name without one.
var BuiltinGroups = map[string]string{
	"Deployment": "apps", "StatefulSet": "apps", "DaemonSet": "apps", "ReplicaSet": "apps", "Job": "batch", "CronJob": "batch",
	"Pod": "", "Service": "", "PersistentVolumeClaim": "", "Namespace": "", "Secret": "", "ConfigMap": "", "Ingress": "networking.k8s.io",
	"HelmRelease": "helm.toolkit.fluxcd.io", "Kustomization": "kustomize.toolkit.fluxcd.io",
	"Certificate": "cert-manager.io", "ExternalSecret": "external-secrets.io",
}
