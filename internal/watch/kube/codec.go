package kube

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializerjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	kwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Answers are decoded by Kubernetes' own serializers: protobuf into the types
// of k8s.io/api, JSON into Unstructured, which accepts malformed fields, so
// that they become flaws of that object.

// maxFrame bounds a watch event; etcd's own limit for an object is about a
// tenth of it.
const maxFrame = 16 << 20

var errFrameTooLong = fmt.Errorf("a watch event is longer than %d MiB", maxFrame>>20)

var (
	protobufs      = protobuf.NewSerializer(convert.Scheme, convert.Scheme)
	protobufEvents = protobuf.NewRawSerializer(convert.Scheme, convert.Scheme)
	jsonEvents     = serializerjson.NewSerializerWithOptions(serializerjson.DefaultMetaFactory, convert.Scheme, convert.Scheme, serializerjson.SerializerOptions{})
)

// DecodeError is an answer of the API server that cannot be decoded.
type DecodeError struct{ error }

func (d *DecodeError) Unwrap() error { return d.error }

// Decode decodes an object or a list of one of the types.
func Decode(data []byte, want ...schema.GroupVersionKind) (runtime.Object, error) {
	decode := unstructured.UnstructuredJSONScheme.Decode
	if proto, _, _ := protobufs.RecognizesData(data); proto {
		decode = decodeProtobuf
	} else if text := bytes.TrimSpace(data); len(text) == 0 || text[0] != '{' {
		return nil, Foreign(http.StatusOK, "", data)
	}
	obj, is, err := decode(data, nil, nil)
	switch {
	case runtime.IsMissingKind(err), runtime.IsMissingVersion(err):
		return nil, Foreign(http.StatusOK, "", data)
	case is != nil && is.Kind != "":
		if err := isOneOf(*is, data, want...); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, &DecodeError{err}
	}
	return obj, nil
}

// Convert converts an object of res. Items of a list may lack apiVersion and
// kind.
func Convert(obj runtime.Object, res Resource, opts convert.Options) (*object.Object, error) {
	opts.Kind = res.ObjectKind()
	return isOf(res)(convert.Object(obj, opts))
}

// DecodeJSON decodes one object of res.
func DecodeJSON(raw []byte, res Resource, opts convert.Options) (*object.Object, error) {
	opts.Kind = res.ObjectKind()
	return isOf(res)(convert.JSON(raw, opts))
}

// isOf refuses objects of another kind.
func isOf(res Resource) func(*object.Object, error) (*object.Object, error) {
	return func(o *object.Object, err error) (*object.Object, error) {
		if err == nil && (o.Group != res.Group || o.Kind != res.Kind) {
			return nil, wrongKind(Resource{Group: o.Group, Version: o.Version, Kind: o.Kind}.ObjectKind(), res.ObjectKind())
		}
		return o, err
	}
}

// Page is one page of a list.
type Page struct {
	ResourceVersion, Continue string
	Items                     []*object.Object
}

// DecodeList decodes a page of a list of res. JSON is decoded item by item: an
// item that is refused does not affect the others, and an item without a
// readable identity is reported beside those that could be read. Protobuf is
// decoded as a whole.
func DecodeList(data []byte, res Resource, opts convert.Options) (p Page, err error) {
	if proto, _, _ := protobufs.RecognizesData(data); proto {
		list, err := Decode(data, res.ListKind(), PartialMetadataList)
		if err != nil {
			return p, err
		}
		m, err := meta.ListAccessor(list)
		if err != nil {
			return p, &DecodeError{err}
		}
		p.ResourceVersion, p.Continue = m.GetResourceVersion(), m.GetContinue()
		return p, meta.EachListItem(list, func(obj runtime.Object) error {
			o, err := Convert(obj, res, opts)
			p.Items = append(p.Items, o)
			return err
		})
	}
	var l struct {
		metav1.TypeMeta
		metav1.ListMeta `json:"metadata"`
		Items           []json.RawMessage `json:"items"`
	}
	if text := bytes.TrimSpace(data); len(text) == 0 || text[0] != '{' {
		return p, Foreign(http.StatusOK, "", data)
	}
	if err := json.Unmarshal(data, &l); err != nil {
		return p, &DecodeError{err}
	}
	if err := isOneOf(l.GroupVersionKind(), data, res.ListKind(), PartialMetadataList); err != nil {
		return p, err
	}
	p.ResourceVersion, p.Continue = l.ResourceVersion, l.Continue
	for _, raw := range l.Items {
		o, wrong := DecodeJSON(raw, res, opts)
		o, wrong = OrIdentity(o, wrong, raw, res, opts)
		switch {
		case wrong == nil:
			p.Items = append(p.Items, o)
		case IsForeign(wrong):
			return Page{}, wrong
		default:
			err = wrong
		}
	}
	return p, err
}

// OrIdentity returns the decoded object or, if the decoder refused it, its
// metadata with the error as its flaw: what was known of it is no longer valid.
// If not even its identity can be read, no row can show that, and the error
// says so.
func OrIdentity(o *object.Object, err error, raw []byte, res Resource, opts convert.Options) (*object.Object, error) {
	if IsForeign(err) || err == nil && o.Name != "" {
		return o, err
	}
	if err == nil {
		err = errors.New("it has no name")
	}
	m := &metav1.PartialObjectMetadata{}
	if json.Valid(raw) {
		_ = json.Unmarshal(raw, m) // the other fields do not matter
	} else {
		var whole runtime.Unknown
		if _, _, err := protobufs.Decode(raw, nil, &whole); err == nil {
			raw = whole.Raw
		}
		_ = m.Unmarshal(raw)
	}
	if m.Name == "" || m.ResourceVersion == "" || (m.Namespace != "") != res.Namespaced {
		return nil, &DecodeError{fmt.Errorf("an object of %s cannot be read, not even its name: %v", res, err)}
	}
	m.TypeMeta = metav1.TypeMeta{} // the kind is that of res
	o, wrong := Convert(m, res, opts)
	if wrong != nil {
		return nil, wrong
	}
	o.Flaws = append(o.Flaws, object.Unreadable(err))
	return o, nil
}

// asStatus returns the API server's Status, or false.
func asStatus(obj runtime.Object) (st metav1.Status, ok bool) {
	switch obj := obj.(type) {
	case *metav1.Status:
		st = *obj
	case *unstructured.Unstructured:
		if runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &st) != nil {
			return st, false
		}
	}
	return st, st.Kind == "Status" && st.APIVersion == "v1" && st.Status == metav1.StatusFailure && st.Code != 0
}

// Tap decodes a watch for client-go's StreamWatcher, which tells a broken
// connection as the end of a watch, and any other error only as text: Tap notes
// the reason, and tells an end. An object that cannot be decoded is an event.
type Tap struct {
	body   io.ReadCloser
	types  []schema.GroupVersionKind // of its objects, and Status
	events streaming.Decoder
	event  event
	first  []byte // the first bytes
	n      int    // bytes since the last event
	broken error  // why nothing more can be read
	// Reason is why the watch has ended, once it has.
	Reason error
}

func (t *Tap) Read(b []byte) (int, error) {
	n, err := t.body.Read(b)
	if more := 64 - len(t.first); more > 0 {
		t.first = append(t.first, b[:min(n, more)]...)
	}
	if t.n += n; t.n > maxFrame {
		err = errFrameTooLong
	}
	t.broken = err
	return n, err
}

// Close implements watch.Decoder.
func (t *Tap) Close() { _ = t.body.Close() }

// Decode implements watch.Decoder.
func (t *Tap) Decode() (kwatch.EventType, runtime.Object, error) {
	err := t.next()
	if err == nil {
		w := DecodeEvent(t.event.Object.Raw, t.types...)
		if proto, _, _ := protobufs.RecognizesData(w.Raw); proto && w.Err == nil {
			w.Raw = nil // the next event's place
		} else {
			w.Raw = bytes.Clone(w.Raw)
		}
		return kwatch.EventType(t.event.Type), w, nil
	}
	text := bytes.TrimSpace(t.first)
	switch {
	case IsForeign(err):
		t.Reason = err
	case t.broken != nil:
		t.Reason = t.broken
	case len(text) > 0 && text[0] != '{':
		t.Reason = Foreign(http.StatusOK, "", text)
	default:
		t.Reason = &DecodeError{err}
	}
	return "", nil, io.EOF
}

// next reads an event. A frame of protobuf begins with a length of 32 bits, of
// which none that is read needs the first eight.
func (t *Tap) next() error {
	if t.events == nil {
		// HTTP/2 answers each read with a window update, and a watch is read
		// twice for each event.
		r := bufio.NewReaderSize(t, 32<<10)
		framer, serializer := runtime.Framer(serializerjson.Framer), runtime.Serializer(jsonEvents)
		switch first, err := r.Peek(1); {
		case err != nil:
			return err
		case first[0] == 0:
			framer, serializer = protobuf.LengthDelimitedFramer, protobufEvents
		}
		t.events = streaming.NewDecoder(framer.NewFrameReader(io.NopCloser(r)), eventDecoder{serializer})
	}
	t.event.Reset()
	_, _, err := t.events.Decode(nil, &t.event)
	t.n = 0
	return err
}

// event is a WatchEvent whose object takes the place of the one before.
type event struct{ metav1.WatchEvent }

func (e *event) Reset() {
	e.WatchEvent = metav1.WatchEvent{Object: runtime.RawExtension{Raw: e.Object.Raw[:0]}}
}

// Watched is an event's object, or the error of decoding it.
type Watched struct {
	runtime.Object
	Raw []byte // nil of an object that was protobuf
	Err error
}

// DecodeEvent decodes an object of one of the types.
func DecodeEvent(data []byte, want ...schema.GroupVersionKind) *Watched {
	obj, err := Decode(data, want...)
	return &Watched{obj, data, err}
}

// Status is the error of an ERROR event.
func (w *Watched) Status() *apierrors.StatusError {
	st, ok := asStatus(w.Object)
	if !ok {
		st = metav1.Status{Code: 500, Status: metav1.StatusFailure, Message: "the watch reported an error: " + strconv.Quote(st.Message)}
	}
	return &apierrors.StatusError{ErrStatus: st}
}

// eventDecoder says what came in place of an event.
type eventDecoder struct{ runtime.Serializer }

func (d eventDecoder) Decode(data []byte, kind *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, is, err := d.Serializer.Decode(data, kind, into)
	if ev := into.(*event); err == nil && ev.Type == "" || err != nil && json.Valid(data) {
		err = CheckKind(data, watchEvent)
	}
	return obj, is, err
}
