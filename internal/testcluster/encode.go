package testcluster

import (
	"fmt"
	"mime"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	kwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	restwatch "k8s.io/client-go/rest/watch"
)

// encoding is the format of an answer: the first that the client accepts and
// the server supports.
type encoding struct {
	runtime.SerializerInfo
	as string // PartialObjectMetadata, Table, … or ""
}

// negotiate chooses the encoding of a kind's objects; custom kinds have no
// protobuf.
func negotiate(r *http.Request, kind schema.GroupVersionKind, fault Fault) encoding {
	known := scheme.Codecs.SupportedMediaTypes()
	for part := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		media, params, err := mime.ParseMediaType(part)
		info, ok := runtime.SerializerInfoForMediaType(known, media)
		if err != nil || !ok || params["as"] == "Table" && kind.Kind != "Secret" {
			continue
		}
		if media == runtime.ContentTypeProtobuf &&
			(fault.NoProtobuf || params["as"] == "" && !scheme.Scheme.Recognizes(kind)) {
			continue
		}
		return encoding{info, params["as"]}
	}
	info, _ := runtime.SerializerInfoForMediaType(known, runtime.ContentTypeJSON)
	return encoding{info, ""}
}

// reply writes a whole answer.
func (e encoding) reply(w http.ResponseWriter, code int, obj runtime.Object) {
	w.Header().Set("Content-Type", e.MediaType)
	w.WriteHeader(code)
	if err := e.Serializer.Encode(obj, w); err != nil {
		panic(err)
	}
}

// stream writes the events of a watch.
func (e encoding) stream(w http.ResponseWriter) func(typ kwatch.EventType, obj runtime.Object) error {
	contentType := e.MediaType
	if contentType != runtime.ContentTypeJSON {
		contentType += ";stream=watch"
	}
	w.Header().Set("Content-Type", contentType)
	enc := restwatch.NewEncoder(
		streaming.NewEncoder(e.StreamSerializer.NewFrameWriter(w), e.StreamSerializer.Serializer), e.Serializer)
	return func(typ kwatch.EventType, obj runtime.Object) error {
		return enc.Encode(&kwatch.Event{Type: typ, Object: obj})
	}
}

// object is an object in the requested form: whole, as a row of a table
// (Secrets only), or its metadata.
func (e encoding) object(o *entry) runtime.Object {
	switch {
	case e.as == "Table":
		data, _, _ := unstructured.NestedMap(o.Object, "data")
		return &metav1.Table{
			TypeMeta:          metav1.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/v1"},
			ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Name"}, {Name: "Type"}, {Name: "Data"}},
			Rows: []metav1.TableRow{
				{
					Cells:  []any{o.GetName(), o.Object["type"], len(data)},
					Object: runtime.RawExtension{Object: partial(o)},
				},
			},
		}
	case strings.HasPrefix(e.as, "PartialObjectMetadata"):
		return partial(o)
	case e.MediaType == runtime.ContentTypeProtobuf:
		return o.typed
	}
	return o.Unstructured
}

func partial(o *entry) *metav1.PartialObjectMetadata {
	var p metav1.PartialObjectMetadata
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(
		map[string]any{"metadata": o.Object["metadata"]}, &p); err != nil {
		panic(err)
	}
	p.TypeMeta = metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"}
	return &p
}

// list is a list in the requested form.
func (e encoding) list(kind schema.GroupVersionKind, m metav1.ListMeta, items []*entry) runtime.Object {
	kind.Kind += "List"
	var l runtime.Object
	switch {
	case strings.HasPrefix(e.as, "PartialObjectMetadata"):
		l = &metav1.PartialObjectMetadataList{}
		kind = schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: "PartialObjectMetadataList"}
	case e.MediaType == runtime.ContentTypeProtobuf:
		var err error
		if l, err = scheme.Scheme.New(kind); err != nil {
			panic(err)
		}
	default:
		l = &unstructured.UnstructuredList{}
	}
	l.GetObjectKind().SetGroupVersionKind(kind)
	list, err := meta.ListAccessor(l)
	if err != nil {
		panic(err)
	}
	list.SetResourceVersion(m.ResourceVersion)
	list.SetContinue(m.Continue)
	list.SetRemainingItemCount(m.RemainingItemCount)
	objects := make([]runtime.Object, len(items))
	for i, o := range items {
		objects[i] = e.object(o)
	}
	if err := meta.SetList(l, objects); err != nil {
		panic(err)
	}
	return l
}

// bookmark is a bookmark at a version.
func (e encoding) bookmark(kind schema.GroupVersionKind, version string, end bool) runtime.Object {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind)
	o.SetResourceVersion(version)
	if end {
		o.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	}
	return e.object(newEntry(o))
}

// failure is the Status of an error, about an object if it has a name.
func failure(code int, message, name string) *metav1.Status {
	if message == "" {
		message = strings.ToLower(http.StatusText(code))
	}
	err := errors.NewGenericServerResponse(code, "", schema.GroupResource{}, name, "", 0, false)
	if code == http.StatusGone {
		err = errors.NewResourceExpired(message)
	}
	s := err.ErrStatus
	s.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	s.Message = message
	return &s
}

func notFound(res Resource, name string) *metav1.Status {
	return failure(http.StatusNotFound, fmt.Sprintf("%s %q not found", res.Plural, name), name)
}
