//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

func fifo(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// hanging is a kubeconfig whose credential plugin opens a FIFO, and hangs.
func hanging(t *testing.T, server string) (config, begun string) {
	t.Helper()
	dir := t.TempDir()
	login, config, begun := filepath.Join(dir, "login"), filepath.Join(dir, "config"), fifo(t)
	script := "#!/bin/sh\nexec cat " + begun + "\n"
	text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],
clusters: [{name: c, cluster: {server: %q}}],
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: IfAvailable, command: %q}}}]}`, server, login)
	if err := errors.Join(os.WriteFile(login, []byte(script), 0o700), os.WriteFile(config, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return config, begun
}

// What cannot be opened is left with a signal, and the program for credentials
// ends with it.
func TestASignalEndsTheOpeningOfAnySource(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	config, login := hanging(t, server.URL)
	other, otherLogin := hanging(t, server.URL)
	silent := fifo(t)
	for name, c := range map[string]struct {
		begun string // the FIFO of a run that has begun
		args  []string
	}{
		"a recording that never comes": {silent, []string{"status", "--replay", silent}},
		"one of two recordings":        {silent, []string{"diff", silent, "@1s"}},
		"a recording on a screen":      {silent, []string{"replay", silent}},
		"a saved cluster":              {silent, []string{"why", "--from", silent}},
		"inventories in one":           {silent, []string{"inventories", "--from", silent}},
		"members of one in it":         {silent, []string{"members", "flux/ks/apps", "--from", silent}},
		"what differs between two":     {silent, []string{"diff", silent, silent}},
		"credentials that never come":  {login, []string{"status", "--kubeconfig", config, "pod/a", "svc/b", "deploy/c"}},
		"credentials for a wait":       {otherLogin, []string{"wait", "--kubeconfig", other, "pod/a"}},
		"a manifest that never comes":  {silent, []string{"wait", "--kubeconfig", config, "-f", silent}},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, _ := program(t, c.args...)
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			cmd.Stderr = w // itself, so that it is open as long as something that was started lives
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w.Close()
			writer, err := os.OpenFile(c.begun, os.O_WRONLY, 0) // waits for its reader
			if err != nil {
				t.Fatal(err)
			}
			defer writer.Close()
			asked := time.Now()
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
			took := time.Since(asked)
			_ = r.SetReadDeadline(time.Now().Add(20 * time.Second))
			stderr, err := io.ReadAll(r)
			if err != nil {
				t.Errorf("what it started lives on: %v", err)
			}
			if took > 5*time.Second || cmd.ProcessState.ExitCode() != exitInterrupted {
				t.Errorf("it ended with %v after %s\n%s", cmd.ProcessState, took, stderr)
			} else {
				t.Logf("it ended after %s", took)
			}
		})
	}
}

// What is busy with its input ends at the first signal, too: while it parses one
// large document, and while it judges and prints many. Undisturbed each takes
// most of a minute. That it takes 0.1 s to leave is for a test with another clock
// (TestASignalEndsEveryBusyCommandWithinHalfASecond).
func TestASignalEndsCommandsThatReadObjects(t *testing.T) {
	one := "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"
	many := filepath.Join(t.TempDir(), "many.yaml")
	if err := os.WriteFile(many, []byte(strings.Repeat("---\n"+one, 500_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	list := "apiVersion: v1\nkind: List\nitems:\n" + strings.Repeat("- "+one, 500_000)
	for i, c := range []struct {
		prints bool // before it has read everything
		args   string
	}{
		{true, "compute --rules kstatus -o jsonl"},
		{true, "augment"},
		{true, "augment -o json"},
		{false, "compute"},
		{false, "augment"},
	} {
		sig := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[i%2]
		t.Run(fmt.Sprint(c.args, " ", c.prints, " ", sig), func(t *testing.T) {
			file := many
			if !c.prints {
				file = fifo(t)
			}
			cmd, stderr := program(t, append(strings.Fields(c.args), "-f", file)...)
			out, err := cmd.StdoutPipe()
			if err = errors.Join(err, cmd.Start()); err != nil {
				t.Fatal(err)
			}
			if c.prints {
				_, err = out.Read(make([]byte, 1))
			} else {
				err = os.WriteFile(file, []byte(list), 0) // then it parses
			}
			if err != nil {
				t.Fatal(err)
			}
			asked := time.Now()
			_ = cmd.Process.Signal(sig)
			_ = cmd.Wait()
			if took := time.Since(asked); took > 5*time.Second || cmd.ProcessState.ExitCode() != exitInterrupted {
				t.Errorf("it ended with %v after %s\n%s", cmd.ProcessState, took, stderr)
			} else {
				t.Logf("it ended after %s", took)
			}
		})
	}
}

func TestASignalWhileAChoiceIsOfferedEndsItWith130(t *testing.T) {
	c := testcluster.New()
	defer c.Close()
	url, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		s := startScreen(t, "--server", url)
		s.wait(t, "enter follows")
		_ = s.cmd.Process.Signal(sig)
		if code := s.exit(t); code != exitInterrupted {
			t.Errorf("%v: exit code %d", sig, code)
		}
	}
}

// What has been opened at a keyboard is followed afterwards.
func TestTheDashboardFollowsTheSourceThatWasOpenedInIt(t *testing.T) {
	c := testcluster.New()
	defer c.Close()
	c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}}`)
	url, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	s := startScreen(t, "--server", url, "configmap/a")
	s.wait(t, "DONE")
	if _, err := io.WriteString(s.tty, "q"); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// The palette's source command follows something else in the same dashboard.
func TestADashboardFollowsAnotherSource(t *testing.T) {
	c := testcluster.New()
	defer c.Close()
	c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"first","namespace":"default"}}`)
	c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"second","namespace":"default"}}`)
	url, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	s := startScreen(t, "--server", url, "configmap/first")
	s.wait(t, "DONE")
	if _, err := io.WriteString(s.tty, ":source configmap/second\r"); err != nil {
		t.Fatal(err)
	}
	s.wait(t, "DONE 1/1 configmap/second") // the terminal's title: the screen is redrawn in pieces
	if _, err := io.WriteString(s.tty, "q"); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A file that takes no data affects neither the answer nor the end of the
// program.
func TestNoFileHoldsTheProgramUp(t *testing.T) {
	c := testcluster.New()
	t.Cleanup(c.Close)
	c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}}`)
	url, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"--record", "--report", "--log"} {
		for name, file := range map[string]string{"a FIFO without a reader": fifo(t), "a full disk": "/dev/full"} {
			if flag == "--report" { // its format is the ending of its name
				link := filepath.Join(t.TempDir(), "report.md")
				if err := os.Symlink(file, link); err != nil {
					t.Fatal(err)
				}
				file = link
			}
			for _, command := range []string{"status", "why", "wait"} {
				t.Run(strings.Join([]string{flag, name, command}, " "), func(t *testing.T) {
					t.Parallel()
					cmd, stderr := program(t, command, "--server", url, "configmap/a", flag, file)
					out, err := cmd.Output()
					if cmd.ProcessState.ExitCode() < 0 {
						t.Fatalf("it does not end: %v", err)
					}
					if !strings.Contains(string(out), "Current") && !strings.Contains(string(out), "othing") && command != "wait" {
						t.Errorf("there is no answer:\n%s\n%s", out, stderr)
					}
					if flag != "--log" && !strings.Contains(stderr.String(), "a FIFO without a reader?") && !strings.Contains(stderr.String(), "no space left") {
						t.Errorf("nothing says that it is missing:\n%s", stderr)
					}
				})
			}
		}
	}
}

func TestADamagedRecordingIsReportedWithTheTimeOfItsLastMoment(t *testing.T) {
	// Of a few wrong bytes at its end nothing shows: they may be the beginning of a last line.
	half := demoRecording[:len(demoRecording)/2]
	broken := slices.Concat(half, half)
	for name, c := range map[string]struct {
		data    []byte
		damaged bool
	}{"cut off": {half, false}, "damaged": {broken, true}} {
		file := filepath.Join(t.TempDir(), "x.rec.gz")
		if err := os.WriteFile(file, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"status", "-o", "json"}, {"why", "-o", "json"}, {"wait", "-o", "json", "--fail-fast=never", "--settle=10m"}, {"wait", "-o", "jsonl", "--fail-fast=never", "--settle=10m"}, {"status", "-o", "table"}} {
			var out, stderr bytes.Buffer
			run(append([]string{"kstatus-tui"}, append(args, "--replay", file)...), genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &stderr})
			if !strings.Contains(stderr.String(), "kstatus-tui: the recording ") || !strings.Contains(stderr.String(), "nothing is known of what came after 20") {
				t.Errorf("%s, %v: %s", name, args, &stderr)
			}
			if args[2] == "table" {
				continue
			}
			text := bytes.TrimSpace(out.Bytes())
			if args[2] == "jsonl" {
				text = text[bytes.LastIndexByte(text, '\n')+1:]
			}
			var d struct {
				Recording struct {
					TruncatedAt time.Time
					Damaged     bool
				}
			}
			if err := json.Unmarshal(text, &d); err != nil || d.Recording.TruncatedAt.IsZero() || d.Recording.Damaged != c.damaged {
				t.Errorf("%s, %v: %v, %+v", name, args, err, d.Recording)
			}
		}
	}
}

// Without a screen a panic is one line on standard error, and no verdict.
func TestAPanicInAGoroutineOfTheWatchIsNoVerdict(t *testing.T) {
	c := testcluster.New()
	defer c.Close()
	url, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"status", "why", "wait"} {
		cmd, stderr := program(t, command, "cm/settings", "--server", url)
		cmd.Env = append(cmd.Env, panicOn+"=configmaps")
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != exitError {
			t.Errorf("%s: %v", command, cmd.ProcessState)
		}
		if text := stderr.String(); strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "kstatus-tui: internal error: nobody expected configmaps; please report") {
			t.Errorf("%s: %s", command, text)
		}
	}
}
