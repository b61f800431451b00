// Command kstatus-tui follows what an apply asked for, together with
// everything generated from it, and says whether it is done, moving or stuck.
//
// One file per command; root.go puts them together, exit.go has the exit
// codes, follow.go the flags of every command that follows something.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// version is set by the linker (see the Makefile).
var version = ""

func main() {
	s := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	done := cleanErrors()
	code := run(os.Args, s)
	done()
	os.Exit(code)
}

// run is the whole program as a function of its command line; only main turns
// the result into an exit. args[0] is the name it was called by. Commands use the
// given streams and never the os package's own.
func run(args []string, s genericiooptions.IOStreams) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// The first signal cancels the context; a second one ends the process.
	defer context.AfterFunc(ctx, stop)()

	root := newRootCommand(filepath.Base(args[0]), s)
	root.SetArgs(args[1:])
	err := root.ExecuteContext(ctx)
	if done, ok := errors.AsType[exitCode](err); ok {
		return int(done)
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	if err != nil {
		printError(s.ErrOut, err)
		return exitError
	}
	return exitOK
}
