package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// Anything before the first frame may block: a hanging credential plugin, a
// FIFO without a writer, an endless recording, a lost disk. The user can quit
// all the same.

// leavesWithin is how long a cancelled call is waited for.
const leavesWithin = 200 * time.Millisecond

// leavable returns f's result, or the context's error if f does not return soon
// after the context ends. A blocked f then runs until the process exits.
func leavable[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		value, err := f()
		answered <- answer{value, err}
	}()
	select {
	case a := <-answered:
		return a.value, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-answered:
		return a.value, a.err
	case <-time.After(leavesWithin):
		var none T
		return none, context.Cause(ctx)
	}
}

// errLeft is the cause of a context that the user ended with q.
var errLeft = errors.New("left")

// slowAfter is how long to wait before a message says what for.
const slowAfter = time.Second

// atKeyboard calls open for a dashboard that is not on the screen yet; q quits
// it, as it does afterwards.
func atKeyboard[T any](ctx context.Context, s genericiooptions.IOStreams, screen screenOptions, open func(context.Context) (T, error)) (T, error) {
	keys, ok := s.In.(*os.File)
	if !ok || !isTerminal(keys) || !(isTerminal(s.Out) || screen.plain) {
		return open(ctx)
	}
	ctx, leave := context.WithCancelCause(ctx) // the opened session lives in this context
	word := time.AfterFunc(slowAfter, func() { fmt.Fprintln(s.ErrOut, "kstatus-tui: opening … (q leaves)") })
	defer word.Stop()
	stop := watchForQ(keys, func() { leave(errLeft) })
	value, err := open(ctx)
	stop()
	if errors.Is(context.Cause(ctx), errLeft) {
		err = exitCode(exitOK)
	}
	if err != nil {
		leave(nil)
	}
	return value, err
}
