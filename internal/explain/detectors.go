package explain

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/custom"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/network"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/pods"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/scheduling"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/storage"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/workloads"
)

// detectors joins the families. Their order means nothing: what hides what
// stands in the descriptors of the codes.
var detectors = slices.Concat(
	pods.Detectors, scheduling.Detectors, storage.Detectors, workloads.Detectors,
	network.Detectors, cluster.Detectors, custom.Detectors,
)

// byKind and anyKind are the detectors by the kind they look at.
var (
	byKind  = map[string][]*inspect.Detector{}
	anyKind []*inspect.Detector
)

func init() {
	for i := range detectors {
		d := &detectors[i]
		if len(d.Kinds) == 0 {
			anyKind = append(anyKind, d)
		}
		for _, k := range d.Kinds {
			byKind[k] = append(byKind[k], d)
		}
	}
}
