// Package explain answers: why is it not Current? It turns a [Snapshot]
// (objects, their tree, events, missing permissions, the time) into the few
// causes that keep the followed objects from being Current: one line each, with
// evidence, with the objects that it blocks, and whether it passes by itself.
//
// [Explain] inspects the roots and everything beneath them, one object at a time
// (package inspect). The detectors of each family (pods, scheduling, storage,
// workloads, network, cluster, custom) make findings, of the newest revision of
// a workload only. Package fold puts those that others explain beneath them, and
// makes causes of the rest. A detector that panics is a remark and a [Fault].
//
// To add a cause: a descriptor in package codes, a detector in a file of its
// family named after what it finds, which adds itself (go doc
// ./internal/explain/inspect shows one), and two cases in testdata/cases
// (their language: go doc ./internal/explaintest.Case), one in which it is found and a
// neighbour in which it is not. Where a general detector already says something
// of the same object (a container that waits for its configuration, beside the
// Secret that it lacks), the descriptor names that code in Hides. Then run
// go test ./internal/explain -update, and read what has changed: the list of
// causes, of titles and of commands. Without -update the first run of a new case
// fails on these lists alone.
//
// The package is pure: no clock, no cluster, no goroutine; equal snapshots give
// equal causes, in equal order.
package explain
