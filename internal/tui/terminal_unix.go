//go:build unix

package tui

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// endSignals end the program. Without a handler a hang-up would kill it and
// leave the terminal in raw mode.
var endSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// stopSignals stop the job.
var stopSignals = []os.Signal{syscall.SIGTSTP}

// terminal keeps other writers and readers away from the screen. File
// descriptors 1 and 2 lead into a pipe, and Bubble Tea writes to a descriptor
// of its own. It reads keys from one of its own, too: a credential plugin
// inherits descriptor 0, which is empty, and cannot take them.
type terminal struct {
	screen *os.File
	input  *os.File
	ours   bool // input is closed here
	in     int  // a copy of descriptor 0, which is input's, or -1
	out    int  // a copy of descriptor 1, or -1
	err    int  // a copy of descriptor 2, or -1
	pipe   *os.File
	write  *os.File
	once   sync.Once
	rescue *rescue
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
		if !term.IsTerminal(os.Stdin.Fd()) { // standard input was a manifest
			if t.input, err = os.Open("/dev/tty"); err != nil {
				t.screen.Close()
				return nil, fmt.Errorf("no terminal to read keys from: %w", err)
			}
			t.ours = true
		}
	}
	if t.input.Fd() == 0 {
		if null, err := os.Open(os.DevNull); err == nil {
			if t.in = redirect(0, null); t.in >= 0 {
				t.input, t.ours = os.NewFile(uintptr(t.in), os.Stdin.Name()), true
			}
			null.Close()
		}
	}
	t.rescue = standBy(t.screen)
	_, _ = t.screen.WriteString(keepTitle)
	r, w, err := os.Pipe()
	if err != nil {
		return t, nil // without a pipe, other writers are not kept out
	}
	t.pipe, t.write = r, w
	if opts.Output.Fd() == 1 {
		t.out = redirect(1, w)
	}
	// Standard error that leads to a file stays there.
	if term.IsTerminal(2) {
		t.err = redirect(2, w)
	}
	return t, nil
}

// stopJob stops the whole job, as the shell's ctrl+z does, until it is
// continued. tea.Suspend would send SIGTSTP, which Go ignores once a program
// has asked to be notified of it.
type stopJob struct{ screen io.Writer }

func (j *stopJob) Run() error {
	// Disabled here and not earlier: the program's start may have enabled the
	// reports until now.
	_, _ = io.WriteString(j.screen, stopTheme)
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGCONT)
	defer signal.Stop(again)
	err := syscall.Kill(0, syscall.SIGSTOP)
	if err == nil {
		<-again
	}
	return err
}

func (j *stopJob) SetStdin(io.Reader)         {}
func (j *stopJob) SetStdout(screen io.Writer) { j.screen = screen }
func (j *stopJob) SetStderr(io.Writer)        {}

// redirect points a descriptor at f and returns a copy of the old one.
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

// lastWords is how long what has been written by then may take to be read.
const lastWords = 50 * time.Millisecond

// read passes on every line that others write, until restore.
func (t *terminal) read(line func(string)) {
	if t.pipe == nil {
		return
	}
	// The pipe is drained whatever the length of a line: a writer would block
	// on a full pipe.
	r := bufio.NewReaderSize(t.pipe, 16<<10)
	for whole := true; ; {
		part, err := r.ReadSlice('\n')
		if text := object.Clean(string(part)); text != "" && whole {
			line(text)
		}
		if whole = err == nil; err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// abandon leaves the terminal to the helper.
func (t *terminal) abandon() { t.once.Do(t.rescue.call) }

// restore restores descriptors 0, 1 and 2, after Bubble Tea has released the
// terminal. It may be called twice.
func (t *terminal) restore() {
	t.once.Do(func() {
		_, _ = t.screen.WriteString(stopTheme + restoreTitle)
		for fd, was := range []int{t.in, t.out, t.err} {
			if was >= 0 {
				_ = unix.Dup2(was, fd)
			}
			if was >= 0 && was != t.in {
				unix.Close(was)
			}
		}
		if t.ours { // also t.in: by its number alone, its finalizer would close whoever has the number next
			t.input.Close()
		}
		if t.write != nil {
			t.write.Close()
			// A credential plugin that hangs keeps its copy of descriptor 2 open.
			_ = t.pipe.SetReadDeadline(time.Now().Add(lastWords))
		}
		t.rescue.dismiss()
		t.screen.Close()
	})
}
