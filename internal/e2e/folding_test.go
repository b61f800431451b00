package e2e

import (
	"bytes"
	"flag"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/proxy"
)

var parents = flag.Int("parents", 20, "how many Deployments have their children folded")

// The Pods of Current workloads are watched, so that a crash loop is not green
// between two crashes, and never listed. The cost is printed, for measurements
// with more -parents.
func TestThePodsOfACurrentWorkloadAreWatchedAndNotListed(t *testing.T) {
	since(t, 34, "streamed lists")
	t.Parallel()
	ns := namespace(t, "folded")
	var app strings.Builder
	for i := range *parents {
		app.WriteString("---" + strings.ReplaceAll(strings.Split(pair, "---")[0], "front", fmt.Sprint("front-", i)))
	}
	apply(t, ns, app.String())
	startWait(t, "-n", ns, "deploy", "--all", "--timeout=3m").ends(0)
	follow := func(children string) (below []string) {
		counter, err := proxy.NewCounter(shared.Address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(counter.Close)
		mark := shared.Mark()
		cmd := exec.CommandContext(t.Context(), binary, "wait", "-n", ns, "deploy", "--all", "--settle=2s", "--timeout=3m", "--children="+children, "--server=https://"+counter.Address())
		var out bytes.Buffer
		cmd.Env, cmd.Stdout, cmd.Stderr = environment(t, shared.Kubeconfig(cluster.ReadOnly)), &out, &out
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		of := func(requests []cluster.Request) (mine, below []string) {
			for _, r := range requests {
				if r.Namespace != ns {
					continue
				}
				mine = append(mine, r.String())
				if slices.Contains([]string{"replicasets", "pods", "endpointslices", "events"}, r.Resource) {
					below = append(below, r.String())
				}
			}
			return mine, below
		}
		var mine []string
		asked(t, mark, cluster.ReadOnly, func(requests []cluster.Request) string {
			if mine, below = of(requests); len(mine) == 0 || len(below) < 2 {
				return "the requests are not all in the log"
			}
			return ""
		})
		rss := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
		cpu := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Round(time.Millisecond)
		t.Logf("--children=%s of %d Deployments: %d requests for objects (%d for children), %d KB received, %.1f MB at most, %s of CPU",
			children, *parents, len(mine), len(below), counter.Received()>>10, float64(rss)/1024, cpu)
		return below
	}
	for _, children := range []string{"auto", "all"} {
		for _, r := range follow(children) {
			if strings.Contains(strings.ToLower(r), "list ") {
				t.Errorf("--children=%s: %s", children, r)
			}
		}
	}
}
