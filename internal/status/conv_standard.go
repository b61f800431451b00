package status

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// standard applies kstatus's standard conditions, which every kind may carry, to
// what the kind's own rule made of the object: Stalled=True is Failed, and what
// is Reconciling=True is not Current, whatever the reason says (kstatus's
// generic.go, checkGenericProperties). A row of the registry that names Stalled
// itself may give it a grace or put a pause before it, as Flux's do, but not call
// it Current.
func (c *custom) standard(s *signal, sure Confidence) Confidence {
	if i := c.standing(Stalled, registry.Fault); i >= 0 && s.status != Failed && (s.status == Current || !c.row.Names(Stalled)) {
		*s = c.at(i, "convention.stalled", describe(&c.o.Conditions[i]))
		s.status, s.terminal = Failed, true
		return Convention
	}
	if i := c.standing(Reconciling, registry.Activity); i >= 0 && (s.status == Current || s.silent) {
		*s = c.at(i, "convention.reconciling", describe(&c.o.Conditions[i]))
		s.status, s.retrying = InProgress, strings.Contains(s.reason, "WithRetry")
		return Convention
	}
	return sure
}

// standing is the place of a condition that is True, describes this generation
// and has not been declared to mean something else, or -1.
func (c *custom) standing(typ string, usual registry.Sense) int {
	i := c.fresh(typ)
	if i < 0 || !isTrue(&c.o.Conditions[i]) || c.row.Ignores(typ) {
		return -1
	}
	if sense, _ := c.sense(typ); sense != usual {
		return -1
	}
	return i
}
