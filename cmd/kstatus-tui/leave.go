package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// What comes before the first picture may take as long as others like: a program
// for credentials that hangs, a FIFO that nobody writes to, a recording made to be
// endless, a disk that is gone. It can be left all the same.

// leavesWithin is how long what was told to end is waited for.
const leavesWithin = 200 * time.Millisecond

// leavable is f's answer, or the context's error where f does not come back soon
// after that has ended. What f is at then goes on until the process ends.
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

// errLeft is the cause of a context that the user has ended with q.
var errLeft = errors.New("left")

// slowAfter is how long something is waited for in silence.
const slowAfter = time.Second

// atKeyboard is open's answer for a dashboard that is not on the screen yet: q
// leaves it, as it does afterwards.
func atKeyboard[T any](ctx context.Context, s genericiooptions.IOStreams, screen screenFlags, open func(context.Context) (T, error)) (T, error) {
	keys, ok := s.In.(*os.File)
	if !ok || !isTerminal(keys) || !(isTerminal(s.Out) || screen.plain) {
		return open(ctx)
	}
	ctx, leave := context.WithCancelCause(ctx) // what is opened lives in it
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
