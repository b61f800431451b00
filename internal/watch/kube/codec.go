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

// What servers write is decoded by Kubernetes' own serializers: protobuf into the
// types of k8s.io/api, JSON into Unstructured, which takes an object as it is, so
// that what is malformed in it becomes one of its flaws.

// maxFrame is the largest watch event that is read; etcd's own limit for an
// object is about a tenth of it.
const maxFrame = 16 << 20

var errFrameTooLong = fmt.Errorf("a watch event is longer than %d MiB", maxFrame>>20)

var (
	protobufs      = protobuf.NewSerializer(convert.Scheme, convert.Scheme)
	protobufEvents = protobuf.NewRawSerializer(convert.Scheme, convert.Scheme)
	jsonEvents     = serializerjson.NewSerializerWithOptions(serializerjson.DefaultMetaFactory, convert.Scheme, convert.Scheme, serializerjson.SerializerOptions{})
)

// DecodeError says that an answer that may be the API's cannot be read.
type DecodeError struct{ error }

func (d *DecodeError) Unwrap() error { return d.error }

// Decode decodes an object or a list that is one of the types.
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

// Convert converts an object of res. An item of a list need not say what it is.
func Convert(obj runtime.Object, res Resource, opts convert.Options) (*object.Object, error) {
	opts.Kind = res.kind()
	return isOf(res)(convert.Object(obj, opts))
}

// DecodeJSON decodes one object of res.
func DecodeJSON(raw []byte, res Resource, opts convert.Options) (*object.Object, error) {
	opts.Kind = res.kind()
	return isOf(res)(convert.JSON(raw, opts))
}

// isOf refuses an object of another kind.
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

// DecodeList decodes a page of a list of res. In JSON that goes item by item: one that
// is refused is no reason to refuse the others, and with the error of one whose
// identity is lost come those that could be read. Protobuf is decoded whole or not.
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

// OrIdentity is the object that was decoded, or of one that the decoder has refused the
// metadata, and why: what was known of it before is no longer so. Where not even its
// identity can be read, whose row that is nobody knows, and the error says so.
func OrIdentity(o *object.Object, err error, raw []byte, res Resource, opts convert.Options) (*object.Object, error) {
	if IsForeign(err) || err == nil && o.Name != "" {
		return o, err
	}
	if err == nil {
		err = errors.New("it has no name")
	}
	m := &metav1.PartialObjectMetadata{}
	if json.Valid(raw) {
		_ = json.Unmarshal(raw, m) // what it makes of the rest does not matter
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
	m.TypeMeta = metav1.TypeMeta{} // its kind is that of res
	o, wrong := Convert(m, res, opts)
	if wrong != nil {
		return nil, wrong
	}
	o.Flaws = append(o.Flaws, object.Unreadable(err))
	return o, nil
}

// asStatus is the Status of an API server, or says that it is none.
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

// Tap is what is read of a watch. client-go takes a connection that breaks for the
// end of a watch, and makes text of any other error: what became of it is noted here,
// and client-go is told that it has ended. An object that cannot be decoded would end
// the watch there; here it is an event like others. A tap is also the negotiator of
// its request.
type Tap struct {
	io.ReadCloser
	types []TypeMeta // of its objects, and Status
	HTTP2 bool

	mu    sync.Mutex
	err   error  // why it ended
	first []byte // the beginning
	n     int    // bytes since the last event
}

// end notes why it ends, unless that is known already.
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

// Reason is why it ended; said is what client-go says of it, or nil.
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

// Watched is an object of an event, or why it cannot be decoded.
type Watched struct {
	runtime.Object
	Raw []byte
	Err error
}

// DecodeEvent decodes an object that is one of the types.
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

// Decode implements runtime.Decoder for the objects of events.
func (t *Tap) Decode(data []byte, _ *schema.GroupVersionKind, _ runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	return DecodeEvent(data, t.types...), nil, nil
}

// Encoder implements runtime.ClientNegotiator; nothing is ever sent.
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

// eventReader reads the events of a watch around their objects.
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
