package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func TestTheRequestTimeoutIsWhenASilentServerIsGivenUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // a listener that never accepts
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
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
		errOut, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		defer errOut.Close()
		began := time.Now()
		code := run(append(command, "--kubeconfig", config, "--request-timeout", "3s"), genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: errOut})
		took := time.Since(began)
		text, err := os.ReadFile(errOut.Name())
		if err != nil {
			t.Fatal(err)
		}
		stderr := string(text)
		if code != 1 || took < 3*time.Second || took > 20*time.Second || !strings.Contains(stderr, "the API server does not answer") {
			t.Errorf("%s: exit %d after %v: %s", command[0], code, took, stderr)
		}
		if command[0] != "members" && !strings.Contains(stderr, "waiting for http://"+l.Addr().String()) {
			t.Errorf("%s: nothing is said meanwhile: %s", command[0], stderr)
		}
	}
}
