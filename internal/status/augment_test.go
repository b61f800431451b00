package status

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// conditionsAfter augments an object that was augmented already as in text.
func conditionsAfter(t *testing.T, obj map[string]any, now time.Time) []any {
	t.Helper()
	if _, err := Augment(obj, verbatim, now); err != nil {
		t.Fatal(err)
	}
	return obj["status"].(map[string]any)["conditions"].([]any)
}

func TestAugmentAppendsConditionsThatHoldAndIsIdempotent(t *testing.T) {
	o := parse(t, `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":2},"status":{"replicas":1}}`)
	want := []any{map[string]any{
		"type": "Reconciling", "status": "True", "reason": "LessReplicas", "message": "Replicas: 1/2",
		"lastTransitionTime": "2026-01-02T12:00:00Z", "lastUpdateTime": "2026-01-02T12:00:00Z",
	}}
	if diff := cmp.Diff(want, conditionsAfter(t, o, noon)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(want, conditionsAfter(t, o, noon.Add(time.Minute))); diff != "" {
		t.Errorf("a second time (-want +got)\n%s", diff)
	}
}

func TestAugmentKeepsTheTransitionTimeWhileTheStatusStays(t *testing.T) {
	o := parse(t, `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":3},"status":{"replicas":1}}`)
	conditionsAfter(t, o, noon)
	o["status"].(map[string]any)["replicas"] = 2
	got := conditionsAfter(t, o, noon.Add(time.Minute))
	want := []any{map[string]any{
		"type": "Reconciling", "status": "True", "reason": "LessReplicas", "message": "Replicas: 2/3",
		"lastTransitionTime": "2026-01-02T12:00:00Z", "lastUpdateTime": "2026-01-02T12:01:00Z",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAugmentClearsConditionsThatNoLongerHold(t *testing.T) {
	o := parse(t, `{"apiVersion":"apps/v1","kind":"ReplicaSet","spec":{"replicas":1}}`)
	if n := len(conditionsAfter(t, o, noon)); n != 1 {
		t.Fatalf("%d conditions", n)
	}
	st := o["status"].(map[string]any)
	for _, f := range []string{"replicas", "fullyLabeledReplicas", "availableReplicas", "readyReplicas"} {
		st[f] = 1
	}
	if diff := cmp.Diff([]any{}, conditionsAfter(t, o, noon)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAugmentTrustsAControllersOwnConditions(t *testing.T) {
	own := `{"type":"Stalled","status":"True","reason":"BuildFailed","message":"no such path","lastTransitionTime":"2026-01-01T00:00:00Z"}`
	o := parse(t, `{"apiVersion":"x.io/v1","kind":"X","status":{"conditions":[`+own+`]}}`)
	want := []any{parse(t, own)}
	if diff := cmp.Diff(want, conditionsAfter(t, o, noon)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAugmentReplacesAContradictingConditionOfTheController(t *testing.T) {
	o := parse(t, `{"apiVersion":"x.io/v1","kind":"X","status":{"conditions":[{"type":"Reconciling","status":"False","lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"Ready","status":"False","reason":"R","message":"m"}]}}`)
	want := []any{
		map[string]any{
			"type": "Reconciling", "status": "True", "reason": "R", "message": "m",
			"lastTransitionTime": "2026-01-02T12:00:00Z", "lastUpdateTime": "2026-01-02T12:00:00Z",
		},
		map[string]any{"type": "Ready", "status": "False", "reason": "R", "message": "m"},
	}
	if diff := cmp.Diff(want, conditionsAfter(t, o, noon)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAugmentLeavesAnEmptyListOnACurrentObject(t *testing.T) {
	o := parse(t, `{"apiVersion":"v1","kind":"ConfigMap"}`)
	if diff := cmp.Diff([]any{}, conditionsAfter(t, o, noon)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAugmentRefusesMalformedConditions(t *testing.T) {
	for in, want := range map[string]string{
		`{"kind":"X","apiVersion":"x/v1","status":1}`:                            "status is not an object",
		`{"kind":"X","apiVersion":"x/v1","status":{"conditions":{}}}`:            "status.conditions is not a list",
		`{"kind":"X","apiVersion":"x/v1","status":{"conditions":[7]}}`:           "status.conditions[0] is not an object",
		`{"kind":"X","apiVersion":"x/v1","status":{"conditions":[{"type":7}]}}`:  "status.conditions[0].type is not a string",
		`{"kind":"Pod","apiVersion":"v1","status":{"phase":"Odd"}}`:              "unknown phase Odd",
		`{"kind":"X","apiVersion":"x/v1","metadata":{"deletionTimestamp":true}}`: "metadata.deletionTimestamp is a boolean, not a string",
	} {
		o := parse(t, in)
		_, err := Augment(o, verbatim, noon)
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", in, err, want)
		}
		if diff := cmp.Diff(parse(t, in), o); diff != "" {
			t.Errorf("changed in spite of the error:\n%s", diff)
		}
	}
}

// A controller may stamp its conditions, too, and say them in several lines:
// they count, they stay, and a second run changes nothing.
func TestAugmentDropsNothingThatAControllerWrote(t *testing.T) {
	const stamps = `"lastTransitionTime":"2026-01-01T00:00:00Z","lastUpdateTime":"2026-01-01T00:00:00Z"`
	for own, want := range map[string]Result{
		`{"type":"Reconciling","status":"True","reason":"Progressing","message":"building:\n  step 1 of 3 "}`: {Status: InProgress, Message: "building:\n  step 1 of 3 "},
		`{"type":"Stalled","status":"True","reason":"BuildFailed","message":"no such path",` + stamps + `}`:   {Status: Failed, Message: "no such path"},
		`{"type":"Reconciling","status":"True","reason":"LessReplicas","message":"m",` + stamps + `}`:         {Status: InProgress, Message: "m"},
	} {
		o := parse(t, `{"apiVersion":"x.io/v1","kind":"X","status":{"conditions":[`+own+`]}}`)
		for run := range 2 {
			r, err := Augment(o, verbatim, noon.Add(time.Duration(run)*time.Minute))
			if err != nil || r.Status != want.Status || r.Message != want.Message {
				t.Errorf("run %d of %s: %s %q, %v", run+1, own, r.Status, r.Message, err)
			}
			if diff := cmp.Diff([]any{parse(t, own)}, o["status"].(map[string]any)["conditions"]); diff != "" {
				t.Errorf("run %d (-want +got)\n%s", run+1, diff)
			}
		}
	}
}

// A controller's amended condition keeps its place and its other fields.
func TestAugmentAmendsInPlace(t *testing.T) {
	o := parse(t, `{"apiVersion":"x.io/v1","kind":"X","metadata":{"generation":2},"status":{"observedGeneration":1,"conditions":[
		{"type":"Reconciling","status":"False","observedGeneration":1},{"type":"Ready","status":"True"}]}}`)
	want := []any{
		map[string]any{
			"type": "Reconciling", "status": "True", "reason": "LatestGenerationNotObserved",
			"message": "X generation is 2, but latest observed generation is 1", "observedGeneration": float64(1),
			"lastTransitionTime": "2026-01-02T12:00:00Z", "lastUpdateTime": "2026-01-02T12:00:00Z",
		},
		map[string]any{"type": "Ready", "status": "True"},
	}
	for run := range 2 {
		if diff := cmp.Diff(want, conditionsAfter(t, o, noon.Add(time.Duration(run)*time.Minute))); diff != "" {
			t.Errorf("run %d (-want +got)\n%s", run+1, diff)
		}
	}
}

func TestAugmentRepeatsAMessageOfSeveralLines(t *testing.T) {
	o := parse(t, `{"apiVersion":"x.io/v1","kind":"X","status":{"conditions":[{"type":"Ready","status":"False","reason":"R","message":"two\n\tlines\n"}]}}`)
	first := conditionsAfter(t, o, noon)
	if got := first[1].(map[string]any)["message"]; got != "two\n\tlines\n" {
		t.Errorf("the message is %q", got)
	}
	if diff := cmp.Diff(first, conditionsAfter(t, o, noon.Add(time.Minute))); diff != "" {
		t.Errorf("a second time (-want +got)\n%s", diff)
	}
}

// What Compute gives as a reason of its own is known to Augment, which takes
// back what it wrote.
func TestAugmentKnowsTheReasonsOfCompute(t *testing.T) {
	source, err := os.ReadFile("compute.go")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"ProgressDeadlineExceeded": true} // copied from the Deployment's condition
	for _, m := range regexp.MustCompile(`(?:inProgress|failed)\("(\w+)"`).FindAllSubmatch(source, -1) {
		want[string(m[1])] = true
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(slices.Values(computeReasons))); diff != "" {
		t.Errorf("(-compute.go +computeReasons)\n%s", diff)
	}
}

func verbatim(obj map[string]any) (*object.Object, error) {
	return convert.Map(obj, convert.Options{Verbatim: true})
}
