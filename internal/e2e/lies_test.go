package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// What other tools have been caught at, each as a wait that must tell the
// truth. Where the other one is kubectl it runs beside, and the test notes what
// it said; the others are not at hand.

// kubectl runs kubectl as u, to its end, where there is one on the PATH.
func kubectl(t *testing.T, u cluster.User, args ...string) (outcome, bool) {
	t.Helper()
	path, err := exec.LookPath("kubectl")
	if err != nil {
		t.Log("there is no kubectl to compare with")
		return outcome{}, false
	}
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = environment(t, shared.Kubeconfig(u))
	began := time.Now()
	text, err := cmd.CombinedOutput()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatalf("kubectl %s: %v", strings.Join(args, " "), err)
	}
	got := outcome{code: cmd.ProcessState.ExitCode(), stdout: string(text), took: time.Since(began)}
	t.Logf("kubectl %s: exit %d after %s: %s", strings.Join(args, " "), got.code, got.took.Round(100*time.Millisecond), strings.TrimSpace(got.stdout))
	return got, true
}

// waiting is a wait that goes on in the background.
type waiting struct {
	t    *testing.T
	out  *growing
	done chan outcome // gets one outcome
}

// growing is what a program has printed so far.
type growing struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (g *growing) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.Write(b)
}

func (g *growing) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.String()
}

func startWait(t *testing.T, args ...string) waiting {
	t.Helper()
	return startWaitOn(t, "", args...)
}

func startWaitOn(t *testing.T, stdin string, args ...string) waiting {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	w := waiting{t, &growing{}, make(chan outcome, 1)}
	cmd := exec.CommandContext(ctx, binary, append([]string{"wait"}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdin = environment(t, shared.Kubeconfig(cluster.ReadOnly)), strings.NewReader(stdin)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(w.out, &stdout), io.MultiWriter(w.out, &stderr)
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer cancel()
		_ = cmd.Wait()
		w.done <- outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), time.Since(began)}
	}()
	return w
}

// says waits until the wait has printed a text.
func (w waiting) says(text string) waiting {
	w.t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(w.out.String(), text); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("nothing says %q in\n%s", text, w.out)
		}
	}
	return w
}

// ends checks how the wait ends, and that it says all of the texts.
func (w waiting) ends(code int, texts ...string) outcome {
	w.t.Helper()
	got := <-w.done
	got.ended(w.t, code, texts...)
	return got
}

func (o outcome) ended(t *testing.T, code int, texts ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("want exit %d\n%s", code, o)
	}
	for _, text := range texts {
		if !strings.Contains(o.stdout+o.stderr, text) {
			t.Errorf("nothing says %q\n%s", text, o)
		}
	}
}

// stillWaits checks that the wait has not ended within d.
func (w waiting) stillWaits(d time.Duration) {
	w.t.Helper()
	select {
	case got := <-w.done:
		w.t.Fatalf("ended early\n%s", got)
	case <-time.After(d):
	}
}

func TestAWaitWaitsForAnObjectThatDoesNotExistYet(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "lies")
	if got, ok := kubectl(t, cluster.ReadOnly, "wait", "-n", ns, "--for=condition=Available", "--timeout=5s", "deploy/front"); ok && got.code == 0 {
		t.Errorf("kubectl has become better: %s", got)
	}
	w := startWait(t, "-n", ns, "deploy/front", "cm/front-settings", "--timeout=3m").says("Deployment/front  NotFound")
	w.stillWaits(time.Second)
	apply(t, ns, pair)
	w.ends(0, "Deployment/front  NotFound", "2 of 2 Current")
}

func TestABrokenStatefulSetEndsAWaitWithItsReason(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "lies")
	set := func(fault string) string {
		return fmt.Sprintf(`
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: database}
spec:
  serviceName: database
  replicas: 2
  selector: {matchLabels: {app: database}}
  template:
    metadata:
      labels: {app: database}
      annotations: {kstatus-tui.test/fault: "%s"}
    spec:
      containers: [{name: database, image: "registry.example.com/shop/database:16"}]
`, fault)
	}
	apply(t, ns, set(""))
	startWait(t, "-n", ns, "sts/database", "--timeout=3m").ends(0)
	apply(t, ns, set(cluster.ImageNotFound))
	w := startWait(t, "-n", ns, "sts/database", "--timeout=3m", "--fail-fast=any")
	if got, ok := kubectl(t, cluster.ReadOnly, "rollout", "status", "-n", ns, "sts/database", "--timeout=5s"); ok && strings.Contains(got.stdout, "Image") {
		t.Errorf("kubectl has become better: %s", got)
	}
	// Two Pods, one of them broken for longer than the grace.
	w.ends(2, "StatefulSet/database has failed", "ImagePull", "next:")
	// The old revision comes back, the broken Pod stays: kubectl waits for ever
	// (kubernetes/kubernetes#67250).
	apply(t, ns, set(""))
	got := startWait(t, "-n", ns, "sts/database", "--timeout=20s").ends(2, "NAME")
	if !strings.Contains(got.stdout, "database-1") {
		t.Errorf("the Pod that is in the way is not named\n%s", got)
	}
}

// kpt live status exits 0 when its time is over.
func TestAWaitThatRunsOutOfTimeExitsWith3(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "lies")
	apply(t, ns, fmt.Sprintf(worker, cluster.NeverReady)) // it runs, and nothing of it ever fails
	statusUntil(t, cluster.ReadOnly, []string{"-n", ns, "deploy/worker"}, func(_ document, got outcome) string {
		if !strings.Contains(got.stdout, "ContainersNotReady") {
			return "the Pods do not say that they are not ready"
		}
		return ""
	})
	got := startWait(t, "-n", ns, "deploy/worker", "cm/never", "--timeout=8s").ends(3, "out of time after 8", "0 of 2 Current", "NAME", "ContainersNotReady", "NotFound")
	if got.took < 8*time.Second || got.took > time.Minute {
		t.Errorf("took %s", got.took)
	}
}

// Helm 4 waits for the deletion event of an object that is gone already, and
// kubectl cannot wait for that with the same arguments as for an existing one.
func TestAWaitForDeletionSucceedsIfTheObjectIsGone(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "lies")
	apply(t, ns, pair)
	startWait(t, "-n", ns, "-f", manifest(t, pair), "--timeout=3m").ends(0)
	w := startWait(t, "-n", ns, "-f", manifest(t, pair), "--for=deleted", "--timeout=3m").says("ConfigMap/front-settings  Current")
	w.stillWaits(time.Second)
	if err := shared.Delete(t.Context(), ns, pair); err != nil {
		t.Fatal(err)
	}
	w.ends(0, "2 of 2 gone")
	got := startWait(t, "-n", ns, "-f", manifest(t, pair), "--for=deleted", "--timeout=3m").ends(0, "2 of 2 gone")
	if got.took > time.Minute || strings.Contains(got.stdout, "NAME") {
		t.Errorf("took %s\n%s", got.took, got)
	}
}

func TestAWaitTakesAKindWhoseDefinitionComesLate(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "lies")
	definition := servedKind("late.example.com", "Namespaced", "Parcel", "parcels", "v1")
	parcel := `
apiVersion: late.example.com/v1
kind: Parcel
metadata: {name: first}
spec: {to: somebody}
`
	t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), "", definition) })
	file := manifest(t, parcel)
	if got, ok := kubectl(t, cluster.ReadOnly, "wait", "-n", ns, "--for=condition=Ready", "--timeout=5s", "-f", file); ok && got.code == 0 {
		t.Errorf("kubectl has become better: %s", got)
	}
	w := startWait(t, "-n", ns, "-f", file, "--timeout=3m").says("Parcel/first  NotFound")
	apply(t, "", definition)
	deadline := time.Now().Add(patience)
	for shared.Apply(t.Context(), ns, parcel) != nil {
		if time.Now().After(deadline) {
			t.Fatal("the kind is never served")
		}
		time.Sleep(100 * time.Millisecond)
	}
	w.stillWaits(2 * time.Second) // no controller has reported
	served := time.Now()
	if err := shared.PatchStatus(t.Context(), "late.example.com/v1", "Parcel", ns, "first",
		`{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"Sent","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`); err != nil {
		t.Fatal(err)
	}
	w.ends(0, "1 of 1 Current")
	t.Logf("%s after its status was there", time.Since(served).Round(time.Millisecond))
}

func TestAJobThatItsTTLRemovesHasBeenWaitedFor(t *testing.T) {
	t.Parallel()
	for _, ttl := range []int{0, 1} {
		t.Run(fmt.Sprint(ttl), func(t *testing.T) {
			t.Parallel()
			ns := namespace(t, "lies")
			w := startWait(t, "-n", ns, "job/migrate", "--timeout=3m", "--settle=3s").says("Job/migrate  NotFound")
			apply(t, ns, fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  ttlSecondsAfterFinished: %d
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "registry.example.com/shop/migrate:1"}]
`, ttl))
			if got := w.ends(0, "1 of 1 Current", "1 completed and removed by their TTL"); strings.Contains(got.stdout, "NAME") {
				t.Errorf("it is complained about\n%s", got)
			}
			if got, ok := kubectl(t, cluster.ReadOnly, "wait", "-n", ns, "--for=condition=Complete", "--timeout=3s", "job/migrate"); ok && got.code == 0 {
				t.Errorf("the Job was not removed: %s", got)
			}
		})
	}
}

func TestAPausedDeploymentIsNotDone(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "lies")
	apply(t, ns, pair)
	startWait(t, "-n", ns, "deploy/front", "--timeout=3m").ends(0)
	on, err := shared.Kind(t.Context(), "apps/v1", "Deployment", ns)
	if err != nil {
		t.Fatal(err)
	}
	patch := `{"spec":{"paused":true,"template":{"metadata":{"annotations":{"version":"2"}}}}}`
	if _, err := on.Patch(t.Context(), "front", types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	kubectl(t, cluster.ReadOnly, "wait", "-n", ns, "--for=condition=Available", "--timeout=3s", "deploy/front")
	startWait(t, "-n", ns, "deploy/front", "--timeout=10s").ends(3, "InProgress (paused)", "out of time")
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "deploy/front")
	if r := doc.resource("Deployment", "front"); got.code != 3 || r == nil || r.Status != "InProgress" || !r.Paused {
		t.Errorf("want InProgress, paused and exit 3\n%s", got)
	}
}

func TestARecreatedObjectEndsTheWaitWith4(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "lies")
	apply(t, ns, fmt.Sprintf(worker, cluster.ConfigMissing))
	w := startWait(t, "-n", ns, "deploy/worker", "--timeout=3m").says("Deployment/worker  InProgress")
	if err := shared.Delete(t.Context(), ns, fmt.Sprintf(worker, "")); err != nil {
		t.Fatal(err)
	}
	apply(t, ns, fmt.Sprintf(worker, ""))
	w.ends(4, "deleted")
}

func TestAnEmptySetIsNoSuccess(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "lies")
	kubectl(t, cluster.ReadOnly, "wait", "-n", ns, "--for=delete", "--timeout=2s", "deploy", "-l", "app=nobody")
	kubectl(t, cluster.ReadOnly, "get", "-n", ns, "deploy", "-l", "app=nobody")
	startWait(t, "-n", ns, "deploy", "-l", "app=nobody", "--timeout=10s").ends(1, "nothing was found")
	startWait(t, "-n", ns, "deploy", "-l", "app=nobody", "--for=deleted", "--timeout=10s").ends(1, "nothing was found")
	ktui(t, cluster.ReadOnly, "status", "-n", ns, "deploy", "-l", "app=nobody").ended(t, 1, "no resources found")
}

// An old Current is never the success of a later apply.
func TestAWaitHoldsOutForTheGenerationThatWasApplied(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "lies")
	apply(t, ns, pair)
	startWait(t, "-n", ns, "deploy/front", "--timeout=3m").ends(0)
	// The output of `kubectl apply -o yaml`, before the program has seen the
	// object.
	applied := fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: front, namespace: %s, uid: x, resourceVersion: "1", generation: 2}
`, ns)
	piped := func(args ...string) waiting {
		return startWaitOn(t, applied, append([]string{"-n", ns, "-f", "-", "--timeout=3m"}, args...)...).says("Deployment/front  ")
	}
	w := piped()
	w.stillWaits(3 * time.Second)
	apply(t, ns, strings.Replace(pair, "front:1", "front:2", 1))
	w.ends(0, "1 of 1 Current")
	// A newer generation is no longer the applied object.
	w = piped("--settle=2m")
	w.stillWaits(2 * time.Second)
	apply(t, ns, strings.Replace(pair, "front:1", "front:3", 1))
	w.ends(4, "was changed again (generation 3, waited for 2)")
}

// An autoscaler changes the generation, too; another apply may coincide with a
// change of the scale, or change fields that are not kept.
func TestAScaleIsNoOtherApplyAndAnApplyThatScalesIsOne(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "lies")
	definition := servedKind("scaled.example.com", "Namespaced", "Fleet", "fleets", "v1")
	t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), "", definition) })
	apply(t, "", definition)
	const fleet = `
---
apiVersion: scaled.example.com/v1
kind: Fleet
metadata: {name: red}
spec: {replicas: 2, colour: red}
`
	for _, test := range []struct{ group, name, is, scaled, both string }{
		{
			"apps", "Deployment/front", pair, strings.Replace(pair, "replicas: 2", "replicas: 3", 1),
			strings.NewReplacer("replicas: 2", "replicas: 4", `front:1"}`, `front:1", args: [--verbose]}`).Replace(pair),
		},
		{"scaled.example.com", "Fleet/red", fleet, strings.Replace(fleet, "2", "3", 1), strings.NewReplacer("2", "4", "colour: red", "colour: blue").Replace(fleet)},
	} {
		apply(t, ns, test.is)
		kind, name, _ := strings.Cut(test.name, "/")
		applied := fmt.Sprintf(`
apiVersion: %s/v1
kind: %s
metadata: {name: %s, namespace: %s, uid: x, resourceVersion: "1", generation: 1}
`, test.group, kind, name, ns)
		w := startWaitOn(t, applied, "-n", ns, "-f", "-", "--settle=2m", "--timeout=3m").says(test.name + "  ")
		apply(t, ns, test.scaled)
		w.stillWaits(2 * time.Second)
		apply(t, ns, test.both)
		w.ends(4, test.name+" was changed again")
	}
}

func TestAnOptionalObjectMayFail(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "lies")
	apply(t, ns, pair)
	began := time.Now()
	startWait(t, "-n", ns, "deploy/front", "cm/never", "--optional=cm/never", "--settle=3s", "--timeout=3m").ends(0, "1 of 2 Current", "NotFound (optional)")
	if took := time.Since(began); took < 3*time.Second {
		t.Errorf("settled after %s", took)
	}
	startWait(t, "-n", ns, "deploy/front", "cm/never", "--for=exists", "--timeout=10s").ends(3, "1 of 2 there")
	startWait(t, "-n", ns, "deploy/front", "cm/never", "--for=known", "--timeout=3m").ends(0, "2 of 2 known")
}
