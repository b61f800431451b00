package inspect

import (
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Entry holds the findings on an object.
type Entry struct {
	ID       object.ID
	Workload object.ID  // the workload that its causes belong to
	Found    []*Finding // at least one
	Outdated bool       // of an older revision or run: only relevant if it is a root
	Needs    []Need
	Uses     []object.ID // the objects that its detectors asked for

	Ancestors []object.ID // the nearest first
	Followed  bool        // it is a root or below one
}
