// Package peers measures the ready-made tree and table that this program does
// not use (charm.land/bubbles/v2) beside its own screen: one key that moves the
// selection, and the picture that follows, at 200x60. It is a module of its own,
// so that what is only compared with is no dependency.
package peers
