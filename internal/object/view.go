package object

import "time"

// Pod is what is kept of a Pod. It never holds environment values, commands or
// arguments.
type Pod struct {
	*PodTemplate                     // never nil in a pod that was decoded
	Phase, Reason, Message string    // status.phase, status.reason, status.message
	Node                   string    // spec.nodeName
	Started                time.Time // status.startTime
	GracePeriod            Int       // metadata.deletionGracePeriodSeconds
	// Containers holds init containers first (sidecars among them), then main,
	// then ephemeral ones, each list in the order of the spec; a status without
	// a spec is kept too.
	Containers []Container
	Nominated  string // status.nominatedNodeName
	// Placement is what the scheduler has to obey. It is kept only while the
	// pod has no node.
	Placement *Placement
}

// PodTemplate is what pods that were made from one template mostly have in
// common; then they share it. Nobody writes to it after the decoder.
type PodTemplate struct {
	RestartPolicy  string
	ServiceAccount string
	PriorityClass  string
	RuntimeClass   string
	QOS            string
	ReadinessGates []string // condition types
	Uses           []Use    // what the pod needs by name: claims, config maps, secrets, …
	Scheduler      string   // spec.schedulerName
	Gates          []string // spec.schedulingGates: names
	// Requests is what the scheduler reserves for the pod, by resource name:
	// the sum over main containers and sidecars, or the largest init container
	// where that is more, plus spec.overhead; in thousandths.
	Requests  []Amount
	HostPorts []Port // Number is the hostPort
	// EvictAfter is how many seconds the pod tolerates an unreachable node
	// (tolerationSeconds for node.kubernetes.io/unreachable:NoExecute); unset
	// when it tolerates it for ever or not at all.
	EvictAfter Int
}

// Amount is a quantity of a resource in thousandths of its unit: millicores of
// cpu, thousandths of a byte of memory.
type Amount struct {
	Name  string
	Milli int64
}

// Placement is what a pod asks of the node it runs on. Preferences are left
// out: they keep no pod from being scheduled.
type Placement struct {
	NodeSelector []Label
	// Terms are those of requiredDuringScheduling node affinity: one of them
	// has to match, each with all its requirements. HasTerms tells an empty
	// list, which matches no node, from none at all.
	Terms       []NodeTerm
	HasTerms    bool
	Tolerations []Toleration
	Affinity    []PodTerm // required pod affinity
	Anti        []PodTerm // required pod anti-affinity
	Spread      []Spread  // topology spread constraints with DoNotSchedule
}

// NodeTerm is one term of a node selector. Operators are those of
// [Requirement], and Gt and Lt.
type NodeTerm struct {
	Exprs  []Requirement // over labels
	Fields []Requirement // over metadata.name
}

// Toleration is one entry of spec.tolerations, as written.
type Toleration struct{ Key, Operator, Value, Effect string }

// PodTerm is one term of required pod (anti-)affinity.
type PodTerm struct {
	Selector    Selector
	AnySelector bool     // the selector is present and empty: it matches every pod
	Namespaces  []string // empty means the pod's own
	TopologyKey string
}

// Spread is one topology spread constraint.
type Spread struct {
	TopologyKey string
	MaxSkew     int32
	Selector    Selector
}

// Use is something an object refers to by name in its own namespace.
type Use struct {
	Kind, Name string // ConfigMap, Secret, PersistentVolumeClaim, ServiceAccount, …
	Optional   bool
	Key        string // one key of a ConfigMap or Secret, where only that is used
}

// ContainerKind tells the four sorts of containers apart.
type ContainerKind uint8

// The sorts of containers. A Sidecar is an init container with
// restartPolicy Always.
const (
	MainContainer ContainerKind = iota
	InitContainer
	SidecarContainer
	EphemeralContainer
)

// Order sorts containers as the lists of a Pod do: init containers and sidecars
// stand in one, before main and ephemeral ones.
func (k ContainerKind) Order() int {
	switch k {
	case InitContainer, SidecarContainer:
		return 0
	case EphemeralContainer:
		return 2
	}
	return 1
}

// Container joins a container's spec with its status.
type Container struct {
	*ContainerSpec // never nil in a container that was decoded
	State          ContainerState
	Prior          *ContainerState `json:"last"` // status.lastState, nil where there was none: see Last
	Restarts       int64
	// Place is where its status stands in the pod's list of statuses of that
	// sort, from 1; 0 when it has no status. kstatus names containers in this
	// order, which is not the one of the spec.
	Place   int32
	Ready   bool
	Started bool
}

// ContainerSpec is what a container has from its pod's template; the containers
// of pods of one owner share it. Nobody writes to it after the decoder.
type ContainerSpec struct {
	Name, Image string
	Kind        ContainerKind
	Probes      Probes
	Ports       []Port
	Memory      string // the memory limit as written, for the message of an OOM kill
}

var noState ContainerState

// Last is how the container ended before, zero where it never has. It is not to
// be written to.
func (c *Container) Last() *ContainerState {
	if c.Prior == nil {
		return &noState
	}
	return c.Prior
}

// Probes says which probes a container has and what they tolerate.
type Probes struct{ Startup, Readiness, Liveness *Probe }

// Probe is the timing of a probe, in seconds, with Kubernetes's defaults
// filled in by the API server.
type Probe struct {
	What                                  string // "http :8080/healthz", "tcp :80", "exec", "grpc :9"
	InitialDelay, Period, Threshold, Wait int32  // Wait is timeoutSeconds
}

// Port is a container's or a service's port.
type Port struct {
	Name     string
	Number   int32
	Target   string // services: targetPort as written, a number or a name
	Protocol string
}

// ContainerState is one of waiting, running and terminated; Kind is empty
// when the status has none of them.
type ContainerState struct {
	Kind              string // "waiting", "running", "terminated" or ""
	Reason, Message   string
	ExitCode          int32
	Signal            int32
	Started, Finished time.Time
}

// Workload is what is kept of Deployment, ReplicaSet, StatefulSet, DaemonSet
// and ReplicationController. Counters that a kind does not have are unset.
type Workload struct {
	Replicas         Int // spec.replicas
	Paused           bool
	Strategy         string // strategy.type or updateStrategy.type
	MaxUnavailable   string // as written: "25%", "1"
	MaxSurge         string
	Partition        Int // StatefulSet: updateStrategy.rollingUpdate.partition
	MinReadySeconds  Int
	ProgressDeadline Int // progressDeadlineSeconds
	HasSelector      bool
	Selector         Selector
	PodLabels        []Label // labels of the pod template
	NodeSelector     []Label
	ServiceAccount   string
	Images           []Image
	ClaimTemplates   []string // StatefulSet: names of volumeClaimTemplates
	ServiceName      string   // StatefulSet
	PodManagement    string   // StatefulSet: podManagementPolicy

	// From the status. DaemonSet's desiredNumberScheduled, currentNumberScheduled,
	// updatedNumberScheduled, numberAvailable, numberReady, numberUnavailable and
	// numberMisscheduled stand in Desired, Current, Updated, Available, Ready,
	// Unavailable and Misscheduled.
	StatusReplicas, Updated, Ready, Available Int
	Current, FullyLabeled, Desired            Int
	Unavailable, Misscheduled                 Int
	Terminating                               Int    // terminatingReplicas: pods that are on their way out
	CurrentRevision, UpdateRevision           string // StatefulSet
	Revision                                  string // annotation deployment.kubernetes.io/revision

	Scaled *Scaled // nil unless the replicas are written by two
}

// Scaled is who last wrote a workload's replicas through the scale subresource, as
// metadata.managedFields tell, beside the replicas in the manifest that kubectl
// applied last.
type Scaled struct {
	By       string
	Manifest int64
}

// Image is a container of a pod template and its image. Memory is its memory
// limit as written, to tell what changed before an OOM kill.
type Image struct{ Container, Image, Memory string }

// Selector is a label selector. The zero value matches nothing, as an empty
// selector of a workload or a Service does in this program.
type Selector struct {
	Match []Label // matchLabels, or a plain selector map; sorted by key
	Exprs []Requirement
}

// Requirement is one entry of matchExpressions.
type Requirement struct {
	Key      string
	Operator string // In, NotIn, Exists, DoesNotExist
	Values   []string
}

// Job is what is kept of a batch/v1 Job.
type Job struct {
	Completions, Parallelism, BackoffLimit Int
	ActiveDeadline, TTL                    Int // seconds
	Suspend                                bool
	Mode                                   string // completionMode
	ManagedBy                              string // who runs it, where that is not the job controller
	Replacement                            string // podReplacementPolicy
	Active, Succeeded, Failed, Ready       Int
	Terminating                            Int
	FailedIndexes, CompletedIndexes        string
	Started, Completed                     time.Time
	Selector                               Selector
	Images                                 []Image
}

// CronJob is what is kept of a batch/v1 CronJob.
type CronJob struct {
	Suspend                   bool
	Schedule, TimeZone        string
	Concurrency               string
	LastSchedule, LastSuccess time.Time
	Active                    []string // names of running Jobs
}

// Service is what is kept of a Service.
type Service struct {
	Type, ClusterIP, ExternalName string
	Selector                      Selector
	Ports                         []Port
	ExternalIPs                   int
	Ingress                       []string // addresses of status.loadBalancer.ingress
	PortErrors                    []string // "PORT/PROTOCOL REASON", of status.loadBalancer.ingress[].ports[].error
	LoadBalancerClass             string
	PublishNotReady               bool
}

// Endpoints is what is kept of an EndpointSlice or of an Endpoints object.
type Endpoints struct {
	Service   string // the Service it belongs to
	Endpoints []Endpoint
	Ports     []Port
}

// Endpoint is one backend. Nil-able readiness has been resolved as the API
// documents it: absent ready means ready.
type Endpoint struct {
	Target                      ID // usually a Pod; zero when there is none
	TargetUID                   string
	Node                        string
	Ready, Serving, Terminating bool
	Addresses                   int
}

// Claim is what is kept of a PersistentVolumeClaim.
type Claim struct {
	Phase        string
	StorageClass string
	HasClass     bool // storageClassName is present, though perhaps empty
	Volume       string
	Requested    string // storage asked for, as written
	Capacity     string // storage given, as written
	Resize       string // status.allocatedResourceStatuses of storage, or the legacy field
}
