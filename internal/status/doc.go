// Package status answers one question about one Kubernetes object: what state
// is it in? It also holds the words that the other rooms exchange (identity,
// object, result, event, source state, batch), so that they can talk without
// knowing each other.
//
// An object reaches this package already decoded into [Object], the one
// representation that every rule reads. [DecodeJSON] makes one from JSON;
// internal/watch makes the same from protobuf. Strings from a cluster are
// passed through [Clean] while decoding, once, so that nothing a cluster says
// can move a terminal's cursor.
//
// [Compute] and [Augment] are kstatus's functions of these names: Compute to
// the letter, Augment but for its echo. [Assess] is our own judgement: kstatus's six statuses with reason,
// rule, evidence, confidence and time. Both are pure: no cluster, no clock, no
// goroutine. Parents are judged with their children as arguments.
//
// The package imports the standard library alone, so that anyone can vendor it.
package status
