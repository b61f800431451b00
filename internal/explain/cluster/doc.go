// Package cluster finds problems of nodes and of the API's own machinery: deletion,
// ownership, definitions, controllers.
package cluster

// pod are the kinds of a detector that inspects Pods.
var pod = []string{"Pod"}
