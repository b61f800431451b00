// Package pods finds why a Pod does not run: its image, its configuration, its containers
// and their probes, its node, its end.
package pods

import "github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"

// Detectors are the detectors of this family, by the kinds that they inspect.
var Detectors = []inspect.Detector{
	{Kinds: pod, Find: containers},
	{Kinds: pod, Find: refused},
	{Kinds: pod, Find: ending},
	{Kinds: pod, Find: sandbox},
	{Kinds: pod, Find: nowhere},
	{Kinds: pod, Current: true, Find: resizing},
}

var pod = []string{"Pod"}
