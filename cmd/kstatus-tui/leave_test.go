//go:build linux && !nocluster

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// program is the whole program, about to start.
func program(t *testing.T, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, os.Args[0], args...)
	stderr = new(bytes.Buffer)
	cmd.Env = append(os.Environ(), asProgram+"=1", "HOME="+t.TempDir())
	cmd.Stderr = stderr
	cmd.WaitDelay = time.Second // what it has started may outlive it
	return cmd, stderr
}

func fifo(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// hanging is a kubeconfig whose program for credentials prints something for a
// terminal, and hangs.
func hanging(t *testing.T, server string) string {
	t.Helper()
	dir := t.TempDir()
	login, config := filepath.Join(dir, "login"), filepath.Join(dir, "config")
	script := "#!/bin/sh\nprintf 'open the \\033[2J\\033]0;x\\007browser\\n' >&2\nexec sleep 20\n"
	text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],
clusters: [{name: c, cluster: {server: %q}}],
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: IfAvailable, command: %q}}}]}`, server, login)
	if err := errors.Join(os.WriteFile(login, []byte(script), 0o700), os.WriteFile(config, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return config
}

// What cannot be opened is left with a signal.
func TestASignalEndsWhateverIsBeingOpened(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	config := hanging(t, server.URL)
	for name, args := range map[string][]string{
		"a recording that never comes": {"status", "--replay", fifo(t)},
		"one of two recordings":        {"diff", fifo(t), "@1s"},
		"a recording on a screen":      {"replay", fifo(t)},
		"credentials that never come":  {"status", "--kubeconfig", config, "pod/a"},
		"credentials for a wait":       {"wait", "--kubeconfig", config, "pod/a"},
		"a manifest that never comes":  {"wait", "--kubeconfig", config, "-f", fifo(t)},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, stderr := program(t, args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second) // until it hangs; earlier would be as well
			asked := time.Now()
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
			if took := time.Since(asked); took > 5*time.Second || cmd.ProcessState.ExitCode() != exitInterrupted {
				t.Errorf("it ended with %v after %s\n%s", cmd.ProcessState, took, stderr)
			} else {
				t.Logf("it ended after %s", took)
			}
			if strings.ContainsAny(stderr.String(), "\x1b\a") {
				t.Errorf("it printed %q", stderr)
			}
		})
	}
}
