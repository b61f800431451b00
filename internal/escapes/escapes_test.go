package escapes

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// said is an example of each line of the list, in its order.
var said = []string{
	"\x1b[m", "\x1b[1;38;2;247;118;142;48;5;17m",
	"\x1b[12;80H", "\x1b[3d", "\b", "\x1b[?5W", "\x1b[K", "\x1b[2J", "\x1b[7X", "\x1b[2L", "\x1b[1;20r", "\x1b[4h", "\x1b[?7l", "\r\x1b[4A\x1b[J",
	"\x1b[?1049h", "\x1b[?25l", "\x1b[?2026h", "\x1b[?2027h", "\x1b[?2004h", "\x1b[?1004l", "\x1b[?1002h", "\x1b[?1006h", "\x1b[?2031h", "\x1b[?1003l",
	"\x1b[>4;2m", "\x1b[>1u", "\x1b[<1u", "\x1b[5 q",
	"\x1b[c", "\x1b[?2026$p", "\x1b[?u", "\x1b[?996n", "\x1b]11;?\a",
	"\x1b[22;2t", "\x1b]2;deploy/web\a", "\x1b]9;4;2;40\a", "\x1b]52;c;aGVsbG8=\a",
	"\a\x1b]777;notify;web;done\x1b\\\x1b]9;web: done\x1b\\",
}

func TestEachLineOfTheListIsAllowedAndNeeded(t *testing.T) {
	if len(said) != len(Allowed) {
		t.Fatalf("%d examples of %d lines", len(said), len(Allowed))
	}
	for i, s := range said {
		if err := Check([]byte("é " + s + "\r\n\tx")); err != nil {
			t.Error(err)
		}
		for j, re := range allowed {
			if at := re.FindStringIndex(s); at != nil && at[1] == len(s) && i != j {
				t.Errorf("%q is allowed by %q as well as by %q", s, Allowed[j].Pattern, Allowed[i].Pattern)
			}
		}
	}
}

func TestASequenceThatIsNotListedIsAnErrorWithItsPosition(t *testing.T) {
	for _, s := range []string{
		"\x1b", "\x1bc", "\x1b[1J", "\x1b[?5h", "\x1b7", "\x1b(0", "\x1b[3J", "\x1b[8m", "\x1b[5m", "\x1b[38;2;1;2m", "\x1b[38;5;256m", "\x1b[1", "\x1b[;H", "\x1b[1;99999H",
		"\x1b[?1000h", "\x1b[?1003h", "\x1b[?1;2h", "\x1b[6n", "\x1b[21t", "\x1b[18t",
		"\x1b]0;owned\a", "\x1b]2;owned\x1b\\", "\x1b]2;é\a", "\x1b]2;a\x1b[2J\a", "\x1b]2;no end", "\x1b]9;4;2;40;x\a", "\x1b]9;owned\x1b\\",
		"\x1b]8;;http://evil.example\a", "\x1b]52;c;?\a", "\x1b]52;p;aGk=\a", "\x1b]1337;File=:\a", "\x1b]11;#fff\a", "\x1bP+q\x1b\\", "\x1b_G\x1b\\",
		"\a\x1b]777;notify;a;b\x1b\\\x1b]9;4;3\x1b\\", "\a\x1b]777;notify;a;\x1b[2Jb\x1b\\\x1b]9;a\x1b\\",
		"\a", "\x00", "\x0e", "\x7f", "\v", "\f", "\u009b31m", "\u0085", "\x9b31m", "\xff", "\xc3",
		"\u202egnp", "\u2066x", "\u200b", "\u200e", "\ufeff", "\u2028", "\U000e0041",
	} {
		err, ok := Check([]byte("four" + s)).(*Error)
		if !ok {
			t.Errorf("%q is allowed", s)
			continue
		}
		if err.Offset < 4 || !strings.Contains(err.Error(), "four") {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// FuzzCheck parses allowed output with another parser, which must find no
// control character and no command outside the list.
func FuzzCheck(f *testing.F) {
	for _, s := range said {
		f.Add([]byte(s))
		f.Add([]byte("x" + s + "é\x1b[m"))
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		if Check(out) != nil {
			return
		}
		p := ansi.NewParser()
		p.SetDataSize(-1)
		p.SetHandler(ansi.Handler{
			Execute: func(b byte) {
				if !strings.ContainsRune("\r\n\t\a\b", rune(b)) {
					t.Fatalf("the control character %#x in %q", b, out)
				}
			},
			HandleCsi: func(cmd ansi.Cmd, _ ansi.Params) {
				if !strings.ContainsRune("mHKJABCDGIZd`WXb@PLMSTrhluqcpnt", rune(cmd.Final())) {
					t.Fatalf("the command %q in %q", cmd.Final(), out)
				}
			},
			HandleOsc: func(cmd int, data []byte) {
				switch cmd {
				case 2, 9, 11, 52, 777:
				default:
					t.Fatalf("the command %d in %q", cmd, out)
				}
				for _, b := range data {
					if b < ' ' || b > '~' {
						t.Fatalf("%q within %q", data, out)
					}
				}
			},
			HandleEsc: func(cmd ansi.Cmd) {
				if cmd.Final() != '\\' && cmd.Final() != 'M' {
					t.Fatalf("the escape %q in %q", cmd.Final(), out)
				}
			},
			HandleDcs: func(ansi.Cmd, ansi.Params, []byte) { t.Fatalf("a device control string in %q", out) },
			HandlePm:  func([]byte) { t.Fatalf("a privacy message in %q", out) },
			HandleApc: func([]byte) { t.Fatalf("a command for a program in %q", out) },
			HandleSos: func([]byte) { t.Fatalf("a string in %q", out) },
		})
		for _, b := range out {
			p.Advance(b)
		}
		if s := p.State(); s != 0 && utf8.Valid(out) {
			t.Fatalf("%q ends within a sequence (state %d)", out, s)
		}
	})
}
