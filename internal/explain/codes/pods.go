package codes

// The codes of family pods.
var (
	ImageNotFound = register(Code{
		Name: "ImageNotFound", Family: "pods", Class: Action,
		Meaning:  "The registry does not have the image or its tag.",
		Step:     AtImage,
		Concerns: []Concern{Image},
	})
	ImagePullDenied = register(Code{
		Name: "ImagePullDenied", Family: "pods", Class: Action,
		Meaning:  "The registry wants credentials that the pod does not present.",
		Reads:    "events",
		Step:     AtImage,
		Concerns: []Concern{Image},
	})
	ImageRateLimited = register(Code{
		Name: "ImageRateLimited", Family: "pods", Class: Retries,
		Meaning:  "The registry limits how often images may be pulled.",
		Step:     AtImage,
		Concerns: []Concern{Image},
	})
	RegistryUnreachable = register(Code{
		Name: "RegistryUnreachable", Family: "pods", Class: Retries,
		Meaning:  "The registry cannot be reached: network, name or certificate.",
		Step:     AtImage,
		Concerns: []Concern{Image},
	})
	ImageNeverPulled = register(Code{
		Name: "ImageNeverPulled", Family: "pods", Class: Action,
		Meaning:  "The image is not on the node, and imagePullPolicy is Never.",
		Step:     AtImage,
		Concerns: []Concern{Image},
	})
	ImageNameInvalid = register(Code{
		Name: "ImageNameInvalid", Family: "pods", Class: Action,
		Meaning:  "The image's name cannot be parsed.",
		Step:     AtImage,
		Concerns: []Concern{Image},
	})
	ImageSignatureInvalid = register(Code{
		Name: "ImageSignatureInvalid", Family: "pods", Class: Action,
		Meaning:  "The image's signature does not satisfy the node's policy.",
		Step:     AtImage,
		Concerns: []Concern{Image},
	})
	ImagePullFailed = register(Code{
		Name: "ImagePullFailed", Family: "pods", Class: Retries,
		Meaning:  "The image cannot be pulled, for a reason that no other code describes.",
		Reads:    "events",
		Step:     AtImage,
		Concerns: []Concern{Image},
	})
	ImagePullSlow = register(Code{
		Name: "ImagePullSlow", Family: "pods", Class: Waits,
		Meaning: "The image is still being pulled.",
		Reads:   "events",
		Step:    AtImage,
	})
	ImageWrongPlatform = register(Code{
		Name: "ImageWrongPlatform", Family: "pods", Class: Action,
		Meaning:  "The image has no build for the node's platform.",
		Step:     AtStart,
		Concerns: []Concern{Image, Placement},
	})
	ConfigMissing = register(Code{
		Name: "ConfigMissing", Family: "pods", Class: Action,
		Meaning:  "A Secret or ConfigMap that a container's environment needs does not exist.",
		Step:     AtConfig,
		Concerns: []Concern{Env, Volumes},
	})
	ConfigKeyMissing = register(Code{
		Name: "ConfigKeyMissing", Family: "pods", Class: Action,
		Meaning:  "A Secret or ConfigMap lacks a key that a container's environment needs.",
		Step:     AtConfig,
		Concerns: []Concern{Env, Volumes},
	})
	ImageRunsAsRoot = register(Code{
		Name: "ImageRunsAsRoot", Family: "pods", Class: Action,
		Meaning:  "The image runs as root, which runAsNonRoot forbids.",
		Step:     AtConfig,
		Concerns: []Concern{Image, Security},
	})
	ContainerConfigInvalid = register(Code{
		Name: "ContainerConfigInvalid", Family: "pods", Class: Action,
		Meaning:  "The container's configuration cannot be created.",
		Step:     AtConfig,
		Concerns: []Concern{Env, Volumes},
	})
	ContainerCannotStart = register(Code{
		Name: "ContainerCannotStart", Family: "pods", Class: Action,
		Meaning:  "The runtime cannot start the container's command.",
		Step:     AtStart,
		Concerns: []Concern{Image, Command, Volumes},
	})
	ContainerHookFailed = register(Code{
		Name: "ContainerHookFailed", Family: "pods", Class: Action,
		Meaning:  "A lifecycle hook of the container fails.",
		Step:     AtStart,
		Concerns: []Concern{Image, Lifecycle},
	})
	ContainerCrashing = register(Code{
		Name: "ContainerCrashing", Family: "pods", Class: Action,
		Meaning:  "The container's process ends with an error.",
		Reads:    "log, network policies",
		Step:     AtCrash,
		Concerns: []Concern{Image, Command, Env, Resources, Volumes, Security},
	})
	OutOfMemory = register(Code{
		Name: "OutOfMemory", Family: "pods", Class: Action,
		Meaning:  "The container was killed at its memory limit, or cannot be set up within it.",
		Step:     AtMemory,
		Concerns: []Concern{Image, Command, Env, Resources},
	})
	ContainerKilled = register(Code{
		Name: "ContainerKilled", Family: "pods", Class: Action,
		Meaning:  "The container was killed, and nothing says why.",
		Reads:    "events",
		Step:     AtCrash,
		Concerns: []Concern{Image, Command, Env, Resources, Volumes, Security},
	})
	ContainerSignalled = register(Code{
		Name: "ContainerSignalled", Family: "pods", Class: Action,
		Meaning:  "The container's process ended by a signal.",
		Step:     AtCrash,
		Concerns: []Concern{Image, Command, Env, Resources, Volumes, Security},
	})
	LivenessProbeFailing = register(Code{
		Name: "LivenessProbeFailing", Family: "pods", Class: Action,
		Meaning:  "The kubelet restarts the container because its liveness or startup probe fails.",
		Reads:    "events",
		Step:     AtCrash,
		Concerns: []Concern{Image, Command, Env, Probes, Ports},
	})
	StartupProbePending = register(Code{
		Name: "StartupProbePending", Family: "pods", Class: Waits,
		Meaning: "The container's startup probe has not succeeded yet.",
		Step:    AtStartupProbe,
	})
	ReadinessProbeFailing = register(Code{
		Name: "ReadinessProbeFailing", Family: "pods", Class: Retries,
		Meaning:  "The container runs, but is not ready.",
		Reads:    "events",
		Step:     AtReadiness,
		Concerns: []Concern{Image, Command, Env, Probes, Ports},
	})
	ReadinessGateNotReady = register(Code{
		Name: "ReadinessGateNotReady", Family: "pods", Class: Waits,
		Meaning: "The pod waits for a condition that something else has to set.",
		Step:    AtReadinessGate,
	})
	ContainerCompletes = register(Code{
		Name: "ContainerCompletes", Family: "pods", Class: Action,
		Meaning:  "The container's process ends without an error, but is expected to keep running.",
		Step:     AtCrash,
		Concerns: []Concern{Image, Command},
	})
	InitContainerFailing = register(Code{
		Name: "InitContainerFailing", Family: "pods", Class: Action,
		Meaning:  "An init container fails.",
		Reads:    "log, network policies",
		Step:     AtInit,
		Concerns: []Concern{Image, Command, Env, Resources, Volumes, Security},
	})
	InitContainerRunning = register(Code{
		Name: "InitContainerRunning", Family: "pods", Class: Waits,
		Meaning: "An init container has not finished.",
		Reads:   "log, services, endpoint slices, network policies",
		Step:    AtInit,
	})
	SidecarNotStarted = register(Code{
		Name: "SidecarNotStarted", Family: "pods", Class: Retries,
		Meaning: "A sidecar has not started and holds up the containers after it.",
		Step:    AtInit,
	})
	ContainerStatusLost = register(Code{
		Name: "ContainerStatusLost", Family: "pods", Class: Retries,
		Meaning:  "How the container ended is not known, usually because its node restarted.",
		Step:     AtCrash,
		Concerns: []Concern{Image, Command, Env, Resources, Volumes, Security},
	})
	KubeletRefused = register(Code{
		Name: "KubeletRefused", Family: "pods", Class: Action,
		Meaning: "A node's kubelet refused the pod.",
		Step:    AtNode,
	})
	Evicted = register(Code{
		Name: "Evicted", Family: "pods", Class: Action,
		Meaning: "A pod was evicted from its node.",
		Step:    AtNode,
	})
	PodDeadlineExceeded = register(Code{
		Name: "PodDeadlineExceeded", Family: "pods", Class: Action,
		Meaning: "A pod ran longer than its activeDeadlineSeconds.",
		Step:    AtNode,
	})
	Disrupted = register(Code{
		Name: "Disrupted", Family: "pods", Class: Waits,
		Meaning: "A pod is being preempted, drained or evicted.",
	})
	PodStuckTerminating = register(Code{
		Name: "PodStuckTerminating", Family: "pods", Class: Action,
		Meaning: "A pod is stuck terminating after its grace period.",
		Reads:   "events, nodes",
		Step:    AtNode,
	})
	PodNetworkFailed = register(Code{
		Name: "PodNetworkFailed", Family: "pods", Class: Retries,
		Meaning: "The node cannot give the pod a network.",
		Reads:   "events",
		Step:    AtSandbox,
	})
	PodSandboxFailed = register(Code{
		Name: "PodSandboxFailed", Family: "pods", Class: Retries,
		Meaning: "The node cannot set up the pod, or does not begin, and the network is not the reason.",
		Reads:   "events, nodes",
		Step:    AtSandbox,
	})
	NameReserved = register(Code{
		Name: "NameReserved", Family: "pods", Class: Retries,
		Meaning: "A node's container runtime hangs in an earlier attempt to create the same sandbox or container.",
		Reads:   "events",
		Step:    AtSandbox,
	})
	NodeMissing = register(Code{
		Name: "NodeMissing", Family: "pods", Class: Action,
		Meaning: "A pod is bound to a node that does not exist.",
		Reads:   "nodes",
		Step:    AtNode,
	})
	PodResizeStuck = register(Code{
		Name: "PodResizeStuck", Family: "pods", Class: Action,
		Meaning: "A pod's resources cannot be changed in place.",
	})
)
