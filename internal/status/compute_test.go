package status

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func TestComputeAgreesWithKstatusOnItsOwnCasesAndOnRealObjects(t *testing.T) {
	for _, name := range []string{"kstatus-compute.jsonl", "kubectl-status.jsonl"} {
		t.Run(name, func(t *testing.T) {
			now := noon.AddDate(10, 0, 0) // none of their objects is young
			for _, c := range corpus(t, name, now) {
				o, err := convert.JSON(c.Object, convert.Options{})
				if err != nil {
					t.Errorf("%s: %v", c.ID, err)
					continue
				}
				r, err := Compute(o, now)
				if err != nil {
					r.Status = Unknown
				}
				if !slices.Contains(c.Want, r.Status) {
					t.Errorf("%s: %s %q (%v), want %v", c.ID, r.Status, r.Message, err, c.Want)
				}
				if c.WantMessage != nil && r.Message != object.Clean(*c.WantMessage) {
					t.Errorf("%s: message %q, want %q", c.ID, r.Message, *c.WantMessage)
				}
				for _, want := range c.WantConditions {
					if !slices.ContainsFunc(r.Conditions, func(got object.Condition) bool {
						return got.Type == want.Type && got.Status == want.Status && got.Reason == want.Reason
					}) {
						t.Errorf("%s: conditions %+v lack %+v", c.ID, r.Conditions, want)
					}
				}
				for _, absent := range c.AbsentConditions {
					if slices.ContainsFunc(r.Conditions, func(got object.Condition) bool { return got.Type == absent }) {
						t.Errorf("%s: conditions %+v hold %s", c.ID, r.Conditions, absent)
					}
				}
			}
		})
	}
}

// TestComputeFollowsItsRulesToTheLetter runs the cases of testdata/compute.txt;
// adding one needs no Go.
func TestComputeFollowsItsRulesToTheLetter(t *testing.T) {
	for c := range caseFile(t, "compute.txt", 90) {
		var r Result
		o, err := convert.JSON([]byte(c.object), convert.Options{})
		if err == nil {
			r, err = Compute(o, noon)
		}
		got := string(r.Status)
		switch {
		case err != nil:
			got = "error " + err.Error()
		case len(r.Conditions) == 1:
			got += " " + r.Conditions[0].Type + "/" + r.Conditions[0].Reason + " " + r.Message
		case len(r.Conditions) == 0:
			got += " " + r.Message
		}
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.at, c.in, got, c.want)
		}
	}
}

func TestTheStalledConditionOfADeadlineKeepsTheConditionsOwnWords(t *testing.T) {
	r, err := Compute(decode(t, `{"apiVersion":"apps/v1","kind":"Deployment","status":{"conditions":[
	 {"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded","message":"ReplicaSet \"a\" has timed out"}]}}`), noon)
	if err != nil {
		t.Fatal(err)
	}
	want := Result{Failed, "Progress deadline exceeded", []object.Condition{{Statement: &object.Statement{Type: "Stalled", Status: "True", Reason: "ProgressDeadlineExceeded", Message: `ReplicaSet "a" has timed out`}}}}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}

func FuzzCompute(f *testing.F) {
	f.Add([]byte(podJSON))
	for _, s := range []string{
		`{"kind":"Pod","apiVersion":"v1","status":{"phase":"Running","containerStatuses":[null,1,{"name":2,"state":{"waiting":[]}}]}}`,
		`{"kind":"Deployment","apiVersion":"apps/v1","spec":null,"status":{"replicas":-9223372036854775808}}`,
		`{"kind":"StatefulSet","apiVersion":"apps/v1","spec":{"updateStrategy":{"rollingUpdate":{"partition":-9223372036854775808}}}}`,
		`{"kind":"Job","apiVersion":"batch/v1","status":{"conditions":[null]}}`,
		`{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1","metadata":{"annotations":{"autoscaling.alpha.kubernetes.io/conditions":"[{]"}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := convert.JSON(data, convert.Options{})
		if err != nil {
			return
		}
		r, err := Compute(o, noon)
		if (err == nil) != (r.Status != "") {
			t.Errorf("status %q with error %v", r.Status, err)
		}
	})
}

func BenchmarkCompute(b *testing.B) {
	var objects []*object.Object
	for _, name := range []string{"kstatus-compute.jsonl", "kubectl-status.jsonl"} {
		for _, c := range corpus(b, name, noon) {
			o, err := convert.JSON(c.Object, convert.Options{})
			if err != nil {
				b.Fatal(err)
			}
			objects = append(objects, o)
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Compute(objects[i%len(objects)], noon)
	}
}
