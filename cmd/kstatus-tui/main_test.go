package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// asProgram makes the test binary the program itself, for tests in a terminal.
const asProgram = "KSTATUS_TUI_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"kstatus-tui": main})
}

func TestCommandLine(t *testing.T) {
	demo, err := filepath.Abs("demo.rec.gz")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("DEMO", demo)
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("KUBECONFIG", "")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
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

// screen runs the program in a pseudo-terminal.
type screen struct {
	tty *os.File
	cmd *exec.Cmd

	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // a token for whoever waits; a full one needs no second
	done chan struct{} // closed when the terminal has ended
}

func startScreen(t *testing.T, args ...string) *screen {
	t.Helper()
	s := &screen{cmd: exec.Command(os.Args[0], args...), more: make(chan struct{}, 1), done: make(chan struct{})}
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
	})
	return s
}

func (s *screen) output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// wait waits until the program has written something.
func (s *screen) wait(t *testing.T, want string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !strings.Contains(s.output(), want) {
		select {
		case <-s.more:
		case <-s.done:
			if !strings.Contains(s.output(), want) {
				t.Fatalf("ended without %q:\n%q", want, s.output())
			}
		case <-deadline:
			t.Fatalf("%q is not on the screen:\n%q", want, s.output())
		}
	}
}

func (s *screen) exit(t *testing.T) int {
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

func TestTheDemoNeedsNoClusterAndSaysThatItIsARecording(t *testing.T) {
	s := startScreen(t, "demo")
	s.wait(t, "RECORDING")
	s.wait(t, "Deployment/checkout")
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

func TestAVerdictThatNobodyVouchesForIsNoSuccess(t *testing.T) {
	for _, c := range []struct {
		v    model.Verdict
		want int
	}{
		{model.Verdict{Status: status.Current}, exitOK},
		{model.Verdict{Status: status.Current, Lost: true}, exitPending},
		{model.Verdict{Status: status.Failed, Lost: true}, exitFailed},
		{model.Verdict{Status: status.InProgress}, exitPending},
		{model.Verdict{Status: status.Unknown}, exitPending},
	} {
		if got := verdictCode(c.v); got != c.want {
			t.Errorf("%+v: exit %d, want %d", c.v, got, c.want)
		}
	}
}
