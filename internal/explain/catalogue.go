package explain

import "slices"

// Entry is one line of the published list of causes, docs/causes.md.
type Entry struct {
	Code  string
	Class Class  // the usual one; a finding may know better
	Says  string // what it means, in a sentence
	Rows  string // signatures of the catalogue that it covers, for tests
	// Needs names what it reads beside the object and its children: "events",
	// "nodes", …
	Needs string

	order int // within a pod; see settleOrder
}

// The places in the order of one pod's findings. What lies closer to the
// physical cause comes first.
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
	slices.SortFunc(list, func(a, b Entry) int {
		if a.Code < b.Code {
			return -1
		}
		return 1
	})
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
		{codeProgressing, Waits, "It is on its way: nothing is known to be wrong.", "", "", 0},
		{codeNotReady, Action, "It is not Current, and none of the other causes explains it; its own reason is given.", "I1 I22", "", 0},
		{"NotFound", Action, "It was asked for and does not exist.", "", "", 0},
		{"Disappeared", Action, "It was asked for and there, and somebody deleted it.", "H13", "what was seen before", 0},
		{"KindNotServed", Retries, "The cluster does not serve the kind: its definition is missing or not established.", "H10", "definitions", 0},
		{"NotVisible", Action, "These rights do not show what was asked for.", "", "", 0},
		{"Deleting", Waits, "It is being deleted, within its grace period.", "", "", 0},
	}},
	{kinds: podKinds, current: true, find: containers, causes: []Entry{
		{"ImageNotFound", Action, "The registry does not have the image or its tag.", "F1", "", byImage},
		{"ImagePullDenied", Action, "The registry wants credentials that the pod does not present.", "F2 F8", "events", byImage},
		{"ImageRateLimited", Retries, "The registry limits how often images may be pulled.", "F3", "", byImage},
		{"RegistryUnreachable", Retries, "The registry cannot be reached: network, name or certificate.", "F4", "", byImage},
		{"ImageNeverPulled", Action, "The image is not on the node, and imagePullPolicy is Never.", "F5", "", byImage},
		{"ImageNameInvalid", Action, "The image's name cannot be parsed.", "F6", "", byImage},
		{"ImageSignatureInvalid", Action, "The image's signature does not satisfy the node's policy.", "F7", "", byImage},
		{"ImagePullFailed", Retries, "The image cannot be pulled, for a reason that is none of the others.", "", "events", byImage},
		{"ImagePullSlow", Waits, "The image is still being pulled.", "F9", "events", byImage + 1},
		{"ImageWrongPlatform", Action, "The image has no build for the node's platform.", "F13", "", byStart},
		{"ConfigMissing", Action, "A Secret or ConfigMap that a container's environment needs does not exist.", "F10", "", byConfig},
		{"ConfigKeyMissing", Action, "A Secret or ConfigMap lacks a key that a container's environment needs.", "F10", "", byConfig},
		{"ImageRunsAsRoot", Action, "The image runs as root, which runAsNonRoot forbids.", "F11", "", byConfig},
		{"ContainerConfigInvalid", Action, "The container's configuration cannot be made.", "F10", "", byConfig},
		{"ContainerCannotStart", Action, "The runtime cannot start the container's command.", "F12", "", byStart},
		{"ContainerHookFailed", Action, "A lifecycle hook of the container fails.", "F14", "", byStart},
		{"ContainerCrashing", Action, "The container's process ends with an error.", "F15", "log, network policies", byCrash},
		{"OutOfMemory", Action, "The container was killed at its memory limit, or cannot be set up within it.", "F16", "", byMemory},
		{"ContainerKilled", Action, "The container was killed, and it does not tell why.", "F17", "events", byCrash},
		{"ContainerSignalled", Action, "The container's process ended by a signal.", "F18", "", byCrash},
		{"LivenessProbeFailing", Action, "The kubelet restarts the container because its liveness or startup probe fails.", "F19", "events", byCrash},
		{"StartupProbePending", Waits, "The container's startup probe has not succeeded yet.", "F20", "", byProbe},
		{"ReadinessProbeFailing", Retries, "The container runs, but is not ready.", "F21", "events", byReadiness},
		{"ReadinessGateNotReady", Waits, "The pod waits for a condition that something else has to set.", "F22", "", byReadinessGate},
		{"ContainerCompletes", Action, "The container's process ends normally, where one is expected that keeps running.", "F23", "", byCrash},
		{"InitContainerFailing", Action, "An init container fails.", "F24", "log, network policies", byInit},
		{"InitContainerRunning", Waits, "An init container has not finished.", "F25", "log, network policies", byInit},
		{"SidecarNotStarted", Retries, "A sidecar has not started and holds up the containers after it.", "F26", "", byInit},
		{"ContainerStatusLost", Retries, "How the container ended is not known, usually because its node restarted.", "F27", "", byCrash},
	}},
	{kinds: podKinds, find: lost, causes: []Entry{
		{"PodConditionStale", Waits, "A pod's readiness has not been updated since its node came back.", "D1", "nodes", byNode + 2},
	}},
	{kinds: podKinds, current: true, find: refused, causes: []Entry{
		{"KubeletRefused", Action, "A node's kubelet refused the pod.", "D2", "", byNode},
		{"Evicted", Action, "A pod was evicted from its node.", "D3 D4", "", byNode + 1},
	}},
	{kinds: podKinds, find: ending, causes: []Entry{
		{"Disrupted", Waits, "A pod is being preempted, drained or evicted.", "D5", "", 0},
		{"PodStuckTerminating", Action, "A pod is stuck terminating after its grace period.", "D7", "events, nodes", byNode},
	}},
	{kinds: podKinds, find: scheduling, causes: []Entry{
		{"NotEnoughResources", Action, "No node has what the pod requests.", "C1 A23", "nodes", byScheduler},
		{"NoMatchingNode", Action, "No node matches the pod's node selector or affinity.", "C2", "nodes", byScheduler},
		{"TaintNotTolerated", Action, "The eligible nodes have taints that the pod does not tolerate.", "C3", "nodes", byScheduler},
		{"PodAffinity", Action, "The pod's affinity or anti-affinity to other pods leaves no node.", "C4", "nodes", byScheduler},
		{"TopologySpread", Action, "The pod's topology spread constraints leave no node.", "C5", "nodes", byScheduler},
		{"HostPortTaken", Action, "The host port is taken on every eligible node.", "C6", "nodes, pods", byScheduler},
		{"NodeCordoned", Waits, "The eligible nodes are cordoned.", "C7", "nodes", byScheduler},
		{"SchedulingGated", Waits, "The pod waits for its scheduling gates to be removed.", "C8", "", byGate},
		{"NodeFullOfPods", Action, "The eligible nodes run as many pods as they may.", "C9", "nodes, pods", byScheduler},
		{"VolumeTopology", Action, "The pod's volume is where no node is eligible.", "C10", "claims, volumes", byScheduler},
		{"VolumeLimit", Action, "The eligible nodes cannot attach another volume.", "C11", "claims, volumes, CSI nodes, volume attachments", byScheduler},
		{"VolumeInUse", Action, "A ReadWriteOncePod volume is in use by another pod.", "C12", "", byScheduler},
		{"DeviceUnavailable", Action, "The devices that the pod claims cannot be allocated.", "C13", "", byScheduler},
		{"Preempting", Waits, "The scheduler is making room for the pod.", "C14", "pods", byScheduler},
		{"NoScheduler", Action, "No scheduler picks the pod up.", "C16", "", byScheduler},
		{"NodesUnavailable", Retries, "The eligible nodes are lost or under pressure.", "C3 D1", "nodes", byScheduler},
		{"Unschedulable", Action, "The scheduler finds no node, for a reason that is none of the others.", "C15", "events", byScheduler},
	}},
	{kinds: podKinds, find: mounts, causes: []Entry{
		{"ClaimMissing", Action, "A PersistentVolumeClaim that the pod mounts does not exist.", "E1", "claims", byStorage},
		{"VolumeAttachFailed", Retries, "A volume cannot be attached to the pod's node.", "E8", "events", byStorage},
		{"VolumeAttachedElsewhere", Retries, "A volume is still attached to another node.", "E9", "events, volume attachments", byStorage},
		{"VolumeMountFailed", Retries, "A volume cannot be mounted.", "E10", "events", byStorage},
		{"VolumeSourceMissing", Action, "A ConfigMap or Secret that a volume shows does not exist.", "E11", "events", byStorage},
		{"VolumeKeyMissing", Action, "A ConfigMap or Secret lacks a key that a volume shows.", "E12", "events", byStorage},
		{"StaleClaim", Waits, "A StatefulSet's pod waits for its old claim to be deleted.", "A18", "claims", 0},
		{"ClaimDeleting", Action, "A claim that the pod mounts is being deleted.", "E14", "claims", byStorage},
		{"PodNetworkFailed", Retries, "The node cannot give the pod a network.", "D6", "events", bySandbox},
		{"PodSandboxFailed", Retries, "The node cannot set the pod up, or does not begin to, and no network is to blame.", "D6", "events, nodes", bySandbox},
	}},
	{kinds: podKinds, find: nowhere, causes: []Entry{
		{"NodeMissing", Action, "A pod is bound to a node that does not exist.", "C17", "nodes", byNode},
	}},
	{kinds: podKinds, current: true, find: resizing, causes: []Entry{
		{"PodResizeStuck", Action, "A pod's resources cannot be changed in place.", "D9", "", 0},
	}},
	{kinds: []string{"apps/Deployment"}, find: deployment, causes: []Entry{
		{"ProgressDeadlineExceeded", Action, "A workload made no progress within its deadline.", "A2 A19", "", 0},
		{"Regressed", Action, "A Deployment was rolled out and became unavailable afterwards.", "A3", "", 0},
		{"Paused", Waits, "A rollout is paused.", "A5", "", 0},
		{"OldPodsRemain", Waits, "Pods that have to go first are not gone yet.", "A7 A19", "", 0},
		{"MinReadyWait", Waits, "The pods are ready, and not yet for minReadySeconds.", "A9", "", 0},
		{"ReplicaSetRejected", Action, "A Deployment's ReplicaSet is refused.", "A10", "", 0},
	}},
	{kinds: []string{"apps/Deployment"}, find: deadlock, causes: []Entry{
		{"RolloutDeadlock", Action, "A new pod needs what an old one holds, and the strategy forbids removing the old one first.", "A8", "events", 0},
	}},
	{kinds: []string{"apps/StatefulSet"}, current: true, find: statefulSet, causes: []Entry{
		{"OrderedWait", Waits, "A StatefulSet waits for one pod before it makes the next.", "A12", "", 0},
		{"RollbackTrap", Action, "A StatefulSet does not replace a broken pod though the fix is applied.", "A13", "", 0},
		{"Partitioned", Waits, "A StatefulSet's update is held at a partition.", "A14", "", 0},
		{"OnDelete", Waits, "Pods run the old revision until they are deleted by hand, as the strategy says.", "A15", "", 0},
		{"GoverningServiceMissing", Action, "A StatefulSet's headless Service does not exist.", "A17", "services", 0},
	}},
	{kinds: []string{"apps/DaemonSet"}, current: true, find: daemonSet, causes: []Entry{
		{"NoNodesTargeted", Waits, "A DaemonSet has no node to run on.", "A20", "nodes", 0},
		{"DaemonPodRejected", Retries, "A node refuses a DaemonSet's pod again and again.", "A22", "events", 0},
	}},
	{kinds: []string{"apps/Deployment", "apps/StatefulSet"}, current: true, find: contested, causes: []Entry{
		{"ReplicasContested", Waits, "An autoscaler has set the replicas that the applied manifest sets, too.", "A33", "", 0},
	}},
	{kinds: []string{"batch/Job"}, find: job, causes: []Entry{
		{"JobBackoffLimitExceeded", Terminal, "A Job failed as often as it may.", "A24", "", 0},
		{"JobDeadlineExceeded", Terminal, "A Job ran longer than it may.", "A25", "", 0},
		{"JobFailed", Terminal, "A Job failed by its failure policy or its indexes.", "A26", "", 0},
		{"Suspended", Waits, "It is suspended.", "A27 A29 I9", "", 0},
		{"SidecarHoldsJob", Action, "A Job's work is done, but another container keeps its pod alive.", "A28", "", 0},
	}},
	{kinds: []string{"batch/CronJob"}, current: true, find: cronJob, causes: []Entry{
		{"CronScheduleInvalid", Action, "A CronJob's schedule cannot be followed.", "A29", "events", 0},
		{"CronJobFailing", Action, "A CronJob's last run failed.", "A30", "", 0},
	}},
	{kinds: []string{"apps/Deployment", "apps/ReplicaSet", "apps/StatefulSet", "apps/DaemonSet", "batch/Job", "ReplicationController"}, find: denials, causes: []Entry{
		{"QuotaExceeded", Action, "A ResourceQuota has no room for the pods.", "B1 B12", "events, quotas", 0},
		{"QuotaNeedsFields", Action, "A ResourceQuota requires fields that the pods do not set.", "B2", "events", 0},
		{"LimitRangeViolated", Action, "The pods are outside the namespace's limits.", "B3", "events", 0},
		{"PodSecurityViolated", Action, "The namespace's pod security level forbids the pods.", "B4", "events", 0},
		{"ServiceAccountMissing", Action, "The pods' ServiceAccount does not exist.", "B5", "events", 0},
		{"PriorityClassMissing", Action, "The pods' PriorityClass does not exist.", "B6", "events", 0},
		{"WebhookUnreachable", Action, "An admission webhook that must answer does not.", "B7", "events, webhook configurations, services", 0},
		{"WebhookDenied", Action, "An admission webhook refuses the pods.", "B8", "events", 0},
		{"PolicyDenied", Action, "A ValidatingAdmissionPolicy refuses the pods.", "B9", "events", 0},
		{"NamespaceTerminating", Action, "The namespace is being deleted, so nothing can be created in it.", "B10", "events", 0},
		{"RuntimeClassMissing", Action, "The pods' RuntimeClass does not exist.", "B11", "events", 0},
		{"PodsCannotBeCreated", Action, "The pods are refused for a reason that is none of the others.", "A6 A16 A21", "events", 0},
	}},
	{kinds: []string{"apps/Deployment", "apps/StatefulSet", "apps/DaemonSet"}, find: selectsAll, causes: []Entry{
		{"SelectorConflict", Action, "A workload's selector is empty, or selects what belongs to another.", "A11", "events", 0},
	}},
	{kinds: []string{"PersistentVolumeClaim"}, current: true, find: claim, causes: []Entry{
		{"ClaimUnbound", Retries, "A PersistentVolumeClaim has no volume yet.", "", "claims", byStorage},
		{"StorageClassMissing", Action, "The StorageClass of a claim does not exist.", "E2", "events, storage classes", byStorage},
		{"NoStorageClass", Action, "A claim names no StorageClass, and there is no default one.", "E3", "events", byStorage},
		{"WaitsForConsumer", Waits, "A claim is bound only once a pod that mounts it is scheduled.", "E4", "events, storage classes", byStorage},
		{"ProvisionerSilent", Action, "The provisioner of a claim's class does not answer.", "E5", "events", byStorage},
		{"ProvisioningFailed", Retries, "The provisioner cannot make the volume.", "E6", "events", byStorage},
		{"VolumeLost", Action, "The volume that a claim was bound to is gone.", "E7", "", byStorage},
		{"VolumeMismatch", Action, "The volume does not fit the claim that names it.", "E7", "events", byStorage},
		{"VolumeResizePending", Waits, "A volume is being resized.", "E13", "", 0},
		{"VolumeResizeFailed", Action, "A volume cannot be resized.", "E13", "", 0},
		{"ClaimInUse", Waits, "A claim is being deleted, and a pod still uses it.", "E14", "pods", 0},
	}},
	{kinds: []string{"Service"}, current: true, find: service, causes: []Entry{
		{"SelectorMatchesNothing", Action, "No pod matches a Service's selector.", "G1", "endpoint slices, pods", 0},
		{"EndpointsNotReady", Action, "None of a Service's endpoints is ready.", "G2", "endpoint slices", 0},
		{"PortNameMissing", Action, "A Service's targetPort is no port name of its pods.", "G3", "endpoint slices", 0},
		{"PortNotDeclared", Waits, "No container of a Service's pods declares the targetPort: a hint, no more.", "G4", "endpoint slices, pods", 0},
		{"ServiceHasNoSelector", Action, "A Service has neither a selector nor endpoints.", "G5", "endpoint slices", 0},
		{"LoadBalancerPending", Action, "A Service of type LoadBalancer has no address.", "G6", "events", 0},
		{"LoadBalancerFailed", Retries, "A load balancer cannot be made.", "G6 G7", "events", 0},
		{"ServiceAddressFailed", Action, "A Service's cluster address cannot be allocated.", "G8", "events", 0},
		{"EndpointsDraining", Waits, "All endpoints of a Service are terminating.", "G16", "endpoint slices", 0},
	}},
	{kinds: []string{"networking.k8s.io/Ingress"}, current: true, find: ingress, causes: []Entry{
		{"IngressClassMissing", Action, "An Ingress's class does not exist, or none is the default.", "G9", "ingress classes", 0},
		{"BackendMissing", Action, "An Ingress's Service, or the port of it, does not exist.", "G10", "services", 0},
		{"BackendNotReady", Action, "An Ingress's Service is in trouble.", "G10", "services", 0},
		{"TLSSecretMissing", Action, "An Ingress's certificate does not exist.", "G11", "secrets (metadata)", 0},
		{"TLSSecretInvalid", Action, "An Ingress's certificate is in a Secret of another type, or for other names.", "G11", "secrets (metadata and type)", 0},
		{"IngressAddressPending", Waits, "An Ingress has no address yet.", "G12", "", 0},
	}},
	{kinds: []string{"gateway.networking.k8s.io/Gateway", "gateway.networking.k8s.io/GatewayClass"}, current: true, find: gateway, causes: []Entry{
		{"GatewayNotReady", Action, "A Gateway or one of its listeners is not accepted or programmed.", "G13", "", 0},
	}},
	{kinds: []string{
		"gateway.networking.k8s.io/HTTPRoute", "gateway.networking.k8s.io/GRPCRoute", "gateway.networking.k8s.io/TCPRoute",
		"gateway.networking.k8s.io/TLSRoute", "gateway.networking.k8s.io/UDPRoute",
	}, current: true, find: route, causes: []Entry{
		{"RouteNotAccepted", Action, "A route is not accepted by its gateway.", "G14", "", 0},
		{"RouteReferenceBroken", Action, "A route's backend does not exist or may not be used.", "G15", "", 0},
	}},
	{kinds: []string{"Node"}, current: true, find: node, causes: []Entry{
		{"NodeLost", Retries, "A node stopped reporting.", "D1", "nodes", byNode + 2},
		{"NodePressure", Retries, "A node is short of a resource.", "D1", "nodes", 0},
	}},
	{kinds: []string{"autoscaling/HorizontalPodAutoscaler"}, current: true, find: autoscaler, causes: []Entry{
		{"MetricsMissing", Action, "An autoscaler gets no metrics.", "A31", "", 0},
		{"ScaleLimited", Waits, "An autoscaler wants more replicas than it may have.", "A33", "", 0},
		{"ScaleTargetMissing", Action, "An autoscaler cannot find or read what it is to scale.", "A32", "", 0},
	}},
	{kinds: []string{"policy/PodDisruptionBudget"}, current: true, find: disruptionBudget, causes: []Entry{
		{"BudgetIneffective", Waits, "A disruption budget protects nothing, or cannot be computed.", "A35", "events", 0},
	}},
	{kinds: []string{"Node", "cluster.x-k8s.io/Machine", "karpenter.sh/NodeClaim"}, find: evicting, causes: []Entry{
		{"EvictionBlocked", Action, "A node cannot be drained: a disruption budget lets no pod be evicted.", "A34", "events, disruption budgets", 0},
	}},
	{kinds: []string{"Namespace"}, find: namespace, causes: []Entry{
		{"NamespaceDiscoveryFailed", Action, "A namespace cannot be emptied because an API cannot be listed.", "H6", "API services", 0},
		{"NamespaceContentFailed", Action, "A namespace's content cannot be deleted.", "H6", "", 0},
		{"NamespaceContentRemains", Action, "A namespace that is being deleted still holds objects.", "H6", "what remains", 0},
	}},
	{kinds: []string{"apiextensions.k8s.io/CustomResourceDefinition"}, current: true, find: definition, causes: []Entry{
		{"DefinitionNamesTaken", Action, "A custom resource definition's names are taken by another.", "H1", "definitions", 0},
		{"DefinitionInvalid", Action, "A custom resource definition has no structural schema, or needs an approval.", "H2", "", 0},
		{"DefinitionTerminating", Action, "A custom resource definition is being deleted, and objects remain.", "H3", "", 0},
	}},
	{kinds: []string{"apiregistration.k8s.io/APIService"}, current: true, find: apiService, causes: []Entry{
		{"APIServiceUnavailable", Action, "An aggregated API is down.", "H4", "services", 0},
	}},
	{kinds: []string{"argoproj.io/Rollout"}, find: rolloutPaused},
	{kinds: []string{"PersistentVolume"}, current: true, find: volume, causes: []Entry{
		{"VolumeReleased", Waits, "A volume's claim is gone, and the volume is kept.", "E15", "", 0},
		{"VolumeFailed", Action, "A volume could not be reclaimed.", "E15", "", 0},
	}},
	{find: finalizers, causes: []Entry{
		{"FinalizerBlocks", Action, "A finalizer keeps an object from being deleted.", "H7 D8", "", 0},
		{"DependentsRemain", Action, "What an object owns has to be deleted before it.", "H8", "", 0},
	}},
	{find: observed, causes: []Entry{
		{"NotObserved", Action, "The controller has not seen the last change.", "A1", "", 0},
		{"ControllerDown", Action, "The controller that should act holds no lease: it is down, or has no leader.", "H11 A1", "leases", 0},
	}},
	{find: badOwner, causes: []Entry{
		{"OwnerInvalid", Action, "An object's owner is in another namespace, so it is collected as garbage.", "H9", "events", 0},
	}},
	{find: conversion, causes: []Entry{
		{"ConversionWebhookDown", Action, "A kind cannot be read because its conversion webhook does not answer.", "H5", "services", 0},
	}},
	{find: custom, causes: []Entry{
		{"ConditionFalse", Action, "A custom resource says that it is not ready.", "I1 I5 I22", "", 0},
		{"Reconciling", Waits, "A controller is at work on it.", "I2", "", 0},
		{"Stalled", Terminal, "A controller has given up.", "I3", "", 0},
		{"NoController", Action, "No controller has ever written a status.", "I4", "", 0},
		{"KustomizationFailed", Action, "A Flux Kustomization cannot be applied, or what it applied is not healthy.", "I6", "sources, what it applied", 0},
		{"SourceNotReady", Action, "A Flux source cannot be fetched.", "I7", "", 0},
		{"HelmReleaseFailed", Action, "A Helm release failed.", "I8", "sources", 0},
		{"ApplicationSyncFailed", Action, "An Argo CD application cannot be synced.", "I10", "", 0},
		{"ApplicationUnhealthy", Action, "An Argo CD application is not healthy.", "I10", "its resources", 0},
		{"RolloutDegraded", Action, "An Argo rollout is degraded.", "I11", "", 0},
		{"RolloutPaused", Waits, "An Argo rollout is paused at a step.", "I11", "", 0},
		{"CertificateNotReady", Action, "A certificate is not issued.", "I12", "requests, orders, challenges, issuers", 0},
		{"IssuerNotReady", Action, "An issuer of certificates is not ready.", "I13", "", 0},
		{"CrossplaneNotReady", Action, "A Crossplane resource is not synced or not ready.", "I14", "its composed resources", 0},
		{"PackageUnhealthy", Action, "A Crossplane package is not installed or not healthy.", "I15", "", 0},
		{"ClusterAPINotReady", Action, "A Cluster API object is not ready.", "I16", "its machines and templates", 0},
		{"KnativeNotReady", Action, "A Knative service is not ready.", "I17", "its revisions", 0},
		{"RunFailed", Terminal, "A Tekton run failed.", "I18", "its pods", 0},
		{"NodeClaimNotReady", Action, "A Karpenter NodeClaim has no node yet.", "I19", "", 0},
		{"KroNotReady", Action, "A kro instance or its definition is not ready.", "I20", "", 0},
		{"ExternalSecretFailed", Action, "An external secret cannot be fetched.", "I21", "stores", 0},
		{"SecretStoreNotReady", Action, "A secret store cannot be reached.", "I21", "", 0},
	}},
	{find: fought, causes: []Entry{
		{"SpecFought", Retries, "Its spec is written again and again: two writers may disagree.", "H12", "what was seen before", 0},
	}},
	{find: flapping, causes: []Entry{
		{"Flapping", Retries, "It was Current and stopped being so, again and again.", "A4", "what was seen before", 0},
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
