package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	kjson "sigs.k8s.io/json"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// encode encodes a value as a line.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// decode decodes a line of an untrusted file. Integers of custom resources stay
// integers, as in Kubernetes' own decoders.
func decode(text []byte, into any) error {
	if n := valuesIn(text); n > maxValues {
		return fmt.Errorf("it holds %d values, more than %d", n, maxValues)
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(printable(text), into); err != nil {
		return err
	}
	l, ok := into.(*line)
	if !ok {
		return nil
	}
	if l.Batch != nil {
		return complete(l.Batch.Objects)
	}
	if l.State != nil {
		return errors.Join(complete(l.State.Objects), completeDeleted(l.State.Deleted))
	}
	return nil
}

// valuesIn estimates the number of values in a line: three bytes of JSON can
// become hundreds of bytes in memory.
func valuesIn(text []byte) (n int) {
	if len(text) <= maxValues {
		return 0
	}
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

// moves matches characters that move the cursor or change the direction of
// text, and all other escapes, so that none is split.
var moves = regexp.MustCompile(`\\(?:u[0-9A-Fa-f]{4}|.)|[\x{7f}-\x{9f}\x{2028}-\x{202e}\x{2066}-\x{2069}]`)

// printable removes them from a line. Line breaks and tabs stay: YAML and logs
// contain them.
func printable(text []byte) []byte {
	if !suspicious(text) {
		return text
	}
	return moves.ReplaceAllFunc(text, func(m []byte) []byte {
		if m[0] == '\\' && len(m) == 2 && m[1] != 'b' && m[1] != 'f' && m[1] != 'r' {
			return m
		}
		if len(m) == 6 {
			r, _ := strconv.ParseUint(string(m[2:]), 16, 16)
			if r == '\t' || r == '\n' || r >= ' ' && !moves.MatchString(string(rune(r))) {
				return m
			}
		}
		return []byte(`\ufffd`)
	})
}

func suspicious(text []byte) bool {
	for i, c := range text {
		if c >= 0x7f || c == '\\' && i+1 < len(text) && bytes.IndexByte([]byte("ubfr"), text[i+1]) >= 0 {
			return true
		}
	}
	return false
}

// complete fills fields that are never nil in converted objects, drops views that
// are not the kind's, and lets equal conditions share memory.
func complete(objects []*object.Object) error {
	for _, o := range objects {
		if o == nil {
			return errors.New("an object is null")
		}
		o.DropForeignViews()
		for i := range o.Conditions {
			c := &o.Conditions[i]
			if c.Statement == nil {
				c.Statement = new(object.Statement)
			}
			c.Statement = c.Shared()
		}
		if o.Pod == nil {
			continue
		}
		if o.Pod.PodTemplate == nil {
			o.Pod.PodTemplate = new(object.PodTemplate)
		}
		for i := range o.Pod.Containers {
			if c := &o.Pod.Containers[i]; c.ContainerSpec == nil {
				c.ContainerSpec = new(object.ContainerSpec)
			}
		}
	}
	return nil
}

func completeDeleted(deleted []feed.Deleted) error {
	objects := make([]*object.Object, len(deleted))
	for i := range deleted {
		objects[i] = deleted[i].Object
	}
	return complete(objects)
}
