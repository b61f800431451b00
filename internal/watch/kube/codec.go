package kube

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializerjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

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
func Decode(data []byte, want ...TypeMeta) (runtime.Object, error) {
	var d runtime.Decoder = unstructured.UnstructuredJSONScheme
	proto, _, _ := protobufs.RecognizesData(data)
	if proto {
		d = protobufs
	} else if text := bytes.TrimSpace(data); len(text) == 0 || text[0] != '{' {
		return nil, Foreign(http.StatusOK, "", data)
	}
	obj, is, err := d.Decode(data, nil, nil)
	switch {
	case runtime.IsMissingKind(err), runtime.IsMissingVersion(err):
		return nil, Foreign(http.StatusOK, "", data)
	case is != nil && is.Kind != "":
		if err := isOneOf(TypeMeta{is.GroupVersion().String(), is.Kind}, data, want...); err != nil {
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
	opts.Kind = res.kind()
	return isOf(res)(convert.Object(obj, opts))
}

// DecodeJSON decodes one object of res.
func DecodeJSON(raw []byte, res Resource, opts convert.Options) (*object.Object, error) {
	opts.Kind = res.kind()
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
	if err := isOneOf(TypeMeta{l.APIVersion, l.Kind}, data, res.ListKind(), PartialMetadataList); err != nil {
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

// Tap reads a watch. client-go reports a broken connection as the end of a
// watch, and any other error only as text; Tap notes the reason, and lets
// client-go see an end. It also turns an object that cannot be decoded into an
// event, which would otherwise end the watch. Tap is its request's negotiator.
type Tap struct {
	io.ReadCloser
	types []TypeMeta // of its objects, and Status
	HTTP2 bool

	mu    sync.Mutex
	err   error  // why it ended
	first []byte // the first bytes
	n     int    // bytes since the last event
}

// end notes the reason of the end, unless it is known.
func (t *Tap) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
}

func (t *Tap) Read(b []byte) (int, error) {
	n, err := t.ReadCloser.Read(b)
	t.mu.Lock()
	if more := 64 - len(t.first); more > 0 {
		t.first = append(t.first, b[:min(n, more)]...)
	}
	if t.n += n; t.n > maxFrame {
		err = errFrameTooLong
	}
	t.mu.Unlock()
	if err == nil {
		return n, nil
	}
	t.end(err)
	return n, io.EOF
}

// Reason is why the watch ended; said is client-go's error object, or nil.
func (t *Tap) Reason(said runtime.Object) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := bytes.TrimSpace(t.first)
	switch {
	case t.err != nil && t.err != io.EOF:
		return t.err
	case said == nil:
		return io.EOF
	case len(text) > 0 && text[0] != '{':
		return Foreign(http.StatusOK, "", text)
	}
	return &DecodeError{apierrors.FromObject(said)}
}

// Watched is an event's object, or the error of decoding it.
type Watched struct {
	runtime.Object
	Raw []byte
	Err error
}

// DecodeEvent decodes an object of one of the types.
func DecodeEvent(data []byte, want ...TypeMeta) *Watched {
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

// Decode implements runtime.Decoder for the events' objects.
func (t *Tap) Decode(data []byte, _ *schema.GroupVersionKind, _ runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	return DecodeEvent(data, t.types...), nil, nil
}

// Encoder implements runtime.ClientNegotiator; nothing is sent.
func (t *Tap) Encoder(string, map[string]string) (runtime.Encoder, error) {
	return nil, runtime.NegotiateError{}
}

// Decoder implements runtime.ClientNegotiator.
func (t *Tap) Decoder(string, map[string]string) (runtime.Decoder, error) { return t, nil }

// StreamDecoder implements runtime.ClientNegotiator.
func (t *Tap) StreamDecoder(contentType string, _ map[string]string) (runtime.Decoder, runtime.Serializer, runtime.Framer, error) {
	if contentType == runtime.ContentTypeProtobuf {
		return t, &eventReader{protobufEvents, t}, protobuf.LengthDelimitedFramer, nil
	}
	return t, &eventReader{jsonEvents, t}, serializerjson.Framer, nil
}

// eventReader splits a watch into events.
type eventReader struct {
	runtime.Serializer
	t *Tap
}

func (r *eventReader) Decode(data []byte, kind *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, is, err := r.Serializer.Decode(data, kind, into)
	if ev, ok := into.(*metav1.WatchEvent); err == nil && (!ok || ev.Type == "") || err != nil && json.Valid(data) {
		var got struct{ APIVersion, Kind string }
		_ = json.Unmarshal(data, &got)
		err = isOneOf(TypeMeta{got.APIVersion, got.Kind}, data, watchEvent)
	}
	r.t.mu.Lock()
	r.t.n = 0
	r.t.mu.Unlock()
	if err != nil {
		r.t.end(err)
		return nil, nil, io.EOF
	}
	return obj, is, nil
}
