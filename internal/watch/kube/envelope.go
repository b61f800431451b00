package kube

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
)

// envelopes are those of protobuf; the serializer would copy each answer into a
// new one.
var envelopes = sync.Pool{New: func() any { return &runtime.Unknown{} }}

func decodeProtobuf(data []byte, _ *schema.GroupVersionKind, _ runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	envelope := envelopes.Get().(*runtime.Unknown)
	defer envelopes.Put(envelope)
	*envelope = runtime.Unknown{Raw: envelope.Raw[:0]}
	if err := envelope.Unmarshal(data[len("k8s\x00"):]); err != nil {
		return nil, nil, err
	}
	kind := envelope.GroupVersionKind()
	obj, err := convert.Scheme.New(kind)
	if err == nil {
		_, _, err = protobufEvents.Decode(envelope.Raw, &kind, obj)
	}
	return obj, &kind, err
}
