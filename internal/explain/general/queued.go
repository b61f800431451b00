package general

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

// Queued says of what is suspended because Kueue has not admitted it which queue it waits in, and
// why it is not admitted, which its Workload says (sigs.k8s.io/kueue v0.13, pkg/workload,
// QuotaReserved): of Jobs, JobSets, RayClusters and whatever else has the label. What exceeds the
// queue's whole capacity is never admitted.
func Queued(in *inspect.Inspector) {
	queue, ok := in.Object.Label("kueue.x-k8s.io/queue-name")
	i := slices.IndexFunc(in.Found, func(f *inspect.Finding) bool { return f.Code == codes.Suspended })
	if !ok || i < 0 {
		return
	}
	f := in.Found[i]
	f.Say("suspended until queue %s admits it", queue)
	f.Next = []string{
		in.Kubectl("describe", "localqueues.kueue.x-k8s.io", queue),
		in.Kubectl("get", "workloads.kueue.x-k8s.io"),
	}
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
