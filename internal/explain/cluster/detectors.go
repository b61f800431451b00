// Package cluster finds problems of nodes and of the API's own machinery: deletion,
// ownership, definitions, controllers.
package cluster

import "github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"

// Detectors are the detectors of this family, by the kinds that they inspect.
var Detectors = []inspect.Detector{
	{Kinds: pod, Find: lost},
	{Kinds: []string{"Node"}, Current: true, Find: node},
	{Kinds: []string{"Node", "cluster.x-k8s.io/Machine", "karpenter.sh/NodeClaim"}, Find: evicting},
	{Kinds: []string{"Namespace"}, Find: namespace},
	{Kinds: []string{"apiextensions.k8s.io/CustomResourceDefinition"}, Current: true, Find: definition},
	{Kinds: []string{"apiregistration.k8s.io/APIService"}, Current: true, Find: apiService},
	{Find: finalizers},
	{Find: observed},
	{Find: badOwner},
	{Find: func(in *inspect.Inspector) { Conversion(in) }},
}

var pod = []string{"Pod"}
