// Package explain answers: why is it not Current? It turns a [Snapshot]
// (objects, their tree, events, missing permissions, the time) into the few
// causes that keep the followed objects from being Current: one line each, with
// evidence, with the objects that it blocks, and whether it passes by itself.
//
// [Explain] works in five steps:
//
//  1. Detectors inspect one object at a time, with the objects that it refers
//     to, and make [Finding]s. Every finding has a code from the published list
//     and the fields that prove it. The table in catalogue.go says which
//     detector inspects which kinds, and which codes it finds.
//  2. Only the newest revision of a workload is explained; problems of an older
//     one block nothing.
//  3. A finding that another one explains is a symptom and is folded under its
//     cause. If nothing explains it, it is a cause itself and says what could
//     not be read.
//  4. Findings with one fingerprint become one [Cause] with a count.
//  5. Causes are ranked, and led back to the roots that they block.
//
// To add a cause, write a detector: a function that inspects one object and, if
// it finds the cause, starts a finding and fills it in:
//
//	func unlabelled(l *look) {
//		if _, ok := l.o.Label("team"); ok {
//			return
//		}
//		// or byCondition, byEvent: with their proof and date
//		f := l.find("LabelMissing", "ConfigMap %s has no label team", l.o.Name) // names the very thing
//		f.proveUnset(l.o.ID, "metadata.labels[team]")
//		f.Next = []string{l.kubectl("get", "configmap", l.o.Name, "--show-labels")}
//	}
//
// Give it a row in the table detectors of catalogue.go, with the kinds that it
// inspects and the code that it finds:
//
//	{kinds: []string{"ConfigMap"}, current: true, find: unlabelled, causes: []Entry{
//		{"LabelMissing", Action, "A ConfigMap has no label team.", "", 0},
//	}},
//
// (If a detector inspects such objects already, call the function from there and
// add the code to its row.) Add two cases to testdata/cases, whose language is
// documented above TestCases: one in which the cause is found and a neighbour in
// which it is not. Then run go test ./internal/explain -update and read what has
// changed in docs/causes.md, testdata/titles.txt and testdata/commands.txt.
// Every claim of a case is checked against its objects, and its first command
// must only read: use Finding.offer for a command that changes the cluster, with
// its effect.
//
// The package is pure: no clock, no cluster, no goroutine; equal snapshots give
// equal causes, in equal order.
package explain
