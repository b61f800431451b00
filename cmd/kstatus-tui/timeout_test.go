package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func TestTheRequestTimeoutIsWhenASilentServerIsGivenUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // a listener that never accepts
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	config := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: test}}]
clusters: [{name: test, cluster: {server: "http://%s"}}]
users: [{name: test}]
`, l.Addr())
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"status", "deploy/web"}, {"why", "deploy/web"}, {"members", "flux/ks/web"}} {
		t.Run(command[0], func(t *testing.T) {
			t.Parallel() // each waits for the three seconds
			cmd, stderr := program(t, append(command, "--kubeconfig", config, "--request-timeout", "3s")...)
			began := time.Now()
			_ = cmd.Run()
			took := time.Since(began)
			if cmd.ProcessState.ExitCode() != 1 || took < 3*time.Second ||
				!strings.Contains(stderr.String(), "the API server does not answer") {
				t.Errorf("%v after %v: %s", cmd.ProcessState, took, stderr)
			}
			if command[0] != "members" && !strings.Contains(stderr.String(), "waiting for http://"+l.Addr().String()) {
				t.Errorf("nothing is said meanwhile: %s", stderr)
			}
		})
	}
}

// The timeout of a command that looks once bounds it, and nothing is printed that is only
// a part: a Role without what nobody has answered would be too small.
func TestTheTimeoutOfALookBoundsItAndPrintsNoPart(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // a listener that never accepts
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	t.Setenv("HOME", t.TempDir())
	for _, command := range [][]string{
		{"inventories"},
		{"members", "flux/ks/web"},
		{"rbac", "deploy/web"},
		{"rbac", "deploy/web", "--check"},
		{"status", "deploy/web"},
		{"why", "--owner", "deploy/web"},
	} {
		var out, stderr bytes.Buffer
		began := time.Now()
		code := run(append(append([]string{"kstatus-tui"}, command...), "--server", "http://"+l.Addr().String(), "--timeout", "100ms"),
			genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &stderr})
		took := time.Since(began)
		if code != exitError || out.Len() > 0 || !strings.Contains(stderr.String(), "the cluster did not answer in time") ||
			!strings.Contains(stderr.String(), "--timeout waits longer") || took > onceTimeout/2 {
			t.Errorf("%q: exit %d after %v: %s%s", command, code, took, &out, &stderr)
		}
	}
}

// A line that says what is waited for is not written beside the answer.
func TestNothingIsPrintedAfterTheWaitHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		o := &followOptions{}
		o.ErrOut = out
		stop := o.afterSilence("waiting\n")
		time.Sleep(silence)
		stopped := false
		go func() {
			stop()
			stopped = true
		}()
		synctest.Wait()
		if stopped {
			t.Error("the wait has ended while its line was being printed")
		}
		if line, err := bufio.NewReader(in).ReadString('\n'); err != nil || line != "waiting\n" {
			t.Errorf("printed %q, %v", line, err)
		}
		synctest.Wait()
		if !stopped {
			t.Error("the wait does not end")
		}

		soon := &followOptions{}
		var nothing bytes.Buffer
		soon.ErrOut = &nothing
		soon.afterSilence("waiting\n")()
		time.Sleep(2 * silence)
		if nothing.Len() > 0 {
			t.Errorf("printed although it was stopped: %q", nothing.String())
		}
	})
}
