package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
)

func preflight(t *testing.T, cfg *rest.Config) error {
	t.Helper()
	e, err := New(Options{Config: cfg, Targets: []inventory.Target{named("deploy", "web")}})
	if err != nil {
		t.Fatal(err)
	}
	e.patience = time.Minute // a slow machine is not what is tested
	e.Start(t.Context())
	defer e.Close()
	return e.Preflight(t.Context())
}

func TestPreflightTellsTLSAndNameProblems(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for _, c := range []struct{ name, host, want string }{
		{"a certificate of nobody we know", secure.URL, "unknown authority"},
		{"a web server", plain.URL, "is no API server"},
		{"http where https was meant", strings.Replace(plain.URL, "http:", "https:", 1), "does not speak TLS"},
	} {
		err := preflight(t, &rest.Config{Host: c.host})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if h, ok := err.(interface{ Hint() string }); !ok || h.Hint() == "" {
			t.Errorf("%s: no next step", c.name)
		}
	}
	err := preflight(t, &rest.Config{Host: "http://nowhere.invalid", Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nowhere.invalid", IsNotFound: true}}
	}})
	if err == nil || !strings.Contains(err.Error(), `"nowhere.invalid"`) {
		t.Errorf("unknown host: %v", err)
	}
}

func TestQuietTurnsWhatLibrariesPrintIntoNotices(t *testing.T) {
	handlers, panics, crash := runtime.ErrorHandlers, runtime.PanicHandlers, runtime.ReallyCrash
	defer func() {
		runtime.ErrorHandlers, runtime.PanicHandlers, runtime.ReallyCrash = handlers, panics, crash
		klog.ClearLogger()
	}()
	var got []string
	Quiet(func(n feed.Notice) { got = append(got, n.Level+": "+n.Text) })
	klog.Warning("slow \x1b[31mserver")
	runtime.HandleError(errors.New("boom"))
	all := strings.Join(got, "\n")
	if !strings.Contains(all, "slow") || !strings.Contains(all, "boom") || strings.ContainsRune(all, '\x1b') {
		t.Errorf("%q", all)
	}
}

func TestDetailsShowTheStatusFirstAndNoPasswords(t *testing.T) {
	text, err := render(map[string]any{
		"apiVersion": "v1", "kind": "Pod", "status": map[string]any{"phase": "Running", "message": "a\x1b[2Jb\u202e"},
		"metadata": map[string]any{"name": "p", "managedFields": []any{"x"}, "annotations": map[string]any{"kubectl.kubernetes.io/last-applied-configuration": "{}"}},
		"spec": map[string]any{"containers": []any{map[string]any{"env": []any{
			map[string]any{"name": "DB_PASSWORD", "value": "canary"}, map[string]any{"name": "LEVEL", "value": "debug"},
		}}}},
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text, "status:\n") {
		t.Errorf("begins with %q", text[:20])
	}
	for _, no := range []string{"canary", "managedFields", "last-applied", "\x1b", "\u202e"} {
		if strings.Contains(text, no) {
			t.Errorf("holds %q:\n%s", no, text)
		}
	}
	if !strings.Contains(text, "debug") {
		t.Errorf("masks too much:\n%s", text)
	}
}

func TestABrokenConnectionIsSaidInPlainWords(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=41, ErrCode=NO_ERROR, debug=\"graceful_stop\""), "the server closed the connection"},
		{fmt.Errorf("reading: %w", io.ErrUnexpectedEOF), "the connection broke off"},
		{&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, "the connection broke off"},
		{&url.Error{Op: "Get", URL: "https://127.0.0.1:6443/api/v1/pods?watch=1", Err: errors.New("connect: connection refused")}, "connect: connection refused"},
	} {
		if got := errorText(c.err); got != c.want {
			t.Errorf("errorText(%v) = %q, want %q", c.err, got, c.want)
		}
	}
}

// A kubeconfig's user.exec: a program that may hang, and that client-go runs
// under a lock. The server takes no other token than what it prints.
func TestAProgramForCredentialsThatHangsIsSaidToAndHoldsNothingElse(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer fetched" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	allowed, started := filepath.Join(dir, "allowed"), filepath.Join(dir, "started")
	script := filepath.Join(dir, "login")
	if err := os.WriteFile(script, fmt.Appendf(nil, `#!/bin/sh
echo x >> %s
until [ -e %s ]; do sleep 0.02; done
echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"fetched"}}'
`, started, allowed), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := newClient(&rest.Config{Host: server.URL, ExecProvider: &api.ExecConfig{
		Command: script, APIVersion: "client.authentication.k8s.io/v1", InteractiveMode: api.NeverExecInteractiveMode,
	}}, Origin{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	c.login = 50 * time.Millisecond
	try := func() error {
		body, err := c.get(t.Context(), "/version", nil, acceptJSON)
		if err == nil {
			_ = body.Close()
		}
		return err
	}
	for range 50 {
		if err := try(); err == nil || !strings.Contains(err.Error(), `"login", which fetches the credentials, does not answer`) {
			t.Fatalf("while it hangs: %v", err)
		}
	}
	if n := c.held.Load(); n != 1 {
		t.Errorf("%d requests are held", n)
	}
	// A person may take their time.
	patient, stop := context.WithTimeout(patiently(t.Context()), 200*time.Millisecond)
	defer stop()
	c.held.Store(0) // as at the start, when nobody is held yet
	if _, err := c.get(patient, "/version", nil, acceptJSON); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a login that is waited for: %v", err)
	}
	c.held.Store(2)
	if err := os.WriteFile(allowed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if err := try(); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("after it answered: %v", err)
		}
	}
	if text, _ := os.ReadFile(started); string(text) != "x\n" {
		t.Errorf("it was started %d times", len(text)/2)
	}
}
