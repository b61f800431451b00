// Package custom finds what custom resources report, by the conventions of their
// conditions and by what is known of their projects.
package custom

import "github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"

// Detectors are the detectors of this family, by the kinds that they inspect.
var Detectors = []inspect.Detector{
	{Kinds: []string{"argoproj.io/Rollout"}, Find: rolloutPaused},
	{Find: custom},
}
