package e2e

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/proxy"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

// chaos puts a proxy before the API server that makes things go wrong.
func chaos(t *testing.T, http1 bool) *proxy.Chaos {
	t.Helper()
	roots, own := trust(t)
	p, err := proxy.NewChaos(shared.Address(), roots, own, http1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// resources matches requests for objects, and not discovery or probes.
func resources(r *http.Request) bool { return strings.Contains(r.URL.Path, "/namespaces/") }

// settled is the pair on the cluster, everything Current.
func settled(t *testing.T, name string) (ns string) {
	t.Helper()
	ns = namespace(t, name)
	apply(t, ns, pair)
	statusUntil(t, cluster.ReadOnly, []string{"-n", ns, "-f", manifest(t, pair)}, func(_ document, got outcome) string {
		if got.code != 0 {
			return "not Current"
		}
		return ""
	})
	return ns
}

func done(s terminal.Screen) bool { return s.Has("✓ DONE") && live(s) }

// k9s and every client-go reflector wait for ever here
// (kubernetes/kubernetes#140890).
func TestAnEndOfTheInitialListThatNeverComesIsOvercome(t *testing.T) {
	t.Parallel()
	ns := settled(t, "faults")
	for name, http1 := range map[string]bool{"h2": false, "http1": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := chaos(t, http1)
			p.Inject(proxy.Fault{NoBookmarks: true})
			began := time.Now()
			ui := dashboard(t, cluster.ReadOnly, "--server", p.URL(), "-n", ns, "-f", manifest(t, pair))
			ui.until("everything Current", done)
			if took := time.Since(began); took > 40*time.Second {
				t.Errorf("after %s", took.Round(time.Millisecond))
			} else {
				t.Logf("listed instead, and done after %s", took.Round(time.Millisecond))
			}
			ui.quit()
		})
	}
}

func TestStreamsThatAreBrokenOffAndDripLoseNothing(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]proxy.Fault{
		"reset every second and a half":        {Reset: 1500 * time.Millisecond},
		"a byte at a time":                     {Slice: true},
		"half a second late":                   {Delay: 500 * time.Millisecond},
		"an answer that stops after 200 bytes": {Stall: 200, Match: func(r *http.Request) bool { return resources(r) && r.URL.Query().Get("watch") == "" }},
	} {
		for _, http1 := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", HTTP/1.1 ", http1), func(t *testing.T) {
				if fault.Stall > 0 { // no list ever comes
					since(t, 34, "streamed lists")
				}
				t.Parallel()
				ns := settled(t, "faults")
				p := chaos(t, http1)
				lift := p.Inject(fault)
				ui := dashboard(t, cluster.ReadOnly, "--server", p.URL(), "-n", ns, "-f", manifest(t, pair))
				ui.until("everything Current, however late", func(s terminal.Screen) bool { return s.Has("2/2 Current") })
				breakFront(t, ns)
				ui.until("what changed", func(s terminal.Screen) bool { return row(s, "/front ", "Secret da") != "" })
				lift()
				ui.until("live", live)
				ui.quit()
			})
		}
	}
}

func TestAServerThatRefusesForAWhileIsReportedAndRecovers(t *testing.T) {
	t.Parallel()
	ns := settled(t, "faults")
	for name, c := range map[string]struct {
		fault proxy.Fault
		says  string
	}{
		"429": {proxy.Fault{Status: 429, RetryAfter: 2}, "429"}, "500": {proxy.Fault{Status: 500}, "500"},
		"503": {proxy.Fault{Status: 503}, "503"}, "504": {proxy.Fault{Status: 504}, "504"}, "401": {proxy.Fault{Status: 401}, "credentials"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := chaos(t, false)
			c.fault.Match = resources
			lift := p.Inject(c.fault)
			ui := dashboard(t, cluster.ReadOnly, "--server", p.URL(), "-n", ns, "-f", manifest(t, pair))
			ui.until("word of it", func(s terminal.Screen) bool { return s.Has(c.says) && !s.Has("✓ DONE") })
			lift()
			began := time.Now()
			ui.until("everything Current", done)
			t.Logf("done %s after the end of it", time.Since(began).Round(time.Millisecond))
			ui.quit()
		})
	}
}

// somebody is a kubeconfig that reaches the cluster through a proxy.
func somebody(t *testing.T, server, user string) []string {
	t.Helper()
	return trusting(t, server, filepath.Join(shared.Dir(), "ca.crt"), user)
}

// trusting is a kubeconfig with the authority in a file of the test.
func trusting(t *testing.T, server, authority, user string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q, certificate-authority: %q}}]
users:
- name: u
  user:
%s
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
`, server, authority, user)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return environment(t, file)
}

func tokenOf(t *testing.T, u cluster.User) string {
	t.Helper()
	config, err := shared.Config(u)
	if err != nil {
		t.Fatal(err)
	}
	return config.BearerToken
}

func TestATokenThatExpiresHealsWithItsFile(t *testing.T) {
	t.Parallel()
	ns := settled(t, "faults")
	p := chaos(t, false)
	file := filepath.Join(t.TempDir(), "token")
	old, renewed := tokenOf(t, cluster.ReadOnly), tokenOf(t, cluster.Admin)
	if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	ui := dashboardIn(t, somebody(t, p.URL(), "    tokenFile: "+file), "-n", ns, "-f", manifest(t, pair))
	ui.until("everything Current", done)
	// The old one is refused from now on, and every connection has ended.
	p.Inject(proxy.Fault{Status: 401, Match: func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+old }})
	ui.until("word of the credentials", func(s terminal.Screen) bool { return s.Has("credentials") && !s.Has("✓ DONE") })
	if err := os.WriteFile(file, []byte(renewed), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	screen := ui.until("live again", done)
	t.Logf("live %s after the file was rewritten", screen.At.Sub(began).Round(time.Millisecond))
	ui.quit()
}

// The server is of another authority from one connection to the next, whose
// certificate comes into the kubeconfig's file a little later.
func TestARotatedAuthorityIsTakenFromItsFile(t *testing.T) {
	t.Parallel()
	ns := settled(t, "faults")
	p := chaos(t, false)
	file := filepath.Join(t.TempDir(), "ca.crt")
	old, err := os.ReadFile(filepath.Join(shared.Dir(), "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	renewed, server, err := cluster.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, old, 0o600); err != nil {
		t.Fatal(err)
	}
	ui := dashboardIn(t, trusting(t, p.URL(), file, "    token: "+tokenOf(t, cluster.ReadOnly)), "-n", ns, "-f", manifest(t, pair))
	ui.until("everything Current", done)
	p.Show(server)
	ui.until("word of whose certificate is not trusted, and the rows", func(s terminal.Screen) bool {
		return unsure(s) && s.Has("unknown authority") && !s.Has("✓ DONE") && keepsRows(s)
	})
	breakFront(t, ns)
	if err := os.WriteFile(file, renewed, 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	screen := ui.until("what changed meanwhile", func(s terminal.Screen) bool {
		return live(s) && row(s, "/front ", "Secret da") != ""
	})
	t.Logf("live %s after the file was rewritten", screen.At.Sub(began).Round(time.Millisecond))
	ui.quit()
}

// A certificate of ours is refused from one connection to the next. What its file
// holds then has expired, and is said to; and then it has not.
func TestAClientCertificateIsRotatedInItsFile(t *testing.T) {
	t.Parallel()
	ns := settled(t, "faults")
	p, err := proxy.NewRelay(shared.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "client.crt"), filepath.Join(dir, "client.key")
	roots, _ := trust(t)
	// put writes a pair and returns what the API server says to it.
	put := func(text, private []byte, err error) func() int {
		t.Helper()
		if err = errors.Join(err, os.WriteFile(key, private, 0o600), os.WriteFile(certificate, text, 0o600)); err != nil {
			t.Fatal(err)
		}
		both, err := tls.X509KeyPair(text, private)
		if err != nil {
			t.Fatal(err)
		}
		return func() int {
			one := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{both}}}}
			resp, err := one.Get("https://" + shared.Address() + "/api/v1/namespaces/" + ns + "/configmaps")
			if err != nil {
				return 0
			}
			resp.Body.Close()
			return resp.StatusCode
		}
	}
	answers := func(ask func() int, want int) {
		t.Helper()
		for end := time.Now().Add(patience); ask() != want; time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the API server answers %d, want %d", ask(), want)
			}
		}
	}
	sign, err := shared.SignClients()
	if err != nil {
		t.Fatal(err)
	}
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	late := "client certificate in " + certificate + " has expired: it was valid until " + past.UTC().Format("2006-01-02 15:04:05")
	env := somebody(t, "https://"+p.Address(), "    client-certificate: "+certificate+"\n    client-key: "+key)

	answers(put(sign(cluster.ReadOnly, past)), http.StatusUnauthorized)
	r := ktuiIn(t, env, "", "status", "-n", ns, "deploy/front")
	if r.code != 1 || !strings.Contains(r.stderr, late) {
		t.Errorf("with an expired one:\n%v", r)
	}
	old := put(sign(cluster.ReadOnly, future))
	answers(old, http.StatusOK)
	ui := dashboardIn(t, env, "-n", ns, "-f", manifest(t, pair))
	ui.until("everything Current", done)

	if sign, err = shared.SignClients(); err != nil {
		t.Fatal(err)
	}
	answers(old, http.StatusUnauthorized)
	put(sign(cluster.ReadOnly, past))
	p.Break()
	ui.until("word of the certificate, and the rows", func(s terminal.Screen) bool {
		return s.Has("(401)") && s.Has("client certificate") && !s.Has("✓ DONE") && keepsRows(s)
	})
	breakFront(t, ns)
	put(sign(cluster.ReadOnly, future))
	began := time.Now()
	screen := ui.until("what changed meanwhile", func(s terminal.Screen) bool {
		return live(s) && row(s, "/front ", "Secret da") != ""
	})
	t.Logf("live %s after the file was rewritten", screen.At.Sub(began).Round(time.Millisecond))
	ui.quit()
}

func TestAProgramForCredentialsMayPrintAndMayHang(t *testing.T) {
	t.Parallel()
	ns := settled(t, "faults")
	program := func(script string) string {
		file := filepath.Join(t.TempDir(), "login")
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("    exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: IfAvailable, command: %q}", file)
	}
	server := "https://" + shared.Address()
	answer := fmt.Sprintf(`echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"%s"}}'`+"\n", tokenOf(t, cluster.ReadOnly))
	talks := somebody(t, server, program("head -c 1000000 /dev/zero | tr '\\0' '#' >&2\n"+answer))
	ui := dashboardIn(t, talks, "-n", ns, "-f", manifest(t, pair))
	screen := ui.until("everything Current", done)
	// The end of it may come when the screen is there already: a notice, cut to its line.
	for i, line := range screen.Lines {
		if strings.Contains(line, "####") && (i != len(screen.Lines)-2 || !strings.Contains(line, "#…")) {
			t.Errorf("what it printed is on the screen:\n%s", screen)
			break
		}
	}
	ui.quit()
	hangs := somebody(t, server, program("sleep 300\n"+answer))
	for _, args := range [][]string{{"wait", "--timeout=2s"}, {"status", "--timeout=2s"}} {
		got := ktuiIn(t, hangs, "", append(args, "-n", ns, "deploy/front")...)
		if got.code != 1 || got.took > time.Minute || !strings.Contains(got.stderr, `"login", which fetches the credentials, has not answered in 2s`) {
			t.Errorf("%v: %s", args, got)
		}
	}
}

// HTTP/1.1 has no pings: that a connection is dead shows by the bookmarks that do not
// come, within 90 s.
func TestASilentProxyOfHTTP1IsNoticedAndOvercome(t *testing.T) {
	t.Parallel()
	ns := settled(t, "faults")
	p := chaos(t, true)
	ui := dashboard(t, cluster.ReadOnly, "--server", p.URL(), "-n", ns, "-f", manifest(t, pair))
	ui.until("everything Current", done)
	end := p.Silence()
	began := time.Now()
	screen := ui.until("word of the silent connection, and the rows", func(s terminal.Screen) bool {
		return unsure(s) && !s.Has("✓ DONE") && keepsRows(s)
	})
	t.Logf("noticed after %s", screen.At.Sub(began).Round(time.Second))
	breakFront(t, ns) // while nothing passes
	end()
	began = time.Now()
	screen = ui.until("what changed meanwhile", func(s terminal.Screen) bool {
		return live(s) && row(s, "/front ", "Secret da") != ""
	})
	t.Logf("live %s after the end of the silence", screen.At.Sub(began).Round(time.Millisecond))
	ui.quit()
}

// Nothing ends: neither the watches nor the server.
func TestRightsTakenAwayAreNoticedWithinAMinute(t *testing.T) {
	t.Parallel()
	ui, ns := followFront(t, cluster.Namespaced)
	if err := shared.Forbid(t.Context(), ns, cluster.Namespaced); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	screen := ui.until("word of the refusal", func(s terminal.Screen) bool { return s.Has("(RBAC)") && !s.Has("✓ DONE") })
	t.Logf("noticed after %s", screen.At.Sub(began).Round(time.Second))
	if err := shared.AllowIn(t.Context(), ns, cluster.Namespaced, "get", "list", "watch"); err != nil {
		t.Fatal(err)
	}
	ui.until("everything Current again", done)
	ui.quit()
}
