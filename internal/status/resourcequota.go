package status

import (
	"maps"
	"reflect"
	"slices"
)

func resourceQuota(j *judge) Assessment {
	want, hard := j.o.Map("spec", "hard"), j.o.Map("status", "hard")
	j.by("observed", "spec.hard status.hard")
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if !reflect.DeepEqual(hard[k], want[k]) { // in a file a limit may be anything
			return j.progress("NotObserved", "The limit of "+k+" is not in force yet")
		}
	}
	return j.by("observed", "status.hard status.used").current("Quota is in force")
}
