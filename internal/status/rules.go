package status

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// groupKind is a group and a kind, the arguments of registry.For.
type groupKind = [2]string

// rule judges an object of a kind. It returns an assessment as by, holds and
// the functions of judge.go make it.
type rule func(*judge) Assessment

// rules are those of Kubernetes's own kinds and of the Gateway API's, whatever
// the version. They follow the documentation in k8s.io/api (v0.37) and the
// controllers in kubernetes/kubernetes v1.33, unless stated otherwise. All
// other kinds are judged by the registry and the conventions (custom).
var rules = withOthers(map[groupKind]rule{
	{"", "Pod"}:                   viewed(pod),
	{"", "ReplicationController"}: workload(replicaSet),
	{"", "Service"}:               viewed(service),
	{"", "Endpoints"}:             exists,
	{"", "PersistentVolumeClaim"}: viewed(persistentVolumeClaim),
	{"", "ResourceQuota"}:         resourceQuota,

	{"apps", "Deployment"}:       workload(deployment),
	{"apps", "ReplicaSet"}:       workload(replicaSet),
	{"apps", "StatefulSet"}:      workload(statefulSet),
	{"apps", "DaemonSet"}:        workload(daemonSet),
	{"extensions", "Deployment"}: workload(deployment),
	{"extensions", "ReplicaSet"}: workload(replicaSet),
	{"extensions", "DaemonSet"}:  workload(daemonSet),

	{"autoscaling", "HorizontalPodAutoscaler"}: horizontalPodAutoscaler,

	{"batch", "Job"}:     viewed(job),
	{"batch", "CronJob"}: viewed(cronJob),

	{"networking.k8s.io", "Ingress"}:       ingress,
	{"extensions", "Ingress"}:              ingress,
	{"discovery.k8s.io", "EndpointSlice"}:  exists,
	{"storage.k8s.io", "VolumeAttachment"}: volumeAttachment,

	{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"}: webhookConfiguration,
	{"admissionregistration.k8s.io", "MutatingWebhookConfiguration"}:   webhookConfiguration,
})

// existing are the kinds whose only status is to exist.
const existing = `Binding ComponentStatus ConfigMap Event LimitRange PodTemplate Secret ServiceAccount
	MutatingAdmissionPolicy.admissionregistration.k8s.io MutatingAdmissionPolicyBinding.admissionregistration.k8s.io
	ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io ControllerRevision.apps
	ClusterTrustBundle.certificates.k8s.io Lease.coordination.k8s.io Event.events.k8s.io PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io
	ReferenceGrant.gateway.networking.k8s.io IPAddress.networking.k8s.io IngressClass.networking.k8s.io
	NetworkPolicy.networking.k8s.io RuntimeClass.node.k8s.io PodSecurityPolicy.policy
	ClusterRole.rbac.authorization.k8s.io ClusterRoleBinding.rbac.authorization.k8s.io Role.rbac.authorization.k8s.io
	RoleBinding.rbac.authorization.k8s.io DeviceClass.resource.k8s.io ResourceClaimTemplate.resource.k8s.io
	ResourceSlice.resource.k8s.io PriorityClass.scheduling.k8s.io CSIDriver.storage.k8s.io CSINode.storage.k8s.io
	CSIStorageCapacity.storage.k8s.io StorageClass.storage.k8s.io VolumeAttributesClass.storage.k8s.io`

// listed are the kinds whose rule is their row in the registry.
const listed = `Namespace Node PersistentVolume PodDisruptionBudget.policy
	ResourceClaim.resource.k8s.io CustomResourceDefinition.apiextensions.k8s.io APIService.apiregistration.k8s.io
	CertificateSigningRequest.certificates.k8s.io FlowSchema.flowcontrol.apiserver.k8s.io
	ValidatingAdmissionPolicy.admissionregistration.k8s.io GatewayClass.gateway.networking.k8s.io
	Gateway.gateway.networking.k8s.io ListenerSet.gateway.networking.k8s.io BackendTLSPolicy.gateway.networking.k8s.io BackendLBPolicy.gateway.networking.k8s.io`

// routes are the kinds of the Gateway API that parents accept.
const routes = `HTTPRoute.gateway.networking.k8s.io GRPCRoute.gateway.networking.k8s.io
	TCPRoute.gateway.networking.k8s.io TLSRoute.gateway.networking.k8s.io UDPRoute.gateway.networking.k8s.io`

func withOthers(table map[groupKind]rule) map[groupKind]rule {
	for names, rule := range map[string]rule{existing: exists, listed: rowOfKind, routes: gatewayRoute} {
		for name := range strings.FieldsSeq(names) {
			kind, group, _ := strings.Cut(name, ".")
			table[groupKind{group, kind}] = rule
		}
	}
	return table
}

// rowOfKind judges a kind by its row in the registry, whose last clause always
// holds.
func rowOfKind(j *judge) Assessment {
	j.row = registry.For(j.o.Group, j.o.Kind)
	if a, ok := j.staleness().stale(); ok {
		return a
	}
	a, _ := j.byRow()
	return a
}

// viewed is a rule that reads the typed view of its kind, which an object known
// by metadata alone does not have.
func viewed(r rule) rule {
	return func(j *judge) Assessment {
		if !j.o.HasView() {
			j.builtin, j.sure = false, Convention
			return j.conventions(everything)
		}
		return r(j)
	}
}

func exists(j *judge) Assessment {
	return j.by("exists", "").current(j.o.Kind + " exists").since(j.o.Created)
}
