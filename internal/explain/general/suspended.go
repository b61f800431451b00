package general

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/statements"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

// FailedBefore adds to a suspended object the fault that its controller reported last. Nobody tries
// again while it is suspended, and resuming it alone does not mend it. Words without a complaint
// may only repeat that it is suspended: ReconcilePaused of Crossplane (crossplane-runtime v1.20).
func FailedBefore(in *inspect.Inspector) {
	i := slices.IndexFunc(in.Found, func(f *inspect.Finding) bool { return f.Code == codes.Suspended })
	if i < 0 {
		return
	}
	f := in.Found[i]
	for _, s := range statements.Bad(in.Object) {
		if s.Weight < message.SaysWhy {
			return // the others say less
		}
		if s.Condition.Severity == "Warning" {
			continue
		}
		f.Also("before that %s", s.Title())
		f.Detail = message.Line(s.Message)
		f.ProveOn(in.Object.ID, "status.conditions["+s.Condition.Type+"].message", s.Message)
		return
	}
}
