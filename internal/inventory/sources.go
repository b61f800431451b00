package inventory

import (
	"slices"
	"strings"

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
	// Written is a root's name after Short. Nil means the object's own.
	Written func(root object.ID) string

	// Group and Kind of the root. An empty Kind means that Match decides by the
	// object's shape.
	Group, Kind string
	// Plural and Selector say how roots are listed. If there are several kinds,
	// Many says which; with none of them, roots are only found by name.
	Plural, Selector string
	Many             Many
	// Match inspects an object of that kind. Nil accepts every object.
	Match func(o *object.Object) bool
	// Candidates lists the possible roots of a target that only names one, the
	// likeliest first.
	Candidates func(t Target) []Candidate
	// Past marks roots that lists omit, because a newer one replaces them. Nil
	// omits none.
	Past func(o Object) bool

	// Read decodes a root. False means that it holds no inventory. Nil means
	// that the root is no object: a Helm release.
	Read func(o Object) (Set, bool)

	// Owners returns the inventories that an object's labels and annotations
	// name as its own. They need not exist; those without a name do not count.
	Owners func(member *object.Object) []Target
	// Ignored is the reason why the writer excludes a member from its health,
	// or "".
	Ignored func(member *object.Object) string
	// MemberNote is the remark in a member's labels about its role, or "".
	MemberNote func(member *object.Object) string
}

// Many finds the kinds of a source whose kinds depend on the cluster, in one of
// these ways.
type Many struct {
	Categories []string // categories of discovery, as in "kubectl get composite"
	Label      string   // KEY=VALUE label of CustomResourceDefinitions
	Graphs     bool     // the kinds that kro's ResourceGraphDefinitions define
}

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
		if s.Read == nil || s.Group != "" && s.Group != o.Group || s.Kind != "" && (s.Kind != o.Kind || s.Group != o.Group) {
			continue
		}
		if s.Match == nil || s.Match(o) {
			return s
		}
	}
	return nil
}

// Owners returns the inventories that an object's labels and annotations name
// as its own, the most reliable first. They need not exist.
func Owners(o *object.Object) (out []Target) {
	for _, s := range Known {
		if s.Owners != nil {
			out = append(out, s.Owners(o)...)
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

// MemberNote is the remark in a member's own labels about its role.
func MemberNote(o *object.Object) string {
	for _, s := range Known {
		if s.MemberNote == nil {
			continue
		}
		if note := s.MemberNote(o); note != "" {
			return note
		}
	}
	return ""
}

// Argument names a root on the command line.
func (s *Source) Argument(root object.ID) string {
	switch {
	case s.Scheme == nil:
		return root.Kind + "." + root.Group + "/" + root.Name
	case s.Written != nil:
		return s.Short + "/" + s.Written(root)
	}
	return s.Short + "/" + root.Name
}

// WholeKind reports whether roots of a kind ("apps/Deployment") are decoded
// from the whole object, which saves a request for each.
func WholeKind(groupKind string) bool { return wholeKinds[groupKind] }

var wholeKinds = func() map[string]bool {
	kinds := map[string]bool{}
	for _, s := range Known {
		if s.Read != nil && s.Group != "" && s.Kind != "" {
			kinds[object.ID{Group: s.Group, Kind: s.Kind}.GroupKind()] = true
		}
	}
	return kinds
}()

// The building blocks of most sources.

func labelled(key string) func(*object.Object) bool {
	return func(o *object.Object) bool {
		_, ok := o.Label(key)
		return ok
	}
}

func listed(path ...string) func(Object) (Set, bool) {
	return func(o Object) (Set, bool) {
		var s Set
		s.references(s.listedAt(o, path...), o.Namespace, nil)
		s.unobserved(o)
		return s, true
	}
}

func refersTo(what func(Object) Member) func(Object) (Set, bool) {
	return func(o Object) (Set, bool) {
		s := Set{Members: []Member{checked(what(o), o.Name)}}
		s.unobserved(o)
		return s, true
	}
}

// unobserved makes a set pending if the root's status is about an older
// generation.
func (s *Set) unobserved(o Object) {
	if why, ok := o.behind(); ok {
		s.Pending = why
	}
}

// listedAt returns the list at a path, and notes whether it exists.
func (s *Set) listedAt(o Object, path ...string) []any {
	s.Unlisted = o.at(path...) == nil
	return o.list(path...)
}

// ownedBy is the root that a member names by type, namespace and name.
func ownedBy(typ, namespace, name string) []Target {
	return []Target{{Source: typ + "/" + name, Type: typ, Namespace: namespace, Name: name}}
}

// byLabels is for members with two labels that hold their root's namespace and
// name.
func byLabels(typ, namespaceKey, nameKey string) func(*object.Object) []Target {
	return func(o *object.Object) []Target {
		return ownedBy(typ, label(o, namespaceKey), label(o, nameKey))
	}
}

func label(o *object.Object, key string) string {
	v, _ := o.Label(key)
	return v
}

func annotation(o *object.Object, key string) string {
	v, _ := o.Annotation(key)
	return v
}

// mark is the value of an annotation or, without one, of a label.
func mark(o *object.Object, key string) string {
	if v, ok := o.Annotation(key); ok {
		return v
	}
	return label(o, key)
}

// groupOf is the group in an apiVersion with one.
func groupOf(apiVersion string) string {
	group, _, _ := strings.Cut(apiVersion, "/")
	return group
}
