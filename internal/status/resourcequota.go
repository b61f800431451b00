package status

import (
	"maps"
	"slices"
)

func resourceQuota(j *judge) Assessment {
	want, hard := j.o.Map("spec", "hard"), j.o.Map("status", "hard")
	j.by("observed", "spec.hard status.hard")
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if hard[k] != want[k] {
			return j.progress("NotObserved", "The limit of "+k+" is not in force yet")
		}
	}
	return j.by("observed", "status.hard status.used").current("Quota is in force")
}
