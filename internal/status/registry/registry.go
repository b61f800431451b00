package registry

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

//go:embed registry.txt
var text string

// Row is what the registry knows of one kind, or of several of a group. The
// methods of a nil Row, which is that of a kind without one, know nothing.
type Row struct {
	Group   string           // "*.crossplane.io" is crossplane.io and every group below
	Kinds   []string         // ["*"] is every kind of the group
	Source  string           // where its facts are from
	Read    string           // the upstream text that the row has been compared with
	Root    string           // the condition that must be there and sums the others up
	Data    bool             // objects carry no status
	Senses  map[string]Sense // what condition types mean
	Ignored map[string]bool  // condition types that do not count
	Clauses []Clause         // the first that holds decides

	family *Row // the row of the kind's group, whose senses hold where this one has none
}

// Sense is what a condition type means.
type Sense uint8

// The senses, and their names in registry.txt.
const (
	Other    Sense = iota // not known, or not to be judged: "other"
	State                 // normal-true: "state"
	Info                  // normal-true, but False is a fact and no fault: "info"
	Fault                 // abnormal-true, something is wrong: "fault"
	Soft                  // abnormal-true, worth a look while the object works: "soft"
	Activity              // abnormal-true, something is under way: "activity"
	Pause                 // abnormal-true, somebody stopped it: "pause"
)

var senseNames = [...]string{Other: "other", State: "state", Info: "info", Fault: "fault", Soft: "soft", Activity: "activity", Pause: "pause"}

func (s Sense) String() string { return senseNames[s] }

// Outcome is what a clause makes of an object that it holds for: its first word.
type Outcome string

// The outcomes.
const (
	OutcomeFailed      Outcome = "failed"      // a fault that may heal
	OutcomeTerminal    Outcome = "terminal"    // failed for good
	OutcomeProgress    Outcome = "progress"    // under way
	OutcomePaused      Outcome = "paused"      // suspended with something left to do
	OutcomeIdle        Outcome = "idle"        // suspended with nothing left to do
	OutcomeCurrent     Outcome = "current"     // it is as was asked for
	OutcomeUnknown     Outcome = "unknown"     // its controller cannot tell
	OutcomeSilent      Outcome = "silent"      // no status has been reported yet
	OutcomeConventions Outcome = "conventions" // no clause decides; the conventions do
)

var outcomes = [...]Outcome{
	OutcomeFailed, OutcomeTerminal, OutcomeProgress, OutcomePaused, OutcomeIdle, OutcomeCurrent, OutcomeUnknown, OutcomeSilent, OutcomeConventions,
}

// Clause gives an outcome where all its tests hold.
type Clause struct {
	Outcome Outcome
	Text    string   // the tests, as written; empty where it always holds
	Paths   []string // the fields that the tests read; not to be changed

	tests []test
}

// Match says what made a clause hold.
type Match struct {
	// Condition is the first condition that the tests ask for, or a zero one.
	// Index is its place in status.conditions; -1 for one that stands below
	// another field, and for none.
	Condition object.Condition
	Index     int
	// Where no test asks for a condition: Field is the first field that was asked
	// for its value, and Value its text. Word is the first such value that is a
	// string.
	Field, Value, Word string
}

// For returns the row for a kind: its own before its group's before that of a
// family of groups. Nil where there is none.
func For(group, kind string) *Row {
	x := registry()
	if r := x.kinds[[2]string{group, kind}]; r != nil {
		return r
	}
	return x.family(group, kind)
}

// Rows returns all rows, in their order in registry.txt.
func Rows() []*Row { return registry().rows }

// ID names the row: "registry:GROUP/KIND,KIND".
func (r *Row) ID() string { return "registry:" + r.Group + "/" + strings.Join(r.Kinds, ",") }

// Whole reports whether the row is for every kind of its group.
func (r *Row) Whole() bool { return slices.Contains(r.Kinds, "*") }

// Sense is what the row, or that of its group, says that a condition type means.
func (r *Row) Sense(typ string) (Sense, bool) {
	for ; r != nil; r = r.family {
		if s, ok := r.Senses[typ]; ok {
			return s, true
		}
	}
	return Other, false
}

// Ignores reports whether conditions of a type do not count.
func (r *Row) Ignores(typ string) bool { return r != nil && r.Ignored[typ] }

// Names reports whether a clause of the row asks for conditions of a type.
func (r *Row) Names(typ string) bool {
	return r != nil && slices.ContainsFunc(r.Clauses, func(cl Clause) bool {
		return slices.ContainsFunc(cl.tests, func(t test) bool {
			c, ok := t.form.(*conditionTest)
			return ok && c.typ == typ
		})
	})
}

// Holds reports whether every test of the clause holds for an object, and by what.
func (cl *Clause) Holds(o *object.Object) (Match, bool) {
	m := Match{Index: -1}
	for i := range cl.tests {
		if !cl.tests[i].holds(o, &m) {
			return Match{}, false
		}
	}
	return m, true
}

// Told is what the tests say of an object that they hold for: as written, but
// comparisons with the numbers that were found.
func (cl *Clause) Told(o *object.Object) string {
	list := make([]string, len(cl.tests))
	for i := range cl.tests {
		list[i] = cl.tests[i].told(o)
	}
	return strings.Join(list, ", ")
}

var registry = sync.OnceValue(func() *index {
	rows, err := parse(text)
	if err != nil {
		panic("registry.txt: " + err.Error())
	}
	return newIndex(rows)
})

type index struct {
	rows   []*Row
	kinds  map[[2]string]*Row // group and kind
	groups map[string]*Row
	suffix []*Row
}

func newIndex(rows []*Row) *index {
	x := &index{rows: rows, kinds: map[[2]string]*Row{}, groups: map[string]*Row{}}
	for _, r := range rows {
		switch {
		case strings.HasPrefix(r.Group, "*"):
			x.suffix = append(x.suffix, r)
		case r.Kinds[0] == "*":
			x.groups[r.Group] = r
		default:
			for _, k := range r.Kinds {
				x.kinds[[2]string{r.Group, k}] = r
			}
		}
	}
	for gk, r := range x.kinds {
		r.family = x.family(gk[0], gk[1])
	}
	return x
}

// family returns the row for a group or a family of groups, or nil.
func (x *index) family(group, kind string) *Row {
	if r := x.groups[group]; r != nil {
		return r
	}
	for _, r := range x.suffix {
		if (group == r.Group[2:] || strings.HasSuffix(group, r.Group[1:])) && (r.Kinds[0] == "*" || slices.Contains(r.Kinds, kind)) {
			return r
		}
	}
	return nil
}
