package watch

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// maxFrame is the largest watch event that is read; etcd's own limit for an
// object is about a tenth of it.
const maxFrame = 16 << 20

var (
	errFrameTooLong = errors.New("a watch event is longer than 16 MiB")
	errItemTooLong  = errors.New("an item of a list is longer than 16 MiB")
)

// frame is one event of a watch, undecoded. It is valid until the next read.
type frame struct {
	typ    string // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
	object []byte
}

// frames reads the events of a watch from an answer's body.
func frames(r io.Reader, contentType string) (next func() (frame, error), proto bool) {
	if isProto(contentType) {
		return protoFrames(r), true
	}
	return jsonFrames(bufio.NewReaderSize(r, 32<<10)), false
}

func jsonFrames(br *bufio.Reader) func() (frame, error) {
	var buf []byte
	return func() (frame, error) {
		for {
			line, err := readLine(br, &buf)
			if err != nil {
				return frame{}, err
			}
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			return splitJSONEvent(line)
		}
	}
}

// readLine reads up to a line break, into buf where the reader's own buffer is
// too small.
func readLine(br *bufio.Reader, buf *[]byte) ([]byte, error) {
	part, err := br.ReadSlice('\n')
	if err == nil {
		return part, nil
	}
	*buf = (*buf)[:0]
	for errors.Is(err, bufio.ErrBufferFull) {
		*buf = append(*buf, part...)
		if len(*buf) > maxFrame {
			return nil, errFrameTooLong
		}
		part, err = br.ReadSlice('\n')
	}
	*buf = append(*buf, part...)
	if err == nil || err == io.EOF && len(bytes.TrimSpace(*buf)) > 0 {
		return *buf, nil
	}
	return nil, err
}

// splitJSONEvent takes the object out of an event without parsing it: API
// servers write exactly {"type":"ADDED","object":{…}}.
func splitJSONEvent(line []byte) (frame, error) {
	const head, middle = `{"type":"`, `","object":`
	if rest, ok := bytes.CutPrefix(line, []byte(head)); ok {
		if i := bytes.IndexByte(rest, '"'); i > 0 && i < 16 {
			if obj, ok := bytes.CutPrefix(rest[i:], []byte(middle)); ok && len(obj) > 1 && obj[len(obj)-1] == '}' {
				return frame{string(rest[:i]), obj[:len(obj)-1]}, nil
			}
		}
	}
	var ev struct {
		Type   string          `json:"type"`
		Object json.RawMessage `json:"object"`

		APIVersion, Kind string // of what is no event
	}
	switch err := json.Unmarshal(line, &ev); {
	case line[0] != '{':
		return frame{}, foreign(http.StatusOK, "", line)
	case err == nil && ev.Type == "":
		return frame{}, isOneOf(typeMeta{ev.APIVersion, ev.Kind}, line, watchEvent)
	case err != nil:
		return frame{}, fmt.Errorf("a watch event cannot be read: %w", err)
	}
	return frame{ev.Type, ev.Object}, nil
}

// protoFrames reads length-delimited metav1.WatchEvents.
func protoFrames(r io.Reader) func() (frame, error) {
	in := intake{r: r}
	return func() (frame, error) {
		size, err := in.take(4)
		if err != nil {
			return frame{}, err
		}
		n := binary.BigEndian.Uint32(size)
		if n > maxFrame {
			return frame{}, errFrameTooLong
		}
		b, err := in.take(int(n))
		if err != nil {
			return frame{}, err
		}
		return splitProtoEvent(b)
	}
}

// intake hands out what a reader brings without copying it again. Its buffer
// grows while the reader has more than fits, for of HTTP/2 each read is answered
// with a message to the server; it shrinks when little has come for a while.
type intake struct {
	r        io.Reader
	buf      []byte
	from, to int // what has been read and not handed out
	few      int // how many reads in a row brought little
	full     bool
	err      error // comes after what has been read
}

const (
	intakeLeast = 16 << 10
	intakeMost  = 256 << 10 // larger for a larger event alone
	intakeCalm  = 64        // reads
)

// take returns the next n bytes, valid until it is called again. It returns
// io.EOF where there are none and io.ErrUnexpectedEOF where there are fewer.
func (in *intake) take(n int) ([]byte, error) {
	for in.to-in.from < n {
		if in.err != nil {
			if in.err == io.EOF && in.to > in.from {
				return nil, io.ErrUnexpectedEOF
			}
			return nil, in.err
		}
		in.fit(n)
		got, err := in.r.Read(in.buf[in.to:])
		in.full = in.to+got == len(in.buf)
		if in.few++; got >= intakeLeast {
			in.few = 0
		}
		in.to += got
		in.err = err
	}
	b := in.buf[in.from : in.from+n]
	in.from += n
	return b, nil
}

// fit makes room for n bytes and as much more as is worth reading at once.
func (in *intake) fit(n int) {
	size := max(len(in.buf), intakeLeast)
	switch held := in.to - in.from; {
	case in.full && size < intakeMost:
		size *= 2
	case in.few >= intakeCalm && held <= intakeLeast || size > 4*intakeMost:
		in.few, size = 0, max(intakeLeast, held)
	}
	in.full = false
	buf := in.buf
	if size = max(size, n); size != len(buf) {
		buf = make([]byte, size)
	} else if in.from == 0 {
		return
	}
	in.to = copy(buf, in.buf[in.from:in.to])
	in.from, in.buf = 0, buf
}

// listPage is one page of a list.
type listPage struct {
	rv, cont  string
	remaining int64
	items     []*object.Object
}

// readList decodes a list answer, item by item. Items that cannot be read are left
// out.
func readList(r io.Reader, contentType string, res resource, opts convert.Options) (listPage, error) {
	if isProto(contentType) {
		data, err := io.ReadAll(r)
		if err != nil {
			return listPage{}, err
		}
		return readProtoList(data, res, opts)
	}
	return readJSONList(r, res, opts)
}

func readJSONList(r io.Reader, res resource, opts convert.Options) (listPage, error) {
	var p listPage
	var is typeMeta
	one := &piece{Reader: r}
	br := bufio.NewReaderSize(one, 64<<10)
	dec := json.NewDecoder(br)
	if head, err := br.Peek(len("<!doctype html>")); len(head) == 0 && err != io.EOF {
		return p, err
	} else if head = bytes.TrimSpace(head); len(head) == 0 || head[0] != '{' {
		return p, foreign(http.StatusOK, "", head)
	}
	if _, err := dec.Token(); err != nil {
		return p, err
	}
	for one.begin(); dec.More(); one.begin() {
		key, err := dec.Token()
		if err != nil {
			return p, err
		}
		switch key {
		case "metadata":
			var m metav1.ListMeta
			if err := dec.Decode(&m); err != nil {
				return p, err
			}
			p.rv, p.cont = m.ResourceVersion, m.Continue
			if m.RemainingItemCount != nil {
				p.remaining = *m.RemainingItemCount
			}
		case "items":
			t, err := dec.Token()
			if err != nil {
				return p, err
			}
			if t == nil {
				continue
			}
			for one.begin(); dec.More(); one.begin() {
				var raw json.RawMessage
				if err := dec.Decode(&raw); err != nil {
					return p, err
				}
				switch o, err := decodeJSON(raw, res, opts); {
				case isForeign(err):
					return p, err
				case err == nil:
					p.items = append(p.items, o)
				}
			}
			if _, err := dec.Token(); err != nil {
				return p, err
			}
		case "apiVersion", "kind":
			field := &is.kind
			if key == "apiVersion" {
				field = &is.apiVersion
			}
			if err := dec.Decode(field); err != nil {
				return p, err
			}
		default:
			var skip json.RawMessage
			if err := dec.Decode(&skip); err != nil {
				return p, err
			}
		}
	}
	if _, err := dec.Token(); err != nil {
		return p, err
	}
	return p, isOneOf(is, []byte("{"), res.list(), partialList)
}

// piece bounds each part of a list: its items, and what else it has.
type piece struct {
	io.Reader
	n int
}

func (p *piece) begin() { p.n = 0 }

func (p *piece) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if p.n += n; p.n > maxFrame {
		return 0, errItemTooLong
	}
	return n, err
}

// decodeJSON decodes one object of res. An item of a list need not say what it is.
func decodeJSON(raw []byte, res resource, opts convert.Options) (*object.Object, error) {
	opts.Kind = res.kind()
	o, err := convert.JSON(raw, opts)
	if err != nil {
		return nil, err
	}
	if o.Group != res.Group || o.Kind != res.Kind {
		return nil, wrongKind(resource{Group: o.Group, Version: o.Version, Kind: o.Kind}.object(), res.object())
	}
	return o, nil
}

// bookmark reads what a BOOKMARK carries.
func bookmark(raw []byte, proto bool, want ...typeMeta) (rv string, end bool, err error) {
	var m struct {
		Metadata struct {
			ResourceVersion string            `json:"resourceVersion"`
			Annotations     map[string]string `json:"annotations"`
		} `json:"metadata"`
	}
	if proto {
		return protoBookmark(raw, want...)
	}
	if err := isJSON(raw, want...); err != nil {
		return "", false, err
	}
	err = json.Unmarshal(raw, &m)
	return m.Metadata.ResourceVersion, m.Metadata.Annotations[metav1.InitialEventsAnnotationKey] == "true", err
}

// item is an object on its way through client-go's Reflector, which asks for
// the few methods below and calls no other of metav1.Object (client-go v0.37.2
// tools/cache/reflector.go, store.go).
type item struct {
	metav1.Object
	o   *object.Object
	end bool // the bookmark that ends the initial events
}

func (i *item) GetName() string            { return i.o.Name }
func (i *item) GetNamespace() string       { return i.o.Namespace }
func (i *item) GetResourceVersion() string { return i.o.ResourceVersion }
func (i *item) GetAnnotations() map[string]string {
	if i.end {
		return map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	return nil
}
func (i *item) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }
func (i *item) DeepCopyObject() runtime.Object   { return i } // immutable

// itemList is a list on its way through the Reflector.
type itemList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []runtime.Object
}

func (l *itemList) DeepCopyObject() runtime.Object { return l }
