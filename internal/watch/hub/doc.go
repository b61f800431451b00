// Package hub holds what is known of all followed objects, and says what of it
// has changed. Sources report to it ([Hub.Upsert], [Hub.Remove], [Hub.Replace],
// [Hub.SetState]), a plan says what is asked for ([Hub.SetRoots]) and learns what
// is needed for it ([Hub.Needs]), and [Hub.Next] is the way out: every change
// since a number, at most once a frame.
//
// It does no I/O, and its lock is held for microseconds. Absence is decided by a
// completed list and by nothing else; rows are kept while their source is stale.
// A root whose inventory has changed is held back until its new members are
// known.
package hub
