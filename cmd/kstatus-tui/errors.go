package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
)

// printError prints an error as two lines: what is wrong, and what to do next.
func printError(w io.Writer, err error) {
	text := strings.TrimPrefix(problem.OneLine(err.Error()), "error: ")
	fmt.Fprintf(w, "kstatus-tui: %s\n", report.Inert(text))
	if next := problem.Hint(err, ""); next != "" {
		fmt.Fprintf(w, "hint: %s\n", report.Inert(problem.OneLine(next)))
	}
}
