package status

import (
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestADefinitionTellsWhetherItsObjectsCarryAStatus(t *testing.T) {
	const head = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.org"},
		"spec":{"group":"example.org","names":{"kind":"Widget","plural":"widgets"},"versions":[`
	const subresource = `,"subresources":{"status":{}}`
	version := func(schema, more string) string {
		return `{"name":"v1","schema":{"openAPIV3Schema":{"type":"object"` + schema + `}}` + more + `}`
	}
	const properties = `,"properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}},"status":`
	for _, c := range []struct {
		name, versions string
		reports, known bool
	}{
		{"no schema at all", `{"name":"v1"}`, false, false},
		{"no version", ``, false, false},
		{"a schema without a status", version(`,"properties":{"spec":{"type":"object"}}`, ""), false, true},
		{"nor does the subresource help it", version("", subresource), false, true},
		{"a status without fields is pruned", version(properties+`{"type":"object","description":"x"}}`, subresource), false, true},
		{"a status with conditions", version(properties+`{"type":"object","properties":{"conditions":{"type":"array","items":{"type":"object"}}}}}`, subresource), true, true},
		{"a status with a field of any type", version(properties+`{"type":"object","properties":{"x":{"x-kubernetes-int-or-string":true}}}}`, ""), true, true},
		{"a status that lets everything through", version(properties+`{"type":"object","x-kubernetes-preserve-unknown-fields":true}}`, ""), true, true},
		{"a status that is a map", version(properties+`{"type":"object","additionalProperties":{"type":"string"}}}`, ""), true, true},
		{"everything is let through, with the subresource", version(`,"x-kubernetes-preserve-unknown-fields":true`, subresource), true, true},
		{"everything is let through", version(`,"x-kubernetes-preserve-unknown-fields":true`, ""), false, false},
		{"one version of two", version("", "") + "," + version(properties+`{"type":"object","properties":{"phase":{"type":"string"}}}}`, ""), true, true},
	} {
		o, err := convert.JSON([]byte(head+c.versions+`]}}`), convert.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if reports, known := ReportsStatus(o); reports != c.reports || known != c.known {
			t.Errorf("%s: reports %v, known %v; want %v and %v", c.name, reports, known, c.reports, c.known)
		}
	}
	if _, known := ReportsStatus(nil); known {
		t.Error("a definition that nobody has seen is known")
	}
}

// Each object here was judged wrongly by some tool, or misread by its users.
func TestStatusesOfPublicReports(t *testing.T) {
	n := 0
	caseLines(t, "report-cases.txt", func(line int, want []string, o *object.Object) {
		n++
		a := Assess(o, World{Offline: true}, caseTime)
		if !slices.Contains(strings.Split(want[0], "|"), string(a.Status)) {
			t.Errorf("line %d: %s is %s by %s, want %s: %s: %s", line, o.GroupKind(), a.Status, a.Rule, want[0], a.Reason, a.Message)
		}
	})
	if n < 95 {
		t.Errorf("%d cases", n)
	}
}
