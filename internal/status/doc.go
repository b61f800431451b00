// Package status answers one question about one Kubernetes object: what state
// is it in?
//
// [Compute] and [Augment] are kstatus's functions of these names: Compute to
// the letter, Augment but for its echo. [Assess] is our own judgement: kstatus's six statuses with reason,
// rule, evidence, confidence and time. Both are pure: no cluster, no clock, no
// goroutine. Parents are judged with their children as arguments.
//
// What is known of custom kinds stands in the package registry. Beyond it and
// [object.Object] the package imports the standard library alone, so that anyone
// can vendor it.
package status
