package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The values of --for. CONDITION=… has the same meaning as in kubectl wait.
const (
	forCurrent   = "current"
	forDeleted   = "deleted"
	forExists    = "exists"
	forKnown     = "known"
	forCondition = "condition"
	forJSONPath  = "jsonpath"
)

// aim is one value of --for.
type aim struct {
	what, text string // one of the constants above; the value as typed
	met        func(r known.Resource) bool
	// reached is printed when the goal is reached, tally follows a number of
	// objects; if reached is "", both are text.
	reached, tally string
}

// statusAims are the goals that take no argument.
var statusAims = map[string]aim{
	forCurrent: {reached: "everything that must be is Current", met: func(r known.Resource) bool { return r.Assessment.Status == status.Current }},
	forDeleted: {reached: "everything is deleted", tally: "gone", met: func(r known.Resource) bool { return r.Object == nil && r.Assessment.Status == status.NotFound }},
	forExists:  {reached: "everything exists", tally: "there", met: func(r known.Resource) bool { return r.Object != nil }},
	forKnown: {reached: "everything is known", tally: "known", met: func(r known.Resource) bool {
		return r.Assessment.Status != status.Unknown && r.Assessment.Status != ""
	}},
}

// ofObject reports whether the goal is about a condition or a field.
func (a aim) ofObject() bool { return a.what == forCondition || a.what == forJSONPath }

// parseAims reads all values of --for.
func parseAims(texts []string) ([]aim, error) {
	var aims []aim
	for _, text := range texts {
		a, err := parseAim(text)
		if err != nil {
			what, _, _ := strings.Cut(text, "=")
			near := didYouMean(what, "", []string{forCurrent, forDeleted, forExists, forKnown, forCondition, forJSONPath})
			if strings.EqualFold(what, "ready") || strings.EqualFold(what, "available") || strings.EqualFold(what, "complete") {
				near = "did you mean condition=" + strings.ToUpper(what[:1]) + strings.ToLower(what[1:]) + "? "
			}
			return nil, problem.New(near+"it takes current, deleted, exists, known, condition=Ready[=VALUE] and jsonpath='{.status.phase}'[=VALUE]", "--for %s: %w", text, err)
		}
		aims = append(aims, a)
	}
	if len(aims) > 1 && slices.ContainsFunc(aims, func(a aim) bool { return a.what == forDeleted }) {
		return nil, problem.New("wait for it alone", "--for deleted and another goal exclude each other")
	}
	return aims, nil
}

func parseAim(text string) (a aim, err error) {
	what, rest, _ := strings.Cut(text, "=")
	switch what = strings.ToLower(what); what {
	case "delete":
		what = forDeleted
	case "create":
		what = forExists
	}
	switch simple, ok := statusAims[what]; {
	case ok && rest == "":
		a = simple
	case what == forCondition:
		name, value, given := strings.Cut(rest, "=")
		if !given {
			value = "True"
		}
		if name == "" {
			return a, errors.New("it names no condition")
		}
		a.met = func(r known.Resource) bool { return r.Object != nil && hasCondition(r.Object, name, value) }
	case what == forJSONPath:
		a.met, err = pathHolds(rest)
	default:
		return a, errNoChoice
	}
	a.what, a.text = what, text
	return a, err
}

// hasCondition follows kubectl wait: a condition of an older generation does
// not count.
func hasCondition(o *object.Object, name, value string) bool {
	i := slices.IndexFunc(o.Conditions, func(c object.Condition) bool { return strings.EqualFold(c.Type, name) })
	if i < 0 {
		return false
	}
	observed := cmp.Or(o.Conditions[i].ObservedGeneration, o.Observed)
	if observed.Set && o.Generation.Set && observed.V < o.Generation.V {
		return false
	}
	return strings.EqualFold(o.Conditions[i].Status, value)
}

// pathHolds reads PATH, which is met by any value, or PATH=VALUE.
func pathHolds(text string) (func(known.Resource) bool, error) {
	text, value, given := strings.Cut(text, "}=")
	if given {
		text += "}"
	} else if !strings.HasPrefix(text, "{") {
		text, value, given = strings.Cut(text, "=")
	}
	if value = strings.Trim(value, `'"`); given && (value == "" || value[0] == '=') {
		return nil, errors.New("one equals sign and a value follow the path")
	}
	path, err := parsePath(text)
	if err != nil {
		return nil, err
	}
	return func(r known.Resource) bool {
		if r.Object == nil {
			return false
		}
		found, err := path.FindResults(r.Object.Tree)
		if err != nil || len(found) != 1 || len(found[0]) != 1 {
			return false
		}
		return !given || strings.TrimSpace(fmt.Sprint(found[0][0].Interface())) == value
	}, nil
}

// is reports whether one of the values of --for is what.
func (g *goal) is(what string) bool {
	return slices.ContainsFunc(g.aims, func(a aim) bool { return a.what == what })
}

// fulfils reports whether a resource meets all values of --for. Conditions and
// fields are only required of the resources that were named, not of the members
// of an inventory.
func (g *goal) fulfils(r known.Resource) bool {
	if o := r.Object; o != nil && o.Generation.Set && o.Generation.V < r.Root.Generation {
		return false // as it was before the apply
	}
	for _, a := range g.aims {
		if a.ofObject() && !r.Root.Asked() {
			continue
		}
		if !a.met(r) {
			return false
		}
	}
	return !g.strict || !g.is(forCurrent) || r.Assessment.Confidence != status.Assumed
}

// words returns the words of a single --for, or else the values as typed.
func (g *goal) words() (reached, tally string) {
	if len(g.aims) == 1 && g.aims[0].reached != "" {
		return g.aims[0].reached, g.aims[0].tally
	}
	var texts []string
	for _, a := range g.aims {
		texts = append(texts, a.text)
	}
	typed := strings.Join(texts, " and ")
	return "everything that was asked for is " + typed, typed
}
