package inventory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// document is one document of a file; in a JSON stream, at one of its values.
type document struct {
	Input
	text    []byte
	number  int // 1-based, not counting empty documents
	line    int // its first line with content in the file; 1-based
	several bool
	item    string // of which item of a list this is; "" outside of one
}

// String is the place of the document, for messages.
func (d document) String() string {
	if d.several || d.line > 1 {
		return fmt.Sprintf("%s, document %d, line %d%s", d.Name, d.number, d.line, d.item)
	}
	return d.Name + d.item
}

// documents splits a YAML stream before its markers: YAML allows neither "---"
// nor "..." at column 0 inside a block scalar. apimachinery's YAMLReader reports no
// lines, and loses a document where content follows the next one's marker.
func (in Input) documents() iter.Seq[document] {
	return func(yield func(document) bool) {
		d := document{Input: in, several: bytes.Contains(in.Data, []byte("\n---"))}
		line, begin, end, content := 0, 0, 0, false
		flush := func() bool {
			d.text = in.Data[begin:end]
			again := true
			if content {
				d.number++
				again = yield(d)
			}
			begin, content = end, false
			return again
		}
		for text := range bytes.Lines(in.Data) {
			line++
			if marks(text) && !flush() {
				return
			}
			blank := empty(text)
			if begin == end { // the parser counts lines from the first one with content
				d.line = line
				if blank {
					begin += len(text)
				}
			}
			content = content || !blank && text[0] != '#'
			end += len(text)
		}
		flush()
	}
}

// marks reports whether a document ends before a line.
func marks(line []byte) bool {
	rest, begins := bytes.CutPrefix(line, []byte("---"))
	return begins && (len(rest) == 0 || bytes.ContainsRune([]byte(" \t\r\n"), rune(rest[0]))) ||
		string(bytes.TrimRight(line, " \t\r\n")) == "..."
}

// empty reports whether a line before a document's first has no content: a
// marker alone, a directive, white space.
func empty(line []byte) bool {
	marker := marks(line)
	if marker {
		line = line[3:]
	}
	t := bytes.TrimSpace(line)
	return len(t) == 0 || t[0] == '%' || marker && t[0] == '#'
}

// objects yields the objects of a YAML document, or of all values of a JSON
// stream.
func (d document) objects() iter.Seq2[RawObject, error] {
	return func(yield func(RawObject, error) bool) {
		// Keep the indentation of the first line: it is part of YAML's
		// structure.
		text := bytes.TrimRight(d.text, " \t\r\n")
		if separators(text) > maxValues {
			yield(RawObject{}, problem.New("split it", "%s: it has more than %d values", d, maxValues))
			return
		}
		dec := json.NewDecoder(bytes.NewReader(text))
		if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) || dec.Decode(new(json.RawMessage)) != nil {
			asJSON, err := yaml.YAMLToJSONStrict(text) // a key that stands twice is an error, as in kubectl apply
			if err != nil {
				yield(RawObject{}, d.brokenYAML(err))
				return
			}
			d.object(asJSON, metav1.TypeMeta{}, 0, yield)
			return
		}
		dec = json.NewDecoder(bytes.NewReader(text))
		first := d.line
		for {
			begin := len(text) - len(bytes.TrimLeft(text[dec.InputOffset():], " \t\r\n"))
			if begin == len(text) {
				return
			}
			var raw json.RawMessage
			err := dec.Decode(&raw)
			if se, ok := errors.AsType[*json.SyntaxError](err); ok {
				begin = max(begin, int(se.Offset))
			}
			d.line = first + bytes.Count(text[:min(begin, len(text))], []byte("\n"))
			if err != nil {
				yield(RawObject{}, problem.New("check the JSON with: jq . FILE", "%s: broken JSON: %w", d, err))
				return
			}
			if !d.object(raw, metav1.TypeMeta{}, 0, yield) {
				return
			}
		}
	}
}

// separators counts what stands between values, in YAML and JSON.
func separators(text []byte) int {
	return bytes.Count(text, []byte(",")) + bytes.Count(text, []byte(":")) + bytes.Count(text, []byte("\n"))
}

// yamlLine finds the line number in the library's error, and all before it.
var yamlLine = regexp.MustCompile(`(?s)^.*?line (\d+): `)

// brokenYAML converts the parser's line number, which is relative to the
// document, to one of the file.
func (d document) brokenYAML(err error) error {
	if isTable(d.text) {
		return d.table()
	}
	if isPage(d.text) {
		return d.page()
	}
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	if at := yamlLine.FindStringSubmatch(msg); at != nil {
		n, _ := strconv.Atoi(at[1])
		d.line, msg = d.line+n-1, msg[len(at[0]):]
	}
	d.several = true // the line is always reported
	if bytes.HasPrefix(d.Data, []byte("\x1f\x8b")) {
		return problem.New(
			"unpack it: gunzip -c FILE | kstatus-tui … -f -; a recording is played with kstatus-tui replay FILE",
			"%s is compressed, and no YAML", d.Name)
	}
	next := "correct the YAML; kubectl apply --dry-run=client -f FILE checks it too"
	if bytes.Contains(d.text, []byte("{{")) {
		next = "a chart's template is rendered first: helm template CHART | kstatus-tui … -f -"
	}
	e := problem.New(next, "%s: broken YAML: %s", d, msg)
	e.Err = err
	return e
}
