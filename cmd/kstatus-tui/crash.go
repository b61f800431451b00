package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/tui"
)

// A fault in the program must not look like a verdict: Go ends a program that
// panics with the exit code 2, which means that a resource Failed.

// guarded calls f. A panic in it becomes an error, which is logged.
func guarded[T any](f func() (T, error)) (value T, err error) {
	defer func() {
		if r := recover(); r != nil {
			crash := problem.Caught(r, debug.Stack())
			slog.Error(crash.Error(), "stack", crash.Stack)
			err = crash
		}
	}()
	return f()
}

// crashOf is the panic that an error reports, or nil.
func crashOf(err error) *problem.Crash {
	if crash, ok := errors.AsType[tui.Crashed](err); ok {
		return problem.Caught(crash.Value, crash.Stack)
	}
	crash, _ := errors.AsType[*problem.Crash](err)
	return crash
}

// printCrash prints a panic as one line, and with -v its stack, too.
func printCrash(w io.Writer, crash *problem.Crash) {
	fmt.Fprintf(w, "kstatus-tui: %s; please report it with the stack (-v=1 prints it, --log FILE keeps it): %s\n",
		report.Inert(crash.Error()), issues)
	if klog.V(1).Enabled() {
		fmt.Fprintln(w, report.Inert(crash.Stack))
	}
}

// issues is where errors of the program are reported.
const issues = "https://github.com/kstatus-tui/kstatus-tui/issues"

// endsAfterSignal is how long a command may take to end in order after a signal:
// to print its result, to close a recording.
const endsAfterSignal = 2 * time.Second

// execute runs a command and returns its exit code. After a signal it returns
// even if the command does not: whatever it is busy with ends with the process.
func execute(ctx context.Context, root *cobra.Command, stderr io.Writer) int {
	_, err := leavableWithin(ctx, endsAfterSignal,
		func() (struct{}, error) { return struct{}{}, root.ExecuteContext(ctx) })
	if done, ok := errors.AsType[exitCode](err); ok {
		return int(done)
	}
	if crash := crashOf(err); crash != nil {
		printCrash(stderr, crash)
		return exitError
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	if err != nil {
		printError(stderr, meantCommand(ctx, root, err))
		return exitError
	}
	return exitOK
}
