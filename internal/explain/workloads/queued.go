package workloads

import (
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

// queued adds why Kueue does not admit a Job, which its Workload says
// (sigs.k8s.io/kueue v0.13, pkg/workload, QuotaReserved). What exceeds the
// queue's whole capacity is never admitted.
func queued(in *inspect.Inspector, f *inspect.Finding) {
	list := in.List("kueue.x-k8s.io", "Workload", in.Object.Namespace).Items
	for _, w := range list {
		if owner, ok := w.Controller(); !ok || owner.UID != in.Object.UID {
			continue
		}
		for _, typ := range [...]string{"QuotaReserved", "Admitted", "Evicted"} {
			c := w.Condition(typ)
			if c == nil || c.Message == "" || c.Status == "True" != (typ == "Evicted") {
				continue
			}
			f.Absorbs = append(f.Absorbs, w.ID)
			f.Why("%s", message.Short(c.Message, 160))
			f.Detail = message.Fold(c.Message)
			f.ProveCondition(w.ID, c)
			f.Next = append([]string{in.Kubectl("describe", "workloads.kueue.x-k8s.io", w.Name)}, f.Next...)
			if message.NeverAdmitted(c.Message) {
				f.Class = codes.Action
			}
			return
		}
	}
}
