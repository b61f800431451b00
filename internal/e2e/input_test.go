package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// Every mistake that a person makes at the start: one line, the next step, the
// right exit code, and a terminal as it was, with and without a terminal.
func TestBadInputIsAnErrorOfOneLineAndItsNextStep(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "input")
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := shared.Kubeconfig(cluster.ReadOnly)
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	unreachable := file("unreachable.kubeconfig", strings.Replace(string(text), shared.Address(), "127.0.0.1:1", 1))
	broken := file("broken.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fine}\n---\napiVersion: v1\nkind: [ConfigMap\n")
	for _, test := range []struct {
		name       string
		kubeconfig string
		args       []string
		want       []string // expected parts of stderr
	}{
		{"no kubeconfig", filepath.Join(dir, "none.kubeconfig"), []string{"deploy/web"}, []string{"does not exi", "--from", "kstatus-tui demo"}},
		{"unknown context", good, []string{"--context", "nowhere", "deploy/web"}, []string{"nowhere", "hint:"}},
		{"unreachable server", unreachable, []string{"deploy/web"}, []string{"127.0.0.1:1", "refused"}},
		{"unknown type", good, []string{"-n", ns, "gadgets/web"}, []string{"gadgets"}},
		{"unreadable file", good, []string{"-n", ns, "-f", filepath.Join(dir, "absent.yaml")}, []string{"absent.yaml"}},
		{"broken YAML", good, []string{"-n", ns, "-f", broken}, []string{"broken.yaml", "document 2", "line"}},
		{"empty selection", good, []string{"-n", ns, "deploy", "-l", "app=none"}, []string{"app=none"}},
		{"unknown flag", good, []string{"--colour", "deploy/web"}, []string{"--colour"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := environment(t, test.kubeconfig)
			got := ktuiIn(t, env, "", append([]string{"status"}, test.args...)...)
			if got.code != 1 {
				t.Errorf("want exit code 1\n%s", got)
			}
			lines := strings.Split(strings.TrimSpace(got.stderr), "\n")
			if len(lines) > 2 || !strings.HasPrefix(lines[0], "kstatus-tui: ") {
				t.Errorf("want one line of error and at most one of advice\n%s", got)
			}
			for _, want := range test.want {
				if !strings.Contains(got.stderr, want) {
					t.Errorf("%q is not said\n%s", want, got)
				}
			}

			ui := dashboardIn(t, env, test.args...)
			if test.name == "empty selection" {
				return // the dashboard waits for something to appear
			}
			ui.leaves(1)
			for _, want := range test.want {
				if !strings.Contains(string(ui.Output()), want) {
					t.Errorf("at a terminal %q is not said:\n%s", want, ui.Screen())
				}
			}
		})
	}
}

func TestASignalEndsTheDashboardAndRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "signals")
	apply(t, ns, pair)
	for _, name := range []string{"INT", "TERM", "HUP"} {
		t.Run(name, func(t *testing.T) {
			ui := dashboard(t, cluster.ReadOnly, "-n", ns, "deploy/front")
			ui.shows("DONE")
			began := time.Now()
			if err := ui.Signal(signals[name]); err != nil {
				t.Fatal(err)
			}
			ui.leaves(130)
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %s, want half a second", took.Round(time.Millisecond))
			}
		})
	}
}

var signals = map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
