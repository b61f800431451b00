// Package wait decides when a wait is over. A [Waiter] looks at what is known
// after every change and answers with an [Outcome], or with the time at which to
// look again. It reads no clock and does no I/O.
//
// The rules, in the order in which they are applied:
//
//  1. An inventory moved on to another revision: [Moved].
//  2. A named object was deleted, or deleted and created again: [Moved].
//  3. A named object was applied again beyond the generation that is waited for:
//     [Moved]. A change of spec.replicas alone is not another apply.
//  4. A field is waited for that cannot be read, or is no single value: [Error].
//  5. Something failed, and the [FailFast] says to stop: [Failed]. The waiter reads
//     on for up to [ReadsOn] first, so that the causes are complete.
//  6. Everything is to be deleted, and nothing was found: [Error].
//  7. All conditions hold, and have held for as long as Settle says: [Reached]. If
//     something is not Current, the waiter reads on as in rule 5. The goal stays
//     reached, whatever happens meanwhile.
//  8. The deadline has passed: [Failed], [Pending] or [Error].
//
// Rules 4 to 7 need a complete and live answer. Of an incomplete one the waiter only
// remembers which generation it has seen.
package wait
