// Package testcluster is a small API server in memory, for tests: lists,
// watches (with bookmarks, resource versions that expire, and initial events),
// selectors, discovery, logs, and faults on demand. As in production, built-in
// kinds are decoded into their types and served as protobuf, and discovery is
// aggregated. client-go's real transport talks to it by HTTP/2 over TLS, pings
// included, over net.Pipe, so that all of it runs inside a testing/synctest
// bubble under a fake clock.
//
// It has no controllers: a test writes the objects that controllers would. Tests
// of their behaviour belong into internal/e2e, on a real control plane.
package testcluster
