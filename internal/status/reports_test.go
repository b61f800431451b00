package status

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestADefinitionShowsWhetherItsKindHasAStatus(t *testing.T) {
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

// A fault that has no condition is as old as the date beside its field says: an
// Application whose last operation failed an hour ago was InProgress at every first look
// (argoproj/argo-cd#23591, #733), though nobody writes its status again.
func TestAFaultIsAsOldAsTheDateBesideIt(t *testing.T) {
	for _, c := range []struct {
		beside string
		want   Status
		since  time.Duration // before now
	}{
		{`"finishedAt":"2026-01-02T11:00:00Z"`, Failed, time.Hour - healGrace},
		{`"finishedAt":"2026-01-02T11:59:50Z","startedAt":"2026-01-02T11:00:00Z"`, InProgress, 0},
		{`"startedAt":"2026-01-02T11:00:00Z"`, InProgress, 0}, // it may have failed just now
	} {
		o := decode(t, `{"apiVersion":"argoproj.io/v1alpha1","kind":"Application","metadata":{"name":"web"},
			"status":{"health":{"status":"Healthy"},"sync":{"status":"OutOfSync"},"operationState":{"phase":"Failed",`+c.beside+`}}}`)
		now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
		a := Assess(o, World{FirstSeen: now}, now)
		if a.Status != c.want || c.want == Failed && now.Sub(a.Since) != c.since {
			t.Errorf("%s: %s since %v (%s)", c.beside, a.Status, a.Since, a.Message)
		}
	}
}

// The date of an error stands beside its message: a snapshot that could not be taken an
// hour ago was InProgress at the first look.
func TestAnErrorIsAsOldAsItsTime(t *testing.T) {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	for at, want := range map[string]Status{"2026-01-02T11:00:00Z": Failed, "2026-01-02T11:59:50Z": InProgress} {
		o := decode(t, `{"apiVersion":"snapshot.storage.k8s.io/v1","kind":"VolumeSnapshot","metadata":{"name":"s"},
			"status":{"readyToUse":false,"error":{"message":"no secret","time":"`+at+`"}}}`)
		if a := Assess(o, World{FirstSeen: now}, now); a.Status != want {
			t.Errorf("an error at %s: %s, want %s", at, a.Status, want)
		}
	}
}
