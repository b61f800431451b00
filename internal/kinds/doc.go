// Package kinds says what Kubernetes' own controllers mean by their objects:
//
//   - which ReplicaSet a Deployment is rolling out ([NewestReplicaSet])
//   - which Pods a StatefulSet wants ([OrdinalsOf])
//   - which Pods of a Service count, and which of them are ready ([Selectable], [EndpointsOf])
//   - whether a Service or an Ingress has an address ([AwaitsLoadBalancer], [IngressAddress])
//   - which backends of an Ingress its load balancer finds unhealthy ([BackendHealthOf])
//   - whether an object is paused, and by which field ([Paused])
//   - whether a Pod is meant to end ([RunsToEnd]), and when the kubelet starts a
//     container again ([RestartsAfter])
//
// Each answer is a function of the objects alone. The packages status and explain both
// ask here, so that a verdict and its cause cannot rest on different facts.
package kinds
