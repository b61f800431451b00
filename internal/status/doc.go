// Package status answers one question about one Kubernetes object: what state
// is it in?
//
//   - [Compute] is kstatus's function of this name, to the letter.
//   - [Augment] is kstatus's too, but for its echo.
//   - [Assess] is our own judgement: kstatus's six statuses with reason, rule,
//     evidence, confidence and time. [Explain] is the deduction behind it.
//
// They are pure: no cluster, no clock, no goroutine. Parents are judged with their
// children as arguments.
//
// Assess judges Kubernetes's own kinds by the table in rules.go, each in a file named
// after it or by a row of the package registry; custom kinds by the registry and by
// the conventions that controllers share (convention files, signals.go).
//
// Beyond the registry, [object.Object] and what kinds and edges know of objects, the
// package imports the standard library alone.
package status
