// Package object holds what the rules read of a Kubernetes object: its identity,
// metadata and conditions, typed views of the kinds that come in volume (Pods,
// workloads, Services …), and the pruned tree of fields of all others.
//
// An [Object] is immutable once its decoder has let it go. Strings from a cluster
// are passed through [Clean] while decoding, once, so that nothing a cluster says
// can move a terminal's cursor; what may be a password is masked by [Mask].
//
// The package imports the standard library alone, so that anyone can vendor it.
package object
