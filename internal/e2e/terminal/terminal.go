// Package terminal runs a program in a pseudo-terminal and keeps the screen
// that a person would see, by way of a terminal emulator that also answers the
// program's queries. [Start] it, [Terminal.Wait] for something to stand on the
// screen, [Terminal.Type] keys, and ask at the end whether the terminal was
// left as it was found ([Terminal.LeftClean]).
//
// Nothing here sleeps: Wait looks again whenever the program has written.
package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Options say what to run and on how large a screen (120x36 by default).
type Options struct {
	Command       string
	Args          []string
	Env           []string // whole environment; TERM is set where it lacks one
	Dir           string
	Columns, Rows int
	// OnScreen is called with every new screen, by the goroutine that reads the
	// program's output: it must not block. It is for measurements.
	OnScreen func(Screen)
	// Forget keeps only the screen and the end of the output, for long runs.
	Forget bool
}

// Screen is the terminal's content at one moment.
type Screen struct {
	Lines []string  // one per row, without trailing blanks
	At    time.Time // when the bytes that produced it had arrived
}

func (s Screen) String() string { return strings.Join(s.Lines, "\n") }

// Has says whether text stands within one line of the screen.
func (s Screen) Has(text string) bool { return s.Line(text) != "" }

// Line is the first line that holds all of the texts, "" when there is none.
func (s Screen) Line(texts ...string) string {
	for _, line := range s.Lines {
		all := true
		for _, text := range texts {
			all = all && strings.Contains(line, text)
		}
		if all {
			return line
		}
	}
	return ""
}

// Terminal is a running (or ended) program and its screen. Its methods may be
// called from any goroutine.
type Terminal struct {
	cmd    *exec.Cmd
	master *os.File
	tty    *os.File
	before *unix.Termios

	mu      sync.Mutex
	emu     *vt.Emulator
	output  bytes.Buffer
	screen  Screen
	changed chan struct{} // closed and replaced at every change
	hook    func(Screen)
	forget  bool

	drained chan struct{} // closed when all output has been read
	ended   chan struct{} // closed when the program has ended
}

// Start runs the program. The caller must [Terminal.Close] it.
func Start(opts Options) (*Terminal, error) {
	if opts.Columns == 0 {
		opts.Columns, opts.Rows = 120, 36
	}
	master, tty, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("open a pty: %w", err)
	}
	t := &Terminal{
		master: master, tty: tty, emu: vt.NewEmulator(opts.Columns, opts.Rows),
		hook: opts.OnScreen, forget: opts.Forget,
		changed: make(chan struct{}), drained: make(chan struct{}), ended: make(chan struct{}),
	}
	if err := t.start(opts); err != nil {
		return nil, errors.Join(err, master.Close(), tty.Close())
	}
	return t, nil
}

func (t *Terminal) start(opts Options) (err error) {
	if err := pty.Setsize(t.master, &pty.Winsize{Cols: uint16(opts.Columns), Rows: uint16(opts.Rows)}); err != nil {
		return err
	}
	if t.before, err = unix.IoctlGetTermios(int(t.tty.Fd()), unix.TCGETS); err != nil {
		return err
	}
	t.cmd = exec.Command(opts.Command, opts.Args...)
	t.cmd.Dir, t.cmd.Env = opts.Dir,
		append([]string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"}, opts.Env...)
	t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr = t.tty, t.tty, t.tty
	t.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := t.cmd.Start(); err != nil {
		return err
	}
	go t.read()
	go t.answer()
	go func() {
		_ = t.cmd.Wait()
		close(t.ended)
	}()
	return nil
}

// kept bounds the output that is kept in long runs.
const kept = 64 << 10

// read feeds the program's output to the emulator, until the terminal is closed
// on both sides.
func (t *Terminal) read() {
	defer close(t.drained)
	buf := make([]byte, 64<<10)
	for {
		n, err := t.master.Read(buf)
		if n > 0 {
			at := time.Now()
			t.mu.Lock()
			t.output.Write(buf[:n])
			if t.forget && t.output.Len() > kept {
				t.output.Next(t.output.Len() - kept)
			}
			_, _ = t.emu.Write(buf[:n])
			t.screen = Screen{Lines: lines(t.emu.String()), At: at}
			screen := t.screen
			close(t.changed)
			t.changed = make(chan struct{})
			t.mu.Unlock()
			if t.hook != nil {
				t.hook(screen)
			}
		}
		if err != nil {
			return
		}
	}
}

func lines(text string) []string {
	all := strings.Split(text, "\n")
	for i := range all {
		all[i] = strings.TrimRight(all[i], " \r")
	}
	return all
}

// answer types the emulator's answers to queries (background colour, device
// attributes, …) as a terminal does.
func (t *Terminal) answer() { _, _ = io.Copy(t.master, t.emu) }

// Screen is the present screen.
func (t *Terminal) Screen() Screen {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen
}

// Wait returns the first screen, from the present one on, for which ok says
// true, or the last one and an error after the time given.
func (t *Terminal) Wait(within time.Duration, ok func(Screen) bool) (Screen, error) {
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	for {
		t.mu.Lock()
		screen, changed := t.screen, t.changed
		t.mu.Unlock()
		if ok(screen) {
			return screen, nil
		}
		select {
		case <-changed:
		case <-t.drained:
			if now := t.Screen(); ok(now) {
				return now, nil
			}
			return t.Screen(), errors.New("the program has ended")
		case <-deadline.C:
			return t.Screen(), fmt.Errorf("not within %s", within)
		}
	}
}

// Type sends keys, as their bytes.
func (t *Terminal) Type(keys string) error {
	_, err := io.WriteString(t.master, keys)
	return err
}

// Resize changes the size of the terminal under the program.
func (t *Terminal) Resize(columns, rows int) error {
	t.mu.Lock()
	t.emu.Resize(columns, rows)
	t.mu.Unlock()
	return pty.Setsize(t.master, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
}

// PID is the program's process id.
func (t *Terminal) PID() int { return t.cmd.Process.Pid }

// Signal sends the program a signal.
func (t *Terminal) Signal(s os.Signal) error { return t.cmd.Process.Signal(s) }

// Exit waits for the program to end and returns its exit code, -1 when a
// signal ended it.
func (t *Terminal) Exit(within time.Duration) (int, error) {
	select {
	case <-t.ended:
		return t.cmd.ProcessState.ExitCode(), nil
	case <-time.After(within):
		return 0, fmt.Errorf("still running after %s", within)
	}
}

// Output is every byte that the program has written; with Forget, the last 64 KiB.
func (t *Terminal) Output() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.output.Bytes())
}

// LeftClean returns what the ended program has not restored: the line
// discipline, the main screen, the cursor, and the reporting of mouse, paste
// and focus. Call it once, after the end.
func (t *Terminal) LeftClean() error {
	after, err := unix.IoctlGetTermios(int(t.tty.Fd()), unix.TCGETS)
	if err != nil {
		return err
	}
	var errs []error
	if *after != *t.before {
		errs = append(errs, fmt.Errorf("the line discipline differs: before %+v, after %+v", *t.before, *after))
	}
	// its last output may still be on the way
	t.tty.Close()
	<-t.drained
	output := t.Output()
	for mode, name := range map[string]string{
		"1049": "the alternate screen", "1000": "mouse clicks", "1002": "mouse drags", "1003": "mouse motion",
		"1006": "mouse coordinates", "2004": "bracketed paste", "1004": "focus reports", "2026": "synchronised output",
	} {
		if bytes.LastIndex(output, []byte("\x1b[?"+mode+"h")) > bytes.LastIndex(output, []byte("\x1b[?"+mode+"l")) {
			errs = append(errs, fmt.Errorf("%s (mode %s) is still on", name, mode))
		}
	}
	if bytes.LastIndex(output, []byte("\x1b[?25l")) > bytes.LastIndex(output, []byte("\x1b[?25h")) {
		errs = append(errs, errors.New("the cursor is still hidden"))
	}
	return errors.Join(errs...)
}

// Close ends the program if it still runs, and the terminal.
func (t *Terminal) Close() {
	select {
	case <-t.ended:
	default:
		_ = t.cmd.Process.Kill()
		<-t.ended
	}
	// With the last open end of the tty the reader gets its end of file.
	t.tty.Close()
	<-t.drained
	t.emu.Close()
	t.master.Close()
}
