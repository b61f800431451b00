package explain

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Pods as clusters have them, with several of everything: constraints, claims, ports,
// containers; on Nodes that differ, with what scheduler and kubelet say of each. Whatever
// comes together, the explanation keeps what it promises.
func FuzzPods(f *testing.F) {
	for seed := range uint64(150) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		w, roots := podWorld(t, seed, nil)
		s := w.snapshot()
		causes := Explain(s, roots).Causes
		checkBounds(t, causes)
		for _, c := range causes {
			w.resolves(t, c)
		}
		for _, x := range contradictions(s, roots, causes) {
			t.Error(x)
		}
		for _, id := range roots {
			o := s.Object(id)
			a, _ := s.Assessment(id)
			blocked := func(c Cause) bool { return slices.Contains(c.Blocks, id) }
			if a.Status != status.Current && w.now.Sub(o.Created) > 30*time.Minute && !slices.ContainsFunc(causes, blocked) {
				t.Errorf("%s is %s (%s) since %s, and nothing says why", id, a.Status, a.Message, w.now.Sub(o.Created))
			}
		}
		other, _ := podWorld(t, seed, rand.New(rand.NewPCG(seed, 1)))
		again := Explain(other.snapshot(), roots).Causes
		if a, b := describe(causes), describe(again); a != b {
			t.Errorf("the order in which they came makes a difference:\n%s\nand\n%s", a, b)
		}
		if t.Failed() {
			t.Log(describe(causes))
			for id, raw := range w.raw {
				if id.Kind == "Pod" {
					text, _ := json.Marshal(raw)
					t.Logf("%s", text)
				}
			}
		}
	})
}

// podWorld is the set of a seed; the Pods are its roots. They come in the order
// of generation, or shuffled.
func podWorld(t testing.TB, seed uint64, shuffle *rand.Rand) (w *world, roots []object.ID) {
	w = newWorld(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	g := podGenerator{rand.New(rand.NewPCG(seed, 0)), w.now}
	var docs []any
	for n := range 1 + g.IntN(4) {
		docs = append(docs, g.node(n))
	}
	for n := range g.IntN(4) {
		docs = append(docs, g.claim(n))
	}
	for n := range g.IntN(3) {
		docs = append(docs, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": g.meta("Secret", fmt.Sprint("s", n))})
	}
	for n := range 1 + g.IntN(5) {
		pod, events := g.pod(n)
		docs = append(append(docs, pod), events...)
		roots = append(roots, object.ID{Kind: "Pod", Namespace: "a", Name: fmt.Sprint("p", n)})
	}
	if shuffle != nil {
		shuffle.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	}
	for _, d := range docs {
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		w.add(t, text)
	}
	for _, kind := range []string{"Node", "PersistentVolumeClaim", "StorageClass", "PersistentVolume"} {
		w.complete[object.ID{Kind: kind}] = true
	}
	for n := range 4 {
		id := object.ID{Kind: "Secret", Namespace: "a", Name: fmt.Sprint("s", n)}
		w.absent[id] = w.objects[id] == nil
		id.Kind = "PersistentVolumeClaim"
		id.Name = fmt.Sprint("c", n)
		w.absent[id] = w.objects[id] == nil
	}
	slices.SortFunc(w.order, func(a, b *object.Object) int { return strings.Compare(a.String(), b.String()) }) // a Snapshot's lists have one order, its events any
	w.link()
	return w, roots
}

type podGenerator struct {
	*rand.Rand
	now time.Time
}

func (g podGenerator) one(of ...string) string { return of[g.IntN(len(of))] }

func (g podGenerator) often(percent int) bool { return g.IntN(100) < percent }

// some are up to n things.
func (g podGenerator) some(n int, thing func(i int) any) (out []any) {
	for i := range g.IntN(n + 1) {
		out = append(out, thing(i))
	}
	return out
}

func (g podGenerator) ago(upTo time.Duration) string {
	return g.now.Add(-time.Duration(g.Int64N(int64(upTo)))).Truncate(time.Second).Format(time.RFC3339)
}

func (g podGenerator) meta(kind, name string) map[string]any {
	m := map[string]any{"name": name, "uid": kind + name, "namespace": "a", "creationTimestamp": g.ago(3 * time.Hour)}
	if kind == "Node" {
		delete(m, "namespace")
	}
	return m
}

func (g podGenerator) node(n int) any {
	m := g.meta("Node", fmt.Sprint("n", n))
	m["labels"] = map[string]any{"zone": g.one("x", "y"), "kubernetes.io/hostname": m["name"], "disk": g.one("ssd", "hdd", "7")}
	spec := map[string]any{}
	if g.often(30) {
		spec["taints"] = g.some(2, func(int) any {
			return map[string]any{"key": g.one("gpu", "node.kubernetes.io/unreachable", "node.kubernetes.io/disk-pressure"), "effect": g.one("NoSchedule", "NoExecute")}
		})
	}
	if g.often(15) {
		spec["unschedulable"] = true
	}
	return map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": m, "spec": spec, "status": map[string]any{
		"allocatable": map[string]any{"cpu": g.one("1", "500m", "4"), "memory": g.one("1Gi", "64Gi"), "pods": g.one("1", "110")},
		"conditions":  []any{map[string]any{"type": "Ready", "status": g.one("True", "True", "True", "False", "Unknown"), "reason": "KubeletReady", "message": "container runtime is down", "lastTransitionTime": g.ago(time.Hour)}},
	}}
}

func (g podGenerator) claim(n int) any {
	phase := g.one("Bound", "Pending", "Lost")
	spec := map[string]any{"accessModes": []any{g.one("ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod")}, "resources": map[string]any{"requests": map[string]any{"storage": "1Gi"}}}
	if g.often(70) {
		spec["storageClassName"] = g.one("fast", "none", "")
	}
	if phase != "Pending" {
		spec["volumeName"] = fmt.Sprint("pv", n)
	}
	return map[string]any{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": g.meta("PersistentVolumeClaim", fmt.Sprint("c", n)), "spec": spec, "status": map[string]any{"phase": phase}}
}

func (g podGenerator) selector() any {
	switch g.IntN(4) {
	case 0:
		return map[string]any{}
	case 1:
		return map[string]any{"matchExpressions": []any{map[string]any{"key": "app", "operator": g.one("Exists", "DoesNotExist")}}}
	default:
		return map[string]any{"matchLabels": map[string]any{"app": g.one("web", "db")}}
	}
}

func (g podGenerator) podTerms() any {
	return map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": g.some(3, func(int) any {
		return map[string]any{"topologyKey": g.one("zone", "kubernetes.io/hostname", "rack"), "labelSelector": g.selector()}
	})}
}

func (g podGenerator) requirement(int) any {
	operator := g.one("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
	r := map[string]any{"key": g.one("zone", "disk", "rack"), "operator": operator}
	switch operator {
	case "In", "NotIn":
		r["values"] = []any{g.one("x", "ssd"), g.one("z", "hdd")}
	case "Gt", "Lt":
		r["values"] = []any{g.one("5", "9")}
	}
	return r
}

func (g podGenerator) pod(n int) (any, []any) {
	meta := g.meta("Pod", fmt.Sprint("p", n))
	meta["labels"] = map[string]any{"app": g.one("web", "db")}
	var containers, ready []any
	phase, node := g.one("Pending", "Pending", "Pending", "Running", "Running", "Failed", "Succeeded"), ""
	if phase != "Pending" || g.often(50) {
		node = fmt.Sprint("n", g.IntN(4))
	}
	all := true
	for i := range 1 + g.IntN(3) {
		name := fmt.Sprint("c", i)
		container := map[string]any{
			"name": name, "image": g.one("nginx", "reg.io/a/b:v1", "reg.io/a/b@sha256:0"),
			"ports": g.some(3, func(i int) any {
				return map[string]any{"name": fmt.Sprint("x", i), "containerPort": 80 + i, "hostPort": 8080 * g.IntN(2)}
			}),
			"resources": map[string]any{"requests": map[string]any{"cpu": g.one("0", "100m", "3"), "memory": g.one("1Mi", "2Gi")}, "limits": map[string]any{"memory": "2Gi"}},
			"env": g.some(2, func(int) any {
				return map[string]any{"name": "E", "valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": fmt.Sprint("s", g.IntN(4)), "key": "k"}}}
			}),
		}
		if g.often(40) {
			container["readinessProbe"] = map[string]any{"httpGet": map[string]any{"port": 80}, "periodSeconds": 10, "failureThreshold": 3}
		}
		containers = append(containers, container)
		if node != "" {
			st := g.container(name, container["image"].(string), phase)
			all = all && st["ready"] == true
			ready = append(ready, st)
		}
	}
	spec := map[string]any{"containers": containers, "restartPolicy": g.one("Always", "Always", "OnFailure", "Never"), "volumes": g.some(4, func(i int) any {
		v := map[string]any{"name": fmt.Sprint("v", i)}
		if g.often(60) {
			v["persistentVolumeClaim"] = map[string]any{"claimName": fmt.Sprint("c", g.IntN(4))}
		} else {
			v["secret"] = map[string]any{"secretName": fmt.Sprint("s", g.IntN(4))}
		}
		return v
	})}
	affinity := map[string]any{}
	if g.often(40) {
		affinity["nodeAffinity"] = map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": map[string]any{"nodeSelectorTerms": g.some(3, func(int) any { return map[string]any{"matchExpressions": g.some(3, g.requirement)} })}}
	}
	if g.often(40) {
		affinity["podAffinity"] = g.podTerms()
	}
	if g.often(40) {
		affinity["podAntiAffinity"] = g.podTerms()
	}
	spec["affinity"] = affinity
	spec["tolerations"] = g.some(2, func(int) any {
		return map[string]any{"key": g.one("gpu", "node.kubernetes.io/unreachable"), "operator": "Exists", "effect": g.one("", "NoSchedule", "NoExecute")}
	})
	spec["topologySpreadConstraints"] = g.some(3, func(i int) any {
		return map[string]any{"topologyKey": []string{"zone", "kubernetes.io/hostname", "rack"}[i], "maxSkew": 1, "whenUnsatisfiable": g.one("DoNotSchedule", "ScheduleAnyway"), "labelSelector": g.selector()}
	})
	condition := func(kind, state, reason, message string) any {
		return map[string]any{"type": kind, "status": state, "reason": reason, "message": message, "lastTransitionTime": g.ago(time.Hour)}
	}
	st := map[string]any{"phase": phase}
	reasons := []string{"FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox", "Unhealthy", "BackOff", "Failed", "Killing", "Evicted"}
	if node == "" {
		text := g.unschedulable()
		st["conditions"] = []any{condition("PodScheduled", "False", "Unschedulable", text)}
		reasons = []string{"FailedScheduling"}
	} else {
		spec["nodeName"] = node
		st["containerStatuses"], st["startTime"] = ready, g.ago(time.Hour)
		state := "True"
		if !all || phase != "Running" {
			state = "False"
		}
		st["conditions"] = []any{condition("PodScheduled", "True", "", ""), condition("ContainersReady", state, "ContainersNotReady", "containers with unready status: [c0 c1]"), condition("Ready", state, "ContainersNotReady", "containers with unready status: [c0 c1]")}
	}
	if phase == "Failed" && g.often(40) {
		st["reason"], st["message"] = g.one("Evicted", "NodeAffinity", "OutOfcpu", "DeadlineExceeded", "UnexpectedAdmissionError"), "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi."
	}
	events := g.some(3, func(i int) any {
		reason := reasons[g.IntN(len(reasons))]
		text := g.unschedulable()
		if reason != "FailedScheduling" {
			text = g.one(
				`MountVolume.SetUp failed for volume "v0" : secret "s0" not found`, `AttachVolume.Attach failed for volume "pv1" : volume attachment is being deleted`,
				`Multi-Attach error for volume "pv0" Volume is already used by pod(s) p1`, `Unable to attach or mount volumes: unmounted volumes=[v0 v1], unattached volumes=[], failed to process volumes=[v1]: timed out waiting for the condition`,
				`Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "0": plugin type="calico" failed (add): connection is unauthorized: Unauthorized`,
				"Readiness probe failed: HTTP probe failed with statuscode: 503", "Back-off restarting failed container c0 in pod p0", `Failed to pull image "reg.io/a/b:v1": not found`)
		}
		return map[string]any{
			"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"uid": fmt.Sprint("e", n, i)}, "type": "Warning", "reason": reason, "message": text, "count": 1 + g.IntN(40),
			"involvedObject": map[string]any{"apiVersion": "v1", "kind": "Pod", "namespace": "a", "name": meta["name"], "uid": meta["uid"]}, "firstTimestamp": g.ago(time.Hour), "lastTimestamp": g.ago(10 * time.Minute),
		}
	})
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": st}, events
}

// unschedulable is what the scheduler says, of one reason or of several.
func (g podGenerator) unschedulable() string {
	var text strings.Builder
	text.WriteString("0/4 nodes are available: ")
	for i := range 1 + g.IntN(3) {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString("1 " + g.one("Insufficient cpu", "node(s) had untolerated taint {gpu: }", "node(s) didn't match pod topology spread constraints", "node(s) didn't match pod anti-affinity rules", "node(s) didn't match pod affinity rules", "node(s) didn't have free ports for the requested pod ports", "node(s) had volume node affinity conflict", "node(s) didn't match Pod's node affinity/selector", "Too many pods", "node(s) were unschedulable"))
	}
	if g.often(20) {
		return g.one(`persistentvolumeclaim "c1" not found`, "pod has unbound immediate PersistentVolumeClaims",
			`0/4 nodes are available: persistentvolumeclaim "c3" not found. preemption: not eligible`)
	}
	return text.String() + ". preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling."
}

func (g podGenerator) container(name, image, phase string) map[string]any {
	st := map[string]any{"name": name, "image": image, "ready": false, "started": false, "restartCount": 0}
	ended := func(code int, reason string) any {
		return map[string]any{"terminated": map[string]any{"exitCode": code, "reason": reason, "startedAt": g.ago(time.Hour), "finishedAt": g.ago(30 * time.Minute)}}
	}
	switch phase {
	case "Failed":
		st["state"] = ended(1+g.IntN(140), g.one("Error", "OOMKilled", "ContainerStatusUnknown"))
	case "Succeeded":
		st["state"] = ended(0, "Completed")
	case "Running":
		if g.often(60) {
			st["state"], st["ready"], st["started"] = map[string]any{"running": map[string]any{"startedAt": g.ago(time.Hour)}}, g.often(70), true
			break
		}
		st["state"] = map[string]any{"waiting": map[string]any{"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}}
		st["lastState"], st["restartCount"] = ended(1, g.one("Error", "OOMKilled", "Completed")), 1+g.IntN(30)
	default:
		reason := g.one("ContainerCreating", "PodInitializing", "ErrImagePull",
			"ImagePullBackOff", "CreateContainerConfigError", "InvalidImageName", "RunContainerError")
		text := map[string]string{
			"ErrImagePull": "rpc error: code = NotFound desc = failed to pull and unpack image: not found", "ImagePullBackOff": `Back-off pulling image "reg.io/a/b:v1"`,
			"CreateContainerConfigError": `secret "s1" not found`, "RunContainerError": `exec: "x": executable file not found in $PATH`,
		}[reason]
		st["state"] = map[string]any{"waiting": map[string]any{"reason": reason, "message": text}}
	}
	return st
}
