package object

import (
	"strings"
	"time"
)

// Pod is the view of a Pod. It never holds environment values, commands or
// arguments.
type Pod struct {
	*PodTemplate           // never nil in a decoded Pod
	Phase        string    `json:"phase,omitzero"`       // status.phase
	Reason       string    `json:"reason,omitzero"`      // status.reason
	Message      string    `json:"message,omitzero"`     // status.message
	Node         string    `json:"node,omitzero"`        // spec.nodeName
	IP           string    `json:"ip,omitzero"`          // status.podIP
	Started      time.Time `json:"started,omitzero"`     // status.startTime
	GracePeriod  Int       `json:"gracePeriod,omitzero"` // metadata.deletionGracePeriodSeconds
	// Containers holds init containers first (sidecars among them), then main,
	// then ephemeral ones, each list in the order of the spec; a status without
	// a spec is kept too.
	Containers []Container `json:"containers,omitempty"`
	Nominated  string      `json:"nominated,omitzero"` // status.nominatedNodeName
	// Placement is the Pod's scheduling constraints. It is only kept while the
	// Pod has no node.
	Placement *Placement `json:"placement,omitzero"`
}

// PodTemplate holds what Pods of one template usually have in common, and
// share. It must not be modified after decoding.
type PodTemplate struct {
	RestartPolicy  string   `json:"restartPolicy,omitzero"`
	ServiceAccount string   `json:"serviceAccount,omitzero"`
	PriorityClass  string   `json:"priorityClass,omitzero"`
	RuntimeClass   string   `json:"runtimeClass,omitzero"`
	QOS            string   `json:"qos,omitzero"`
	ReadinessGates []string `json:"readinessGates,omitempty"` // condition types
	// objects that the Pod needs by name: claims, ConfigMaps, Secrets, …
	Uses      []Use    `json:"uses,omitempty"`
	Scheduler string   `json:"scheduler,omitzero"` // spec.schedulerName
	Gates     []string `json:"gates,omitempty"`    // spec.schedulingGates: names
	// Requests are the resources that the scheduler reserves: the sum over main
	// containers and sidecars, or the largest init container if that is more,
	// plus spec.overhead; in thousandths.
	Requests  []Amount `json:"requests,omitempty"`
	HostPorts []Port   `json:"hostPorts,omitempty"` // Number is the hostPort
	// EvictAfter is how many seconds the Pod tolerates an unreachable node
	// (tolerationSeconds for node.kubernetes.io/unreachable:NoExecute); unset
	// if forever or not at all.
	EvictAfter Int `json:"evictAfter,omitzero"`
	// AntiAffinity is the required one. It is kept after the Pod's own
	// scheduling, because it excludes other Pods.
	AntiAffinity []PodTerm `json:"antiAffinity,omitempty"`
}

// Amount is a quantity of a resource in thousandths of its unit: millicores of
// cpu, thousandths of a byte of memory.
type Amount struct {
	Name  string `json:"name,omitzero"`
	Milli int64  `json:"milli,omitzero"`
}

// Placement is a Pod's required scheduling constraints. Preferences are left
// out: they never keep a Pod from being scheduled.
type Placement struct {
	NodeSelector []Label `json:"nodeSelector,omitempty"`
	// Terms are those of requiredDuringScheduling node affinity: one of them
	// has to match, with all its requirements. HasTerms distinguishes an empty
	// list, which matches no node, from none.
	Terms       []NodeTerm   `json:"terms,omitempty"`
	HasTerms    bool         `json:"hasTerms,omitzero"`
	Tolerations []Toleration `json:"tolerations,omitempty"`
	Affinity    []PodTerm    `json:"affinity,omitempty"` // required pod affinity
	Spread      []Spread     `json:"spread,omitempty"`   // topology spread constraints with DoNotSchedule
}

// NodeTerm is one term of a node selector. Operators are those of
// [Requirement], and Gt and Lt.
type NodeTerm struct {
	Exprs  []Requirement `json:"exprs,omitempty"`  // over labels
	Fields []Requirement `json:"fields,omitempty"` // over metadata.name
}

// Toleration is one entry of spec.tolerations, as written.
type Toleration struct {
	Key      string `json:"key,omitzero"`
	Operator string `json:"operator,omitzero"`
	Value    string `json:"value,omitzero"`
	Effect   string `json:"effect,omitzero"`
}

// PodTerm is one term of required pod (anti-)affinity.
type PodTerm struct {
	Selector    Selector `json:"selector,omitzero"`
	AnySelector bool     `json:"anySelector,omitzero"` // the selector is present and empty: it matches every pod
	Namespaces  []string `json:"namespaces,omitempty"` // empty means the pod's own
	TopologyKey string   `json:"topologyKey,omitzero"`
}

// Spread is one topology spread constraint.
type Spread struct {
	TopologyKey string   `json:"topologyKey,omitzero"`
	MaxSkew     int32    `json:"maxSkew,omitzero"`
	Selector    Selector `json:"selector,omitzero"`
}

// Use is an object that another refers to by name in its own namespace.
type Use struct {
	Kind     string `json:"kind,omitzero"`
	Name     string `json:"name,omitzero"` // ConfigMap, Secret, PersistentVolumeClaim, ServiceAccount, …
	Optional bool   `json:"optional,omitzero"`
	Key      string `json:"key,omitzero"` // one key of a ConfigMap or Secret, if only that is used
}

// ContainerKind is one of the four kinds of containers.
type ContainerKind uint8

// The kinds of containers. A Sidecar is an init container with restartPolicy
// Always.
const (
	MainContainer ContainerKind = iota
	InitContainer
	SidecarContainer
	EphemeralContainer
)

// Order sorts containers like the lists of a Pod: init containers and sidecars
// are in one, before main and ephemeral ones.
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
	*ContainerSpec                 // never nil in a decoded container
	State          ContainerState  `json:"state,omitzero"`
	Prior          *ContainerState `json:"last,omitzero"` // status.lastState, or nil: see Last
	Restarts       int64           `json:"restarts,omitzero"`
	// Place is the index of its status in the Pod's list of statuses of that
	// kind, from 1; 0 without a status. kstatus names containers in this order,
	// which is not the spec's.
	Place   int32 `json:"place,omitzero"`
	Ready   bool  `json:"ready,omitzero"`
	Started bool  `json:"started,omitzero"`
}

// ContainerSpec is a container's part of the Pod's template, shared by the Pods
// of one owner. It must not be modified after decoding.
type ContainerSpec struct {
	Name   string        `json:"name,omitzero"`
	Image  string        `json:"image,omitzero"`
	Kind   ContainerKind `json:"kind,omitzero"`
	Probes Probes        `json:"probes,omitzero"`
	Ports  []Port        `json:"ports,omitempty"`
	Memory string        `json:"memory,omitzero"` // the memory limit as written, for the message of an OOM kill
	// The other requests and limits as written.
	CPURequest    string `json:"cpuRequest,omitzero"`
	CPULimit      string `json:"cpuLimit,omitzero"`
	MemoryRequest string `json:"memoryRequest,omitzero"`
	Again         bool   `json:"again,omitzero"`   // its own restartPolicy or rules may restart it, whatever the Pod's
	Always        bool   `json:"always,omitzero"`  // it is no sidecar, and its own restartPolicy is Always
	PreStop       bool   `json:"preStop,omitzero"` // it has a preStop hook, which runs before SIGTERM is sent
}

var noState ContainerState

// Last is the container's last terminated state, zero if there is none. It must
// not be modified.
func (c *Container) Last() *ContainerState {
	if c.Prior == nil {
		return &noState
	}
	return c.Prior
}

// Probes are a container's probes.
type Probes struct {
	Startup   *Probe `json:"startup,omitzero"`
	Readiness *Probe `json:"readiness,omitzero"`
	Liveness  *Probe `json:"liveness,omitzero"`
}

// Probe is a probe's action and timing, in seconds.
type Probe struct {
	What         string `json:"what,omitzero"` // "http :8080/healthz", "tcp :80", "exec", "grpc :9"
	InitialDelay int32  `json:"initialDelay,omitzero"`
	Period       int32  `json:"period,omitzero"`
	Threshold    int32  `json:"threshold,omitzero"`
	Wait         int32  `json:"wait,omitzero"` // timeoutSeconds
}

// Port is a container's or a service's port.
type Port struct {
	Name     string `json:"name,omitzero"`
	Number   int32  `json:"number,omitzero"`
	Target   string `json:"target,omitzero"` // services: targetPort as written, a number or a name
	Protocol string `json:"protocol,omitzero"`
}

// ContainerState is one of waiting, running and terminated; Kind is empty
// when the status has none of them.
type ContainerState struct {
	Kind     string    `json:"kind,omitzero"` // "waiting", "running", "terminated" or ""
	Reason   string    `json:"reason,omitzero"`
	Message  string    `json:"message,omitzero"`
	ExitCode int32     `json:"exitCode,omitzero"`
	Signal   int32     `json:"signal,omitzero"`
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
}

// Workload is the view of Deployment, ReplicaSet, StatefulSet, DaemonSet and
// ReplicationController. Counters that a kind does not have are unset.
type Workload struct {
	Replicas         Int      `json:"replicas,omitzero"` // spec.replicas
	Paused           bool     `json:"paused,omitzero"`
	Strategy         string   `json:"strategy,omitzero"`       // strategy.type or updateStrategy.type
	MaxUnavailable   string   `json:"maxUnavailable,omitzero"` // as written: "25%", "1"
	MaxSurge         string   `json:"maxSurge,omitzero"`
	Partition        Int      `json:"partition,omitzero"` // StatefulSet: updateStrategy.rollingUpdate.partition
	Start            Int      `json:"start,omitzero"`     // StatefulSet: ordinals.start
	MinReadySeconds  Int      `json:"minReadySeconds,omitzero"`
	ProgressDeadline Int      `json:"progressDeadline,omitzero"` // progressDeadlineSeconds
	HasSelector      bool     `json:"hasSelector,omitzero"`
	Selector         Selector `json:"selector,omitzero"`
	PodLabels        []Label  `json:"podLabels,omitempty"` // labels of the pod template
	ServiceAccount   string   `json:"serviceAccount,omitzero"`
	Images           []Image  `json:"images,omitempty"`
	ClaimTemplates   []string `json:"claimTemplates,omitempty"` // StatefulSet: names of volumeClaimTemplates
	ServiceName      string   `json:"serviceName,omitzero"`     // StatefulSet
	PodManagement    string   `json:"podManagement,omitzero"`   // StatefulSet: podManagementPolicy
	CSIDrivers       []string `json:"csiDrivers,omitempty"`     // DaemonSet: those whose directory its template mounts
	// Placement is on which nodes the template's Pods may run, of a DaemonSet.
	Placement *Placement `json:"placement,omitempty"`

	// From the status. The corresponding fields of a DaemonSet
	// (desiredNumberScheduled, currentNumberScheduled, updatedNumberScheduled,
	// numberAvailable, numberReady, numberUnavailable, numberMisscheduled) are
	// in Desired, Current, Updated, Available, Ready, Unavailable and
	// Misscheduled.
	StatusReplicas  Int    `json:"statusReplicas,omitzero"`
	Updated         Int    `json:"updated,omitzero"`
	Ready           Int    `json:"ready,omitzero"`
	Available       Int    `json:"available,omitzero"`
	Current         Int    `json:"current,omitzero"`
	FullyLabeled    Int    `json:"fullyLabeled,omitzero"`
	Desired         Int    `json:"desired,omitzero"`
	Unavailable     Int    `json:"unavailable,omitzero"`
	Misscheduled    Int    `json:"misscheduled,omitzero"`
	Terminating     Int    `json:"terminating,omitzero"` // terminatingReplicas: terminating Pods
	CurrentRevision string `json:"currentRevision,omitzero"`
	UpdateRevision  string `json:"updateRevision,omitzero"` // StatefulSet
	Revision        string `json:"revision,omitzero"`       // annotation deployment.kubernetes.io/revision

	Scaled *Scaled `json:"scaled,omitzero"` // nil unless two writers set the replicas
}

// Scaled is the last writer of a workload's scale subresource, according to
// metadata.managedFields, and the replicas in kubectl's last-applied
// annotation.
type Scaled struct {
	By       string `json:"by,omitzero"`
	Manifest int64  `json:"manifest,omitzero"`
}

// Image is a container of a Pod template and its image. Memory is its memory
// limit as written, to tell what changed before an OOM kill.
type Image struct {
	Container string `json:"container,omitzero"`
	Image     string `json:"image,omitzero"`
	Memory    string `json:"memory,omitzero"`
}

// Selector is a label selector. The zero value matches nothing, as an empty
// selector of a workload or a Service does in this program.
type Selector struct {
	Match []Label       `json:"match,omitempty"` // matchLabels, or a plain selector map; sorted by key
	Exprs []Requirement `json:"exprs,omitempty"`
}

// Requirement is one entry of matchExpressions.
type Requirement struct {
	Key      string   `json:"key,omitzero"`
	Operator string   `json:"operator,omitzero"` // In, NotIn, Exists, DoesNotExist
	Values   []string `json:"values,omitempty"`
}

// Job is the view of a batch/v1 Job.
type Job struct {
	Completions      Int       `json:"completions,omitzero"`
	Parallelism      Int       `json:"parallelism,omitzero"`
	BackoffLimit     Int       `json:"backoffLimit,omitzero"`
	ActiveDeadline   Int       `json:"activeDeadline,omitzero"`
	TTL              Int       `json:"ttl,omitzero"` // seconds
	Suspend          bool      `json:"suspend,omitzero"`
	Mode             string    `json:"mode,omitzero"`        // completionMode
	ManagedBy        string    `json:"managedBy,omitzero"`   // spec.managedBy, if not the job controller
	Replacement      string    `json:"replacement,omitzero"` // podReplacementPolicy
	Active           Int       `json:"active,omitzero"`
	Succeeded        Int       `json:"succeeded,omitzero"`
	Failed           Int       `json:"failed,omitzero"`
	Ready            Int       `json:"ready,omitzero"`
	Terminating      Int       `json:"terminating,omitzero"`
	FailedIndexes    string    `json:"failedIndexes,omitzero"`
	CompletedIndexes string    `json:"completedIndexes,omitzero"`
	Started          time.Time `json:"started,omitzero"`
	Completed        time.Time `json:"completed,omitzero"`
	Selector         Selector  `json:"selector,omitzero"`
	Images           []Image   `json:"images,omitempty"`
}

// CronJob is the view of a batch/v1 CronJob.
type CronJob struct {
	Suspend      bool      `json:"suspend,omitzero"`
	Schedule     string    `json:"schedule,omitzero"`
	TimeZone     string    `json:"timeZone,omitzero"`
	Concurrency  string    `json:"concurrency,omitzero"`
	LastSchedule time.Time `json:"lastSchedule,omitzero"`
	LastSuccess  time.Time `json:"lastSuccess,omitzero"`
	// TemplateWritten is when somebody who sets the template of its Jobs last wrote
	// it, according to metadata.managedFields; zero if unknown.
	TemplateWritten time.Time `json:"templateWritten,omitzero"`
	Active          []string  `json:"active,omitempty"` // names of running Jobs
}

// Service is the view of a Service.
type Service struct {
	Type         string   `json:"type,omitzero"`
	ClusterIP    string   `json:"clusterIP,omitzero"`
	ExternalName string   `json:"externalName,omitzero"`
	Selector     Selector `json:"selector,omitzero"`
	Ports        []Port   `json:"ports,omitempty"`
	ExternalIPs  int      `json:"externalIPs,omitzero"`
	Ingress      []string `json:"ingress,omitempty"` // addresses of status.loadBalancer.ingress
	// "PORT/PROTOCOL REASON", of status.loadBalancer.ingress[].ports[].error
	PortErrors        []string `json:"portErrors,omitempty"`
	LoadBalancerClass string   `json:"loadBalancerClass,omitzero"`
	PublishNotReady   bool     `json:"publishNotReady,omitzero"`
}

// Endpoints is the view of an EndpointSlice or an Endpoints object.
type Endpoints struct {
	Service   string     `json:"service,omitzero"` // the Service that it belongs to
	Endpoints []Endpoint `json:"endpoints,omitempty"`
	Ports     []Port     `json:"ports,omitempty"`
}

// Endpoint is one backend. Optional conditions have their documented defaults:
// absent ready means ready.
type Endpoint struct {
	Target      ID     `json:"target,omitzero"` // usually a Pod; zero if there is none
	TargetUID   string `json:"targetUID,omitzero"`
	Node        string `json:"node,omitzero"`
	Ready       bool   `json:"ready,omitzero"`
	Serving     bool   `json:"serving,omitzero"`
	Terminating bool   `json:"terminating,omitzero"`
	Addresses   int    `json:"addresses,omitzero"`
}

// Claim is the view of a PersistentVolumeClaim.
type Claim struct {
	Phase        string `json:"phase,omitzero"`
	StorageClass string `json:"storageClass,omitzero"`
	HasClass     bool   `json:"hasClass,omitzero"` // storageClassName is set, possibly to ""
	Volume       string `json:"volume,omitzero"`
	Requested    string `json:"requested,omitzero"` // requested storage, as written
	Capacity     string `json:"capacity,omitzero"`  // storage capacity, as written
	Resize       string `json:"resize,omitzero"`    // status.allocatedResourceStatuses of storage, or the legacy field
	// The VolumeAttributesClasses that it asks for, has, and is being modified
	// to; Modify is status.modifyVolumeStatus.status.
	Attributes       string `json:"attributes,omitzero"`
	AttributesNow    string `json:"attributesNow,omitzero"`
	AttributesTarget string `json:"attributesTarget,omitzero"`
	Modify           string `json:"modify,omitzero"`

	Modes  []string `json:"modes,omitempty"` // access modes
	Source ID       `json:"source,omitzero"` // spec.dataSource: the snapshot or claim that it is a copy of
}

// Event is what a Kubernetes event of either API tells of another object, with
// uniform times.
type Event struct {
	UID      string    `json:"uid"` // UID of the event itself
	About    ID        `json:"about"`
	AboutUID string    `json:"aboutUID,omitempty"`
	Field    string    `json:"field,omitempty"` // involvedObject.fieldPath: spec.containers{web}
	Type     string    `json:"type"`            // Normal, Warning, or a controller's own word; see Warns
	Reason   string    `json:"reason"`
	Message  string    `json:"message"`
	From     string    `json:"from,omitempty"` // the reporting component
	First    time.Time `json:"first,omitzero"`
	Last     time.Time `json:"last,omitzero"`
	Count    int       `json:"count,omitempty"` // at least 1
	Gone     bool      `json:"gone,omitempty"`  // expired or deleted
}

// Warns reports whether an event says that something is wrong. The API knows the types Normal and
// Warning (k8s.io/api v0.37, core/v1 Event.Type: "new types could be added in future"), and some
// controllers write their own: Critical (openebs/mayastor#1532), Error.
func (e *Event) Warns() bool {
	switch strings.ToLower(e.Type) {
	case "warning", "error", "critical", "fatal", "alert", "emergency":
		return true
	}
	return false
}
