// Package sources reads the streams that a plan asks for. A [Source] is a
// client-go Reflector over a ListerWatcher, which converts each object as it
// comes and hands it to a [Sink]; where watching is not permitted, it polls. It
// is a state machine that everybody can see: waiting, syncing, live, stale,
// throttled, forbidden, not served.
//
// All waiting happens here and in [gate.Gate], under a context. No error of one
// source ends another.
package sources
