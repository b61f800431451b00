package views

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"k8s.io/apimachinery/pkg/util/duration"
)

// cluster splits the first thing that is drawn as one off s and says how many
// cells it takes. What a terminal must not be told (controls, bidirectional
// overrides, lone zero-width characters) comes back as a replacement of one
// cell, or as nothing where it is invisible.
//
// Terminals disagree about the width of some emoji sequences, depending on
// whether they count code points or graphemes. A cluster that the two ways of
// counting see differently would shift the rest of its line in half of the
// terminals, so it is reduced to its base character, or to a replacement.
func cluster(s string) (text string, width int, rest string) {
	c := s[0]
	if c < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		if c < ' ' || c == 0x7f {
			if c == '\t' || c == '\n' || c == '\r' {
				return " ", 1, s[1:]
			}
			return "�", 1, s[1:]
		}
		return s[:1], 1, s[1:]
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError:
		return "�", 1, s[size:]
	case r < ' ', r >= 0x7f && r < 0xa0:
		return "�", 1, s[size:]
	case invisible(r):
		return "", 0, s[size:]
	case simple(r) && !extends(s[size:]):
		return s[:size], 1, s[size:]
	}
	// Not DecodeSequence, which separates an ASCII letter from its accent.
	seq, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if seq == "" {
		return "�", 1, s[size:]
	}
	rest = s[len(seq):]
	if len(seq) <= longest && width == ansi.StringWidthWc(seq) && width > 0 && width <= 2 && utf8.ValidString(seq) && !strings.ContainsFunc(seq, forbidden) {
		return seq, width, rest
	}
	if base := s[:size]; ansi.StringWidth(base) == ansi.StringWidthWc(base) {
		if w := ansi.StringWidth(base); w == 1 || w == 2 {
			return base, w, rest
		}
	}
	return "�", 1, rest
}

// longest bounds the bytes of one cell: combining marks can be stacked without
// limit.
const longest = 32

// simple is a fast path for common characters that take one cell everywhere:
// Latin, arrows, mathematical operators, lines, blocks and the theme's glyphs.
func simple(r rune) bool {
	return r >= 0xa1 && r < 0x300 && r != 0xad || r >= 0x2190 && r <= 0x2193 || r >= 0x2200 && r <= 0x22ff ||
		r >= 0x2500 && r <= 0x25cf || r == '✓' || r == '✗' || r == '…' || r == '›'
}

// extends reports whether s begins with a combining character.
func extends(s string) bool {
	if s == "" || s[0] < 0xcc {
		return false
	}
	if s[0] == 0xe2 { // lines and blocks in a row
		r, _ := utf8.DecodeRuneInString(s)
		return r < 0x2190
	}
	return true
}

// invisible reports characters without a cell that may affect their neighbours:
// bidirectional controls, joiners without a base, the byte-order mark, tags.
func invisible(r rune) bool {
	switch {
	case r == 0xad, r == 0x061c, r == 0xfeff,
		r >= 0x200b && r <= 0x200f,
		r >= 0x2028 && r <= 0x202e,
		r >= 0x2060 && r <= 0x206f,
		r >= 0xfe00 && r <= 0xfe0f,
		r >= 0xfff9 && r <= 0xfffb,
		r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

func forbidden(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r != 0x200d && !(r >= 0xfe00 && r <= 0xfe0f) && invisible(r)
}

// width is the number of cells of s.
func width(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			n = 0
			for s != "" {
				var w int
				_, w, s = cluster(s)
				n += w
			}
			return n
		}
		n++
	}
	return n
}

// fitting is the beginning of s in at most w cells.
func fitting(s string, w int) string {
	rest := s
	for rest != "" {
		_, cw, next := cluster(rest)
		if cw > w {
			break
		}
		w -= cw
		rest = next
	}
	return s[:len(s)-len(rest)]
}

// skip is s without its first n cells, or one more if a character is across the
// cut.
func skip(s string, n int) (rest string, skipped int) {
	for skipped < n && s != "" {
		var w int
		_, w, s = cluster(s)
		skipped += w
	}
	return s, skipped
}

// cut is s without its first n cells. A character across the cut leaves a
// blank.
func cut(s string, n int) string {
	rest, skipped := skip(s, n)
	if skipped > n {
		return " " + rest
	}
	return rest
}

// truncate shortens s to at most w cells, with an ellipsis at the cut.
func truncate(s string, w int, ellipsis string) string {
	room := w - width(ellipsis)
	switch {
	case w <= 0:
		return ""
	case width(s) <= w:
		return s
	case room < 0:
		return ellipsis[:min(w, len(ellipsis))]
	}
	return fitting(s, room) + ellipsis
}

// truncateStart shortens s to at most w cells and keeps its end.
func truncateStart(s string, w int, ellipsis string) string {
	total := width(s)
	from := total - w + width(ellipsis)
	if total <= w || from >= total {
		return truncate(s, w, ellipsis)
	}
	rest, _ := skip(s, from)
	return ellipsis + rest
}

// truncateMiddle shortens s to at most w cells and keeps both ends: the hash at
// the end of a generated name differs between siblings.
func truncateMiddle(s string, w int, ellipsis string) string {
	total, room := width(s), w-width(ellipsis)
	if total <= w || room < 6 {
		return truncate(s, w, ellipsis)
	}
	tail := room * 2 / 5
	rest, _ := skip(s, total-tail)
	return fitting(s, room-tail) + ellipsis + rest
}

// wrap breaks s into lines of at most w cells: at spaces, otherwise after a
// separator of a path or an image name, otherwise anywhere. It never returns an
// empty list.
func wrap(s string, w int) []string {
	if w <= 0 {
		return []string{""}
	}
	var lines []string
	for para := range strings.SplitSeq(s, "\n") {
		lines = append(lines, wrapLine(para, w)...)
	}
	return lines
}

func wrapLine(s string, w int) []string {
	if width(s) <= w {
		return []string{s}
	}
	var lines []string
	// possible ends of the line: after the last space, or the last separator;
	// with the cells up to there
	type spot struct{ at, used int }
	var space, part spot
	start, used := 0, 0
	for i := 0; i < len(s); {
		text, cw, next := cluster(s[i:])
		n := len(s) - i - len(next)
		if used+cw > w && i > start {
			end := i
			switch {
			case text == " ":
			case space.used*2 >= w:
				end = space.at
			case part.used*3 >= w:
				end = part.at
			case space.used > 0:
				end = space.at
			}
			lines = append(lines, strings.TrimRight(s[start:end], " "))
			for end < len(s) && s[end] == ' ' {
				end++
			}
			i = max(i, end)
			start, space, part = end, spot{}, spot{}
			used = width(s[start:i])
			continue
		}
		used += cw
		i += n
		switch {
		case text == " ":
			space = spot{i, used}
		case strings.Contains("/,:;|&", text):
			part = spot{i, used}
		}
	}
	if start < len(s) || len(lines) == 0 {
		lines = append(lines, s[start:])
	}
	return lines
}

// shorten shortens the name of a generated object part by part from the front:
// siblings differ at the end.
func shorten(name string, w int, ellipsis string) string {
	if width(name) <= w {
		return name
	}
	for rest := name; ; {
		_, tail, ok := strings.Cut(rest, "-")
		if !ok || tail == "" {
			return truncateMiddle(name, w, ellipsis)
		}
		if short := ellipsis + tail; width(short) <= w {
			return short
		}
		rest = tail
	}
}

// age formats a duration as kubectl does, in at most six cells: 48s, 5m30s,
// 17m, 3h12m, 41d. Negative durations are 0s: clocks differ.
func age(d time.Duration) string { return duration.HumanDuration(max(d, 0)) }

// since is the age of t at now, or "" when t is not known.
func since(t, now time.Time) string {
	if t.IsZero() || now.IsZero() {
		return ""
	}
	return age(now.Sub(t))
}

// elapsed formats an elapsed time: 05:12, 1:02:40.
func elapsed(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%02d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// count formats a number with its noun: "1 pod", "3 pods".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// pad pads s with blanks to w cells.
func pad(s string, w int) string {
	if n := w - width(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}
