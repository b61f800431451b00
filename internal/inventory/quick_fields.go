package inventory

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// role is what a value is wanted for.
type role uint8

const (
	skipped role = iota
	anObject
	aMetadata
	aText
	aWord // a text that is the same in many documents
	aNumber
	someLabels
	aLabel
	someNotes // annotations
	aNote
	someItems
)

// into is where a value goes.
type into struct {
	role role
	of   *manifest
	text *string
	key  []byte // of a label
}

// nests says whether a mapping can be read for a role.
func (r role) nests() bool {
	switch r {
	case skipped, anObject, aMetadata, someLabels, someNotes:
		return true
	}
	return false
}

// fields are those of an object or a metadata that were there.
type fields uint16

// field says what the value of a key is wanted for.
func (to into) field(key []byte, seen *fields) (into, bool) {
	var names []string
	switch to.role {
	case anObject:
		names = objectFields
	case aMetadata:
		names = metadataFields
	case someLabels:
		return into{role: aLabel, of: to.of, key: key}, true
	case someNotes:
		if string(key) == localConfig {
			return into{role: aNote, of: to.of}, true
		}
		return into{}, true
	default:
		return into{}, true
	}
	for i, name := range names {
		if len(name) != len(key) || name[0]|0x20 != key[0]|0x20 {
			continue
		}
		if string(key) != name {
			if bytes.EqualFold(key, []byte(name)) {
				return into{}, false // encoding/json takes it all the same
			}
			continue
		}
		if *seen&(1<<i) != 0 {
			return into{}, false
		}
		*seen |= 1 << i
		return to.named(name), true
	}
	// Letters outside of ASCII may be the same as ours to encoding/json.
	for _, c := range key {
		if c >= utf8.RuneSelf {
			return into{}, false
		}
	}
	return into{}, true
}

var (
	objectFields   = []string{"apiVersion", "kind", "metadata", "items"}
	metadataFields = []string{"name", "namespace", "generateName", "uid", "generation", "labels", "annotations"}
)

// named is where a field of an object, or of its metadata, goes.
func (to into) named(name string) into {
	o := to.of
	switch name {
	case "apiVersion":
		return into{role: aWord, text: &o.APIVersion}
	case "kind":
		return into{role: aWord, text: &o.Kind}
	case "metadata":
		return into{role: aMetadata, of: o}
	case "items":
		o.read = &[]manifest{}
		return into{role: someItems, of: o}
	case "name":
		return into{role: aText, text: &o.Metadata.Name}
	case "namespace":
		return into{role: aWord, text: &o.Metadata.Namespace}
	case "generateName":
		return into{role: aText, text: &o.Metadata.GenerateName}
	case "uid":
		return into{role: aText, text: &o.Metadata.UID}
	case "generation":
		return into{role: aNumber, of: o}
	case "labels":
		return into{role: someLabels, of: o}
	}
	return into{role: someNotes, of: o}
}

// give hands a scalar over.
func (q *quick) give(to into, s []byte, k kind) bool {
	if to.role == skipped {
		return k != notJSON
	}
	if to.role == aNumber {
		const most = 15 // digits
		if k != maybeNumber || len(s) > most || s[0] == '0' {
			return false
		}
		n, err := strconv.ParseInt(string(s), 10, 64)
		to.of.Metadata.Generation = n
		return err == nil
	}
	if k == isNull {
		return to.role == someLabels || to.role == someNotes
	}
	if k != isText {
		return false
	}
	switch to.role {
	case aText:
		*to.text = string(s)
	case aWord:
		*to.text = q.word(s)
	case aLabel:
		if q.labels {
			if to.of.Metadata.Labels == nil {
				to.of.Metadata.Labels = map[string]string{}
			}
			to.of.Metadata.Labels[string(to.key)] = string(s)
		}
	case aNote:
		to.of.Metadata.Annotations = map[string]any{localConfig: string(s)}
	default:
		return false
	}
	return true
}

// word is a string of which there are few.
func (q *quick) word(s []byte) string {
	const most = 1000
	w, ok := q.words[string(s)]
	if !ok {
		w = string(s)
		if len(q.words) < most {
			q.words[w] = w
		}
	}
	return w
}
