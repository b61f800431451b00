package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/proxy"
)

var (
	oracleTime = flag.Duration("oracle", 0, "for how long random things happen before the oracle compares; 0 for a fixed number")
	oracleSeed = flag.Uint64("oracle-seed", 24, "the random history; 0 takes a new one")
)

// steps is how many random things happen where no time is given: as many on a slow machine as on a fast one.
const steps = 60

// crate is the kind that comes and goes.
var crate = servedKind("oracle.example.com", "Namespaced", "Crate", "crates", "v1")

// Random changes of objects, kinds and rights, real controllers, and a proxy
// that spoils answers at random. At rest, what one run of the program has
// followed through all of it is what a new one reads at once, and what a plain
// list holds.
func TestOracleOnARealControlPlane(t *testing.T) {
	t.Parallel()
	seed := *oracleSeed
	if seed == 0 {
		seed = rand.Uint64N(1 << 32)
	}
	t.Logf("repeat it with -oracle-seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 24))
	ctx, ns := t.Context(), namespace(t, "oracle")
	t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(ctx), "", crate) })
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(shared.AllowIn(ctx, ns, cluster.Namespaced, "get", "list", "watch"))
	var happened []string
	say := func(format string, args ...any) {
		happened = append(happened, time.Now().Format("04:05.000 ")+fmt.Sprintf(format, args...))
	}

	p := chaos(t, rnd.IntN(2) == 0)
	finding := filepath.Join(t.TempDir(), "finding.json")
	var targets []string
	for i := range 3 {
		targets = append(targets, fmt.Sprint("deploy/app", i), fmt.Sprint("svc/app", i), fmt.Sprint("cm/app", i), fmt.Sprint("job/app", i))
	}
	crates := manifest(t, "apiVersion: oracle.example.com/v1\nkind: Crate\nmetadata: {name: app0}\n---\napiVersion: oracle.example.com/v1\nkind: Crate\nmetadata: {name: app1}\n")
	args := append([]string{"-n", ns, "--children=all", "-f", crates}, targets...)
	following := dashboard(t, cluster.Namespaced, append([]string{"cm/never", "--report", finding, "--server", p.URL()}, args...)...)

	var lifts []func()
	served := false
	// A definition created while its predecessor is being deleted is deleted
	// with it.
	serve := func() {
		for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
			must(shared.Apply(ctx, "", crate))
			on, err := shared.Kind(ctx, "oracle.example.com/v1", "Crate", ns)
			if err == nil {
				if _, err = on.List(ctx, metav1.ListOptions{}); err == nil {
					return
				}
			}
			if time.Now().After(deadline) {
				t.Fatal("Crates are never served: ", err)
			}
		}
	}
	change := func() {
		app := fmt.Sprint("app", rnd.IntN(3))
		fault := []string{"", "", cluster.ImageNotFound, cluster.NeverReady, cluster.ConfigMissing}[rnd.IntN(5)]
		deploy := strings.NewReplacer("worker", app, "replicas: 2", fmt.Sprint("replicas: ", rnd.IntN(3))).Replace(fmt.Sprintf(worker, fault))
		service := fmt.Sprintf("apiVersion: v1\nkind: Service\nmetadata: {name: %s}\nspec: {selector: {app: %[1]s}, ports: [{port: 80}]}\n", app)
		config := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {n: \"%d\"}\n", app, rnd.IntN(100))
		job := fmt.Sprintf("apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s}\nspec:\n  backoffLimit: 0\n  template:\n    metadata: {annotations: {kstatus-tui.test/fault: %q}}\n    spec: {restartPolicy: Never, containers: [{name: j, image: j}]}\n",
			app, []string{"", cluster.JobFailed}[rnd.IntN(2)])
		box := fmt.Sprintf("apiVersion: oracle.example.com/v1\nkind: Crate\nmetadata: {name: %s}\n", app)
		all := []string{deploy, deploy, deploy, service, config, job}
		if served {
			all = append(all, box)
		}
		one := all[rnd.IntN(len(all))]
		if rnd.IntN(3) == 0 {
			say("delete %.60q", one)
			must(shared.Delete(ctx, ns, one))
			return
		}
		say("apply %.60q, fault %s", one, fault)
		if err := shared.Apply(ctx, ns, one); err != nil {
			say("refused: %v", err) // a Job's template does not change
		}
		if one == box && rnd.IntN(2) == 0 {
			_ = shared.PatchStatus(ctx, "oracle.example.com/v1", "Crate", ns, app,
				`{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"Packed","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`)
		}
	}
	spoil := func() {
		resource := []string{"deployments", "replicasets", "pods", "services", "endpointslices", "configmaps", "jobs", "crates", ""}[rnd.IntN(9)]
		matches := func(r *http.Request) bool { return resources(r) && strings.Contains(r.URL.Path, "/"+resource) }
		faults := []proxy.Fault{
			{Reset: time.Duration(200+rnd.IntN(3000)) * time.Millisecond},
			{Status: []int{401, 403, 410, 429, 500, 503}[rnd.IntN(6)], RetryAfter: rnd.IntN(3)},
			{NoBookmarks: true},
			{Hang: true},
			{Stall: 300},
			{Delay: 300 * time.Millisecond},
			{Slice: true},
		}
		switch n := rnd.IntN(len(faults) + 4); {
		case n < len(faults):
			f := faults[n]
			f.Match = matches
			lifts = append(lifts, p.Inject(f))
			say("fault %d on %q", n, resource)
		case n == len(faults) && len(lifts) > 0:
			lifts[0]()
			lifts = lifts[1:]
			say("a fault is lifted")
		case n == len(faults)+1:
			verbs := [][]string{{"get"}, {"list"}, {"get", "list"}, {"get", "list", "watch"}}[rnd.IntN(4)]
			say("rights: %v", verbs)
			must(shared.AllowIn(ctx, ns, cluster.Namespaced, verbs...))
		case n == len(faults)+2:
			say("no rights")
			must(shared.Forbid(ctx, ns, cluster.Namespaced))
		default:
			if served = !served; served {
				say("Crates are served")
				serve()
				return
			}
			say("Crates are served no more")
			must(shared.Delete(ctx, "", crate))
		}
	}
	began := time.Now()
	for n := 0; n < steps && *oracleTime == 0 || time.Since(began) < *oracleTime; n++ {
		if rnd.IntN(4) == 0 {
			spoil()
		} else {
			change()
		}
		time.Sleep(time.Duration(rnd.IntN(500)) * time.Millisecond)
	}
	for _, lift := range lifts {
		lift()
	}
	must(shared.AllowIn(ctx, ns, cluster.Namespaced, "get", "list", "watch"))
	say("at rest")
	// The slowest ways back: graces of 30 s, the way back from polling to watching.
	time.Sleep(75 * time.Second)

	var want, got document
	read := func() (d document) {
		must(json.Unmarshal([]byte(ktui(t, cluster.ReadOnly, append([]string{"status", "-o", "json", "--poll=1s", "cm/never"}, args...)...).stdout), &d))
		return d
	}
	// It is at rest when the controllers are.
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Second) {
		before := want
		if want = read(); slices.Equal(outline(before), outline(want)) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the cluster does not come to rest")
		}
	}
	following.quit()
	text, err := os.ReadFile(finding)
	if err != nil {
		t.Fatal(err)
	}
	must(json.Unmarshal(text, &got))
	atOnce, followed := outline(want), outline(got)
	for _, line := range atOnce {
		if !slices.Contains(followed, line) {
			t.Errorf("at rest, read at once, but not followed: %s", line)
		}
	}
	for _, line := range followed {
		if !slices.Contains(atOnce, line) {
			t.Errorf("at rest, followed, but not read at once: %s", line)
		}
	}
	// The plain list: every followed Pod and ReplicaSet, by UID.
	seen := map[string]bool{}
	var note func([]resource)
	note = func(list []resource) {
		for _, r := range list {
			seen[r.UID] = true
			note(r.Children)
		}
	}
	note(got.Resources)
	for _, kind := range []struct{ version, kind string }{{"v1", "Pod"}, {"apps/v1", "ReplicaSet"}, {"apps/v1", "Deployment"}, {"discovery.k8s.io/v1", "EndpointSlice"}} {
		on, err := shared.Kind(ctx, kind.version, kind.kind, ns)
		must(err)
		list, err := on.List(ctx, metav1.ListOptions{})
		must(err)
		for _, o := range list.Items {
			if !seen[string(o.GetUID())] && o.GetDeletionTimestamp() == nil {
				t.Errorf("%s %s is not known", kind.kind, o.GetName())
			}
			delete(seen, string(o.GetUID()))
		}
	}
	if t.Failed() {
		t.Logf("what happened:\n%s", strings.Join(happened, "\n"))
	}
}

// outline is a document in lines: what there is, and how it is.
func outline(d document) []string {
	var out []string
	var visit func(r resource, depth int)
	visit = func(r resource, depth int) {
		is := r.Status
		if r.Reason == "NoStatus" {
			is = r.Reason // who looks for the first time has patience that others have lost
		}
		out = append(out, fmt.Sprintf("%s%s/%s %s %s generation %d", strings.Repeat("  ", depth), r.Kind, r.Name, r.UID, is, r.Generation))
		children := slices.Clone(r.Children)
		slices.SortFunc(children, func(a, b resource) int { return strings.Compare(a.Kind+a.Name, b.Kind+b.Name) })
		for _, c := range children {
			visit(c, depth+1)
		}
	}
	roots := slices.Clone(d.Resources)
	slices.SortFunc(roots, func(a, b resource) int { return strings.Compare(a.Kind+a.Name, b.Kind+b.Name) })
	for _, r := range roots {
		visit(r, 0)
	}
	return out
}
