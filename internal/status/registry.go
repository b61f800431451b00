package status

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// registryText is the curated registry of custom kinds; its head explains how
// a row is written.
//
//go:embed registry.txt
var registryText string

// row is what the registry knows of one or several kinds of a group.
type row struct {
	group   string   // "*.crossplane.io" stands for crossplane.io and every group below
	kinds   []string // ["*"] for every kind
	source  string
	read    string                   // the upstream text that the row has been compared with
	root    string                   // the condition that must be there and sums the others up
	senses  map[string]conditionKind // what condition types mean
	ignored map[string]bool          // condition types that do not count
	data    bool                     // objects carry no status
	clauses []clause
	family  *row // the row of the kind's group, whose senses hold where it has none
}

// sense is what the row, or that of its group, says that a condition type means.
func (r *row) sense(typ string) (conditionKind, bool) {
	for ; r != nil; r = r.family {
		if k, ok := r.senses[typ]; ok {
			return k, true
		}
	}
	return kindOther, false
}

// clause gives an outcome where all its atoms hold.
type clause struct {
	outcome string
	atoms   []atom
	text    string
	rule    string
	paths   []string // what all the atoms read
}

var registry = sync.OnceValue(func() *rowIndex {
	rows, err := parseRegistry(registryText)
	if err != nil {
		panic("status: registry.txt: " + err.Error())
	}
	return indexRows(rows)
})

type rowIndex struct {
	rows   []*row
	kinds  map[[2]string]*row // group and kind
	groups map[string]*row
	suffix []*row
}

func indexRows(rows []*row) *rowIndex {
	x := &rowIndex{rows: rows, kinds: map[[2]string]*row{}, groups: map[string]*row{}}
	for _, r := range rows {
		switch {
		case strings.HasPrefix(r.group, "*"):
			x.suffix = append(x.suffix, r)
		case r.kinds[0] == "*":
			x.groups[r.group] = r
		default:
			for _, k := range r.kinds {
				x.kinds[[2]string{r.group, k}] = r
			}
		}
	}
	for gk, r := range x.kinds {
		r.family = x.family(gk[0], gk[1])
	}
	return x
}

// rowFor returns the row for a kind: its own before its group's before that
// of a family of groups. Nil when there is none.
func rowFor(group, kind string) *row {
	x := registry()
	if r := x.kinds[[2]string{group, kind}]; r != nil {
		return r
	}
	return x.family(group, kind)
}

// family returns the row for a group or a family of groups, or nil.
func (x *rowIndex) family(group, kind string) *row {
	if r := x.groups[group]; r != nil {
		return r
	}
	for _, r := range x.suffix {
		if (group == r.group[2:] || strings.HasSuffix(group, r.group[1:])) && (r.kinds[0] == "*" || slices.Contains(r.kinds, kind)) {
			return r
		}
	}
	return nil
}

// Familiar reports whether an API group is Kubernetes' own, or of a project of
// which the registry knows a kind: who sees its name has learned nothing about
// whose cluster it is in.
func Familiar(group string) bool {
	if !strings.Contains(group, ".") {
		return true // "", apps, batch
	}
	f := familiar()
	return f[group] || f[domainOf(group)]
}

// rented are domains in which anybody may have a group.
var rented = []string{"github.com", "github.io", "gitlab.io", "google.com", "azure.com"}

var familiar = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{"k8s.io": true, "kubernetes.io": true, "helm.sh": true}
	for _, r := range registry().rows {
		group := strings.TrimPrefix(r.group, "*.")
		out[group] = true
		if d := domainOf(group); !slices.Contains(rented, d) {
			out[d] = true
		}
	}
	return out
})

// domainOf is the last two labels of a group's name.
func domainOf(group string) string {
	if i := strings.LastIndexByte(group, '.'); i > 0 {
		return group[strings.LastIndexByte(group[:i], '.')+1:]
	}
	return group
}

func (r *row) id() string {
	return "registry:" + r.group + "/" + strings.Join(r.kinds, ",")
}

func (r *row) ignores(typ string) bool { return r != nil && r.ignored[typ] }

// names reports whether a clause of the row asks for a condition.
func (r *row) names(typ string) bool {
	return r != nil && slices.ContainsFunc(r.clauses, func(cl clause) bool {
		return slices.ContainsFunc(cl.atoms, func(a atom) bool { return a.cond == typ })
	})
}

// outcomes of clauses, and what the documentation says of them.
var outcomes = map[string]string{
	"failed":      "Failed, once it has lasted the grace",
	"terminal":    "Failed at once, and for good",
	"progress":    "InProgress",
	"paused":      "InProgress, paused",
	"idle":        "Current; suspended, with nothing left to do",
	"current":     "Current",
	"unknown":     "Unknown",
	"silent":      "no status yet: InProgress, after a while Unknown",
	"conventions": "left to the conventions",
}

// judge applies the clauses in order; false when none applies.
func (r *row) judge(c *custom) (signal, bool) {
	if r.data && len(c.o.Conditions) == 0 && object.Empty(c.o.Tree["status"]) {
		return signal{status: Current, rule: ruleID(c.o.Group, c.o.Kind, "data"), message: "Objects of this kind carry no status"}, true
	}
	for i := range r.clauses {
		cl := &r.clauses[i]
		sig := signal{}
		if !cl.holds(c, &sig) {
			if c.w.trace.on() {
				c.w.trace.not(c.o.GroupKind()+"."+cl.rule, cl.text)
			}
			continue
		}
		if c.w.trace.on() && cl.text != "" {
			c.w.trace.note(c.o.GroupKind()+"."+cl.rule, cl.text)
		}
		if cl.outcome == "current" && len(cl.atoms) == 0 && slices.Contains(r.kinds, "*") {
			// Of a whole group nobody knows every kind, nor those to come: what
			// speaks against it counts by the conventions.
			if s := c.conventions(); s.status != Current && (!s.silent || c.serves()) {
				return s, true
			}
		}
		sig.rule, sig.paths = ruleID(c.o.Group, c.o.Kind, cl.rule), slices.Clip(cl.paths)
		switch cl.outcome {
		case "failed":
			sig.status, sig.heals, sig.retrying = Failed, true, c.retrying()
		case "terminal":
			sig.status, sig.terminal = Failed, true
		case "progress":
			sig.status = InProgress
		case "paused":
			sig.status, sig.paused = InProgress, true
		case "idle":
			sig.status, sig.note = Current, "suspended; nothing is left to do"
		case "current":
			sig.status = Current
		case "unknown":
			sig.status = Unknown
		case "silent":
			sig.silent = true
		case "conventions":
			return signal{}, false
		}
		if sig.cond == 0 && sig.status != Current && !sig.silent && c.fieldMessage() == "" {
			c.explained(&sig)
		}
		if sig.message == "" && !sig.silent {
			sig.message = c.fieldMessage()
			switch {
			case sig.message != "":
			case len(cl.atoms) > 0:
				sig.message = strings.Join(cl.told(c.o.Tree), ", ")
			case sig.status == Current:
				sig.message = "Nothing speaks against it"
			default:
				sig.message = "Nothing shows that it is ready"
			}
		}
		return sig, true
	}
	return signal{}, false
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
		kind, _ := c.sense(cond.Type)
		if best < 0 && cond.Message != "" && !c.o.Stale(cond) && !c.row.ignores(cond.Type) &&
			(kind == kindState && isFalse(cond) || kind == kindFault && isTrue(cond)) {
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

// fieldMessage is what the controller says about the object as a whole.
func (c *custom) fieldMessage() string {
	status, _ := c.o.Tree["status"].(map[string]any)
	return phaseText(status, "")
}

// told is what the tests of a clause say of an object that they hold for.
func (cl *clause) told(tree map[string]any) []string {
	list := make([]string, len(cl.atoms))
	for i := range cl.atoms {
		list[i] = cl.atoms[i].told(tree)
	}
	return list
}

// holds reports whether every atom holds, and writes down what they say.
func (cl *clause) holds(c *custom, sig *signal) bool {
	for i := range cl.atoms {
		if !cl.atoms[i].holds(c, sig) {
			return false
		}
	}
	return true
}
