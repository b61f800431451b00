// Package problem has the errors that a user reads: one line that says what is
// wrong, and one that says what to do next.
package problem

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Error is what is wrong, with the next step.
type Error struct {
	Text string // one line, lower case, without a full stop
	Next string // the next step
	Err  error  // the error underneath, or nil
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Err }

// Hint is the next step.
func (e *Error) Hint() string { return e.Next }

// New returns an error with its next step.
func New(next, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Text: OneLine(err.Error()), Next: OneLine(next), Err: err}
}

// Hint returns the next step of an error that has one, whatever its type, or
// else other.
func Hint(err error, other string) string {
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok && h.Hint() != "" {
		return h.Hint()
	}
	return other
}

// OneLine makes text safe for a one-line message: no line breaks, control
// characters, or invisible characters that reorder or hide text, and no runs of
// spaces. A part of it may come from a server.
func OneLine(s string) string {
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(clean), " ")
}
