package cluster_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

var shared *cluster.Cluster

func TestMain(m *testing.M) {
	if os.Getenv("KSTATUS_TUI_E2E_DOOMED") != "" {
		startAndWaitToBeKilled()
	}
	c, err := cluster.Start(context.Background(), cluster.Options{Progress: os.Stderr})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	shared = c
	code := m.Run()
	c.Stop()
	os.Exit(code)
}

var pods = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

func namespace(t *testing.T) string {
	t.Helper()
	ns, err := shared.CreateNamespace(t.Context(), "cluster", false)
	if err != nil {
		t.Fatal(err)
	}
	return ns
}

// eventually polls until f says nothing more, and fails with its last word.
func eventually(t *testing.T, within time.Duration, f func() string) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		missing := f()
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %s", within, missing)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func TestAPodWithoutAFaultBecomesReady(t *testing.T) {
	ns := namespace(t)
	apply(t, ns, pod("fine", "", ""))
	waitForPod(t, ns, "fine", `"phase":"Running"`, `"ready":true`)
}

func TestEveryFaultShowsItselfOnItsPod(t *testing.T) {
	ns := namespace(t)
	for fault, want := range map[string][]string{
		cluster.ImageNotFound: {"ImagePullBackOff", `Back-off pulling image \"registry.test/app:1\": ErrImagePull: failed to pull`},
		cluster.CrashLoop:     {"CrashLoopBackOff", `"exitCode":1`, "panic: DATABASE_URL is not set", `"restartCount":1`},
		cluster.LateCrash:     {"CrashLoopBackOff", `"exitCode":1`, `"restartCount":1`},
		cluster.OOM:           {"CrashLoopBackOff", "OOMKilled", `"exitCode":137`, `"restartCount":1`},
		cluster.ConfigMissing: {"CreateContainerConfigError", `secret \"database\" not found`},
		cluster.NeverReady:    {`"phase":"Running"`, `"started":true`, "containers with unready status: [app]"},
		cluster.InitCrash:     {`"initContainerStatuses"`, `"exitCode":127`, "containers with incomplete status: [prepare]"},
		cluster.Mount:         {"ContainerCreating", `"phase":"Pending"`},
		cluster.Evict:         {`"phase":"Failed"`, "Evicted", "DisruptionTarget"},
		cluster.JobFailed:     {`"phase":"Failed"`, `"exitCode":2`, "migration 0042"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			apply(t, ns, pod(fault, fault, `initContainers: [{name: prepare, image: "registry.test/app:1"}]`))
			waitForPod(t, ns, fault, want...)
		})
	}
}

func TestAFaultyPodHasTheEventsOfAKubelet(t *testing.T) {
	ns := namespace(t)
	apply(t, ns, pod("web", cluster.ImageNotFound, ""))
	events := shared.Client().Resource(schema.GroupVersionResource{Version: "v1", Resource: "events"}).Namespace(ns)
	eventually(t, 20*time.Second, func() string {
		list, err := events.List(t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=web"})
		if err != nil {
			return err.Error()
		}
		var got []string
		for _, e := range list.Items {
			message, _, _ := unstructured.NestedString(e.Object, "message")
			got = append(got, message)
		}
		all := strings.Join(got, "\n")
		for _, want := range []string{`Failed to pull image "registry.test/app:1": failed to pull`, `Back-off pulling image "registry.test/app:1"`} {
			if !strings.Contains(all, want) {
				return "no event says " + want + "; there are:\n" + all
			}
		}
		return ""
	})
}

func TestUsersHaveTheRightsOfTheirNames(t *testing.T) {
	ns := namespace(t)
	can := func(u cluster.User, verb string) bool {
		config, err := shared.Config(u)
		if err != nil {
			t.Fatal(err)
		}
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			t.Fatal(err)
		}
		configmaps := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(ns)
		if verb == "get" {
			_, err = configmaps.Get(t.Context(), "kube-root-ca.crt", metav1.GetOptions{})
		} else {
			_, err = configmaps.List(t.Context(), metav1.ListOptions{})
		}
		if err != nil && !apierrors.IsForbidden(err) {
			t.Fatalf("%s by %s: %v", verb, u, err)
		}
		return err == nil
	}
	// The account's ConfigMap follows the namespace a moment later.
	eventually(t, 10*time.Second, func() string {
		_, err := shared.Client().Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(ns).
			Get(t.Context(), "kube-root-ca.crt", metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		return ""
	})
	for u, want := range map[cluster.User][2]bool{
		cluster.Admin: {true, true}, cluster.ReadOnly: {true, true}, cluster.GetOnly: {true, false},
		cluster.Namespaced: {false, false}, cluster.Nobody: {false, false},
	} {
		if got := [2]bool{can(u, "get"), can(u, "list")}; got != want {
			t.Errorf("%s may get, list: %v, want %v", u, got, want)
		}
	}
	if err := shared.AllowIn(t.Context(), ns, cluster.Namespaced, "get", "list", "watch"); err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, func() string {
		if !can(cluster.Namespaced, "list") {
			return "list still refused after AllowIn"
		}
		return ""
	})
	if err := shared.Forbid(t.Context(), ns, cluster.Namespaced); err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, func() string {
		if can(cluster.Namespaced, "list") {
			return "list still allowed after Forbid"
		}
		return ""
	})
}

func TestTheAuditLogNamesTheUserOfEachRequest(t *testing.T) {
	ns := namespace(t)
	mark := shared.Mark()
	config, err := shared.Config(cluster.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	w, err := client.Resource(pods).Namespace(ns).Watch(t.Context(), metav1.ListOptions{LabelSelector: "app=web"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	eventually(t, 5*time.Second, func() string {
		got, err := shared.Requests(mark, cluster.ReadOnly)
		if err != nil {
			return err.Error()
		}
		if len(got) != 1 || got[0].Verb != "watch" || got[0].Resource != "pods" || got[0].Namespace != ns ||
			got[0].Query().Get("labelSelector") != "app=web" || got[0].Code != 200 {
			return fmt.Sprintf("requests of %s: %v", cluster.ReadOnly, got)
		}
		return ""
	})
	if got, err := shared.Requests(mark, cluster.Nobody); err != nil || len(got) != 0 {
		t.Errorf("requests of a user who asked nothing: %v, %v", got, err)
	}
}

func TestTheAPIServerCanBeStoppedFrozenAndBroughtBack(t *testing.T) {
	ctx := t.Context()
	shared.StopAPIServer()
	if shared.Ready(ctx) {
		t.Error("ready after StopAPIServer")
	}
	if err := shared.StartAPIServer(ctx); err != nil {
		t.Fatal(err)
	}
	if err := shared.FreezeAPIServer(); err != nil {
		t.Fatal(err)
	}
	if shared.Ready(ctx) {
		t.Error("ready while frozen")
	}
	if err := shared.ThawAPIServer(); err != nil {
		t.Fatal(err)
	}
	if err := shared.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	// What was written before is still there.
	if _, err := shared.Client().Resource(schema.GroupVersionResource{Version: "v1", Resource: "nodes"}).Get(ctx, "node-1", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}

// startAndWaitToBeKilled is the process that the next test kills.
func startAndWaitToBeKilled() {
	c, err := cluster.Start(context.Background(), cluster.Options{WithoutControllers: true})
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Printf("%s %d %d\n", c.Dir(), c.PID("etcd"), c.PID("kube-apiserver"))
	select {}
}

func TestAKilledOwnerTakesItsClusterWithIt(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A cache of its own for the running cluster, with the programs of the
	// common one.
	cache, err := cluster.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	own := t.TempDir()
	if err := os.Symlink(filepath.Join(cache, "bin"), filepath.Join(own, "bin")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "KSTATUS_TUI_E2E_DOOMED=1", "KSTATUS_TUI_E2E_CACHE="+own)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var dir string
	var etcd, apiserver int
	if _, err := fmt.Fscan(out, &dir, &etcd, &apiserver); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	eventually(t, 5*time.Second, func() string {
		for _, pid := range []int{etcd, apiserver} {
			// A zombie of a container without an init is as dead as it gets.
			stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
			if err == nil && syscall.Kill(pid, 0) == nil && !strings.Contains(string(stat), ") Z ") {
				return fmt.Sprintf("process %d still runs", pid)
			}
		}
		return ""
	})
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("the folder should have been left behind: %v", err)
	}
	// Young folders are left alone; this one is made to look older.
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(dir, old, old); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KSTATUS_TUI_E2E_CACHE", own)
	next, err := cluster.Start(t.Context(), cluster.Options{WithoutControllers: true})
	if err != nil {
		t.Fatal(err)
	}
	defer next.Stop()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the next Start left %s behind (%v)", dir, err)
	}
}

func apply(t *testing.T, ns, manifest string) {
	t.Helper()
	if err := shared.Apply(t.Context(), ns, manifest); err != nil {
		t.Fatal(err)
	}
}

func pod(name, fault, more string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata:
  name: %s
  annotations: {%s: "%s"}
spec:
  restartPolicy: %s
  containers: [{name: app, image: "registry.test/app:1"}]
  %s
`, name, cluster.FaultAnnotation, fault, map[bool]string{true: "Never", false: "Always"}[fault == cluster.JobFailed], more)
}

func waitForPod(t *testing.T, ns, name string, want ...string) {
	t.Helper()
	eventually(t, 20*time.Second, func() string {
		obj, err := shared.Client().Resource(pods).Namespace(ns).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		text, err := obj.MarshalJSON()
		if err != nil {
			return err.Error()
		}
		missing := slices.DeleteFunc(slices.Clone(want), func(w string) bool { return strings.Contains(string(text), w) })
		if len(missing) > 0 {
			status, _, _ := unstructured.NestedMap(obj.Object, "status")
			return fmt.Sprintf("pod %s lacks %q; its status: %v", name, missing, status)
		}
		return ""
	})
}
