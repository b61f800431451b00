// Package edges knows how Kubernetes objects belong together: by owner, by
// selector and by reference. The planner of internal/watch, the tree of
// internal/model and internal/explain use the same edges.
//
// [Needs] says where the generated children of an object are looked for.
// [Offers] and [Refers] say whether one object belongs under another: it does if
// the child refers to a key that the parent offers; [IsChild] answers that for
// one pair. A selector only narrows the search; the relation itself is decided
// by UID, or by a name that only one controller makes.
//
// The package is pure and imports the standard library alone.
package edges
