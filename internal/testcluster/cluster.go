package testcluster

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// Resource is a served resource.
type Resource struct {
	Group, Version, Plural, Kind string
	Cluster                      bool // cluster-scoped
	Short                        []string
	Categories                   []string
}

func (r Resource) groupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: r.Group, Version: r.Version}
}

func (r Resource) kind() schema.GroupVersionKind { return r.groupVersion().WithKind(r.Kind) }

// Builtin are the resources that every cluster serves.
var Builtin = []Resource{
	{"", "v1", "pods", "Pod", false, []string{"po"}, nil},
	{"", "v1", "services", "Service", false, nil, nil},
	{"", "v1", "endpoints", "Endpoints", false, []string{"ep"}, nil},
	{"", "v1", "configmaps", "ConfigMap", false, nil, nil},
	{"", "v1", "secrets", "Secret", false, nil, nil},
	{"", "v1", "events", "Event", false, nil, nil},
	{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", false, nil, nil},
	{"", "v1", "namespaces", "Namespace", true, nil, nil},
	{"apps", "v1", "deployments", "Deployment", false, []string{"deploy"}, nil},
	{"apps", "v1", "replicasets", "ReplicaSet", false, nil, nil},
	{"apps", "v1", "statefulsets", "StatefulSet", false, nil, nil},
	{"apps", "v1", "daemonsets", "DaemonSet", false, nil, nil},
	{"batch", "v1", "jobs", "Job", false, nil, nil},
	{"batch", "v1", "cronjobs", "CronJob", false, nil, nil},
	{"discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", false, nil, nil},
}

// Request is one request as the server saw it.
type Request struct {
	At    time.Time
	Verb  string // get, list, watch
	Path  string
	Query string
	// Resource, Namespace and Name are empty if the path has none.
	Resource, Namespace, Name string
	Token                     string // the bearer token
	Accept                    string
	HTTP2                     bool
}

// Fault is a fault in the requests that it matches. Zero fields have no effect.
type Fault struct {
	Match func(Request) bool // nil matches every request
	// Status answers with an error of this code.
	Status     int
	Message    string
	RetryAfter int // seconds, for Status
	// Hang accepts the request and never answers.
	Hang bool
	// Answer answers instead of the server, as a proxy may.
	Answer http.HandlerFunc
	// Stall sends only the first half of the answer to a get or list, or of the
	// error set by Status.
	Stall bool
	// Drip sends that answer byte by byte, with this delay.
	Drip time.Duration
	// Buffer holds the body of an answer back until its end, as a proxy may;
	// BufferHead its head as well.
	Buffer, BufferHead bool
	// Ahead sets the server's clock ahead.
	Ahead time.Duration
	// NoProtobuf answers in JSON, whatever the client accepts.
	NoProtobuf bool
	// NoAggregation serves discovery group by group, as old servers do.
	NoAggregation bool
	// NoEnd omits the bookmark that ends the initial events.
	NoEnd bool
	// NoBookmarks omits the other bookmarks.
	NoBookmarks bool
	// Garble replaces the first text of each pair by the second, of the same
	// length, in everything that is sent.
	Garble [][2]string
	// Twice sends each watch event twice, including the end of the initial
	// ones.
	Twice bool
	// Forgetful begins every watch with all objects, from whatever version it is to go on.
	Forgetful bool
	// Close ends a watch this long after it began.
	Close time.Duration
}

// Cluster is the server. Its methods are safe for concurrent use.
type Cluster struct {
	mu        sync.Mutex
	rv        int
	compacted int            // events up to this version are compacted
	dropped   map[string]int // the newest compacted version, by resource
	resources []Resource
	reporting map[string]bool              // kinds with a served status subresource
	objects   map[string]map[string]*entry // plural.group → namespace/name
	log       []event
	logs      map[string]string // namespace/pod/container → text
	changed   chan struct{}
	faults    []*Fault
	refuse    bool
	frozen    chan struct{} // closed by Thaw; nil while the server is not frozen
	cut       chan struct{} // closed by CutStreams
	requests  []Request
	uids      int

	server   *http.Server
	listener *pipeListener
	done     chan struct{}

	listening sync.WaitGroup // for what Listen has started
}

// entry is an object; typed is what is encoded as protobuf, nil for custom
// kinds.
type entry struct {
	*unstructured.Unstructured
	typed runtime.Object
}

// event is a change: now is nil if the object was deleted.
type event struct {
	rv       int
	resource string
	now, old *entry
	last     *entry // the object in the event
}

// New starts a server. Close ends it.
func New() *Cluster {
	c := &Cluster{
		rv: 100, resources: slices.Clone(Builtin), objects: map[string]map[string]*entry{}, logs: map[string]string{},
		changed: make(chan struct{}), dropped: map[string]int{}, cut: make(chan struct{}), done: make(chan struct{}),
		listener: &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})},
	}
	c.server = &http.Server{
		Handler: http.HandlerFunc(c.handle), ErrorLog: log.New(io.Discard, "", 0),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate()}},
	}
	go func() {
		defer close(c.done)
		_ = c.server.ServeTLS(c.listener, "", "")
	}()
	return c
}

// Close ends the server and all its connections.
func (c *Cluster) Close() {
	c.Thaw()
	_ = c.server.Close()
	c.listening.Wait()
	<-c.done
}

// Config is a client configuration for the server. As in production, requests
// go by HTTP/2 over TLS, unless NextProtos allows HTTP/1.1 alone.
func (c *Cluster) Config() *rest.Config {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate().Certificate[0]})
	return &rest.Config{
		Host: "https://cluster.test", TLSClientConfig: rest.TLSClientConfig{CAData: ca},
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			c.mu.Lock()
			refuse := c.refuse
			c.mu.Unlock()
			if refuse {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
			}
			return c.listener.dial(ctx, c.thawed)
		},
	}
}

// Listen also serves on loopback, for other processes, and returns the server's
// URL. It cannot be used in a synctest bubble.
func (c *Cluster) Listen() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	c.listening.Go(func() { _ = c.server.Serve(l) })
	return "http://" + l.Addr().String(), nil
}

// Serve adds a kind, as a CustomResourceDefinition would.
func (c *Cluster) Serve(r Resource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resources = append(c.resources, r)
}

// ServeStatus adds the status subresource of a kind to discovery.
func (c *Cluster) ServeStatus(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reporting == nil {
		c.reporting = map[string]bool{}
	}
	c.reporting[kind] = true
}

// Unserve removes a kind with its objects, as the deletion of its
// CustomResourceDefinition does.
func (c *Cluster) Unserve(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resources = slices.DeleteFunc(c.resources, func(r Resource) bool {
		if r.Kind != kind {
			return false
		}
		for _, key := range slices.Sorted(maps.Keys(c.objects[r.plural()])) {
			c.delete(r.plural(), key)
		}
		return true
	})
}

// Put creates or replaces an object: a manifest, as a map or as JSON text. It
// fills in missing uid, resourceVersion and creationTimestamp, and returns the
// uid.
func (c *Cluster) Put(manifest any) string {
	obj := parseObject(manifest)
	c.mu.Lock()
	defer c.mu.Unlock()
	resource := c.resourceOf(obj)
	key := obj.GetNamespace() + "/" + obj.GetName()
	c.rv++
	old := c.objects[resource][key]
	if obj.GetUID() == "" {
		if old != nil {
			obj.SetUID(old.GetUID())
		} else {
			c.uids++
			obj.SetUID(types.UID(fmt.Sprintf("uid-%d", c.uids)))
		}
	}
	if created := obj.GetCreationTimestamp(); created.IsZero() {
		obj.SetCreationTimestamp(metav1.Now())
		if old != nil {
			obj.SetCreationTimestamp(old.GetCreationTimestamp())
		}
	}
	obj.SetResourceVersion(strconv.Itoa(c.rv))
	if c.objects[resource] == nil {
		c.objects[resource] = map[string]*entry{}
	}
	now := newEntry(obj)
	c.objects[resource][key] = now
	c.publish(event{rv: c.rv, resource: resource, now: now, old: old, last: now})
	return string(obj.GetUID())
}

// Objects returns all objects as JSON, unordered, for comparisons without a
// request.
func (c *Cluster) Objects() [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out [][]byte
	for _, r := range slices.Sorted(maps.Keys(c.objects)) {
		for _, key := range slices.Sorted(maps.Keys(c.objects[r])) {
			text, err := json.Marshal(c.objects[r][key].Object)
			if err != nil {
				panic(err)
			}
			out = append(out, text)
		}
	}
	return out
}

// Delete removes an object by its kind, namespace and name.
func (c *Cluster) Delete(kind, namespace, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.resources {
		if key := namespace + "/" + name; r.Kind == kind && c.objects[r.plural()][key] != nil {
			c.delete(r.plural(), key)
		}
	}
}

func (c *Cluster) delete(resource, key string) {
	old := c.objects[resource][key]
	c.rv++
	last := old.DeepCopy()
	last.SetResourceVersion(strconv.Itoa(c.rv))
	delete(c.objects[resource], key)
	c.publish(event{rv: c.rv, resource: resource, old: old, last: newEntry(last)})
}

// SetLog sets a container's output: lines that begin with a time.
func (c *Cluster) SetLog(namespace, pod, container, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.logs[namespace+"/"+pod+"/"+container] = text
}

// Forget compacts the history, so that watches from earlier versions expire.
func (c *Cluster) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rv++
	for _, ev := range c.log {
		c.dropped[ev.resource] = ev.rv
	}
	c.compacted, c.log = c.rv, nil
}

// Restore resets the resource version, as a restored etcd does.
func (c *Cluster) Restore(rv int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rv, c.compacted, c.log = rv, rv, nil
}

// Inject activates a fault until lift is called.
func (c *Cluster) Inject(f Fault) (lift func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := &f
	c.faults = append(c.faults, p)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.faults = slices.DeleteFunc(c.faults, func(x *Fault) bool { return x == p })
	}
}

// Stop closes all connections and refuses new ones, like a stopped server.
func (c *Cluster) Stop() {
	c.mu.Lock()
	c.refuse = true
	c.mu.Unlock()
	c.CutStreams()
	c.listener.closeAll()
}

// Start accepts connections again.
func (c *Cluster) Start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refuse = false
}

// CutStreams breaks all watches.
func (c *Cluster) CutStreams() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.cut)
	c.cut = make(chan struct{})
}

// Freeze makes the server accept connections without reading or writing
// anything, like a stopped process: it answers no ping either.
func (c *Cluster) Freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frozen == nil {
		c.frozen = make(chan struct{})
	}
}

// Thaw ends Freeze.
func (c *Cluster) Thaw() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frozen != nil {
		close(c.frozen)
		c.frozen = nil
	}
}

// thawed waits while the server is frozen.
func (c *Cluster) thawed() {
	c.mu.Lock()
	frozen := c.frozen
	c.mu.Unlock()
	if frozen != nil {
		<-frozen
	}
}

// Requests lists all requests so far.
func (c *Cluster) Requests() []Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}

func (c *Cluster) publish(ev event) {
	c.log = append(c.log, ev)
	close(c.changed)
	c.changed = make(chan struct{})
}

func (r Resource) plural() string { return r.Plural + "." + r.Group }

func (c *Cluster) resourceOf(obj *unstructured.Unstructured) string {
	for _, r := range c.resources {
		if r.kind() == obj.GroupVersionKind() {
			return r.plural()
		}
	}
	panic(fmt.Sprintf("testcluster: %s is not served", obj.GroupVersionKind()))
}

// parseObject copies a manifest.
func parseObject(manifest any) *unstructured.Unstructured {
	data, ok := manifest.(string)
	if !ok {
		text, err := json.Marshal(manifest)
		if err != nil {
			panic(err)
		}
		data = string(text)
	}
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON([]byte(data)); err != nil {
		panic(err)
	}
	return obj
}

// newEntry is a stored object. One of a built-in kind is decoded into its type,
// as by a real API server: invalid fields are refused.
func newEntry(obj *unstructured.Unstructured) *entry {
	e := &entry{Unstructured: obj}
	if !scheme.Scheme.Recognizes(obj.GroupVersionKind()) {
		return e
	}
	data, err := obj.MarshalJSON()
	if err == nil {
		e.typed, err = runtime.Decode(scheme.Codecs.UniversalDeserializer(), data)
	}
	if err == nil {
		e.typed.GetObjectKind().SetGroupVersionKind(obj.GroupVersionKind())
		e.Unstructured = &unstructured.Unstructured{}
		e.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(e.typed)
	}
	if err != nil {
		panic(fmt.Sprintf("testcluster: %s %s: %v", obj.GetKind(), obj.GetName(), err))
	}
	return e
}

// list returns the present objects, sorted by key.
func (c *Cluster) list(resource string, f filter) []*entry {
	var out []*entry
	for _, key := range slices.Sorted(maps.Keys(c.objects[resource])) {
		if o := c.objects[resource][key]; f.matches(o) {
			out = append(out, o)
		}
	}
	return out
}

// filter is a request's selection.
type filter struct {
	namespace string
	labels    labels.Selector
	fields    fields.Selector
}

func (f filter) matches(e *entry) bool {
	if e == nil || f.namespace != "" && e.GetNamespace() != f.namespace ||
		!f.labels.Matches(labels.Set(e.GetLabels())) {
		return false
	}
	about, _, _ := unstructured.NestedStringMap(e.Object, "involvedObject")
	phase, _, _ := unstructured.NestedString(e.Object, "status", "phase")
	node, _, _ := unstructured.NestedString(e.Object, "spec", "nodeName")
	return f.fields.Matches(
		fields.Set{
			"status.phase": phase, "spec.nodeName": node, "metadata.name": e.GetName(),
			"metadata.namespace": e.GetNamespace(), "involvedObject.kind": about["kind"],
			"involvedObject.name": about["name"], "involvedObject.uid": about["uid"],
		})
}
