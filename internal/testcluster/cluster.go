package testcluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
)

// Resource is a served resource.
type Resource struct {
	Group, Version, Plural, Kind string
	Cluster                      bool // cluster-scoped
	Short                        []string
	Categories                   []string
}

func (r Resource) groupVersion() string {
	if r.Group == "" {
		return r.Version
	}
	return r.Group + "/" + r.Version
}

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
	// Resource, Namespace and Name are empty where the path has none.
	Resource, Namespace, Name string
	Token                     string // the bearer token it came with
	Accept                    string
}

// Fault is what goes wrong with the requests that it matches. The zero values
// of its fields do nothing.
type Fault struct {
	Match func(Request) bool // nil matches every request
	// Status answers with an error of this code.
	Status     int
	Message    string
	RetryAfter int // seconds, for Status
	// Hang accepts the request and never answers.
	Hang bool
	// Answer answers in the server's place, as whatever stands before it may.
	Answer http.HandlerFunc
	// Stall sends the first half of the answer to a get or a list, or of the error
	// that Status asks for, and no more.
	Stall bool
	// Drip sends that answer whole, a byte at a time, each so late.
	Drip time.Duration
	// Ahead is how far the server's clock is ahead of ours.
	Ahead time.Duration
	// NoEnd leaves out the bookmark that ends the initial events.
	NoEnd bool
	// NoBookmarks leaves out the other ones.
	NoBookmarks bool
	// Twice sends each event of a watch twice, the end of the initial ones too.
	Twice bool
	// Close ends a watch that long after it began.
	Close time.Duration
}

// Cluster is the server. Its methods are safe for concurrent use.
type Cluster struct {
	mu        sync.Mutex
	rv        int
	compacted int            // events up to this version are gone
	dropped   map[string]int // the newest version that is gone, by resource
	resources []Resource
	reporting map[string]bool              // kinds whose status subresource is served
	objects   map[string]map[string]*entry // plural.group → namespace/name
	log       []event
	logs      map[string]string // namespace/pod/container → text
	changed   chan struct{}
	faults    []*Fault
	refuse    bool
	frozen    chan struct{} // closed by Thaw; nil while the server runs
	cut       chan struct{} // closed by CutStreams
	requests  []Request
	uids      int

	server   *http.Server
	listener *pipeListener
	done     chan struct{}

	listening sync.WaitGroup // for what Listen has started
}

type entry struct {
	obj map[string]any
	rv  int
}

type event struct {
	rv       int
	resource string
	typ      string
	key      string
	obj, old map[string]any
}

// New starts a server. Close ends it.
func New() *Cluster {
	c := &Cluster{
		rv: 100, resources: slices.Clone(Builtin), objects: map[string]map[string]*entry{}, logs: map[string]string{},
		changed: make(chan struct{}), dropped: map[string]int{}, cut: make(chan struct{}), done: make(chan struct{}),
		listener: &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})},
	}
	c.server = &http.Server{Handler: http.HandlerFunc(c.handle), ErrorLog: log.New(io.Discard, "", 0)}
	go func() {
		defer close(c.done)
		_ = c.server.Serve(c.listener)
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

// Config is a configuration of client-go that reaches the server.
func (c *Cluster) Config() *rest.Config {
	return &rest.Config{Host: "http://cluster.test", Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		c.mu.Lock()
		refuse := c.refuse
		c.mu.Unlock()
		if refuse {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
		return c.listener.dial(ctx)
	}}
}

// Listen serves on loopback too, for programs of their own, and returns the
// server's URL. It does not belong into a synctest bubble.
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

// ServeStatus adds the status subresource of a kind to the discovery.
func (c *Cluster) ServeStatus(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reporting == nil {
		c.reporting = map[string]bool{}
	}
	c.reporting[kind] = true
}

// Unserve takes a kind away with its objects, as the deletion of its
// CustomResourceDefinition does.
func (c *Cluster) Unserve(kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resources = slices.DeleteFunc(c.resources, func(r Resource) bool {
		if r.Kind != kind {
			return false
		}
		for _, key := range slices.Sorted(maps.Keys(c.objects[r.plural()])) {
			e := c.objects[r.plural()][key]
			c.rv++
			last := toMap(e.obj)
			ensure(last, "metadata")["resourceVersion"] = fmt.Sprint(c.rv)
			c.publish(event{rv: c.rv, resource: r.plural(), typ: "DELETED", key: key, obj: last, old: e.obj})
		}
		delete(c.objects, r.plural())
		return true
	})
}

// Put creates or replaces an object: a manifest, as a map or as JSON text. It
// fills uid, resourceVersion and creationTimestamp where they are missing, and
// returns the uid.
func (c *Cluster) Put(manifest any) string {
	obj := toMap(manifest)
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.resourceOf(obj)
	meta := ensure(obj, "metadata")
	key := objectKey(meta)
	c.rv++
	old := c.objects[r][key]
	if _, ok := meta["uid"]; !ok {
		if old != nil {
			meta["uid"] = ensure(old.obj, "metadata")["uid"]
		} else {
			c.uids++
			meta["uid"] = fmt.Sprintf("uid-%d", c.uids)
		}
	}
	if _, ok := meta["creationTimestamp"]; !ok {
		meta["creationTimestamp"] = time.Now().UTC().Format(time.RFC3339)
		if old != nil {
			meta["creationTimestamp"] = ensure(old.obj, "metadata")["creationTimestamp"]
		}
	}
	meta["resourceVersion"] = fmt.Sprint(c.rv)
	if c.objects[r] == nil {
		c.objects[r] = map[string]*entry{}
	}
	c.objects[r][key] = &entry{obj, c.rv}
	ev := event{rv: c.rv, resource: r, typ: "ADDED", key: key, obj: obj}
	if old != nil {
		ev.typ, ev.old = "MODIFIED", old.obj
	}
	c.publish(ev)
	return meta["uid"].(string)
}

// Objects returns everything that there is, as JSON, in no order that matters:
// what a test may compare with, got without a request.
func (c *Cluster) Objects() [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out [][]byte
	for _, r := range slices.Sorted(maps.Keys(c.objects)) {
		for _, key := range slices.Sorted(maps.Keys(c.objects[r])) {
			text, err := json.Marshal(c.objects[r][key].obj)
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
		key := namespace + "/" + name
		if e := c.objects[r.plural()][key]; e != nil && r.Kind == kind {
			c.rv++
			last := toMap(e.obj)
			ensure(last, "metadata")["resourceVersion"] = fmt.Sprint(c.rv)
			delete(c.objects[r.plural()], key)
			c.publish(event{rv: c.rv, resource: r.plural(), typ: "DELETED", key: key, obj: last, old: e.obj})
		}
	}
}

// SetLog sets what a container has printed: lines that begin with a time.
func (c *Cluster) SetLog(namespace, pod, container, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.logs[namespace+"/"+pod+"/"+container] = text
}

// Forget drops the history, so that watches from earlier versions expire.
func (c *Cluster) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rv++
	for _, ev := range c.log {
		c.dropped[ev.resource] = ev.rv
	}
	c.compacted, c.log = c.rv, nil
}

// Restore sets the resource version back, as a restored etcd does.
func (c *Cluster) Restore(rv int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rv, c.compacted, c.log = rv, rv, nil
}

// Inject makes a fault happen until it is lifted.
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

// Stop refuses new connections and ends the open ones, as a stopped server.
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

// CutStreams ends all watches without a word.
func (c *Cluster) CutStreams() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.cut)
	c.cut = make(chan struct{})
}

// Freeze makes the server accept connections and say nothing.
func (c *Cluster) Freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frozen == nil {
		c.frozen = make(chan struct{})
		close(c.changed) // the watches have to notice
		c.changed = make(chan struct{})
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

// Requests lists what was asked so far.
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

func (c *Cluster) resourceOf(obj map[string]any) string {
	version, _ := obj["apiVersion"].(string)
	kind, _ := obj["kind"].(string)
	for _, r := range c.resources {
		if r.Kind == kind && r.groupVersion() == version {
			return r.plural()
		}
	}
	panic(fmt.Sprintf("testcluster: %s %s is not served", version, kind))
}

// toMap copies a manifest.
func toMap(manifest any) map[string]any {
	var data []byte
	switch m := manifest.(type) {
	case string:
		data = []byte(m)
	default:
		var err error
		if data, err = json.Marshal(m); err != nil {
			panic(err)
		}
	}
	var obj map[string]any
	if err := json.Unmarshal(data, &obj); err != nil {
		panic(err)
	}
	return obj
}

func ensure(obj map[string]any, key string) map[string]any {
	m, _ := obj[key].(map[string]any)
	if m == nil {
		m = map[string]any{}
		obj[key] = m
	}
	return m
}

func objectKey(meta map[string]any) string {
	ns, _ := meta["namespace"].(string)
	name, _ := meta["name"].(string)
	return ns + "/" + name
}

// list is what is there now, sorted by key.
func (c *Cluster) list(resource string, f filter) []map[string]any {
	var out []map[string]any
	for _, key := range slices.Sorted(maps.Keys(c.objects[resource])) {
		if o := c.objects[resource][key].obj; f.matches(key, o) {
			out = append(out, o)
		}
	}
	return out
}

// filter is what a request asks for.
type filter struct {
	namespace, name string
	uid             string // involvedObject.uid, for events
	labels          string
}

func (f filter) matches(key string, obj map[string]any) bool {
	ns, name, _ := strings.Cut(key, "/")
	if f.namespace != "" && ns != f.namespace || f.name != "" && name != f.name {
		return false
	}
	if f.uid != "" {
		about, _ := obj["involvedObject"].(map[string]any)
		if about["uid"] != f.uid {
			return false
		}
	}
	meta, _ := obj["metadata"].(map[string]any)
	labels, _ := meta["labels"].(map[string]any)
	return selects(f.labels, labels)
}

// selects understands a=b, a in (b,c), a notin (b,c), a and !a, joined by commas.
func selects(selector string, labels map[string]any) bool {
	for selector != "" {
		var part string
		if i := strings.IndexByte(selector, '('); i >= 0 && !strings.Contains(selector[:i], ",") {
			end := strings.IndexByte(selector, ')')
			part, selector = selector[:end+1], strings.TrimPrefix(selector[end+1:], ",")
		} else {
			part, selector, _ = strings.Cut(selector, ",")
		}
		key, values, in := strings.Cut(part, " in (")
		notin := false
		if !in {
			key, values, notin = strings.Cut(part, " notin (")
		}
		if in || notin {
			v, has := labels[key].(string)
			if one := has && slices.Contains(strings.Split(strings.TrimSuffix(values, ")"), ","), v); one != in {
				return false
			}
			continue
		}
		if k, v, ok := strings.Cut(part, "="); ok {
			if labels[k] != strings.TrimPrefix(v, "=") {
				return false
			}
			continue
		}
		k, not := strings.CutPrefix(part, "!")
		if _, has := labels[k]; has == not {
			return false
		}
	}
	return true
}

// pipeListener hands net.Pipe connections to the server.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once

	mu   sync.Mutex
	open []net.Conn
}

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		l.mu.Lock()
		l.open = append(l.open, server)
		l.mu.Unlock()
		return client, nil
	case <-l.closed:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

func (l *pipeListener) closeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.open {
		_ = c.Close()
	}
	l.open = nil
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }
