// Package dump makes a cluster of what somebody saved of one: what kubectl get
// printed, kubectl cluster-info dump, an OpenShift must-gather, a troubleshoot.sh
// support bundle. A folder, an archive, a file or standard input will do.
//
// [Read] reads files (files.go, archive.go), finds in each what its place says
// (layout.go) and its objects (json.go, yaml.go), and keeps them ([Saved], saved.go).
// Saved answers the requests of a Kubernetes client (serve.go), so that the engine
// that follows a live cluster follows this one: every SOURCE, inventory and pane
// works without knowing that it is saved. [Saved.Feed] sets the time to that of the
// dump, and reads the logs.
//
// House rules. What was not saved is unknown, never absent: a request for it is
// refused, like one without permission. Only a complete list proves absence.
// A dump may be hostile: memory is bounded by limits.go, nothing is written to disk,
// links are not followed, and no Secret's data is kept.
package dump
