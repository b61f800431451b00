package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// Text in a CI log never starts a command of the CI system, whether it is a
// message in the cluster or part of an error.
func TestNothingPrintedIsACommandToACISystem(t *testing.T) {
	hostile := "::error::a\n::add-mask::b ##[error]c ##vso[task.complete]d ##teamcity[e] " + strings.Repeat("::set-output::f ", 20)
	message, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	c := testcluster.New()
	defer c.Close()
	c.Put(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"default","uid":"u","generation":1,"creationTimestamp":"2020-01-01T00:00:00Z"},
"spec":{"replicas":1,"selector":{"matchLabels":{"a":"a"}},"template":{"metadata":{"labels":{"a":"a"}},"spec":{"containers":[{"name":"a","image":"a"}]}}},
"status":{"observedGeneration":1,"conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded","message":` + string(message) + `}]}}`)
	url, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", t.TempDir())
	server := []string{"--server", url, "deployment/a"}
	missing := filepath.Join(t.TempDir(), "##[error]x")
	for name, args := range map[string][]string{
		"table":            append([]string{"status"}, server...),
		"tree":             append([]string{"status", "-o", "tree"}, server...),
		"why":              append([]string{"why"}, server...),
		"wait":             append([]string{"wait", "-o", "text", "--timeout", "5s"}, server...),
		"an unknown type":  {"status", "--server", url, "##vso[task.complete]x/a"},
		"a missing file":   {"status", "--server", url, "-f", missing},
		"a lost recording": {"status", "--replay", missing},
		"an unknown flag":  {"status", "--##[error]x"},
	} {
		var out, stderr bytes.Buffer
		run(append([]string{"kstatus-tui"}, args...), genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &stderr})
		text := out.String() + stderr.String()
		if !strings.Contains(text, "set-output") && !strings.Contains(stderr.String(), "# #") {
			t.Errorf("%s does not show it:\n%s", name, text)
		}
		for line := range strings.Lines(text) {
			low := strings.TrimSpace(line)
			if strings.HasPrefix(low, "::") || strings.Contains(low, "##[") || strings.Contains(low, "##vso[") || strings.Contains(low, "##teamcity[") {
				t.Errorf("%s: a command: %q", name, line)
			}
		}
	}
}
