// Package edges knows how Kubernetes objects belong together: by owner, by
// selector and by reference. The planner of internal/watch, the tree of
// internal/model and the explanation read the same edges.
//
// Three questions are answered. [Needs]: where do the generated children of an
// object have to be looked for? [Offers] and [Refers]: does this object belong
// under that one? (It does when the child refers to a key that the parent
// offers.) [IsChild] asks that of one pair. A selector only ever narrows the
// search; what belongs together is decided by UID, or by a name that only one
// controller makes.
//
// The package is pure and imports the standard library alone.
package edges
