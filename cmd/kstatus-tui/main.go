// Command kstatus-tui follows what an apply asked for, together with
// everything generated from it, and says whether it is done, moving or stuck.
//
// A command's flags stand in the file of its name; root.go puts the commands
// together, follow.go has the flags of all that follow something.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/mask"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/tui"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// version is set by the linker (see the Makefile).
var version = ""

func main() {
	abortOnFatal()
	code := run(os.Args, genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr})
	kube.LeaveNoProgram()
	os.Exit(code)
}

// interruptible is a context that the first signal cancels; a second one ends the process.
// An interrupt does nothing while the dashboard has given the terminal to another program:
// it is meant for that one.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		defer signal.Stop(signals)
		for {
			select {
			case <-ctx.Done():
				return
			case sig := <-signals:
				if sig != os.Interrupt || !tui.Away() {
					cancel()
					return
				}
			}
		}
	}()
	return ctx, cancel
}

// run is the whole program as a function of its command line; only main turns
// the result into an exit. args[0] is the name it was called by. Commands use the
// given streams and never the os package's own; ErrOut from several goroutines,
// like a file.
func run(args []string, s genericiooptions.IOStreams) int {
	ctx, stop := interruptible()
	defer stop()

	logTo(slog.DiscardHandler)
	return runCommand(ctx, args, s)
}

// runCommand is run without what belongs to the process: signals and logs. Several may run
// at once, as long as none has --log or -v.
func runCommand(ctx context.Context, args []string, s genericiooptions.IOStreams) int {
	invoked := filepath.Base(args[0])
	if isPlugin(invoked) {
		s.ErrOut = pluginHints{s.ErrOut}
	}
	root := newRootCommand(invoked, s)
	root.SetArgs(args[1:])
	return execute(withTypedWords(ctx, args[1:]), root, s.ErrOut)
}

// The exit codes. Scripts depend on them.
const (
	exitOK          = 0   // the goal is reached; status and why: everything is Current
	exitError       = 1   // usage, configuration, API or internal error; nothing found
	exitFailed      = 2   // at least one resource Failed
	exitPending     = 3   // not reached yet
	exitMoved       = 4   // a named resource was deleted, recreated or applied again
	exitInterrupted = 130 // INT, TERM, HUP
)

// exitCode is a result that is not an error: it has been printed, and only the
// code remains. It travels as an error because cobra commands return nothing
// else.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// exitWith returns nil for exitOK, so that commands can return its result.
func exitWith(code int) error {
	if code == exitOK {
		return nil
	}
	return exitCode(code)
}

// verdictCode is the exit code of a verdict that was taken once. A Current
// verdict is not success on stale data, or while something new is looked into.
func verdictCode(v known.Verdict, whole bool) int {
	switch {
	case v.Status == status.Current && !v.Lost && whole:
		return exitOK
	case v.Status == status.Failed:
		return exitFailed
	}
	return exitPending
}

// isOutcome reports whether an error is an exit code.
func isOutcome(err error) bool {
	_, ok := errors.AsType[exitCode](err)
	return ok
}

// printError prints an error as two lines: what is wrong, and what to do next.
func printError(w io.Writer, err error) {
	text := mask.URL(strings.TrimPrefix(problem.OneLine(err.Error()), "error: "))
	fmt.Fprintf(w, "kstatus-tui: %s\n", report.Inert(text))
	rights := ""
	if feed.IsRefusal(text) {
		rights = askFor(text)
	}
	if next := problem.Hint(err, rights); next != "" {
		fmt.Fprintf(w, "hint: %s\n", report.Inert(problem.OneLine(next)))
	}
}
