package e2e

import (
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

// While the program is stopped (a closed laptop) one object is deleted, another
// changed, and the history compacted: resuming is 410 Gone. The program lists
// again, and reports both.
func TestAlone_TheProgramListsAgainWhenTheHistoryWasCompactedWhileItWasStopped(t *testing.T) {
	ui, ns := followFront(t, cluster.ReadOnly)
	if err := syscall.Kill(ui.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	awake := false
	defer func() {
		if !awake {
			_ = syscall.Kill(ui.PID(), syscall.SIGCONT)
		}
	}()
	// Data on an open connection would arrive later from the kernel's buffers:
	// no connection may be open during the changes.
	restart(t, func() {})
	maps, err := shared.Kind(t.Context(), "v1", "ConfigMap", ns)
	if err != nil {
		t.Fatal(err)
	}
	if err := maps.Delete(t.Context(), "front-settings", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	breakFront(t, ns)
	pods, err := shared.Kind(t.Context(), "v1", "Pod", ns)
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		list, err := pods.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		// The scheduler is done with the new Pod: a binding that fails because
		// the server stops may be tried again minutes later.
		if len(list.Items) > 2 && !slices.ContainsFunc(list.Items, unbound) {
			break
		}
		if time.Since(began) > patience {
			t.Fatal("the Deployment's new Pod never came to a node")
		}
	}
	mark := shared.Mark()
	restart(t, func() { compact(t) })
	if err := syscall.Kill(ui.PID(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	awake = true
	ui.until("what went and what changed meanwhile", func(s terminal.Screen) bool {
		return live(s) && row(s, "/front-settings", "∅") != "" && row(s, "/front ", "Secret da") != ""
	})
	asked(t, mark, cluster.ReadOnly, func(requests []cluster.Request) string {
		resumed, anew := 0, 0
		for _, r := range requests {
			q := r.Query()
			switch {
			case r.Resource != "configmaps" || r.Verb != "watch" && r.Verb != "list":
			case q.Get("sendInitialEvents") == "true" || r.Verb == "list":
				anew++
			case q.Get("resourceVersion") != "":
				resumed++
			}
		}
		if resumed == 0 || anew == 0 {
			return fmt.Sprintf("%d watches were resumed and %d lists begun anew: the history was not missed", resumed, anew)
		}
		return ""
	})
	ui.quit()
}

// A process that is stopped for minutes misses bookmarks and pings, and the
// server ends its watches. When it goes on it is soon up to date, by resuming.
func TestAProcessThatWasStoppedForMinutesIsSoonUpToDate(t *testing.T) {
	t.Parallel()
	ui, ns := followFront(t, cluster.ReadOnly)
	if err := syscall.Kill(ui.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	goOn := sync.OnceValue(func() error { return syscall.Kill(ui.PID(), syscall.SIGCONT) })
	defer func() { _ = goOn() }()
	maps, err := shared.Kind(t.Context(), "v1", "ConfigMap", ns)
	if err != nil {
		t.Fatal(err)
	}
	if err := maps.Delete(t.Context(), "front-settings", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	breakFront(t, ns)
	time.Sleep(2 * time.Minute)
	mark, woken := shared.Mark(), time.Now()
	if err := goOn(); err != nil {
		t.Fatal(err)
	}
	ui.until("what went and what changed meanwhile", func(s terminal.Screen) bool {
		return live(s) && row(s, "/front-settings", "∅") != "" && row(s, "/front ", "Secret da") != ""
	})
	// What an open watch still had may be shown before it is resumed.
	asked(t, mark, cluster.ReadOnly, func(requests []cluster.Request) string {
		resumed := map[string]bool{} // by the first request; a busy server may have forgotten that version
		for _, r := range requests {
			if _, later := resumed[r.Resource]; !later && r.Received.After(woken) && r.Namespace == ns {
				resumed[r.Resource] = r.Verb == "watch" && r.Query().Get("sendInitialEvents") == ""
			}
		}
		if !resumed["deployments"] || !resumed["configmaps"] {
			return "deployments or configmaps are not resumed"
		}
		return ""
	})
	ui.quit()
}

func unbound(pod unstructured.Unstructured) bool {
	node, _, _ := unstructured.NestedString(pod.Object, "spec", "nodeName")
	return node == ""
}

// restart stops the API server, does something, and starts it.
func restart(t *testing.T, meanwhile func()) {
	t.Helper()
	shared.StopAPIServer()
	meanwhile()
	if err := shared.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// compact has etcd forget everything but the present.
func compact(t *testing.T) {
	t.Helper()
	if err := shared.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
}
