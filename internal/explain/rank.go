package explain

import (
	"cmp"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The order of causes and of findings.

func rankOf(c Certainty) int { return slices.Index([]Certainty{Proven, Likely, Possible}, c) }

// ranked is a cause with its importance.
type ranked struct {
	*Cause
	importance [5]int
	exemplar   *entry
}

// importance orders causes: those that block before remarks; waiting ones last;
// those that make an object Failed before those that keep it InProgress; those
// that need action before those that are retried; more certain ones.
func importance(c *Cause, fails bool) [5]int {
	return [...]int{boolRank(len(c.Blocks) == 0), boolRank(c.Class == Waits), boolRank(!fails), boolRank(c.Class == Retries), rankOf(c.Certainty)}
}

// fails reports whether one of the objects is Failed.
func (c *collator) fails(ids []object.ID) bool {
	return slices.ContainsFunc(ids, func(id object.ID) bool {
		a, ok := c.s.Assessment(id)
		return ok && a.Status == status.Failed
	})
}

// compareCauses orders by importance, then those that block more first; those
// that more objects show; the earliest.
func compareCauses(a, b ranked) int {
	return cmp.Or(
		slices.Compare(a.importance[:], b.importance[:]),
		cmp.Compare(len(b.Blocks), len(a.Blocks)),
		cmp.Compare(b.Count, a.Count),
		compareTimes(a.Since, b.Since),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.ID, b.ID),
	)
}

// compareFindings puts the exemplar first: the oldest.
func compareFindings(a, b *Finding) int {
	if c := compareTimes(a.Since, b.Since); c != 0 {
		return c
	}
	if c := a.Object.Compare(b.Object); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(a.order, b.order),
		cmp.Compare(a.print, b.print),
		cmp.Compare(a.Subject.Container, b.Subject.Container),
		cmp.Compare(a.Title, b.Title),
	)
}

// compareTimes puts earlier times first and unknown ones last.
func compareTimes(a, b time.Time) int {
	return cmp.Or(boolRank(a.IsZero())-boolRank(b.IsZero()), a.Compare(b))
}
