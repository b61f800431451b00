package status

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
)

// ingressPatience is how long an Ingress may be without an address before its
// controller counts as one that never reports any.
const ingressPatience = 5 * time.Minute

func ingress(j *judge) Assessment {
	j.by("address", "status.loadBalancer.ingress")
	if address := kinds.IngressAddress(j.o); address != "" {
		return j.current("reached at " + address)
	}
	a := j.progress("NoAddress", "Waiting for an address")
	if !j.expects(&a, "its controller is taken for one that never reports an address") {
		return j.by("no-address", "status.loadBalancer.ingress").current("No address is reported").
			noted("no address after %v: its controller may be one that never reports any, or none serves its class", ingressPatience)
	}
	return a
}

// expects waits for a controller that may never report anything, and says what
// happens after that; false once the time is over. Without a date it waits
// forever.
func (j *judge) expects(a *Assessment, then string) bool {
	if j.w.Offline || j.o.Created.IsZero() {
		return true
	}
	a.Recheck = j.o.Created.Add(ingressPatience + j.w.Ahead)
	a.Deadline, a.DeadlineWhat = a.Recheck, then
	return j.now.Before(a.Recheck)
}
