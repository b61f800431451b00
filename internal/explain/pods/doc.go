// Package pods finds why a Pod does not run: its image, its configuration, its containers
// and their probes, its node, its end.
package pods

// pod are the kinds of a detector that inspects Pods.
var pod = []string{"Pod"}
