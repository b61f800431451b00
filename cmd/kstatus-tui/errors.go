package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/kstatus-tui/kstatus-tui/internal/report"
)

// hinted is an error with a next step for the user. Other packages have error
// types with the same method.
type hinted interface{ Hint() string }

// problem is an error of the command line: one line, and the next step.
type problem struct {
	text, hint string
	err        error
}

func (p *problem) Error() string { return p.text }
func (p *problem) Unwrap() error { return p.err }
func (p *problem) Hint() string  { return p.hint }

func problemf(hint, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &problem{text: oneLine(err.Error()), hint: hint, err: err}
}

// printError prints an error as two lines: what is wrong, and what to do next.
func printError(w io.Writer, err error) {
	text := strings.TrimPrefix(oneLine(err.Error()), "error: ")
	fmt.Fprintf(w, "kstatus-tui: %s\n", report.Inert(text))
	if next := nextStep(err, ""); next != "" {
		fmt.Fprintf(w, "hint: %s\n", report.Inert(oneLine(next)))
	}
}

// nextStep returns the error's own hint, or else other.
func nextStep(err error, other string) string {
	if h, ok := errors.AsType[interface {
		error
		hinted
	}](err); ok && h.Hint() != "" {
		return h.Hint()
	}
	return other
}

// oneLine keeps an error on one line and removes control characters: part of
// its text may come from a server.
func oneLine(s string) string {
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(clean), " ")
}
