// Package plan decides which streams there are: a pure function of what was asked for,
// of where children are sought, and of what runs already. A plan asks for as few streams
// as show everything that is wanted, and little beside it, and changes as little as it
// can of those that run. [Make] is its only way in; package watch carries plans out.
package plan
