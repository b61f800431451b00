// Package find looks inventories up, once and without following anything: lists of
// them, the members of one, the one that an object belongs to, and in which other
// namespace one is that does not exist where it was looked for.
package find
