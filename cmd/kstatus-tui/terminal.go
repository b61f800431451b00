package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// isTerminal reports whether a stream is a terminal. A stream that is not a
// file (in tests) is none.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// piped returns standard input if it is a pipe or a file, and nil if it is a
// terminal.
func piped(in io.Reader) io.Reader {
	if isTerminal(in) {
		return nil
	}
	return in
}

// file returns the stream as a file, or nil for the default if it is none. A
// piped input has already been read; the keyboard is then the terminal.
func file(stream any) *os.File {
	if !isTerminal(stream) {
		return nil
	}
	return stream.(*os.File)
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
	if isTerminal(w) {
		return sized{w.(*os.File)}
	}
	return w
}
