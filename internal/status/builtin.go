package status

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// treeKind names the reader of one or several built-in kinds that have no typed
// view.
type treeKind uint8

const (
	notTree treeKind = iota
	treeExisting
	treeIngress
	treeAutoscaler
	treeBudget
	treeAPIService
	treeDefinition
	treeNamespace
	treeNode
	treeVolume
	treeAttachment
	treeQuota
	treeSigningRequest
	treeWebhooks
	treeAdmissionPolicy
	treeResourceClaim
	treeLease
	treeFlowSchema
	treeGatewayClass
	treeGateway
	treeRoute
	treePolicy
)

// treeKinds are Kubernetes's own kinds without a typed view, and the Gateway
// API's, by group and kind. What a reader takes a status for is that of its
// documentation in k8s.io/api (v0.37) and of the controllers in
// kubernetes/kubernetes v1.33, unless it says otherwise.
var treeKinds = func() map[[2]string]treeKind {
	table := make(map[[2]string]treeKind)
	for kind, list := range map[treeKind]string{
		treeExisting:        existing,
		treeIngress:         "networking.k8s.io/Ingress extensions/Ingress",
		treeAutoscaler:      "autoscaling/HorizontalPodAutoscaler",
		treeBudget:          "policy/PodDisruptionBudget",
		treeAPIService:      "apiregistration.k8s.io/APIService",
		treeDefinition:      "apiextensions.k8s.io/CustomResourceDefinition",
		treeNamespace:       "Namespace",
		treeNode:            "Node",
		treeVolume:          "PersistentVolume",
		treeAttachment:      "storage.k8s.io/VolumeAttachment",
		treeQuota:           "ResourceQuota",
		treeSigningRequest:  "certificates.k8s.io/CertificateSigningRequest",
		treeWebhooks:        "admissionregistration.k8s.io/ValidatingWebhookConfiguration admissionregistration.k8s.io/MutatingWebhookConfiguration",
		treeAdmissionPolicy: "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
		treeResourceClaim:   "resource.k8s.io/ResourceClaim",
		treeLease:           "coordination.k8s.io/Lease",
		treeFlowSchema:      "flowcontrol.apiserver.k8s.io/FlowSchema",
		treeGatewayClass:    "gateway.networking.k8s.io/GatewayClass",
		treeGateway:         "gateway.networking.k8s.io/Gateway gateway.networking.k8s.io/ListenerSet gateway.networking.x-k8s.io/XListenerSet",
		treeRoute: `gateway.networking.k8s.io/HTTPRoute gateway.networking.k8s.io/GRPCRoute gateway.networking.k8s.io/TCPRoute
			gateway.networking.k8s.io/TLSRoute gateway.networking.k8s.io/UDPRoute`,
		treePolicy: `gateway.networking.k8s.io/BackendTLSPolicy gateway.networking.k8s.io/BackendLBPolicy
			gateway.networking.x-k8s.io/XBackendTrafficPolicy`,
	} {
		for gk := range strings.FieldsSeq(list) {
			group, name, ok := strings.Cut(gk, "/")
			if !ok {
				group, name = "", gk
			}
			table[[2]string{group, name}] = kind
		}
	}
	return table
}()

// readTree calls a reader. It is a switch and not a table of functions, which
// would send every judgement to the heap.
func (c *custom) readTree(kind treeKind) signal {
	switch kind {
	case treeIngress:
		return readIngress(c)
	case treeAutoscaler:
		return readAutoscaler(c)
	case treeBudget:
		return readBudget(c)
	case treeAPIService:
		return readAPIService(c)
	case treeDefinition:
		return readDefinition(c)
	case treeNamespace:
		return readNamespace(c)
	case treeNode:
		return readNode(c)
	case treeVolume:
		return readVolume(c)
	case treeAttachment:
		return readAttachment(c)
	case treeQuota:
		return readQuota(c)
	case treeSigningRequest:
		return readSigningRequest(c)
	case treeWebhooks:
		return readWebhooks(c)
	case treeAdmissionPolicy:
		return readAdmissionPolicy(c)
	case treeResourceClaim:
		return readResourceClaim(c)
	case treeLease:
		return readLease(c)
	case treeFlowSchema:
		return readFlowSchema(c)
	case treeGatewayClass:
		return readGatewayClass(c)
	case treeGateway:
		return readGateway(c)
	case treeRoute:
		return readParents(c, "parents", "parentRef")
	case treePolicy:
		return readParents(c, "ancestors", "ancestorRef")
	}
	return readExisting(c)
}

// existing are the kinds whose whole status is that they exist.
const existing = `ConfigMap Secret ServiceAccount LimitRange PodTemplate Event ComponentStatus Binding
	events.k8s.io/Event apps/ControllerRevision node.k8s.io/RuntimeClass
	rbac.authorization.k8s.io/Role rbac.authorization.k8s.io/RoleBinding
	rbac.authorization.k8s.io/ClusterRole rbac.authorization.k8s.io/ClusterRoleBinding
	networking.k8s.io/NetworkPolicy networking.k8s.io/IngressClass networking.k8s.io/IPAddress
	scheduling.k8s.io/PriorityClass storage.k8s.io/StorageClass storage.k8s.io/CSIDriver
	storage.k8s.io/CSINode storage.k8s.io/CSIStorageCapacity storage.k8s.io/VolumeAttributesClass
	resource.k8s.io/DeviceClass resource.k8s.io/ResourceSlice resource.k8s.io/ResourceClaimTemplate
	admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding
	admissionregistration.k8s.io/MutatingAdmissionPolicy
	admissionregistration.k8s.io/MutatingAdmissionPolicyBinding
	flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration policy/PodSecurityPolicy
	certificates.k8s.io/ClusterTrustBundle gateway.networking.k8s.io/ReferenceGrant`

func good(rule, message string, paths ...string) signal {
	return signal{status: Current, rule: rule, message: message, paths: paths}
}

func underway(rule, reason, message string, paths ...string) signal {
	return signal{status: InProgress, rule: rule, reason: reason, message: message, paths: paths}
}

func fails(rule, reason, message string, paths ...string) signal {
	return signal{status: Failed, heals: true, rule: rule, reason: reason, message: message, paths: paths}
}

func silent(rule, message string, paths ...string) signal {
	return signal{silent: true, rule: rule, message: message, paths: paths}
}

// by makes a signal of a condition: a fault that may heal, or work under way,
// or success.
func (c *custom) by(status Status, i int, rule string) signal {
	s := c.at(i, rule, describe(&c.o.Conditions[i]))
	s.status, s.heals = status, status == Failed
	return s
}

// fresh returns the index of a condition that describes this generation, or -1.
func (c *custom) fresh(typ string) int {
	if i := c.index(typ); i >= 0 && !c.o.Stale(&c.o.Conditions[i]) {
		return i
	}
	return -1
}

func readExisting(c *custom) signal { return good("exists", c.o.Kind+" exists") }

func plural(n int, suffix string) string {
	if n == 1 {
		return ""
	}
	return suffix
}

// The fields that these readers name, made once.
var (
	atParents                 = []string{"spec.parentRefs", "status.parents"}
	atBudget                  = []string{"status.currentHealthy", "status.desiredHealthy", "status.disruptionsAllowed"}
	atAddresses               = []string{"status.loadBalancer.ingress"}
	atScalingConditions       = []string{"metadata.annotations[" + object.ScalingConditions + "]"}
	atScalingReplicas         = []string{"status.currentReplicas", "status.desiredReplicas"}
	atAllocation              = []string{"status.allocation"}
	atAllocationReservedFor   = []string{"status.allocation", "status.reservedFor"}
	atAttached                = []string{"status.attached"}
	atCertificate             = []string{"status.certificate"}
	atConditions              = []string{"status.conditions"}
	atLimits                  = []string{"spec.hard", "status.hard"}
	atUsage                   = []string{"status.hard", "status.used"}
	atHolderIdentity          = []string{"spec.holderIdentity"}
	atHolderIdentityRenewTime = []string{"spec.holderIdentity", "spec.renewTime"}
	atPhase                   = []string{"status.phase"}
	atPhaseMessage            = []string{"status.phase", "status.message"}
	atStatus                  = []string{"status"}
	atTypeChecking            = []string{"status.typeChecking"}
	atWebhooks                = []string{"webhooks"}
)
