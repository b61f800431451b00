// Package storage finds why a claim has no volume, and a Pod not its volumes.
package storage

// pod are the kinds of a detector that inspects Pods.
var pod = []string{"Pod"}
