// Package explain answers: why is it not Current? It turns a snapshot of what
// is known (objects, their tree, events, what may not be seen, the time) into
// the few causes that keep what was asked for from being Current: one line
// each, with proof, with what it blocks, and whether it will pass by itself.
//
// The order of work, for a reader who wants to change something:
//
//  1. Facts. Detectors (detectors.go) look at one object at a time, with what
//     it refers to, and return [Finding]s. Every finding carries a code from
//     the published list (catalogue.go) and the fields that prove it.
//  2. Scope. Only the newest revision of a workload is explained; what an
//     older one suffers from keeps nobody from anything.
//  3. Roots. A finding that something else explains is a symptom and is folded
//     under its cause; it is never dropped: where nothing explains it, it
//     stands for itself and says what could not be seen.
//  4. Groups. Findings with one fingerprint are one cause with a count.
//  5. Rank, and the way back to what was asked for (blocks).
//
// To add a cause: write a detector, a function that takes a look at one object and
// fills in what look.find returns (title, proof, next commands); give it a row in
// the table detectors, and its code a row in the catalogue; add two cases to
// testdata/cases, one in which it is found and a neighbour in which it is not. Then
// run go test ./internal/explain -update and read what changed in docs/causes.md,
// testdata/titles.txt and testdata/commands.txt. Every claim of a case is checked
// against its objects, and its first command only reads: what changes the cluster
// is offered with Finding.offer, and says what it does.
//
// The package is pure: no clock, no cluster, no goroutine; equal snapshots
// give equal causes, in equal order. It imports the standard library and the
// rooms status and edges alone.
package explain
