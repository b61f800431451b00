package status

import "time"

func lease(j *judge) Assessment {
	holder := j.o.Str("spec", "holderIdentity")
	if holder == "" {
		return j.by("holder", "spec.holderIdentity").current("Nobody holds the lease")
	}
	a := j.by("holder", "spec.holderIdentity spec.renewTime").current("Held by " + holder)
	renewed, err := time.Parse(time.RFC3339, j.o.Str("spec", "renewTime"))
	seconds := j.o.Int("spec", "leaseDurationSeconds")
	if err == nil && seconds.Set && !j.w.Offline {
		if end := renewed.Add(time.Duration(seconds.V) * time.Second); j.now.After(end) {
			a.Note = "expired: not renewed since " + renewed.UTC().Format(time.RFC3339)
		} else {
			a.Recheck = end
		}
	}
	return a
}
