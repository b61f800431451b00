package dump

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// reading reads the objects of one file.
type reading struct {
	*builder
	file   file
	form   form
	place  place
	series clusterInfoLists
}

// objects reads the objects of a file, JSON or YAML, one by one: a list of a whole
// cluster is never in memory.
func (r *reading) objects() error {
	content := bufio.NewReaderSize(&objectReader{in: r.file.content, form: r.form, log: r.logSection}, 64<<10)
	if r.form.json {
		return r.json(content)
	}
	return r.yaml(content)
}

// json reads a stream of JSON values: objects, Lists, arrays of objects.
func (r *reading) json(content io.Reader) error {
	m := &meter{Reader: content}
	dec := json.NewDecoder(m)
	for {
		m.reset()
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		l := r.newListing(schema.GroupVersionKind{})
		switch t {
		case json.Delim('['):
			l.isList = true
			if err = r.jsonItems(dec, m, l); err == nil {
				l.close()
			}
		case json.Delim('{'):
			err = r.jsonObject(dec, m, l)
		default:
			return errors.New("not a Kubernetes object")
		}
		if err != nil {
			return err
		}
	}
}

// jsonObject reads an object after its brace: the items of a List one by one, any
// other object as a whole.
func (r *reading) jsonObject(dec *json.Decoder, m *meter, l *listing) error {
	fields := map[string]json.RawMessage{}
	for dec.More() {
		m.reset()
		t, err := dec.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		if key == "items" && (l.isListKind(fields) || len(fields) <= 1) { // kubectl sorts them: apiVersion, items, kind
			t, err := dec.Token()
			switch {
			case err != nil:
				return err
			case t == json.Delim('['):
				l.isList = true
				l.header(fields)
				if err := r.jsonItems(dec, m, l); err != nil {
					return err
				}
			case t != nil:
				return errors.New("items is not a list")
			}
			continue
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return err
		}
		fields[key] = v
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return err
	}
	if l.header(fields); l.isList || l.isListKind(fields) {
		l.isList = true
		l.close()
		return nil
	}
	r.workers.Go(func() error {
		if raw, ok := fields["metadata"]; ok {
			fields["metadata"] = shortened(raw)
		}
		r.object(fields, nil)
		return nil
	})
	return nil
}

// jsonFields parses an item. What is no object has no fields.
func jsonFields(raw []byte) (fields map[string]json.RawMessage, err error) {
	_ = json.Unmarshal(shortened(raw), &fields)
	return fields, nil
}

// jsonItems reads items after the bracket.
func (r *reading) jsonItems(dec *json.Decoder, m *meter, l *listing) error {
	for dec.More() {
		m.reset()
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		l.item(raw, jsonFields)
	}
	_, err := dec.Token()
	return err
}

// listing is a list that is being read.
type listing struct {
	*reading
	isList  bool
	kind    schema.GroupVersionKind // of its items; empty if it does not say, as kubectl's List
	typed   bool                    // it names the kind of its items
	partial bool                    // it says that it goes on elsewhere
	pending []map[string]json.RawMessage
	size    int // of pending

	work sync.WaitGroup // items that are being parsed
	mu   sync.Mutex     // guards the rest and pending, size and partial

	namespaces map[string]bool
	kinds      map[schema.GroupKind]bool
	each       map[kindIn]bool
	sentinels  map[string]bool // namespaces of which it has an object that is in every namespace
}

func (r *reading) newListing(kind schema.GroupVersionKind) *listing {
	return &listing{
		reading: r, kind: kind, namespaces: map[string]bool{}, kinds: map[schema.GroupKind]bool{},
		each: map[kindIn]bool{}, sentinels: map[string]bool{},
	}
}

// isListKind reports whether the fields so far are those of a list.
func (l *listing) isListKind(fields map[string]json.RawMessage) bool {
	return strings.HasSuffix(text(fields["kind"]), "List") && !bytes.Contains(fields["metadata"], []byte(`"name"`))
}

// header reads what a list says of itself.
func (l *listing) header(fields map[string]json.RawMessage) {
	l.work.Wait() // its items read it
	kind, version := text(fields["kind"]), text(fields["apiVersion"])
	if item := strings.TrimSuffix(kind, "List"); item != "" && item != kind && version != "" {
		l.kind, l.typed = present(schema.FromAPIVersionAndKind(version, item)), true
	}
	var m struct{ Continue string }
	if json.Unmarshal(fields["metadata"], &m) == nil && m.Continue != "" {
		l.partial = true
	}
}

func text(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}

// item parses an item, beside others.
func (l *listing) item(text []byte, parse func([]byte) (map[string]json.RawMessage, error)) {
	l.work.Add(1)
	l.workers.Go(func() error {
		defer l.work.Done()
		fields, err := parse(text)
		l.take(fields, err)
		return nil
	})
}

// brokenItem says what is wrong with an item that cannot be read by itself.
func brokenItem(err error) string {
	if strings.Contains(err.Error(), "unknown anchor") { // go.yaml.in/yaml
		return "an item of a list refers to a YAML anchor of another one (write it without anchors)"
	}
	return "broken YAML in an item of a list"
}

// take takes an item. One that does not name its kind waits until the list has.
func (l *listing) take(fields map[string]json.RawMessage, err error) {
	if err != nil {
		l.mu.Lock()
		l.partial = true
		l.mu.Unlock()
		l.left.add(brokenItem(err), l.file.path)
		return
	}
	if fields["kind"] == nil && !l.typed && l.place.kind.Kind == "" {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, v := range fields {
			l.size += len(v)
		}
		if l.size > maxPending {
			l.partial = true
			l.left.add("items without a kind", l.file.path)
			return
		}
		l.pending = append(l.pending, fields)
		return
	}
	l.object(fields, l)
}

// close ends a list: what it has all of is noted.
func (l *listing) close() {
	l.work.Wait()
	if l.kind.Kind == "" {
		l.kind = l.place.kind
	}
	for _, fields := range l.pending {
		l.object(fields, l)
	}
	l.claim()
}

// saw notes an object of the list.
func (l *listing) saw(gk schema.GroupKind, namespace, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kinds[gk], l.namespaces[namespace], l.each[kindIn{gk, namespace}] = true, true, true
	if gk == (schema.GroupKind{Kind: "ConfigMap"}) && name == "kube-root-ca.crt" ||
		gk == (schema.GroupKind{Kind: "ServiceAccount"}) && name == "default" {
		l.sentinels[namespace] = true
	}
}

// claim notes of what kinds the list has everything there was in a namespace: because
// its place says so, or because it was not selected. kubectl get -n NS of some types,
// among them configmaps or serviceaccounts, prints an object that Kubernetes puts into
// every namespace, unless the user gave names or a selector.
func (l *listing) claim() {
	if l.partial {
		return
	}
	for in := range l.each {
		if l.sentinels[in.namespace] || in.namespace == "" && len(l.sentinels) > 0 {
			l.complete(in)
		}
	}
	if l.typed {
		l.series.add(l)
	}
	if p := l.place; p.whole {
		kind := l.kind.GroupKind()
		switch {
		case len(l.kinds) > 1:
			return
		case len(l.kinds) == 1:
			for kind = range l.kinds {
			}
		}
		for ns := range l.namespaces {
			if ns != p.namespace {
				return // a file of several namespaces
			}
		}
		if kind.Kind != "" {
			l.complete(kindIn{kind, p.namespace})
			l.learn(kind, p.plural)
		}
	}
}
