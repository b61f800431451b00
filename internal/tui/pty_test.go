//go:build unix

package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"github.com/kstatus-tui/kstatus-tui/internal/escapes"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

// The tests in this file run the real program in a real pseudo-terminal; they
// are the ones that wait on a real clock. The program is this test binary,
// started again with a word in its environment that says how to behave.
const behaviour = "KSTATUS_TUI_TEST_BEHAVIOUR"

func TestMain(m *testing.M) {
	if how := os.Getenv(behaviour); how != "" {
		os.Exit(behave(how))
	}
	os.Exit(m.Run())
}

// shop is a small feed: a Deployment whose second pod cannot pull its image.
type shop struct {
	how     string
	batches chan feed.Batch
}

func (f *shop) Next(ctx context.Context, since uint64) (feed.Batch, error) {
	if since == 1 {
		switch f.how {
		case "panic-in-command":
			panic("the command has no idea")
		case "panic-in-goroutine":
			go func() { panic("nobody watches me") }()
		case "plugin": // client-go gives it standard error, and does not end it
			plugin := exec.Command("sh", "-c", "echo the plugin waits >&2; exec sleep 12")
			plugin.Stderr = os.Stderr
			if err := plugin.Start(); err != nil {
				panic(err)
			}
		case "noise":
			fmt.Fprintln(os.Stderr, strings.Repeat("a line without an end ", 100_000))
			fmt.Println("stdout noise")
			fmt.Fprintln(os.Stderr, "W1121 02:15:00.000000    1 reflector.go:1] stderr noise")
		}
	}
	select {
	case b := <-f.batches:
		return b, nil
	case <-ctx.Done():
		return feed.Batch{}, ctx.Err()
	}
}
func (f *shop) Want(feed.Wants) {}
func (f *shop) Detail(_ context.Context, id object.ID) (feed.Detail, error) {
	return feed.Detail{ID: id, YAML: "kind: " + id.Kind + "\nspec:\n  replicas: 3\n  strategy: RollingUpdate\n"}, nil
}

func (f *shop) Logs(ctx context.Context, _ feed.LogKey, _ uint64) (feed.LogChunk, error) {
	<-ctx.Done()
	return feed.LogChunk{}, ctx.Err()
}

// behave is the program under test.
func behave(how string) int {
	switch how {
	case "panic-in-renderer":
		return renderBadly()
	case "panic-in-reader":
		return jumpBadly()
	case "hostile":
		return showHostile()
	}
	source := &shop{how: how, batches: make(chan feed.Batch, 1)}
	now := time.Now()
	source.batches <- viewstest.ShopBatch(now)
	judge := broken
	if how == "panic-in-update" {
		judge = func(*object.Object, status.World, time.Time) status.Assessment { panic("the judge has no idea") }
	}
	of := model.Options{Feed: source, Now: now, Title: "deploy/web", Context: "test", Namespace: "shop", Screen: true, Judge: judge, Theme: "dark"}
	of.Reopen = func(_ context.Context, other model.Other) (*model.Session, error) {
		if other.Source == "nothing" {
			return nil, errors.New("there is no such thing")
		}
		next := &shop{batches: make(chan feed.Batch, 1)}
		next.batches <- viewstest.ShopBatch(now)
		return &model.Session{
			Left: func() error { return errors.New("the first one has ended") },
			Begin: func(before *model.Model) (*model.Model, tea.Cmd) {
				return model.New(model.Options{Feed: next, Ctx: before.Options().Ctx, Now: now, Title: other.Source, Context: "another", Namespace: "shop", Screen: true, Judge: broken})
			},
		}, nil
	}
	if how == "auto" {
		of.Theme = how
	}
	m, err := Run(context.Background(), of, Options{})
	if crash := (Crashed{}); errors.As(err, &crash) {
		fmt.Fprintln(os.Stderr, "FAREWELL CRASH", crash.Value)
		fmt.Fprintf(os.Stderr, "%s\n", crash.Stack)
		return 70
	}
	if interrupted := (Interrupted{}); errors.As(err, &interrupted) {
		fmt.Println("FAREWELL INTERRUPTED")
		return 130
	}
	if err != nil {
		fmt.Println("FAREWELL ERROR", err)
		return 1
	}
	fmt.Println("FAREWELL", m.Facts.Verdict().Status)
	return 0
}

// session is the program in a pseudo-terminal, with an emulator that answers
// like a terminal.
type session struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	mu   sync.Mutex
	raw  bytes.Buffer
	emu  *vt.Emulator
	done chan error
	mute bool // the terminal answers nothing
	// blind: nothing is shown on the emulator any more. Guarded by mu.
	blind bool
}

// screen is the text on the emulated screen. The emulator's SafeEmulator does
// not protect this against concurrent writes.
func (s *session) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emu.String()
}

func start(t *testing.T, how string, w, h int, env ...string) *session {
	t.Helper()
	return startWith(t, how, w, h, false, env...)
}

func startWith(t *testing.T, how string, w, h int, mute bool, env ...string) *session {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append([]string{behaviour + "=" + how, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)})
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, cmd: cmd, tty: tty, emu: vt.NewEmulator(w, h), done: make(chan error, 1), mute: mute}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 32*1024)
		for {
			n, err := tty.Read(buf)
			s.mu.Lock()
			s.raw.Write(buf[:n])
			if !s.blind {
				_, _ = s.emu.Write(buf[:n]) // what it answers is read beside, without the lock
			}
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() {
		buf := make([]byte, 1024)
		for {
			n, err := s.emu.Read(buf)
			if n > 0 && !s.mute {
				_, _ = tty.Write(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	go func() {
		err := cmd.Wait()
		select {
		case <-read:
		case <-time.After(2 * time.Second): // a helper may hold the terminal a little longer
		}
		s.done <- err
	}()
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
		}
		_ = tty.Close()
	})
	return s
}

func (s *session) output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// until waits for something to stand on the screen.
func (s *session) until(what string) {
	s.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(s.screen(), what) {
			return
		}
	}
	s.t.Fatalf("%q did not appear:\n%s", what, s.screen())
}

func (s *session) keys(k string) {
	s.t.Helper()
	if _, err := io.WriteString(s.tty, k); err != nil {
		s.t.Fatal(err)
	}
}

// end waits for the program's end and returns its exit code. All that it has
// written must be what it may say to a terminal.
func (s *session) end() int {
	s.t.Helper()
	select {
	case <-s.done:
		if err := escapes.Check([]byte(s.output())); err != nil {
			s.t.Error(err)
		}
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(30 * time.Second):
		s.t.Fatalf("it does not end:\n%s", s.screen())
		return -1
	}
}

// restored checks that the terminal was given back.
func (s *session) restored() {
	s.t.Helper()
	out := s.output()
	for name, pair := range map[string][2]string{
		"alternate screen": {"\x1b[?1049h", "\x1b[?1049l"},
		"cursor":           {"\x1b[?25l", "\x1b[?25h"},
		"bracketed paste":  {"\x1b[?2004h", "\x1b[?2004l"},
		"mouse":            {"\x1b[?1002h", "\x1b[?1002l"},
		"mouse encoding":   {"\x1b[?1006h", "\x1b[?1006l"},
		"theme reports":    {"\x1b[?2031h", "\x1b[?2031l"},
	} {
		on, off := strings.LastIndex(out, pair[0]), strings.LastIndex(out, pair[1])
		if on >= 0 && off < on {
			s.t.Errorf("%s: switched on, and not off again", name)
		}
	}
}

// broken judges everything as failed: what these tests are about is not what
// the rules of the day say.
func broken(o *object.Object, _ status.World, _ time.Time) status.Assessment {
	a := status.Assessment{Status: status.Failed, Reason: "NotReady", Deciding: -1}
	if o.Pod != nil {
		a.Reason = "ImagePullBackOff"
	}
	return a
}

func TestTheDashboardComesUpAnswersKeysAndLeavesTheVerdict(t *testing.T) {
	s := start(t, "normal", 120, 36)
	s.until("deploy/web")
	s.until("cannot be pulled")
	s.keys("2")
	s.until("CONDITIONS")
	s.keys("?")
	s.until("EVERYWHERE")
	s.keys("yaml")
	s.until(" yaml ")
	s.keys("\x1b")
	s.until("IN THE TREE")
	s.keys("\x1b")
	s.until("1 Why") // an escape right before another key would be alt with that key
	s.keys("q")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.restored()
	out := s.output()
	if i := strings.LastIndex(out, "\x1b[?1049l"); i < 0 || !strings.Contains(out[i:], "FAREWELL Failed") || !strings.Contains(out[i:], "0/1 Current") {
		t.Errorf("the verdict does not stay in the shell: %q", out[max(i, 0):])
	}
}

func TestThePaletteSwitchesToAnotherSource(t *testing.T) {
	s := start(t, "normal", 120, 36)
	s.until("deploy/web")
	s.keys(":source nothing\r")
	s.until("there is no such thing")
	s.until("deploy/web")
	s.keys(":source deploy/other\r")
	s.until("another")
	s.until("the first one has ended")
	s.until("po/web-abc-1")
	s.keys("q")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.restored()
	if n := strings.Count(s.output(), "\x1b[?1049h"); n != 1 {
		t.Errorf("the screen was taken %d times", n)
	}
}

func TestQuittingAtOnceLeavesNoAnswersBehind(t *testing.T) {
	for _, mute := range []bool{false, true} {
		t.Run(fmt.Sprintf("mute %v", mute), func(t *testing.T) {
			s := startWith(t, "normal", 80, 24, mute)
			s.keys("q") // before anything is on the screen
			began := time.Now()
			if code := s.end(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			s.restored()
			if mute {
				return
			}
			// Whatever the program has not read is echoed or left in the
			// terminal's input by now.
			out := s.output()
			if i := strings.LastIndex(out, "FAREWELL"); i < 0 || strings.Contains(out[i:], "^[") || strings.Contains(out[i:], "\x1b[?") {
				t.Errorf("something follows the farewell: %q", out[max(i, 0):])
			}
		})
	}
}

func TestEverySignalGivesTheTerminalBack(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			s := start(t, "normal", 80, 24)
			s.until("deploy/web")
			if err := s.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if code := s.end(); code != 130 {
				t.Errorf("exit code %d", code)
			}
			s.restored()
			if !strings.Contains(s.output(), "FAREWELL INTERRUPTED") {
				t.Error("no farewell")
			}
		})
	}
}

func TestKilledOutrightTheTerminalStillComesBack(t *testing.T) {
	s := start(t, "normal", 80, 24)
	s.until("deploy/web")
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.done
	s.restored()
	// The program may die in the middle of a sequence. A terminal drops such a sequence at the next escape.
	out := s.output()
	i := max(strings.LastIndex(out, "\x1b[?1049l"), 0)
	drawn, rescue := out[:i], out[i:]
	drawn = drawn[:max(strings.LastIndexByte(drawn, '\x1b'), 0)]
	if err := errors.Join(escapes.Check([]byte(drawn)), escapes.Check([]byte(rescue))); err != nil {
		t.Error(err)
	}
}

func TestPrintedTextOfLibrariesBecomesANotice(t *testing.T) {
	s := start(t, "noise", 120, 36)
	s.until("stderr noise")
	s.keys("6")
	s.until("MESSAGES")
	s.until("stdout noise")
	screen := s.screen()
	if !strings.Contains(screen, "stderr: stdout noise") {
		t.Errorf("stray output outside of the log:\n%s", screen)
	}
	s.keys("q")
	s.end()
}

func TestALastingCredentialPluginDoesNotKeepTheProgram(t *testing.T) {
	s := start(t, "plugin", 120, 36)
	s.until("the plugin waits")
	asked := time.Now()
	s.keys("q")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(asked); took > 8*time.Second {
		t.Errorf("it ended %s after q, with the plugin", took)
	}
	s.restored()
}

func TestNoColorTurnsColoursOffWithAnyValue(t *testing.T) {
	s := start(t, "normal", 80, 24, "NO_COLOR=yes")
	s.until("deploy/web")
	s.keys("q")
	s.end()
	if out := s.output(); strings.Contains(out, "38;2;") || strings.Contains(out, "38;5;") || strings.Contains(out, "\x1b[31m") {
		t.Error("there are colours")
	}
}

func TestAResizeStormEndsInAFrameThatFits(t *testing.T) {
	s := start(t, "normal", 80, 24)
	s.until("deploy/web")
	s.mu.Lock()
	s.blind = true // the emulator does not survive output for a size that it has left behind
	s.mu.Unlock()
	for i := range 60 {
		w, h := 20+(i*37)%180, 4+(i*13)%56
		if err := pty.Setsize(s.tty, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Millisecond)
	}
	if err := pty.Setsize(s.tty, &pty.Winsize{Cols: 120, Rows: 36}); err != nil {
		t.Fatal(err)
	}
	// The next redraw at that size is a whole frame.
	var frame string
	for deadline := time.Now().Add(20 * time.Second); ; {
		from := len(s.output())
		s.keys("\x0c") // ctrl+l
		for retry := time.Now().Add(500 * time.Millisecond); time.Now().Before(retry); time.Sleep(10 * time.Millisecond) {
			frame = drawnOn(120, 36, s.output()[from:])
			if lines := strings.Split(frame, "\n"); strings.Contains(frame, "deploy/web") && strings.Contains(lines[len(lines)-1], "quit") {
				s.keys("q")
				if code := s.end(); code != 0 {
					t.Errorf("exit code %d", code)
				}
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("no whole frame of 120x36:\n%s", frame)
		}
	}
}

// drawnOn is what output draws on an empty screen, or "" where the emulator
// fails at it.
func drawnOn(w, h int, output string) (screen string) {
	defer func() {
		if recover() != nil {
			screen = ""
		}
	}()
	emu := vt.NewEmulator(w, h) // a frame has no queries, so no answers need be read
	_, _ = emu.WriteString(output)
	return emu.String()
}

// unread starts the program on a large terminal that is not being read.
func unread(t *testing.T) (*exec.Cmd, *os.File) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = []string{behaviour + "=normal", "TERM=xterm-256color", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH")}
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 200, Rows: 60})
	if err != nil {
		t.Fatal(err)
	}
	return cmd, tty
}

func TestASignalEndsItOnATerminalThatNobodyReads(t *testing.T) {
	cmd, tty := unread(t)
	defer tty.Close()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for i := range 150 { // full frames until the terminal's buffer is full
		_ = pty.Setsize(tty, &pty.Winsize{Cols: uint16(150 + i%50), Rows: 60})
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-done:
		if code := cmd.ProcessState.ExitCode(); code != 130 {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(5 * time.Second):
		_ = cmd.Process.Kill()
		t.Fatal("it hangs")
	}
}

func TestSuspendingRestoresTheTerminalAndResumingTakesItBack(t *testing.T) {
	for name, stop := range map[string]func(*session){
		"ctrl+z": func(s *session) { s.keys("\x1a") },
		"signal": func(s *session) { _ = s.cmd.Process.Signal(syscall.SIGTSTP) },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "normal", 80, 24)
			s.until("deploy/web")
			stop(s)
			for deadline := time.Now().Add(5 * time.Second); !s.stopped() || !strings.Contains(s.output(), "\x1b[?1049l") || !strings.Contains(s.output(), "\x1b[?2031l"); time.Sleep(5 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("it does not stop")
				}
			}
			s.restored()
			left := len(s.output())
			if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(5 * time.Second); !strings.Contains(s.output()[left:], "\x1b[?1049h") || !strings.Contains(s.output()[left:], "deploy/"); time.Sleep(5 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("it does not come back: %q", s.output()[left:])
				}
			}
			s.keys("q")
			if code := s.end(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			s.restored()
		})
	}
}

// stopped reports whether the program is in the background.
func (s *session) stopped() bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		s.t.Skip("no /proc here")
	}
	_, state, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(state, "T")
}

func TestAClosedTerminalEndsIt(t *testing.T) {
	s := start(t, "normal", 80, 24)
	s.until("deploy/web")
	if err := s.tty.Close(); err != nil {
		t.Fatal(err)
	}
	if code := s.end(); code != 130 {
		t.Errorf("exit code %d", code)
	}
}
