//go:build unix

package tui

import (
	"os"
	"os/exec"
	"runtime/debug"
	"syscall"
)

// rescue is a helper process that restores the terminal if this process dies
// without cleaning up: a panic in a goroutine of a library, a fatal error of
// the runtime, SIGKILL. Bubble Tea cannot do that. The zero value does nothing.
type rescue struct{ word *os.File } // the helper's input; if it is closed without allIsWell, the helper acts

// allIsWell is written to the helper when the program ends in order.
const allIsWell = "all-is-well"

// rescueScript waits for the end of its input. Unless that ends with allIsWell,
// it restores the terminal and prints its input: the runtime's trace of the
// crash.
const rescueScript = `trap '' INT TERM HUP QUIT TSTP TTIN TTOU
received=$(cat)
case $received in *` + allIsWell + `) exit 0 ;; esac
stty sane <&2 2>/dev/null
printf '\033[?1049l\033[?25h\033[?2004l\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2026l\033[?2027l\033[?2031l\033[>4m\033[<u\033[0m\033[23;2t\033]9;4;0\033\\\r\n' >&2
printf '%s\n' "$received" >&2`

// standBy starts the helper. A failure is ignored; it only makes a crash
// uglier.
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

// call lets the helper restore the terminal now.
func (r *rescue) call() {
	if r.word != nil {
		r.word.Close()
	}
}

// dismiss ends the helper.
func (r *rescue) dismiss() {
	if r.word != nil {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		_, _ = r.word.WriteString(allIsWell)
		r.word.Close()
	}
}
