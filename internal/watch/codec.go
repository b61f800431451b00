package watch

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

// decodeError says that an answer that may be the API's cannot be read.
type decodeError struct{ error }

func (d *decodeError) Unwrap() error { return d.error }

// decode decodes an object or a list that is one of the types.
func decode(data []byte, want ...typeMeta) (runtime.Object, error) {
	var d runtime.Decoder = unstructured.UnstructuredJSONScheme
	proto, _, _ := protobufs.RecognizesData(data)
	if proto {
		d = protobufs
	} else if text := bytes.TrimSpace(data); len(text) == 0 || text[0] != '{' {
		return nil, foreign(http.StatusOK, "", data)
	}
	obj, is, err := d.Decode(data, nil, nil)
	switch {
	case runtime.IsMissingKind(err), runtime.IsMissingVersion(err):
		return nil, foreign(http.StatusOK, "", data)
	case is != nil && is.Kind != "":
		if err := isOneOf(typeMeta{is.GroupVersion().String(), is.Kind}, data, want...); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, &decodeError{err}
	}
	return obj, nil
}

// convertAs converts an object of res. An item of a list need not say what it is.
func convertAs(obj runtime.Object, res resource, opts convert.Options) (*object.Object, error) {
	opts.Kind = res.kind()
	return isOf(res)(convert.Object(obj, opts))
}

// decodeJSON decodes one object of res.
func decodeJSON(raw []byte, res resource, opts convert.Options) (*object.Object, error) {
	opts.Kind = res.kind()
	return isOf(res)(convert.JSON(raw, opts))
}

// isOf refuses an object of another kind.
func isOf(res resource) func(*object.Object, error) (*object.Object, error) {
	return func(o *object.Object, err error) (*object.Object, error) {
		if err == nil && (o.Group != res.Group || o.Kind != res.Kind) {
			return nil, wrongKind(resource{Group: o.Group, Version: o.Version, Kind: o.Kind}.object(), res.object())
		}
		return o, err
	}
}

// listPage is one page of a list.
type listPage struct {
	rv, cont string
	items    []*object.Object
}

// decodeList decodes a page of a list of res. In JSON that goes item by item: one that
// is refused is no reason to refuse the others, and with the error of one whose
// identity is lost come those that could be read. Protobuf is decoded whole or not.
func decodeList(data []byte, res resource, opts convert.Options) (p listPage, err error) {
	if proto, _, _ := protobufs.RecognizesData(data); proto {
		list, err := decode(data, res.list(), partialList)
		if err != nil {
			return p, err
		}
		m, err := meta.ListAccessor(list)
		if err != nil {
			return p, &decodeError{err}
		}
		p.rv, p.cont = m.GetResourceVersion(), m.GetContinue()
		return p, meta.EachListItem(list, func(obj runtime.Object) error {
			o, err := convertAs(obj, res, opts)
			p.items = append(p.items, o)
			return err
		})
	}
	var l struct {
		metav1.TypeMeta
		metav1.ListMeta `json:"metadata"`
		Items           []json.RawMessage `json:"items"`
	}
	if text := bytes.TrimSpace(data); len(text) == 0 || text[0] != '{' {
		return p, foreign(http.StatusOK, "", data)
	}
	if err := json.Unmarshal(data, &l); err != nil {
		return p, &decodeError{err}
	}
	if err := isOneOf(typeMeta{l.APIVersion, l.Kind}, data, res.list(), partialList); err != nil {
		return p, err
	}
	p.rv, p.cont = l.ResourceVersion, l.Continue
	for _, raw := range l.Items {
		o, wrong := decodeJSON(raw, res, opts)
		o, wrong = orIdentity(o, wrong, raw, res, opts)
		switch {
		case wrong == nil:
			p.items = append(p.items, o)
		case isForeign(wrong):
			return listPage{}, wrong
		default:
			err = wrong
		}
	}
	return p, err
}

// orIdentity is the object that was decoded, or of one that the decoder has refused the
// metadata, and why: what was known of it before is no longer so. Where not even its
// identity can be read, whose row that is nobody knows, and the error says so.
func orIdentity(o *object.Object, err error, raw []byte, res resource, opts convert.Options) (*object.Object, error) {
	if isForeign(err) || err == nil && o.Name != "" {
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
		return nil, &decodeError{fmt.Errorf("an object of %s cannot be read, not even its name: %v", res, err)}
	}
	m.TypeMeta = metav1.TypeMeta{} // its kind is that of res
	o, wrong := convertAs(m, res, opts)
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

// tap is what is read of a watch. client-go takes a connection that breaks for the
// end of a watch, and makes text of any other error: what became of it is noted here,
// and client-go is told that it has ended. An object that cannot be decoded would end
// the watch there; here it is an event like others. A tap is also the negotiator of
// its request.
type tap struct {
	io.ReadCloser
	types []typeMeta // of its objects, and Status
	http2 bool

	mu    sync.Mutex
	err   error  // why it ended
	first []byte // the beginning
	n     int    // bytes since the last event
}

// end notes why it ends, unless that is known already.
func (t *tap) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
}

func (t *tap) Read(b []byte) (int, error) {
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

// reason is why it ended; said is what client-go says of it, or nil.
func (t *tap) reason(said runtime.Object) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := bytes.TrimSpace(t.first)
	switch {
	case t.err != nil && t.err != io.EOF:
		return t.err
	case said == nil:
		return io.EOF
	case len(text) > 0 && text[0] != '{':
		return foreign(http.StatusOK, "", text)
	}
	return &decodeError{apierrors.FromObject(said)}
}

// watched is an object of an event, or why it cannot be decoded.
type watched struct {
	runtime.Object
	raw []byte
	err error
}

// status is the error of an ERROR event.
func (w *watched) status() *apierrors.StatusError {
	st, ok := asStatus(w.Object)
	if !ok {
		st = metav1.Status{Code: 500, Status: metav1.StatusFailure, Message: "the watch reported an error: " + strconv.Quote(st.Message)}
	}
	return &apierrors.StatusError{ErrStatus: st}
}

// Decode implements runtime.Decoder for the objects of events.
func (t *tap) Decode(data []byte, _ *schema.GroupVersionKind, _ runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, err := decode(data, t.types...)
	return &watched{obj, data, err}, nil, nil
}

// Encoder implements runtime.ClientNegotiator; nothing is ever sent.
func (t *tap) Encoder(string, map[string]string) (runtime.Encoder, error) {
	return nil, runtime.NegotiateError{}
}

// Decoder implements runtime.ClientNegotiator.
func (t *tap) Decoder(string, map[string]string) (runtime.Decoder, error) { return t, nil }

// StreamDecoder implements runtime.ClientNegotiator.
func (t *tap) StreamDecoder(contentType string, _ map[string]string) (runtime.Decoder, runtime.Serializer, runtime.Framer, error) {
	if contentType == runtime.ContentTypeProtobuf {
		return t, &eventReader{protobufEvents, t}, protobuf.LengthDelimitedFramer, nil
	}
	return t, &eventReader{jsonEvents, t}, serializerjson.Framer, nil
}

// eventReader reads the events of a watch around their objects.
type eventReader struct {
	runtime.Serializer
	t *tap
}

func (r *eventReader) Decode(data []byte, kind *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	obj, is, err := r.Serializer.Decode(data, kind, into)
	if ev, ok := into.(*metav1.WatchEvent); err == nil && (!ok || ev.Type == "") || err != nil && json.Valid(data) {
		var got struct{ APIVersion, Kind string }
		_ = json.Unmarshal(data, &got)
		err = isOneOf(typeMeta{got.APIVersion, got.Kind}, data, watchEvent)
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
