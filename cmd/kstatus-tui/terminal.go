package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// terminal returns the stream if it is a terminal, and nil if it is none, as a
// stream that is not a file (in tests). A piped input has already been read; the
// keyboard is then the terminal, which is the default.
func terminal(stream any) *os.File {
	if f, ok := stream.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

func isTerminal(stream any) bool { return terminal(stream) != nil }

// piped returns standard input if it is a pipe or a file, and nil if it is a
// terminal.
func piped(in io.Reader) io.Reader {
	if isTerminal(in) {
		return nil
	}
	return in
}

// sized is a terminal as a [report.Screen].
type sized struct{ *os.File }

func (f sized) Size() (width, height int) {
	w, h, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 80, 24
	}
	return w, h
}

// screenOf returns the output as a [report.Screen] if it is a terminal.
func screenOf(w io.Writer) io.Writer {
	if f := terminal(w); f != nil {
		return sized{f}
	}
	return w
}
