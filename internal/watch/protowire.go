package watch

import (
	"bytes"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The protobuf of Kubernetes: a magic prefix, a runtime.Unknown that names the
// kind, and in it the object's own message (apimachinery v0.37.2
// pkg/runtime/serializer/protobuf).

var (
	protoMagic = []byte("k8s\x00")
	errNoProto = errors.New("this is not the protobuf of a Kubernetes object")
)

// unwrap reads the envelope of an object.
func unwrap(b []byte) (u runtime.Unknown, is typeMeta, err error) {
	b, ok := bytes.CutPrefix(b, protoMagic)
	if !ok {
		return u, is, errNoProto
	}
	if err := u.Unmarshal(b); err != nil {
		return u, is, fmt.Errorf("%w: %w", errNoProto, err)
	}
	return u, typeMeta{u.APIVersion, u.Kind}, nil
}

// readProto reads an object that is one of the types.
func readProto(b []byte, want ...typeMeta) (runtime.Object, error) {
	u, is, err := unwrap(b)
	if err != nil {
		return nil, err
	}
	if err := isOneOf(is, nil, want...); err != nil {
		return nil, err
	}
	var obj runtime.Object
	switch is {
	case partial:
		obj = &metav1.PartialObjectMetadata{}
	case partialList:
		obj = &metav1.PartialObjectMetadataList{}
	default:
		if obj, err = convert.Scheme.New(schema.FromAPIVersionAndKind(is.apiVersion, is.kind)); err != nil {
			return nil, err
		}
	}
	if err := obj.(interface{ Unmarshal([]byte) error }).Unmarshal(u.Raw); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoProto, err)
	}
	return obj, nil
}

// splitProtoEvent reads a metav1.WatchEvent.
func splitProtoEvent(b []byte) (frame, error) {
	var ev metav1.WatchEvent
	if err := ev.Unmarshal(b); err != nil {
		return frame{}, fmt.Errorf("%w: %w", errNoProto, err)
	}
	return frame{ev.Type, ev.Object.Raw}, nil
}

func protoBookmark(raw []byte, want ...typeMeta) (rv string, end bool, err error) {
	obj, err := readProto(raw, want...)
	if err != nil {
		return "", false, err
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return "", false, err
	}
	return m.GetResourceVersion(), m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true", nil
}

// convertAs converts an object of res.
func convertAs(obj runtime.Object, res resource, opts convert.Options) (*object.Object, error) {
	opts.Kind = res.kind()
	return convert.Object(obj, opts)
}

func readProtoList(data []byte, res resource, opts convert.Options) (listPage, error) {
	var p listPage
	list, err := readProto(data, res.list(), partialList)
	if err != nil {
		return p, err
	}
	m, err := meta.ListAccessor(list)
	if err != nil {
		return p, err
	}
	p.rv, p.cont = m.GetResourceVersion(), m.GetContinue()
	if n := m.GetRemainingItemCount(); n != nil {
		p.remaining = *n
	}
	err = meta.EachListItem(list, func(obj runtime.Object) error {
		if o, err := convertAs(obj, res, opts); err == nil {
			p.items = append(p.items, o)
		}
		return nil
	})
	return p, err
}
