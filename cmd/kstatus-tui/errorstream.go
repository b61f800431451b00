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

// cleanErrors replaces os.Stderr, which client-go hands to programs that fetch
// credentials, by one whose text is cleaned of what a terminal could take for a
// command. The returned function waits for what they have written, for a moment.
// It closes nothing: they may outlive us, and one may be starting just now.
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

// untilMark ends, once it is to end, at a NUL that is written last.
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

// copyClean copies text as it comes, line breaks kept and every line cleaned.
func copyClean(to io.Writer, from io.Reader) {
	buf := make([]byte, 4096)
	begun := 0 // bytes of a character or an escape sequence that is not whole yet
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

// cleanLine is [object.Clean], which trims, with the spaces at both ends kept: a
// prompt ends with one.
func cleanLine(s string) string {
	body := bytes.TrimLeft([]byte(s), " ")
	before := len(s) - len(body)
	body = bytes.TrimRight(body, " \r")
	after := bytes.Count([]byte(s)[before+len(body):], []byte(" "))
	return string(bytes.Repeat([]byte(" "), before)) + object.Clean(string(body)) + string(bytes.Repeat([]byte(" "), after))
}

// unfinished is how many bytes at the end begin something that is not whole.
func unfinished(text []byte) int {
	const longest = 256 // what is longer is no escape sequence
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
