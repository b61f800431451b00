//go:build unix

package views

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// endSignals are those that end the program. Bubble Tea alone would die of a
// hang-up and leave the terminal as it is.
var endSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// terminal keeps everybody but the renderer away from the screen: file
// descriptors 1 and 2 lead into a pipe, and the renderer gets a descriptor of
// its own. It also has a helper process standing by that gives the terminal
// back should this process die without a chance to (a panic in a goroutine
// that nobody watches, a fatal error of the runtime, SIGKILL).
type terminal struct {
	screen *os.File
	out    int // what 1 was, or -1
	err    int // what 2 was, or -1
	pipe   *os.File
	write  *os.File
	once   sync.Once
	rescue *os.File // the helper's input; closed without a word, it rescues
}

func takeTerminal(opts Options) (*terminal, error) {
	if !term.IsTerminal(opts.Output.Fd()) {
		return nil, fmt.Errorf("standard output is not a terminal")
	}
	fd, err := unix.FcntlInt(opts.Output.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("duplicate the terminal: %w", err)
	}
	t := &terminal{screen: os.NewFile(uintptr(fd), opts.Output.Name()), out: -1, err: -1}
	t.rescuer()
	r, w, err := os.Pipe()
	if err != nil {
		return t, nil // without a pipe, others may write to the screen
	}
	t.pipe, t.write = r, w
	if opts.Output.Fd() == 1 {
		t.out = redirect(1, w)
	}
	// Whoever sent errors to a file wants them there.
	if term.IsTerminal(2) {
		t.err = redirect(2, w)
	}
	return t, nil
}

// redirect lets a descriptor lead to f and returns a copy of what it was.
func redirect(fd int, f *os.File) int {
	old, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return -1
	}
	if err := unix.Dup2(int(f.Fd()), fd); err != nil {
		unix.Close(old)
		return -1
	}
	return old
}

// read hands over every line that others write, until restore.
func (t *terminal) read(line func(string)) {
	if t.pipe == nil {
		return
	}
	s := bufio.NewScanner(t.pipe)
	s.Buffer(make([]byte, 0, 4096), 1<<20)
	for s.Scan() {
		if text := clean(s.Text()); text != "" {
			line(text)
		}
	}
}

// restore gives descriptors 1 and 2 back. It may be called twice.
func (t *terminal) restore() {
	t.once.Do(func() {
		if t.out >= 0 {
			_ = unix.Dup2(t.out, 1)
			unix.Close(t.out)
		}
		if t.err >= 0 {
			_ = unix.Dup2(t.err, 2)
			unix.Close(t.err)
		}
		if t.write != nil {
			t.write.Close()
		}
		if t.rescue != nil {
			_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
			_, _ = t.rescue.WriteString(allIsWell)
			t.rescue.Close()
		}
		t.screen.Close()
	})
}

// allIsWell is what the helper hears from a program that ends in order.
const allIsWell = "all-is-well"

// rescueScript waits for the end of its input. Unless that ends with the word
// of an orderly end, it gives the terminal back and prints what it has heard:
// the runtime's trace of the crash.
const rescueScript = `trap '' INT TERM HUP QUIT TSTP TTIN TTOU
heard=$(cat)
case $heard in *` + allIsWell + `) exit 0 ;; esac
stty sane <&2 2>/dev/null
printf '\033[?1049l\033[?25h\033[?2004l\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?1004l\033[?2026l\033[?2031l\033[>4m\033[<u\033[0m\033]9;4;0\033\\\r\n' >&2
printf '%s\n' "$heard" >&2`

// rescuer starts the helper. Without it the program works as well; only a
// crash is uglier.
func (t *terminal) rescuer() {
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", rescueScript)
	cmd.Stdin, cmd.Stderr = r, t.screen
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		w.Close()
		return
	}
	go func() { _ = cmd.Wait() }()
	t.rescue = w
	_ = debug.SetCrashOutput(w, debug.CrashOptions{})
}
