package codes

// The codes of family scheduling.
var (
	NotEnoughResources = register(Code{
		Name: "NotEnoughResources", Family: "scheduling", Class: Action,
		Meaning:  "No node has what the pod requests.",
		Reads:    "nodes",
		Step:     AtScheduling,
		Concerns: []Concern{Resources, Placement, Replicas},
	})
	NoMatchingNode = register(Code{
		Name: "NoMatchingNode", Family: "scheduling", Class: Action,
		Meaning:  "No node matches the pod's node selector or affinity.",
		Reads:    "nodes",
		Step:     AtScheduling,
		Concerns: []Concern{Placement},
	})
	TaintNotTolerated = register(Code{
		Name: "TaintNotTolerated", Family: "scheduling", Class: Action,
		Meaning:  "The eligible nodes have taints that the pod does not tolerate.",
		Reads:    "nodes",
		Step:     AtScheduling,
		Concerns: []Concern{Placement},
	})
	PodAffinity = register(Code{
		Name: "PodAffinity", Family: "scheduling", Class: Action,
		Meaning:  "The pod's affinity or anti-affinity to other pods leaves no node.",
		Reads:    "nodes",
		Step:     AtScheduling,
		Concerns: []Concern{Placement, Labels, Replicas},
	})
	TopologySpread = register(Code{
		Name: "TopologySpread", Family: "scheduling", Class: Action,
		Meaning:  "The pod's topology spread constraints leave no node.",
		Reads:    "nodes",
		Step:     AtScheduling,
		Concerns: []Concern{Placement, Labels, Replicas},
	})
	HostPortTaken = register(Code{
		Name: "HostPortTaken", Family: "scheduling", Class: Action,
		Meaning:  "The host port is taken on every eligible node.",
		Reads:    "nodes, pods",
		Step:     AtScheduling,
		Concerns: []Concern{Ports, Placement, Replicas},
	})
	NodeCordoned = register(Code{
		Name: "NodeCordoned", Family: "scheduling", Class: Waits,
		Meaning:  "The eligible nodes are cordoned.",
		Reads:    "nodes",
		Step:     AtScheduling,
		Concerns: []Concern{Placement},
	})
	SchedulingGated = register(Code{
		Name: "SchedulingGated", Family: "scheduling", Class: Waits,
		Meaning: "The pod waits for its scheduling gates to be removed.",
		Step:    AtGate,
	})
	NodeFullOfPods = register(Code{
		Name: "NodeFullOfPods", Family: "scheduling", Class: Action,
		Meaning:  "The eligible nodes run as many pods as they may.",
		Reads:    "nodes, pods",
		Step:     AtScheduling,
		Concerns: []Concern{Placement, Replicas},
	})
	VolumeTopology = register(Code{
		Name: "VolumeTopology", Family: "scheduling", Class: Action,
		Meaning:  "No eligible node is where the pod's volume is.",
		Reads:    "claims, volumes",
		Step:     AtScheduling,
		Concerns: []Concern{Volumes, Placement},
	})
	VolumeLimit = register(Code{
		Name: "VolumeLimit", Family: "scheduling", Class: Action,
		Meaning:  "The eligible nodes cannot attach another volume.",
		Reads:    "claims, volumes, CSI nodes, volume attachments",
		Step:     AtScheduling,
		Concerns: []Concern{Volumes, Placement},
	})
	VolumeInUse = register(Code{
		Name: "VolumeInUse", Family: "scheduling", Class: Action,
		Meaning:  "A ReadWriteOncePod volume is in use by another pod.",
		Step:     AtScheduling,
		Concerns: []Concern{Volumes, Replicas},
	})
	DeviceUnavailable = register(Code{
		Name: "DeviceUnavailable", Family: "scheduling", Class: Action,
		Meaning:  "The devices that the pod claims cannot be allocated.",
		Step:     AtScheduling,
		Concerns: []Concern{Devices, Resources},
	})
	Preempting = register(Code{
		Name: "Preempting", Family: "scheduling", Class: Waits,
		Meaning: "The scheduler is making room for the pod.",
		Reads:   "pods",
		Step:    AtScheduling,
	})
	NoScheduler = register(Code{
		Name: "NoScheduler", Family: "scheduling", Class: Action,
		Meaning: "No scheduler picks the pod up.",
		Step:    AtScheduling,
	})
	NodesUnavailable = register(Code{
		Name: "NodesUnavailable", Family: "scheduling", Class: Retries,
		Meaning: "The eligible nodes are lost or under pressure.",
		Reads:   "nodes",
		Step:    AtScheduling,
	})
	Unschedulable = register(Code{
		Name: "Unschedulable", Family: "scheduling", Class: Action,
		Meaning:  "The scheduler finds no node, for a reason that no other code describes.",
		Reads:    "events",
		Step:     AtScheduling,
		Concerns: []Concern{Placement, Resources, Volumes},
	})
)
