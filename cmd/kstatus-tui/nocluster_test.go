package main

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// TestTheDemosOwnBuildSaysTheSame builds what "make demo" builds, and compares it
// with the whole program.
func TestTheDemosOwnBuildSaysTheSame(t *testing.T) {
	small := filepath.Join(t.TempDir(), "small")
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "nocluster", "-o", small, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build -tags nocluster: %v\n%s", err, out)
	}
	for _, args := range [][]string{
		{"demo"},
		{"demo", "--at", "50s"},
		{"demo", "--help"},
		{"demo", "--at", "nonsense"},
		{"demo", "--theme", "nonsense"},
		{"replay", "demo.rec.gz", "--at", "30s", "--report", filepath.Join(t.TempDir(), "report.md")},
		{"replay", "nothing.rec.gz"},
		{"replay", "--help"},
	} {
		var want, got [2]bytes.Buffer
		code := run(append([]string{"kstatus-tui"}, args...), genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &want[0], ErrOut: &want[1]})
		cmd := exec.CommandContext(t.Context(), small, args...)
		cmd.Stdout, cmd.Stderr = &got[0], &got[1]
		err := cmd.Run()
		if e, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
			t.Fatal(e)
		}
		if got[0].String() != want[0].String() || got[1].String() != want[1].String() || cmd.ProcessState.ExitCode() != code {
			t.Errorf("%q: exit code %d, want %d\n%s%s\nwant\n%s%s", args, cmd.ProcessState.ExitCode(), code, &got[0], &got[1], &want[0], &want[1])
		}
	}
}
