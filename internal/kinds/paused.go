package kinds

import "github.com/kstatus-tui/kstatus-tui/internal/object"

// Paused returns the field by which a user has paused an object, or "".
func Paused(o *object.Object) (field string) {
	switch {
	case o.Workload != nil && o.Workload.Paused:
		return "spec.paused"
	case o.Job != nil && o.Job.Suspend, o.CronJob != nil && o.CronJob.Suspend:
		return "spec.suspend"
	case o.HasView():
		return ""
	}
	for _, name := range [...]string{"paused", "suspend", "suspended", "pause"} {
		if paused, _ := o.Bool("spec", name); paused {
			return "spec." + name
		}
	}
	return ""
}
