// Package object holds what the rules read of a Kubernetes object: its identity,
// metadata and conditions, typed views of frequent kinds (Pods, workloads,
// Services …), and the pruned JSON of all others.
//
// An [Object] is immutable once decoded. Strings from a cluster pass through
// [Clean] while decoding, once, so that no text from a cluster can control a
// terminal.
//
// The package imports the standard library alone, so that anyone can vendor it.
package object
