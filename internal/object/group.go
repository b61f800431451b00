package object

import (
	"slices"
	"strings"
)

// kubernetesGroups are the API groups with a domain that Kubernetes itself serves (v1.36), and
// those of its autoscaler, its metrics and the Gateway API.
var kubernetesGroups = []string{
	"admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io",
	"authentication.k8s.io", "authorization.k8s.io",
	"autoscaling.k8s.io", "certificates.k8s.io", "coordination.k8s.io", "custom.metrics.k8s.io",
	"discovery.k8s.io", "events.k8s.io",
	"external.metrics.k8s.io", "flowcontrol.apiserver.k8s.io", "gateway.networking.k8s.io",
	"internal.apiserver.k8s.io", "metrics.k8s.io", "networking.k8s.io", "node.k8s.io",
	"rbac.authorization.k8s.io", "resource.k8s.io", "scheduling.k8s.io", "settings.k8s.io",
	"storage.k8s.io", "storagemigration.k8s.io",
}

// ProjectGroup reports whether an API group is a project's rather than Kubernetes' own. A group
// that ends in .k8s.io may be either: sparkoperator.k8s.io is the Spark operator's.
func ProjectGroup(group string) bool {
	return strings.Contains(group, ".") && !slices.Contains(kubernetesGroups, group)
}
