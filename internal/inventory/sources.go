package inventory

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Source is one way in which a tool records what an apply created: how the user
// names it, where its root is found, how its list is decoded, and how members
// lead back to it. To add one, declare it in a source_*.go file and add it to
// Known.
type Source struct {
	// Name is for people: "Flux Kustomization". Short is the prefix on the
	// command line and in lists: "flux/ks".
	Name, Short string
	// Scheme is the syntax of Short on the command line. Nil means that a root
	// is only named by TYPE/NAME.
	Scheme *Scheme
	// NameInSource is the part of a SOURCE after Short/ that names a root. Nil means the object's own.
	NameInSource func(root object.ID) string

	// Group and Kind of the root. An empty Kind means that Match decides by the
	// object's shape.
	Group, Kind string
	// Selector says how roots are listed. Many says which kinds there are where
	// Kind does not; with neither, roots are only found by name.
	Selector string
	Many     Many
	// Match inspects an object of that kind. Nil accepts every object.
	Match func(o *object.Object) bool
	// Candidates lists the possible roots of a target that only names one, the
	// likeliest first.
	Candidates func(t Target) []Candidate
	// Past marks roots that lists omit, because a newer one replaces them. Nil
	// omits none.
	Past func(o *object.Object) bool

	// decode fills a set from a root. Nil means that the root is no object: a
	// Helm release.
	decode func(s *Set, o *object.Object)

	// Owner says which labels or annotations of a member name its root, and
	// InventoriesOf returns the roots where that is not enough. They need not exist;
	// those without a name do not count, and without a namespace any will do.
	Owner         Owner
	InventoriesOf func(member *object.Object) []Target
	// Ignored is the reason why the writer excludes a member from its health,
	// or "".
	Ignored func(member *object.Object) string
}

// Many finds the kinds of a source whose kinds depend on the cluster, in one of
// these ways.
type Many struct {
	Categories []string // categories of discovery, as in "kubectl get composite"
	Group      string   // all kinds of a group
	// Definitions is a kind whose objects define others: those with a label,
	// KEY=VALUE, or all of kro's.
	Definitions object.ID
	Label       string
}

// Owner are the keys under which a member names its root, in an annotation or a
// label. Without a namespace it is the member's own. Others may use the same
// keys: then Kind says whose they are.
type Owner struct{ Kind, Namespace, Name string }

// Known are all sources, in the order in which they are tried: those with lists
// of their own first, then ApplySets, then those that only refer, then those
// recognised by shape alone. An object's owners are looked up in the same order;
// Helm is last, because other tools apply through it.
var Known = slices.Concat(
	fluxSources, argoSources, cliutilsSources, carvelSources, timoniSources,
	applySetSources, clusterAPISources, olmSources, platformSources, crossplaneSources,
	helmSources,
)

// Recognise returns the source that may have an object as its root, or nil;
// Read decides. It costs a few comparisons.
func Recognise(o *object.Object) *Source {
	for i := range Known {
		s := &Known[i]
		if s.decode == nil || s.Group != "" && s.Group != o.Group ||
			s.Kind != "" && (s.Kind != o.Kind || s.Group != o.Group) {
			continue
		}
		if s.Match == nil || s.Match(o) {
			return s
		}
	}
	return nil
}

// Read decodes a root. False means that it holds no inventory.
func (s *Source) Read(o *object.Object) (set Set, ok bool) {
	s.decode(&set, o)
	set.Revision, set.Target, set.Taken = object.Clean(set.Revision), object.Clean(set.Target), object.Clean(set.Taken)
	set.Pending, set.Cluster = object.Clean(set.Pending), object.Clean(set.Cluster)
	set.Given.Message = object.Clean(set.Given.Message)
	if why, ok := behind(o); ok {
		set.Pending, set.Applying = why, false
	}
	if paused, _ := o.Bool("spec", "paused"); paused {
		set.note("paused")
	}
	if set.Cluster != "" && len(set.Members) > 0 {
		set.note("its members are in %s", set.Cluster)
	}
	return set, !set.none
}

// Decode recognises a root, and reads it from its whole body. Nil means that it
// holds no inventory.
func Decode(o *object.Object, body map[string]any) (*Source, Set) {
	if s := Recognise(o); s != nil {
		if set, ok := s.Read(&object.Object{ID: o.ID, Tree: body}); ok {
			return s, set
		}
	}
	return nil, Set{}
}

// InventoriesOf returns the inventories that an object's labels and annotations name
// as its own, the most reliable first. They need not exist.
func InventoriesOf(o *object.Object) (out []Target) {
	for _, s := range Known {
		if of := s.Owner; of.Kind == "" || annotationOrLabel(o, of.Kind) == s.Kind {
			out = append(out,
				ownedBy(s.Resource()+"."+s.Group,
					cmp.Or(annotationOrLabel(o, of.Namespace), o.Namespace), annotationOrLabel(o, of.Name))...)
		}
		if s.InventoriesOf != nil {
			out = append(out, s.InventoriesOf(o)...)
		}
	}
	return slices.DeleteFunc(out, func(t Target) bool { return t.Name == "" })
}

// Informational returns why a member does not count in the inventory with that
// root, or "". The marks of a writer apply to its own inventories only.
func Informational(root object.ID, o *object.Object) string {
	for _, s := range Known {
		if s.Ignored != nil && s.Group == root.Group && s.Kind == root.Kind {
			return s.Ignored(o)
		}
	}
	return ""
}

// Resource is the plural of the root's kind.
func (s *Source) Resource() string {
	plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: s.Kind})
	return plural.Resource
}

// Argument names a root on the command line.
func (s *Source) Argument(root object.ID) string {
	switch {
	case s.Scheme == nil:
		return root.Kind + "." + root.Group + "/" + root.Name
	case s.NameInSource != nil:
		return s.Short + "/" + s.NameInSource(root)
	}
	return s.Short + "/" + root.Name
}

// WholeKind reports whether roots of a kind ("apps/Deployment") are decoded
// from the whole object, which saves a request for each.
func WholeKind(groupKind string) bool {
	return slices.ContainsFunc(Known, func(s Source) bool {
		return s.decode != nil && s.Group != "" && s.Kind != "" &&
			object.ID{Group: s.Group, Kind: s.Kind}.GroupKind() == groupKind
	})
}

// The building blocks of most sources.

func labelled(key string) func(*object.Object) bool {
	return func(o *object.Object) bool {
		_, ok := o.Label(key)
		return ok
	}
}

func listed(path ...string) func(*Set, *object.Object) {
	return func(s *Set, o *object.Object) { s.references(s.listedAt(o, path...), o.Namespace, nil) }
}

// listedAt returns the list at a path, and notes whether it exists.
func (s *Set) listedAt(o *object.Object, path ...string) []any {
	s.Unlisted = object.At(o.Tree, path...) == nil
	return o.List(path...)
}

// ownedBy is the root that a member names by type, namespace and name.
func ownedBy(typ, namespace, name string) []Target {
	return []Target{{Source: typ + "/" + name, Type: typ, Namespace: namespace, Name: name}}
}

func label(o *object.Object, key string) string {
	v, _ := o.Label(key)
	return v
}

func annotation(o *object.Object, key string) string {
	v, _ := o.Annotation(key)
	return v
}

// annotationOrLabel is the value of an annotation or, without one, of a label.
func annotationOrLabel(o *object.Object, key string) string {
	return cmp.Or(annotation(o, key), label(o, key))
}
