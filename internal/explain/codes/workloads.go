package codes

// The codes of family workloads.
var (
	StaleClaim = register(Code{
		Name: "StaleClaim", Family: "workloads", Class: Waits,
		Meaning: "A StatefulSet's pod waits for its old claim to be deleted.",
		Reads:   "claims",
		Hides:   []*Code{MinReadyWait},
	})
	ProgressDeadlineExceeded = register(Code{
		Name: "ProgressDeadlineExceeded", Family: "workloads", Class: Action,
		Meaning: "A workload made no progress within its deadline.",
		Hides:   []*Code{MinReadyWait},
	})
	Regressed = register(Code{
		Name: "Regressed", Family: "workloads", Class: Action,
		Meaning: "A Deployment was rolled out and became unavailable afterwards.",
		Hides:   []*Code{OldPodsRemain, MinReadyWait},
	})
	Paused = register(Code{
		Name: "Paused", Family: "workloads", Class: Waits,
		Meaning: "A rollout is paused.",
	})
	OldPodsRemain = register(Code{
		Name: "OldPodsRemain", Family: "workloads", Class: Waits,
		Meaning: "Pods that have to be deleted first still exist.",
		Hides:   []*Code{MinReadyWait},
	})
	MinReadyWait = register(Code{
		Name: "MinReadyWait", Family: "workloads", Class: Waits,
		Meaning: "The pods are ready, but not yet for minReadySeconds.",
	})
	ReplicaSetRejected = register(Code{
		Name: "ReplicaSetRejected", Family: "workloads", Class: Action,
		Meaning: "A Deployment's ReplicaSet is refused.",
	})
	RolloutDeadlock = register(Code{
		Name: "RolloutDeadlock", Family: "workloads", Class: Action,
		Meaning: "A new pod needs what an old one holds, and the strategy forbids removing the old one first.",
		Reads:   "events",
	})
	OrderedWait = register(Code{
		Name: "OrderedWait", Family: "workloads", Class: Waits,
		Meaning: "A StatefulSet waits for one pod before it creates the next.",
		Hides:   []*Code{MinReadyWait},
	})
	RollbackTrap = register(Code{
		Name: "RollbackTrap", Family: "workloads", Class: Action,
		Meaning: "A StatefulSet does not replace a broken pod though the fix is applied.",
		Hides:   []*Code{MinReadyWait},
	})
	Partitioned = register(Code{
		Name: "Partitioned", Family: "workloads", Class: Waits,
		Meaning: "A StatefulSet's update is held at a partition.",
		Hides:   []*Code{MinReadyWait},
	})
	OnDelete = register(Code{
		Name: "OnDelete", Family: "workloads", Class: Waits,
		Meaning: "Pods run the old revision until they are deleted by hand, as the strategy says.",
		Hides:   []*Code{MinReadyWait},
	})
	GoverningServiceMissing = register(Code{
		Name: "GoverningServiceMissing", Family: "workloads", Class: Action,
		Meaning: "A StatefulSet's headless Service does not exist.",
		Reads:   "services",
	})
	NoNodesTargeted = register(Code{
		Name: "NoNodesTargeted", Family: "workloads", Class: Waits,
		Meaning: "A DaemonSet has no node to run on.",
		Reads:   "nodes",
	})
	DaemonPodRejected = register(Code{
		Name: "DaemonPodRejected", Family: "workloads", Class: Retries,
		Meaning: "A node refuses a DaemonSet's pod again and again.",
		Reads:   "events",
	})
	ReplicasContested = register(Code{
		Name: "ReplicasContested", Family: "workloads", Class: Waits,
		Meaning: "An autoscaler has set the replicas that the applied manifest sets, too.",
	})
	JobBackoffLimitExceeded = register(Code{
		Name: "JobBackoffLimitExceeded", Family: "workloads", Class: Terminal,
		Meaning: "A Job has failed as often as its backoffLimit allows.",
	})
	JobRetries = register(Code{
		Name: "JobRetries", Family: "workloads", Class: Retries,
		Meaning: "Pods of a Job have failed, and its backoffLimit allows another one.",
	})
	JobDeadlineExceeded = register(Code{
		Name: "JobDeadlineExceeded", Family: "workloads", Class: Terminal,
		Meaning: "A Job ran longer than its activeDeadlineSeconds.",
	})
	JobFailed = register(Code{
		Name: "JobFailed", Family: "workloads", Class: Terminal,
		Meaning: "A Job failed by its failure policy or its indexes.",
	})
	Suspended = register(Code{
		Name: "Suspended", Family: "workloads", Class: Waits,
		Meaning: "It is suspended.",
	})
	SidecarHoldsJob = register(Code{
		Name: "SidecarHoldsJob", Family: "workloads", Class: Action,
		Meaning: "A Job's work is done, but another container keeps its pod alive.",
	})
	CronScheduleInvalid = register(Code{
		Name: "CronScheduleInvalid", Family: "workloads", Class: Action,
		Meaning: "A CronJob's schedule cannot be followed.",
		Reads:   "events",
	})
	CronRunSkipped = register(Code{
		Name: "CronRunSkipped", Family: "workloads", Class: Retries,
		Meaning: "A CronJob's run was skipped: the last one still runs, or it was too late.",
		Reads:   "events",
	})
	CronJobFailing = register(Code{
		Name: "CronJobFailing", Family: "workloads", Class: Action,
		Meaning: "A CronJob's last run failed.",
	})
	QuotaExceeded = register(Code{
		Name: "QuotaExceeded", Family: "workloads", Class: Action,
		Meaning:  "A ResourceQuota has no room for the pods.",
		Reads:    "events, quotas",
		Concerns: []Concern{Resources, Replicas},
	})
	QuotaNeedsFields = register(Code{
		Name: "QuotaNeedsFields", Family: "workloads", Class: Action,
		Meaning:  "A ResourceQuota requires fields that the pods do not set.",
		Reads:    "events",
		Concerns: []Concern{Resources},
	})
	LimitRangeViolated = register(Code{
		Name: "LimitRangeViolated", Family: "workloads", Class: Action,
		Meaning:  "The pods are outside the namespace's limits.",
		Reads:    "events",
		Concerns: []Concern{Resources},
	})
	PodSecurityViolated = register(Code{
		Name: "PodSecurityViolated", Family: "workloads", Class: Action,
		Meaning:  "The namespace's pod security level forbids the pods.",
		Reads:    "events",
		Concerns: []Concern{Security, Volumes, Ports},
	})
	ServiceAccountMissing = register(Code{
		Name: "ServiceAccountMissing", Family: "workloads", Class: Action,
		Meaning:  "The pods' ServiceAccount does not exist.",
		Reads:    "events",
		Concerns: []Concern{Account},
		Lacks:    &Kind{Kind: "ServiceAccount", Namespaced: true},
	})
	PriorityClassMissing = register(Code{
		Name: "PriorityClassMissing", Family: "workloads", Class: Action,
		Meaning:  "The pods' PriorityClass does not exist.",
		Reads:    "events",
		Concerns: []Concern{Priority},
		Lacks:    &Kind{Group: "scheduling.k8s.io", Kind: "PriorityClass"},
	})
	WebhookUnreachable = register(Code{
		Name: "WebhookUnreachable", Family: "workloads", Class: Action,
		Hides:   []*Code{NamespaceContentFailed, NamespaceContentRemains, Deleting},
		Meaning: "An admission webhook that must answer does not.",
		Reads:   "events, webhook configurations, services",
	})
	WebhookDenied = register(Code{
		Name: "WebhookDenied", Family: "workloads", Class: Action,
		Meaning:  "An admission webhook refuses the pods, or the jobs of a CronJob.",
		Reads:    "events",
		Concerns: []Concern{Image, Security, Labels, Resources},
	})
	PolicyDenied = register(Code{
		Name: "PolicyDenied", Family: "workloads", Class: Action,
		Meaning:  "A ValidatingAdmissionPolicy refuses the pods, or the jobs of a CronJob.",
		Reads:    "events",
		Concerns: []Concern{Image, Security, Labels, Resources},
	})
	NamespaceTerminating = register(Code{
		Name: "NamespaceTerminating", Family: "workloads", Class: Action,
		Meaning: "The namespace is being deleted, so nothing can be created in it.",
		Reads:   "events",
	})
	RuntimeClassMissing = register(Code{
		Name: "RuntimeClassMissing", Family: "workloads", Class: Action,
		Meaning:  "The pods' RuntimeClass does not exist.",
		Reads:    "events",
		Hides:    []*Code{PodSandboxFailed},
		Concerns: []Concern{Runtime, Placement},
		Lacks:    &Kind{Group: "node.k8s.io", Kind: "RuntimeClass"},
	})
	PodsCannotBeDeleted = register(Code{
		Name: "PodsCannotBeDeleted", Family: "workloads", Class: Action,
		Meaning: "A controller may not delete its surplus pods.",
	})
	PodsCannotBeCreated = register(Code{
		Name: "PodsCannotBeCreated", Family: "workloads", Class: Action,
		Meaning: "The pods are refused, for a reason that no other code describes.",
		Reads:   "events",
	})
	SelectorConflict = register(Code{
		Name: "SelectorConflict", Family: "workloads", Class: Action,
		Meaning: "A workload's selector is empty, or selects what belongs to another.",
		Reads:   "events",
	})
	MetricsMissing = register(Code{
		Name: "MetricsMissing", Family: "workloads", Class: Action,
		Meaning: "An autoscaler gets no metrics.",
	})
	ScaleLimited = register(Code{
		Name: "ScaleLimited", Family: "workloads", Class: Waits,
		Meaning: "An autoscaler wants more replicas than its maxReplicas.",
	})
	ScaleTargetMissing = register(Code{
		Name: "ScaleTargetMissing", Family: "workloads", Class: Action,
		Meaning: "An autoscaler cannot find or read its target.",
	})
	BudgetIneffective = register(Code{
		Name: "BudgetIneffective", Family: "workloads", Class: Waits,
		Meaning: "A disruption budget protects nothing, or cannot be computed.",
		Reads:   "events",
	})
)
