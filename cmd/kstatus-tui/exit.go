package main

import (
	"fmt"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The exit codes. Scripts depend on them.
const (
	exitOK          = 0   // the goal is reached; status and why: everything is Current
	exitError       = 1   // usage, configuration or API error; nothing found
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
// verdict on stale data is not success.
func verdictCode(v model.Verdict) int {
	switch {
	case v.Status == status.Current && !v.Lost:
		return exitOK
	case v.Status == status.Failed:
		return exitFailed
	}
	return exitPending
}
