package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func obj(t *testing.T, body string) *object.Object {
	t.Helper()
	o, err := convert.JSON([]byte(body), convert.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

const widgets = `
healthCheckExprs:
- apiVersion: example.org/v1
  kind: Widget
  inProgress: status.phase == 'Building'
  failed: status.phase == 'Broken' || status.?errors.orValue(0) > 2
  current: status.phase == 'Done' && metadata.generation >= 1
- apiVersion: things.example.org/v1
  current: status.conditions.filter(c, c.type == 'Up').all(c, c.status == 'True')
`

func parse(t *testing.T, text string) *Set {
	t.Helper()
	s, err := Parse("health.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRulesAreTriedInTheOrderOfFlux(t *testing.T) {
	s := parse(t, widgets)
	for body, want := range map[string]status.Status{
		`"status":{"phase":"Building","errors":9}`: status.InProgress,
		`"status":{"phase":"Broken"}`:              status.Failed,
		`"status":{"phase":"Done","errors":3}`:     status.Failed,
		`"status":{"phase":"Done"}`:                status.Current,
		`"status":{"phase":"Else"}`:                status.InProgress, // none is true
		`"spec":{}`:                                status.InProgress, // no status yet
		`"status":{"other":1}`:                     status.Unknown,    // no such key
		`"status":{"phase":7}`:                     status.InProgress, // a number equals no text
	} {
		o := obj(t, `{"apiVersion":"example.org/v2","kind":"Widget","metadata":{"name":"w","generation":1},`+body+`}`)
		a, ok := s.Judge(o, time.Time{})
		if !ok || a.Status != want || a.Confidence != status.User {
			t.Errorf("%s: got %s (%s), want %s: %s", body, a.Status, a.Confidence, want, a.Message)
		}
		if a.Status == status.Unknown && (a.Reason != "HealthRuleFailed" ||
			!strings.Contains(a.Message, "no such key: phase")) {
			t.Errorf("%s: Unknown because %s: %s", body, a.Reason, a.Message)
		}
	}
	if _, ok := s.Judge(obj(t, `{"apiVersion":"example.org/v1","kind":"Gadget","metadata":{}}`), time.Time{}); ok {
		t.Error("a kind without a rule was judged")
	}
	group := obj(t, `{"apiVersion":"things.example.org/v1","kind":"Any","metadata":{},"status":{"conditions":[{"type":"Up","status":"False"}]}}`)
	if a, ok := s.Judge(group, time.Time{}); !ok || a.Status != status.InProgress {
		t.Errorf("the rule of the group gave %s, %v", a.Status, ok)
	}
}

func TestWantsNamesKindsAndGroups(t *testing.T) {
	s := parse(t, widgets)
	for gk, want := range map[string]bool{
		"example.org/Widget": true, "example.org/Gadget": false, "things.example.org/Any": true,
		"Widget": false, "apps/Deployment": false,
	} {
		if s.Wants(gk) != want {
			t.Errorf("Wants(%q) = %v", gk, !want)
		}
	}
	var none *Set
	if none.Wants("Pod") || !none.Empty() {
		t.Error("no set wants something")
	}
}

// The expressions of admission policies and CRDs have a name for the object.
func TestANameForTheObjectIsAnError(t *testing.T) {
	for name, expression := range map[string]string{"object": "object.status.x == 1", "self": "1 == self.status.x"} {
		file := "healthCheckExprs:\n- {apiVersion: a/v1, kind: K, current: \"" + expression + "\"}"
		_, err := Parse("health.yaml", []byte(file))
		want := `there is no "` + name + `"; a field stands by itself, as in status.phase`
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

func TestErrorsNameTheRuleTheExpressionAndTheColumn(t *testing.T) {
	for text, want := range map[string]string{
		"healthCheckExprs:\n- {apiVersion: a/v1, kind: K, current: \"status.x ==\"}":                                            "health.yaml: line 2, column 40: rule 1 (a/v1 K): current: line 1, column 12 of the expression: Syntax error: it ends too early",
		"healthCheckExprs:\n- {apiVersion: a/v1, kind: K, current: \"stauts.x == 1\"}":                                          "rule 1 (a/v1 K): current: line 1, column 1 of the expression: undeclared reference to 'stauts'",
		"healthCheckExprs:\n- {apiVersion: a/v1, kind: K, current: \"true\", failed: \"nope(status)\"}":                         "health.yaml: line 2, column 56: rule 1 (a/v1 K): failed: line 1, column 5 of the expression: undeclared reference to 'nope'",
		"healthCheckExprs:\n- {apiVersion: a/v1, kind: K, current: \"'yes'\"}":                                                  "current: line 1, column 1 of the expression: it gives string, not true or false",
		"healthCheckExprs:\n- {apiVersion: a/v1, kind: K}":                                                                      "rule 1 (a/v1 K): current is missing",
		"healthCheckExprs:\n- {kind: K, current: \"true\"}":                                                                     "rule 1 (K): apiVersion is missing",
		"healthCheckExprs:\n- {apiVersion: a/v1, kind: K, curent: \"true\"}":                                                    `health.yaml: line 2, column 31: rule 1 has no "curent"; it takes apiVersion, kind, current, inProgress, failed`,
		"healthCheckExprs:\n- {apiVersion: a/v1, kind: K, current: \"true\"}\n- {apiVersion: a/v2, kind: K, current: \"true\"}": "has a rule already",
		"conditions:\n- {polarity: {A: bad-true}}":                                                                              `polarity of A: "bad-true" is none of`,
		"healthCheckExprs:\n- {apiVersion: a/v1, kind: K, current: 3}":                                                          "health.yaml: line 2, column 40: rule 1: current is the number 3, not a text: put it in quotes",
		"healthCheckExprs:\n- {apiVersion: a/v1, kind: K, current: true}":                                                       "rule 1: current is true without quotes, not a text: put it in quotes",
		"healthCheckExprs:\n- apiVersion: [a]\n  current: 'true'":                                                               "health.yaml: line 2, column 15: rule 1: apiVersion is a list, not a text",
		"healthCheckExprs:\n  a: b":                                                                                             "health.yaml: line 2, column 3: healthCheckExprs is a map, not a list",
		"healthCheckExprs:\n- x":                                                                                                `health.yaml: line 2, column 3: rule 1 is the text "x", not a map with apiVersion, kind, current, inProgress, failed`,
		"healthCheckExprs:\n- {apiVersion: a/v1, apiVersion: b/v1}":                                                             "rule 1 has apiVersion twice",
		"- a":                            "health.yaml: line 1, column 1: the file is a list, not a map with healthCheckExprs, conditions",
		"rules: []":                      `the file has no "rules"; it takes healthCheckExprs, conditions`,
		"healthCheckExprs: [":            "health.yaml: line 1: did not find expected node content",
		"conditions:\n- {polarity: [A]}": "health.yaml: line 2, column 14: conditions 1: polarity is a list, not a map from condition types",
		"conditions:\n- {apiVersion: a/v1, polarity: {A: 3}, ready: Ready}": `conditions 1: ready is the text "Ready", not a list`,
		"conditions:\n- {ready: [A]}":                                       "ready needs an apiVersion",
	} {
		_, err := Parse("health.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "json") || strings.Contains(err.Error(), "struct")) {
			t.Errorf("%s\nspeaks of the program's insides: %v", text, err)
		}
	}
}

func TestOtherTopLevelFieldsAreVariablesToo(t *testing.T) {
	s := parse(t, "healthCheckExprs:\n- {apiVersion: a/v1, kind: Report, current: size(results) == 0}")
	a, _ := s.Judge(obj(t, `{"apiVersion":"a/v1","kind":"Report","metadata":{},"results":[]}`), time.Time{})
	if a.Status != status.Current {
		t.Errorf("got %s: %s", a.Status, a.Message)
	}
}

func TestAnExpressionThatCostsTooMuchMakesItsObjectUnknown(t *testing.T) {
	s := parse(t, "healthCheckExprs:\n- {apiVersion: a/v1, kind: K, current: \"spec.l.all(a, spec.l.all(b, spec.l.all(c, a + b + c >= 0)))\"}")
	list := strings.TrimSuffix(strings.Repeat("1,", 400), ",")
	a, _ := s.Judge(obj(t, fmt.Sprintf(`{"apiVersion":"a/v1","kind":"K","metadata":{},"spec":{"l":[%s]},"status":{"x":1}}`, list)), time.Time{})
	if a.Status != status.Unknown || !strings.Contains(a.Message, "cost") {
		t.Errorf("got %s: %s", a.Status, a.Message)
	}
}

func TestDeclaredConditionsDecide(t *testing.T) {
	s := parse(t, `
conditions:
- polarity: {Leaking: abnormal-true}
- apiVersion: example.org/v1
  kind: Tank
  polarity: {Level: normal-true}
  ready: [Sealed, Level]
`)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for body, want := range map[string]status.Status{
		`"Tank","status":{"conditions":[{"type":"Ready","status":"False","reason":"Whatever"},{"type":"Sealed","status":"True"},{"type":"Level","status":"True"}]}`: status.Current,
		`"Tank","status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Sealed","status":"True"}]}`:                                                       status.InProgress,
		`"Tank","status":{"conditions":[{"type":"Sealed","status":"True"},{"type":"Level","status":"False","reason":"TooLow"}]}`:                                    status.Failed,
		`"Pipe","status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Leaking","status":"True"}]}`:                                                      status.Failed,
		`"Pipe","status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Leaking","status":"False"}]}`:                                                     status.Current,
	} {
		o := obj(t, `{"apiVersion":"example.org/v1","metadata":{"name":"x"},"kind":`+body+`}`)
		if a := status.Assess(o, status.World{Offline: true, User: s}, now); a.Status != want {
			t.Errorf("%s: got %s by %s, want %s: %s", body, a.Status, a.Rule, want, a.Message)
		}
	}
}

// Checking an expression made an environment for each name that it reads.
func TestAnExpressionOfManyNamesIsRefusedAtOnce(t *testing.T) {
	var names []string
	for i := range 3000 {
		names = append(names, fmt.Sprintf("field%d == 1", i))
	}
	text := "healthCheckExprs:\n- apiVersion: example.org/v1\n  kind: Widget\n  current: " +
		strings.Join(names, " || ") + "\n"
	allocs := testing.AllocsPerRun(1, func() {
		if _, err := Parse("rules.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "more than 32 fields") {
			t.Errorf("%.200v", err)
		}
	})
	if allocs > 5_000_000 {
		t.Errorf("%.0f allocations", allocs)
	}
	few := "healthCheckExprs:\n- apiVersion: example.org/v1\n  kind: Widget\n  current: has(payload.a) && binaryData.b == 'x' || immutable\n"
	if _, err := Parse("rules.yaml", []byte(few)); err != nil {
		t.Error(err)
	}
}
