//go:build unix

package views

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// endSignals are those that end the program. Bubble Tea alone would die of a
// hang-up and leave the terminal as it is.
var endSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// stopSignals are those that put the program into the background.
var stopSignals = []os.Signal{syscall.SIGTSTP}

// terminal keeps everybody but the renderer away from the screen: file
// descriptors 1 and 2 lead into a pipe, and the renderer gets a descriptor of
// its own. So do keys, for a program that fetches credentials would be given
// descriptor 0 and could read them; it finds nothing there. The terminal also has a helper process standing by that gives the terminal
// back should this process die without a chance to (a panic in a goroutine
// that nobody watches, a fatal error of the runtime, SIGKILL).
type terminal struct {
	screen *os.File
	input  *os.File
	opened bool        // input is ours to close
	in     int         // what 0 was, or -1
	cooked *term.State // how input was; nil while it is so
	out    int         // what 1 was, or -1
	err    int         // what 2 was, or -1
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
	t := &terminal{screen: os.NewFile(uintptr(fd), opts.Output.Name()), input: opts.Input, in: -1, out: -1, err: -1}
	if t.input == nil {
		t.input = os.Stdin
		if !term.IsTerminal(os.Stdin.Fd()) { // a manifest came that way
			if t.input, err = os.Open("/dev/tty"); err != nil {
				t.screen.Close()
				return nil, fmt.Errorf("no terminal to read keys from: %w", err)
			}
			t.opened = true
		}
	}
	if t.input.Fd() == 0 {
		if null, err := os.Open(os.DevNull); err == nil {
			if t.in = redirect(0, null); t.in >= 0 {
				t.input = os.NewFile(uintptr(t.in), os.Stdin.Name())
			}
			null.Close()
		}
	}
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

// raw lets every key come as it is pressed.
func (t *terminal) raw() error {
	state, err := term.MakeRaw(t.input.Fd())
	if err != nil {
		return fmt.Errorf("read keys: %w", err)
	}
	t.cooked = state
	return nil
}

// cook takes raw back.
func (t *terminal) cook() {
	if t.cooked != nil {
		_ = term.Restore(t.input.Fd(), t.cooked)
		t.cooked = nil
	}
}

// sizes calls changed whenever the terminal's size has changed.
func (t *terminal) sizes(stop <-chan struct{}, changed func()) {
	ch := make(chan os.Signal, 1) // one is enough: whoever hears of it looks
	signal.Notify(ch, syscall.SIGWINCH)
	defer signal.Stop(ch)
	for {
		select {
		case <-stop:
			return
		case <-ch:
			changed()
		}
	}
}

func (t *terminal) canSuspend() bool { return true }

// suspend stops the whole job, as the shell's ctrl+z does, and returns once it
// is continued. SIGTSTP itself would come back to us as a wish.
func (t *terminal) suspend() {
	t.cook()
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGCONT)
	defer signal.Stop(again)
	if syscall.Kill(0, syscall.SIGSTOP) == nil {
		<-again
	}
	_ = t.raw() // it worked before
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
	// Whatever the length of a line, the pipe is read: a program that could not
	// write to it would hang.
	r := bufio.NewReaderSize(t.pipe, 16<<10)
	for whole := true; ; {
		part, err := r.ReadSlice('\n')
		if text := clean(string(bytes.TrimRight(part, "\r\n"))); text != "" && whole {
			line(text)
		}
		if whole = err == nil; err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// abandon leaves a terminal that takes nothing to the helper.
func (t *terminal) abandon() {
	t.once.Do(func() {
		if t.rescue != nil {
			t.rescue.Close()
		}
	})
}

// restore gives the terminal and descriptors 1 and 2 back. It may be called
// twice.
func (t *terminal) restore() {
	t.once.Do(func() {
		t.cook()
		if t.in >= 0 {
			_ = unix.Dup2(t.in, 0)
			t.input.Close()
		}
		if t.opened {
			t.input.Close()
		}
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
printf '\033[?1049l\033[?25h\033[?2004l\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?1004l\033[?2026l\033[?2031l\033[>4m\033[<u\033[0m\033[23;2t\033]9;4;0\033\\\r\n' >&2
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
