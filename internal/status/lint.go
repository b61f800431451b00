package status

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// LintFinding is a convention of the Kubernetes API that an object's controller
// breaks. It is advice for the controller's author, not about the object's
// health.
type LintFinding struct {
	Code    string // UpperCamelCase, stable
	Message string // one line
	Path    string // the field concerned
}

// Lint lists the conventions that the controller of a custom resource breaks,
// in the order of the object's fields. They are those of kubernetes/community
// contributors/devel/sig-architecture/api-conventions.md ("Typical status
// properties") and of kstatus. Built-in kinds are not linted: their users
// cannot change them.
func Lint(o *object.Object) []LintFinding {
	if o.MetadataOnly || o.Tree == nil || builtinGroup(o.Group) {
		return nil
	}
	var l linter
	status, _ := o.Tree["status"].(map[string]any)
	for _, f := range o.Flaws {
		l.add("Malformed", f.Path, "%s %s", f.Path, f.Problem)
	}
	if len(o.Conditions) == 0 && object.Empty(o.Tree["status"]) {
		if r := registry.For(o.Group, o.Kind); r == nil || !r.Data {
			l.add("NoStatus", "status", "nothing is reported: kstatus takes the object for current at once")
		}
		return l.findings
	}
	l.generation(o)
	l.summary(o, status)
	l.conditions(o)
	l.polarity(o)
	return l.findings
}

type linter struct{ findings []LintFinding }

func (l *linter) add(code, path, format string, args ...any) {
	l.findings = append(l.findings, LintFinding{Code: code, Path: path, Message: fmt.Sprintf(format, args...)})
}

func (l *linter) generation(o *object.Object) {
	perCondition := slices.ContainsFunc(o.Conditions, func(c object.Condition) bool { return c.ObservedGeneration.Set })
	switch {
	case o.ObservedText.Set:
		l.add("ObservedGenerationNotInteger", "status.observedGeneration",
			"status.observedGeneration is text: kstatus reports an error for the object")
	case !o.Observed.Set && !perCondition:
		l.add("NoObservedGeneration", "status.observedGeneration",
			"no observedGeneration: nobody can tell whether the status is about the present spec")
	case o.Observed.Set && o.Generation.Set && o.Observed.V > o.Generation.V:
		l.add("ObservedGenerationAhead", "status.observedGeneration",
			"observedGeneration %d is greater than generation %d: kstatus waits for ever", o.Observed.V, o.Generation.V)
	}
}

// summary: a condition should summarise the object, and a phase should not.
func (l *linter) summary(o *object.Object, status map[string]any) {
	ready := o.Condition("Ready")
	if len(o.Conditions) == 0 {
		for _, field := range phaseFields {
			if word, ok := status[field].(string); ok && word != "" {
				l.add("PhaseWithoutConditions", "status."+field,
					"status.%s without conditions: phases are deprecated, and kstatus does not read them", field)
				break
			}
		}
	}
	if ready == nil && o.Condition("Succeeded") == nil {
		l.add("NoReady", "status.conditions",
			"neither Ready nor Succeeded: kstatus takes the object for current whatever else it says")
	}
	for _, typ := range [...]string{"Reconciling", "Stalled"} {
		if c := o.Condition(typ); ready != nil && isTrue(ready) && c != nil && isTrue(c) {
			l.add("ReadyContradicted", "status.conditions["+typ+"]", "Ready is True while %s is True", typ)
		}
	}
}

func (l *linter) conditions(o *object.Object) {
	seen := map[string]bool{}
	for i := range o.Conditions {
		c, p := &o.Conditions[i], conditionPath(i)
		switch {
		case c.Type == "":
			l.add("ConditionWithoutType", p+".type", "a condition has no type")
			continue
		case seen[c.Type]:
			l.add("ConditionTwice", p, "%s is there more than once: conditions are a map by type", c.Type)
		}
		seen[c.Type] = true
		if c.Status != "True" && c.Status != "False" && c.Status != "Unknown" {
			l.add("ConditionStatus", p+".status",
				"%s has the status %q, which is none of True, False and Unknown", c.Type, c.Status)
		}
		if c.Reason == "" {
			l.add("ConditionWithoutReason", p+".reason", "%s has no reason", c.Type)
		} else if !camelCase.MatchString(c.Reason) {
			l.add("ReasonNotCamelCase", p+".reason",
				"%s has the reason %q, which is not one UpperCamelCase word", c.Type, c.Reason)
		}
		if c.LastTransitionTime.IsZero() {
			l.add("ConditionWithoutTime", p+".lastTransitionTime",
				"%s has no lastTransitionTime: nobody can tell since when", c.Type)
		}
		if c.ObservedGeneration.Set && o.Generation.Set && c.ObservedGeneration.V > o.Generation.V {
			l.add("ObservedGenerationAhead", p+".observedGeneration",
				"%s is about generation %d, the object has %d", c.Type, c.ObservedGeneration.V, o.Generation.V)
		}
	}
}

// camelCase is the pattern of metav1.Condition.Reason.
var camelCase = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)

// polarity: the conditions of a kind should have the same polarity, which their
// names show; kstatus's own two are exempt.
func (l *linter) polarity(o *object.Object) {
	types := map[Polarity][]string{}
	for i := range o.Conditions {
		if typ := o.Conditions[i].Type; typ != "" && typ != Reconciling &&
			typ != Stalled && !slices.Contains(types[PolarityByName(typ)], typ) {
			types[PolarityByName(typ)] = append(types[PolarityByName(typ)], typ)
		}
	}
	list := func(p Polarity) string { return strings.Join(types[p], ", ") }
	if len(types[NormalTrue]) > 0 && len(types[AbnormalTrue]) > 0 {
		l.add("PolarityMixed", "status.conditions",
			"good when True: %s; bad when True: %s; a reader cannot tell them apart",
			list(NormalTrue), list(AbnormalTrue))
	}
	if len(types[UnknownPolarity]) > 0 {
		l.add("PolarityUnclear", "status.conditions",
			"it cannot be told from the name whether it is good when True: %s", list(UnknownPolarity))
	}
}
