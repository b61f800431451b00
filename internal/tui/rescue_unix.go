//go:build unix

package tui

import (
	"os"
	"os/exec"
	"runtime/debug"
	"syscall"
)

// rescue is a helper process that gives the terminal back should this process
// die without a chance to: a panic in a goroutine that nobody watches, a fatal
// error of the runtime, SIGKILL. Bubble Tea can do nothing then. The zero value
// does nothing either.
type rescue struct{ word *os.File } // the helper's input; closed without a word, it acts

// allIsWell is what the helper hears from a program that ends in order.
const allIsWell = "all-is-well"

// rescueScript waits for the end of its input. Unless that ends with the word
// of an orderly end, it gives the terminal back and prints what it has heard:
// the runtime's trace of the crash.
const rescueScript = `trap '' INT TERM HUP QUIT TSTP TTIN TTOU
heard=$(cat)
case $heard in *` + allIsWell + `) exit 0 ;; esac
stty sane <&2 2>/dev/null
printf '\033[?1049l\033[?25h\033[?2004l\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?1004l\033[?2026l\033[?2027l\033[?2031l\033[>4m\033[<u\033[0m\033[23;2t\033]9;4;0\033\\\r\n' >&2
printf '%s\n' "$heard" >&2`

// standBy starts the helper. Without it the program works as well; only a crash
// is uglier.
func standBy(screen *os.File) *rescue {
	r, w, err := os.Pipe()
	if err != nil {
		return &rescue{}
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", rescueScript)
	cmd.Stdin, cmd.Stderr = r, screen
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		w.Close()
		return &rescue{}
	}
	go func() { _ = cmd.Wait() }()
	_ = debug.SetCrashOutput(w, debug.CrashOptions{})
	return &rescue{w}
}

// call has the helper give the terminal back now.
func (r *rescue) call() {
	if r.word != nil {
		r.word.Close()
	}
}

// dismiss sends the helper away.
func (r *rescue) dismiss() {
	if r.word != nil {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		_, _ = r.word.WriteString(allIsWell)
		r.word.Close()
	}
}
