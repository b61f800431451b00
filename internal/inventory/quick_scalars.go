package inventory

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// plain reads a scalar without quotes in block style.
func (q *quick) plain(to into, parent int) bool {
	if c := q.text[q.at]; !starts[c] && (c != '-' && c != '?' && c != ':' || q.blank(q.at+1)) {
		return false
	}
	s, comment, ok := q.rest()
	if !ok || !q.give(to, s, kindOf(s)) {
		return false
	}
	// Lines that are further in than the parent continue it.
	for to.role == skipped && !comment {
		at := q.at
		for q.is(at, ' ') || q.is(at, '\n') {
			if at++; q.text[at-1] == '\n' {
				q.at = at
			}
		}
		if at == len(q.text) || at-q.at <= parent || q.text[at] == '#' {
			break
		}
		q.at = at
		if _, comment, ok = q.rest(); !ok {
			return false
		}
	}
	return q.next()
}

// rest reads the rest of a line of a plain scalar, and says whether a comment
// ends it.
func (q *quick) rest() (s []byte, comment, ok bool) {
	begin, end := q.at, q.below(q.at)
	line := q.text[begin:end]
	if len(line) > 0 && line[len(line)-1] == '\n' {
		line = line[:len(line)-1]
	}
	for i, c := range line {
		switch c {
		case '\t':
			return nil, false, false
		case ':':
			if i+1 == len(line) || line[i+1] == ' ' {
				return nil, false, false
			}
		case '#':
			if i > 0 && line[i-1] == ' ' {
				q.at = end
				return bytes.TrimRight(line[:i], " "), true, true
			}
		}
	}
	q.at = end
	return bytes.TrimRight(line, " "), false, true
}

// block goes over a block scalar.
func (q *quick) block(parent int) bool {
	q.at++
	if q.is(q.at, '+') || q.is(q.at, '-') {
		q.at++
	}
	q.spaces()
	if q.at < len(q.text) && q.text[q.at] != '\n' {
		return false
	}
	at := q.below(q.at)
	// The first line that is not empty says how far in the others are, unless an
	// empty one before it has more spaces.
	inner, widest := 0, 0
	for inner == 0 {
		q.at = at
		for q.is(at, ' ') {
			at++
		}
		switch col := at - q.at; {
		case at == len(q.text):
			return q.next()
		case q.text[at] == '\n':
			widest = max(widest, col)
			at++
		case q.text[at] == '\t':
			return false
		case col <= parent: // there is none
			return q.next()
		case col < widest:
			return false
		default:
			inner = col
		}
	}
	for at = q.below(at); at < len(q.text); {
		q.at = at
		for at-q.at < inner && q.is(at, ' ') {
			at++
		}
		switch {
		case at == len(q.text):
		case q.text[at] == '\n':
			at++
		case at-q.at == inner:
			at = q.below(at)
		case q.text[at] == '\t':
			return false
		default:
			return q.next()
		}
	}
	q.at = at
	return q.next()
}

// quoted reads a scalar in quotes. plain says that it is what stands between
// them: it has no escapes and is on one line.
func (q *quick) quoted() (s []byte, plain, ok bool) {
	quote := q.text[q.at]
	begin := q.at + 1
	plain = true
	for at := begin; at < len(q.text); at++ {
		switch c := q.text[at]; {
		case c == quote && quote == '\'' && q.is(at+1, '\''):
			plain = false
			at++
		case c == quote:
			q.at = at + 1
			return q.text[begin:at], plain, true
		case c == '\n':
			plain = false
			if q.is(at+1, '-') || q.is(at+1, '.') { // "---" and "..." are not allowed
				return nil, false, false
			}
		case c == '\\' && quote == '"':
			plain = false
			if q.is(at+1, '\n') {
				continue // the line is continued, as it would be without
			}
			n := q.escape(at + 1)
			if n == 0 {
				return nil, false, false
			}
			at += n
		}
	}
	return nil, false, false
}

// escape is how many bytes an escape sequence has behind its backslash; 0 for
// one that is not known.
func (q *quick) escape(at int) int {
	if at >= len(q.text) {
		return 0
	}
	switch q.text[at] {
	case '0', 'a', 'b', 't', '\t', 'n', 'v', 'f', 'r', 'e', ' ', '"', '\'', '\\', 'N', '_', 'L', 'P':
		return 1
	case 'x':
		if q.hex(at+1, 2) >= 0 {
			return 3
		}
	case 'u':
		if r := q.hex(at+1, 4); r >= 0 && (r < 0xd800 || r > 0xdfff) {
			return 5
		}
	}
	return 0
}

// hex is a number of n hexadecimal digits, or -1.
func (q *quick) hex(at, n int) int {
	if at+n > len(q.text) {
		return -1
	}
	v, err := strconv.ParseUint(string(q.text[at:at+n]), 16, 32)
	if err != nil {
		return -1
	}
	return int(v)
}

// kind is what the library makes of a scalar without quotes.
type kind uint8

const (
	isText      kind = iota // a string, for certain
	maybeNumber             // a number, or a string
	isBoolean
	isNull
	notJSON // infinity perhaps, or NaN
)

// kindOf looks at a scalar as the library resolves it (resolve.go): its first
// character decides what it might be.
func kindOf(s []byte) kind {
	switch c := s[0]; {
	case c >= '0' && c <= '9':
		return numberOf(s)
	case c == '+' || c == '-':
		if len(s) > 1 && s[1] == '.' {
			return notJSON
		}
		return numberOf(s)
	case c == '.':
		switch {
		case len(s) == 1:
			return isText
		case s[1] == 'n' || s[1] == 'N' || s[1] == 'i' || s[1] == 'I':
			return notJSON
		case s[1]|0x20 >= 'a' && s[1]|0x20 <= 'z':
			return isText
		}
		return maybeNumber
	case len(s) > len("false"):
		return isText
	}
	for _, w := range []string{"y", "n", "on", "no", "yes", "off", "true", "false"} {
		if len(s) == len(w) && bytes.EqualFold(s, []byte(w)) {
			return isBoolean
		}
	}
	if string(s) == "~" || bytes.EqualFold(s, []byte("null")) {
		return isNull
	}
	return isText
}

// numberOf tells what cannot be a number: it has a character that none has, or
// a second point, or a sign that no exponent is before, or hexadecimal digits
// and no x.
func numberOf(s []byte) kind {
	points, digits, x := 0, false, false
	for i, c := range s {
		switch l := c | 0x20; {
		case c >= '0' && c <= '9', l == 'b', l == 'e', l == 'o', c == '_':
		case l == 'a', l == 'c', l == 'd', l == 'f':
			digits = true
		case l == 'x':
			x = true
		case c == '.':
			if points++; points > 1 {
				return isText
			}
		case c == '+' || c == '-':
			if i > 0 && s[i-1]|0x20 != 'e' {
				return isText
			}
		default:
			return isText
		}
	}
	if digits && !x {
		return isText
	}
	return maybeNumber
}

// canBeKey says whether a scalar without quotes is a key that JSON can have: no
// null, and no number, because there are some that are none in JSON. A boolean
// becomes a string, so nobody asks for it.
func canBeKey(s []byte, of role) bool {
	switch kindOf(s) {
	case isText:
		return string(s) != "<<"
	case isBoolean:
		return of == skipped
	}
	return false
}

// starts are the characters that a scalar without quotes may begin with and
// that mean nothing else. The library allows some more where a space does not
// follow.
var starts = func() (t [256]bool) {
	for c := range t {
		t[c] = c > ' ' && c != 0x7f && !bytes.ContainsRune([]byte("-?:,[]{}#&*!|>'\"%@`"), rune(c)) || c >= utf8.RuneSelf
	}
	return t
}()
