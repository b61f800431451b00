package main

import (
	"bytes"
	"context"
	"io"
	"os"

	uv "github.com/charmbracelet/ultraviolet"
	"golang.org/x/term"
)

// terminal returns the stream as a file if it is a terminal, otherwise nil. In tests a stream may be
// no file.
func terminal(stream any) *os.File {
	if hints, ok := stream.(pluginHints); ok {
		stream = hints.Writer
	}
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

// readKeys reads the keyboard until release is called. The context ends when the user
// types q or ctrl+c; its cause is the exit code. Other keys are dropped. Meanwhile the
// terminal is raw: a line ends with \r\n. If standard input is a pipe, the keys come from the
// controlling terminal.
func readKeys(ctx context.Context, in io.Reader) (_ context.Context, release func(), err error) {
	tty := terminal(in)
	opened := []*os.File{}
	if tty == nil { // standard input is what is read
		var out *os.File
		if tty, out, err = uv.OpenTTY(); err != nil {
			return nil, nil, err
		}
		opened = append(opened, tty, out)
	}
	closeAll := func() {
		for _, f := range opened {
			_ = f.Close()
		}
	}
	keys, err := uv.NewCancelReader(tty)
	if err != nil {
		closeAll()
		return nil, nil, err
	}
	before, err := term.MakeRaw(int(tty.Fd()))
	if err != nil {
		_ = keys.Close()
		closeAll()
		return nil, nil, err
	}
	ctx, quit := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for typed := make([]byte, 64); ; {
			n, err := keys.Read(typed)
			switch {
			case err != nil:
				return
			case bytes.IndexByte(typed[:n], 'q') >= 0:
				quit(exitCode(exitOK))
			case bytes.IndexByte(typed[:n], 3) >= 0: // ctrl+c
				quit(exitCode(exitInterrupted))
			}
		}
	}()
	return ctx, func() {
		if keys.Cancel() {
			<-ended
		}
		_ = keys.Close()
		_ = term.Restore(int(tty.Fd()), before)
		closeAll()
		quit(nil)
	}, nil
}
