package kube

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
)

// envelopes are those of protobuf. The serializer would copy each object into a
// new one: 80 MB for 10,000 Pods.
var envelopes = sync.Pool{New: func() any { return &runtime.Unknown{} }}

func decodeProtobuf(data []byte, _ *schema.GroupVersionKind, _ runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	envelope := envelopes.Get().(*runtime.Unknown)
	defer envelopes.Put(envelope)
	*envelope = runtime.Unknown{Raw: envelope.Raw[:0]}
	if err := envelope.Unmarshal(data[len(protobufPrefix):]); err != nil {
		return nil, nil, err
	}
	kind := envelope.GroupVersionKind()
	obj, err := convert.Scheme.New(kind)
	if err == nil {
		_, _, err = protobuf.NewRawSerializer(convert.Scheme, convert.Scheme).Decode(envelope.Raw, &kind, obj)
	}
	return obj, &kind, err
}
