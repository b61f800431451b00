package main

import (
	"fmt"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The exit codes. Scripts depend on them; they change only with a version.
const (
	exitOK          = 0   // the goal is reached; status and why: everything is Current
	exitError       = 1   // usage, configuration or API error; nothing found
	exitFailed      = 2   // at least one resource Failed
	exitPending     = 3   // not there yet
	exitMoved       = 4   // what was waited for was deleted, recreated or applied again
	exitInterrupted = 130 // INT, TERM, HUP
)

// exitCode is an outcome that is no error: it has been printed, and only the
// code is left to say. It travels as an error because cobra returns nothing
// else.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// exitWith is nil for success, so that commands can return it as it is.
func exitWith(code int) error {
	if code == exitOK {
		return nil
	}
	return exitCode(code)
}

// verdictCode is the exit code of a verdict that was seen once. A Current that
// nobody vouches for any more is not success.
func verdictCode(v model.Verdict) int {
	switch {
	case v.Status == status.Current && !v.Lost:
		return exitOK
	case v.Status == status.Failed:
		return exitFailed
	}
	return exitPending
}
