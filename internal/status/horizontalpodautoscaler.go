package status

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// horizontalPodAutoscaler is its row, but there are no metrics of Pods that start:
// without them an HPA waits for its target.
func horizontalPodAutoscaler(j *judge) Assessment {
	a := rowOfKind(j)
	if a.Status != Failed || !strings.HasPrefix(a.Reason, "FailedGet") {
		return a
	}
	group, _, grouped := strings.Cut(j.o.Str("spec", "scaleTargetRef", "apiVersion"), "/")
	if !grouped {
		group = ""
	}
	return j.consequence(a, object.ID{
		Group: group, Kind: j.o.Str("spec", "scaleTargetRef", "kind"),
		Namespace: j.o.Namespace, Name: j.o.Str("spec", "scaleTargetRef", "name"),
	})
}
