package status

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
)

func TestMalformedObjectsAreUnknownWithTheReason(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"conditions are a map":     {`"status":{"conditions":{"Ready":"True"}}`, "status.conditions is an object, not a list"},
		"a status is a boolean":    {`"status":{"conditions":[{"type":"Ready","status":true}]}`, "status.conditions[0].status is a boolean, not a string"},
		"a number is a string":     {`"status":{"replicas":"2"}`, "DeploymentStatus.status.replicas"},
		"the status is a list":     {`"status":[]`, "status is a list, not an object"},
		"ten thousand conditions":  {`"status":{"conditions":[` + strings.Repeat(`{"type":"A","status":"True"},`, 9999) + `{}]}`, "status.conditions has more than 512 entries"},
		"deep nesting":             {`"status":{"x":` + strings.Repeat(`[`, 9000) + strings.Repeat(`]`, 9000) + `}`, "is nested "},
		"a megabyte of annotation": {`"metadata":{"annotations":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`, "metadata.annotations.a is longer than Kubernetes allows"},
	} {
		for _, kind := range []string{`"apiVersion":"apps/v1","kind":"Deployment"`, `"apiVersion":"v1","kind":"Pod"`, `"apiVersion":"example.com/v1","kind":"Any"`} {
			if name == "a number is a string" && !strings.Contains(kind, "Deployment") {
				continue // only what a rule reads has to be a number
			}
			if name == "deep nesting" && !strings.Contains(kind, "example.com") {
				continue // nothing of it is kept
			}
			a := Assess(decode(t, "{"+kind+","+c.in+"}"), World{}, noon)
			if a.Status != Unknown || a.Reason != "Malformed" || !strings.Contains(a.Message, c.want) || len(a.Message) > 300 {
				t.Errorf("%s of %s: %s %s %q", name, kind, a.Status, a.Reason, a.Message)
			}
		}
	}
}

// A stage without a reason that is about the present generation, of an object that no condition
// sums up: argoproj/argo-cd#16509 shows a KeycloakRealmImport that has just been started.
func TestAStageIsReadWithoutASummaryCondition(t *testing.T) {
	const started = `{"apiVersion":"%s","kind":"%s","metadata":{"name":"it","generation":1},"status":{"conditions":[
		{"type":"Done","status":"False","message":"","observedGeneration":1,"lastTransitionTime":"2026-01-02T12:00:00Z"},
		{"type":"Started","status":"True","message":"Import Job started","observedGeneration":1,"lastTransitionTime":"2026-01-02T12:00:00Z"},
		{"type":"Deploying","status":"True","observedGeneration":1},
		{"type":"HasErrors","status":"False","message":"","observedGeneration":1,"lastTransitionTime":"2026-01-02T12:00:00Z"}]}}`
	for _, kind := range [][2]string{{"k8s.keycloak.org/v2alpha1", "KeycloakRealmImport"}, {"example.org/v1", "Import"}} {
		a := Assess(decode(t, fmt.Sprintf(started, kind[0], kind[1])), World{}, noon)
		if a.Status != InProgress {
			t.Errorf("%s: %s %s (%s)", kind[1], a.Status, a.Reason, a.Message)
		}
	}
}

func FuzzAssess(f *testing.F) {
	f.Add([]byte(podJSON), int64(40), true)
	for _, s := range []string{
		`{"kind":"Deployment","apiVersion":"apps/v1","spec":{"replicas":-9223372036854775808,"progressDeadlineSeconds":9223372036854775807},"status":{"replicas":9223372036854775807,"conditions":[{"type":"Progressing","status":"True"}]}}`,
		`{"kind":"StatefulSet","apiVersion":"apps/v1","spec":{"updateStrategy":{"rollingUpdate":{"partition":-9223372036854775808}}},"status":{"replicas":1,"currentRevision":"a"}}`,
		`{"kind":"Job","apiVersion":"batch/v1","spec":{"activeDeadlineSeconds":9223372036854775807},"status":{"startTime":"9999-12-31T23:59:59Z"}}`,
		`{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1","metadata":{"annotations":{"autoscaling.alpha.kubernetes.io/conditions":"[{]"}}}`,
		`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","spec":{"holderIdentity":"a","renewTime":"x"}}`,
		`{"kind":"HTTPRoute","apiVersion":"gateway.networking.k8s.io/v1","status":{"parents":[{"conditions":[{"type":"Accepted","status":"False"}]}]}}`,
		`{"kind":"X","apiVersion":"x.io/v1","status":{"phase":"Failed","conditions":[{"type":"Ready","status":"False","reason":"Error"}]}}`,
	} {
		f.Add([]byte(s), int64(0), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, age int64, offline bool) {
		o, err := convert.JSON(data, convert.Options{})
		if err != nil {
			return
		}
		var prior *Assessment
		now := noon
		for range 3 {
			w := World{FirstSeen: noon, Prior: prior, Offline: offline}
			a := Assess(o, w, now)
			if a.Status == "" || a.Rule == "" || a.Confidence == "" {
				t.Fatalf("incomplete: %+v", a)
			}
			if a.Deciding >= len(o.Conditions) {
				t.Fatalf("condition %d of %d decided", a.Deciding, len(o.Conditions))
			}
			if !a.Recheck.IsZero() && !a.Recheck.After(now) {
				t.Fatalf("would look again at %v, which is not after %v", a.Recheck, now)
			}
			prior = &a
			now = now.Add(time.Duration(age%100) * time.Second)
			if now.Before(noon) {
				now = noon
			}
		}
	})
}

// hostile are objects made to be expensive: each a multiple of what Kubernetes
// accepts.
func hostile(times int) map[string]string {
	head := `{"apiVersion":"example.com/v1","kind":"Any","metadata":{"name":"a","generation":2`
	var wide strings.Builder
	for i := range 10_000 * times {
		fmt.Fprintf(&wide, `"f%d":{"state":"Broken","message":"no"},`, i)
	}
	var expected strings.Builder
	for i := range 10_000 * times {
		fmt.Fprintf(&expected, `"expectedF%ds":7,`, i)
	}
	condition := `{"type":"Ready","status":"False","reason":"Broken","message":"` + strings.Repeat("m", 100) + `"},`
	return map[string]string{
		"conditions":        head + `},"status":{"conditions":[` + strings.Repeat(condition, 10_000*times) + `{}]}}`,
		"nested conditions": head + `},"status":{"parts":[` + strings.Repeat(`{"conditions":[`+strings.Repeat(condition, 9)+`{}]},`, 1000*times) + `{}]}}`,
		"depth":             head + `},"status":{"x":` + strings.Repeat(`{"x":[`, 500*times) + strings.Repeat(`]}`, 500*times) + `}}`,
		"annotation":        head + `,"annotations":{"a":"` + strings.Repeat(`x`, times<<20) + `"}},"status":{"phase":"Ready"}}`,
		"text":              head + `},"status":{"phase":"` + strings.Repeat(`Not Ready `, times<<17) + `"}}`,
		"fields":            head + `},"status":{` + wide.String() + `"z":1}}`,
		"expectations":      head + `},"status":{` + expected.String() + `"z":1}}`,
		"owners":            head + `,"ownerReferences":[` + strings.Repeat(`{"apiVersion":"v1","kind":"A","name":"a","uid":"u"},`, 10_000*times) + `{}]},"status":{"phase":"Ready"}}`,
	}
}

// Whatever an object's size, less than 48 MiB of it are kept (60,000 nodes of a
// tree), and reading and judging allocates less than 128 MiB. Kubernetes itself
// stores at most 1.5 MiB, and its decoders refuse a depth of more than 10,000.
func TestAHostileObjectCostsABoundedAmount(t *testing.T) {
	const allocated, kept = 128 << 20, 48 << 20
	more := hostile(8)
	for name, text := range hostile(1) {
		cost := func(data []byte) (bytes, objects, stays uint64) {
			var a, b, c runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&a)
			o, err := convert.JSON(data, convert.Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			Assess(o, World{FirstSeen: noon}, noon.Add(time.Hour))
			runtime.ReadMemStats(&b)
			runtime.GC()
			runtime.ReadMemStats(&c)
			runtime.KeepAlive(o)
			return b.TotalAlloc - a.TotalAlloc, b.Mallocs - a.Mallocs, max(c.HeapAlloc, a.HeapAlloc) - a.HeapAlloc
		}
		bytes, objects, stays := cost([]byte(text))
		bytes8, objects8, stays8 := cost([]byte(more[name]))
		t.Logf("%-18s %5d KiB of JSON: %6d KiB in %6d allocations, %5d KiB kept; eight times as much: %6d KiB in %6d, %5d KiB", name,
			len(text)>>10, bytes>>10, objects, stays>>10, bytes8>>10, objects8, stays8>>10)
		if bytes > allocated || bytes8 > allocated || stays > kept || stays8 > kept {
			t.Errorf("%s: %d and %d bytes allocated (at most %d), %d and %d kept (at most %d)",
				name, bytes, bytes8, allocated, stays, stays8, kept)
		}
	}
}

// BenchmarkHostileObjects reads and judges them, by the megabyte.
func BenchmarkHostileObjects(b *testing.B) {
	for name, text := range hostile(1) {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			data := []byte(text)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				o, err := convert.JSON(data, convert.Options{})
				if err != nil {
					b.Fatal(err)
				}
				Assess(o, World{FirstSeen: noon}, noon.Add(time.Hour))
			}
		})
	}
}
