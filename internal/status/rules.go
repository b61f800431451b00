package status

import "strings"

// groupKind is a group and a kind, the arguments of registry.For.
type groupKind = [2]string

// rule judges an object of a kind. It returns an assessment as by, holds and
// the functions of judge.go make it.
type rule func(*judge) Assessment

// rules are those of Kubernetes's own kinds and of the Gateway API's, whatever
// the version. They follow the documentation in k8s.io/api (v0.37) and the
// controllers in kubernetes/kubernetes v1.33, unless stated otherwise. All
// other kinds are judged by the registry and the conventions (custom).
var rules = withExisting(map[groupKind]rule{
	{"", "Pod"}:                   viewed(pod),
	{"", "ReplicationController"}: viewed(replicaSet),
	{"", "Service"}:               viewed(service),
	{"", "Endpoints"}:             exists,
	{"", "PersistentVolumeClaim"}: viewed(persistentVolumeClaim),
	{"", "PersistentVolume"}:      persistentVolume,
	{"", "Namespace"}:             namespace,
	{"", "Node"}:                  node,
	{"", "ResourceQuota"}:         resourceQuota,

	{"apps", "Deployment"}:       viewed(deployment),
	{"apps", "ReplicaSet"}:       viewed(replicaSet),
	{"apps", "StatefulSet"}:      viewed(statefulSet),
	{"apps", "DaemonSet"}:        viewed(daemonSet),
	{"extensions", "Deployment"}: viewed(deployment),
	{"extensions", "ReplicaSet"}: viewed(replicaSet),
	{"extensions", "DaemonSet"}:  viewed(daemonSet),

	{"batch", "Job"}:     viewed(job),
	{"batch", "CronJob"}: viewed(cronJob),

	{"autoscaling", "HorizontalPodAutoscaler"}: horizontalPodAutoscaler,
	{"policy", "PodDisruptionBudget"}:          podDisruptionBudget,

	{"networking.k8s.io", "Ingress"}:       ingress,
	{"extensions", "Ingress"}:              ingress,
	{"discovery.k8s.io", "EndpointSlice"}:  exists,
	{"storage.k8s.io", "VolumeAttachment"}: volumeAttachment,
	{"resource.k8s.io", "ResourceClaim"}:   resourceClaim,

	{"apiextensions.k8s.io", "CustomResourceDefinition"}:               customResourceDefinition,
	{"apiregistration.k8s.io", "APIService"}:                           apiService,
	{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"}: webhookConfiguration,
	{"admissionregistration.k8s.io", "MutatingWebhookConfiguration"}:   webhookConfiguration,
	{"admissionregistration.k8s.io", "ValidatingAdmissionPolicy"}:      validatingAdmissionPolicy,
	{"certificates.k8s.io", "CertificateSigningRequest"}:               certificateSigningRequest,
	{"coordination.k8s.io", "Lease"}:                                   lease,
	{"flowcontrol.apiserver.k8s.io", "FlowSchema"}:                     flowSchema,

	{"gateway.networking.k8s.io", "GatewayClass"}:            gatewayClass,
	{"gateway.networking.k8s.io", "Gateway"}:                 gateway,
	{"gateway.networking.k8s.io", "ListenerSet"}:             gateway,
	{"gateway.networking.x-k8s.io", "XListenerSet"}:          gateway,
	{"gateway.networking.k8s.io", "HTTPRoute"}:               gatewayRoute,
	{"gateway.networking.k8s.io", "GRPCRoute"}:               gatewayRoute,
	{"gateway.networking.k8s.io", "TCPRoute"}:                gatewayRoute,
	{"gateway.networking.k8s.io", "TLSRoute"}:                gatewayRoute,
	{"gateway.networking.k8s.io", "UDPRoute"}:                gatewayRoute,
	{"gateway.networking.k8s.io", "BackendTLSPolicy"}:        gatewayPolicy,
	{"gateway.networking.k8s.io", "BackendLBPolicy"}:         gatewayPolicy,
	{"gateway.networking.x-k8s.io", "XBackendTrafficPolicy"}: gatewayPolicy,
})

// existing are the kinds whose only status is to exist.
const existing = `Binding ComponentStatus ConfigMap Event LimitRange PodTemplate Secret ServiceAccount
	MutatingAdmissionPolicy.admissionregistration.k8s.io MutatingAdmissionPolicyBinding.admissionregistration.k8s.io
	ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io ControllerRevision.apps
	ClusterTrustBundle.certificates.k8s.io Event.events.k8s.io PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io
	ReferenceGrant.gateway.networking.k8s.io IPAddress.networking.k8s.io IngressClass.networking.k8s.io
	NetworkPolicy.networking.k8s.io RuntimeClass.node.k8s.io PodSecurityPolicy.policy
	ClusterRole.rbac.authorization.k8s.io ClusterRoleBinding.rbac.authorization.k8s.io Role.rbac.authorization.k8s.io
	RoleBinding.rbac.authorization.k8s.io DeviceClass.resource.k8s.io ResourceClaimTemplate.resource.k8s.io
	ResourceSlice.resource.k8s.io PriorityClass.scheduling.k8s.io CSIDriver.storage.k8s.io CSINode.storage.k8s.io
	CSIStorageCapacity.storage.k8s.io StorageClass.storage.k8s.io VolumeAttributesClass.storage.k8s.io`

func withExisting(table map[groupKind]rule) map[groupKind]rule {
	for name := range strings.FieldsSeq(existing) {
		kind, group, _ := strings.Cut(name, ".")
		table[groupKind{group, kind}] = exists
	}
	return table
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
