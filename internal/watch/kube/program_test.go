package kube

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// A kubeconfig's user.exec: a program that may hang, and that client-go runs
// under a lock. The server takes no other token than what it prints.
func TestACredentialPluginThatHangsIsReportedAndBlocksNothingElse(t *testing.T) {
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
	c, err := NewClient(&rest.Config{Host: server.URL, ExecProvider: &api.ExecConfig{
		Command: script, APIVersion: "client.authentication.k8s.io/v1", InteractiveMode: api.NeverExecInteractiveMode,
	}}, Origin{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.login = 50 * time.Millisecond
	try := func() error {
		body, err := c.Get(t.Context(), "/version", nil, AcceptJSON)
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
	patient, stop := context.WithTimeout(Patiently(t.Context()), 200*time.Millisecond)
	defer stop()
	c.held.Store(0) // as at the start, without held requests
	if _, err := c.Get(patient, "/version", nil, AcceptJSON); !errors.Is(err, context.DeadlineExceeded) {
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

// What the program prints is held until it ends, so it is ended when it prints too
// much, with what it has started.
func TestAProgramForCredentialsThatPrintsWithoutAnEndIsEnded(t *testing.T) {
	before := programMemory
	defer func() { programMemory = before }()
	programMemory = 64 << 20
	script := filepath.Join(t.TempDir(), "login")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nyes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(&rest.Config{Host: "http://127.0.0.1:1", ExecProvider: &api.ExecConfig{
		Command: script, APIVersion: "client.authentication.k8s.io/v1", InteractiveMode: api.NeverExecInteractiveMode,
	}}, Origin{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Get(Patiently(t.Context()), "/version", nil, AcceptJSON)
	if err == nil || err.Error() != `"login", which fetches the credentials, prints more than 64 MB` {
		t.Errorf("%v", err)
	}
}

func TestProcessesAreReadFromPs(t *testing.T) {
	got := listed("    1     0\n  812   700\nbroken\n")
	if want := []process{{1, 0}, {812, 700}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if runtime.GOOS != "windows" && !slices.Contains(processes(), process{os.Getpid(), os.Getppid()}) {
		t.Error("this process is not listed")
	}
}

// The request of a program's credentials is sent by a goroutine of its own, where
// nobody would catch a panic: it arrives where the request was made.
func TestAPanicBesideAProgramForCredentialsReachesTheCaller(t *testing.T) {
	script := filepath.Join(t.TempDir(), "login")
	text := `#!/bin/sh
echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"fetched"}}'
`
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(&rest.Config{
		Host:          "http://127.0.0.1:1",
		WrapTransport: func(http.RoundTripper) http.RoundTripper { return panics{} },
		ExecProvider: &api.ExecConfig{
			Command: script, APIVersion: "client.authentication.k8s.io/v1", InteractiveMode: api.NeverExecInteractiveMode,
		},
	}, Origin{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	defer func() {
		if crash, ok := recover().(*problem.Crash); !ok || crash.Value != "nobody expected this" {
			t.Errorf("caught %v", crash)
		}
	}()
	_, err = c.Get(t.Context(), "/version", nil, AcceptJSON)
	t.Errorf("no panic, but %v", err)
}

type panics struct{}

func (panics) RoundTrip(*http.Request) (*http.Response, error) { panic("nobody expected this") }
