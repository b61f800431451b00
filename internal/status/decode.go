package status

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// DecodeOptions says what DecodeJSON cannot see in the bytes.
type DecodeOptions struct {
	// Group, Version and Kind are used where the JSON has no apiVersion and
	// kind (the items of a typed list), and for PartialObjectMetadata.
	Group, Version, Kind string
	// Whole asks for all of the object in Tree, for rules whose needs are not
	// known beforehand (the user's). The payload of a Secret or a ConfigMap is
	// left out even so.
	Whole bool
	// Keep names fields to keep beyond those that our own rules declare.
	Keep []Keep
	// Verbatim keeps texts as they came, of several lines too, for Compute and
	// Augment to repeat to the letter. Whoever prints them cleans them.
	Verbatim bool
	// PodSpec, where it is filled, is the spec of the pod; of the one in the JSON
	// only the nodeName is read then. An empty one is filled.
	PodSpec *PodSpec
}

// maxConditions is how many conditions are kept of one object.
const maxConditions = 512

// DecodeJSON reads one Kubernetes object in a single pass. What is malformed
// within the object becomes a flaw; an error means that the bytes are no
// Kubernetes object at all. The object does not refer to data afterwards.
func DecodeJSON(data []byte, opts DecodeOptions) (*object.Object, error) {
	o := &object.Object{}
	d := decoder{reader: reader{b: data, o: o, verbatim: opts.Verbatim}, opts: opts}
	if r := &d.reader; r.peek() != '{' {
		if r.err != nil {
			return nil, r.err
		}
		return nil, fmt.Errorf("this is %s, not a Kubernetes object", r.what())
	}
	d.findKind()
	return d.run()
}

// run reads the object, whose kind is known.
func (d *decoder) run() (*object.Object, error) {
	o := d.o
	d.object(d.topLevel)
	for _, at := range d.later {
		d.back(at.place)
		d.path = append(d.path[:0], step{key: at.key})
		d.body(at.key)
	}
	if d.err != nil {
		return nil, d.err
	}
	if o.Kind == "" {
		return nil, errors.New("this is not a Kubernetes object: it has no kind")
	}
	if d.opts.Whole {
		d.whole()
	}
	d.finish()
	return o, nil
}

// FromMap makes an object from decoded JSON, as in Unstructured.Object. It is
// meant for tests and for objects in small numbers.
func FromMap(m map[string]any) (*object.Object, error) {
	data, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return DecodeJSON(data, DecodeOptions{})
}

// decoder is one run of DecodeJSON.
type decoder struct {
	reader
	opts     DecodeOptions
	sawSpec  bool
	later    []deferred // fields that came before what they depend on
	keep     *keepNode
	changed  time.Time
	written  time.Time
	managed  deferred   // metadata.managedFields
	scaled   bool       // somebody wrote through the scale subresource
	applied  deferred   // what kubectl applied last
	placed   []deferred // what the scheduler obeys
	status   bool       // there is a status with something in it
	demand   demand
	qos      string // status.qosClass
	tolerate []object.Toleration
	last     []object.Label // as they were read last, but for the object's own
	noCustom bool           // the kind has a view or is known by its metadata
	nodes    int            // objects and lists in the tree so far
}

// deferred is a value that is read later; the key is nil where there is none.
type deferred struct {
	key []byte
	place
}

// findKind fills the identity of the kind. It looks ahead only where the
// caller does not know it and the JSON does not begin with it.
func (d *decoder) findKind() {
	var version, kind []byte
	look := reader{b: d.b}
	look.object(func(key []byte) {
		switch {
		case string(key) == "apiVersion" && look.peek() == '"':
			version, _ = look.bytes()
			version = bytes.Clone(version)
		case string(key) == "kind" && look.peek() == '"':
			kind, _ = look.bytes()
			kind = bytes.Clone(kind)
		default:
			look.skip()
			if d.opts.Kind != "" { // they come first or not at all
				look.i = len(look.b)
			}
		}
		if version != nil && kind != nil {
			look.i = len(look.b) // enough
		}
	})
	o := d.o
	group, v, known := bytes.Cut(version, []byte("/"))
	if !known {
		group, v = nil, version
	}
	if bytes.IndexByte(v, '/') >= 0 { // kstatus sees no group and kind then
		d.path = append(d.path[:0], step{key: []byte("apiVersion")})
		d.flaw("is not GROUP/VERSION")
		d.path = d.path[:0]
	}
	o.Kind, o.Group, o.Version = object.Intern(kind), object.Intern(group), object.Intern(v)
	partial := o.Kind == "PartialObjectMetadata" && o.Group == "meta.k8s.io"
	if d.opts.Kind != "" && (o.Kind == "" || partial) {
		o.Kind, o.Group, o.Version = d.opts.Kind, d.opts.Group, d.opts.Version
	}
	o.MetadataOnly = partial || MetadataKind(o.Group, o.Kind)
	d.prepare()
}

// prepare allots the view that the kind has, or the tree.
func (d *decoder) prepare() {
	o := d.o
	if o.MetadataOnly {
		d.noCustom = true
		return
	}
	d.noCustom = true
	switch o.GroupKind() {
	case "Pod":
		o.Pod = d.opts.PodSpec.pod()
	case "apps/Deployment", "apps/ReplicaSet", "apps/StatefulSet", "apps/DaemonSet",
		"extensions/Deployment", "extensions/ReplicaSet", "extensions/DaemonSet", "ReplicationController":
		o.Workload = &object.Workload{}
	case "batch/Job":
		o.Job = &object.Job{}
	case "batch/CronJob":
		o.CronJob = &object.CronJob{}
	case "Service":
		o.Service = &object.Service{}
	case "discovery.k8s.io/EndpointSlice", "Endpoints":
		o.Endpoints = &object.Endpoints{}
	case "PersistentVolumeClaim":
		o.Claim = &object.Claim{}
	default:
		d.noCustom = false
		d.keep = keepFor(o.Group, o.Kind, d.opts.Keep)
	}
}

func (d *decoder) topLevel(key []byte) {
	switch string(key) {
	case "apiVersion", "kind":
		d.skip()
	case "metadata":
		d.object(d.metadata)
	case "status":
		// A status joins what the spec began (a pod's containers), so it waits.
		if !d.sawSpec && d.o.Pod != nil {
			d.later = append(d.later, deferred{key, d.here()})
			d.skip()
			return
		}
		d.body(key)
	case "spec":
		d.sawSpec = true
		start := d.here()
		d.body(key)
		if d.o.Pod != nil {
			d.opts.PodSpec.learn(d.o.Pod)
		}
		switch {
		case !d.proto:
			d.sumSpec(d.b[start.i:d.i])
		case d.o.Workload != nil:
			d.sumProtoSpec(start.val)
		}
	default:
		d.body(key)
	}
}

// SpecSums is the checksum of [object.Object.SpecSum].
var SpecSums = crc32.MakeTable(crc32.Castagnoli)

// sumSpec is a second walk, so it is spared what has no replicas.
func (d *decoder) sumSpec(raw []byte) {
	if d.o.Workload == nil && (d.noCustom || !bytes.Contains(raw, []byte(`"replicas"`))) {
		return
	}
	r := reader{b: raw}
	scaled := false
	r.object(func(key []byte) {
		start := r.i
		r.skip()
		if string(key) == "replicas" {
			scaled = true
			return
		}
		d.o.SpecSum = crc32.Update(crc32.Update(d.o.SpecSum, SpecSums, key), SpecSums, raw[start:r.i])
	})
	if d.o.Workload == nil && !scaled {
		d.o.SpecSum = 0
	}
}

// body reads a top-level field that belongs to the kind.
func (d *decoder) body(key []byte) {
	o := d.o
	isStatus := string(key) == "status"
	switch {
	case o.Endpoints != nil:
		d.endpoints(key)
	case isStatus:
		if c := d.peek(); c != '{' {
			d.wrong("an object")
			return
		}
		d.statusBody()
	case string(key) == "spec" && d.noCustom && !o.MetadataOnly:
		d.object(d.specField())
	case d.noCustom:
		d.skip()
	default:
		d.treeField(key)
	}
}

// specField returns the function that reads a field of the spec.
func (d *decoder) specField() func([]byte) {
	o := d.o
	switch {
	case o.Pod != nil && d.opts.PodSpec.Filled():
		return d.podPlace
	case o.Pod != nil:
		return d.podSpec
	case o.Workload != nil:
		return d.workloadSpec
	case o.Job != nil:
		return d.jobSpec
	case o.CronJob != nil:
		return d.cronJobSpec
	case o.Service != nil:
		return d.serviceSpec
	}
	return d.claimSpec
}

// statusBody reads the status: its conditions and generation for every kind,
// the rest as the kind has it.
func (d *decoder) statusBody() {
	o := d.o
	var tree map[string]any
	d.object(func(key []byte) {
		d.status = true
		switch string(key) {
		case "observedGeneration":
			d.observed()
			if !d.noCustom && o.Observed.Set {
				if tree == nil {
					tree = map[string]any{}
				}
				tree["observedGeneration"] = o.Observed.V
			}
			return
		case "conditions":
			if d.conditions() {
				return
			}
			d.skip()
			return
		}
		switch {
		case o.Pod != nil:
			d.podStatus(key)
		case o.Workload != nil:
			d.workloadStatus(key)
		case o.Job != nil:
			d.jobStatus(key)
		case o.CronJob != nil:
			d.cronJobStatus(key)
		case o.Service != nil:
			d.serviceStatus(key)
		case o.Claim != nil:
			d.claimStatus(key)
		case d.noCustom:
			d.skip()
		default:
			if tree == nil {
				tree = map[string]any{}
			}
			name := object.Intern(key)
			tree[name] = d.tree(keepAll, 1)
		}
	})
	if !d.noCustom {
		// An empty status is told apart from none.
		if tree == nil {
			tree = map[string]any{}
		}
		d.setTree("status", tree)
	}
}

func (d *decoder) setTree(key string, v any) {
	if d.o.Tree == nil {
		d.o.Tree = make(map[string]any, 4)
	}
	d.o.Tree[key] = v
}

// observed reads status.observedGeneration, keeping apart what kstatus reads
// (an integer) and what it cannot.
func (d *decoder) observed() {
	if d.peek() == '"' {
		b, _ := d.bytes()
		if v, ok := parseInt(b); ok {
			d.o.ObservedText = object.IntOf(v)
		}
		d.flaw("is a string, not an integer")
		return
	}
	if d.nullFlaw() {
		return
	}
	d.o.Observed = d.integer()
}

// nullFlaw consumes a null where kstatus's accessors report an error.
func (d *decoder) nullFlaw() bool {
	if d.peek() != 'n' {
		return false
	}
	d.skip()
	d.flaw("is null")
	return true
}

// conditions reads status.conditions; false (with nothing consumed) when it is
// not to be read.
func (d *decoder) conditions() bool {
	o := d.o
	if o.Conditions != nil { // a second one of that name
		return false
	}
	var few [8]object.Condition // most objects have no more; the list is cut to measure
	list := few[:0]
	d.array(func(i int) {
		if i >= maxConditions {
			if i == maxConditions {
				d.path = d.path[:len(d.path)-1]
				d.flaw(fmt.Sprintf("has more than %d entries", maxConditions))
				d.path = append(d.path, step{idx: i})
			}
			d.skip()
			return
		}
		var c object.Condition
		var says object.Statement
		if d.peek() == 'n' {
			d.flaw("is null")
		}
		d.object(func(key []byte) { d.conditionField(&says, &c.LastTransitionTime, key) })
		c.Statement = says.Shared()
		list = append(list, c)
		d.touched(c.LastTransitionTime)
	})
	o.Conditions = append([]object.Condition(nil), list...)
	return true
}

// scalingConditions is the annotation in which autoscaling/v1, whose status has
// none, keeps the conditions of a HorizontalPodAutoscaler.
const scalingConditions = "autoscaling.alpha.kubernetes.io/conditions"

// annotatedConditions reads them; what cannot be read is left out, and so is any
// condition that kstatus would judge by, for it does not look here.
func annotatedConditions(text string) []object.Condition {
	var o object.Object
	d := decoder{reader: reader{b: []byte(text), o: &o}}
	d.conditions()
	if d.err != nil {
		return nil
	}
	return slices.DeleteFunc(o.Conditions, func(c object.Condition) bool {
		return c.Type == "Ready" || c.Type == Stalled || c.Type == Reconciling
	})
}

func (d *decoder) conditionField(c *object.Statement, since *time.Time, key []byte) {
	switch string(key) {
	case "type":
		c.Type = d.word()
	case "status":
		c.Status = d.word()
	case "reason":
		c.Reason = d.word()
	case "message":
		c.Message = d.text()
	case "lastTransitionTime":
		// The defaults of a schema say 1970 (Gateway API).
		if *since = d.when(); since.Unix() == 0 {
			*since = time.Time{}
		}
	case "lastUpdateTime":
		c.LastUpdateTime = d.when()
	case "severity":
		c.Severity = d.word()
	case "observedGeneration":
		if d.peek() == '"' { // as written by some controllers
			b, _ := d.bytes()
			if v, ok := parseInt(b); ok {
				c.ObservedGeneration = object.IntOf(v)
			}
			return
		}
		c.ObservedGeneration = d.integer()
	default:
		d.skip()
	}
}

func (d *decoder) touched(t time.Time) {
	if t.After(d.changed) {
		d.changed = t
	}
}

// maxAnnotation is what the API server allows all annotations of an object to
// take together; that escapes may double it in JSON is allowed for.
const maxAnnotation = 2 * 256 << 10

// lastApplied is where kubectl apply keeps what it was given.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// metadataKinds are the kinds whose only status is that they exist, or whose
// payload is nobody's business.
var metadataKinds = map[string]bool{
	"Secret": true, "ConfigMap": true, "ServiceAccount": true, "LimitRange": true, "PodTemplate": true,
	"rbac.authorization.k8s.io/Role":               true,
	"rbac.authorization.k8s.io/RoleBinding":        true,
	"rbac.authorization.k8s.io/ClusterRole":        true,
	"rbac.authorization.k8s.io/ClusterRoleBinding": true,
	"scheduling.k8s.io/PriorityClass":              true,
	"node.k8s.io/RuntimeClass":                     true,
	"apps/ControllerRevision":                      true,
}

func (d *decoder) finish() {
	o := d.o
	o.Changed, o.Written = d.changed, d.written
	d.writers()
	if o.Pod != nil {
		d.finishPod()
	}
	if w := o.Workload; w != nil {
		w.Revision, _ = o.Annotation("deployment.kubernetes.io/revision")
		if d.scaled && d.applied.key != nil {
			d.scaler()
		}
	}
	if text, ok := o.Annotation(scalingConditions); ok && len(o.Conditions) == 0 && o.GroupKind() == "autoscaling/HorizontalPodAutoscaler" {
		o.Conditions = annotatedConditions(text)
	}
	if e := o.Endpoints; e != nil {
		e.Service, _ = o.Label("kubernetes.io/service-name")
		if o.Kind == "Endpoints" {
			e.Service = o.Name
		}
		for i := range e.Endpoints {
			if t := &e.Endpoints[i].Target; t.Kind != "" && t.Namespace == "" {
				t.Namespace = o.Namespace
			}
		}
	}
}

// within reads an object and calls f at one of its fields.
func (r *reader) within(field string, f func()) {
	r.object(func(key []byte) {
		if string(key) == field {
			f()
			return
		}
		r.skip()
	})
}
