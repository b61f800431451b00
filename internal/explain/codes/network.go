package codes

// The codes of family network.
var (
	SelectorMatchesNothing = register(Code{
		Name: "SelectorMatchesNothing", Family: "network", Class: Action,
		Meaning: "No pod matches a Service's selector.",
		Reads:   "endpoint slices, pods",
	})
	EndpointsNotReady = register(Code{
		Name: "EndpointsNotReady", Family: "network", Class: Action,
		Meaning: "None of a Service's endpoints is ready.",
		Reads:   "endpoint slices",
	})
	PortNameMissing = register(Code{
		Name: "PortNameMissing", Family: "network", Class: Action,
		Meaning: "A Service's targetPort is no port name of its pods.",
		Reads:   "endpoint slices",
	})
	PortNotDeclared = register(Code{
		Name: "PortNotDeclared", Family: "network", Class: Waits,
		Meaning: "No container of a Service's pods declares the targetPort. This is only a hint.",
		Reads:   "endpoint slices, pods",
	})
	ServiceHasNoSelector = register(Code{
		Name: "ServiceHasNoSelector", Family: "network", Class: Action,
		Meaning: "A Service has neither a selector nor endpoints.",
		Reads:   "endpoint slices",
	})
	LoadBalancerPending = register(Code{
		Name: "LoadBalancerPending", Family: "network", Class: Action,
		Meaning: "A Service of type LoadBalancer has no address.",
		Reads:   "events, daemon sets, pods",
	})
	LoadBalancerFailed = register(Code{
		Name: "LoadBalancerFailed", Family: "network", Class: Retries,
		Meaning: "A load balancer cannot be created.",
		Reads:   "events",
	})
	ServiceAddressFailed = register(Code{
		Name: "ServiceAddressFailed", Family: "network", Class: Action,
		Meaning: "A Service's cluster address cannot be allocated.",
		Reads:   "events",
	})
	EndpointsDraining = register(Code{
		Name: "EndpointsDraining", Family: "network", Class: Waits,
		Meaning: "All endpoints of a Service are terminating.",
		Reads:   "endpoint slices",
	})
	IngressClassMissing = register(Code{
		Name: "IngressClassMissing", Family: "network", Class: Action,
		Meaning: "An Ingress's class does not exist, or none is the default.",
		Reads:   "ingress classes",
		Hides:   []*Code{IngressAddressPending},
	})
	BackendMissing = register(Code{
		Name: "BackendMissing", Family: "network", Class: Action,
		Meaning: "An Ingress's Service, or the port of it, does not exist.",
		Reads:   "services",
		Hides:   []*Code{IngressAddressPending},
	})
	BackendNotReady = register(Code{
		Name: "BackendNotReady", Family: "network", Class: Action,
		Meaning: "An Ingress's Service is not healthy.",
		Reads:   "services",
	})
	BackendUnhealthy = register(Code{
		Name: "BackendUnhealthy", Family: "network", Class: Action,
		Meaning: "An Ingress's load balancer finds no healthy endpoint of a backend.",
		Reads:   "services",
		Hides:   []*Code{IngressAddressPending},
	})
	TLSSecretMissing = register(Code{
		Name: "TLSSecretMissing", Family: "network", Class: Action,
		Meaning: "An Ingress's certificate does not exist.",
		Reads:   "secrets (metadata)",
		Hides:   []*Code{IngressAddressPending},
	})
	TLSSecretInvalid = register(Code{
		Name: "TLSSecretInvalid", Family: "network", Class: Action,
		Meaning: "An Ingress's certificate is in a Secret of another type, or for other names.",
		Reads:   "secrets (metadata and type)",
		Hides:   []*Code{IngressAddressPending},
	})
	IngressAddressPending = register(Code{
		Name: "IngressAddressPending", Family: "network", Class: Waits,
		Meaning: "An Ingress has no address yet.",
		Reads:   "the services of its class's controller",
	})
	GatewayNotReady = register(Code{
		Name: "GatewayNotReady", Family: "network", Class: Action,
		Meaning: "A Gateway or one of its listeners is not accepted or programmed.",
	})
	RouteNotAccepted = register(Code{
		Name: "RouteNotAccepted", Family: "network", Class: Action,
		Meaning: "A route is not accepted by its gateway.",
	})
	RouteReferenceBroken = register(Code{
		Name: "RouteReferenceBroken", Family: "network", Class: Action,
		Meaning: "A route's backend does not exist or may not be used.",
	})
)
