// Package network finds why a Service, an Ingress, a Gateway or a route serves nothing.
package network

import "github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"

// Detectors are the detectors of this family, by the kinds that they inspect.
var Detectors = []inspect.Detector{
	{Kinds: []string{"Service"}, Current: true, Find: service},
	{Kinds: []string{"networking.k8s.io/Ingress"}, Current: true, Find: ingress},
	{Kinds: []string{"gateway.networking.k8s.io/Gateway", "gateway.networking.k8s.io/GatewayClass"}, Current: true, Find: gateway},
	{Kinds: []string{
		"gateway.networking.k8s.io/HTTPRoute", "gateway.networking.k8s.io/GRPCRoute", "gateway.networking.k8s.io/TCPRoute",
		"gateway.networking.k8s.io/TLSRoute", "gateway.networking.k8s.io/UDPRoute",
	}, Current: true, Find: route},
}
