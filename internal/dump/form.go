package dump

import (
	"bufio"
	"bytes"
	"io"
	"regexp"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// form is how the text of a file is written.
type form struct {
	json   bool // otherwise YAML
	margin int  // how many spaces each line is indented by: it was pasted from a page
}

// formOf looks at the beginning of a file. It is false for one that holds no
// objects: neither JSON, nor YAML with the fields of an object, nor logs.
func formOf(head []byte) (form, bool) {
	if bytes.IndexByte(head, 0) >= 0 {
		return form{}, false
	}
	for line := range bytes.Lines(head) {
		text := bytes.TrimLeft(line, " \t")
		switch first := bytes.TrimSpace(text); {
		case len(first) == 0 || isForeign(text, false) || first[0] == '#':
			continue
		case first[0] == '{' || first[0] == '[':
			return form{json: true}, true
		}
		margin := len(line) - len(text)
		indented := append([]byte("\n"), bytes.Repeat([]byte(" "), margin)...)
		return form{margin: margin},
			likeYAML.Match(bytes.ReplaceAll(append([]byte("\n"), head...), indented, []byte("\n")))
	}
	return form{}, false
}

var likeYAML = regexp.MustCompile(
	`(?m)^(?:- |  - )?["']?(?:apiVersion|kind|metadata|items)["']?:|^---\s+\{|^==== START logs for container `)

// trim removes the margin from the beginning of a line.
func (f form) trim(line []byte) []byte {
	for range f.margin {
		rest, is := bytes.CutPrefix(line, []byte(" "))
		if !is {
			break
		}
		line = rest
	}
	return line
}

var (
	yamlKey   = regexp.MustCompile(`^[\w./-]+ *:(?:\s|$)`)
	complaint = regexp.MustCompile(`^(?:[Ww]arning|[Ee]rror): `)
	literal   = regexp.MustCompile(`^(?:true|false|null)\b`)
)

// isForeign reports whether a line, from its first byte, can be part of no object: a
// prompt with the command after it, what kubectl wrote to standard error, the end of
// kubectl cluster-info dump, a code fence. In JSON it is also what divides documents
// or is a comment in YAML.
func isForeign(line []byte, json bool) bool {
	if json && (bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("#"))) {
		return true
	}
	for _, start := range []string{"$ ", "```", "~~~"} {
		if bytes.HasPrefix(line, []byte(start)) {
			return true
		}
	}
	if prompt, is := bytes.CutPrefix(line, []byte("[")); is { // [root@host ~]#
		line = prompt
	}
	if len(line) == 0 || (line[0]|0x20 < 'a' || line[0]|0x20 > 'z') || literal.Match(line) {
		return false
	}
	return complaint.Match(line) || !yamlKey.Match(line)
}

// hasMark reports whether a text begins with the byte order mark of UTF-8 or UTF-16.
func hasMark(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) ||
		bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// decoded reads a text with a byte order mark as UTF-8 without it. Windows
// PowerShell's > writes UTF-16.
func decoded(r io.Reader) *bufio.Reader {
	return bufio.NewReaderSize(transform.NewReader(r, unicode.BOMOverride(transform.Nop)), 64<<10)
}
