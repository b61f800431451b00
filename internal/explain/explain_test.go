package explain

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/logline"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Equal snapshots give equal explanations, whatever the order of the roots.
func TestEqualSnapshotsGiveEqualExplanations(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(sharedDir(t, "fixtures"), "t2-nodes-down", "*.json"))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			w := fixture(t, "t2-nodes-down", name)
			s, roots := w.snapshot(), w.asked(name)
			want := Explain(s, roots)
			slices.Reverse(roots)
			if diff := cmp.Diff(want, Explain(s, roots)); diff != "" {
				t.Errorf("with the roots in another order (-want +got):\n%s", diff)
			}
		})
	}
}

func TestACauseKeepsItsIdentityWhileItLasts(t *testing.T) {
	w := fixture(t, "t1", "kcrash")
	ids := func() (out []string) {
		for _, c := range Explain(w.snapshot(), w.asked("kcrash")).Causes {
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
	if len(got) != 1 || got[0].Code != codes.ImageNotFound || got[0].About.Container != "app" {
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
		{
			[]string{`E0101 01:00:00.123456       1 leaderelection.go:325] error retrieving resource lock a/l: leases.coordination.k8s.io "l" is forbidden: User "system:serviceaccount:a:default" cannot get resource "leases"`, "ERROR timed out waiting for caches to sync"},
			`leases.coordination.k8s.io "l" is forbidden: User "system:serviceaccount:a:default" cannot get resource "leases"`,
		},
		{
			[]string{`Error from server (Forbidden): pods is forbidden: User "system:serviceaccount:a:default" cannot list pods in the namespace "a"`, "error: unable to get pods, giving up"},
			`pods is forbidden: User "system:serviceaccount:a:default" cannot list pods in the namespace "a"`,
		},
		{
			[]string{"ERROR could not translate host name \"db\" to address: Temporary failure in name resolution", "FATAL database is not reachable, giving up"},
			"ERROR could not translate host name \"db\" to address: Temporary failure in name resolution",
		},
		{
			[]string{"ERROR lookup cache on 10.0.0.10:53: no such host", "FATAL dial tcp 10.0.0.5:5432: connection refused, giving up"},
			"FATAL dial tcp 10.0.0.5:5432: connection refused, giving up",
		},
		{
			[]string{`time="2026-01-01T01:00:00Z" level=warning msg="failed to patch task result, falling back to pod patch" error="workflowtaskresults.argoproj.io is forbidden: User \"system:serviceaccount:a:w\" cannot create resource \"workflowtaskresults\""`, `time="2026-01-01T01:00:00Z" level=info msg="stopping progress monitor (context done)" error="context canceled"`},
			`workflowtaskresults.argoproj.io is forbidden: User "system:serviceaccount:a:w" cannot create resource "workflowtaskresults"`,
		},
		{[]string{`{"level":"error","msg":"no config"}`, `{"level":"info","msg":"0 errors"}`}, "no config"},
		{[]string{"ERROR dial tcp 10.0.0.5:4317: connection refused", "FATAL the schema is too old"}, "FATAL the schema is too old"},
		{[]string{"access denied to the audit log, continuing", "ERROR no route to db"}, "ERROR no route to db"},
		{[]string{"2026-01-01T01:00:00.123Z ERROR no route to db", "2026-01-01T01:00:01Z bye"}, "ERROR no route to db"},
		{[]string{"E0101 01:00:00.123456       1 main.go:7] cannot bind :80"}, "cannot bind :80"},
		{[]string{`{"level":"fatal","ts":1,"msg":"cannot start","error":"listen tcp :80: bind: permission denied"}`}, "cannot start: listen tcp :80: bind: permission denied"},
		{[]string{`time="2026-01-01T01:00:00Z" level=error msg="no config" err="open a: no such file"`}, "no config: open a: no such file"},
		{ // elastic/cloud-on-k8s#2853
			[]string{`{"log.level":"ERROR","message":"node validation exception\n[1] bootstrap checks failed. You must address the points below.\nbootstrap check failure [1] of [1]: vm.max_map_count [65530] is too low"}`, "ERROR: it did not exit normally - check the logs at /var/log/es.log"},
			"bootstrap check failure [1] of [1]: vm.max_map_count [65530] is too low",
		},
		{ // percona/percona-xtradb-cluster-operator#1628
			[]string{"2026-01-01T01:00:00.1Z 0 [ERROR] [MY-000067] [Server] unknown variable 'audit_log_file=a'.", "2026-01-01T01:00:00.2Z 0 [ERROR] [MY-010119] [Server] Aborting"},
			"unknown variable 'audit_log_file=a'.",
		},
		{[]string{"starting", "ERROR: Aborting"}, "ERROR: Aborting"},
		{ // kserve/kserve#2137
			[]string{"2026-01-01 01:00:00.114212: E tensorflow_serving/sources/storage_path.cc:365] Could not find base path /mnt/models"},
			"Could not find base path /mnt/models",
		},
		{[]string{"ERROR: it did not exit normally - check the logs at /var/log/es.log"}, "ERROR: it did not exit normally - check the logs at /var/log/es.log"},
	} {
		if got := logline.Decisive(c.lines); got != c.want {
			t.Errorf("logline.Decisive(%q) = %q, want %q", c.lines, got, c.want)
		}
	}
}

// What is wrong with an Ingress's certificate says nothing about its backends.
func TestABackendIsInTroubleByItsOwnCausesAlone(t *testing.T) {
	w := newWorld(caseNow)
	owned := "metadata: {ownerReferences: [{apiVersion: networking.k8s.io/v1, kind: Ingress, name: web, uid: u-Ingress-web, controller: true}]}"
	for _, doc := range []string{
		`{kind: Ingress, name: web, judged: Failed, spec: {rules: [{http: {paths: [{backend: {service: {name: web, port: {number: 80}}}}]}}]}}`,
		`{kind: Service, name: web, judged: Current, spec: {selector: {app: web}, ports: [{port: 80}]}}`,
		`{kind: Certificate, name: web-tls, owner: Ingress/web, judged: Failed, status: {conditions: [{type: Ready, status: 'False', reason: Failed, message: the order is refused}]}}`,
	} {
		var m map[string]any
		if err := yaml.Unmarshal([]byte(strings.ReplaceAll(doc, "owner: Ingress/web", owned)), &m); err != nil {
			t.Fatal(err)
		}
		w.addDoc(t, m)
	}
	causes := Explain(w.snapshot(), []object.ID{w.ref("Ingress/web")}).Causes
	if len(causes) != 1 || causes[0].Code != "CertificateNotReady" {
		t.Fatalf("causes %+v, want that of the certificate", causes)
	}
	for _, s := range causes[0].Symptoms {
		if s.Code == "BackendNotReady" {
			t.Errorf("a healthy backend is called a consequence: %s", s.Title)
		}
	}
}

func TestTheListsOfACauseAreBounded(t *testing.T) {
	w := big(t, 400, 400)
	for _, c := range Explain(w.snapshot(), w.roots("a")).Causes {
		if len(c.Objects) > inspect.MaxObjects || len(c.Symptoms) > inspect.MaxObjects || len(c.Blocks) > inspect.MaxObjects {
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

// breakPods is 10,000 pods of which so many are broken in so many ways.
func breakPods(t testing.TB, broken, ways int) *world {
	w := big(t, 10000, 0)
	for _, o := range w.order {
		if o.Pod == nil || broken == 0 {
			continue
		}
		broken--
		n := broken % ways
		o.Conditions = []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "False"}}}
		c := &o.Pod.Containers[0]
		spec := *c.ContainerSpec
		spec.Image = fmt.Sprintf("acme/web:%d", n)
		c.ContainerSpec, c.Ready = &spec, false
		c.State = object.ContainerState{Kind: "waiting", Reason: "ImagePullBackOff", Message: fmt.Sprintf("docker.io/acme/web:%d: not found", n)}
	}
	return w
}

// fiveWays is 10,000 Pods of which 100 are broken, each in one of five ways: an image
// that does not exist, a crash, no room on any node, a volume and a probe.
func fiveWays(t testing.TB) *world {
	w := big(t, 10000, 0)
	at := w.now.Add(-time.Hour)
	n := 0
	for _, o := range w.order {
		if o.Pod == nil || n == 100 {
			continue
		}
		n++
		o.Conditions = []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "False"}, LastTransitionTime: at}}
		c := &o.Pod.Containers[0]
		c.Ready = false
		event := func(reason, message string) {
			w.events[o.ID] = []object.Event{{UID: "e", About: o.ID, Type: "Warning", Reason: reason, Message: message, First: at, Last: w.now, Count: 9}}
		}
		switch n % 5 {
		case 0:
			c.State = object.ContainerState{Kind: "waiting", Reason: "ImagePullBackOff", Message: "docker.io/acme/web:1: not found"}
		case 1:
			c.State, c.Restarts = object.ContainerState{Kind: "waiting", Reason: "CrashLoopBackOff"}, 9
			c.Prior = &object.ContainerState{Kind: "terminated", Reason: "Error", ExitCode: 1, Finished: w.now.Add(-time.Minute)}
		case 2:
			o.Pod.Phase, o.Pod.Node = "Pending", ""
			c.State = object.ContainerState{}
			o.Conditions = []object.Condition{{Statement: &object.Statement{
				Type: "PodScheduled", Status: "False", Reason: "Unschedulable",
				Message: "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
			}, LastTransitionTime: at}}
		case 3:
			o.Pod.Phase = "Pending"
			c.State = object.ContainerState{Kind: "waiting", Reason: "ContainerCreating"}
			event("FailedMount", `MountVolume.SetUp failed for volume "nfs" : mount failed: exit status 32: access denied by server`)
		case 4:
			event("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503")
		}
	}
	return w
}

// The cost of an explanation depends on what it finds, and little on healthy
// objects: counted in allocations, which do not depend on the machine.
func TestTheCostOfAnExplanationGrowsWithTheFaultsOnly(t *testing.T) {
	for _, c := range []struct {
		broken, ways, causes int
		allocs               float64
	}{
		{0, 1, 0, 2000},
		{100, 5, 5, 20000},
		{10000, 10000, 9900, 1000000},
	} {
		w := breakPods(t, c.broken, c.ways)
		s, roots := w.snapshot(), w.roots("a")
		found := 0
		got := testing.AllocsPerRun(1, func() { found = len(Explain(s, roots).Causes) })
		if found < c.causes || got > c.allocs {
			t.Errorf("%d broken in %d ways: %d causes in %.0f allocations, want %d in at most %.0f", c.broken, c.ways, found, got, c.causes, c.allocs)
		}
		t.Logf("%d broken in %d ways: %d causes, %.0f allocations", c.broken, c.ways, found, got)
	}
	w := fiveWays(t)
	s, roots := w.snapshot(), w.roots("a")
	asked := 0
	s.Assessment = counting(&asked, s.Assessment)
	codes := map[string]bool{}
	got := testing.AllocsPerRun(1, func() {
		asked = 0
		for _, c := range Explain(s, roots).Causes {
			codes[c.Code] = true
		}
	})
	// Nothing is asked of the 12,000 objects but of what is broken or concerned.
	if len(codes) < 5 || got > 20000 || asked > 2500 {
		t.Errorf("100 Pods in five ways: %d kinds of causes in %.0f allocations and %d assessments", len(codes), got, asked)
	}
	t.Logf("100 Pods in five ways: %d kinds of causes, %.0f allocations, %d assessments", len(codes), got, asked)
}

func counting(n *int, f func(object.ID) (status.Assessment, bool)) func(object.ID) (status.Assessment, bool) {
	return func(id object.ID) (status.Assessment, bool) {
		*n++
		return f(id)
	}
}

// Wanted: 100 broken in five ways in 10 ms, 10,000 broken each in its own way in 150 ms.
func BenchmarkExplain(b *testing.B) {
	b.Run("fiveWays", func(b *testing.B) {
		w := fiveWays(b)
		s, roots := w.snapshot(), w.roots("a")
		b.ReportAllocs()
		for b.Loop() {
			Explain(s, roots)
		}
	})
	for _, c := range [][2]int{{0, 1}, {100, 5}, {10000, 10000}} {
		b.Run(fmt.Sprintf("broken=%d,ways=%d", c[0], c[1]), func(b *testing.B) {
			w := breakPods(b, c[0], c[1])
			s, roots := w.snapshot(), w.roots("a")
			b.ReportAllocs()
			for b.Loop() {
				Explain(s, roots)
			}
		})
	}
}

// An inventory that its follower does not find has a cause, and no proof that an
// object of its name does not exist.
func TestAnInventoryThatIsNotFoundHasACause(t *testing.T) {
	id := object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "x"}
	s := newWorld(time.Now()).snapshot()
	s.Assessment = func(object.ID) (status.Assessment, bool) {
		return status.Assessment{Status: status.NotFound, Rule: "inventory", Reason: "NotFound", Message: "there is no such inventory"}, true
	}
	causes := Explain(s, []object.ID{id}).Causes
	if len(causes) != 1 || causes[0].Title != "ConfigMap x: there is no such inventory" || causes[0].Evidence[0].Type != inspect.ObservedEvidence {
		t.Errorf("got %+v", causes)
	}
}

// A detector that panics, after it has begun to find something, becomes a
// remark. What the others find stays, whatever the order in which they run.
func TestAPanicInADetectorHidesNoOtherCause(t *testing.T) {
	w := fixture(t, "t1", "kimage")
	s, roots := w.snapshot(), w.asked("kimage")
	want := Explain(s, roots).Causes
	bad := &inspect.Detector{Find: func(in *inspect.Inspector) {
		in.Find(codes.NotReady, "half a finding")
		var none *object.Object
		_ = none.Pod.Node
	}}
	of := detectors("", "Pod")
	defer func(kept []*inspect.Detector) { of.all = kept }(of.all)
	of.all = slices.Concat([]*inspect.Detector{bad}, of.all, []*inspect.Detector{bad})
	found := Explain(s, roots)
	got := slices.Clone(found.Causes)
	i := slices.IndexFunc(got, func(c Cause) bool { return c.Code == "InternalError" })
	if i < 0 || !strings.Contains(got[i].Title, "internal error in detector") || len(got[i].Blocks) > 0 {
		t.Fatalf("the panic is not a remark: %+v", got)
	}
	if diff := cmp.Diff(want, slices.Delete(got, i, i+1)); diff != "" {
		t.Errorf("the other causes changed (-want +got):\n%s", diff)
	}
	if len(found.Faults) == 0 || !strings.Contains(found.Faults[0].Stack, "explain_test.go") || !strings.Contains(found.Faults[0].Value, "nil pointer") {
		t.Errorf("faults to log: %+v", found.Faults)
	}
}

// The Pod that keeps a deleted claim need not be followed (kubernetes/kubernetes#120756).
func TestThePodsThatMayUseADeletedClaimAreRequested(t *testing.T) {
	w := newWorld(caseNow)
	w.addDoc(t, map[string]any{
		"kind": "PersistentVolumeClaim", "name": "data",
		"metadata": map[string]any{"deletionTimestamp": "-60s", "finalizers": []any{"kubernetes.io/pvc-protection"}},
		"spec":     map[string]any{"volumeName": "pv1"}, "status": map[string]any{"phase": "Bound"},
	})
	claim := w.ref("PersistentVolumeClaim/data")
	want := Need{ID: object.ID{Kind: "Pod", Namespace: claim.Namespace}}
	if x := Explain(w.snapshot(), []object.ID{claim}); !slices.Contains(x.Needs, want) {
		t.Errorf("needs %+v, want all pods of %s", x.Needs, claim.Namespace)
	}
}

// What is only referred to is in no tree: nobody else asks for its events.
func TestTheEventsOfAReferencedObjectAreRequested(t *testing.T) {
	w := newWorld(caseNow)
	w.addDoc(t, map[string]any{
		"kind": "ExternalSecret", "name": "db", "spec": map[string]any{"secretStoreRef": map[string]any{"kind": "SecretStore", "name": "vault"}},
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "False", "reason": "SecretSyncedError", "message": "store is not ready"}}},
	})
	w.addDoc(t, map[string]any{
		"kind": "SecretStore", "name": "vault",
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "False", "reason": "InvalidProviderConfig", "message": "unable to validate store"}}},
	})
	store := w.ref("SecretStore/vault")
	s := w.snapshot()
	judged := s.Assessment
	s.Assessment = func(id object.ID) (status.Assessment, bool) {
		if id == store {
			return status.Assessment{}, false
		}
		return judged(id)
	}
	x := Explain(s, []object.ID{w.ref("ExternalSecret/db")})
	if !slices.Contains(x.DependsOn, store) {
		t.Errorf("the cause rests on %v, want %s: it would never heal", x.DependsOn, store)
	}
	if !slices.Contains(x.Needs, Need{ID: store, Events: true}) {
		t.Errorf("needs %+v, want the events of %s", x.Needs, store)
	}
	w.events[store] = []object.Event{{About: store, Type: "Warning", Reason: "InvalidProviderConfig", Message: "unable to log in with app role auth: permission denied", First: caseNow.Add(-time.Hour), Last: caseNow.Add(-time.Minute), Count: 9}}
	if x = Explain(s, []object.ID{w.ref("ExternalSecret/db")}); len(x.Causes) != 1 || !strings.Contains(x.Causes[0].Title, "permission denied") {
		t.Errorf("the store's event is not its cause:\n%s", describe(x.Causes))
	}
}

// Of several Pods with one fault it is not left to chance whose log comes first: the cause is shown at the
// Pod that comes first, as soon as its log has been read.
func TestTheLogOfTheFirstPodIsReadThoughAnotherOneCameFirst(t *testing.T) {
	w := newWorld(caseNow)
	w.addDoc(t, map[string]any{"kind": "ReplicaSet", "name": "web", "spec": map[string]any{"replicas": int64(2)}, "status": map[string]any{"replicas": int64(2)}})
	for _, name := range []string{"web-a", "web-b"} {
		w.addDoc(t, map[string]any{
			"kind": "Pod", "name": name, "owner": "ReplicaSet/web",
			"spec": map[string]any{"nodeName": "n1", "containers": []any{map[string]any{"name": "app", "image": "i"}}},
			"status": map[string]any{"phase": "Running", "containerStatuses": []any{map[string]any{
				"name": "app", "restartCount": int64(5), "state": map[string]any{"waiting": map[string]any{"reason": "CrashLoopBackOff"}},
				"lastState": map[string]any{"terminated": map[string]any{"exitCode": int64(1), "reason": "Error", "startedAt": "-61s", "finishedAt": "-60s"}},
			}}},
		})
	}
	subject := func() (object.ID, []Need) {
		x := Explain(w.snapshot(), []object.ID{w.ref("Pod/web-a"), w.ref("Pod/web-b")})
		if len(x.Causes) != 1 {
			t.Fatalf("not one cause:\n%s", describe(x.Causes))
		}
		return x.Causes[0].Subject.ID, x.Reading
	}
	w.logs["web-b/app"] = logline.Decisive([]string{"fatal: no such file"})
	if _, reading := subject(); !slices.ContainsFunc(reading, func(n Need) bool { return n.ID.Name == "web-a" && n.Log != "" }) {
		t.Errorf("the first Pod's log is not read: %v", reading)
	}
	w.logs["web-a/app"] = w.logs["web-b/app"]
	if id, _ := subject(); id.Name != "web-a" {
		t.Errorf("shown at %v", id)
	}
}

// What a finding blames is asked for, also where its detector only knows the name.
func TestWhatIsBlamedIsRequested(t *testing.T) {
	w := newWorld(caseNow)
	w.addDoc(t, map[string]any{
		"kind": "Kustomization", "name": "infra", "spec": map[string]any{"wait": true},
		"status": map[string]any{"conditions": []any{map[string]any{
			"type": "Ready", "status": "False", "reason": "HealthCheckFailed",
			"message": "health check failed after 5m0s: timeout waiting for: [HelmRelease/shop/redis status: 'Failed']",
		}}},
	})
	release := object.ID{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease", Namespace: "shop", Name: "redis"}
	if x := Explain(w.snapshot(), []object.ID{w.ref("Kustomization/infra")}); !slices.Contains(x.Needs, Need{ID: release}) {
		t.Errorf("needs %+v, want %s", x.Needs, release)
	}
}
