package registry

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

//go:embed groups/*.txt
var groups embed.FS

// Row is what the registry knows of one kind, or several of a group. A nil Row
// knows nothing.
type Row struct {
	Group   string           // "*.crossplane.io" is crossplane.io and every group below
	Kinds   []string         // ["*"] is every kind of the group
	Source  string           // the source of its facts
	Read    string           // the upstream text that the row was compared with
	Root    string           // the required condition that summarises the object
	Data    bool             // objects have no status
	Lags    bool             // status.observedGeneration moves with success alone
	Foreign bool             // status.observedGeneration is another object's generation
	Senses  map[string]Sense // meanings of condition types
	Ignored map[string]bool  // condition types that do not count
	Clauses []Clause         // the first that holds decides

	family *Row // the row of the kind's group, whose senses are inherited
}

// Sense is the meaning of a condition type.
type Sense uint8

// The senses, and their names in a row.
const (
	Other    Sense = iota // unknown, or not judged: "other"
	State                 // normal-true: "state"
	Info                  // normal-true, but False is no fault: "info"
	Fault                 // abnormal-true, a fault: "fault"
	Soft                  // abnormal-true, only a remark: "soft"
	Activity              // abnormal-true, work in progress: "activity"
	Pause                 // abnormal-true, paused by a user: "pause"
)

var senseNames = [...]string{
	Other: "other", State: "state", Info: "info", Fault: "fault", Soft: "soft",
	Activity: "activity", Pause: "pause",
}

func (s Sense) String() string { return senseNames[s] }

// Outcome is the first word of a clause: the result if its tests hold.
type Outcome string

// The outcomes.
const (
	OutcomeFailed      Outcome = "failed"      // a fault that may heal
	OutcomeTerminal    Outcome = "terminal"    // failed for good
	OutcomeProgress    Outcome = "progress"    // in progress
	OutcomePaused      Outcome = "paused"      // suspended with work left
	OutcomeIdle        Outcome = "idle"        // suspended without work left
	OutcomeCurrent     Outcome = "current"     // as specified
	OutcomeUnknown     Outcome = "unknown"     // the controller cannot tell
	OutcomeSilent      Outcome = "silent"      // no status has been reported yet
	OutcomeConventions Outcome = "conventions" // leave it to the conventions
	OutcomeNote        Outcome = "note"        // only a note, if a later clause makes it current
)

var outcomes = [...]Outcome{
	OutcomeFailed, OutcomeTerminal, OutcomeProgress, OutcomePaused, OutcomeIdle,
	OutcomeCurrent, OutcomeUnknown, OutcomeSilent, OutcomeConventions, OutcomeNote,
}

// Clause gives an outcome if all its tests hold.
type Clause struct {
	Outcome Outcome
	Text    string   // the tests, as written; empty if it always holds
	Says    string   // the message of an object that has none itself, or the note
	Paths   []string // the fields that the tests read; must not be modified

	tests []test
}

// Match is what made a clause hold.
type Match struct {
	// Condition is the first condition that the tests found, or zero. Index is
	// its index in status.conditions; -1 for one below another field, and for
	// none.
	Condition object.Condition
	Index     int
	// If no test is about a condition: Field is the first field tested for its
	// value, and Value its text. Word is the first such value that is a string.
	Field, Value, Word string
}

// For returns the row for a kind: its own, its group's, or that of its family
// of groups. Nil if there is none.
func For(group, kind string) *Row {
	x := registry()
	if r := x.kinds[[2]string{group, kind}]; r != nil {
		return r
	}
	return x.family(group, kind)
}

// Rows returns all rows: the files by name, the rows of each in their order.
func Rows() []*Row { return registry().rows }

// ID names the row: "registry:GROUP/KIND,KIND".
func (r *Row) ID() string { return "registry:" + r.Group + "/" + strings.Join(r.Kinds, ",") }

// Whole reports whether the row is for every kind of its group.
func (r *Row) Whole() bool { return slices.Contains(r.Kinds, "*") }

// Sense is the meaning of a condition type according to the row or its group's.
func (r *Row) Sense(typ string) (Sense, bool) {
	for ; r != nil; r = r.family {
		if s, ok := r.Senses[typ]; ok {
			return s, true
		}
	}
	return Other, false
}

// Ignores reports whether a condition type does not count.
func (r *Row) Ignores(typ string) bool { return r != nil && r.Ignored[typ] }

// PausedByMetadata returns the label or annotation of an object by which a clause of
// the row calls it paused, or "".
func (r *Row) PausedByMetadata(o *object.Object) string {
	if r == nil {
		return ""
	}
	for i := range r.Clauses {
		if r.Clauses[i].Outcome != OutcomePaused {
			continue
		}
		for j := range r.Clauses[i].tests {
			t := &r.Clauses[i].tests[j]
			if _, ok := t.form.(*labelTest); ok && t.holds(o, nil) {
				return t.paths[0]
			}
		}
	}
	return ""
}

// Names reports whether a clause of the row tests a condition type.
func (r *Row) Names(typ string) bool {
	if r == nil {
		return false
	}
	for i := range r.Clauses {
		for k := range r.Clauses[i].tests {
			if c, ok := r.Clauses[i].tests[k].form.(*conditionTest); ok && c.typ.text == typ {
				return true
			}
		}
	}
	return false
}

// Holds reports whether every test of the clause holds for an object, and sets the
// match to what made it.
func (cl *Clause) Holds(o *object.Object, m *Match) bool {
	*m = Match{Index: -1}
	for i := range cl.tests {
		if !cl.tests[i].holds(o, m) {
			return false
		}
	}
	return true
}

// Described is the tests for an object that they hold for: as written, comparisons
// with the numbers found.
func (cl *Clause) Described(o *object.Object) string {
	list := make([]string, len(cl.tests))
	for i := range cl.tests {
		list[i] = cl.tests[i].described(o)
	}
	return strings.Join(list, ", ")
}

var registry = sync.OnceValue(func() *index {
	rows, err := readFiles(groups)
	if err != nil {
		panic("registry: " + err.Error())
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
		if (group == r.Group[2:] || strings.HasSuffix(group, r.Group[1:])) &&
			(r.Kinds[0] == "*" || slices.Contains(r.Kinds, kind)) {
			return r
		}
	}
	return nil
}
