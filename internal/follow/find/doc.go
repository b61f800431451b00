// Package find looks up inventories once, without following them: lists of
// them, the members of one, the inventory that an object belongs to, and the
// namespaces of one that was not found where it was looked for.
package find
