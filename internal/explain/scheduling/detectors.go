// Package scheduling finds why a Pod has no node.
package scheduling

import "github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"

// Detectors are the detectors of this family, by the kinds that they inspect.
var Detectors = []inspect.Detector{
	{Kinds: pod, Find: scheduling},
}

var pod = []string{"Pod"}
