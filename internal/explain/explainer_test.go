package explain

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Whatever arrives in whatever order, looking again at what a change touches
// gives what looking at everything gives, be it at once or step by step.
func TestLookingAgainAtWhatChangedIsAsGoodAsLookingAtEverything(t *testing.T) {
	dir := sharedDir(t, "fixtures")
	files, _ := filepath.Glob(filepath.Join(dir, "t1", "*.json"))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			before, after := fixture(t, "t1", name), fixture(t, "t2-nodes-down", name)
			r := rand.New(rand.NewPCG(7, uint64(len(name))))
			w := newWorld(before.now)
			w.complete = before.complete
			x := NewExplainer()
			step := 0
			compare := func(changed ...object.ID) {
				t.Helper()
				step++
				was, before := w.judged, w.kin()
				w.children, w.judged = nil, map[object.ID]status.Assessment{}
				w.link()
				s := w.snapshot()
				for id, a := range w.judged { // what is judged anew has changed
					if b, ok := was[id]; !ok || !reflect.DeepEqual(a, b) {
						changed = append(changed, id)
					}
				}
				roots := w.asked(name)
				heldQuiet(t, w, s)
				news := w.news(before, changed...)
				every := s
				every.Beneath = nil
				want := Explain(every, roots)
				if diff := cmp.Diff(want, Explain(s, roots)); diff != "" && len(want) > 0 {
					t.Fatalf("step %d (-looking at everything +at what is not quiet):\n%s", step, diff)
				}
				var got []Cause
				if step%2 == 0 {
					got = x.Update(s, roots, news)
				} else {
					x.Begin(s, roots, news[:len(news)/2]) // the rest comes while it is at work
					x.Step(1 + r.IntN(40))
					x.Begin(s, roots, news)
					for done := false; !done; {
						got, done = x.Step(1 + r.IntN(3))
					}
				}
				if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
					t.Fatalf("step %d, after %v (-from nothing +from the change):\n%s", step, changed, diff)
				}
				if step%3 > 0 {
					x.Reuse(got)
				}
			}
			for _, list := range [2]*world{before, after} {
				w.now = list.now
				order := r.Perm(len(list.order))
				for len(order) > 0 {
					n := min(1+r.IntN(6), len(order))
					var changed []object.ID
					for _, i := range order[:n] {
						w.put(list.order[i])
						changed = append(changed, list.order[i].ID)
					}
					order = order[n:]
					compare(changed...)
				}
				for id, events := range list.events {
					w.events[id] = events
					compare(id)
				}
			}
			for _, i := range r.Perm(len(w.order))[:min(4, len(w.order))] {
				gone := w.order[i].ID
				if _, ok := w.objects[gone]; !ok {
					continue
				}
				delete(w.objects, gone)
				w.absent[gone] = true
			}
			var changed []object.ID
			w.order = slices.DeleteFunc(w.order, func(o *object.Object) bool {
				if w.objects[o.ID] == nil {
					changed = append(changed, o.ID)
					return true
				}
				return false
			})
			compare(changed...)
			for range 4 {
				w.now = w.now.Add(97 * time.Second)
				compare()
			}
		})
	}
}

func TestACauseKeepsItsIdentityWhileItLasts(t *testing.T) {
	w := fixture(t, "t1", "kcrash")
	ids := func() (out []string) {
		for _, c := range Explain(w.snapshot(), w.asked("kcrash")) {
			out = append(out, c.Code+" "+c.ID)
		}
		return out
	}
	before := ids()
	w.now = w.now.Add(time.Minute)
	gone := w.order[slices.IndexFunc(w.order, func(o *object.Object) bool { return o.Pod != nil })]
	w.order = slices.DeleteFunc(w.order, func(o *object.Object) bool { return o == gone })
	delete(w.objects, gone.ID)
	w.children = nil
	if diff := cmp.Diff(before, ids()); diff != "" {
		t.Errorf("one pod fewer makes another cause:\n%s", diff)
	}
}

func TestAnObjectIsExplainedByItself(t *testing.T) {
	w := fixture(t, "t1", "kimage")
	pod := w.order[slices.IndexFunc(w.order, func(o *object.Object) bool { return o.Pod != nil })].ID
	got := ForObject(w.snapshot(), pod)
	if len(got) != 1 || got[0].Code != "ImageNotFound" || got[0].Subject.Container != "app" {
		t.Errorf("findings %+v, want the missing image of container app", got)
	}
}

func TestTheDecisiveLineIsTheLastThatNamesAFailure(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{"listening", "panic: no database", "goroutine 1 [running]:", ""}, "panic: no database"},
		{[]string{"starting", "bye", "  "}, "bye"},
		{nil, ""},
		{[]string{"panic: nil map", "goroutine 1 [running]:", "main.main()", "\t/src/panic.go:12 +0x1d", "exit status 2"}, "panic: nil map"},
		{[]string{`Exception in thread "main" java.lang.IllegalStateException: boot`, "\tat a.B.c(B.java:3)", "Caused by: java.net.ConnectException: Connection refused", "\t... 8 more"}, "Caused by: java.net.ConnectException: Connection refused"},
		{[]string{"Traceback (most recent call last):", `  File "app.py", line 3, in <module>`, "KeyError: 'DATABASE_URL'"}, "KeyError: 'DATABASE_URL'"},
		{[]string{"2026-01-01T01:00:00.123Z ERROR no route to db", "2026-01-01T01:00:01Z bye"}, "ERROR no route to db"},
		{[]string{"E0101 01:00:00.123456       1 main.go:7] cannot bind :80"}, "cannot bind :80"},
		{[]string{`{"level":"fatal","ts":1,"msg":"cannot start","error":"listen tcp :80: bind: permission denied"}`}, "cannot start: listen tcp :80: bind: permission denied"},
		{[]string{`time="2026-01-01T01:00:00Z" level=error msg="no config" err="open a: no such file"`}, "no config: open a: no such file"},
	} {
		if got := Decisive(c.lines); got != c.want {
			t.Errorf("Decisive(%q) = %q, want %q", c.lines, got, c.want)
		}
	}
}

func TestTheListsOfACauseAreBounded(t *testing.T) {
	w := big(t, 400, 400)
	for _, c := range Explain(w.snapshot(), w.roots("a")) {
		if len(c.Objects) > MaxObjects || len(c.Symptoms) > MaxObjects || len(c.Blocks) > MaxObjects {
			t.Errorf("%s: %d objects, %d symptoms, %d blocks", c.Code, len(c.Objects), len(c.Symptoms), len(c.Blocks))
		}
		if c.Code == "ImageNotFound" && c.Count != 400 {
			t.Errorf("count is %d, want 400: the list is bounded, the count is not", c.Count)
		}
	}
}

// big is a namespace with pods under Deployments of ten, the first broken of
// them without their image.
func big(t testing.TB, pods, broken int) *world {
	t.Helper()
	w := newWorld(time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC))
	at := w.now.Add(-time.Hour).Format(time.RFC3339)
	for d := range (pods + 9) / 10 {
		fail := d*10 < broken
		ready := 10
		if fail {
			ready = 0
		}
		meta := func(name, uid, owner string) string {
			return fmt.Sprintf(`"metadata":{"name":%q,"namespace":"a","uid":%q,"generation":1,"creationTimestamp":%q,"labels":{"app":"d%d"},"annotations":{"deployment.kubernetes.io/revision":"1"}%s}`, name, uid, at, d, owner)
		}
		own := func(kind, name, uid string) string {
			return fmt.Sprintf(`,"ownerReferences":[{"apiVersion":"apps/v1","kind":%q,"name":%q,"uid":%q,"controller":true}]`, kind, name, uid)
		}
		dep, rs := fmt.Sprintf("d%d", d), fmt.Sprintf("d%d-7c88bd", d)
		spec := fmt.Sprintf(`"spec":{"replicas":10,"selector":{"matchLabels":{"app":"d%d"}},"template":{"metadata":{"labels":{"app":"d%d"}},"spec":{"containers":[{"name":"app","image":"acme/web:1"}]}}},`, d, d)
		st := fmt.Sprintf(`"status":{"observedGeneration":1,"replicas":10,"updatedReplicas":10,"readyReplicas":%d,"availableReplicas":%d,"fullyLabeledReplicas":10,"conditions":[{"type":"Available","status":%q,"reason":"X"},{"type":"Progressing","status":"True","reason":"ReplicaSetUpdated"}]}`, ready, ready, map[bool]string{true: "False", false: "True"}[fail])
		w.add(t, []byte(`{"apiVersion":"apps/v1","kind":"Deployment",`+meta(dep, "u-"+dep, "")+`,`+spec+st+`}`))
		w.add(t, []byte(`{"apiVersion":"apps/v1","kind":"ReplicaSet",`+meta(rs, "u-"+rs, own("Deployment", dep, "u-"+dep))+`,`+spec+st+`}`))
		for p := range 10 {
			name := fmt.Sprintf("%s-%05d", rs, p)
			c := `"state":{"running":{"startedAt":"` + at + `"}},"ready":true,"started":true`
			yes := "True"
			if fail {
				c = `"state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"acme/web:1\": ErrImagePull: failed to resolve reference \"docker.io/acme/web:1\": docker.io/acme/web:1: not found"}},"ready":false`
				yes = "False"
			}
			w.add(t, []byte(`{"apiVersion":"v1","kind":"Pod",`+meta(name, "u-"+name, own("ReplicaSet", rs, "u-"+rs))+
				`,"spec":{"nodeName":"n1","restartPolicy":"Always","containers":[{"name":"app","image":"acme/web:1"}]},"status":{"phase":"Running","conditions":[{"type":"PodScheduled","status":"True"},{"type":"ContainersReady","status":"`+yes+`"},{"type":"Ready","status":"`+yes+`"}],"containerStatuses":[{"name":"app","image":"acme/web:1","restartCount":0,`+c+`}]}}`))
		}
	}
	return w
}

// Wanted: 10,000 objects of which 500 are broken in 50 ms.
func BenchmarkExplainEverything(b *testing.B) {
	w := big(b, 8340, 500)
	s, roots := w.snapshot(), w.roots("a")
	b.ReportMetric(float64(len(w.order)), "objects")
	b.ReportAllocs()
	for b.Loop() {
		if len(Explain(s, roots)) == 0 {
			b.Fatal("nothing found")
		}
	}
}

// Wanted: a change in 1 ms.
func BenchmarkExplainOneChange(b *testing.B) {
	w := big(b, 8340, 500)
	s, roots := w.snapshot(), w.roots("a")
	x := NewExplainer()
	x.Update(s, roots, nil)
	changed := w.news(w.kin(), w.order[slices.IndexFunc(w.order, func(o *object.Object) bool { return o.Pod != nil })].ID)
	b.ReportAllocs()
	for b.Loop() {
		if len(x.Update(s, roots, changed)) == 0 {
			b.Fatal("nothing found")
		}
	}
}
