package status

import (
	"cmp"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// judgeRow judges the object by the row of the registry for its kind: the first
// clause that holds decides; false when none does.
func (c *custom) judgeRow() (signal, bool) {
	r := c.row
	if r.Data && c.emptyStatus() {
		return signal{status: Current, rule: ruleID(c.o.Group, c.o.Kind, "data"), message: "Objects of this kind carry no status"}, true
	}
	for i := range r.Clauses {
		cl := &r.Clauses[i]
		rule := string(cl.Outcome)
		m, ok := cl.Holds(c.o)
		if !ok {
			if c.w.trace.on() {
				c.w.trace.not(c.o.GroupKind()+"."+rule, cl.Text)
			}
			continue
		}
		if c.w.trace.on() && cl.Text != "" {
			c.w.trace.note(c.o.GroupKind()+"."+rule, cl.Text)
		}
		if cl.Outcome == registry.OutcomeCurrent && cl.Text == "" && r.Whole() {
			// Of a whole group nobody knows every kind, nor those to come: what
			// speaks against it counts by the conventions.
			if s := c.conventions(); s.status != Current && (!s.silent || c.serves()) {
				return s, true
			}
		}
		if cl.Outcome == registry.OutcomeConventions {
			return signal{}, false
		}
		sig := c.outcome(cl.Outcome, &m, cl.Paths)
		if !c.told(&sig) {
			switch {
			case cl.Text != "":
				sig.message = cl.Told(c.o)
			case sig.status == Current:
				sig.message = "Nothing speaks against it"
			default:
				sig.message = "Nothing shows that it is ready"
			}
		}
		return sig, true
	}
	return c.judgeCoded()
}

// outcome makes a signal of an outcome, and of what led to it.
func (c *custom) outcome(outcome registry.Outcome, m *registry.Match, paths []string) signal {
	sig := c.matched(m)
	sig.rule, sig.paths = ruleID(c.o.Group, c.o.Kind, string(outcome)), slices.Clip(paths)
	switch outcome {
	case registry.OutcomeFailed:
		sig.status, sig.heals, sig.retrying = Failed, true, c.retrying()
	case registry.OutcomeTerminal:
		sig.status, sig.terminal = Failed, true
	case registry.OutcomeProgress:
		sig.status = InProgress
	case registry.OutcomePaused:
		sig.status, sig.paused = InProgress, true
	case registry.OutcomeIdle:
		sig.status, sig.note = Current, "suspended; nothing is left to do"
	case registry.OutcomeCurrent:
		sig.status = Current
	case registry.OutcomeUnknown:
		sig.status = Unknown
	case registry.OutcomeSilent:
		sig.silent = true
	}
	return sig
}

// matched begins a signal with what made a clause hold.
func (c *custom) matched(m *registry.Match) signal {
	switch {
	case m.Condition.Statement != nil:
		return signal{cond: m.Index + 1, reason: m.Condition.Reason, message: describe(&m.Condition), since: m.Condition.LastTransitionTime}
	case m.Field != "":
		return signal{reason: reasonWord(m.Word), message: phaseMessage(m.Field, m.Value, c.o.Map("status"))}
	}
	return signal{}
}

// told gives a signal without a message what the controller says of the object
// as a whole, and a better one where it explains itself in its conditions; false
// where neither is there.
func (c *custom) told(sig *signal) bool {
	explains := sig.cond == 0 && sig.status != Current
	if sig.silent || sig.message != "" && !explains {
		return true
	}
	said := phaseText(c.o.Map("status"), "")
	if said == "" && explains {
		c.explained(sig)
	}
	sig.message = cmp.Or(sig.message, said)
	return sig.message != ""
}

// explained takes the reason, the text and the date from a condition where the
// clause saw no more than a word and the controller explains itself in its
// conditions: the root's where it is not True, else the first that is bad.
func (c *custom) explained(sig *signal) {
	best := -1
	if i := c.root(); i >= 0 && !isTrue(&c.o.Conditions[i]) && c.o.Conditions[i].Message != "" {
		best = i
	}
	for i := range c.o.Conditions {
		cond := &c.o.Conditions[i]
		sense, _ := c.sense(cond.Type)
		if best < 0 && cond.Message != "" && !c.o.Stale(cond) && !c.row.Ignores(cond.Type) &&
			(sense == registry.State && isFalse(cond) || sense == registry.Fault && isTrue(cond)) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	cond := &c.o.Conditions[best]
	sig.message, sig.cond, sig.since = describe(cond), best+1, cond.LastTransitionTime
	if cond.Reason != "" {
		sig.reason = cond.Reason
	}
}
