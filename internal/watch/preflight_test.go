package watch

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
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
	e.patience = time.Minute // the machine's speed is not under test
	e.Start(t.Context())
	defer e.Close()
	return e.Preflight(t.Context())
}

func TestPreflightReportsTLSAndNameProblems(t *testing.T) {
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
	lookup := func(e net.DNSError) error {
		e.Name = "nowhere.invalid"
		return preflight(t, &rest.Config{Host: "http://nowhere.invalid", Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: &e}
		}})
	}
	if err := lookup(net.DNSError{Err: "no such host", IsNotFound: true}); err == nil || !strings.Contains(err.Error(), `"nowhere.invalid"`) {
		t.Errorf("unknown host: %v", err)
	}
	if err := lookup(net.DNSError{Err: "server misbehaving", IsTemporary: true}); err != nil {
		t.Errorf("a name server that has no answer now: %v", err)
	}
}

func TestQuietTurnsTheOutputOfLibrariesIntoNotices(t *testing.T) {
	crash := runtime.ReallyCrash
	defer func() {
		runtime.ReallyCrash = crash
		Quiet(func(feed.Notice) {}) // its handlers are installed once and for the whole process
	}()
	var got []string
	Quiet(func(n feed.Notice) { got = append(got, n.Level+": "+n.Text) })
	klog.Warning("slow \x1b[31mserver")
	runtime.HandleError(errors.New("boom"))
	runtime.ReallyCrash = false
	func() {
		defer runtime.HandleCrashWithLogger(klog.Logger{}) // as a source's, which says nothing
		panic("bang")
	}()
	all := strings.Join(got, "\n")
	if !strings.Contains(all, "slow") || !strings.Contains(all, "error: Unhandled Error: boom") || !strings.Contains(all, "error: panic: bang") || strings.ContainsRune(all, '\x1b') {
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
