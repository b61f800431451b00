package convert

import (
	_ "embed"
	"fmt"
	"hash/crc32"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Numbers of fields in the messages of Kubernetes, which never change
// (generated.proto of k8s.io/api v0.37.2).
const (
	metadataField protowire.Number = 1  // of every object
	specField     protowire.Number = 2  // of a Pod, a Deployment, a ReplicaSet
	nodeNameField protowire.Number = 10 // of a Pod's spec
	replicasField protowire.Number = 1  // of the spec of a Deployment, a ReplicaSet
)

// fields are the fields of a protobuf message that are read, by number; nil
// stands for a field that is read whole.
type fields map[protowire.Number]fields

// keep appends to out the fields of a message that are read. It is false if the
// message is malformed.
func (f fields) keep(out, message []byte) ([]byte, bool) {
	for len(message) > 0 {
		number, typ, tag := protowire.ConsumeTag(message)
		if tag < 0 {
			return out, false
		}
		length := protowire.ConsumeFieldValue(number, typ, message[tag:])
		if length < 0 {
			return out, false
		}
		field := message[:tag+length]
		message = message[tag+length:]
		inner, read := f[number]
		switch {
		case !read:
		case inner == nil || typ != protowire.BytesType:
			out = append(out, field...)
		default:
			value, _ := protowire.ConsumeBytes(field[tag:])
			out = append(out, field[:tag]...)
			// The new length takes as many bytes as the old one, so that the
			// value can be written behind it before its length is known.
			start, end := len(out), len(out)+length-len(value)
			out = append(out, field[tag:tag+length-len(value)]...)
			var ok bool
			if out, ok = inner.keep(out, value); !ok {
				return out, false
			}
			putLength(out[start:end], len(out)-end)
		}
	}
	return out, true
}

// putLength writes a varint into all of b; protobuf allows leading zeros.
func putLength(b []byte, length int) {
	for i := range b {
		b[i] = byte(length) | 0x80
		length >>= 7
	}
	b[len(b)-1] &^= 0x80
}

// add marks the field at a path of names as read.
func (f fields) add(typ reflect.Type, path []string) error {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	numbers, next := numberOf(typ, path[0])
	if numbers == nil {
		return fmt.Errorf("%s has no field %s", typ, path[0])
	}
	last := len(numbers) - 1
	for _, n := range numbers[:last] { // structs that JSON does not show
		if f[n] == nil {
			f[n] = fields{}
		}
		f = f[n]
	}
	if len(path) == 1 {
		f[numbers[last]] = nil
		return nil
	}
	if f[numbers[last]] == nil {
		f[numbers[last]] = fields{}
	}
	return f[numbers[last]].add(next, path[1:])
}

// numberOf returns the numbers of the messages down to a field, and its type.
func numberOf(typ reflect.Type, name string) ([]protowire.Number, reflect.Type) {
	for i := range typ.NumField() {
		field := typ.Field(i)
		_, rest, _ := strings.Cut(field.Tag.Get("protobuf"), ",")
		text, _, _ := strings.Cut(rest, ",")
		number, err := strconv.Atoi(text)
		if err != nil {
			continue
		}
		if json, _, _ := strings.Cut(field.Tag.Get("json"), ","); json == name {
			return []protowire.Number{protowire.Number(number)}, field.Type
		}
		if field.Anonymous {
			if inner, found := numberOf(field.Type, name); inner != nil {
				return append([]protowire.Number{protowire.Number(number)}, inner...), found
			}
		}
	}
	return nil, nil
}

//go:embed message.txt
var messageTable string

// messageFields are the fields that are read of a type's messages, and whether message.txt names
// them.
func messageFields(typ reflect.Type) (all fields, named bool) {
	all = fields{}
	for line := range strings.Lines(messageTable) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" || words[0] != "*" && words[0] != typ.Name() {
			continue
		}
		for _, path := range words[1:] {
			names := strings.Split(path, ".")
			if words[0] == "*" {
				names = slices.Insert(names, 0, "metadata")
			} else {
				named = true
			}
			if err := all.add(typ, names); err != nil {
				panic("message.txt: " + err.Error())
			}
		}
	}
	for i := range typ.NumField() {
		field := typ.Field(i)
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); !named && name != "metadata" &&
			field.Tag.Get("protobuf") != "" {
			_ = all.add(typ, []string{name})
		}
	}
	return all, named
}

// podSpecFields are the fields of a Pod's spec by which Pods share a template.
var podSpecFields = sync.OnceValue(func() fields {
	pod, _ := messageFields(reflect.TypeFor[corev1.Pod]())
	return pod[specField]
})

// decodable is what Kubernetes' generated types can do.
type decodable interface {
	runtime.Object
	metav1.ObjectMetaAccessor
	Unmarshal(b []byte) error
}

// Messages converts the protobuf messages of one kind. It drops the fields that
// nobody reads before it decodes a message, and it reuses its memory, so it
// serves one goroutine.
type Messages struct {
	typ     schema.GroupVersionKind
	fields  fields
	sums    bool // a spec has replicas, which its checksum leaves out
	decoded decodable
	kept    []byte // of the message that is being converted
	podSpec []byte // kept of that Pod's spec, without its node
	words   words
}

// NewMessages returns nil if messages of this type have to be decoded whole.
// Pass the type of PartialObjectMetadata for those.
func NewMessages(typ schema.GroupVersionKind) *Messages {
	empty, err := Scheme.New(typ)
	if err != nil {
		return nil
	}
	decoded, ok := empty.(decodable)
	if !ok {
		return nil
	}
	_, metadata := empty.(*metav1.PartialObjectMetadata)
	view := kinds[object.ID{Group: typ.Group, Kind: typ.Kind}.GroupKind()]
	read, named := messageFields(reflect.TypeOf(empty).Elem())
	if !metadata && !named && (view == nil || reflect.TypeOf(view.empty) != reflect.TypeOf(empty)) {
		return nil
	}
	m := &Messages{typ: typ, decoded: decoded, fields: read}
	switch empty.(type) {
	case *corev1.Pod:
		m.fields[specField] = fields{nodeNameField: nil}
	case *appsv1.Deployment, *appsv1.ReplicaSet:
		m.sums = true
	}
	return m
}

// Type is the type of the messages.
func (m *Messages) Type() schema.GroupVersionKind { return m.typ }

// Object converts a message, which is the object alone. It is false if that
// needs the whole message, or if the message is malformed. opts must not ask for
// the whole object.
func (m *Messages) Object(data []byte, opts Options) (*object.Object, bool) {
	var ok bool
	if m.kept, ok = m.fields.keep(m.kept[:0], data); !ok {
		return nil, false
	}
	m.empty()
	if m.decoded.Unmarshal(m.kept) != nil {
		return nil, false
	}
	if meta := m.decoded.GetObjectMeta(); meta.GetDeletionTimestamp() != nil && len(meta.GetFinalizers()) > 0 {
		return nil, false // who set its finalizers is read in managedFields
	}
	if pod, isPod := m.decoded.(*corev1.Pod); isPod {
		if opts.known, ok = m.podSpecOf(pod, data, opts.Shared); !ok {
			return nil, false
		}
	}
	if m.sums {
		if opts.specSum, ok = sumWithoutReplicas(data); !ok {
			return nil, false
		}
	}
	opts.words = &m.words
	o, err := Object(m.decoded, opts)
	return o, err == nil
}

// empty empties the decoded object for the next message. The maps and lists that every object
// has are used again: what is made of an object does not refer to them.
func (m *Messages) empty() {
	meta := metaOf(m.decoded)
	used := metav1.ObjectMeta{
		Labels: meta.Labels, Annotations: meta.Annotations,
		OwnerReferences: meta.OwnerReferences[:0], ManagedFields: meta.ManagedFields[:0],
	}
	clear(used.Labels)
	clear(used.Annotations)
	switch d := m.decoded.(type) {
	case *corev1.Pod:
		*d = corev1.Pod{
			Status: corev1.PodStatus{
				Conditions:        d.Status.Conditions[:0],
				ContainerStatuses: d.Status.ContainerStatuses[:0],
			},
		}
	case *discoveryv1.EndpointSlice:
		*d = discoveryv1.EndpointSlice{Endpoints: d.Endpoints[:0]}
	default:
		reflect.ValueOf(m.decoded).Elem().SetZero()
	}
	*meta = used
}

// podSpecOf returns what an earlier Pod of the same owner and the same spec
// has, or decodes the spec. It is false if the spec has to be decoded whole.
func (m *Messages) podSpecOf(pod *corev1.Pod, data []byte, shared *Templates) (knownSpec, bool) {
	if pod.Spec.NodeName == "" {
		return knownSpec{}, false // where such a Pod may run is read, too
	}
	var ok bool
	if m.podSpec, ok = keepPodSpec(m.podSpec[:0], data); !ok {
		return knownSpec{}, false
	}
	known := shared.find(pod, sumOf(m.podSpec))
	if known.template != nil {
		return known, true
	}
	if pod.Spec.Unmarshal(m.podSpec) != nil || namesClaims(&pod.Spec) {
		return knownSpec{}, false
	}
	return known, true
}

// keepPodSpec appends the fields that are read of the spec in a Pod's message.
func keepPodSpec(out, pod []byte) (kept []byte, ok bool) {
	ok = true
	wellFormed := eachField(pod, func(number protowire.Number, _, value []byte) {
		if number == specField && ok {
			out, ok = podSpecFields().keep(out, value)
		}
	})
	return out, ok && wellFormed
}

// sumWithoutReplicas is the checksum of the spec in a message, without its replicas: that of
// [specSum].
func sumWithoutReplicas(message []byte) (sum uint32, ok bool) {
	ok = true
	wellFormed := eachField(message, func(number protowire.Number, _, value []byte) {
		if number == specField {
			ok = eachField(value, func(number protowire.Number, field, _ []byte) {
				if number != replicasField {
					sum = crc32.Update(sum, castagnoli, field)
				}
			})
		}
	})
	return sum, ok && wellFormed
}

// eachField calls f with the fields of a message: with all of their bytes, and with the value of
// those that are messages, texts or bytes. It is false if the message is malformed.
func eachField(message []byte, f func(number protowire.Number, field, value []byte)) bool {
	for len(message) > 0 {
		number, typ, tag := protowire.ConsumeTag(message)
		if tag < 0 {
			return false
		}
		length := protowire.ConsumeFieldValue(number, typ, message[tag:])
		if length < 0 {
			return false
		}
		var value []byte
		if typ == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(message[tag:])
		}
		f(number, message[:tag+length], value)
		message = message[tag+length:]
	}
	return true
}
