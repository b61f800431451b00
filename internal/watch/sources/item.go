package sources

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// item carries a converted object through client-go's Reflector, which calls
// the methods below and no others of metav1.Object (client-go v0.37.2
// tools/cache/reflector.go, store.go).
type item struct {
	metav1.Object
	o   *object.Object
	end bool // the bookmark that ends the initial events
}

func (i *item) GetName() string            { return i.o.Name }
func (i *item) GetNamespace() string       { return i.o.Namespace }
func (i *item) GetResourceVersion() string { return i.o.ResourceVersion }
func (i *item) GetAnnotations() map[string]string {
	if i.end {
		return map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	return nil
}
func (i *item) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }
func (i *item) DeepCopyObject() runtime.Object   { return i } // immutable
