package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// errQuit says that the user has typed q.
var errQuit = errors.New("quit")

// lines prints a model as one line per change: for screen readers and for
// terminals that cannot move the cursor. It ends with the recording: nobody can
// seek in it.
func (h headless) lines(ctx context.Context, opt model.Options, in io.Reader, out io.Writer) (model.Model, error) {
	asked, quit := context.WithCancelCause(ctx)
	defer quit(nil)
	if in != nil {
		go waitForQ(in, quit)
	}
	log := views.NewChangeLog(os.Environ())
	var failed error
	opt.Unfolded = true
	m, err := h.follow(asked, opt, func(m model.Model) (stop bool, wake time.Time) {
		for _, line := range log.Lines(m, time.Local) {
			if _, err := fmt.Fprintln(out, line); err != nil {
				failed = fmt.Errorf("write: %w", err)
			}
		}
		return failed != nil, time.Time{}
	})
	switch {
	case failed != nil:
		return m, failed
	case ctx.Err() != nil:
		return m, exitWith(exitInterrupted)
	case errors.Is(err, errQuit), errors.Is(err, errEnded):
		return m, nil
	}
	return m, err
}

// waitForQ reads lines until one is "q".
func waitForQ(in io.Reader, quit context.CancelCauseFunc) {
	buf := make([]byte, 256)
	for {
		n, err := in.Read(buf)
		if strings.TrimSpace(string(buf[:n])) == "q" {
			quit(errQuit)
			return
		}
		if err != nil {
			return
		}
	}
}
