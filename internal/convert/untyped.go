package convert

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// JSON converts one JSON object. The result does not refer to data.
func JSON(data []byte, opts Options) (*object.Object, error) {
	var v any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &v); err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("this is %s, not a Kubernetes object", what(v))
	}
	return fromMap(m, opts)
}

// Map converts an object with numbers of any type. It encodes it as JSON first:
// for small numbers of objects.
func Map(m map[string]any, opts Options) (*object.Object, error) {
	data, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return JSON(data, opts)
}

// fromMap converts an Unstructured object. Metadata and conditions of every kind
// are read as kstatus reads them, field by field; the rest of a kind with a typed
// view is decoded into its type.
func fromMap(m map[string]any, opts Options) (*object.Object, error) {
	c := converter{o: &object.Object{}, opts: opts}
	gvk := c.identify(m)
	if c.o.Kind == "" {
		return nil, errNoKind
	}
	c.o.MetadataOnly = gvk.Kind == "PartialObjectMetadata" && gvk.Group == "meta.k8s.io" ||
		MetadataKind(c.o.Group, c.o.Kind)
	from, _ := field[map[string]any](&c, m, "metadata", "an object", true)
	meta := c.metadataOf(from)
	status, _ := field[map[string]any](&c, m, "status", "an object", true)
	switch {
	case c.o.MetadataOnly:
		c.metadata(meta)
	case kinds[c.o.GroupKind()] != nil:
		c.typed(c.decodeBody(m, status, meta))
		if w := c.o.Workload; w != nil && status["desiredNumberScheduled"] == nil {
			w.Desired = object.Int{} // kstatus tells that from zero
		}
	default:
		c.metadata(meta)
		c.tree(m)
	}
	if !c.o.MetadataOnly && c.o.Endpoints == nil {
		c.status(status)
	}
	if opts.Whole {
		c.whole(m)
	}
	return c.done(), nil
}

// identify sets the kind, and returns the object's own.
func (c *converter) identify(m map[string]any) schema.GroupVersionKind {
	version, _ := m["apiVersion"].(string)
	kind, _ := m["kind"].(string)
	group, v, ok := strings.Cut(version, "/")
	if !ok {
		group, v = "", version
	}
	if strings.Contains(v, "/") { // kstatus then finds no group and kind
		c.flaw("apiVersion", "is not GROUP/VERSION")
	}
	gvk := schema.GroupVersionKind{Group: group, Version: v, Kind: kind}
	if c.opts.Kind.Kind != "" && (kind == "" || kind == "PartialObjectMetadata" && group == "meta.k8s.io") {
		c.kind(c.opts.Kind)
	} else {
		c.kind(gvk)
	}
	return gvk
}

// decodeBody decodes everything but metadata, conditions and observedGeneration.
// What the decoder refuses is a flaw of the object as a whole.
func (c *converter) decodeBody(m, status map[string]any, meta *metav1.ObjectMeta) runtime.Object {
	typed, body := kinds[c.o.GroupKind()].empty.DeepCopyObject(), maps.Clone(m)
	delete(body, "metadata")
	c.noStatus = len(status) == 0
	status = maps.Clone(status)
	delete(status, "conditions")
	delete(status, "observedGeneration")
	body["status"] = status
	data, err := json.Marshal(body)
	if err == nil {
		err = kjson.UnmarshalCaseSensitivePreserveInts(data, typed)
	}
	if err != nil {
		c.o.Flaws = append(c.o.Flaws, object.Unreadable(err))
	}
	*metaOf(typed) = *meta
	return typed
}

// metadataOf reads the metadata; what is malformed counts as absent.
func (c *converter) metadataOf(from map[string]any) *metav1.ObjectMeta {
	u := unstructured.Unstructured{Object: map[string]any{"metadata": from}}
	m := &metav1.ObjectMeta{
		Name: u.GetName(), Namespace: u.GetNamespace(), UID: u.GetUID(), ResourceVersion: u.GetResourceVersion(),
		CreationTimestamp: u.GetCreationTimestamp(), DeletionGracePeriodSeconds: u.GetDeletionGracePeriodSeconds(),
		Finalizers: u.GetFinalizers(), OwnerReferences: u.GetOwnerReferences(),
		Labels: u.GetLabels(), Annotations: u.GetAnnotations(),
	}
	if text, _ := field[string](c, from, "metadata.deletionTimestamp", "a string", false); text != "" {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil { // kstatus accepts any text
			t = time.Unix(0, 0)
		}
		m.DeletionTimestamp = &metav1.Time{Time: t}
	}
	m.Generation, c.o.Generation.Set = field[int64](c, from, "metadata.generation", "an integer", false)
	c.o.Generation.V = m.Generation
	list, _ := from["managedFields"].([]any)
	specs, reporters := map[string]time.Time{}, map[string]bool{} // by manager
	for _, v := range list {
		var entry metav1.ManagedFieldsEntry
		f, _ := v.(map[string]any)
		entry.Manager, _ = f["manager"].(string)
		entry.Subresource, _ = f["subresource"].(string)
		text, _ := f["time"].(string)
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			entry.Time = &metav1.Time{Time: t}
		}
		set, _ := f["fieldsV1"].(map[string]any)
		if set["f:metadata"] != nil || set != nil && c.o.Kind == "CronJob" {
			if raw, err := json.Marshal(set); err == nil {
				entry.FieldsV1 = metav1.NewFieldsV1(string(raw))
			}
		}
		if set["f:spec"] != nil && entry.Subresource == "" {
			specs[entry.Manager] = later(specs[entry.Manager], when(entry.Time))
		}
		if set["f:status"] != nil || entry.Subresource == "status" {
			c.o.StatusWritten = later(c.o.StatusWritten, when(entry.Time))
			reporters[entry.Manager] = true
		}
		m.ManagedFields = append(m.ManagedFields, entry)
	}
	for manager, at := range specs {
		if !reporters[manager] { // a controller's own note in the spec is no change that it has to answer
			c.o.SpecWritten = later(c.o.SpecWritten, at)
		}
	}
	return m
}

// status reads the fields that most kinds have: observedGeneration and
// conditions.
func (c *converter) status(from map[string]any) {
	c.hasStatus = c.hasStatus || len(from) > 0
	if text, ok := from["observedGeneration"].(string); ok {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			c.o.ObservedText = object.IntOf(n)
		}
	}
	c.o.Observed.V, c.o.Observed.Set = field[int64](c, from, "status.observedGeneration", "an integer", false)
	c.o.Conditions = nil
	list, ok := field[[]any](c, from, "status.conditions", "a list", true)
	if byType, isMap := from["conditions"].(map[string]any); !ok && isMap {
		list = conditionsOf(byType)
	}
	if len(list) > maxConditions {
		c.flaw("status.conditions", "has more than %d entries", maxConditions)
		list = list[:maxConditions]
	}
	for i, v := range list {
		at := "status.conditions[" + strconv.Itoa(i) + "]"
		m, ok := v.(map[string]any)
		if !ok && v != nil {
			c.flaw(at, "is %s, not an object", what(v))
		}
		for _, key := range [...]string{"type", "status", "reason", "message"} {
			field[string](c, m, at+"."+key, "a string", true)
		}
		read := object.ConditionOf(m)
		c.condition(*read.Statement, read.LastTransitionTime)
	}
}

// conditionsOf is the list of an object that holds conditions by their types, as
// Longhorn's v1beta1 does; nil if it holds anything else. That it is no list remains a
// flaw: kstatus does not read it.
func conditionsOf(byType map[string]any) (list []any) {
	for _, key := range slices.Sorted(maps.Keys(byType)) {
		cond, _ := byType[key].(map[string]any)
		if _, ok := cond["status"].(string); !ok {
			return nil
		}
		if cond["type"] == nil {
			cond = maps.Clone(cond)
			cond["type"] = key
		}
		list = append(list, cond)
	}
	return list
}

// field is the field at the end of a path. A value of another type is a flaw, and
// counts as absent; so is null where kstatus's accessors refuse it.
func field[T any](c *converter, m map[string]any, at, want string, nullable bool) (typed T, ok bool) {
	v, there := m[at[strings.LastIndexByte(at, '.')+1:]]
	if typed, ok = v.(T); there && !ok && (v != nil || !nullable) {
		c.flaw(at, "is %s, not %s", what(v), want)
	}
	return typed, ok
}

// what names the type of a value, as JSON does.
func what(v any) string {
	switch v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case nil:
		return "null"
	}
	return "a number"
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
