package general

import (
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Parts blames the object that was made for the inspected one and fails (edges.Parts), where the
// inspected object itself says that it is ready.
func Parts(in *inspect.Inspector) {
	id := in.Assessment.Child
	if in.Assessment.Rule != status.FailingPart {
		return
	}
	part := in.Get(id)
	f := in.Find(codes.NotReady, "%s %s, which was made for it, fails", id.Kind, id.Name)
	f.Class = codes.Retries
	f.Since = in.Assessment.Since
	f.Key = id.Kind + " " + in.Assessment.Reason
	f.Detail = message.Line(in.Assessment.Message)
	f.Blame(id)
	if part != nil {
		f.ProveOn(id, "metadata.ownerReferences["+in.Object.Name+"].kind", in.Object.Kind)
		if a, ok := in.Snapshot.Assessment(id); ok && a.Deciding >= 0 && a.Deciding < len(part.Conditions) {
			f.ProveCondition(id, &part.Conditions[a.Deciding])
		}
	}
	f.Next = []string{in.Kubectl("describe", wording.Resource(id), id.Name)}
}
