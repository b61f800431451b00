// Package watch follows what was asked for, and what is generated from it, and hands
// over what changed. Requests and their answers are package kube's.
//
// The way of the data: targets → [kube.Resolver] (which resource is meant?) → package plan
// (which streams are needed?) → package sources (one stream each: a client-go
// Reflector, which converts each object as it comes) → package hub (the only
// writer of what is known) → [Engine.Next] (the union of what changed, at most once a
// frame). What inventories list is decided by package follow, which knows the
// hub as a [follow.Engine] alone.
//
// Which fault is caused by which test stands in docs/faults.md.
//
// House rules. Nothing is fatal but a usage error. All waiting happens in
// [gate.Gate] and package sources, under a context, so that closing takes no
// longer than a moment. Every goroutine is started through Engine.spawn.
package watch
