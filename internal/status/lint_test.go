package status

import (
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
)

func TestLintNamesTheBrokenConventions(t *testing.T) {
	const when = `"lastTransitionTime":"2026-03-01T11:00:00Z"`
	for _, c := range []struct{ object, want string }{
		{`"metadata":{"generation":2},"status":{"observedGeneration":2,"conditions":[{"type":"Ready","status":"True","reason":"Fine",` + when + `}]}`, ""},
		{`"metadata":{"generation":2},"status":{"conditions":[{"type":"Ready","status":"True","reason":"Fine","observedGeneration":2,` + when + `}]}`, ""},
		{`"metadata":{"generation":2},"status":{"conditions":[{"type":"Ready","status":"True","reason":"Fine",` + when + `}]}`, "NoObservedGeneration"},
		{`"metadata":{"generation":2},"status":{"observedGeneration":3,"conditions":[{"type":"Ready","status":"True","reason":"Fine",` + when + `}]}`, "ObservedGenerationAhead"},
		{`"metadata":{"generation":2},"status":{"observedGeneration":"2","conditions":[{"type":"Ready","status":"True","reason":"Fine",` + when + `}]}`, "Malformed ObservedGenerationNotInteger"},
		{`"status":{"observedGeneration":1,"conditions":[{"type":"Synced","status":"True","reason":"Fine",` + when + `}]}`, "NoReady"},
		{`"status":{"observedGeneration":1,"phase":"Running"}`, "PhaseWithoutConditions NoReady"},
		{`"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True"}]}`, "ConditionWithoutReason ConditionWithoutTime"},
		{`"metadata":{"generation":2},"status":{"observedGeneration":2,"conditions":[{"status":"True"},{"type":"Ready","status":"True","reason":"Fine","observedGeneration":3,` + when + `}]}`, "ConditionWithoutType ObservedGenerationAhead"},
		{`"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"yes","reason":"all is well",` + when + `}]}`, "ConditionStatus ReasonNotCamelCase"},
		{`"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"Fine",` + when + `},{"type":"Ready","status":"True","reason":"Fine",` + when + `}]}`, "ConditionTwice"},
		{`"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"Fine",` + when + `},{"type":"Stalled","status":"True","reason":"Odd",` + when + `}]}`, "ReadyContradicted"},
		{`"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"Fine",` + when + `},{"type":"Degraded","status":"False","reason":"Fine",` + when + `}]}`, "PolarityMixed"},
		{`"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"Fine",` + when + `},{"type":"Wobbly","status":"False","reason":"Fine",` + when + `}]}`, "PolarityUnclear"},
		{`"spec":{"replicas":1}`, "NoStatus"},
	} {
		o, err := convert.JSON([]byte(`{"apiVersion":"example.org/v1","kind":"Widget",`+c.object+`}`), convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, f := range Lint(o) {
			codes = append(codes, f.Code)
			if f.Message == "" || f.Path == "" {
				t.Errorf("%s: finding %+v", c.object, f)
			}
		}
		if got := strings.Join(codes, " "); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.object, got, c.want)
		}
	}
	builtin, err := convert.JSON([]byte(`{"apiVersion":"v1","kind":"Node","status":{"conditions":[{"type":"Ready","status":"True"}]}}`), convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if list := Lint(builtin); len(list) > 0 {
		t.Errorf("a built-in kind was linted: %v", list)
	}
}
