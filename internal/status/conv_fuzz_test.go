package status

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
)

// FuzzCustomKinds feeds arbitrary JSON to everything that judges: it must not
// panic, must be the same twice, must be bounded, and must always say
// something.
func FuzzCustomKinds(f *testing.F) {
	for _, seed := range []string{
		`{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"generation":2},"status":{"observedGeneration":1}}`,
		`{"apiVersion":"example.org/v1","kind":"Widget","status":{"conditions":{"type":"Ready"}}}`,
		`{"apiVersion":"example.org/v1","kind":"Widget","status":{"conditions":[null,7,{"type":1,"status":true},{"type":"Ready","status":"False","lastTransitionTime":"now"}]}}`,
		`{"apiVersion":"example.org/v1","kind":"WidgetRun","status":{"phase":"Running","ready":"False","error":{"message":7},"x":[{"conditions":[{"type":"Ready"}]},3]}}`,
		`{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","spec":{"replicas":"2"},"status":{"replicas":1e99,"updatedReplicas":null}}`,
		`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","status":{"parents":[{"conditions":[{}]},"x",null]}}`,
		`{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"annotations":{"autoscaling.alpha.kubernetes.io/conditions":"[{\"type\":7}]"}}}`,
		`{"apiVersion":"v1","kind":"ResourceQuota","spec":{"hard":{"cpu":[]}},"status":{"hard":{"cpu":{}},"used":7}}`,
		`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","spec":{"holderIdentity":"a","renewTime":"x","leaseDurationSeconds":-9223372036854775808}}`,
		`{"apiVersion":"v1","kind":"Pod","status":{"phase":"Running","containerStatuses":[{"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}`,
		`{"apiVersion":"example.org/v1","kind":"Deep","status":` + strings.Repeat(`{"a":`, 60) + `1` + strings.Repeat(`}`, 60) + `}`,
		`{"apiVersion":"example.org/v1","kind":"Many","status":{"conditions":[` + strings.TrimSuffix(strings.Repeat(`{"type":"Ready","status":"False","reason":"Oops"},`, 600), ",") + `]}}`,
	} {
		f.Add([]byte(seed))
	}
	now := caseTime
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<20 {
			return
		}
		o, err := convert.JSON(data, convert.Options{})
		if err != nil {
			return
		}
		for _, w := range []World{{Offline: true}, {FirstSeen: now.Add(-time.Hour)}} {
			a := Assess(o, w, now)
			if a.Status == "" || a.Rule == "" || a.Confidence == "" {
				t.Fatalf("%s is %q by %q (%s)", o.GroupKind(), a.Status, a.Rule, a.Confidence)
			}
			if a.Deciding >= len(o.Conditions) || len(a.Paths) > 4096 {
				t.Fatalf("deciding %d of %d, %d paths", a.Deciding, len(o.Conditions), len(a.Paths))
			}
			if b := Assess(o, w, now); b.Status != a.Status || b.Message != a.Message {
				t.Fatalf("twice differs: %s %q, %s %q", a.Status, a.Message, b.Status, b.Message)
			}
			w.Prior = &a
			later := Assess(o, w, now.Add(time.Minute))
			if later.Status == "" {
				t.Fatal("no status a minute later")
			}
		}
		_ = Explain(o, World{Offline: true}, now)
		_ = Lint(o)
	})
}

func FuzzConditionNamesAndWords(f *testing.F) {
	for _, s := range []string{"NotReady", "in-progress", "PVCBound", "Non", "a'b", strings.Repeat("Ab", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if p := PolarityByName(s); p != NormalTrue && p != AbnormalTrue && p != UnknownPolarity {
			t.Fatalf("polarity %q", p)
		}
		if classifyText(s) > wordBad || classify(s) > wordBad {
			t.Fatal("a class that is none")
		}
	})
}
