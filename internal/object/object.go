package object

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Object is a Kubernetes object reduced to what rules, edges, explanations and
// screens read. It is immutable once decoded, and may be shared between
// goroutines.
//
// Frequent kinds have a typed view (Pod, Workload, …), which is nil for others.
// All other kinds keep their pruned JSON in Tree.
type Object struct {
	ID
	Version         string `json:"version,omitzero"` // API version without the group: "v1", "v1beta1"
	UID             string `json:"uid,omitzero"`     // empty for an object that is not from a cluster
	ResourceVersion string `json:"resourceVersion,omitzero"`
	Generation      Int    `json:"generation,omitzero"`
	Observed        Int    `json:"observed,omitzero"` // status.observedGeneration; unset if absent or not an integer
	// ObservedText is a status.observedGeneration that was written as a string,
	// as some controllers do. Compute does not read it.
	ObservedText Int       `json:"observedText,omitzero"`
	Created      time.Time `json:"created,omitzero"`
	// Deleted is the deletionTimestamp; zero if there is none, the Unix epoch
	// if it is invalid.
	Deleted time.Time `json:"deleted,omitzero"`
	// Changed is when the object last changed, by its own dates (conditions,
	// managed fields, creation, deletion). Zero if it has none.
	Changed time.Time `json:"changed,omitzero"`
	// Written is when a field of the object was last written, according to
	// metadata.managedFields; zero if unknown. The object's content is at least
	// as old.
	Written time.Time `json:"written,omitzero"`
	// SpecWritten and StatusWritten are when the spec and the status were last
	// written, by the same source; zero if unknown, or where the controller has
	// observed the present generation. What a manager that writes the status writes
	// into the spec does not count: Crossplane notes there what it has composed.
	SpecWritten   time.Time   `json:"specWritten,omitzero"`
	StatusWritten time.Time   `json:"statusWritten,omitzero"`
	Finalizers    []string    `json:"finalizers,omitempty"`
	Owners        []Owner     `json:"owners,omitempty"`
	Labels        []Label     `json:"labels,omitempty"`      // sorted by key
	Annotations   []Label     `json:"annotations,omitempty"` // those that rules or edges read; sorted by key
	Conditions    []Condition `json:"conditions,omitempty"`

	Pod       *Pod       `json:"pod,omitzero"`
	Workload  *Workload  `json:"workload,omitzero"`
	Job       *Job       `json:"job,omitzero"`
	CronJob   *CronJob   `json:"cronJob,omitzero"`
	Service   *Service   `json:"service,omitzero"`
	Endpoints *Endpoints `json:"endpoints,omitzero"` // EndpointSlice and Endpoints
	Claim     *Claim     `json:"claim,omitzero"`
	Event     *Event     `json:"-"`

	// Tree holds the kept JSON of kinds without a typed view: all of "status"
	// without its conditions, and the declared fields of the rest (convert/tree.go).
	// Values are map[string]any, []any, string, int64, float64, bool and nil,
	// as in Unstructured. Nil for kinds with a typed view and for metadata
	// alone, unless convert.Options.Whole is set; then it includes conditions
	// and metadata.
	Tree map[string]any `json:"tree,omitzero"`

	// Writers are the last field managers, from metadata.managedFields, of
	// objects for which that is needed: those being deleted with finalizers,
	// those that their controller has not observed, and those without a status.
	Writers []Writer `json:"writers,omitempty"`

	// LookedUp says that it was read as a reference, to explain or judge
	// another object: it may be out of date, and has no row.
	LookedUp bool `json:"lookedUp,omitzero"`
	// MetadataOnly says that only the metadata was read (Secrets, ConfigMaps
	// and other kinds whose status is to exist).
	MetadataOnly bool `json:"metadataOnly,omitzero"`

	// SpecSum is a checksum of the spec without spec.replicas: it tells scaling
	// from other changes. Only sums of one object in one encoding are
	// comparable. 0 if the kind has no replicas. It is not recorded, because it
	// covers values that are not.
	SpecSum uint32 `json:"-"`

	// Flaws lists fields that could not be read. An object with a flaw is still
	// followed; rules decide what a flaw means.
	Flaws []Flaw `json:"flaws,omitempty"`
}

// Int is an integer that may be absent.
type Int struct {
	V   int64
	Set bool
}

// Or is the value, or def if it is absent.
func (i Int) Or(def int64) int64 {
	if i.Set {
		return i.V
	}
	return def
}

// MarshalJSON writes a number, or null if it is absent.
func (i Int) MarshalJSON() ([]byte, error) {
	if !i.Set {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, i.V, 10), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (i *Int) UnmarshalJSON(text []byte) error {
	if *i = (Int{}); string(text) == "null" {
		return nil
	}
	v, err := strconv.ParseInt(string(text), 10, 64)
	*i = IntOf(v)
	return err
}

// IntOf is an integer that is present.
func IntOf(v int64) Int { return Int{V: v, Set: true} }

// Label is one label or annotation.
type Label struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// ScalingConditions is the annotation with the conditions of an autoscaling/v1
// HorizontalPodAutoscaler, whose status has none.
const ScalingConditions = "autoscaling.alpha.kubernetes.io/conditions"

// BackendHealth is the annotation in which the controller of Google's load balancers reports the
// health of an Ingress's backends.
const BackendHealth = "ingress.kubernetes.io/backends"

// Label returns the value of a label, and whether the object has it.
func (o *Object) Label(key string) (string, bool) { return lookup(o.Labels, key) }

// Annotation returns the value of a kept annotation, and whether it was there.
func (o *Object) Annotation(key string) (string, bool) { return lookup(o.Annotations, key) }

func lookup(list []Label, key string) (string, bool) {
	for i := range list {
		if list[i].Key == key {
			return list[i].Value, true
		}
	}
	return "", false
}

// Controller returns the owner that controls the object, or false.
func (o *Object) Controller() (Owner, bool) {
	for _, w := range o.Owners {
		if w.Controller {
			return w, true
		}
	}
	return Owner{}, false
}

// Owner is one entry of metadata.ownerReferences. The namespace is the
// object's own (or none, for cluster-scoped owners).
type Owner struct {
	Group      string `json:"group,omitzero"`
	Kind       string `json:"kind,omitzero"`
	Name       string `json:"name,omitzero"`
	UID        string `json:"uid,omitzero"`
	Controller bool   `json:"controller,omitzero"`
}

// Condition is one entry of status.conditions, or of the standard conditions
// that kstatus computes.
type Condition struct {
	*Statement                   // never nil
	LastTransitionTime time.Time `json:"lastTransitionTime,omitzero"`
}

// Statement is a condition without its date. Thousands of conditions are equal
// and share one. It must not be modified after decoding.
type Statement struct {
	Type               string    `json:"type"`
	Status             string    `json:"status"`
	Reason             string    `json:"reason,omitempty"`
	Message            string    `json:"message,omitempty"`
	LastUpdateTime     time.Time `json:"lastUpdateTime,omitzero"`
	ObservedGeneration Int       `json:"observedGeneration,omitzero"`
	Severity           string    `json:"severity,omitempty"` // Cluster API, Knative: Info, Warning, Error
}

// Condition returns the condition of that type, or nil. Of several of one type it is the one that
// replaces the others; see Superseded.
func (o *Object) Condition(typ string) *Condition {
	for i := range o.Conditions {
		if o.Conditions[i].Type == typ && !o.Superseded(i) {
			return &o.Conditions[i]
		}
	}
	return nil
}

// Writer is one entry of metadata.managedFields, without its field set.
type Writer struct {
	Manager    string    `json:"manager,omitzero"`
	Status     bool      `json:"status,omitzero"` // it wrote the status subresource
	At         time.Time `json:"at,omitzero"`
	Finalizers []string  `json:"finalizers,omitempty"` // the finalizers among its fields
}

// Flaw is a field of another shape than Kubernetes defines.
type Flaw struct {
	Path    string `json:"path,omitzero"`    // as in "status.conditions[2].status"
	Problem string `json:"problem,omitzero"` // as in "is a number, not a string"
}

// Unreadable is the flaw of an object that its decoder refused.
func Unreadable(err error) Flaw { return Flaw{"object", "cannot be read: " + Clean(err.Error())} }

// SortLabels sorts by key, in place and stable.
func SortLabels(list []Label) []Label {
	slices.SortStableFunc(list, func(a, b Label) int { return strings.Compare(a.Key, b.Key) })
	return list
}

// Restarts sums the restarts of a Pod's containers.
func (o *Object) Restarts() (n int64) {
	if o == nil || o.Pod == nil {
		return 0
	}
	for i := range o.Pod.Containers {
		n += o.Pod.Containers[i].Restarts
	}
	return n
}

// HasView reports whether the object's kind has a typed view.
func (o *Object) HasView() bool {
	return o.Pod != nil || o.Workload != nil || o.Job != nil ||
		o.CronJob != nil || o.Service != nil || o.Endpoints != nil || o.Claim != nil
}

// DropForeignViews drops the typed views that are not the kind's, which only a
// file can have.
func (o *Object) DropForeignViews() {
	var pod, workload, job, cronJob, service, endpoints, claim bool
	switch o.GroupKind() {
	case "Pod":
		pod = true
	case "ReplicationController", "apps/Deployment", "apps/ReplicaSet", "apps/StatefulSet", "apps/DaemonSet",
		"extensions/Deployment", "extensions/ReplicaSet", "extensions/DaemonSet":
		workload = true
	case "batch/Job":
		job = true
	case "batch/CronJob":
		cronJob = true
	case "Service":
		service = true
	case "Endpoints", "discovery.k8s.io/EndpointSlice":
		endpoints = true
	case "PersistentVolumeClaim":
		claim = true
	}
	o.Pod, o.Workload, o.Job = onlyIf(pod, o.Pod), onlyIf(workload, o.Workload), onlyIf(job, o.Job)
	o.CronJob, o.Service = onlyIf(cronJob, o.CronJob), onlyIf(service, o.Service)
	o.Endpoints, o.Claim = onlyIf(endpoints, o.Endpoints), onlyIf(claim, o.Claim)
}

func onlyIf[T any](yes bool, view *T) *T {
	if !yes {
		return nil
	}
	return view
}

// ConditionIndex is the index of the condition of that type if it has that status, or -1. Of several
// of one type only the one counts that replaces the others; see Superseded.
func (o *Object) ConditionIndex(typ, is string) int {
	for i := range o.Conditions {
		if o.Conditions[i].Type == typ && o.Conditions[i].Status == is && !o.Superseded(i) {
			return i
		}
	}
	return -1
}

// ConditionIs returns the condition of that type if it has that status, or nil; see ConditionIndex.
func (o *Object) ConditionIs(typ, is string) *Condition {
	if i := o.ConditionIndex(typ, is); i >= 0 {
		return &o.Conditions[i]
	}
	return nil
}

// Transition is when the condition of that type changed last; see Condition.
func (o *Object) Transition(typ string) time.Time {
	if c := o.Condition(typ); c != nil {
		return c.LastTransitionTime
	}
	return time.Time{}
}
