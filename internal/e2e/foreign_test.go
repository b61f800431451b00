package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/proxy"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

// foreign are answers of a proxy that is not an API server, and the expected
// messages.
var foreign = map[string]struct {
	answer http.HandlerFunc
	says   string
}{
	"plain 404": {http.NotFound, `"404 page not found"`},
	"HTML":      {says200("text/html", "<!doctype html><title>Log in</title>"), "HTML (a proxy"},
	"nothing":   {says200("application/json", "{}"), "not Kubernetes"},
	"an empty list of another kind": {
		says200("application/json", `{"kind":"ServiceList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`), "ServiceList",
	},
}

func says200(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	}
}

func TestAProxysAnswerIsNoDeletion(t *testing.T) {
	t.Parallel()
	ns := settled(t, "foreign")
	for name, lie := range foreign {
		for _, http1 := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", HTTP/1.1 ", http1), func(t *testing.T) {
				t.Parallel()
				p := chaos(t, http1)
				wait := startWait(t, "--server", p.URL(), "-n", ns, "--for", "deleted", "--timeout", "15s", "deploy/front")
				wait.stillWaits(3 * time.Second)
				p.Inject(proxy.Fault{Answer: lie.answer})
				p.Break()
				wait.ends(3)
				// From the start, where the proxy lets discovery and /version pass.
				q := chaos(t, http1)
				q.Inject(proxy.Fault{Answer: lie.answer, Match: resources})
				startWait(t, "--server", q.URL(), "-n", ns, "--for", "deleted", "--timeout", "6s", "deploy/front").ends(3)
				startWait(t, "--server", q.URL(), "-n", ns, "--for", "deleted", "--poll", "2s", "--timeout", "6s", "deploy/front").ends(3)
			})
		}
	}
}

func TestTheDashboardNamesAProxyThatAnswersInsteadOfTheServer(t *testing.T) {
	t.Parallel()
	ns := settled(t, "foreign")
	for name, lie := range foreign {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := chaos(t, false)
			ui := dashboard(t, cluster.ReadOnly, "--server", p.URL(), "-n", ns, "-f", manifest(t, pair))
			ui.until("everything Current", done)
			lift := p.Inject(proxy.Fault{Answer: lie.answer})
			p.Break()
			ui.until("word of it", func(s terminal.Screen) bool {
				kindless := s.Has("not installed") && !s.Has("metrics-server is") // the control plane has no metrics-server
				if s.Has("it was deleted") || kindless || s.Has("NotFound") {
					t.Fatalf("taken for absence:\n%s", s)
				}
				return s.Has("LOST CONTACT") && s.Has("last known: DONE") && s.Has(lie.says)
			})
			lift()
			ui.until("everything Current again", done)
			ui.quit()
		})
	}
}

// peak follows the resident memory of a process, in MB, and tells at its end the most
// that was seen. What the system counts of a child begins with what its parent had.
func peak(pid int) <-chan int {
	most := make(chan int, 1)
	go func() {
		kb := 0
		for {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			_, rest, alive := strings.Cut(string(text), "VmHWM:")
			if err != nil || !alive { // it has ended
				most <- kb >> 10
				return
			}
			if n, err := strconv.Atoi(strings.Fields(rest)[0]); err == nil {
				kb = max(kb, n)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return most
}

func TestAnEndlessAnswerOfAProxyTakesNoMemory(t *testing.T) {
	t.Parallel()
	ns := settled(t, "foreign")
	p := chaos(t, true)
	p.Inject(proxy.Fault{Match: resources, Answer: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{"resourceVersion":"`)
		for part := strings.Repeat("1", 1<<20); r.Context().Err() == nil; {
			if _, err := io.WriteString(w, part); err != nil {
				return
			}
		}
	}})
	for _, more := range [][]string{nil, {"--poll", "2s"}} {
		cmd := exec.CommandContext(t.Context(), binary, append([]string{"status", "--server", p.URL(), "-n", ns, "--timeout", "15s", "deploy"}, append(more, "--all")...)...)
		cmd.Env = environment(t, shared.Kubeconfig(cluster.ReadOnly))
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		most := peak(cmd.Process.Pid)
		_ = cmd.Wait()
		peak := <-most
		if t.Logf("%v: %d MB at most: %s", more, peak, &out); peak > 300 || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%v: %d MB, exit %d", more, peak, cmd.ProcessState.ExitCode())
		}
		if !strings.Contains(out.String(), " MiB") {
			t.Errorf("%v: it does not say that it gave up: %s", more, &out)
		}
	}
}

func TestCredentialsStayWithTheServerThatRedirects(t *testing.T) {
	t.Parallel()
	ns := settled(t, "foreign")
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was asked elsewhere, with Authorization %q", r.URL, r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	p := chaos(t, false)
	p.Inject(proxy.Fault{Match: resources, Answer: func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}})
	ui := dashboard(t, cluster.ReadOnly, "--server", p.URL(), "-n", ns, "-f", manifest(t, pair))
	ui.until("word of it", func(s terminal.Screen) bool { return s.Has("the server redirects to http://127.0.0.1") })
	ui.quit()
}

// A quantity that is none is refused by the decoder of protobuf.
func TestAnObjectThatNoDecoderReadsIsUnknownBesideTheOthers(t *testing.T) {
	t.Parallel()
	ns := settled(t, "unreadable")
	back := strings.ReplaceAll(strings.ReplaceAll(pair, `front:1"`, `front:1", resources: {limits: {memory: "123456789"}}`), "front", "back")
	apply(t, ns, back)
	p := chaos(t, false)
	p.Inject(proxy.Fault{Replace: [2]string{"123456789", "a quarter"}})
	for _, more := range [][]string{nil, {"--poll", "2s"}} {
		doc, got := statusUntil(t, cluster.ReadOnly, append([]string{"--server", p.URL(), "-n", ns, "deploy", "--all"}, more...), func(doc document, got outcome) string {
			if front, back := doc.resource("Deployment", "front"), doc.resource("Deployment", "back"); front == nil || back == nil {
				return "not both Deployments"
			}
			return ""
		})
		front, back := doc.resource("Deployment", "front"), doc.resource("Deployment", "back")
		if front.Status != "Current" || back.Status != "Unknown" || back.Reason != "Malformed" || got.code != 3 {
			t.Errorf("%v: front is %s, back %s (%s), exit %d\n%s", more, front.Status, back.Status, back.Reason, got.code, got)
		}
		t.Logf("%v: %s", more, back.Message)
	}
}
