package explain

import (
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"

	// The families: each detector adds itself.
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/cluster"
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/custom"
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/network"
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/pods"
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/scheduling"
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/storage"
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/workloads"
)

// byKind and anyKind are the detectors by the kind they look at.
var (
	byKind  = map[string][]*inspect.Detector{}
	anyKind []*inspect.Detector
)

func init() {
	for _, d := range inspect.Detectors() {
		if len(d.Kinds) == 0 {
			anyKind = append(anyKind, d)
		}
		for _, k := range d.Kinds {
			byKind[k] = append(byKind[k], d)
		}
	}
}
