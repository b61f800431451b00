package explain

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// headline makes one line of a message: white space folded, gRPC's wrapping and
// the recorder's prefix removed.
func headline(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.TrimPrefix(s, "(combined from similar events): ")
	for {
		i := strings.Index(s, "rpc error: code = ")
		if i < 0 {
			return s
		}
		j := strings.Index(s[i:], "desc = ")
		if j < 0 {
			return s
		}
		s = s[:i] + s[i+j+len("desc = "):]
	}
}

// last is the last, most informative segment of a wrapped error. It is not split
// within brackets.
func last(s string) string {
	s = headline(s)
	i := strings.LastIndex(s, ": ")
	for i > 0 && (strings.HasPrefix(s[i:], ": [") || strings.HasPrefix(s[i:], ": {") || strings.Count(s[i:], "[") < strings.Count(s[i:], "]")) {
		i = strings.LastIndex(s[:i], ": ")
	}
	if i < 0 {
		return s
	}
	if t := s[i+2:]; len(t) >= 16 {
		return t
	}
	// "Kind ns/name: not found" needs the segment before it.
	if j := strings.LastIndex(s[:i], ": "); j >= 0 {
		return s[j+2:]
	}
	return s
}

// clip cuts a string to at most n bytes, at a rune, and marks the cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)] + "…"
}

// normal removes from a message what differs between equal causes: numbers,
// hexadecimal words, addresses, durations and generated names. It is for
// fingerprints, never for the screen.
func normal(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	word := func(w string) {
		digits, hex, vowels := 0, true, 0
		for i := range len(w) {
			c := w[i]
			switch {
			case c >= '0' && c <= '9':
				digits++
			case c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
			default:
				hex = false
			}
			if strings.IndexByte("aeiouAEIOU", c) >= 0 {
				vowels++
			}
		}
		switch {
		case digits > 0 && (hex || digits == len(w)):
			b.WriteByte('#')
		case len(w) == 5 && vowels == 0 || len(w) >= 8 && digits > 0 && vowels == 0:
			// Generated suffixes use an alphabet without vowels (k8s.io/apimachinery
			// pkg/util/rand, v0.36).
			b.WriteByte('#')
		case digits > 0:
			for i := range len(w) {
				if w[i] >= '0' && w[i] <= '9' {
					if i == 0 || w[i-1] < '0' || w[i-1] > '9' {
						b.WriteByte('#')
					}
					continue
				}
				b.WriteByte(w[i])
			}
		default:
			b.WriteString(w)
		}
	}
	start := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) {
			c := s[i]
			if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf {
				continue
			}
		}
		if start < i {
			word(s[start:i])
		}
		if i < len(s) {
			b.WriteByte(s[i])
		}
		start = i + 1
	}
	return b.String()
}

// between returns the text between two marks, or "".
func between(s, before, after string) string {
	i := strings.Index(s, before)
	if i < 0 {
		return ""
	}
	s = s[i+len(before):]
	if after == "" {
		return s
	}
	before0, _, ok := strings.Cut(s, after)
	if !ok {
		return ""
	}
	return before0
}

func hasAny(s string, subs ...string) bool {
	for _, x := range subs {
		if strings.Contains(s, x) {
			return true
		}
	}
	return false
}

// span formats a duration for people: "40s", "4m", "3h20m", "2d".
func span(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < 10*time.Second && d%time.Second != 0:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		h := int(d.Hours())
		if m := int(d.Minutes()) - 60*h; m > 0 {
			return fmt.Sprintf("%dh%dm", h, m)
		}
		return fmt.Sprintf("%dh", h)
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// command returns a kubectl command that can be pasted into a shell.
func command(namespace string, args ...string) string {
	var b strings.Builder
	b.WriteString("kubectl")
	for _, a := range args {
		b.WriteByte(' ')
		b.WriteString(Quote(a))
	}
	if namespace != "" {
		b.WriteString(" -n ")
		b.WriteString(Quote(namespace))
	}
	return b.String()
}

// Quote quotes text as a single word for a shell.
func Quote(s string) string {
	plain := s != ""
	for i := range len(s) {
		c := s[i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("-_./:=,@%+", c) >= 0) {
			plain = false
		}
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// names joins a few names in a sentence.
func names(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
}
