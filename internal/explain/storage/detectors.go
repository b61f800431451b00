// Package storage finds why a claim has no volume, and a Pod not its volumes.
package storage

import "github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"

// Detectors are the detectors of this family, by the kinds that they inspect.
var Detectors = []inspect.Detector{
	{Kinds: pod, Find: mounts},
	{Kinds: []string{"PersistentVolumeClaim"}, Current: true, Find: claim},
	{Kinds: []string{"PersistentVolume"}, Current: true, Find: volume},
}

var pod = []string{"Pod"}
