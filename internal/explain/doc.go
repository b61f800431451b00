// Package explain answers: why is it not Current? It turns a snapshot of what
// is known (objects, their tree, events, what may not be seen, the time) into
// the few causes that keep what was asked for from being Current: one line
// each, with proof, with what it blocks, and whether it will pass by itself.
//
// The order of work, for a reader who wants to change something:
//
//  1. Facts. Detectors look at one object at a time, with what it refers to, and
//     return [Finding]s. Every finding carries a code from the published list and
//     the fields that prove it. One table, in catalogue.go, holds both: who looks
//     at what, and the codes found there.
//  2. Scope. Only the newest revision of a workload is explained; what an
//     older one suffers from keeps nobody from anything.
//  3. Roots. A finding that something else explains is a symptom and is folded
//     under its cause; it is never dropped: where nothing explains it, it
//     stands for itself and says what could not be seen.
//  4. Groups. Findings with one fingerprint are one cause with a count.
//  5. Rank, and the way back to what was asked for (blocks).
//
// To add a cause, write a detector: a function that looks at one object and, where it
// finds the cause, starts a finding and fills it in:
//
//	func unlabelled(l *look) {
//		if _, ok := l.o.Label("team"); ok {
//			return
//		}
//		f := l.find("LabelMissing") // or byCondition, byEvent: with their proof and date
//		f.Title = "ConfigMap " + l.o.Name + " has no label team" // names the very thing
//		f.proveUnset(l.o.ID, "metadata.labels[team]")
//		f.Next = []string{l.kubectl("get", "configmap", l.o.Name, "--show-labels")}
//	}
//
// Give it a row in the table detectors of catalogue.go, with the kinds that it looks at
// and the code that it finds:
//
//	{kinds: []string{"ConfigMap"}, current: true, find: unlabelled, causes: []Entry{
//		{"LabelMissing", Action, "A ConfigMap has no label team.", "", "", 0},
//	}},
//
// (where a detector looks at such objects already, call the function from there and add
// the code to its row). Add two cases to testdata/cases, whose language is told above
// TestCases: one in which it is found and a neighbour in
// which it is not. Then run go test ./internal/explain -update and read what changed in
// docs/causes.md, testdata/titles.txt and testdata/commands.txt. Every claim of a case is
// checked against its objects, and its first command only reads: what changes the
// cluster is offered with Finding.offer, and says what it does.
//
// The package is pure: no clock, no cluster, no goroutine; equal snapshots
// give equal causes, in equal order. It imports the standard library and the
// rooms status and edges alone.
package explain
