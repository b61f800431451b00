package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The program queries the terminal at its start. After an early quit the
// answers must not appear at the prompt: tested in a shell in tmux, which
// answers as terminals do.
func TestAnInstantQuitInTmuxLeavesACleanPrompt(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	dir, err := os.MkdirTemp("", "tmux") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	tmux := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("tmux", append([]string{"-f", "/dev/null", "-L", "quit"}, args...)...)
		cmd.Env = append(os.Environ(), "TMUX_TMPDIR="+dir, "TMUX=", "LANG=C.UTF-8")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %s: %v\n%s", args, err, out)
		}
		return string(out)
	}
	screen := func() string { return tmux("capture-pane", "-p") }
	until := func(what string, holds func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: not within a minute:\n%s", what, screen())
			}
		}
	}
	lines := func() []string { return strings.Split(strings.TrimRight(screen(), "\n"), "\n") }
	tmux("new-session", "-d", "-x", "250", "-y", "30", "env",
		asProgram+"=1", "PS1=READY$ ", "ENV=", "HOME="+dir, "KUBECONFIG=", "sh")
	defer tmux("kill-server")
	until("a prompt", func() bool { l := lines(); return l[len(l)-1] == "READY$" })
	tmux("send-keys", "-l", os.Args[0]+" demo; echo code=$?")
	tmux("send-keys", "Enter")
	until("the dashboard", func() bool { return strings.TrimSpace(tmux("display-message", "-p", "#{alternate_on}")) == "1" })
	tmux("send-keys", "q") // nothing has been answered, and perhaps nothing been drawn
	until("the prompt again", func() bool {
		l := lines()
		return l[len(l)-1] == "READY$" && strings.Contains(screen(), "\ncode=")
	})
	tmux("send-keys", "-l", "echo still $((40+2))")
	tmux("send-keys", "Enter")
	until("an answer of the shell", func() bool { return strings.Contains(screen(), "\nstill 42") })
	got := lines()
	for i, line := range got {
		switch {
		case strings.HasPrefix(line, "code=") && line != "code=0":
			t.Errorf("the program ended with %s", line)
		case line == "still 42" && got[i-1] != "READY$ echo still $((40+2))":
			t.Errorf("something else stands at the prompt: %q", got[i-1])
		}
	}
	if out := strings.Join(got, "\n"); strings.Contains(out, "^[") ||
		strings.Contains(out, "rgb:") || strings.Contains(out, "[?") {
		t.Errorf("answers of the terminal have reached the shell:\n%s", out)
	}
}
