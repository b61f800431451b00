package dump

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// yamlStream splits a stream of YAML into documents, and the items of a List into
// documents of their own, by their indentation: the content of a block scalar is
// indented deeper than its key.
type yamlStream struct {
	*reading
	head  []byte   // lines of the document outside of items
	list  *listing // nil if the document is no list
	items bool     // within items
	at    int      // how far the items' dashes are indented; -1 until the first
	item  []byte   // lines of the item
	// The document outside of items, or the item, is too large.
	skip, skipItem bool
}

// yaml reads a stream of YAML documents.
func (r *reading) yaml(content *bufio.Reader) error {
	y := &yamlStream{reading: r}
	for {
		line, err := readLine(content)
		if err != nil && !errors.Is(err, io.EOF) {
			y.flush()
			return err
		}
		y.line(line)
		if err != nil {
			y.document()
			return nil
		}
	}
}

// readLine reads a line, of which more than an object's limit is dropped.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line) <= maxObject {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func (y *yamlStream) line(line []byte) {
	if rest, marks := bytes.CutPrefix(line, []byte("---")); marks &&
		(len(rest) == 0 || strings.ContainsRune(" \t\r\n", rune(rest[0]))) {
		y.document()
		line = rest
	} else if string(bytes.TrimRight(line, " \t\r\n")) == "..." {
		y.document()
		return
	}
	trimmed := bytes.TrimLeft(line, " ")
	indent := len(line) - len(trimmed)
	blank := len(bytes.TrimSpace(trimmed)) == 0
	dash := bytes.HasPrefix(trimmed, []byte("- ")) || string(bytes.TrimSpace(trimmed)) == "-"
	if dash && indent == 0 && y.list == nil && len(bytes.TrimSpace(y.head)) == 0 { // an array without a List
		y.begin(0)
	}
	if y.items {
		switch {
		case blank || len(trimmed) > 0 && trimmed[0] == '#':
			y.item = append(y.item, line...)
			return
		case dash && (indent == y.at || y.at < 0):
			y.flush()
			y.at = indent
			line = bytes.Clone(line)
			line[indent] = ' '
			y.item = append(y.item, line...)
			return
		case y.at >= 0 && indent > y.at:
			if len(y.item)+len(line) > maxObject {
				y.skipItem = true
				return
			}
			y.item = append(y.item, line...)
			return
		}
		y.flush()
		y.items = false
	}
	if rest, is := bytes.CutPrefix(line, []byte("items:")); is && len(bytes.TrimSpace(rest)) == 0 &&
		y.list == nil && y.mayBeList() {
		y.begin(-1)
		return
	}
	if len(y.head)+len(line) > maxObject {
		y.skip = true
		return
	}
	y.head = append(y.head, line...)
}

// mayBeList reports whether the document does not say that it is something else.
func (y *yamlStream) mayBeList() bool {
	for line := range bytes.Lines(y.head) {
		if kind, ok := bytes.CutPrefix(line, []byte("kind:")); ok {
			return bytes.HasSuffix(bytes.TrimSpace(kind), []byte("List"))
		}
	}
	return true
}

func (y *yamlStream) begin(at int) {
	y.list, y.items, y.at = y.newListing(schema.GroupVersionKind{}), true, at
	y.list.isList = true
	if fields, err := fieldsOf(y.head); err == nil {
		y.list.header(fields)
	}
}

// flush ends an item.
func (y *yamlStream) flush() {
	text, skip := y.item, y.skipItem
	y.item, y.skipItem = y.item[:0], false
	if y.list == nil || len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if skip {
		y.list.mu.Lock()
		y.list.partial = true
		y.list.mu.Unlock()
		y.left.add(errTooLarge.Error(), y.file.path)
		return
	}
	y.list.item(bytes.Clone(text), fieldsOf)
}

// document ends a document.
func (y *yamlStream) document() {
	y.flush()
	head, list, skip := y.head, y.list, y.skip
	y.head, y.list, y.items, y.skip = y.head[:0], nil, false, false
	if skip {
		y.left.add(errTooLarge.Error(), y.file.path)
		return
	}
	if list == nil && !bytes.Contains(head, []byte("items:")) {
		head = bytes.Clone(head)
		y.workers.Go(func() error {
			if fields, err := fieldsOf(head); err != nil {
				y.broken()
			} else if len(fields) > 0 {
				y.object(fields, nil)
			}
			return nil
		})
		return
	}
	fields, err := fieldsOf(head)
	switch {
	case err != nil:
		y.broken()
	case list != nil:
		list.header(fields)
		if fields["kind"] == nil && len(fields) > 0 { // kubectl writes it after the items
			list.partial = true
			y.left.add("a list without its end: the file may be cut off", y.file.path)
		}
		list.close()
	case strings.HasSuffix(text(fields["kind"]), "List") && fields["items"] != nil: // items: []
		y.inline(fields)
	case len(fields) > 0:
		y.object(fields, nil)
	}
}

// inline reads a List that is written in one piece.
func (y *yamlStream) inline(fields map[string]json.RawMessage) {
	l := y.newListing(schema.GroupVersionKind{})
	l.header(fields)
	var items []map[string]json.RawMessage
	if err := json.Unmarshal(fields["items"], &items); err != nil {
		return
	}
	for _, item := range items {
		l.take(item, nil)
	}
	l.close()
}

// fieldsOf parses a mapping. Anything else has no fields.
func fieldsOf(text []byte) (fields map[string]json.RawMessage, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	data, err := yaml.YAMLToJSON(shortenedYAML(text))
	if err != nil {
		return nil, err
	}
	_ = json.Unmarshal(data, &fields)
	return fields, nil
}
