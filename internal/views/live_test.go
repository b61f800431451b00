//go:build unix

package views

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"
)

// The terminal's background decides which theme "auto" is, and goes on to: when
// the terminal says that it has changed (mode 2031), or answers what it is (OSC
// 11), the next picture has the other colours.
func TestTheThemeFollowsTheTerminalsBackgroundLive(t *testing.T) {
	s := startWith(t, "auto", 120, 36, true) // what it asks when it starts, nobody answers
	s.until("Deployment/web")
	const dark, light = "247;118;142", "180;0;60" // of what is Failed
	for _, report := range []struct{ name, says, want string }{
		{"its scheme is light", "\x1b[?997;2n", light},
		{"its scheme is dark", "\x1b[?997;1n", dark},
		{"its background is white", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", light},
		{"its background is black", "\x1b]11;rgb:0000/0000/0000\a", dark},
	} {
		from := len(s.output())
		s.keys(report.says)
		for deadline := time.Now().Add(20 * time.Second); !strings.Contains(s.output()[from:], report.want); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: not drawn anew: %q", report.name, s.output()[from:])
			}
		}
	}
	s.until("Deployment/web")
	s.keys("q")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.restored()
}

// A click goes all the way from the terminal's bytes to the block that it folds.
func TestAClickOnALineOfYAMLFoldsItsBlock(t *testing.T) {
	s := start(t, "normal", 120, 36)
	s.until("Deployment/web")
	s.keys("5")
	s.until("strategy: RollingUpdate")
	click := func(what string) {
		t.Helper()
		for y, line := range strings.Split(s.screen(), "\n") {
			if x := strings.Index(line, what); x >= 0 {
				x = len([]rune(line[:x]))
				s.keys("\x1b[<0;" + strconv.Itoa(x+1) + ";" + strconv.Itoa(y+1) + "M\x1b[<0;" + strconv.Itoa(x+1) + ";" + strconv.Itoa(y+1) + "m")
				return
			}
		}
		t.Fatalf("%q is not on the screen:\n%s", what, s.screen())
	}
	click("spec:")
	s.until("spec:  ▸ 2 lines")
	if screen := s.screen(); strings.Contains(screen, "strategy: RollingUpdate") {
		t.Errorf("the block is open still:\n%s", screen)
	}
	click("spec:")
	s.until("strategy: RollingUpdate")
	s.keys("q")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// At 300 baud a picture of this size takes minutes. The program neither waits for
// that nor draws for it, and a key still ends it.
func TestAKeyEndsItOnATerminalAsSlowAsAModem(t *testing.T) {
	cmd, tty := unread(t)
	defer tty.Close()
	var slow sync.WaitGroup
	defer slow.Wait()
	stop := make(chan struct{}) // closed by the test
	defer close(stop)
	begun := make(chan struct{}) // closed by the reader at the first byte
	slow.Go(func() {
		buf := make([]byte, 3) // ten times a second
		for first := true; ; first = false {
			if _, err := tty.Read(buf); err != nil {
				return
			}
			if first {
				close(begun)
			}
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	<-begun
	for i := range 100 { // whole pictures, more than the terminal's buffer takes
		_ = pty.Setsize(tty, &pty.Winsize{Cols: uint16(150 + i%50), Rows: 60})
		time.Sleep(5 * time.Millisecond)
	}
	if _, err := tty.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-done:
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(30 * time.Second):
		_ = cmd.Process.Kill()
		t.Error("it waits for the terminal")
	}
}

// modem takes thirty bytes a second, as a line of 300 baud does.
type modem struct {
	mu    sync.Mutex
	wrote []string
}

func (m *modem) Write(p []byte) (int, error) {
	time.Sleep(time.Duration(len(p)) * time.Second / 30)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wrote = append(m.wrote, string(p))
	return len(p), nil
}

// all is what has been written so far, one string a write.
func (m *modem) all() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.wrote)
}

func TestASlowTerminalIsNeverFurtherBehindThanOnePicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tty := &modem{}
		s := &screen{out: tty}
		th := theme(t, "dark")
		s.start()
		const seconds = 120
		for i := range seconds * 60 {
			began := time.Now()
			s.text(th, fmt.Sprint("picture ", i))
			if time.Since(began) > 0 {
				t.Fatal("a picture waits for the terminal")
			}
			time.Sleep(time.Second / 60)
		}
		newest := time.Now()
		synctest.Wait()
		longest := 0
		for _, w := range tty.all()[1:] {
			longest = max(longest, len(w))
		}
		if longest > 100 {
			t.Errorf("a write of %d bytes: pictures queue up", longest)
		}
		for deadline := newest.Add(10 * time.Second); ; time.Sleep(time.Second / 30) {
			shown := drawnOn(20, 1, strings.Join(tty.all(), ""))
			if strings.Contains(shown, fmt.Sprint("picture ", seconds*60-1)) {
				break
			}
			if time.Now().After(deadline) {
				t.Errorf("ten seconds later it shows %q", shown)
				break
			}
		}
		if !s.stop(time.Minute) {
			t.Error("it does not stop")
		}
	})
}
