package explain

import (
	"slices"
	"strings"
)

// Entry is one line of the published list of causes, docs/causes.md.
type Entry struct {
	Code  string
	Class Class  // the usual one; a finding may override it
	Says  string // its meaning in a sentence
	// Needs names what it reads beside the object and its children: "events",
	// "nodes", …
	Needs string

	order int // order among one Pod's findings; see settleOrder
}

// The order of one Pod's findings, the closest to the physical cause first.
const (
	_ = iota * 10
	byNode
	byGate
	byScheduler
	byStorage
	bySandbox
	byConfig
	byImage
	byInit
	byStart
	byMemory
	byCrash
	byProbe
	byReadiness
	byReadinessGate
)

// Catalogue returns the published list of causes, by code.
func Catalogue() []Entry {
	var list []Entry
	for i := range detectors {
		list = append(list, detectors[i].causes...)
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Code, b.Code) })
	return list
}

func entryOf(code string) *Entry {
	if e := entries[code]; e != nil {
		return e
	}
	return &Entry{Code: code, Class: Action}
}

const (
	codeProgressing = "Progressing"
	codeNotReady    = "NotReady"
)

// detector looks at one object of certain kinds and reports what it finds under
// codes of the catalogue, which is made of the causes of all detectors.
type detector struct {
	kinds []string // group/kind as object.ID.GroupKind writes it; none means every kind
	// current says that it has something to tell about objects that are
	// Current, too. It has to be quick then.
	current bool
	find    func(*look)
	causes  []Entry // the codes that it finds, each at one detector only
}

var podKinds = []string{"Pod"}

// detectors is the table, the most frequent first. What a detector finds under a
// code of another one stands there alone.
var detectors = []detector{
	{causes: []Entry{ // found without a detector: see absent, unseen and fallback
		{codeProgressing, Waits, "It is on its way: nothing is known to be wrong.", "", 0},
		{codeNotReady, Action, "It is not Current, and none of the other causes explains it; its own reason is given.", "", 0},
		{"NotFound", Action, "It is followed and does not exist.", "", 0},
		{"Disappeared", Action, "It existed and was deleted while it was followed.", "what was seen before", 0},
		{"KindNotServed", Retries, "The cluster does not serve the kind: its definition is missing or not established.", "definitions", 0},
		{"NotVisible", Action, "It may not be read: not permitted (RBAC).", "", 0},
		{"Deleting", Waits, "It is being deleted, within its grace period.", "", 0},
		{"InternalError", Retries, "A detector failed by an error in this program: other causes stand, and one may be missing.", "", 0},
	}},
	{kinds: podKinds, find: containers, causes: []Entry{
		{"ImageNotFound", Action, "The registry does not have the image or its tag.", "", byImage},
		{"ImagePullDenied", Action, "The registry wants credentials that the pod does not present.", "events", byImage},
		{"ImageRateLimited", Retries, "The registry limits how often images may be pulled.", "", byImage},
		{"RegistryUnreachable", Retries, "The registry cannot be reached: network, name or certificate.", "", byImage},
		{"ImageNeverPulled", Action, "The image is not on the node, and imagePullPolicy is Never.", "", byImage},
		{"ImageNameInvalid", Action, "The image's name cannot be parsed.", "", byImage},
		{"ImageSignatureInvalid", Action, "The image's signature does not satisfy the node's policy.", "", byImage},
		{"ImagePullFailed", Retries, "The image cannot be pulled, for a reason that is none of the others.", "events", byImage},
		{"ImagePullSlow", Waits, "The image is still being pulled.", "events", byImage + 1},
		{"ImageWrongPlatform", Action, "The image has no build for the node's platform.", "", byStart},
		{"ConfigMissing", Action, "A Secret or ConfigMap that a container's environment needs does not exist.", "", byConfig},
		{"ConfigKeyMissing", Action, "A Secret or ConfigMap lacks a key that a container's environment needs.", "", byConfig},
		{"ImageRunsAsRoot", Action, "The image runs as root, which runAsNonRoot forbids.", "", byConfig},
		{"ContainerConfigInvalid", Action, "The container's configuration cannot be made.", "", byConfig},
		{"ContainerCannotStart", Action, "The runtime cannot start the container's command.", "", byStart},
		{"ContainerHookFailed", Action, "A lifecycle hook of the container fails.", "", byStart},
		{"ContainerCrashing", Action, "The container's process ends with an error.", "log, network policies", byCrash},
		{"OutOfMemory", Action, "The container was killed at its memory limit, or cannot be set up within it.", "", byMemory},
		{"ContainerKilled", Action, "The container was killed, and it does not tell why.", "events", byCrash},
		{"ContainerSignalled", Action, "The container's process ended by a signal.", "", byCrash},
		{"LivenessProbeFailing", Action, "The kubelet restarts the container because its liveness or startup probe fails.", "events", byCrash},
		{"StartupProbePending", Waits, "The container's startup probe has not succeeded yet.", "", byProbe},
		{"ReadinessProbeFailing", Retries, "The container runs, but is not ready.", "events", byReadiness},
		{"ReadinessGateNotReady", Waits, "The pod waits for a condition that something else has to set.", "", byReadinessGate},
		{"ContainerCompletes", Action, "The container's process ends normally, where one is expected that keeps running.", "", byCrash},
		{"InitContainerFailing", Action, "An init container fails.", "log, network policies", byInit},
		{"InitContainerRunning", Waits, "An init container has not finished.", "log, network policies", byInit},
		{"SidecarNotStarted", Retries, "A sidecar has not started and holds up the containers after it.", "", byInit},
		{"ContainerStatusLost", Retries, "How the container ended is not known, usually because its node restarted.", "", byCrash},
	}},
	{kinds: podKinds, find: lost, causes: []Entry{
		{"PodConditionStale", Waits, "A pod's readiness has not been updated since its node came back.", "nodes", byNode + 2},
	}},
	{kinds: podKinds, find: refused, causes: []Entry{
		{"KubeletRefused", Action, "A node's kubelet refused the pod.", "", byNode},
		{"Evicted", Action, "A pod was evicted from its node.", "", byNode + 1},
		{"PodDeadlineExceeded", Action, "A pod ran longer than it may.", "", byNode},
	}},
	{kinds: podKinds, find: ending, causes: []Entry{
		{"Disrupted", Waits, "A pod is being preempted, drained or evicted.", "", 0},
		{"PodStuckTerminating", Action, "A pod is stuck terminating after its grace period.", "events, nodes", byNode},
	}},
	{kinds: podKinds, find: scheduling, causes: []Entry{
		{"NotEnoughResources", Action, "No node has what the pod requests.", "nodes", byScheduler},
		{"NoMatchingNode", Action, "No node matches the pod's node selector or affinity.", "nodes", byScheduler},
		{"TaintNotTolerated", Action, "The eligible nodes have taints that the pod does not tolerate.", "nodes", byScheduler},
		{"PodAffinity", Action, "The pod's affinity or anti-affinity to other pods leaves no node.", "nodes", byScheduler},
		{"TopologySpread", Action, "The pod's topology spread constraints leave no node.", "nodes", byScheduler},
		{"HostPortTaken", Action, "The host port is taken on every eligible node.", "nodes, pods", byScheduler},
		{"NodeCordoned", Waits, "The eligible nodes are cordoned.", "nodes", byScheduler},
		{"SchedulingGated", Waits, "The pod waits for its scheduling gates to be removed.", "", byGate},
		{"NodeFullOfPods", Action, "The eligible nodes run as many pods as they may.", "nodes, pods", byScheduler},
		{"VolumeTopology", Action, "The pod's volume is where no node is eligible.", "claims, volumes", byScheduler},
		{"VolumeLimit", Action, "The eligible nodes cannot attach another volume.", "claims, volumes, CSI nodes, volume attachments", byScheduler},
		{"VolumeInUse", Action, "A ReadWriteOncePod volume is in use by another pod.", "", byScheduler},
		{"DeviceUnavailable", Action, "The devices that the pod claims cannot be allocated.", "", byScheduler},
		{"Preempting", Waits, "The scheduler is making room for the pod.", "pods", byScheduler},
		{"NoScheduler", Action, "No scheduler picks the pod up.", "", byScheduler},
		{"NodesUnavailable", Retries, "The eligible nodes are lost or under pressure.", "nodes", byScheduler},
		{"Unschedulable", Action, "The scheduler finds no node, for a reason that is none of the others.", "events", byScheduler},
	}},
	{kinds: podKinds, find: mounts, causes: []Entry{
		{"ClaimMissing", Action, "A PersistentVolumeClaim that the pod mounts does not exist.", "claims", byStorage},
		{"VolumeAttachFailed", Retries, "A volume cannot be attached to the pod's node.", "events", byStorage},
		{"VolumeAttachedElsewhere", Retries, "A volume is still attached to another node.", "events, volume attachments", byStorage},
		{"VolumeMountFailed", Retries, "A volume cannot be mounted.", "events", byStorage},
		{"VolumeSourceMissing", Action, "A ConfigMap or Secret that a volume shows does not exist.", "events", byStorage},
		{"VolumeKeyMissing", Action, "A ConfigMap or Secret lacks a key that a volume shows.", "events", byStorage},
		{"StaleClaim", Waits, "A StatefulSet's pod waits for its old claim to be deleted.", "claims", 0},
		{"ClaimDeleting", Action, "A claim that the pod mounts is being deleted.", "claims", byStorage},
		{"PodNetworkFailed", Retries, "The node cannot give the pod a network.", "events", bySandbox},
		{"PodSandboxFailed", Retries, "The node cannot set the pod up, or does not begin to, and no network is to blame.", "events, nodes", bySandbox},
	}},
	{kinds: podKinds, find: nowhere, causes: []Entry{
		{"NodeMissing", Action, "A pod is bound to a node that does not exist.", "nodes", byNode},
	}},
	{kinds: podKinds, current: true, find: resizing, causes: []Entry{
		{"PodResizeStuck", Action, "A pod's resources cannot be changed in place.", "", 0},
	}},
	{kinds: []string{"apps/Deployment"}, find: deployment, causes: []Entry{
		{"ProgressDeadlineExceeded", Action, "A workload made no progress within its deadline.", "", 0},
		{"Regressed", Action, "A Deployment was rolled out and became unavailable afterwards.", "", 0},
		{"Paused", Waits, "A rollout is paused.", "", 0},
		{"OldPodsRemain", Waits, "Pods that have to go first are not gone yet.", "", 0},
		{"MinReadyWait", Waits, "The pods are ready, and not yet for minReadySeconds.", "", 0},
		{"ReplicaSetRejected", Action, "A Deployment's ReplicaSet is refused.", "", 0},
	}},
	{kinds: []string{"apps/Deployment"}, find: deadlock, causes: []Entry{
		{"RolloutDeadlock", Action, "A new pod needs what an old one holds, and the strategy forbids removing the old one first.", "events", 0},
	}},
	{kinds: []string{"apps/StatefulSet"}, current: true, find: statefulSet, causes: []Entry{
		{"OrderedWait", Waits, "A StatefulSet waits for one pod before it makes the next.", "", 0},
		{"RollbackTrap", Action, "A StatefulSet does not replace a broken pod though the fix is applied.", "", 0},
		{"Partitioned", Waits, "A StatefulSet's update is held at a partition.", "", 0},
		{"OnDelete", Waits, "Pods run the old revision until they are deleted by hand, as the strategy says.", "", 0},
		{"GoverningServiceMissing", Action, "A StatefulSet's headless Service does not exist.", "services", 0},
	}},
	{kinds: []string{"apps/DaemonSet"}, current: true, find: daemonSet, causes: []Entry{
		{"NoNodesTargeted", Waits, "A DaemonSet has no node to run on.", "nodes", 0},
		{"DaemonPodRejected", Retries, "A node refuses a DaemonSet's pod again and again.", "events", 0},
	}},
	{kinds: []string{"apps/Deployment", "apps/StatefulSet"}, current: true, find: contested, causes: []Entry{
		{"ReplicasContested", Waits, "An autoscaler has set the replicas that the applied manifest sets, too.", "", 0},
	}},
	{kinds: []string{"batch/Job"}, find: job, causes: []Entry{
		{"JobBackoffLimitExceeded", Terminal, "A Job failed as often as it may.", "", 0},
		{"JobDeadlineExceeded", Terminal, "A Job ran longer than it may.", "", 0},
		{"JobFailed", Terminal, "A Job failed by its failure policy or its indexes.", "", 0},
		{"Suspended", Waits, "It is suspended.", "", 0},
		{"SidecarHoldsJob", Action, "A Job's work is done, but another container keeps its pod alive.", "", 0},
	}},
	{kinds: []string{"batch/CronJob"}, current: true, find: cronJob, causes: []Entry{
		{"CronScheduleInvalid", Action, "A CronJob's schedule cannot be followed.", "events", 0},
		{"CronJobFailing", Action, "A CronJob's last run failed.", "", 0},
	}},
	{kinds: []string{"apps/Deployment", "apps/ReplicaSet", "apps/StatefulSet", "apps/DaemonSet", "batch/Job", "ReplicationController"}, find: denials, causes: []Entry{
		{"QuotaExceeded", Action, "A ResourceQuota has no room for the pods.", "events, quotas", 0},
		{"QuotaNeedsFields", Action, "A ResourceQuota requires fields that the pods do not set.", "events", 0},
		{"LimitRangeViolated", Action, "The pods are outside the namespace's limits.", "events", 0},
		{"PodSecurityViolated", Action, "The namespace's pod security level forbids the pods.", "events", 0},
		{"ServiceAccountMissing", Action, "The pods' ServiceAccount does not exist.", "events", 0},
		{"PriorityClassMissing", Action, "The pods' PriorityClass does not exist.", "events", 0},
		{"WebhookUnreachable", Action, "An admission webhook that must answer does not.", "events, webhook configurations, services", 0},
		{"WebhookDenied", Action, "An admission webhook refuses the pods.", "events", 0},
		{"PolicyDenied", Action, "A ValidatingAdmissionPolicy refuses the pods.", "events", 0},
		{"NamespaceTerminating", Action, "The namespace is being deleted, so nothing can be created in it.", "events", 0},
		{"RuntimeClassMissing", Action, "The pods' RuntimeClass does not exist.", "events", 0},
		{"PodsCannotBeCreated", Action, "The pods are refused for a reason that is none of the others.", "events", 0},
	}},
	{kinds: []string{"apps/Deployment", "apps/StatefulSet", "apps/DaemonSet"}, find: selectsAll, causes: []Entry{
		{"SelectorConflict", Action, "A workload's selector is empty, or selects what belongs to another.", "events", 0},
	}},
	{kinds: []string{"PersistentVolumeClaim"}, current: true, find: claim, causes: []Entry{
		{"ClaimUnbound", Retries, "A PersistentVolumeClaim has no volume yet.", "claims", byStorage},
		{"StorageClassMissing", Action, "The StorageClass of a claim does not exist.", "events, storage classes", byStorage},
		{"NoStorageClass", Action, "A claim names no StorageClass, and there is no default one.", "events", byStorage},
		{"WaitsForConsumer", Waits, "A claim is bound only once a pod that mounts it is scheduled.", "events, storage classes", byStorage},
		{"ProvisionerSilent", Action, "The provisioner of a claim's class does not answer.", "events", byStorage},
		{"ProvisioningFailed", Retries, "The provisioner cannot make the volume.", "events", byStorage},
		{"VolumeLost", Action, "The volume that a claim was bound to is gone.", "", byStorage},
		{"VolumeMismatch", Action, "The volume does not fit the claim that names it.", "events", byStorage},
		{"VolumeResizePending", Waits, "A volume is being resized.", "", 0},
		{"VolumeResizeFailed", Action, "A volume cannot be resized.", "", 0},
		{"ClaimInUse", Waits, "A claim is being deleted, and a pod still uses it.", "pods", 0},
	}},
	{kinds: []string{"Service"}, current: true, find: service, causes: []Entry{
		{"SelectorMatchesNothing", Action, "No pod matches a Service's selector.", "endpoint slices, pods", 0},
		{"EndpointsNotReady", Action, "None of a Service's endpoints is ready.", "endpoint slices", 0},
		{"PortNameMissing", Action, "A Service's targetPort is no port name of its pods.", "endpoint slices", 0},
		{"PortNotDeclared", Waits, "No container of a Service's pods declares the targetPort: a hint, no more.", "endpoint slices, pods", 0},
		{"ServiceHasNoSelector", Action, "A Service has neither a selector nor endpoints.", "endpoint slices", 0},
		{"LoadBalancerPending", Action, "A Service of type LoadBalancer has no address.", "events", 0},
		{"LoadBalancerFailed", Retries, "A load balancer cannot be made.", "events", 0},
		{"ServiceAddressFailed", Action, "A Service's cluster address cannot be allocated.", "events", 0},
		{"EndpointsDraining", Waits, "All endpoints of a Service are terminating.", "endpoint slices", 0},
	}},
	{kinds: []string{"networking.k8s.io/Ingress"}, current: true, find: ingress, causes: []Entry{
		{"IngressClassMissing", Action, "An Ingress's class does not exist, or none is the default.", "ingress classes", 0},
		{"BackendMissing", Action, "An Ingress's Service, or the port of it, does not exist.", "services", 0},
		{"BackendNotReady", Action, "An Ingress's Service is in trouble.", "services", 0},
		{"TLSSecretMissing", Action, "An Ingress's certificate does not exist.", "secrets (metadata)", 0},
		{"TLSSecretInvalid", Action, "An Ingress's certificate is in a Secret of another type, or for other names.", "secrets (metadata and type)", 0},
		{"IngressAddressPending", Waits, "An Ingress has no address yet.", "", 0},
	}},
	{kinds: []string{"gateway.networking.k8s.io/Gateway", "gateway.networking.k8s.io/GatewayClass"}, current: true, find: gateway, causes: []Entry{
		{"GatewayNotReady", Action, "A Gateway or one of its listeners is not accepted or programmed.", "", 0},
	}},
	{kinds: []string{
		"gateway.networking.k8s.io/HTTPRoute", "gateway.networking.k8s.io/GRPCRoute", "gateway.networking.k8s.io/TCPRoute",
		"gateway.networking.k8s.io/TLSRoute", "gateway.networking.k8s.io/UDPRoute",
	}, current: true, find: route, causes: []Entry{
		{"RouteNotAccepted", Action, "A route is not accepted by its gateway.", "", 0},
		{"RouteReferenceBroken", Action, "A route's backend does not exist or may not be used.", "", 0},
	}},
	{kinds: []string{"Node"}, current: true, find: node, causes: []Entry{
		{"NodeLost", Retries, "A node stopped reporting.", "nodes", byNode + 2},
		{"NodePressure", Retries, "A node is short of a resource.", "nodes", 0},
	}},
	{kinds: []string{"autoscaling/HorizontalPodAutoscaler"}, current: true, find: autoscaler, causes: []Entry{
		{"MetricsMissing", Action, "An autoscaler gets no metrics.", "", 0},
		{"ScaleLimited", Waits, "An autoscaler wants more replicas than it may have.", "", 0},
		{"ScaleTargetMissing", Action, "An autoscaler cannot find or read what it is to scale.", "", 0},
	}},
	{kinds: []string{"policy/PodDisruptionBudget"}, current: true, find: disruptionBudget, causes: []Entry{
		{"BudgetIneffective", Waits, "A disruption budget protects nothing, or cannot be computed.", "events", 0},
	}},
	{kinds: []string{"Node", "cluster.x-k8s.io/Machine", "karpenter.sh/NodeClaim"}, find: evicting, causes: []Entry{
		{"EvictionBlocked", Action, "A node cannot be drained: a disruption budget lets no pod be evicted.", "events, disruption budgets", 0},
	}},
	{kinds: []string{"Namespace"}, find: namespace, causes: []Entry{
		{"NamespaceDiscoveryFailed", Action, "A namespace cannot be emptied because an API cannot be listed.", "API services", 0},
		{"NamespaceContentFailed", Action, "A namespace's content cannot be deleted.", "", 0},
		{"NamespaceContentRemains", Action, "A namespace that is being deleted still holds objects.", "what remains", 0},
	}},
	{kinds: []string{"apiextensions.k8s.io/CustomResourceDefinition"}, current: true, find: definition, causes: []Entry{
		{"DefinitionNamesTaken", Action, "A custom resource definition's names are taken by another.", "definitions", 0},
		{"DefinitionInvalid", Action, "A custom resource definition has no structural schema, or needs an approval.", "", 0},
		{"DefinitionTerminating", Action, "A custom resource definition is being deleted, and objects remain.", "", 0},
	}},
	{kinds: []string{"apiregistration.k8s.io/APIService"}, current: true, find: apiService, causes: []Entry{
		{"APIServiceUnavailable", Action, "An aggregated API is down.", "services", 0},
	}},
	{kinds: []string{"argoproj.io/Rollout"}, find: rolloutPaused},
	{kinds: []string{"PersistentVolume"}, current: true, find: volume, causes: []Entry{
		{"VolumeReleased", Waits, "A volume's claim is gone, and the volume is kept.", "", 0},
		{"VolumeFailed", Action, "A volume could not be reclaimed.", "", 0},
	}},
	{find: finalizers, causes: []Entry{
		{"FinalizerBlocks", Action, "A finalizer keeps an object from being deleted.", "", 0},
		{"DependentsRemain", Action, "What an object owns has to be deleted before it.", "", 0},
	}},
	{find: observed, causes: []Entry{
		{"NotObserved", Action, "The controller has not seen the last change.", "", 0},
		{"ControllerDown", Action, "The controller that should act holds no lease: it is down, or has no leader.", "leases", 0},
	}},
	{find: badOwner, causes: []Entry{
		{"OwnerInvalid", Action, "An object's owner is in another namespace, so it is collected as garbage.", "events", 0},
	}},
	{find: conversion, causes: []Entry{
		{"ConversionWebhookDown", Action, "A kind cannot be read because its conversion webhook does not answer.", "services", 0},
	}},
	{find: custom, causes: []Entry{
		{"ConditionFalse", Action, "A custom resource says that it is not ready.", "", 0},
		{"Reconciling", Waits, "A controller is at work on it.", "", 0},
		{"Stalled", Terminal, "A controller has given up.", "", 0},
		{"NoController", Action, "No controller has ever written a status.", "", 0},
		{"KustomizationFailed", Action, "A Flux Kustomization cannot be applied, or what it applied is not healthy.", "sources, what it applied", 0},
		{"SourceNotReady", Action, "A Flux source cannot be fetched.", "", 0},
		{"HelmReleaseFailed", Action, "A Helm release failed.", "sources", 0},
		{"ApplicationSyncFailed", Action, "An Argo CD application cannot be synced.", "", 0},
		{"ApplicationUnhealthy", Action, "An Argo CD application is not healthy.", "its resources", 0},
		{"RolloutDegraded", Action, "An Argo rollout is degraded.", "", 0},
		{"RolloutPaused", Waits, "An Argo rollout is paused at a step.", "", 0},
		{"CertificateNotReady", Action, "A certificate is not issued.", "requests, orders, challenges, issuers", 0},
		{"IssuerNotReady", Action, "An issuer of certificates is not ready.", "", 0},
		{"CrossplaneNotReady", Action, "A Crossplane resource is not synced or not ready.", "its composed resources", 0},
		{"PackageUnhealthy", Action, "A Crossplane package is not installed or not healthy.", "", 0},
		{"ClusterAPINotReady", Action, "A Cluster API object is not ready.", "its machines and templates", 0},
		{"KnativeNotReady", Action, "A Knative service is not ready.", "its revisions", 0},
		{"RunFailed", Terminal, "A Tekton run failed.", "its pods", 0},
		{"NodeClaimNotReady", Action, "A Karpenter NodeClaim has no node yet.", "", 0},
		{"KroNotReady", Action, "A kro instance or its definition is not ready.", "", 0},
		{"ExternalSecretFailed", Action, "An external secret cannot be fetched.", "stores", 0},
		{"SecretStoreNotReady", Action, "A secret store cannot be reached.", "", 0},
	}},
	{find: fought, causes: []Entry{
		{"SpecFought", Retries, "Its spec is written again and again: two writers may disagree.", "what was seen before", 0},
	}},
	{find: flapping, causes: []Entry{
		{"Flapping", Retries, "It was Current and stopped being so, again and again.", "what was seen before", 0},
	}},
}

// entries is the catalogue by code; byKind and anyKind are the detectors by the
// kind they look at. They are filled by init, because what the detectors call reads
// entries.
var (
	entries = map[string]*Entry{}
	byKind  = map[string][]*detector{}
	anyKind []*detector
)

func init() {
	for i := range detectors {
		d := &detectors[i]
		for j := range d.causes {
			entries[d.causes[j].Code] = &d.causes[j]
		}
		if len(d.kinds) == 0 && d.find != nil {
			anyKind = append(anyKind, d)
		}
		for _, k := range d.kinds {
			byKind[k] = append(byKind[k], d)
		}
	}
}
