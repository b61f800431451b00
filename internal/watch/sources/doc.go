// Package sources reads the streams that a plan asks for. A [Source] is a
// client-go Reflector over a ListerWatcher, which converts each object as it
// comes and hands it to a [Sink]; where watching is not permitted, it polls. It
// is a state machine that everybody can see: waiting, syncing, live, stale,
// throttled, forbidden, not served.
//
// When a watch breaks: Tap.Reason has the true reason, which client-go hides. The
// end of a stream by the server's timeout shows nothing; an error of the server
// or of decoding makes the source stale; a broken or silent connection does, and
// asks the gate's prober whether the server is there; an expired version makes
// the Reflector list again. A source that was live has two seconds to be so again
// before it is stale (overdue).
//
// All waiting happens here and in [gate.Gate], under a context. No error of one
// source ends another.
package sources
