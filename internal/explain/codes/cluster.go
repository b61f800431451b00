package codes

// The codes of family cluster.
var (
	PodConditionStale = register(Code{
		Name: "PodConditionStale", Family: "cluster", Class: Waits,
		Meaning: "A pod's readiness has not been updated since its node came back.",
		Reads:   "nodes",
		Step:    AtNode,
	})
	NodeLost = register(Code{
		Name: "NodeLost", Family: "cluster", Class: Retries,
		Meaning: "A node stopped reporting.",
		Reads:   "nodes",
		Step:    AtNode,
	})
	NodePressure = register(Code{
		Name: "NodePressure", Family: "cluster", Class: Retries,
		Meaning: "A node is short of a resource.",
		Reads:   "nodes",
	})
	EvictionBlocked = register(Code{
		Name: "EvictionBlocked", Family: "cluster", Class: Action,
		Meaning: "A node cannot be drained: a disruption budget lets no pod be evicted.",
		Reads:   "events, disruption budgets",
		Hides: []*Code{
			FinalizerBlocks, DependentsRemain, ClusterAPINotReady, NodeClaimNotReady, ConditionFalse,
			Stalled, Reconciling, NoController, Suspended,
		},
	})
	NamespaceDiscoveryFailed = register(Code{
		Name: "NamespaceDiscoveryFailed", Family: "cluster", Class: Action,
		Meaning: "A namespace cannot be emptied because an API cannot be listed.",
		Reads:   "API services",
		Hides:   []*Code{Deleting},
	})
	NamespaceContentFailed = register(Code{
		Name: "NamespaceContentFailed", Family: "cluster", Class: Action,
		Meaning: "A namespace's content cannot be deleted.",
		Hides:   []*Code{Deleting},
	})
	NamespaceContentRemains = register(Code{
		Name: "NamespaceContentRemains", Family: "cluster", Class: Action,
		Meaning: "A namespace that is being deleted still holds objects.",
		Reads:   "what remains",
		Hides:   []*Code{Deleting},
	})
	RequestNotApproved = register(Code{
		Name: "RequestNotApproved", Family: "cluster", Class: Waits,
		Meaning: "Nobody has approved a request for a certificate.",
	})
	DefinitionNamesTaken = register(Code{
		Name: "DefinitionNamesTaken", Family: "cluster", Class: Action,
		Meaning: "A custom resource definition's names are taken by another.",
		Reads:   "definitions",
	})
	DefinitionInvalid = register(Code{
		Name: "DefinitionInvalid", Family: "cluster", Class: Action,
		Meaning: "A custom resource definition has no structural schema, or needs an approval.",
	})
	DefinitionTerminating = register(Code{
		Name: "DefinitionTerminating", Family: "cluster", Class: Action,
		Meaning: "A custom resource definition is being deleted, and objects remain.",
		Hides:   []*Code{FinalizerBlocks},
	})
	APIServiceUnavailable = register(Code{
		Name: "APIServiceUnavailable", Family: "cluster", Class: Action,
		Meaning: "An aggregated API is down.",
		Reads:   "services",
	})
	FinalizerBlocks = register(Code{
		Name: "FinalizerBlocks", Family: "cluster", Class: Action,
		Meaning: "A finalizer keeps it from being deleted.",
	})
	DependentsRemain = register(Code{
		Name: "DependentsRemain", Family: "cluster", Class: Action,
		Meaning: "Objects that it owns have to be deleted first.",
	})
	NotObserved = register(Code{
		Name: "NotObserved", Family: "cluster", Class: Action,
		Meaning: "The controller has not seen the last change.",
	})
	ControllerDown = register(Code{
		Name: "ControllerDown", Family: "cluster", Class: Action,
		Meaning: "The controller that should act holds no lease: it is down, or has no leader.",
		Reads:   "leases",
	})
	OwnerInvalid = register(Code{
		Name: "OwnerInvalid", Family: "cluster", Class: Action,
		Meaning: "An object's owner is in another namespace, so it is collected as garbage.",
		Reads:   "events",
		Hides:   []*Code{NoController},
	})
	ConversionWebhookDown = register(Code{
		Name: "ConversionWebhookDown", Family: "cluster", Class: Action,
		Meaning: "A kind cannot be read because its conversion webhook does not answer.",
		Reads:   "services",
		Hides:   []*Code{NoController},
	})
)
