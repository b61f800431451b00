package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// panicOn makes every request whose URL holds its value panic, in whatever
// goroutine it is sent: that of a source, of discovery, of a detail.
const panicOn = "KSTATUS_TUI_TEST_PANIC_ON"

type panicking struct {
	http.RoundTripper
	on string
}

func (p panicking) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.Contains(r.URL.String(), p.on) {
		panic("nobody expected " + p.on)
	}
	return p.RoundTripper.RoundTrip(r)
}

// A panic in the watching part keeps the screen: the known state stays and is
// marked as stale. A panic in an unguarded goroutine ends the program. In both
// cases the terminal is restored, the panic is reported after it, and the exit
// code is not a success.
func TestAPanicInAGoroutineOfTheWatchGivesTheTerminalBack(t *testing.T) {
	c := testcluster.New()
	defer c.Close()
	for o, err := range inventory.Objects("web.yaml", []byte(`
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop, uid: "1"}
`)) {
		if err != nil {
			t.Fatal(err)
		}
		c.Put(string(o.JSON))
	}
	url, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: test, namespace: shop}}]
clusters: [{name: test, cluster: {server: %q}}]
users: [{name: test}]
`, url), 0o600); err != nil {
		t.Fatal(err)
	}
	for on, source := range map[string]string{"watch=": "cm/settings", "/apis": "widgets/web"} {
		t.Run(on, func(t *testing.T) {
			t.Setenv(panicOn, on)
			s := startScreen(t, source, "--kubeconfig", config)
			s.wait(t, "nobody expected "+on)
			if on == "watch=" {
				if _, err := s.tty.WriteString("q"); err != nil {
					t.Fatal(err)
				}
			}
			if code := s.exit(t); code == exitOK {
				t.Error("exit code 0")
			}
			<-s.done
			out := s.output()
			taken, given := strings.LastIndex(out, "\x1b[?1049h"), strings.LastIndex(out, "\x1b[?1049l")
			if given < taken {
				t.Errorf("the alternate screen is still on: %q", out[max(0, len(out)-400):])
			}
			if !strings.Contains(out[max(given, 0):], "nobody expected "+on) {
				t.Errorf("nothing says what happened: %q", out[max(given, 0):])
			}
		})
	}
}
