package inventory

import (
	"bytes"
	"iter"
)

type document struct {
	text   []byte
	number int // 1-based, not counting empty documents
	line   int // its first line with content in the file; 1-based
}

// documents splits a YAML stream. A line that starts with "---" begins a
// document and a line "..." ends one: YAML allows neither at column 0 inside a
// block scalar.
func documents(data []byte) iter.Seq[document] {
	return func(yield func(document) bool) {
		var doc document
		start, number := 0, 0
		startLine := 1
		flush := func(end, nextStart, nextLine int) bool {
			doc.text, doc.line = data[start:end], startLine
			start, startLine = nextStart, nextLine
			if blank(doc.text) {
				return true
			}
			doc.text, doc.line = skipBlankLines(doc.text, doc.line)
			number++
			doc.number = number
			return yield(doc)
		}
		line := 0
		for at := 0; at < len(data); {
			line++
			end := len(data)
			next := end
			if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
				end = at + i
				next = end + 1
			}
			var text []byte
			switch c := data[at]; c {
			case '-', '.', '%': // lines with another first byte are no markers
				text = bytes.TrimRight(data[at:end], " \t\r")
			}
			switch {
			case text == nil:
			case bytes.Equal(text, []byte("---")), bytes.Equal(text, []byte("...")), bytes.HasPrefix(text, []byte("--- #")), bytes.HasPrefix(text, []byte("---\t#")):
				if !flush(at, next, line+1) {
					return
				}
			case bytes.HasPrefix(text, []byte("--- ")): // content on the marker's own line
				if !flush(at, at+4, line) {
					return
				}
			case bytes.HasPrefix(text, []byte("%YAML ")), bytes.HasPrefix(text, []byte("%TAG ")):
				if blank(data[start:at]) { // only directives, no content
					start, startLine = next, line+1
				}
			}
			at = next
		}
		flush(len(data), len(data), line)
	}
}

// blank reports whether text holds only comments and white space.
func blank(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// skipBlankLines drops leading blank lines, so that the parser's line numbers
// are relative to the document's first line.
func skipBlankLines(text []byte, line int) ([]byte, int) {
	for {
		i := bytes.IndexByte(text, '\n')
		if i < 0 || len(bytes.TrimSpace(text[:i])) > 0 {
			return text, line
		}
		text, line = text[i+1:], line+1
	}
}

// several reports whether a message must name the document by number.
func several(data []byte) bool { return bytes.Contains(data, []byte("\n---")) }
