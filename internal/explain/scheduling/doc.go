// Package scheduling finds why a Pod has no node.
package scheduling

// pod are the kinds of a detector that inspects Pods.
var pod = []string{"Pod"}
