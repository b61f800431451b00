// Package testcluster is a small API server in memory, for tests: lists,
// watches (with bookmarks, resource versions that expire, and initial events),
// selectors, discovery, logs, and faults on demand. Built-in kinds are served as
// protobuf to who accepts it and hold what their types have room for, discovery is
// aggregated: what a client meets in production. client-go's real transport
// talks to it over net.Pipe, so that all of it runs inside a testing/synctest
// bubble under a fake clock.
//
// It has no controllers: a test writes the objects that controllers would. What
// depends on how they behave belongs into internal/e2e, on a real control plane.
package testcluster
