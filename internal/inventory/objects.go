package inventory

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// RawObject is one object of a file, as JSON, with its place.
type RawObject struct {
	JSON []byte
	// Where is for messages: the file, with document and line where there is
	// more than one.
	Where string
	// Kind and APIVersion are the object's own, or its list's defaults.
	Kind, APIVersion string

	head manifest
	from origin
}

// manifest holds the fields that are read of an object.
type manifest struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name         string            `json:"name"`
		GenerateName string            `json:"generateName"`
		Namespace    string            `json:"namespace"`
		UID          string            `json:"uid"`
		Generation   int64             `json:"generation"`
		Labels       map[string]string `json:"labels"`
		Annotations  map[string]any    `json:"annotations"`
	} `json:"metadata"`
	Items *[]json.RawMessage `json:"items"`

	gv schema.GroupVersion
}

// Objects yields every object of a file's contents, YAML or JSON, in order; a
// List yields its items. A document that cannot be parsed is yielded as an
// error with file, document and line, and the others follow. name is the file's
// name for messages.
func Objects(name string, data []byte) iter.Seq2[RawObject, error] {
	return func(yield func(RawObject, error) bool) {
		for doc := range documents(data) {
			for o, err := range objects(doc.text, origin{name: name, document: doc.number, line: doc.line, several: several(data)}) {
				if !yield(o, err) {
					return
				}
			}
		}
	}
}

// objects yields the objects of one document.
func objects(text []byte, from origin) iter.Seq2[RawObject, error] {
	return func(yield func(RawObject, error) bool) {
		for v, err := range values(text, from) {
			if err != nil {
				yield(RawObject{}, err)
				return
			}
			if !yieldObject(v.json, manifest{}, v.from, 0, yield) {
				return
			}
		}
	}
}

// value is the JSON of a document, with its place.
type value struct {
	json []byte
	from origin
}

// values yields the value of a YAML document, or all values of a JSON stream.
func values(text []byte, from origin) iter.Seq2[value, error] {
	return func(yield func(value, error) bool) {
		// Keep the indentation of the first line: it is part of YAML's
		// structure.
		text = bytes.TrimRight(text, " \t\r\n")
		if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) ||
			json.NewDecoder(bytes.NewReader(text)).Decode(new(json.RawMessage)) != nil {
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
				yield(value{}, problem.New("check the JSON with: jq . FILE", "%s: broken JSON: %w", from, err))
				return
			}
			from.line = first + bytes.Count(text[:end-int64(len(raw))], []byte("\n"))
			if !yield(value{raw, from}, nil) {
				return
			}
		}
	}
}

const notAnObject = "a manifest has apiVersion, kind and metadata.name"

// yieldObject yields an object, or the items of a list. Items of a typed list
// may omit kind and apiVersion; of holds the list's.
func yieldObject(raw []byte, of manifest, from origin, depth int, yield func(RawObject, error) bool) bool {
	if string(raw) == "null" {
		return true // only comments
	}
	o := of
	fail := func(format string, args ...any) bool {
		return yield(RawObject{}, problem.New(notAnObject, "%s: "+format, append([]any{from}, args...)...))
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		te, ok := errors.AsType[*json.UnmarshalTypeError](err)
		switch {
		case ok && te.Field == "":
			return fail("not a Kubernetes object but this: %s", te.Value)
		case ok:
			return fail("not a Kubernetes object: %s cannot be this: %s", te.Field, te.Value)
		}
		return fail("not a Kubernetes object: %w", err)
	}
	var err error
	switch o.gv, err = schema.ParseGroupVersion(o.APIVersion); {
	case o.Kind == "" && o.APIVersion == "":
		return fail("not a Kubernetes object: it has neither apiVersion nor kind")
	case o.APIVersion == "":
		return fail("%s has no apiVersion", o.Kind)
	case o.Kind == "":
		return fail("not a Kubernetes object: it has no kind")
	case err != nil:
		return fail("%w", err)
	case !strings.HasSuffix(o.Kind, "List") || o.Items == nil:
		return yield(RawObject{
			JSON: raw, Where: from.String(), Kind: o.Kind, APIVersion: o.APIVersion, head: o, from: from,
		}, nil)
	case depth == maxNesting:
		return yield(RawObject{}, problem.New("take the inner Lists apart", "%s: Lists within Lists, more than %d deep", from, maxNesting))
	}
	var item manifest
	if kind := strings.TrimSuffix(o.Kind, "List"); kind != "" {
		item.Kind, item.APIVersion = kind, o.APIVersion
	}
	for _, raw := range *o.Items {
		if !yieldObject(raw, item, from, depth+1, yield) {
			return false
		}
	}
	return true
}
