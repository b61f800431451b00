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

// documents splits a YAML stream at its markers: YAML allows neither "---" nor
// "..." at column 0 inside a block scalar. apimachinery's YAMLReader tells no
// lines, and loses a document where content follows the next one's marker.
func documents(data []byte) iter.Seq[document] {
	return func(yield func(document) bool) {
		doc, begin, end := document{line: 1}, 0, 0
		flush := func() bool {
			if doc.text = data[begin:end]; blank(doc.text) {
				return true
			}
			doc.number++
			next := doc
			next.text, next.line = skipBlankLines(doc.text, doc.line)
			return yield(next)
		}
		line := 0
		for text := range bytes.Lines(data) {
			line++
			marker := markerIn(text)
			if marker > 0 && (text[0] != '%' || blank(data[begin:end])) {
				if !flush() {
					return
				}
				begin, doc.line = end+marker, line
				if marker == len(text) {
					doc.line++
				}
			}
			end += len(text)
		}
		flush()
	}
}

// markerIn returns how many bytes at the beginning of a line are a marker
// between documents, with its comment, or a directive.
func markerIn(line []byte) int {
	switch {
	case string(bytes.TrimRight(line, " \t\r\n")) == "...", bytes.HasPrefix(line, []byte("%YAML ")), bytes.HasPrefix(line, []byte("%TAG ")):
		return len(line)
	case !bytes.HasPrefix(line, []byte("---")), len(line) > 3 && !bytes.ContainsRune([]byte(" \t\r\n"), rune(line[3])):
		return 0
	case blank(line[3:]):
		return len(line)
	}
	return len("--- ") // content follows on the marker's own line
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
		first, rest, more := bytes.Cut(text, []byte("\n"))
		if !more || len(bytes.TrimSpace(first)) > 0 {
			return text, line
		}
		text, line = rest, line+1
	}
}

// several reports whether a message must name the document by number.
func several(data []byte) bool { return bytes.Contains(data, []byte("\n---")) }
