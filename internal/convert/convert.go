package convert

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Options are facts that the object itself does not contain.
type Options struct {
	// Kind is used if the object does not name its own (items of a typed list),
	// and for PartialObjectMetadata.
	Kind schema.GroupVersionKind
	// Whole keeps the whole object in Tree, for the user's rules. The payload
	// of Secrets and ConfigMaps is left out all the same.
	Whole bool
	// Verbatim keeps texts unchanged, with several lines, for Compute and
	// Augment, which repeat them to the letter. They must be cleaned before
	// printing.
	Verbatim bool
	// Shared lets Pods of one template share its fields; may be nil.
	Shared *Templates
	// known is what is known of a Pod's spec from its message.
	known knownSpec
	// specSum is the checksum of a workload's spec from its message; 0 if it is not known.
	specSum uint32
	// words are those of earlier messages; may be nil.
	words *words
}

// Object converts a decoded object. The result does not refer to obj.
func Object(obj runtime.Object, opts Options) (*object.Object, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return fromMap(u.Object, opts)
	}
	c := converter{o: &object.Object{}, opts: opts}
	c.kind(kindOf(obj, opts))
	if p, ok := obj.(*metav1.PartialObjectMetadata); ok {
		c.o.MetadataOnly = true
		c.metadata(&p.ObjectMeta)
		return c.done(), nil
	}
	if c.o.MetadataOnly = MetadataKind(c.o.Group, c.o.Kind); !c.o.MetadataOnly && !opts.Whole && c.typed(obj) {
		return c.done(), nil
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	opts.Kind = kindOf(obj, opts)
	return fromMap(m, opts)
}

// kindOf is the object's own kind, otherwise the caller's or the scheme's.
func kindOf(obj runtime.Object, opts Options) schema.GroupVersionKind {
	gvk := obj.GetObjectKind().GroupVersionKind()
	if _, partial := obj.(*metav1.PartialObjectMetadata); (partial || gvk.Kind == "") && opts.Kind.Kind != "" {
		return opts.Kind
	}
	if all, _, err := Scheme.ObjectKinds(obj); gvk.Kind == "" && err == nil && len(all) > 0 {
		return all[0]
	}
	return gvk
}

// converter is one conversion.
type converter struct {
	o         *object.Object
	opts      Options
	managed   []metav1.ManagedFieldsEntry
	applied   string // kubectl's last-applied annotation
	hasStatus bool   // a field of the status says something
	noStatus  bool   // read from JSON in which the status is missing or empty
	size      int    // objects and lists in the tree so far
}

func (c *converter) kind(gvk schema.GroupVersionKind) {
	c.o.Group, c.o.Version, c.o.Kind = c.word(gvk.Group), c.word(gvk.Version), c.word(gvk.Kind)
}

// text copies a unique string: a message, a name.
func (c *converter) text(s string) string {
	if c.opts.Verbatim {
		return s
	}
	return object.Clean(s)
}

// word shares a string that many objects have.
func (c *converter) word(s string) string {
	if s == "" || c.opts.Verbatim {
		return s
	}
	if c.opts.words != nil {
		return c.opts.words.shared(s)
	}
	return unique.Make(object.Clean(s)).Value()
}

// words remembers the words of one stream, cleaned. Most come again with every object, or
// with the next ones of the same owner. Package unique would share them with other streams,
// too, but takes a weak pointer and a cleanup for each.
type words struct {
	known map[string]string // by what was read
}

// mostWords is how many words of a stream are remembered; then it begins anew.
const mostWords = 2000

func (w *words) shared(s string) string {
	if known, ok := w.known[s]; ok {
		return known
	}
	if len(w.known) >= mostWords || w.known == nil {
		w.known = map[string]string{}
	}
	cleaned := strings.Clone(object.Clean(s)) // not a part of a longer text
	if cleaned == s {
		s = cleaned // keeps no second copy
	}
	w.known[s] = cleaned
	return cleaned
}

func (c *converter) words(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, c.word(s))
	}
	return out
}

// noteStatus notes whether a status that is omitted when empty has content.
func (c *converter) noteStatus(status any) {
	c.hasStatus = c.hasStatus || !reflect.ValueOf(status).IsZero()
}

// touched notes the latest time at which the object is known to have changed.
func (c *converter) touched(t time.Time) {
	if t.After(c.o.Changed) {
		c.o.Changed = t
	}
}

func (c *converter) flaw(path, format string, args ...any) {
	if len(c.o.Flaws) < maxFlaws {
		c.o.Flaws = append(c.o.Flaws, object.Flaw{Path: object.Clean(path), Problem: fmt.Sprintf(format, args...)})
	}
}

var errNoKind = errors.New("this is not a Kubernetes object: it has no kind")

// done computes what depends on the whole object.
func (c *converter) done() *object.Object {
	o := c.o
	c.writers()
	if o.HasView() || o.Observed.Set && o.Observed.V >= o.Generation.V { // their order tells nothing more
		o.SpecWritten, o.StatusWritten = time.Time{}, time.Time{}
	}
	if w := o.Workload; w != nil {
		w.Revision, _ = o.Annotation("deployment.kubernetes.io/revision")
		w.Scaled = c.scaler()
	}
	if o.CronJob != nil {
		o.CronJob.TemplateWritten = c.templateWritten()
	}
	if text, ok := o.Annotation(object.ScalingConditions); ok && len(o.Conditions) == 0 &&
		o.GroupKind() == "autoscaling/HorizontalPodAutoscaler" {
		o.Conditions = annotatedConditions(text)
	}
	if e := o.Endpoints; e != nil {
		if e.Service, _ = o.Label("kubernetes.io/service-name"); o.Kind == "Endpoints" {
			e.Service = o.Name
		}
		for i := range e.Endpoints {
			if t := &e.Endpoints[i].Target; t.Kind != "" && t.Namespace == "" {
				t.Namespace = o.Namespace
			}
		}
	}
	return o
}

// when is a time, zero if there is none. Some schemas default it to 1970.
func when(t *metav1.Time) time.Time {
	if t == nil || t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

// required is a counter that Kubernetes always writes with a status (its JSON tag has no
// omitempty), optional one that it omits if zero, and fromPointer one that it omits if not
// set. So 0 of a required one is a count, and 0 of an optional one is not known.
func (c *converter) required(v int32) object.Int { return object.Int{V: int64(v), Set: !c.noStatus} }

func optional[T ~int32 | ~int64](v T) object.Int {
	if v == 0 {
		return object.Int{}
	}
	return object.IntOf(int64(v))
}

func fromPointer[T ~int32 | ~int64](v *T) object.Int {
	if v == nil {
		return object.Int{}
	}
	return object.IntOf(int64(*v))
}

// orZero dereferences a pointer that may be nil.
func orZero[T any](v *T) (zero T) {
	if v == nil {
		return zero
	}
	return *v
}
