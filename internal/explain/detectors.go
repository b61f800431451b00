package explain

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/object"

	// The families: each detector adds itself.
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/cluster"
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/custom"
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/network"
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/pods"
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/scheduling"
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/storage"
	_ "github.com/kstatus-tui/kstatus-tui/internal/explain/workloads"
)

// ofKind are the detectors for a kind: its own, and then those for every kind.
type ofKind struct {
	Group, Kind string
	all         []*inspect.Detector
	current     []*inspect.Detector // those of them that are run for Current objects, too
}

// mayTell reports whether a detector may have something to tell about an object that is Current.
func (k *ofKind) mayTell(o *object.Object) bool {
	for _, d := range k.current {
		if d.MayTell(o) {
			return true
		}
	}
	return false
}

var (
	byKind  = map[[2]string]*ofKind{}
	anyKind = &ofKind{}
)

func init() {
	for _, d := range inspect.Detectors() {
		if len(d.Kinds) == 0 {
			anyKind.add(d)
		}
	}
	for _, d := range inspect.Detectors() {
		for _, name := range d.Kinds {
			group, kind, ok := strings.Cut(name, "/")
			if !ok {
				group, kind = "", name
			}
			if byKind[[2]string{group, kind}] == nil {
				byKind[[2]string{group, kind}] = &ofKind{Group: group, Kind: kind}
			}
			byKind[[2]string{group, kind}].add(d)
		}
	}
	for _, k := range byKind {
		for _, d := range anyKind.all {
			k.add(d)
		}
	}
}

func (k *ofKind) add(d *inspect.Detector) {
	k.all = append(k.all, d)
	if d.AlsoCurrent {
		k.current = append(k.current, d)
	}
}

// detectors are those for a kind.
func detectors(group, kind string) *ofKind {
	if k := byKind[[2]string{group, kind}]; k != nil {
		return k
	}
	return &ofKind{Group: group, Kind: kind, all: anyKind.all, current: anyKind.current}
}
