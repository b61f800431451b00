// Command benchwhy measures "kstatus-tui why" on a real control plane: forty
// ways for an application to be stuck and eight that only look like it, each
// in a namespace of its own, beside a healthy sibling. It prints what each
// answer said, right or wrong, and beside it what others say of the same
// objects at the same moment: kstatus's message, the last event as kubectl
// describe shows it, and kubectl rollout status's line.
//
// An answer is right when it names the wanted causes and no other, each with
// the wanted code, subject and class, and begins with one of them. Causes of class
// "waits" are allowed beside those wanted: what waits by design is no alarm. A
// control is right when nothing is said but what waits. The time is that from
// the moment the evidence was seen in the API (looked for every 300 ms) to the
// end of the first right answer, process start included.
//
//	cd internal/e2e && go run ./benchwhy -bin ../../bin/kstatus-tui
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// patience is how long an answer may take to become right.
const patience = 20 * time.Second

func main() {
	bin := flag.String("bin", cmp.Or(os.Getenv("KSTATUS_TUI_BIN"), filepath.Join("..", "..", "bin", "kstatus-tui")),
		"the `program` to ask")
	only := flag.String("only", "", "the `ids` of the scenarios to run, separated by commas")
	verbose := flag.Bool("v", false, "print every answer in full")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	wrong, err := bench(ctx, *bin, *only, *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchwhy:", err)
		os.Exit(1)
	}
	if wrong > 0 {
		os.Exit(2)
	}
}

// run is one run of the benchmark.
type run struct {
	ctx  context.Context
	c    *cluster.Cluster
	bin  string
	dir  string
	slot chan struct{} // as many answers at once as there are places
}

func bench(ctx context.Context, bin, only string, verbose bool) (wrong int, err error) {
	if bin, err = filepath.Abs(bin); err != nil {
		return 0, err
	}
	c, err := cluster.Start(ctx, cluster.Options{Progress: os.Stderr})
	if err != nil {
		return 0, err
	}
	defer c.Stop()
	dir, err := os.MkdirTemp("", "kstatus-tui-benchwhy-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	r := &run{ctx: ctx, c: c, bin: bin, dir: dir, slot: make(chan struct{}, 2)}
	if err := c.Apply(ctx, "", nodes); err != nil {
		return 0, err
	}
	list := slices.DeleteFunc(slices.Clone(scenarios), func(s scenario) bool {
		return only != "" && !slices.Contains(strings.Split(only, ","), s.id)
	})
	results := make([]result, len(list))
	for phase := range 3 {
		var wg sync.WaitGroup
		for i := range list {
			if s := &list[i]; s.phase == phase {
				wg.Go(func() {
					results[i] = r.play(s)
					fmt.Fprintf(os.Stderr, "%s done\n", s.id)
				})
			}
		}
		wg.Wait()
	}
	return table(results, verbose), ctx.Err()
}

// nodes are kept for single scenarios by their taints.
var nodes = node("full-1", "pool: full", "pool", "full") + node("ssd-1", "disk: ssd", "dedicated", "gpu") +
	node("pair-1", "pool: pair", "pool", "pair") + node("pair-2", "pool: pair", "pool", "pair")

// node is a simulated node of four cores with a label and a taint of its own.
func node(name, label, key, value string) string {
	return fmt.Sprintf(`
---
apiVersion: v1
kind: Node
metadata: {name: %[1]s, labels: {%[2]s, kubernetes.io/hostname: %[1]s}}
spec: {taints: [{key: %[3]s, value: %[4]s, effect: NoSchedule}]}
status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}, capacity: {cpu: "4", memory: 16Gi, pods: "110"}}
`, name, label, key, value)
}

// ref and cause are the parts of the program's JSON that are judged.
type ref struct{ Kind, Name, Container string }

func (r ref) String() string {
	return strings.TrimSuffix(r.Kind+"/"+r.Name+"/"+r.Container, "/")
}

type cause struct {
	Code, Title, Detail, Class, Certainty string
	Count                                 int
	Subject                               ref
	Objects, Blocks                       []ref
}

// result is the result of a scenario.
type result struct {
	s       *scenario
	err     error
	right   bool
	faults  []string // what was wrong, in the last answer
	causes  []cause
	answer  time.Duration
	others  [3]string // what the other tools say
	verdict string
}

func (r *run) play(s *scenario) (out result) {
	out.s = s
	ns := "why-" + s.id
	fill := func(text string) string { return strings.ReplaceAll(text, "{{ns}}", ns) }
	out.err = func() error {
		if _, err := r.c.CreateNamespace(r.ctx, ns, true); err != nil {
			return err
		}
		if !s.only {
			if err := r.c.Apply(r.ctx, ns, sibling); err != nil {
				return err
			}
			if err := r.until(ns, []string{"v1/Pod"}, `"phase":"Running"`); err != nil {
				return fmt.Errorf("the sibling: %w", err)
			}
		}
		if s.labels != "" {
			if err := r.c.ApplyAs(r.ctx, "labels", "",
				fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {%s}}\n",
					ns, s.labels)); err != nil {
				return err
			}
		}
		if s.before != "" {
			if err := r.c.Apply(r.ctx, ns, fill(s.before)); err != nil {
				return err
			}
			if strings.Contains(s.before, "kind: Deployment") {
				if err := r.until(ns, []string{"v1/Pod"}, `(?s)("phase":"Running".*){3}`); err != nil {
					return err
				}
			}
			if strings.Contains(s.before, "ValidatingAdmissionPolicy") || strings.Contains(s.before, "Webhook") ||
				strings.Contains(s.before, "Quota") || strings.Contains(s.before, "LimitRange") {
				// A new policy takes effect after a moment.
				if err := pause(r.ctx, 3*time.Second); err != nil {
					return err
				}
			}
		}
		followed := ""
		for _, step := range s.steps {
			followed = fill(step.manifest)
			if err := r.c.Apply(r.ctx, ns, followed); err != nil && !strings.Contains(followed, "absent.example") {
				return err
			}
			if step.until != "" {
				if err := r.until(ns, s.kinds, step.until, "v1/Pod", "v1/Event"); err != nil {
					return err
				}
			}
		}
		if s.act != nil {
			if err := s.act(r, s, ns); err != nil {
				return err
			}
		}
		if !s.only {
			followed += sibling
		}
		file := filepath.Join(r.dir, s.id+".yaml")
		if err := os.WriteFile(file, []byte(followed), 0o600); err != nil {
			return err
		}
		args := []string{"-f", file}
		if s.follow != nil {
			args = nil
			for _, f := range s.follow {
				args = append(args, fill(f))
			}
		}
		if err := r.until(ns, s.kinds, s.evidence); err != nil {
			return err
		}
		if err := pause(r.ctx, s.ripens); err != nil {
			return err
		}
		select {
		case r.slot <- struct{}{}:
		case <-r.ctx.Done():
			return r.ctx.Err()
		}
		defer func() { <-r.slot }()
		// Waiting for a slot is not the program's time.
		seen := time.Now()
		for {
			var err error
			out.verdict, out.causes, err = r.why(ns, args)
			if err != nil {
				return err
			}
			out.faults = judge(s, out.causes)
			out.answer = time.Since(seen)
			if out.right = len(out.faults) == 0; out.right || out.answer > patience {
				break
			}
			if err := pause(r.ctx, time.Second); err != nil {
				return err
			}
		}
		return r.compare(ns, fill(s.main), &out)
	}()
	return out
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// until waits for a pattern in the JSON of a namespace's objects.
func (r *run) until(ns string, kinds []string, pattern string, more ...string) error {
	kinds = append(slices.Clone(kinds), more...)
	if len(kinds) == 0 {
		kinds = []string{"v1/Event", "v1/Pod"}
	}
	want, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	var text []byte
	for end := time.Now().Add(120 * time.Second); time.Now().Before(end); {
		text = nil
		for _, kind := range kinds {
			on, err := r.c.Kind(r.ctx, path.Dir(kind), path.Base(kind), ns)
			if err != nil {
				return err
			}
			list, err := on.List(r.ctx, metav1.ListOptions{ResourceVersion: "0"})
			if err != nil {
				return err
			}
			for i := range list.Items {
				o := &list.Items[i]
				// Cluster-scoped objects are shared by all scenarios.
				if o.GetKind() == "Namespace" && o.GetName() != ns {
					continue
				}
				o.SetManagedFields(nil)
				o.SetAnnotations(nil)
				line, err := json.Marshal(o.Object)
				if err != nil {
					return err
				}
				text = append(append(text, line...), '\n')
			}
		}
		if want.Match(text) {
			return nil
		}
		if err := pause(r.ctx, 300*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("no evidence %q in %s", pattern, text[max(0, len(text)-600):])
}

// why runs the program.
func (r *run) why(ns string, args []string) (string, []cause, error) {
	ctx, cancel := context.WithTimeout(r.ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.bin, append([]string{"why", "-n", ns, "-o", "json"}, args...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+r.c.Kubeconfig(cluster.Admin))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() == 1 && stdout.Len() == 0 {
			return "", nil, fmt.Errorf("why: %w: %s", err, stderr.Bytes())
		}
	}
	var got struct {
		Verdict string
		Causes  []cause
	}
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		return "", nil, fmt.Errorf("why: %w: %s", err, stderr.Bytes())
	}
	return got.Verdict, got.Causes, nil
}

// judge lists what is wrong with an answer.
func judge(s *scenario, causes []cause) (faults []string) {
	firm := slices.DeleteFunc(slices.Clone(causes), func(c cause) bool { return c.Class == "waits" })
	if s.control {
		for _, c := range firm {
			faults = append(faults, "not silent: "+c.Code+" "+c.Subject.String())
		}
		return faults
	}
	used := map[int]bool{}
	for _, w := range s.wants {
		at, near := -1, "nothing like it"
		for i, c := range causes {
			if used[i] || c.Code != w.code {
				continue
			}
			if ok, _ := path.Match(strings.ReplaceAll(w.subject, "/", "|"),
				strings.ReplaceAll(c.Subject.String(), "/", "|")); w.subject != "" && !ok {
				near = "subject " + c.Subject.String()
				continue
			}
			if w.class != "" && c.Class != w.class {
				near = "class " + c.Class
				continue
			}
			if w.about != "" && !regexp.MustCompile(w.about).MatchString(c.Title+" "+c.Subject.String()) {
				near = "title " + c.Title
				continue
			}
			at = i
			break
		}
		if at < 0 {
			faults = append(faults, fmt.Sprintf("want %s %s %s: %s", w.code, w.class, w.subject, near))
			continue
		}
		used[at] = true
	}
	for i, c := range causes {
		if strings.HasPrefix(c.Subject.Name, "sibling") ||
			slices.ContainsFunc(c.Blocks, func(b ref) bool { return b.Name == "sibling" }) {
			faults = append(faults, "on the healthy sibling: "+c.Code)
		}
		if !used[i] && c.Class != "waits" {
			faults = append(faults, "extra: "+c.Code+" "+c.Subject.String())
		}
	}
	// Causes that need action come before those that wait.
	if len(causes) > 0 && len(faults) == 0 && !used[0] {
		faults = append(faults, "first is "+causes[0].Code)
	}
	return faults
}

// compare runs the other tools on the scenario's main object.
func (r *run) compare(ns, main string, out *result) error {
	kind, name, _ := strings.Cut(main, "/")
	for _, version := range []string{
		"apps/v1", "batch/v1", "v1", "apiextensions.k8s.io/v1",
		"kustomize.toolkit.fluxcd.io/v1", "policy/v1", "autoscaling/v2",
	} {
		if !slices.Contains(kindsOf[version], kind) {
			continue
		}
		on, err := r.c.Kind(r.ctx, version, kind, ns)
		if err != nil {
			return err
		}
		obj, err := on.Get(r.ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if out.others[0], err = r.kstatus(obj); err != nil {
			return err
		}
		if out.others[1], err = r.lastEvent(ns, kind, name); err != nil {
			return err
		}
		out.others[2] = rollout(obj)
	}
	return nil
}

var kindsOf = map[string][]string{
	"apps/v1": {"Deployment", "StatefulSet", "DaemonSet"}, "batch/v1": {"Job", "CronJob"},
	"v1":                      {"Service", "Namespace", "PersistentVolumeClaim"},
	"apiextensions.k8s.io/v1": {"CustomResourceDefinition"}, "kustomize.toolkit.fluxcd.io/v1": {"Kustomization"},
	"policy/v1": {"PodDisruptionBudget"}, "autoscaling/v2": {"HorizontalPodAutoscaler"},
}

// kstatus is kstatus's status and message; the program's own rules of that name
// are held to it word by word elsewhere.
func (r *run) kstatus(obj *unstructured.Unstructured) (string, error) {
	text, err := obj.MarshalJSON()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(r.ctx, r.bin, "compute", "--rules", "kstatus", "-f", "-", "-o", "jsonl")
	cmd.Stdin = bytes.NewReader(text)
	line, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("compute: %w", err)
	}
	var got struct{ Status, Message string }
	if err := json.Unmarshal(line, &got); err != nil {
		return "", err
	}
	return got.Status + ": " + got.Message, nil
}

// lastEvent is the last line of what kubectl describe prints of an object.
func (r *run) lastEvent(ns, kind, name string) (string, error) {
	on, err := r.c.Kind(r.ctx, "v1", "Event", ns)
	if err != nil {
		return "", err
	}
	list, err := on.List(r.ctx,
		metav1.ListOptions{FieldSelector: "involvedObject.kind=" + kind + ",involvedObject.name=" + name})
	if err != nil {
		return "", err
	}
	last, text := "", "(no events)"
	for _, e := range list.Items {
		at, _, _ := unstructured.NestedString(e.Object, "lastTimestamp")
		if at == "" {
			at, _, _ = unstructured.NestedString(e.Object, "eventTime")
		}
		if at >= last {
			reason, _, _ := unstructured.NestedString(e.Object, "reason")
			message, _, _ := unstructured.NestedString(e.Object, "message")
			last, text = at, reason+": "+message
		}
	}
	return text, nil
}

// rollout is the line that kubectl rollout status prints, by the rules of
// kubectl's polymorphichelpers/rollout_status.go, v0.36.
func rollout(obj *unstructured.Unstructured) string {
	number := func(path ...string) int64 {
		n, _, _ := unstructured.NestedInt64(obj.Object, path...)
		return n
	}
	name := obj.GetName()
	if obj.GetGeneration() > number("status", "observedGeneration") {
		switch obj.GetKind() {
		case "Deployment", "StatefulSet", "DaemonSet":
			return "Waiting for " + strings.ToLower(obj.GetKind()) + " spec update to be observed..."
		}
	}
	replicas, updated := number("spec", "replicas"), number("status", "updatedReplicas")
	switch obj.GetKind() {
	case "Deployment":
		conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
		for _, c := range conditions {
			if m, ok := c.(map[string]any); ok && m["type"] == "Progressing" &&
				m["reason"] == "ProgressDeadlineExceeded" {
				return fmt.Sprintf("error: deployment %q exceeded its progress deadline", name)
			}
		}
		switch total, available := number("status", "replicas"), number("status", "availableReplicas"); {
		case updated < replicas:
			return fmt.Sprintf(
				"Waiting for deployment %q rollout to finish: %d out of %d new replicas have been updated...",
				name, updated, replicas)
		case total > updated:
			return fmt.Sprintf(
				"Waiting for deployment %q rollout to finish: %d old replicas are pending termination...",
				name, total-updated)
		case available < updated:
			return fmt.Sprintf(
				"Waiting for deployment %q rollout to finish: %d of %d updated replicas are available...",
				name, available, updated)
		}
		return fmt.Sprintf("deployment %q successfully rolled out", name)
	case "DaemonSet":
		desired := number("status", "desiredNumberScheduled")
		if updated = number("status", "updatedNumberScheduled"); updated < desired {
			return fmt.Sprintf(
				"Waiting for daemon set %q rollout to finish: %d out of %d new pods have been updated...",
				name, updated, desired)
		}
		if available := number("status", "numberAvailable"); available < desired {
			return fmt.Sprintf("Waiting for daemon set %q rollout to finish: %d of %d updated pods are available...",
				name, available, desired)
		}
		return fmt.Sprintf("daemon set %q successfully rolled out", name)
	case "StatefulSet":
		kind, _, _ := unstructured.NestedString(obj.Object, "spec", "updateStrategy", "type")
		partition := number("spec", "updateStrategy", "rollingUpdate", "partition")
		now, _, _ := unstructured.NestedString(obj.Object, "status", "currentRevision")
		next, _, _ := unstructured.NestedString(obj.Object, "status", "updateRevision")
		switch ready := number("status", "readyReplicas"); {
		case kind != "RollingUpdate":
			return "error: rollout status is only available for RollingUpdate strategy type"
		case ready < replicas:
			return fmt.Sprintf("Waiting for %d pods to be ready...", replicas-ready)
		case partition > 0 && updated < replicas-partition:
			return fmt.Sprintf("Waiting for partitioned roll out to finish: %d out of %d new pods have been updated...",
				updated, replicas-partition)
		case partition > 0:
			return fmt.Sprintf("partitioned roll out complete: %d new pods have been updated...", updated)
		case next != now:
			return fmt.Sprintf(
				"waiting for statefulset rolling update to complete %d pods at revision %s...", updated, next)
		}
		return fmt.Sprintf("statefulset rolling update complete %d pods at revision %s...",
			number("status", "currentReplicas"), now)
	}
	return "(cannot)"
}

// table prints the results and returns how many are wrong.
func table(results []result, verbose bool) (wrong int) {
	var right, all, silent, controls int
	var named [3]int
	var times []time.Duration
	for _, r := range results {
		mark := "right"
		if !r.right {
			mark = "WRONG"
			wrong++
		}
		if r.s.control {
			controls++
			if r.right {
				silent++
			}
		} else {
			all++
			if r.right {
				right++
				times = append(times, r.answer)
			}
		}
		fmt.Printf("%-3s %s  %-55s %5.1fs  %s\n", r.s.id, mark, r.s.name, r.answer.Seconds(), r.verdict)
		for _, w := range r.s.wants {
			fmt.Printf("      wanted    %s %s %s\n", w.code, w.class,
				strings.ReplaceAll(w.subject, "{{ns}}", "why-"+r.s.id))
		}
		for _, c := range r.causes {
			fmt.Printf("      said      %s %s %s ×%d blocks %d: %s\n",
				c.Code, c.Class, c.Subject, c.Count, len(c.Blocks), c.Title)
			if verbose && c.Detail != "" {
				fmt.Printf("                %s\n", c.Detail)
			}
		}
		for _, f := range r.faults {
			fmt.Printf("      fault     %s\n", f)
		}
		if r.err != nil {
			fmt.Printf("      error     %v\n", r.err)
		}
		for i, who := range []string{"kstatus", "describe", "rollout"} {
			if r.s.control || r.others[i] == "" {
				continue
			}
			tells := ""
			if regexp.MustCompile(r.s.tells).MatchString(r.others[i]) {
				tells = "  <- names it"
				named[i]++
			}
			text := []rune(strings.Join(strings.Fields(r.others[i]), " "))
			if len(text) > 150 && !verbose {
				text = append(text[:149], '…')
			}
			fmt.Printf("      %-9s %s%s\n", who, string(text), tells)
		}
	}
	fmt.Printf("\nright: %d of %d scenarios; silent: %d of %d controls\n", right, all, silent, controls)
	if slices.Sort(times); len(times) > 0 {
		fmt.Printf("from the evidence to the right answer: median %.1fs, slowest %.1fs\n",
			times[len(times)/2].Seconds(), times[len(times)-1].Seconds())
	}
	fmt.Printf("the cause is named by kstatus's message in %d, by describe's last event in %d, by rollout status in %d\n",
		named[0], named[1], named[2])
	return wrong
}

// loseNodes stops the heartbeats of all nodes; no scenario can run after it.
func loseNodes(r *run, _ *scenario, _ string) error {
	return syscall.Kill(r.c.PID("kwok"), syscall.SIGSTOP)
}

func endNamespace(r *run, _ *scenario, ns string) error { return r.c.DeleteNamespace(r.ctx, ns) }

// breakChain writes the statuses that external-secrets and Flux would write.
func breakChain(r *run, _ *scenario, ns string) error {
	now := time.Now().UTC().Format(time.RFC3339)
	err := r.c.PatchStatus(r.ctx, "external-secrets.io/v1", "ExternalSecret", ns, "database",
		`{"status": {"refreshTime": null, "conditions": [{"type": "Ready", "status": "False", "reason": "SecretSyncedError", "lastTransitionTime": "`+now+`",
		"message": "error processing spec.data[0] (key: shop/database), err: permission denied"}]}}`)
	if err != nil {
		return err
	}
	id := func(group, kind, name string) string {
		return fmt.Sprintf(`{"id": "%s_%s_%s_%s", "v": "v1"}`, ns, name, group, kind)
	}
	return r.c.PatchStatus(r.ctx, "kustomize.toolkit.fluxcd.io/v1", "Kustomization", ns, "apps",
		`{"status": {"observedGeneration": 1, "lastAttemptedRevision": "main@sha1:4f2c",
		"inventory": {"entries": [`+id("apps", "Deployment", "web")+`, `+id("external-secrets.io",
			"ExternalSecret", "database")+`]},
		"conditions": [{"type": "Ready", "status": "False", "reason": "HealthCheckFailed", "observedGeneration": 1, "lastTransitionTime": "`+now+`",
		"message": "health check failed after 30s: timeout waiting for: [Deployment/`+ns+
			`/web status: 'InProgress', ExternalSecret/`+ns+`/database status: 'InProgress']"}]}}`)
}
