// Package rules holds the user's own rules for the health of objects: CEL
// expressions in the shape of Flux's healthCheckExprs, and declarations about
// condition types. A [Set] is read and checked at start, and then judges
// objects; it never changes and may be used from several goroutines.
//
// A file looks like this:
//
//	healthCheckExprs:
//	- apiVersion: example.org/v1
//	  kind: Widget                # left out: every kind of the group
//	  inProgress: status.phase == 'Building'
//	  failed: status.phase == 'Broken'
//	  current: status.phase == 'Ready'
//	conditions:
//	- apiVersion: example.org/v1  # both left out: every object
//	  kind: Gadget
//	  polarity: {Leaking: abnormal-true}
//	  ready: [Sealed, Filled]     # these count for readiness, no others
//
// The expressions are tried in the order inProgress, failed, current; when none
// is true the object is InProgress (Flux RFC-0009). The object's top-level
// fields are variables. The version in apiVersion does not matter.
package rules

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// costLimit bounds the evaluation of one expression for one object, in CEL's
// units of cost; Kubernetes allows validation rules ten times as much.
const costLimit = 1_000_000

// Set is a checked set of the user's rules. The zero value is empty. It
// implements status.UserRules and status.UserConditions.
type Set struct {
	rules map[string]*rule // by GroupKind, or "GROUP/*"
	conds map[string]*declaration
}

// rule is one entry of healthCheckExprs.
type rule struct {
	name                        string // "health.yaml: rule 2 (example.org/v1 Widget)"
	inProgress, failed, current *expression
}

type expression struct {
	field, text string
	program     cel.Program
}

// declaration is one entry of conditions.
type declaration struct {
	polarity map[string]status.Polarity
	ready    []string
}

// Load reads and checks a file of rules.
func Load(path string) (*Set, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the health rules: %w", err)
	}
	return Parse(path, data)
}

// Parse checks rules; name is the source in error messages. It reports every
// error, each with the rule, the expression and the column.
func Parse(name string, data []byte) (*Set, error) {
	f, err := readFile(name, data)
	if err != nil {
		return nil, err
	}
	s := &Set{rules: map[string]*rule{}, conds: map[string]*declaration{}}
	var errs []error
	for i, e := range f.exprs {
		r := &rule{name: fmt.Sprintf("%s: rule %d (%s)", name, i+1, strings.TrimSpace(e.apiVersion+" "+e.kind))}
		title := fmt.Sprintf("rule %d (%s)", i+1, strings.TrimSpace(e.apiVersion+" "+e.kind))
		fail := func(where string, err error) { errs = append(errs, fmt.Errorf("%s: %s: %w", where, title, err)) }
		if e.apiVersion == "" {
			fail(e.where, errors.New("apiVersion is missing"))
		}
		if e.exprs[len(exprFields)-1].text == "" {
			fail(e.where, errors.New("current is missing"))
		}
		for k, into := range [...]**expression{&r.inProgress, &r.failed, &r.current} {
			x := e.exprs[k]
			if x.text == "" {
				continue
			}
			compiled, err := compile(exprFields[k], x.text)
			if err != nil {
				fail(x.where, err)
				continue
			}
			*into = compiled
		}
		key := key(e.apiVersion, e.kind)
		if other := s.rules[key]; other != nil {
			fail(e.where, fmt.Errorf("the same kind has a rule already: %s", other.name))
		}
		s.rules[key] = r
	}
	for i, c := range f.conds {
		title := fmt.Sprintf("conditions %d (%s)", i+1,
			cmp.Or(strings.TrimSpace(c.apiVersion+" "+c.kind), "every kind"))
		polarity := map[string]status.Polarity{}
		for _, entry := range c.polarity {
			p := status.Polarity(entry.value)
			if p != status.NormalTrue && p != status.AbnormalTrue && p != status.UnknownPolarity {
				errs = append(errs, fmt.Errorf("%s: %s: polarity of %s: %q is none of %s, %s and %s", entry.where,
					title, entry.key, entry.value, status.NormalTrue, status.AbnormalTrue, status.UnknownPolarity))
			}
			polarity[entry.key] = p
		}
		if c.apiVersion == "" && len(c.ready) > 0 {
			errs = append(errs, fmt.Errorf("%s: %s: ready needs an apiVersion", c.where, title))
		}
		s.conds[key(c.apiVersion, c.kind)] = &declaration{polarity: polarity, ready: c.ready}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return s, nil
}

// Empty reports whether there are no rules.
func (s *Set) Empty() bool { return s == nil || len(s.rules) == 0 && len(s.conds) == 0 }

// key is the GroupKind of an apiVersion and a kind; "GROUP/*" without a kind,
// "*" without both.
func key(apiVersion, kind string) string {
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		group = ""
	}
	switch {
	case kind != "":
		return object.ID{Group: group, Kind: kind}.GroupKind()
	case apiVersion == "":
		return "*"
	}
	return group + "/*"
}

// groupKey is the key of the rule for a GroupKind's whole group.
func groupKey(gk string) string {
	group := ""
	if i := strings.LastIndexByte(gk, '/'); i >= 0 {
		group = gk[:i]
	}
	return group + "/*"
}

// Wants reports whether a rule reads objects of a kind ("apps/Deployment", or
// the kind alone for the core group), so that they have to be kept whole.
func (s *Set) Wants(gk string) bool {
	if s == nil {
		return false
	}
	return s.rules[gk] != nil || s.rules[groupKey(gk)] != nil
}

// Judge applies the rule for the object's kind, or for its group. A rule that
// cannot be evaluated makes its object Unknown, with the reason.
func (s *Set) Judge(o *object.Object, now time.Time) (status.Assessment, bool) {
	if s == nil {
		return status.Assessment{}, false
	}
	gk := o.GroupKind()
	r := s.rules[gk]
	if r == nil {
		r = s.rules[groupKey(gk)]
	}
	if r == nil {
		return status.Assessment{}, false
	}
	a := status.Assessment{Confidence: status.User, Deciding: -1, Rule: r.name}
	vars := o.Tree
	if vars["metadata"] == nil {
		a.Status, a.Reason = status.Unknown, "HealthRuleFailed"
		a.Message = "The object was not kept whole, so that the rule cannot be applied"
		return a, true
	}
	reported := true
	if m, ok := vars["status"].(map[string]any); !ok || len(m) == 0 {
		reported = false
		vars = with(vars, "status", map[string]any{})
	}
	if vars["spec"] == nil {
		vars = with(vars, "spec", map[string]any{})
	}
	for _, x := range [...]struct {
		e      *expression
		status status.Status
	}{{r.inProgress, status.InProgress}, {r.failed, status.Failed}, {r.current, status.Current}} {
		if x.e == nil {
			continue
		}
		yes, err := x.e.holds(vars)
		switch {
		case err != nil && !reported:
			a.Status, a.Reason, a.Message = status.InProgress, "NoStatus", "No status has been reported yet"
			return a, true
		case err != nil:
			a.Status, a.Reason = status.Unknown, "HealthRuleFailed"
			a.Message = x.e.field + ": " + err.Error()
			return a, true
		case yes:
			a.Status = x.status
			a.Rule += ": " + x.e.field
			a.Message = x.e.field + " is true: " + oneLine(x.e.text)
			return a, true
		}
	}
	a.Status, a.Message = status.InProgress, "none of the rule's expressions is true"
	return a, true
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// with returns a copy of the map with one field replaced.
func with(m map[string]any, field string, v any) map[string]any {
	c := make(map[string]any, len(m)+1)
	maps.Copy(c, m)
	c[field] = v
	return c
}

// Polarity is the declared polarity of a condition type; ok is false if none is
// declared for the object's kind, its group or every kind.
func (s *Set) Polarity(o *object.Object, typ string) (p status.Polarity, ok bool) {
	for _, d := range s.declarations(o) {
		if p, ok = d.polarity[typ]; ok {
			return p, true
		}
	}
	return "", false
}

// Ready lists the condition types that count for the object's readiness; empty
// if not declared.
func (s *Set) Ready(o *object.Object) []string {
	for _, d := range s.declarations(o) {
		if len(d.ready) > 0 {
			return d.ready
		}
	}
	return nil
}

func (s *Set) declarations(o *object.Object) []*declaration {
	if s == nil || len(s.conds) == 0 {
		return nil
	}
	list := make([]*declaration, 0, 3)
	gk := o.GroupKind()
	for _, k := range [...]string{gk, groupKey(gk), "*"} {
		if d := s.conds[k]; d != nil {
			list = append(list, d)
		}
	}
	return list
}

// usual are the common top-level fields. A name that resembles one of them is
// reported as a typing error; any other name is a field of the kind.
var usual = []string{"apiVersion", "kind", "metadata", "spec", "status"}

func baseOptions() []cel.EnvOption {
	opts := []cel.EnvOption{
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		ext.Strings(),
		ext.Sets(),
		ext.Encoders(),
	}
	for _, name := range usual {
		opts = append(opts, cel.Variable(name, cel.DynType))
	}
	return opts
}

// compile checks an expression as Flux does, and its types as well. The
// libraries are those of fluxcd/pkg v1.33 runtime/cel.
//
// Names that are not declared become variables, all that one check reports in
// one go: a new environment for each made a file of 34 KB take minutes.
func compile(field, text string) (*expression, error) {
	opts := baseOptions()
	seen := map[string]bool{}
	for {
		env, err := cel.NewEnv(opts...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field, err)
		}
		ast, issues := env.Compile(text)
		if wrong := issues.Errors(); len(wrong) > 0 { // issues.Err quotes the whole expression for each
			declared := maps.Clone(seen) // what is declared and still reported cannot be mended by declaring it
			for _, found := range wrong {
				name, undeclared := undeclaredName(found.Message)
				if undeclared && slices.Contains(wholeObject, name) {
					return nil, fmt.Errorf(
						"%s: line %d, column %d of the expression: there is no %q; a field stands by itself, as in status.phase",
						field, found.Location.Line(), found.Location.Column()+1, name)
				}
				if !undeclared || declared[name] || slip(name) {
					return nil, fmt.Errorf("%s: line %d, column %d of the expression: %s", field,
						found.Location.Line(), found.Location.Column()+1, celMessage(found.Message))
				}
				if !seen[name] {
					seen[name] = true
					opts = append(opts, cel.Variable(name, cel.DynType))
				}
				if len(seen) > mostNames {
					return nil, fmt.Errorf("%s: it reads more than %d fields of the object", field, mostNames)
				}
			}
			continue
		}
		if t := ast.OutputType(); !t.IsExactType(cel.BoolType) && !t.IsExactType(cel.DynType) {
			return nil, fmt.Errorf("%s: line 1, column 1 of the expression: it gives %s, not true or false", field, t)
		}
		program, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(costLimit))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field, err)
		}
		return &expression{field: field, text: text, program: program}, nil
	}
}

// mostNames bounds the top-level fields that an expression may read beside the
// usual ones. Kubernetes' objects have three at most.
const mostNames = 32

// celMessage is cel-go's message without its list of expected tokens.
func celMessage(message string) string {
	message = oneLine(message)
	message, _, _ = strings.Cut(message, " expecting ")
	return strings.ReplaceAll(message, "mismatched input '<EOF>'", "it ends too early")
}

// undeclaredName extracts the name from cel-go's message.
func undeclaredName(message string) (string, bool) {
	rest, found := strings.CutPrefix(message, "undeclared reference to '")
	if !found {
		return "", false
	}
	name, _, ok := strings.Cut(rest, "'")
	return name, ok
}

// wholeObject are the names that the expressions of Kubernetes (admission policies, the validations
// of a CRD) and of Argo CD have for the object.
var wholeObject = []string{"object", "oldObject", "self", "obj"}

func slip(name string) bool { return problem.Distance(name, nearest(name)) <= 2 }

func nearest(name string) string {
	return slices.MinFunc(usual, func(a, b string) int {
		return cmp.Compare(problem.Distance(name, a), problem.Distance(name, b))
	})
}

func (e *expression) holds(vars map[string]any) (bool, error) {
	out, _, err := e.program.Eval(vars)
	if err != nil {
		return false, errors.New(oneLine(err.Error()))
	}
	yes, ok := out.(types.Bool)
	if !ok {
		return false, fmt.Errorf("the expression gives %s, not true or false", out.Type().TypeName())
	}
	return bool(yes), nil
}
