package inventory

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"

	"sigs.k8s.io/yaml"
)

// RawObject is one object of a file, as JSON, and where it stands.
type RawObject struct {
	JSON []byte
	// Where is for messages: the file, with document and line where there is
	// more than one.
	Where          string
	Document, Line int // 1-based
	// Kind and APIVersion are those that the list it stands in has for its
	// items; empty for an object that stands alone or says so itself.
	Kind, APIVersion string
}

// Objects yields every object of a file's contents, YAML or JSON, in order: a
// List counts as its items. A document that cannot be read is yielded as an
// error, which names file, document and line, and the others follow all the
// same. name stands for the file in messages.
func Objects(name string, data []byte) iter.Seq2[RawObject, error] {
	return func(yield func(RawObject, error) bool) {
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
		for doc := range documents(data) {
			from := origin{name: name, document: doc.number, line: doc.line, several: several(data)}
			if !documentObjects(doc.text, from, yield) {
				return
			}
		}
	}
}

// documentObjects yields the objects of one document; false when nobody wants
// more.
func documentObjects(text []byte, from origin, yield func(RawObject, error) bool) bool {
	for v, err := range values(text, from) {
		if err != nil {
			return yield(RawObject{}, err)
		}
		if !yieldObject(RawObject{JSON: v.json}, v.from, 0, yield) {
			return false
		}
	}
	return true
}

// value is what a document holds, as JSON, and where it stands.
type value struct {
	json []byte
	from origin
}

// values yields the one value of a document of YAML, or those of a stream of JSON.
func values(text []byte, from origin) iter.Seq2[value, error] {
	return func(yield func(value, error) bool) {
		// The first line's indentation belongs to YAML's structure: it stays.
		text = bytes.TrimRight(text, " \t\r\n")
		if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) || firstValue(text) == nil {
			asJSON, err := yaml.YAMLToJSON(text)
			if err != nil {
				err = brokenYAML(err, from)
			}
			yield(value{asJSON, from}, err)
			return
		}
		dec := json.NewDecoder(bytes.NewReader(text))
		for first := from.line; ; {
			var raw json.RawMessage
			err := dec.Decode(&raw)
			if errors.Is(err, io.EOF) {
				return
			}
			end := min(dec.InputOffset(), int64(len(text)))
			if err != nil {
				if se, ok := errors.AsType[*json.SyntaxError](err); ok {
					end = min(max(se.Offset, end), int64(len(text)))
				}
				from.line = first + bytes.Count(text[:end], []byte("\n"))
				yield(value{}, problem("check the JSON with: jq . FILE", "%s: broken JSON: %w", from, err))
				return
			}
			from.line = first + bytes.Count(text[:end-int64(len(raw))], []byte("\n"))
			if !yield(value{raw, from}, nil) {
				return
			}
		}
	}
}

// firstValue is the first JSON value of a stream, or nothing.
func firstValue(text []byte) []byte {
	var raw json.RawMessage
	if json.NewDecoder(bytes.NewReader(text)).Decode(&raw) != nil {
		return nil
	}
	return raw
}

func yieldObject(o RawObject, from origin, depth int, yield func(RawObject, error) bool) bool {
	o.Where, o.Document, o.Line = from.String(), from.document, from.line
	if string(o.JSON) == "null" {
		return true // a document of comments
	}
	var list struct {
		APIVersion any             `json:"apiVersion"`
		Kind       any             `json:"kind"`
		Items      json.RawMessage `json:"items"`
	}
	var items []json.RawMessage
	err := json.Unmarshal(o.JSON, &list)
	kind, _ := list.Kind.(string)
	version, _ := list.APIVersion.(string)
	switch {
	case err != nil:
		return yield(RawObject{}, problem(notAnObject, "%s: not a Kubernetes object", from))
	case kind == "" && o.Kind == "":
		return yield(RawObject{}, problem(notAnObject, "%s: not a Kubernetes object: it has no kind", from))
	case version == "" && o.APIVersion == "":
		return yield(RawObject{}, problem(notAnObject, "%s: %s has no apiVersion", from, kind))
	case !strings.HasSuffix(kind, "List") || list.Items == nil:
		return yield(o, nil)
	case json.Unmarshal(list.Items, &items) != nil:
		return yield(RawObject{}, problem(notAnObject, "%s: the items of the %s are not a list", from, kind))
	case depth > 8:
		return yield(RawObject{}, problem("", "%s: lists are nested too deeply", from))
	}
	item := RawObject{}
	if k := strings.TrimSuffix(kind, "List"); k != "" { // items of a typed list may leave it out
		item.Kind, item.APIVersion = k, version
	}
	for _, raw := range items {
		item.JSON = raw
		if !yieldObject(item, from, depth+1, yield) {
			return false
		}
	}
	return true
}
