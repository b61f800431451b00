// Package plan decides which streams there are: a pure function of what was asked for,
// of where children are sought, and of what runs already. A plan asks for as few streams
// as show everything that is wanted, and little beside it, and changes as little as it
// can of those that run. [Make] is its only way in; package watch carries plans out.
//
// Children are watched by their parents' selectors, merged into set-based ones, a few
// streams for a kind in a namespace; parents that come one by one are merged anew when
// there would be too many. A namespace is watched whole where its parents need more, have
// no label in common, or where a kind has no label that leads to its parent; the cluster,
// where namespaces are too many. No share of the namespace is estimated: selectors of
// parents that are found at once bring each child once and nothing else.
package plan
