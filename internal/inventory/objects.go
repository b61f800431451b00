package inventory

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// RawObject is one object of a file, with its place. Its kind and apiVersion are
// its own, or its list's defaults.
type RawObject struct {
	header
	JSON  []byte
	Where document // its place, for messages
}

// header is what is read of an object here. What else there is of its metadata
// may be malformed: that is for its judge.
type header struct {
	metav1.TypeMeta
	metadata `json:"metadata"`
}

type metadata struct {
	Name         string            `json:"name"`
	GenerateName string            `json:"generateName"`
	Namespace    string            `json:"namespace"`
	UID          string            `json:"uid"`
	Generation   int64             `json:"generation"`
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]any    `json:"annotations"`
}

// Objects yields every object of a file's contents, YAML or JSON, in order; a
// List yields its items. A document that cannot be parsed is yielded as an
// error with file, document and line, and the others follow. name is the file's
// name for messages.
func Objects(name string, data []byte) iter.Seq2[RawObject, error] {
	return func(yield func(RawObject, error) bool) {
		for d := range (Input{Name: name, Data: data}).documents() {
			for o, err := range d.objects() {
				if !yield(o, err) {
					return
				}
			}
		}
	}
}

// all returns the objects of a document, and why one of them cannot be read.
func (d document) all() (objs []RawObject, broken error) {
	for o, err := range d.objects() {
		if err == nil {
			objs = append(objs, o)
		} else if broken == nil {
			broken = err
		}
	}
	return objs, broken
}

// ofChart reports whether a file of this name belongs to a Helm chart.
func ofChart(name string) bool {
	return name == "Chart.yaml" || strings.HasPrefix(name, "values") && isManifest(name)
}

// tableHead matches the first line of what kubectl get prints for people.
var tableHead = regexp.MustCompile(`^\s*(NAMESPACE|NAME|LAST SEEN) +[A-Z]`)

func isTable(text []byte) bool { return tableHead.Match(text) }

func (d document) table() error {
	return problem.New("add -o yaml to the command that printed it",
		"%s: this is a table of kubectl, not a Kubernetes manifest", d)
}

// pageHead matches the beginning of an HTML page: what a server shows instead of a file.
var pageHead = regexp.MustCompile(`(?i)^\s*(<!--.*?-->\s*)*(<!doctype html|<html)\b`)

func isPage(text []byte) bool { return pageHead.Match(text) }

func (d document) page() error {
	return problem.New("use the address of the file itself; on GitHub, that of the button Raw",
		"%s: this is an HTML page, not a Kubernetes manifest", d)
}

const notAnObject = "a manifest has apiVersion, kind and metadata.name"

// object yields an object, or the items of a list. Items of a typed list may
// omit kind and apiVersion.
func (d document) object(raw []byte, defaults metav1.TypeMeta, depth int, yield func(RawObject, error) bool) bool {
	if string(raw) == "null" {
		return true // only comments
	}
	var o struct {
		header
		Items []json.RawMessage `json:"items"`
	}
	o.TypeMeta = defaults
	if isTable(d.text) {
		return yield(RawObject{}, d.table())
	}
	fail := func(format string, args ...any) bool {
		return yield(RawObject{}, problem.New(notAnObject, "%s: "+format, append([]any{d}, args...)...))
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		te, ok := errors.AsType[*json.UnmarshalTypeError](err)
		switch {
		case ok && te.Field == "":
			if isPage(d.text) {
				return yield(RawObject{}, d.page())
			}
			kind := map[string]string{"string": "plain text", "array": "a list"}[te.Value]
			return fail("this is %s, not a Kubernetes manifest", cmp.Or(kind, "a "+te.Value))
		case ok:
			field := strings.TrimPrefix(strings.TrimPrefix(te.Field, "header."), "TypeMeta.")
			unquoted := te.Value == "bool" || strings.HasPrefix(te.Value, "number")
			if unquoted && te.Type.Kind() == reflect.String {
				return yield(RawObject{}, problem.New(
					"write it in quotes: YAML reads n, no, off and 1e3 without them as something else",
					"%s: %s is a %s, not a string", d, field, strings.Replace(te.Value, "bool", "boolean", 1)))
			}
			return fail("not a Kubernetes object: %s cannot be of type %s", field, te.Value)
		}
		return fail("not a Kubernetes object: %w", err)
	}
	switch gv, err := schema.ParseGroupVersion(o.APIVersion); {
	case gv.Group == "kustomize.config.k8s.io",
		o.Kind == "" && o.APIVersion == "" && strings.HasPrefix(filepath.Base(d.Name), "kustomization.y"):
		return true // kustomize's own configuration is never applied; it may be without a kind
	case o.Kind == "" && ofChart(filepath.Base(d.Name)):
		return yield(RawObject{}, problem.New("helm template CHART | kstatus-tui … -f -",
			"%s: a part of a Helm chart, and no Kubernetes object", d))
	case o.Kind == "":
		return fail("not a Kubernetes object: it has no kind")
	case o.APIVersion == "":
		return fail("not a Kubernetes object: this %s has no apiVersion", o.Kind)
	case err != nil:
		return fail("%w", err)
	case !strings.HasSuffix(o.Kind, "List") || o.Items == nil && o.Name != "": // an AccessList
		return yield(RawObject{header: o.header, JSON: raw, Where: d}, nil)
	case depth == maxNesting:
		return yield(RawObject{}, problem.New("take the inner Lists apart",
			"%s: Lists within Lists, more than %d deep", d, maxNesting))
	}
	var item metav1.TypeMeta
	if kind := strings.TrimSuffix(o.Kind, "List"); kind != "" {
		item = metav1.TypeMeta{Kind: kind, APIVersion: o.APIVersion}
	}
	list := d.item
	for i, raw := range o.Items {
		d.item = fmt.Sprintf("%s, items[%d]", list, i)
		if !d.object(raw, item, depth+1, yield) {
			return false
		}
	}
	return true
}
