package pods

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

func init() {
	inspect.Detect(inspect.Detector{
		Kinds: pod, AlsoCurrent: true, Conditions: []string{"PodResizePending", "PodResizeInProgress"}, Find: resizing,
	})
}

// resizing finds PodResizeStuck.
func resizing(in *inspect.Inspector) {
	if in.Object.Pod == nil || !in.Object.Deleted.IsZero() {
		return
	}
	for i := range in.Object.Conditions {
		x := &in.Object.Conditions[i]
		if x.Status != "True" ||
			x.Type != "PodResizePending" && (x.Type != "PodResizeInProgress" || x.Reason != "Error") {
			continue
		}
		f := in.FindCondition(codes.PodResizeStuck, x, "its resize is %s on node %s: %s",
			strings.ToLower(x.Reason), in.Object.Pod.Node, message.Short(x.Message, 160))
		if x.Reason == "Deferred" {
			f.Class = codes.Retries
		}
		return
	}
}
