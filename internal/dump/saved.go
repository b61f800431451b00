package dump

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// Saved is a cluster as it was saved. It does not change after [Read], and is safe
// for concurrent use.
type Saved struct {
	// At is when it was saved: the time that a tool wrote down, otherwise the newest
	// date in it.
	At time.Time
	// LeftOut says what could not be read, a line for each reason.
	LeftOut []string

	kinds   map[schema.GroupKind]*kind
	uids    map[string]bool
	names   map[string]bool // namespaces with objects, or with a list that proves that there are none
	logs    map[logKey]savedLog
	skipped int // objects without a kind or name
	kept    int // bytes of objects
}

// kind is everything of one kind.
type kind struct {
	res        kube.Resource
	versions   []string // as saved
	short      []string
	categories []string
	objects    map[string]*entry // by namespace/name
	sorted     []*entry          // by namespace and name
	complete   map[string]bool   // the namespaces of which everything is there
}

// kindIn is a kind in a namespace, or in the cluster.
type kindIn struct {
	schema.GroupKind
	namespace string
}

// entry is an object.
type entry struct {
	namespace, name, version, uid, rv string
	labels                            map[string]string
	body                              []byte // the fields but apiVersion and kind: `"metadata":{…},…}`
}

// savedLog is a log, or how to read it again.
type savedLog struct {
	text []byte
	open func() (io.ReadCloser, error)
}

// builder makes a Saved. Its methods are safe for concurrent use.
type builder struct {
	*Saved
	left    *omissions
	workers errgroup.Group // parse beside the reader
	mu      sync.Mutex
	written time.Time // the collection time that a tool wrote down
	newest  string    // the newest date, as written
	now     string
	logSize int
	full    bool
	plurals map[schema.GroupKind]string
}

// ErrRecording says that a file is a recording, which replays by itself.
var ErrRecording = errors.New("this is a recording")

// Read reads folders, files and archives, and for "-" standard input. What cannot be
// read is left out, and said so in LeftOut; an error means that there is nothing.
func Read(ctx context.Context, names []string, stdin io.Reader, now time.Time) (*Saved, error) {
	return readAll(ctx, names, stdin, now, maxFiles, maxBytes)
}

// readAll is Read with limits of files and bytes.
func readAll(ctx context.Context, names []string, stdin io.Reader, now time.Time, files, size int64) (*Saved, error) {
	b := &builder{
		Saved: &Saved{
			kinds: map[schema.GroupKind]*kind{}, uids: map[string]bool{}, names: map[string]bool{},
			logs: map[logKey]savedLog{},
		},
		left: &omissions{}, plurals: map[schema.GroupKind]string{}, now: now.UTC().Format(time.RFC3339),
	}
	b.workers.SetLimit(2 * runtime.GOMAXPROCS(0))
	var recording error
	s := &source{ctx: ctx, left: b.left, maxFiles: files, maxBytes: size, visit: func(f file) {
		if head, _ := f.content.Peek(64); bytes.HasPrefix(head, []byte(`{"schema":"kstatus-tui/recording/`)) {
			recording = ErrRecording
			return
		}
		b.file(f)
	}}
	for _, name := range names {
		var err error
		if name == "-" {
			if stdin == nil {
				return nil, problem.New("kubectl get all,events -o yaml | kstatus-tui status --from -",
					"--from -: standard input is a terminal")
			}
			err = s.read("standard input", stdin, nil, 0)
		} else {
			err = s.named(name)
		}
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, errFiles), errors.Is(err, errBytes):
			b.left.add("the rest is left out: "+err.Error(), name)
		case err != nil:
			return nil, problem.New("check the path", "cannot read %s: %s", name, reason(err))
		}
	}
	_ = b.workers.Wait() // they return no error
	if recording != nil {
		return nil, recording
	}
	b.finish()
	if len(b.kinds) == 0 {
		err := problem.New(
			"it reads what kubectl get -o yaml|json printed, kubectl cluster-info dump, a must-gather and a support bundle",
			"no Kubernetes object in %s", strings.Join(names, ", "))
		if lines := b.left.lines(); len(lines) > 0 {
			err.Text += ": " + problem.OneLine(lines[0])
		}
		return nil, err
	}
	return b.Saved, nil
}

// file reads one file.
func (b *builder) file(f file) {
	if strings.HasPrefix(path.Base(f.path), "._") { // of macOS
		return
	}
	b.timeOf(f)
	p := placeOf(f.path)
	if p.log != nil {
		b.log(*p.log, f)
		return
	}
	if p.ignore || p.again.namespace != "" && b.has(p.again) {
		return
	}
	head, _ := f.content.Peek(4 << 10)
	form, ok := formOf(head)
	if !ok {
		return
	}
	r := &reading{builder: b, file: f, form: form, place: p}
	if err := r.objects(); err != nil && !ends(err) {
		b.left.add("the rest is left out: "+problem.OneLine(reason(err)), f.path)
	}
}

// bundleTime matches the time of a collection: in the name of a support bundle.
var bundleTime = regexp.MustCompile(`support-bundle-(\d{4}-\d\d-\d\dT\d\d_\d\d_\d\d)`)

// timeOf reads the time at which a tool has collected, where it wrote that down: a
// must-gather in the file timestamp (when it began, and when it ended), a support
// bundle in its name.
func (b *builder) timeOf(f file) {
	var at time.Time
	if m := bundleTime.FindStringSubmatch(f.path); m != nil {
		at, _ = time.Parse("2006-01-02T15_04_05", m[1])
	}
	if path.Base(f.path) == "timestamp" {
		head, _ := f.content.Peek(1 << 10)
		for line := range bytes.Lines(head) {
			// time.Time's String, with its monotonic clock.
			text, _, _ := strings.Cut(strings.TrimSpace(string(line)), " m=")
			if t, err := time.Parse("2006-01-02 15:04:05.999999999 -0700 MST", text); err == nil {
				at = t
			}
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if at.After(b.written) && at.UTC().Format(time.RFC3339) <= b.now {
		b.written = at.UTC()
	}
}

// broken notes a document that cannot be parsed.
func (r *reading) broken() { r.left.add("broken YAML", r.file.path) }

// objectHead is what is read of an object here.
type objectHead struct {
	Name            string            `json:"name"`
	Namespace       string            `json:"namespace"`
	UID             string            `json:"uid"`
	ResourceVersion string            `json:"resourceVersion"`
	Labels          map[string]string `json:"labels"`
}

// lastApplied has a whole object in it, a Secret's values, too.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// object keeps an object of a file; l is its list, or nil.
func (r *reading) object(fields map[string]json.RawMessage, l *listing) {
	gvk := schema.FromAPIVersionAndKind(text(fields["apiVersion"]), text(fields["kind"]))
	if gvk.Kind == "" && l != nil {
		gvk = l.kind
		if gvk.Kind == "" {
			gvk = r.place.kind
		}
	}
	var h objectHead
	if err := json.Unmarshal(fields["metadata"], &h); err != nil { // a field of another type: the name is what counts
		var m struct{ Name, Namespace, UID string }
		_ = json.Unmarshal(fields["metadata"], &m)
		h.Name, h.Namespace, h.UID = m.Name, m.Namespace, m.UID
	}
	if gvk.Kind == "" || h.Name == "" || gvk.Version == "" || gvk.Group == "audit.k8s.io" {
		r.mu.Lock()
		r.skipped++
		r.mu.Unlock()
		return
	}
	if gvk.Group == "events.k8s.io" && gvk.Kind == "Event" {
		gvk = coreEvent(fields)
	}
	gvk = present(gvk)
	e := &entry{
		namespace: h.Namespace, name: h.Name, uid: h.UID, rv: h.ResourceVersion,
		labels: h.Labels, version: gvk.Version,
	}
	newest := ""
	e.body, newest = bodyOf(gvk, fields, r.now)
	if l != nil {
		l.saw(gvk.GroupKind(), h.Namespace, h.Name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.newest = max(r.newest, newest)
	r.put(gvk, e, r.file.path)
}

// put keeps an object, unless a newer version of it is known.
func (b *builder) put(gvk schema.GroupVersionKind, e *entry, where string) {
	if b.kept+len(e.body) > maxKept {
		b.full = true
		b.left.add(fmt.Sprintf("objects beyond the first %d MB are left out", maxKept>>20), where)
		return
	}
	k := b.kindOf(gvk.GroupKind())
	key := e.namespace + "/" + e.name
	old := k.objects[key]
	if old != nil {
		if c, err := resourceversion.CompareResourceVersion(e.rv, old.rv); err != nil || c <= 0 {
			return
		}
		b.kept -= len(old.body)
	}
	if !slices.Contains(k.versions, gvk.Version) {
		k.versions = append(k.versions, gvk.Version)
	}
	b.kept += len(e.body)
	k.objects[key] = e
	if e.uid != "" {
		b.uids[e.uid] = true
	}
	if e.namespace != "" {
		b.names[e.namespace] = true
	}
}

func (b *builder) kindOf(gk schema.GroupKind) *kind {
	k := b.kinds[gk]
	if k == nil {
		k = &kind{objects: map[string]*entry{}, complete: map[string]bool{}}
		b.kinds[gk] = k
	}
	return k
}

// complete notes that everything of a kind in a namespace is there.
func (b *builder) complete(in kindIn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full {
		return
	}
	b.kindOf(in.GroupKind).complete[in.namespace] = true
	if in.namespace != "" {
		b.names[in.namespace] = true
	}
}

// has reports whether everything of a kind in a namespace has been read.
func (b *builder) has(in kindIn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.kinds[in.GroupKind]
	return k != nil && k.complete[in.namespace]
}

// learn notes the plural of a kind.
func (b *builder) learn(gk schema.GroupKind, plural string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if plural != "" && b.plurals[gk] == "" {
		b.plurals[gk] = plural
	}
}

// log keeps a log: where it can be read again, or its end.
func (b *builder) log(key logKey, f file) {
	l := savedLog{open: f.again}
	if f.again == nil {
		var err error
		if l.text, err = readTail(f.content); err != nil && !ends(err) {
			b.left.add("the rest is left out: "+reason(err), f.path)
		}
	}
	b.putLog(key, l, f.path, "in a compressed archive are left out; unpack it")
}

// logSection keeps a log that is a part of a file.
func (r *reading) logSection(key logKey, text []byte) {
	r.putLog(key, savedLog{text: text}, r.file.path, "in files with several of them are left out")
}

// putLog keeps a log. leftOut ends the sentence that reports one for which there is no room.
func (b *builder) putLog(key logKey, l savedLog, where, leftOut string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.logSize += len(l.text); b.logSize > maxLogs {
		b.left.add(fmt.Sprintf("logs beyond %d MB %s", maxLogs>>20, leftOut), where)
		b.logSize -= len(l.text)
		return
	}
	b.logs[key] = l
}

// finish computes what depends on everything that was read.
func (b *builder) finish() {
	defs := b.definitions()
	maps.DeleteFunc(b.kinds, func(_ schema.GroupKind, k *kind) bool {
		return len(k.objects) == 0 && len(k.complete) == 0
	})
	for gk, k := range b.kinds {
		k.sorted = slices.SortedFunc(maps.Values(k.objects), func(x, y *entry) int {
			return cmp.Or(cmp.Compare(x.namespace, y.namespace), cmp.Compare(x.name, y.name))
		})
		res := resolve.Builtin(gk.Group, gk.Kind)
		switch def, defined := defs[gk]; {
		case res.Kind != "":
		case defined:
			res = def.Resource
			k.short, k.categories = def.Short, def.Categories
		default:
			res = kube.Resource{Group: gk.Group, Kind: gk.Kind, Plural: b.plurals[gk]}
			if res.Plural == "" {
				guess, _ := meta.UnsafeGuessKindToResource(gk.WithVersion(""))
				res.Plural = guess.Resource
			}
			for _, e := range k.sorted {
				res.Namespaced = res.Namespaced || e.namespace != ""
			}
			for ns := range k.complete {
				res.Namespaced = res.Namespaced || ns != ""
			}
			res.Version = "v1"
		}
		if len(k.versions) > 0 && !slices.Contains(k.versions, res.Version) {
			res.Version = k.versions[0]
		}
		k.res = res
	}
	b.At = b.written
	if newest, err := time.Parse(time.RFC3339, b.newest); err == nil && newest.After(b.At) {
		b.At = newest.UTC()
	}
	if b.At.IsZero() {
		b.At, _ = time.Parse(time.RFC3339, b.now)
	}
	b.placeLogs()
	b.LeftOut = b.left.lines()
}

// placeLogs gives a log whose path tells no namespace that of its Pod, if there is one
// Pod of that name.
func (b *builder) placeLogs() {
	pods := b.kinds[schema.GroupKind{Kind: "Pod"}]
	if pods == nil {
		return
	}
	in := map[string][]string{} // namespaces by name
	for _, e := range pods.sorted {
		in[e.name] = append(in[e.name], e.namespace)
	}
	for key, l := range maps.Clone(b.logs) {
		if ns := in[key.pod]; len(ns) == 1 && ns[0] != key.namespace {
			delete(b.logs, key)
			key.namespace = ns[0]
			b.logs[key] = l
		}
	}
}

// definitions are the resources of the CustomResourceDefinitions in the dump.
func (b *builder) definitions() map[schema.GroupKind]resolve.Discovered {
	out := map[schema.GroupKind]resolve.Discovered{}
	k := b.kinds[schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}]
	if k == nil {
		return out
	}
	for _, e := range k.objects {
		var d struct {
			Spec struct {
				Group, Scope string
				Names        struct {
					Kind, Plural string
					ShortNames   []string
					Categories   []string
				}
				Versions []struct{ Name string }
			}
		}
		if json.Unmarshal(e.json(k.res), &d) != nil || d.Spec.Names.Kind == "" || d.Spec.Names.Plural == "" ||
			len(d.Spec.Versions) == 0 {
			continue
		}
		s := d.Spec
		out[schema.GroupKind{Group: s.Group, Kind: s.Names.Kind}] = resolve.Discovered{
			Resource: kube.Resource{
				Group: s.Group, Version: s.Versions[0].Name, Plural: s.Names.Plural,
				Kind: s.Names.Kind, Namespaced: s.Scope != "Cluster",
			},
			Short: s.Names.ShortNames, Categories: s.Names.Categories,
		}
	}
	return out
}

// json is the object in the resource's version.
func (e *entry) json(res kube.Resource) []byte {
	return e.append(nil, res)
}

func (e *entry) append(to []byte, res kube.Resource) []byte {
	version := schema.GroupVersion{Group: res.Group, Version: res.Version}.String()
	to = append(to, `{"apiVersion":"`...)
	to = append(to, version...)
	to = append(to, `","kind":"`...)
	to = append(to, res.Kind...)
	to = append(to, `",`...)
	return append(to, e.body...)
}

// Namespaces are the namespaces of the dump, sorted.
func (s *Saved) Namespaces() []string { return slices.Sorted(maps.Keys(s.names)) }

// Has reports whether the object of a UID is in the dump.
func (s *Saved) Has(uid string) bool { return s.uids[uid] }

// Complete reports whether everything of a kind in a namespace is there; without a
// namespace, in the cluster.
func (s *Saved) Complete(res kube.Resource, namespace string) bool {
	k := s.kinds[schema.GroupKind{Group: res.Group, Kind: res.Kind}]
	if k == nil {
		return false
	}
	return k.complete[namespace] || k.complete[""]
}

// Names are the names of a TYPE's objects in a namespace, sorted.
func (s *Saved) Names(typ, namespace string) (names []string) {
	for gk, k := range s.kinds {
		for _, e := range k.sorted {
			in := e.namespace == namespace || !k.res.Namespaced
			if in && resolve.Named(typ+"/"+e.name, object.ID{Group: gk.Group, Kind: gk.Kind, Name: e.name}) {
				names = append(names, e.name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Find returns the namespaces that have an object which is named so, as in deploy/web.
func (s *Saved) Find(arg string) (namespaces []string) {
	for gk, k := range s.kinds {
		for _, e := range k.sorted {
			if resolve.Named(arg, object.ID{Group: gk.Group, Kind: gk.Kind, Name: e.name}) {
				namespaces = append(namespaces, e.namespace)
			}
		}
	}
	slices.Sort(namespaces)
	return slices.Compact(namespaces)
}
