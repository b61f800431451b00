package inventory

import "bytes"

// flow reads a collection in flow style, which may go over several lines.
func (q *quick) flow(to into) bool {
	if q.depth++; q.depth > quickDepth {
		return false
	}
	mapping, end := q.text[q.at] == '{', byte(']')
	if mapping {
		end = '}'
	}
	if mapping && !to.role.nests() || !mapping && to.role != skipped {
		return false
	}
	q.at++
	if q.gap(); q.is(q.at, end) {
		q.at++
		q.depth--
		return true
	}
	var seen fields
	for {
		value := to
		if mapping {
			key, ok := q.flowKey(to.role)
			if !ok {
				return false
			}
			if value, ok = to.field(key, &seen); !ok {
				return false
			}
		}
		if !q.flowNode(value) {
			return false
		}
		q.gap()
		if q.at == len(q.text) {
			return false
		}
		q.at++
		switch q.text[q.at-1] {
		case end:
			q.depth--
			return true
		case ',':
			q.gap()
		default:
			return false
		}
	}
}

// gap goes over white space in flow style.
func (q *quick) gap() {
	for q.is(q.at, ' ') || q.is(q.at, '\n') {
		q.at++
	}
}

// flowKey reads a key in flow style, its colon and what separates it from a
// value.
func (q *quick) flowKey(of role) ([]byte, bool) {
	if q.at == len(q.text) {
		return nil, false
	}
	begin := q.at
	var key []byte
	if c := q.text[q.at]; c == '"' || c == '\'' {
		s, plain, ok := q.quoted()
		if !ok || !plain || !q.is(q.at, ':') {
			return nil, false
		}
		key = s
	} else {
		s, ok := q.flowPlain()
		if !ok || !q.is(q.at, ':') || !canBeKey(s, of) {
			return nil, false
		}
		key = s
	}
	if q.at-begin > quickKey {
		return nil, false
	}
	q.at++
	q.gap()
	return key, q.at < len(q.text)
}

// flowNode reads a value in flow style.
func (q *quick) flowNode(to into) bool {
	if q.at == len(q.text) {
		return false
	}
	switch q.text[q.at] {
	case '{', '[':
		return q.flow(to)
	case '"', '\'':
		s, plain, ok := q.quoted()
		return ok && (plain || to.role == skipped) && q.give(to, s, isText)
	}
	s, ok := q.flowPlain()
	return ok && !q.is(q.at, ':') && q.give(to, s, kindOf(s))
}

// flowPlain reads a scalar without quotes in flow style, on one line, up to a
// comma, a bracket, a line's end, or the colon behind a key.
func (q *quick) flowPlain() ([]byte, bool) {
	begin := q.at
	if c := q.text[q.at]; !starts[c] && (c != '-' || q.at+1 == len(q.text) || !starts[q.text[q.at+1]]) {
		return nil, false
	} else if c == '.' && q.text[q.at-1] == '\n' { // "..." ends a document
		return nil, false
	}
	for ; q.at < len(q.text); q.at++ {
		switch c := q.text[q.at]; c {
		case ',', '}', ']', '\n':
			s := bytes.TrimRight(q.text[begin:q.at], " ")
			return s, s[len(s)-1] != ':'
		case '{', '[', '?', '\t':
			return nil, false
		case '#':
			if q.text[q.at-1] == ' ' {
				return nil, false
			}
		case ':':
			if q.blank(q.at + 1) {
				return q.text[begin:q.at], q.text[q.at-1] != ' '
			}
		}
	}
	return nil, false
}
