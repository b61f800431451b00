package kinds

import (
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Ordinals are the numbers of the Pods that a StatefulSet wants: First and those after
// it, below End.
type Ordinals struct{ First, End int64 }

// OrdinalsOf returns the ordinals that a StatefulSet wants (getStartOrdinal and
// getEndOrdinal in pkg/controller/statefulset/stateful_set_utils.go, v1.33).
func OrdinalsOf(w *object.Workload) Ordinals {
	return Ordinals{First: w.Start.V, End: w.Start.V + w.Replicas.Or(1)}
}

// Has reports whether the StatefulSet wants a Pod with that ordinal.
func (o Ordinals) Has(n int64) bool { return o.First <= n && n < o.End }

// Ordinal is the ordinal of a StatefulSet's Pod; false if the name has none.
func Ordinal(pod, statefulSet string) (int64, bool) {
	rest, ok := strings.CutPrefix(pod, statefulSet+"-")
	if !ok || rest == "" || rest[0] < '0' || rest[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(rest, 10, 64)
	return n, err == nil
}
