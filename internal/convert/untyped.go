package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
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

// fromMap converts an Unstructured object. The fields of every object are read
// one by one, whatever their shape; the rest of a kind with a typed view is
// decoded into its type.
func fromMap(m map[string]any, opts Options) (*object.Object, error) {
	c := converter{o: &object.Object{}, opts: opts}
	r := fields{c: &c, m: m}
	gvk := c.identify(r)
	if c.o.Kind == "" {
		return nil, errNoKind
	}
	c.o.MetadataOnly = gvk.Kind == "PartialObjectMetadata" && gvk.Group == "meta.k8s.io" || MetadataKind(c.o.Group, c.o.Kind)
	meta := c.metadataOf(r.object("metadata"))
	switch {
	case c.o.MetadataOnly:
		c.metadata(meta)
	case kinds[c.o.GroupKind()] != nil:
		c.lenient(m, meta)
	default:
		c.metadata(meta)
		c.tree(m)
	}
	if !c.o.MetadataOnly && c.o.Endpoints == nil {
		c.status(r)
	}
	if opts.Whole {
		c.whole(m)
	}
	return c.done(), nil
}

// identify sets the kind, and returns the object's own.
func (c *converter) identify(r fields) (gvk schema.GroupVersionKind) {
	version, kind := r.raw("apiVersion"), r.raw("kind")
	group, v, ok := strings.Cut(version, "/")
	if !ok {
		group, v = "", version
	}
	if strings.Contains(v, "/") { // kstatus then finds no group and kind
		c.flaw("apiVersion", "is not GROUP/VERSION")
	}
	gvk = schema.GroupVersionKind{Group: group, Version: v, Kind: kind}
	own := gvk
	if given := c.opts.Kind; given.Kind != "" && (kind == "" || kind == "PartialObjectMetadata" && group == "meta.k8s.io") {
		own = given
	}
	c.kind(own)
	return gvk
}

// lenient converts the rest of an object with a typed view, beside metadata and
// conditions, by its type.
func (c *converter) lenient(m map[string]any, meta *metav1.ObjectMeta) {
	status, _ := m["status"].(map[string]any)
	typed := c.decodeBody(m)
	*metaOf(typed) = *meta
	c.typed(typed)

	// a counter that was not written is not set
	if w := c.o.Workload; w != nil {
		for key, n := range map[string]*object.Int{
			"replicas": &w.StatusReplicas, "currentNumberScheduled": &w.Current, "numberMisscheduled": &w.Misscheduled,
			"desiredNumberScheduled": &w.Desired, "numberReady": &w.Ready,
		} {
			if _, ok := status[key]; !ok && (c.o.Kind == "DaemonSet") == (key != "replicas") {
				*n = object.Int{}
			}
		}
		if _, ok := status["availableReplicas"]; !ok && c.o.Kind == "StatefulSet" {
			w.Available = object.Int{}
		}
	}
	if phase, ok := status["phase"].(string); ok && phase == "" && c.o.Claim != nil {
		c.flaw("status.phase", "is empty") // for kstatus it differs from an absent one
	}
	if list, ok := status["containerStatuses"]; ok && list == nil && c.o.Pod != nil {
		c.flaw("status.containerStatuses", "is null") // an error in kstatus
	}
}

// decodeBody decodes everything but metadata, conditions and
// observedGeneration. A field that cannot be decoded becomes a flaw and counts
// as absent.
func (c *converter) decodeBody(m map[string]any) (typed runtime.Object) {
	body := maps.Clone(m)
	delete(body, "metadata")
	if status, ok := m["status"].(map[string]any); ok {
		status = maps.Clone(status)
		delete(status, "conditions")
		delete(status, "observedGeneration")
		body["status"] = status
	}
	for range maxFlaws {
		typed = kinds[c.o.GroupKind()].empty.DeepCopyObject()
		data, err := json.Marshal(body)
		if err == nil {
			err = kjson.UnmarshalCaseSensitivePreserveInts(data, typed)
		}
		switch wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); {
		case err == nil:
			return typed
		case ok:
			if wrong.Field != "status" { // the status itself is checked elsewhere
				c.flaw(wrong.Field, "is %s, not %s", shape(wrong.Value), goal(wrong.Type))
			}
			body = runtime.DeepCopyJSON(body)
			drop(body, strings.Split(wrong.Field, "."))
		default: // an invalid time ends the decoding
			body = runtime.DeepCopyJSON(body)
			before := len(c.o.Flaws)
			if c.replaceTimes(body, ""); len(c.o.Flaws) == before {
				c.o.Flaws = append(c.o.Flaws, object.Unreadable(err))
				return typed
			}
		}
	}
	return typed
}

// drop removes a field from every element of the lists on its path.
func drop(v any, path []string) {
	switch v := v.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(v, path[0])
			return
		}
		drop(v[path[0]], path[1:])
	case []any:
		for _, x := range v {
			drop(x, path)
		}
	}
}

// replaceTimes replaces invalid times by the Unix epoch.
func (c *converter) replaceTimes(v any, at string) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			s, ok := v[key].(string)
			if ok && (strings.HasSuffix(key, "Time") || strings.HasSuffix(key, "At")) {
				if _, err := time.Parse(time.RFC3339, s); err != nil {
					c.flaw(strings.TrimPrefix(at+"."+key, "."), "is not a time")
					v[key] = time.Unix(0, 0).UTC().Format(time.RFC3339)
				}
				continue
			}
			c.replaceTimes(v[key], at+"."+key)
		}
	case []any:
		for i, x := range v {
			c.replaceTimes(x, at+"["+strconv.Itoa(i)+"]")
		}
	}
}

// shape and goal describe what encoding/json found and expected.
func shape(found string) string {
	switch kind, _, _ := strings.Cut(found, " "); kind {
	case "object":
		return "an object"
	case "array":
		return "a list"
	case "bool":
		return "a boolean"
	default:
		return "a " + kind
	}
}

func goal(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "an integer"
	case reflect.Bool:
		return "a boolean"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	}
	return "a string"
}

// metadataOf reads the metadata; what is malformed counts as absent.
func (c *converter) metadataOf(r fields) *metav1.ObjectMeta {
	u := unstructured.Unstructured{Object: map[string]any{"metadata": r.m}}
	m := &metav1.ObjectMeta{
		Name: u.GetName(), Namespace: u.GetNamespace(), UID: u.GetUID(), ResourceVersion: u.GetResourceVersion(),
		CreationTimestamp: u.GetCreationTimestamp(), DeletionGracePeriodSeconds: u.GetDeletionGracePeriodSeconds(),
		Finalizers: u.GetFinalizers(), OwnerReferences: u.GetOwnerReferences(), Labels: u.GetLabels(), Annotations: u.GetAnnotations(),
	}
	if !r.null("generation") {
		n := r.integer("generation")
		m.Generation, c.o.Generation = n.V, n
	}
	if !r.null("deletionTimestamp") && r.has("deletionTimestamp") {
		m.DeletionTimestamp = &metav1.Time{Time: r.time("deletionTimestamp")}
	}
	r.each("managedFields", func(at string, v any) {
		f := fields{c: c, m: r.asObject(at, v), path: at}
		entry := metav1.ManagedFieldsEntry{Manager: f.str("manager"), Subresource: f.str("subresource")}
		if t := f.time("time"); !t.IsZero() {
			entry.Time = &metav1.Time{Time: t}
		}
		if set, ok := f.m["fieldsV1"].(map[string]any); ok && set["f:metadata"] != nil {
			if raw, err := json.Marshal(set); err == nil {
				entry.FieldsV1 = metav1.NewFieldsV1(string(raw))
			}
		}
		m.ManagedFields = append(m.ManagedFields, entry)
	})
	return m
}

// status reads the fields that most kinds have: observedGeneration and
// conditions.
func (c *converter) status(top fields) {
	r := top.object("status")
	if len(r.m) > 0 {
		c.reported = true
	}
	c.o.Observed, c.o.Conditions = object.Int{}, nil
	switch v := r.m["observedGeneration"].(type) {
	case string:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			c.o.ObservedText = object.IntOf(n)
		}
		c.flaw("status.observedGeneration", "is a string, not an integer")
	default:
		if !r.null("observedGeneration") {
			c.o.Observed = r.integer("observedGeneration")
		}
	}
	r.each("conditions", func(at string, v any) {
		if len(c.o.Conditions) >= maxConditions {
			if len(c.o.Conditions) == maxConditions && strings.HasSuffix(at, "["+strconv.Itoa(maxConditions)+"]") {
				c.flaw("status.conditions", "has more than %d entries", maxConditions)
			}
			return
		}
		if v == nil {
			c.flaw(at, "is null")
		}
		x := fields{c: c, m: r.asObject(at, v), path: at}
		c.condition(object.Statement{
			Type: x.str("type"), Status: x.str("status"), Reason: x.str("reason"), Message: x.str("message"), Severity: x.str("severity"),
			LastUpdateTime: x.time("lastUpdateTime"), ObservedGeneration: x.written("observedGeneration"),
		}, x.time("lastTransitionTime"))
	})
}

// fields reads an object leniently: a value of another shape than Kubernetes
// defines becomes a flaw, and counts as absent.
type fields struct {
	c    *converter
	m    map[string]any
	path string
}

func (r fields) at(key string) string {
	if r.path == "" {
		return key
	}
	return r.path + "." + key
}

func (r fields) has(key string) bool { _, ok := r.m[key]; return ok }

// raw is a string, "" if there is none.
func (r fields) raw(key string) string { s, _ := r.m[key].(string); return s }

// null notes a null where kstatus's accessors return an error.
func (r fields) null(key string) bool {
	v, ok := r.m[key]
	if ok && v == nil {
		r.c.flaw(r.at(key), "is null")
	}
	return ok && v == nil
}

// wrong notes a value of the wrong shape; null counts as absent.
func (r fields) wrong(at string, v any, want string) {
	if v != nil {
		r.c.flaw(at, "is %s, not %s", what(v), want)
	}
}

func (r fields) str(key string) string {
	s, ok := r.m[key].(string)
	if !ok {
		r.wrong(r.at(key), r.m[key], "a string")
	}
	return s
}

func (r fields) integer(key string) object.Int {
	switch v := r.m[key].(type) {
	case int64:
		return object.IntOf(v)
	case float64:
		r.c.flaw(r.at(key), "is not an integer")
	default:
		r.wrong(r.at(key), v, "an integer")
	}
	return object.Int{}
}

// written is an integer that some controllers write as a string.
func (r fields) written(key string) object.Int {
	if s, ok := r.m[key].(string); ok {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return object.IntOf(n)
		}
		return object.Int{}
	}
	return r.integer(key)
}

// time is zero if there is none, and the Unix epoch if it is invalid.
func (r fields) time(key string) time.Time {
	s := r.str(key)
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		r.c.flaw(r.at(key), "is not a time")
		return time.Unix(0, 0).UTC()
	}
	return t.UTC()
}

func (r fields) asObject(at string, v any) map[string]any {
	m, ok := v.(map[string]any)
	if !ok {
		r.wrong(at, v, "an object")
	}
	return m
}

func (r fields) object(key string) fields {
	return fields{c: r.c, m: r.asObject(r.at(key), r.m[key]), path: r.at(key)}
}

// each calls f for the elements of a list, with their paths.
func (r fields) each(key string, f func(at string, v any)) {
	list, ok := r.m[key].([]any)
	if !ok {
		r.wrong(r.at(key), r.m[key], "a list")
	}
	for i, v := range list {
		f(r.at(key)+"["+strconv.Itoa(i)+"]", v)
	}
}

// what names the type of a value.
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
	case int64, float64:
		return "a number"
	}
	return "nothing"
}
