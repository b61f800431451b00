package inventory

import "fmt"

// Error is a mistake in the input: one line that names the culprit, and the
// next step.
type Error struct {
	Problem string // one line, lower case, without a full stop
	Advice  string // the next step; may be empty
	Err     error  // the error underneath, or nil
}

func (e *Error) Error() string { return e.Problem }
func (e *Error) Unwrap() error { return e.Err }

// Hint is the next step for the user.
func (e *Error) Hint() string { return e.Advice }

func problem(hint, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Problem: oneLine(err.Error()), Advice: oneLine(hint), Err: err}
}
