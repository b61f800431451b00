package markup

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"k8s.io/apimachinery/pkg/util/duration"
)

// Cluster splits the first grapheme cluster off s, and returns how many cells it
// takes. Characters that must not reach a terminal (controls, bidirectional
// overrides, lone zero-width characters) are dropped, and a broken one is
// replaced.
//
// Terminals disagree about the width of some emoji sequences, depending on
// whether they count code points or graphemes. A cluster that the two ways of
// counting see differently would shift the rest of its line in half of the
// terminals, so it is reduced to its base character, or to a replacement.
func Cluster(s string) (text string, width int, rest string) {
	if c := s[0]; c >= ' ' && c <= '~' && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return s[:1], 1, s[1:]
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r >= '─' && r <= '╿' && (len(s) == size || s[size] < utf8.RuneSelf || strings.HasPrefix(s[size:], s[:size])):
		return s[:size], 1, s[size:] // fast: frames consist of these
	case r == '\t', r == '\n', r == '\r':
		return " ", 1, s[size:]
	case !unicode.IsGraphic(r) || unicode.Is(unicode.Variation_Selector, r):
		return "", 0, s[size:]
	}
	// Not DecodeSequence, which separates an ASCII letter from its accent.
	whole, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	for _, text := range []string{whole, s[:size]} {
		w := ansi.StringWidth(text)
		if len(text) <= Longest && (w == 1 || w == 2) &&
			w == ansi.StringWidthWc(text) && !strings.ContainsFunc(text, Forbidden) {
			return text, w, s[len(whole):]
		}
	}
	return "�", 1, s[max(len(whole), size):]
}

// Longest bounds the bytes of one cell: combining marks can be stacked without
// limit.
const Longest = 32

// Forbidden reports characters that must not be in a cell: controls, and those
// that affect their neighbours (bidirectional controls, the byte-order mark,
// tags). A joiner within a cluster may.
func Forbidden(r rune) bool { return r == utf8.RuneError || r != 0x200d && !unicode.IsGraphic(r) }

// Width is the number of cells of s.
func Width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// Truncate shortens s to at most w cells, with an ellipsis at the cut.
func Truncate(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	return ansi.Truncate(s, max(w, 0), Ellipsis)
}

// TruncateStart shortens s to at most w cells and keeps its end.
func TruncateStart(s string, w int) string {
	from := Width(s) - w + Width(Ellipsis)
	if Width(s) <= w || from >= Width(s) {
		return Truncate(s, w)
	}
	if end := ansi.TruncateLeft(s, from, Ellipsis); Width(end) <= w {
		return end
	}
	return ansi.TruncateLeft(s, from+1, Ellipsis) // a wide character is across the cut
}

// TruncateMiddle shortens s to at most w cells and keeps both ends: the hash at
// the end of a generated name differs between siblings.
func TruncateMiddle(s string, w int) string {
	room := w - Width(Ellipsis)
	if Width(s) <= w || room < 6 {
		return Truncate(s, w)
	}
	tail := room * 2 / 5
	return ansi.Truncate(s, room-tail, "") + TruncateStart(s, tail+Width(Ellipsis))
}

// Wrap breaks s into lines of at most w cells: at spaces, and a longer word after
// one of its separators, or else anywhere.
func Wrap(s string, w int) []string {
	w = max(w, 2)
	return strings.Split(loosen.Replace(ansi.Wrap(tie.Replace(breakLongWords(s, w)), w, "")), "\n")
}

// separators are where a word may be broken that is longer than a line: the parts of
// images, names, paths and URLs.
const separators = "/-,;:=&"

// breakLongWords breaks the words that are longer than w after the last separator
// within w cells, unless less than half a line would be left of it.
func breakLongWords(s string, w int) string {
	if len(s) <= w {
		return s
	}
	words := strings.Split(s, " ")
	for i, word := range words {
		var parts []string
		for len(word) > w && Width(word) > w { // a cell has at least one byte
			line := ansi.Truncate(word, w, "")
			at := strings.LastIndexAny(line, separators) + 1
			if strings.Contains(line, "\n") || Width(line[:at]) < w/2 {
				break
			}
			parts, word = append(parts, word[:at]), word[at:]
		}
		if len(parts) > 0 {
			words[i] = strings.Join(append(parts, word), "\n")
		}
	}
	return strings.Join(words, " ")
}

// ansi.Wrap would break names at their hyphens, and leave a count alone on a line.
var (
	tie    = strings.NewReplacer("-", "\u2011", " "+Times, "\u00a0"+Times)
	loosen = strings.NewReplacer("\u2011", "-", "\u00a0"+Times, " "+Times)
)

// Shorten shortens the name of a generated object part by part from the front:
// siblings differ at the end.
func Shorten(name string, w int) string {
	if Width(name) <= w {
		return name
	}
	for i, r := range name {
		if r == '-' && Width(name[i:]) <= w {
			return Ellipsis + name[i+1:]
		}
	}
	return TruncateStart(name, w)
}

// longPath is the width from which TruncateSentence shortens the path in a word, and
// leastPath the width that it leaves of one at least.
const (
	longPath  = 13
	leastPath = 6
)

// TruncateSentence shortens s to at most w cells. Image references, URLs and paths give
// way before the words behind them, and keep their last part: "image …web:2.4 not found".
// If a few cells are missing then, they keep its end: "image …:2.4 not found".
func TruncateSentence(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	words := strings.Split(s, " ")
	for i, word := range words {
		at := strings.LastIndexByte(word, '/')
		if Width(word) < longPath || at < 0 || at == len(word)-1 || !strings.ContainsFunc(word[:at], unicode.IsLetter) {
			continue
		}
		words[i] = Ellipsis + word[at+1:]
		if s = strings.Join(words, " "); Width(s) <= w {
			return s
		}
	}
	for i, word := range words {
		left := Width(word) - (Width(s) - w)
		if strings.HasPrefix(word, Ellipsis) && left >= leastPath {
			words[i] = TruncateStart(word, left)
			return strings.Join(words, " ")
		}
	}
	return TruncateWords(s, w)
}

// TruncateWords shortens s to at most w cells. A word of which less than half would be left
// is left out, unless half of the room would be empty then, and so is a remark in brackets
// that would not be whole: half a number is another one.
func TruncateWords(s string, w int) string {
	if Width(s) <= w || w <= 0 {
		return Truncate(s, w)
	}
	left := strings.TrimSuffix(Truncate(s, w), Ellipsis)
	if at := strings.LastIndex(left, " ("); 2*at > w && !strings.Contains(left[at:], ")") {
		return left[:at] + Ellipsis
	}
	if begin := strings.LastIndexByte(left, ' ') + 1; 2*begin > w {
		word, _, _ := strings.Cut(s[begin:], " ")
		if 2*Width(left[begin:]) < Width(word) {
			left = left[:begin]
		}
	}
	return strings.TrimSuffix(left, Ellipsis) + Ellipsis
}

// Age formats a duration as kubectl does, in at most six cells: 48s, 5m30s,
// 17m, 3h12m, 41d. Negative durations are 0s: clocks differ.
func Age(d time.Duration) string { return duration.HumanDuration(max(d, 0)) }

// Since is the age of t at now, or "" when t is not known.
func Since(t, now time.Time) string {
	if t.IsZero() || now.IsZero() {
		return ""
	}
	return Age(now.Sub(t))
}

// Elapsed formats an elapsed time: 05:12, 1:02:40.
func Elapsed(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%02d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// Count formats a number with its noun: "1 pod", "3 pods".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// OneLine is text with its white space as single blanks.
func OneLine(s string) string {
	before := ' '
	for _, r := range s {
		if unicode.IsSpace(r) && (r != ' ' || before == ' ') {
			return strings.Join(strings.Fields(s), " ")
		}
		before = r
	}
	return strings.TrimSuffix(s, " ") // most texts are one line: every frame has many
}

// Pad pads s with blanks to w cells.
func Pad(s string, w int) string {
	return s + strings.Repeat(" ", max(0, w-Width(s)))
}

// HasFold reports whether s contains the lower-case needle, ignoring case.
func HasFold(s, needle string) bool { return strings.Contains(strings.ToLower(s), needle) }
