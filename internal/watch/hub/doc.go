// Package hub holds what is known of all followed objects, and says what of it
// has changed. Sources report to it ([Source.Upsert], [Source.Remove], [Source.Replace],
// [Source.State]), a plan says what is asked for ([Hub.SetRoots]) and learns what
// is needed for it ([Hub.Needs]), and [Hub.Next] is the way out: every change
// since the last batch, at most once a frame, for one receiver.
//
// It does no I/O, and its lock is held for microseconds. Absence is decided by a
// complete answer, a DELETE event or a release's follower, and never by an error;
// rows are kept while their source is stale.
// A root whose inventory has changed is held back until its new members are
// known.
package hub
