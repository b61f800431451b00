package status

import (
	"maps"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func resourceQuota(j *judge) Assessment {
	want, hard, used := j.o.Map("spec", "hard"), j.o.Map("status", "hard"), j.o.Map("status", "used")
	j.by("observed", "spec.hard status.hard")
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if hard[k] != want[k] {
			return j.progress("NotObserved", "The limit of "+k+" is not in force yet")
		}
	}
	a := j.by("observed", "status.hard status.used").current("Quota is in force")
	var full []string
	for _, k := range slices.Sorted(maps.Keys(hard)) {
		limit, ok := amount(hard[k])
		have, ok2 := amount(used[k])
		if ok && ok2 && limit > 0 && have >= limit {
			full = append(full, k)
		}
	}
	if len(full) > 0 {
		a.Note = "used up: " + strings.Join(full, ", ")
	}
	return a
}

func amount(v any) (int64, bool) {
	text, _ := object.Text(v)
	return object.ParseAmount(text)
}
