package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"
)

func TestWhatAProgramForCredentialsPrintsIsCleaned(t *testing.T) {
	text := "Log in: \x1b[31mred\x1b[0m \x1b]0;title\a\x1b[2J\u009b2Jé\r\n  Password: \nlast \x1b"
	for name, from := range map[string]func() string{
		"at once": func() string { var b bytes.Buffer; copyClean(&b, strings.NewReader(text)); return b.String() },
		"byte by byte": func() string {
			var b bytes.Buffer
			copyClean(&b, iotest.OneByteReader(strings.NewReader(text)))
			return b.String()
		},
	} {
		got := from()
		if strings.ContainsAny(got, "\x1b\a\r\u009b") || !strings.Contains(got, "Log in: ") || !strings.Contains(got, "é") ||
			!strings.Contains(got, "\n  Password: \nlast") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
