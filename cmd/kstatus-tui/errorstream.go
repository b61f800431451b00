package main

import (
	"bytes"
	"io"
	"os"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// cleanErrors replaces os.Stderr, which client-go passes to credential plugins,
// with a pipe whose text is cleaned of terminal control sequences. The returned
// function waits a moment for pending output. It does not close the pipe:
// plugins may outlive the call, and one may just be starting.
func cleanErrors() (done func()) {
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	real := os.Stderr
	os.Stderr = w
	from := &untilMark{Reader: r}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		copyClean(real, from)
	}()
	return func() {
		from.ends.Store(true)
		go func() { _, _ = w.Write([]byte{0}) }()
		select {
		case <-copied:
		case <-time.After(leavesWithin / 2):
		}
	}
}

// untilMark ends at a NUL byte, which is written last.
type untilMark struct {
	io.Reader
	ends atomic.Bool
}

func (u *untilMark) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	if n > 0 && b[n-1] == 0 && u.ends.Load() {
		return n - 1, io.EOF
	}
	return n, err
}

// copyClean copies text as it arrives, with line breaks kept and every line
// cleaned.
func copyClean(to io.Writer, from io.Reader) {
	buf := make([]byte, 4096)
	begun := 0 // bytes of an incomplete character or escape sequence
	for {
		n, err := from.Read(buf[begun:])
		text := buf[:begun+n]
		begun = 0
		if err == nil {
			begun = unfinished(text)
		}
		whole := text[:len(text)-begun]
		for len(whole) > 0 {
			line, rest, broken := bytes.Cut(whole, []byte("\n"))
			out := cleanLine(string(line))
			if whole = rest; broken {
				out += "\n"
			}
			_, _ = io.WriteString(to, out)
		}
		copy(buf, text[len(text)-begun:])
		if err != nil {
			return
		}
	}
}

// cleanLine is [object.Clean] without its trimming: a prompt ends with a space.
func cleanLine(s string) string {
	body := bytes.TrimLeft([]byte(s), " ")
	before := len(s) - len(body)
	body = bytes.TrimRight(body, " \r")
	after := bytes.Count([]byte(s)[before+len(body):], []byte(" "))
	return string(bytes.Repeat([]byte(" "), before)) + object.Clean(string(body)) + string(bytes.Repeat([]byte(" "), after))
}

// unfinished returns how many bytes at the end belong to an incomplete
// character or escape sequence.
func unfinished(text []byte) int {
	const longest = 256 // longer text is not an escape sequence
	if i := bytes.LastIndexByte(text, 0x1b); i >= 0 && len(text)-i < longest && !bytes.ContainsAny(text[i:], "\n\a") {
		if rest := text[i+1:]; !bytes.ContainsFunc(rest, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '~' }) {
			return len(text) - i
		}
	}
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if c := text[len(text)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-n:]) {
				return n
			}
			break
		}
	}
	return 0
}
