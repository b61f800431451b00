package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// asProgram makes the test binary the program itself, for tests in a terminal.
const asProgram = "KSTATUS_TUI_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		if on := os.Getenv(panicOn); on != "" {
			http.DefaultTransport = panicking{http.DefaultTransport, on} // client-go's, where there is no TLS
		}
		main()
	}
	// Tests run the program hundreds of times in one process: what saves memory costs them most of their time.
	paceCollector = func(room) {}
	debug.SetGCPercent(400)
	testscript.Main(m, map[string]func(){"kstatus-tui": main})
}

func TestCommandLine(t *testing.T) {
	demo, err := filepath.Abs("demo.rec.gz")
	if err != nil {
		t.Fatal(err)
	}
	action, err := filepath.Abs("../../action")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("DEMO", demo)
			env.Setenv("ACTION", action)
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("KUBECONFIG", "")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "cluster": serveCluster},
	})
}

// exits runs a command and checks its exit code: exits CODE COMMAND…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		got = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// serveCluster starts a server in memory with the objects of a file, and makes it
// the configured one: cluster FILE. Lines "# serve PLURAL.GROUP/VERSION KIND
// [SHORT] [@CATEGORY]" say which kinds it serves besides, lines "# log
// NAMESPACE/POD/CONTAINER TEXT" what its kubelets have of a container's log, lines "# helm
// NAME VERSION STATUS MANIFEST DESCRIPTION" which releases Helm has stored.
func serveCluster(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: cluster FILE")
	}
	c := testcluster.New()
	ts.Defer(c.Close)
	text := ts.ReadFile(args[0])
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if rest, ok := strings.CutPrefix(line, "# log "); ok {
			container, text, _ := strings.Cut(rest, " ")
			if at := strings.Split(container, "/"); len(at) == 3 {
				c.SetLog(at[0], at[1], at[2], text)
			}
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# helm "); ok {
			f := strings.SplitN(strings.TrimSpace(rest), " ", 5)
			version, err := strconv.Atoi(f[1])
			ts.Check(err)
			secret, err := json.Marshal(helmSecret(f[0], version, f[2], ts.ReadFile(f[3]), f[4]))
			ts.Check(err)
			c.Put(string(secret))
			continue
		}
		if len(f) < 4 || f[0] != "#" || f[1] != "serve" {
			continue
		}
		name, version, _ := strings.Cut(f[2], "/")
		plural, group, _ := strings.Cut(name, ".")
		r := testcluster.Resource{Group: group, Version: version, Plural: plural, Kind: f[3]}
		for _, more := range f[4:] {
			if category, ok := strings.CutPrefix(more, "@"); ok {
				r.Categories = []string{category}
			} else {
				r.Short = []string{more}
			}
		}
		c.Serve(r)
	}
	for o, err := range inventory.Objects(args[0], []byte(text)) {
		ts.Check(err)
		c.Put(string(o.JSON))
	}
	url, err := c.Listen()
	ts.Check(err)
	config := ts.MkAbs("cluster.config")
	ts.Check(os.WriteFile(config, fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: test, namespace: shop}}]
clusters: [{name: test, cluster: {server: %q}}]
users: [{name: test}]
`, url), 0o600))
	ts.Setenv("KUBECONFIG", config)
}

// screen runs the program in a pseudo-terminal.
type screen struct {
	tty *os.File
	cmd *exec.Cmd

	mu   sync.Mutex
	text bytes.Buffer  // everything that was written
	emu  *vt.Emulator  // what of it is to be seen
	more chan struct{} // buffered, one: wakes a waiting reader
	done chan struct{} // closed when the terminal has ended
}

func startScreen(t testing.TB, args ...string) *screen {
	t.Helper()
	s := &screen{cmd: exec.Command(os.Args[0], args...), emu: vt.NewEmulator(120, 36), more: make(chan struct{}, 1), done: make(chan struct{})}
	go func() { _, _ = io.Copy(io.Discard, s.emu) }() // its answers to questions about the terminal
	s.cmd.Env = append(os.Environ(), asProgram+"=1", "TERM=xterm-256color", "LANG=C.UTF-8", "KUBECONFIG=", "HOME="+t.TempDir())
	tty, err := pty.StartWithSize(s.cmd, &pty.Winsize{Cols: 120, Rows: 36})
	if err != nil {
		t.Fatal(err)
	}
	s.tty = tty
	go func() {
		defer close(s.done)
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			s.mu.Lock()
			s.text.Write(buf[:n])
			_, _ = s.emu.Write(buf[:n])
			s.mu.Unlock()
			select {
			case s.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = tty.Close()
		<-s.done
		_ = s.emu.InputPipe().(io.Closer).Close() // Close itself races with Read
	})
	return s
}

// shows reports whether a text is on the screen. What is written may be parts of it.
func (s *screen) shows(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.emu.String(), text)
}

func (s *screen) output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// wait waits until the program has written something, or shows it.
func (s *screen) wait(t testing.TB, want string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !strings.Contains(s.output(), want) && !s.shows(want) {
		select {
		case <-s.more:
		case <-s.done:
			if !strings.Contains(s.output(), want) {
				t.Fatalf("ended without %q:\n%q", want, s.output())
			}
		case <-deadline:
			s.mu.Lock()
			defer s.mu.Unlock()
			t.Fatalf("%q is not on the screen:\n%s", want, s.emu.String())
		}
	}
}

func (s *screen) exit(t testing.TB) int {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			if e, ok := errors.AsType[*exec.ExitError](err); ok {
				return e.ExitCode()
			}
			t.Fatal(err)
		}
		return 0
	case <-time.After(10 * time.Second):
		t.Fatal("the program does not end")
	}
	return -1
}

// program is the whole program, about to start.
func program(t *testing.T, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, os.Args[0], args...)
	stderr = new(bytes.Buffer)
	cmd.Env = append(os.Environ(), asProgram+"=1", "HOME="+t.TempDir())
	cmd.Stderr = stderr
	cmd.WaitDelay = time.Second // what it has started may outlive it
	return cmd, stderr
}

func TestTheDemoNeedsNoClusterAndIsLabelledAsARecording(t *testing.T) {
	s := startScreen(t, "demo", "--at", "20s")
	s.wait(t, "RECORDING")
	s.wait(t, "deploy/checkout")
	if _, err := io.WriteString(s.tty, "q"); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestTheExitStatusOfADashboardIsItsVerdicts(t *testing.T) {
	s := startScreen(t, "demo", "--at", "50s", "--exit-status")
	s.wait(t, "FAILED")
	if _, err := io.WriteString(s.tty, "q"); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(t); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
}

func TestASignalEndsTheDashboardWith130(t *testing.T) {
	s := startScreen(t, "demo")
	s.wait(t, "RECORDING")
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(t); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
}

func TestOnlyAConnectedCurrentVerdictExitsWith0(t *testing.T) {
	for _, c := range []struct {
		v    known.Verdict
		want int
	}{
		{known.Verdict{Status: status.Current}, exitOK},
		{known.Verdict{Status: status.Current, Lost: true}, exitPending},
		{known.Verdict{Status: status.Failed, Lost: true}, exitFailed},
		{known.Verdict{Status: status.InProgress}, exitPending},
		{known.Verdict{Status: status.Unknown}, exitPending},
	} {
		if got := verdictCode(c.v, true); got != c.want {
			t.Errorf("%+v: exit %d, want %d", c.v, got, c.want)
		}
	}
}

// BenchmarkDemo is the time from the start of the program, once built, to the
// first frame of its demo in a terminal.
func BenchmarkDemo(b *testing.B) {
	for b.Loop() {
		cmd := exec.Command(os.Args[0], "demo")
		cmd.Env = append(os.Environ(), asProgram+"=1", "TERM=xterm-256color", "LANG=C.UTF-8", "KUBECONFIG=", "HOME="+b.TempDir())
		tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 36})
		if err != nil {
			b.Fatal(err)
		}
		var text []byte
		for buf := make([]byte, 4096); !bytes.Contains(text, []byte("RECORDING")); {
			n, err := tty.Read(buf)
			if err != nil {
				b.Fatalf("it ended without a frame: %v: %q", err, text)
			}
			text = append(text, buf[:n]...)
		}
		b.StopTimer()
		_ = cmd.Process.Kill()
		_ = tty.Close()
		_ = cmd.Wait()
		b.StartTimer()
	}
}
