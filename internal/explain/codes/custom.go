package codes

// The codes of family custom.
var (
	ConditionFalse = register(Code{
		Name: "ConditionFalse", Family: "custom", Class: Action,
		Meaning: "A custom resource says that it is not ready.",
	})
	Reconciling = register(Code{
		Name: "Reconciling", Family: "custom", Class: Waits,
		Meaning: "Its controller is still working on it.",
	})
	Stalled = register(Code{
		Name: "Stalled", Family: "custom", Class: Terminal,
		Meaning: "A controller has given up.",
	})
	NoController = register(Code{
		Name: "NoController", Family: "custom", Class: Action,
		Meaning: "No controller has ever written a status.",
	})
	ControllerLogsError = register(Code{
		Name: "ControllerLogsError", Family: "custom", Class: Action,
		Meaning: "A custom resource says nothing of the reason; the log of its controller has an error about it.",
		Reads:   "definitions, namespaces, pods, logs",
	})
	KustomizationFailed = register(Code{
		Name: "KustomizationFailed", Family: "custom", Class: Action,
		Meaning: "A Flux Kustomization cannot be applied, or what it applied is not healthy.",
		Reads:   "sources, what it applied",
	})
	SourceNotReady = register(Code{
		Name: "SourceNotReady", Family: "custom", Class: Action,
		Meaning: "A Flux source cannot be fetched.",
	})
	HelmReleaseFailed = register(Code{
		Name: "HelmReleaseFailed", Family: "custom", Class: Action,
		Meaning: "A Helm release failed.",
		Reads:   "sources",
	})
	ApplicationSyncFailed = register(Code{
		Name: "ApplicationSyncFailed", Family: "custom", Class: Action,
		Meaning: "An Argo CD application cannot be synced.",
	})
	ApplicationSyncing = register(Code{
		Name: "ApplicationSyncing", Family: "custom", Class: Waits,
		Meaning: "An Argo CD application is being synced.",
	})
	ApplicationUnhealthy = register(Code{
		Name: "ApplicationUnhealthy", Family: "custom", Class: Action,
		Meaning: "An Argo CD application is not healthy.",
		Reads:   "its resources",
	})
	RolloutDegraded = register(Code{
		Name: "RolloutDegraded", Family: "custom", Class: Action,
		Meaning: "An Argo rollout is degraded.",
	})
	RolloutPaused = register(Code{
		Name: "RolloutPaused", Family: "custom", Class: Waits,
		Meaning: "An Argo rollout is paused at a step.",
	})
	TaskResultMissing = register(Code{
		Name: "TaskResultMissing", Family: "custom", Class: Action,
		Meaning: "An Argo workflow waits for the result of a step that has ended: its executor has not reported it.",
		Reads:   "pods, logs",
		Hides:   []*Code{ConditionFalse, Reconciling},
	})
	CertificateNotReady = register(Code{
		Name: "CertificateNotReady", Family: "custom", Class: Action,
		Meaning: "A certificate is not issued.",
		Reads:   "requests, orders, challenges, issuers",
	})
	IssuerNotReady = register(Code{
		Name: "IssuerNotReady", Family: "custom", Class: Action,
		Meaning: "An issuer of certificates is not ready.",
	})
	CrossplaneNotReady = register(Code{
		Name: "CrossplaneNotReady", Family: "custom", Class: Action,
		Meaning: "A Crossplane resource is not synced or not ready.",
		Reads:   "its composed resources",
	})
	PackageUnhealthy = register(Code{
		Name: "PackageUnhealthy", Family: "custom", Class: Action,
		Meaning: "A Crossplane package is not installed or not healthy.",
	})
	ClusterAPINotReady = register(Code{
		Name: "ClusterAPINotReady", Family: "custom", Class: Action,
		Meaning: "A Cluster API object is not ready.",
		Reads:   "its machines and templates",
	})
	KnativeNotReady = register(Code{
		Name: "KnativeNotReady", Family: "custom", Class: Action,
		Meaning: "A Knative service is not ready.",
		Reads:   "its revisions",
	})
	RunFailed = register(Code{
		Name: "RunFailed", Family: "custom", Class: Terminal,
		Meaning: "A Tekton run failed.",
		Reads:   "its pods",
	})
	NodeClaimNotReady = register(Code{
		Name: "NodeClaimNotReady", Family: "custom", Class: Action,
		Meaning: "A Karpenter NodeClaim has no node yet.",
	})
	KroNotReady = register(Code{
		Name: "KroNotReady", Family: "custom", Class: Action,
		Meaning: "A kro instance or its definition is not ready.",
	})
	ExternalSecretFailed = register(Code{
		Name: "ExternalSecretFailed", Family: "custom", Class: Action,
		Meaning: "An external secret cannot be fetched.",
		Reads:   "stores",
	})
	SecretStoreNotReady = register(Code{
		Name: "SecretStoreNotReady", Family: "custom", Class: Action,
		Meaning: "A secret store cannot be reached.",
	})
)
