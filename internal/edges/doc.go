// Package edges knows how Kubernetes objects belong together: by owner, by
// selector and by reference. The planner of internal/watch, the tree of
// internal/model and the explanation read the same edges. It is pure.
package edges
