package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/tui"
)

// doing are the options of a command that does something else.
type doing func(ctx context.Context) error

func (doing) Complete(*cobra.Command, []string) error { return nil }
func (doing) Validate() error                         { return nil }
func (do doing) Run(ctx context.Context) error        { return do(ctx) }

func commandOf(do doing, args ...string) *cobra.Command {
	cmd := &cobra.Command{Use: "kstatus-tui", SilenceErrors: true, SilenceUsage: true, RunE: runs(do)}
	cmd.Flags().String("log", "", "")
	cmd.SetArgs(args)
	return cmd
}

func TestACrashIsOneLineAndNoVerdict(t *testing.T) {
	var none []int
	for name, do := range map[string]doing{
		"in the command": func(context.Context) error { _ = none[len(none)]; return nil },
		"in what it waits for": func(ctx context.Context) error {
			_, err := leavable(ctx, func() (int, error) { return none[len(none)], nil })
			return err
		},
		"handed on by the dashboard": func(context.Context) error {
			return tui.Crashed{Value: "runtime error: index out of range [0] with length 0", Stack: []byte("goroutine 1 [running]:\nmain.crash")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			code := execute(t.Context(), commandOf(do), &stderr)
			want := "kstatus-tui: internal error: runtime error: index out of range [0] with length 0; please report it with the stack (-v=1 prints it, --log FILE keeps it): " + issues + "\n"
			if code != exitError || stderr.String() != want {
				t.Errorf("exit code %d and\n%s\nwant %d and\n%s", code, stderr.String(), exitError, want)
			}
			var level klog.Level
			if err := level.Set("1"); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = level.Set("0") }()
			stderr.Reset()
			if execute(t.Context(), commandOf(do), &stderr); !strings.Contains(stderr.String(), "goroutine ") {
				t.Errorf("no stack with -v:\n%s", stderr.String())
			}
		})
	}
}

func TestTheLogHasTheStackOfACrash(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	var stderr bytes.Buffer
	code := execute(t.Context(), commandOf(func(context.Context) error { panic("nobody expected this") }, "--log", file), &stderr)
	text, err := os.ReadFile(file)
	if err != nil || code != exitError || !strings.Contains(string(text), "nobody expected this") ||
		!strings.Contains(string(text), "crash_test.go") {
		t.Errorf("exit code %d, %v, log:\n%s", code, err, text)
	}
}

// A command that does not return after a signal ends all the same, and so does
// one whose cleaning up takes a while.
func TestASignalEndsACommandThatIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, signal := context.WithCancel(t.Context())
		busy := make(chan struct{})
		defer close(busy)
		signal()
		var stderr bytes.Buffer
		if code := execute(ctx, commandOf(func(context.Context) error { <-busy; return nil }), &stderr); code != exitInterrupted || stderr.Len() > 0 {
			t.Errorf("exit code %d, %s", code, stderr.String())
		}
	})
}
