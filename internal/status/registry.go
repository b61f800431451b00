package status

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// byRow judges the object by its kind's row in the registry: the first clause
// that holds decides; false if none does.
func (j *judge) byRow() (Assessment, bool) {
	r := j.row
	if r.Data && j.o.NoStatus() {
		return j.by(j.o.GroupKind()+".data", "").current("Objects of this kind carry no status"), true
	}
	j.match = registry.Match{}
	m, note := &j.match, ""
	for i := range r.Clauses {
		cl := &r.Clauses[i]
		ok := cl.Holds(j.o, m)
		switch {
		case j.trace == nil:
		case !ok:
			j.trace.not(rowRule(j.o, cl.Outcome), cl.Text)
		case cl.Text != "":
			j.trace.note(rowRule(j.o, cl.Outcome), cl.Text)
		}
		switch {
		case !ok:
			continue
		case cl.Outcome == registry.OutcomeNote:
			note = cmp.Or(note, cl.Says)
			continue
		}
		if cl.Outcome == registry.OutcomeCurrent && j.sure != Exact {
			// A row cannot know every field, nor a row for a whole group every
			// kind: what the conventions find elsewhere counts, too.
			read := faults
			switch {
			case cl.Text == "" && r.Whole():
				read = statements
			case m.Condition.Statement == nil && m.Field != "" && !hasWord(m.Value, atEnd) &&
				!slices.Contains(followedParts, j.o.GroupKind()):
				// a word covers less than a condition
				read = brokenParts
			}
			a := j.conventions(read)
			named := a.condition > 0 && a.condition == m.Index+1 ||
				slices.ContainsFunc(a.Paths, func(path string) bool {
					return slices.Contains(cl.Paths, path)
				})
			switch {
			case read == statements && a.Status != Current && (!a.silent || j.serves()):
				return a, true
			case a.Status == Failed && !named:
				j.sure = Convention
				return a, true
			}
		}
		if cl.Outcome == registry.OutcomeProgress && j.sure != Exact && !strings.Contains(cl.Text, "(") &&
			saysWhyNot(j.o, m.Index) {
			// Whatever the condition waits for, it has met an error.
			if a := j.conventions(faults); a.Status == Failed {
				j.sure = Convention
				return a, true
			}
		}
		if cl.Outcome == registry.OutcomeConventions {
			return Assessment{}, false
		}
		if cl.Outcome == registry.OutcomeFailed && j.sure != Exact && !strings.Contains(cl.Text, "(") &&
			underWay(&m.Condition) {
			// Whatever the condition is False for, this is no fault: it is not True yet.
			if a := j.conventions(faults); a.Status == Failed {
				j.sure = Convention
				return a, true
			}
			return j.outcome(registry.OutcomeProgress, m, cl.Paths, ""), true
		}
		otherwise := "Nothing shows that it is ready"
		switch {
		case cl.Says != "":
			otherwise = cl.Says
		case cl.Text != "":
			otherwise = cl.Described(j.o)
		case cl.Outcome == registry.OutcomeCurrent || cl.Outcome == registry.OutcomeIdle:
			otherwise = "Nothing speaks against it"
		}
		a := j.outcome(cl.Outcome, m, cl.Paths, otherwise)
		if a.Status == Current {
			a.Note = cmp.Or(a.Note, note)
		}
		return a, true
	}
	if c, ok := codedKinds[groupKind{j.o.Group, j.o.Kind}]; ok {
		j.trace.note(r.ID(), c.says)
		return c.judge(j)
	}
	return Assessment{}, false
}

// saysWhyNot reports whether a condition is False for a bad reason, and says what is wrong:
// a clause that names no reason means the wait for it, not an error.
func saysWhyNot(o *object.Object, index int) bool {
	if index < 0 || index >= len(o.Conditions) {
		return false
	}
	c := &o.Conditions[index]
	return isFalse(c) && classify(c.Reason) == wordBad && message.Weight(c.Message) >= message.SaysWhy
}

// followedParts are the kinds whose status repeats how their members are, which are followed and judged
// themselves: what a controller said of one some time ago does not decide (Argo CD v3.2, Application
// status.resources[].health).
var followedParts = []string{"argoproj.io/Application"}

// underWay reports whether a condition is False for a reason that speaks of work, and says
// nothing of an error: Ready=False, Progressing.
func underWay(c *object.Condition) bool {
	return c.Statement != nil && isFalse(c) && classify(c.Reason) == wordProgress &&
		classifyText(c.Message) != wordBad && message.Weight(c.Message) < message.SaysWhy
}

func rowRule(o *object.Object, outcome registry.Outcome) string {
	if o.Group == "" {
		return o.Kind + "." + string(outcome)
	}
	return o.Group + "/" + o.Kind + "." + string(outcome)
}

// outcome makes an assessment of an outcome and its match. otherwise is the
// message of an object without one.
func (j *judge) outcome(outcome registry.Outcome, m *registry.Match, paths []string, otherwise string) Assessment {
	a := Assessment{Rule: rowRule(j.o, outcome), Paths: slices.Clip(paths)}
	switch {
	case m.Condition.Statement != nil:
		a.Reason, a.Message, a.Since, a.condition = m.Condition.Reason, describe(&m.Condition),
			m.Condition.LastTransitionTime, m.Index+1
	case m.Field != "":
		a.Reason, a.Message = reasonWord(m.Word), phaseMessage(m.Field, m.Value, j.o.Map("status"))
		if outcome == registry.OutcomeFailed || outcome == registry.OutcomeTerminal {
			if classifyWords(a.Message, false) == wordGood { // "Cluster created successfully", of another field
				a.Message = m.Field + " is " + m.Value
			}
			path := strings.Split(m.Field, ".")
			a.Since = object.DateAmong(object.At(j.o.Tree, path[:len(path)-1]...))
		}
	}
	switch outcome {
	case registry.OutcomeFailed:
		a.Status, a.heals, a.retries = Failed, true, reconciling(j.o) != nil
	case registry.OutcomeTerminal:
		a.Status, a.Terminal = Failed, true
	case registry.OutcomeProgress:
		a.Status = InProgress
	case registry.OutcomePaused:
		a.Status, a.Paused = InProgress, true
	case registry.OutcomeIdle:
		a.Status, a.Note = Current, "suspended; nothing is left to do"
	case registry.OutcomeCurrent:
		a.Status = Current
	case registry.OutcomeUnknown:
		a.Status = Unknown
	case registry.OutcomeSilent:
		a.silent = true
		return a
	}
	explains := a.condition == 0 && a.Status != Current
	if a.Message == "" || explains {
		text := phaseText(j.o.Map("status"), "")
		if a.Status == Failed && classifyWords(text, false) == wordGood {
			text = ""
		}
		if text == "" && explains {
			if i := j.moreTelling(); i >= 0 {
				a.Message = ""
				a = a.from(j.o, i)
			}
		}
		a.Message = cmp.Or(a.Message, text, otherwise)
	}
	if a.Status == Failed && a.Since.IsZero() {
		a.Since = statedSince(j.o, a.Message)
	}
	return a
}

// moreTelling is the condition whose message tells more than a word that a clause saw: the
// summary if it is not True, otherwise the first bad one; -1 if there is none.
func (j *judge) moreTelling() int {
	if i := j.root(); i >= 0 && !isTrue(&j.o.Conditions[i]) && j.o.Conditions[i].Message != "" {
		return i
	}
	return slices.IndexFunc(j.o.Conditions, func(c object.Condition) bool {
		sense := j.sense(c.Type)
		return c.Message != "" && !j.o.Stale(&c) && !j.row.Ignores(c.Type) &&
			(sense == registry.State && isFalse(&c) || sense == registry.Fault && isTrue(&c))
	})
}
