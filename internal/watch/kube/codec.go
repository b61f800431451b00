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

	"google.golang.org/protobuf/encoding/protowire"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
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

var codecs = serializer.NewCodecFactory(convert.Scheme)

const protobufPrefix = "k8s\x00"

func isProtobuf(data []byte) bool { return bytes.HasPrefix(data, []byte(protobufPrefix)) }

// DecodeError is an answer of the API server that cannot be decoded.
type DecodeError struct{ error }

func (d *DecodeError) Unwrap() error { return d.error }

// undecodable is the error of an answer that its decoder refuses: not the API
// server's if it is no JSON object either.
func undecodable(data []byte, err error) error {
	if isProtobuf(data) || bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return &DecodeError{err}
	}
	return Foreign(http.StatusOK, "", data)
}

// Decode decodes an object or a list of one of the types.
func Decode(data []byte, want ...schema.GroupVersionKind) (runtime.Object, error) {
	decode := unstructured.UnstructuredJSONScheme.Decode
	if isProtobuf(data) {
		decode = codecs.UniversalDeserializer().Decode
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
		return nil, undecodable(data, err)
	}
	return obj, nil
}

// Decoder decodes the objects of one resource. It reuses its memory, so it
// serves one goroutine.
type Decoder struct {
	res      Resource
	opts     convert.Options
	messages *convert.Messages // nil if messages have to be decoded whole
	envelope runtime.Unknown   // its bytes are used again
}

// NewDecoder returns a decoder for objects of res.
func NewDecoder(res Resource, opts convert.Options) *Decoder {
	d := &Decoder{res: res, opts: opts}
	switch {
	case opts.Whole:
	case res.Enc == Metadata:
		d.messages = convert.NewMessages(PartialMetadata)
	case res.Enc == Protobuf:
		d.messages = convert.NewMessages(res.ObjectKind())
	}
	return d
}

// Object decodes an object in JSON or protobuf. Of one that its decoder refuses
// it returns what orIdentity does.
func (d *Decoder) Object(data []byte) (*object.Object, error) {
	if o, ok := d.message(data); ok {
		return isOf(d.res)(o, nil)
	}
	var o *object.Object
	obj, err := Decode(data, d.res.answers(d.opts, d.res.ObjectKind(), PartialMetadata)...)
	if err == nil {
		o, err = Convert(obj, d.res, d.opts)
	}
	return orIdentity(o, err, data, d.res, d.opts)
}

// message decodes an object of which only the fields that are read matter. It is
// false for any other answer, which Kubernetes' decoder reads or refuses.
func (d *Decoder) message(data []byte) (*object.Object, bool) {
	message, ok := d.open(data, "")
	if !ok {
		return nil, false
	}
	return d.inPart(message)
}

// open returns the message in a protobuf answer, if it is of the decoder's kind with
// this suffix, and may be decoded in part.
func (d *Decoder) open(data []byte, suffix string) ([]byte, bool) {
	if d.messages == nil || !isProtobuf(data) {
		return nil, false
	}
	e := &d.envelope
	*e = runtime.Unknown{Raw: e.Raw[:0]}
	if e.Unmarshal(data[len(protobufPrefix):]) != nil || e.ContentEncoding != "" {
		return nil, false
	}
	want := d.messages.Type()
	return e.Raw, schema.FromAPIVersionAndKind(e.APIVersion, e.Kind) == want.GroupVersion().WithKind(want.Kind+suffix)
}

func (d *Decoder) inPart(message []byte) (*object.Object, bool) {
	opts := d.opts
	opts.Kind = d.res.ObjectKind()
	o, ok := d.messages.Object(message, opts)
	return o, ok && o.Name != ""
}

// item decodes an item of a list, with every field if that is needed.
func (d *Decoder) item(message []byte) (*object.Object, error) {
	if o, ok := d.inPart(message); ok {
		return isOf(d.res)(o, nil)
	}
	obj, err := convert.Scheme.New(d.messages.Type())
	if err != nil {
		return nil, err
	}
	if err := obj.(interface{ Unmarshal([]byte) error }).Unmarshal(message); err != nil {
		return nil, err
	}
	return Convert(obj, d.res, d.opts)
}

// Numbers of the fields of every list (generated.proto of k8s.io/api v0.37.2).
const (
	listMetaField protowire.Number = 1
	itemsField    protowire.Number = 2
)

// list decodes a list as [Decoder.message] does an object.
func (d *Decoder) list(data []byte) (m metav1.ListMeta, items []*object.Object, ok bool) {
	message, ok := d.open(data, "List")
	for ok && len(message) > 0 {
		number, typ, tag := protowire.ConsumeTag(message)
		if tag < 0 || typ != protowire.BytesType {
			return m, nil, false
		}
		field, length := protowire.ConsumeBytes(message[tag:])
		if length < 0 {
			return m, nil, false
		}
		message = message[tag+length:]
		switch number {
		case listMetaField:
			ok = m.Unmarshal(field) == nil
		case itemsField:
			o, err := d.item(field)
			items, ok = append(items, o), err == nil
		}
	}
	return m, items, ok
}

// DecodeObject decodes one object of res, as [Decoder.Object] does.
func DecodeObject(data []byte, res Resource, opts convert.Options) (*object.Object, error) {
	return NewDecoder(res, opts).Object(data)
}

// Convert converts an object of res. Items of a list may lack apiVersion and
// kind.
func Convert(obj runtime.Object, res Resource, opts convert.Options) (*object.Object, error) {
	opts.Kind = res.ObjectKind()
	return isOf(res)(convert.Object(obj, opts))
}

// DecodeJSON decodes an item of a list of res.
func DecodeJSON(raw []byte, res Resource, opts convert.Options) (*object.Object, error) {
	opts.Kind = res.ObjectKind()
	return isOf(res)(convert.JSON(raw, opts))
}

// isOf refuses objects of another kind, and metadata where more was asked for.
func isOf(res Resource) func(*object.Object, error) (*object.Object, error) {
	return func(o *object.Object, err error) (*object.Object, error) {
		if err == nil && (o.Group != res.Group || o.Kind != res.Kind) {
			return nil, wrongKind(
				Resource{Group: o.Group, Version: o.Version, Kind: o.Kind}.ObjectKind(), res.ObjectKind())
		}
		if err == nil && o.MetadataOnly && res.Enc != Metadata {
			return nil, wrongKind(PartialMetadata, res.ObjectKind())
		}
		return o, err
	}
}

// DecodeTable decodes the table of one Secret, or its metadata if it is no
// table.
func DecodeTable(data []byte, res Resource) (*object.Object, error) {
	var t metav1.Table
	if err := CheckKind(data, Table, res.ObjectKind(), PartialMetadata); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, err
	}
	if t.Kind != "Table" || len(t.Rows) != 1 {
		return DecodeJSON(data, res, convert.Options{})
	}
	o, err := DecodeJSON(t.Rows[0].Object.Raw, res, convert.Options{})
	if err != nil {
		return nil, err
	}
	o.Tree = map[string]any{}
	cells := t.Rows[0].Cells
	for i, column := range t.ColumnDefinitions[:min(len(t.ColumnDefinitions), len(cells))] {
		if text, ok := cells[i].(string); ok && column.Name == "Type" {
			o.Tree["type"] = object.Clean(text)
		} else if number, ok := cells[i].(float64); ok && column.Name == "Data" {
			o.Tree["keys"] = int64(number)
		}
	}
	return o, nil
}

// Page is one page of a list.
type Page struct {
	ResourceVersion, Continue string
	Items                     []*object.Object
}

// DecodeList decodes a page of a list of res. JSON is decoded item by item: an
// item that is refused does not affect the others, and an item without a
// readable identity is reported beside those that could be read. Protobuf is
// decoded as a whole where a [Decoder] cannot do it in part.
func DecodeList(data []byte, res Resource, opts convert.Options) (p Page, err error) {
	want := res.answers(opts, res.ListKind(), PartialMetadataList)
	if isProtobuf(data) {
		if m, items, ok := NewDecoder(res, opts).list(data); ok {
			p.Items = items
			return p, p.begin(&m)
		}
		list, err := Decode(data, want...)
		if err != nil {
			return p, err
		}
		m, err := meta.ListAccessor(list)
		if err != nil {
			return p, &DecodeError{err}
		}
		if err := p.begin(m); err != nil {
			return p, err
		}
		return p, meta.EachListItem(list, func(obj runtime.Object) error {
			o, err := Convert(obj, res, opts)
			if err == nil {
				p.Items = append(p.Items, o)
			}
			return err
		})
	}
	var l struct {
		metav1.TypeMeta
		metav1.ListMeta `json:"metadata"`
		Items           []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(data, &l); err != nil {
		return p, undecodable(data, err)
	}
	if err := isOneOf(l.GroupVersionKind(), data, want...); err != nil {
		return p, err
	}
	if err := p.begin(&l); err != nil {
		return p, err
	}
	items, wrongs := make([]*object.Object, len(l.Items)), make([]error, len(l.Items))
	const some = 50 // are worth a goroutine
	_ = Each((len(l.Items)+some-1)/some, func(part int) error {
		for i := part * some; i < min((part+1)*some, len(l.Items)); i++ {
			o, wrong := DecodeJSON(l.Items[i], res, opts)
			items[i], wrongs[i] = orIdentity(o, wrong, l.Items[i], res, opts)
		}
		return nil
	})
	for i, wrong := range wrongs {
		switch {
		case wrong == nil:
			p.Items = append(p.Items, items[i])
		case IsForeign(wrong):
			return Page{}, wrong
		default:
			err = wrong
		}
	}
	return p, err
}

// begin reads what a list says of itself, and refuses one that was cut short.
func (p *Page) begin(m metav1.ListInterface) error {
	p.ResourceVersion, p.Continue = m.GetResourceVersion(), m.GetContinue()
	if left := m.GetRemainingItemCount(); left != nil && *left > 0 && p.Continue == "" {
		return &foreignError{
			code: http.StatusOK,
			text: fmt.Sprintf("the list lacks %d objects, and does not say where it goes on", *left),
		}
	}
	return nil
}

// orIdentity returns the decoded object or, if the decoder refused it, its
// metadata with the error as its flaw: what was known of it is no longer valid.
// If not even its identity can be read, no row can show that, and the error
// says so.
func orIdentity(o *object.Object, err error, raw []byte, res Resource, opts convert.Options) (*object.Object, error) {
	if IsForeign(err) || err == nil && o.Name != "" {
		return o, err
	}
	if err == nil {
		err = errors.New("it has no name")
	}
	m := &metav1.PartialObjectMetadata{} // the other fields do not matter
	if isProtobuf(raw) {
		var whole runtime.Unknown
		_ = whole.Unmarshal(raw[len(protobufPrefix):])
		_ = m.Unmarshal(whole.Raw)
	} else {
		_ = json.Unmarshal(raw, m)
	}
	if m.Name == "" || m.ResourceVersion == "" || (m.Namespace != "") != res.Namespaced {
		return nil, &DecodeError{fmt.Errorf("an object of %s cannot be read, not even its name: %v", res, err)}
	}
	res.Enc = Metadata
	o, wrong := Convert(m, res, opts)
	if wrong != nil {
		return nil, wrong
	}
	o.Flaws = append(o.Flaws, object.Unreadable(err))
	return o, nil
}

// asStatus decodes the API server's Status, or returns false.
func asStatus(data []byte) (metav1.Status, bool) {
	obj, _, _ := codecs.UniversalDeserializer().Decode(data, nil, nil)
	st, ok := obj.(*metav1.Status)
	if !ok {
		return metav1.Status{}, false
	}
	return *st, st.APIVersion == "v1" && st.Status == metav1.StatusFailure && st.Code != 0
}

// EventError is the error of an ERROR event, by its object, which is a Status whether or not it
// says so.
func EventError(data []byte) *apierrors.StatusError {
	st, ok := asStatus(data)
	if !ok {
		st = metav1.Status{}
		ok = json.Unmarshal(data, &st) == nil && st.Kind == "" && st.Status == metav1.StatusFailure && st.Code != 0
	}
	if !ok {
		st = metav1.Status{
			Code: 500, Status: metav1.StatusFailure,
			Message: "the watch reported an error: " + strconv.Quote(st.Message),
		}
	}
	return &apierrors.StatusError{ErrStatus: st}
}

// Tap reads a watch for client-go's StreamWatcher, which tells a broken
// connection as the end of a watch, and any other error only as text: Tap notes
// the reason, and tells an end. An event's object is not decoded; its bytes are
// valid until the next event has been received.
type Tap struct {
	body   io.ReadCloser
	events streaming.Decoder
	last   [2]metav1.WatchEvent // used in turn: the StreamWatcher reads one event ahead
	n      int                  // bytes since the last event
	broken error                // why nothing more can be read
	// Reason is why the watch has ended, once it has.
	Reason error
}

func (t *Tap) Read(b []byte) (int, error) {
	n, err := t.body.Read(b)
	if t.n += n; t.n > maxFrame {
		err = &DecodeError{fmt.Errorf("a watch event is longer than %d MiB", maxFrame>>20)}
	}
	t.broken = err
	return n, err
}

// Close implements watch.Decoder.
func (t *Tap) Close() { _ = t.body.Close() }

// Decode implements watch.Decoder. The object is a *runtime.Unknown.
func (t *Tap) Decode() (kwatch.EventType, runtime.Object, error) {
	t.last[0], t.last[1] = t.last[1], t.last[0]
	event := &t.last[0]
	*event = metav1.WatchEvent{Object: runtime.RawExtension{Raw: event.Object.Raw[:0]}}
	err := t.next(event)
	switch {
	case err == nil:
		return kwatch.EventType(event.Type), &runtime.Unknown{Raw: event.Object.Raw}, nil
	case IsForeign(err):
		t.Reason = err
	case t.broken != nil:
		t.Reason = t.broken
	default:
		t.Reason = &DecodeError{err}
	}
	return "", nil, io.EOF
}

// next reads an event. A frame of protobuf begins with a length of 32 bits, of
// which none that is read needs the first eight.
func (t *Tap) next(event *metav1.WatchEvent) error {
	if t.events == nil {
		// HTTP/2 answers each read with a window update, and a watch is read
		// twice for each event.
		r := bufio.NewReaderSize(t, 32<<10)
		framer := runtime.Framer(serializerjson.Framer)
		switch first, err := r.Peek(1); {
		case err != nil:
			return err
		case first[0] == 0:
			framer = protobuf.LengthDelimitedFramer
		case first[0] != '{':
			text, _ := r.Peek(r.Buffered())
			return Foreign(http.StatusOK, "", text)
		}
		t.events = streaming.NewDecoder(framer.NewFrameReader(io.NopCloser(r)), eventDecoder{})
	}
	_, _, err := t.events.Decode(nil, event)
	t.n = 0
	return err
}

// eventDecoder decodes the frames of both encodings.
type eventDecoder struct{}

func (eventDecoder) Decode(
	data []byte, _ *schema.GroupVersionKind, into runtime.Object,
) (runtime.Object, *schema.GroupVersionKind, error) {
	event := into.(*metav1.WatchEvent)
	if !bytes.HasPrefix(data, []byte("{")) {
		return event, nil, event.Unmarshal(data)
	}
	err := json.Unmarshal(data, event)
	if event.Type == "" {
		err = CheckKind(data, watchEvent)
	}
	return event, nil, err
}
