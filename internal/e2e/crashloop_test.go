package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

// A container without a probe is ready for eight seconds between two crashes, and
// its Deployment available: no frame after the first crash may be green, and no wait
// may end in one.
func TestACrashLoopIsGreenInNoFrame(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "crashloop")
	apply(t, ns, fmt.Sprintf(worker, cluster.LateCrash))
	crashed := func(doc document, _ outcome) string {
		if doc.resource("Deployment", "worker") == nil {
			return "there is no Deployment"
		}
		for _, c := range doc.Causes {
			if strings.Contains(c.Code, "Crash") {
				return ""
			}
		}
		return "nothing has crashed"
	}
	statusUntil(t, cluster.ReadOnly, []string{"-n", ns, "deploy/worker"}, crashed)

	t.Run("wait", func(t *testing.T) {
		t.Parallel()
		if got := <-startWait(t, "-n", ns, "deploy/worker", "--timeout=60s").done; got.code != 2 && got.code != 3 {
			t.Error(got)
		}
	})
	for _, children := range []string{"auto", "all"} {
		t.Run(children, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var green []string
			running, frames := 0, 0
			term, err := terminal.Start(terminal.Options{
				Command: binary, Args: []string{"-n", ns, "deploy/worker", "--children=" + children}, Env: environment(t, shared.Kubeconfig(cluster.ReadOnly)),
				OnScreen: func(s terminal.Screen) {
					mu.Lock()
					defer mu.Unlock()
					frames++
					if s.Has("Restarting") {
						running++
					}
					if s.Has("✓ DONE") || row(s, "/worker ", "✓") != "" {
						green = append(green, s.String())
					}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer term.Close()
			// Two loops of nineteen seconds: whatever is shown in one is shown here.
			_, _ = term.Exit(45 * time.Second)
			mu.Lock()
			defer mu.Unlock()
			if len(green) > 0 {
				t.Errorf("%d of %d frames are green, the first:\n%s", len(green), frames, green[0])
			}
			if running == 0 {
				t.Errorf("the container never ran between two crashes in %d frames; the last:\n%s", frames, term.Screen())
			}
			if line := row(term.Screen(), "po/", "↻"); line == "" {
				t.Errorf("no row counts the restarts:\n%s", term.Screen())
			}
		})
	}
}
