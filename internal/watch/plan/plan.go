// Package plan decides which streams there are: a pure function of what was asked for,
// of where children are sought, and of what runs already. A plan asks for as few streams
// as show everything that is wanted, and little beside it, and changes as little as it
// can of those that run. [Make] is its only way in; package watch carries plans out.
//
// Children are watched by their parents' selectors, merged into set-based ones, a few
// streams for a kind in a namespace; parents that come one by one are merged anew when
// there would be too many. A namespace is watched whole where its parents need more, have
// no label in common, or where a kind has no label that leads to its parent; the cluster,
// where namespaces are too many. No share of the namespace is estimated: selectors of
// parents that are found at once bring each child once and nothing else.
package plan

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Spec describes one source. It is comparable: equal specs are the same source.
// At most one of name and selectors is set; with neither, it is everything in
// the namespace or, without a namespace, in the cluster.
type Spec struct {
	Resource                  kube.Resource
	Namespace, Name, Selector string
	Fields                    string // a field selector, of selections only
	// Names is a fingerprint of the wanted names of a wider source, whose other
	// objects are dropped. 0: all are wanted.
	Names uint64
	Role  Role
	// Target is the number of the target that selects its roots by this source, or 0.
	Target int
	// Poll marks a selection beyond the budget of streams: it is polled.
	Poll bool
}

// Role is what a source of the plan is for.
type Role uint8

const (
	// Roots delivers what was asked for: named objects, or a selection (Target).
	Roots Role = iota
	// Children delivers what controllers generate. Objects that belong below nothing followed
	// stay hidden in the hub.
	Children
	// Search reads metadata to find objects by their owners. What it finds is read by sources
	// of its own.
	Search
	// Lookup asks discovery for a kind that is not known.
	Lookup
)

// Covers reports whether a completed list of the source would contain id.
func (s Spec) Covers(id object.ID) bool {
	if s.Resource.Group != id.Group || s.Resource.Kind != id.Kind || s.Selects() {
		return false
	}
	return s.Role == Lookup || (s.Namespace == "" || s.Namespace == id.Namespace) && (s.Name == "" || s.Name == id.Name)
}

// Selects reports whether the source has a label or field selector.
func (s Spec) Selects() bool { return s.Selector != "" || s.Fields != "" }

// Key identifies a running source.
func (s Spec) Key() string {
	k := s.Resource.String()
	if s.Role == Lookup {
		k = "kind " + schema.GroupKind{Group: s.Resource.Group, Kind: s.Resource.Kind}.String()
	}
	with := func(set bool, format string, value any) {
		if set {
			k += fmt.Sprintf(format, value)
		}
	}
	with(s.Namespace != "", " -n %s", s.Namespace)
	with(s.Name != "", " %s", s.Name)
	with(s.Selector != "", " -l %s", s.Selector)
	with(s.Fields != "", " --field-selector %s", s.Fields)
	with(s.Names != 0, " #%x", s.Names)
	with(s.Target != 0, " @%d", s.Target)
	with(s.Role == Children, " (%s)", "children")
	with(s.Role == Search, " (%s)", "owners")
	return k
}

// Area is a resource in a namespace.
type Area struct {
	Resource  kube.Resource
	Namespace string
}

// Searched is the area as a search reads it.
func (a Area) Searched() Area {
	a.Resource.Enc = kube.Metadata
	return a
}

// Area is where the source's objects are.
func (s Spec) Area() Area { return Area{s.Resource, s.Namespace} }

// Names are the names that are wanted, by their areas. The zero value is empty.
type Names struct {
	Areas []Area            // in the order in which they were added
	Of    map[Area][]string // distinct, but what several inventories need may come twice
}

// Add adds a name.
func (n *Names) Add(a Area, name string) {
	if n.Of == nil {
		n.Of = map[Area][]string{}
	}
	if n.Of[a] == nil {
		n.Areas = append(n.Areas, a)
	}
	n.Of[a] = append(n.Of[a], name)
}

// Input is all that a plan depends on.
type Input struct {
	Named Names
	// Selections are the sources of targets that select their roots.
	Selections []Spec
	// Needs are where the children of the followed parents are sought, as the hub reports them
	// and package edges knows: which kinds, in which namespace, by which labels.
	Needs []edges.Need
	// All says that the children of every parent are wanted.
	All bool
	// Have lists the running sources: a plan changes as few as possible.
	Have []Spec
	// Keeps reports whether a running source of a whole area hands on a name.
	Keeps func(s Spec, name string) bool
	// NotAsWhole reports that an area may not be watched as a whole.
	NotAsWhole func(Area) bool
	// Partial reports that a list of an area may lack some of its objects: each name is
	// asked for by itself.
	Partial func(Area) bool
	// Unreadable reports that an area may not be read (403), or is not served.
	Unreadable func(Area) bool
	// Known finds the resource of a child; false if it is not served.
	Known func(edges.Need) (kube.Resource, bool)
	// Relatives replaces a need without a kind by those of its project's kinds.
	Relatives func(edges.Need) []edges.Need
	// Found returns what searches of an area have found: objects that something followed
	// owns.
	Found func(Area) []object.ID
}

// The planner's limits.
const (
	// fewNames is how many names of one area are watched one by one, if that takes no
	// more than half of the budget: the area may hold very many others.
	fewNames = 10
	// FewSelectors bounds the streams for one area's children.
	FewSelectors = 4
	// Budget bounds the streams: API servers allow 100 (once 250) per HTTP/2 connection.
	Budget = 80
	// SelectionBudget bounds the streams of selections, beside those:
	// everything in a namespace is a stream per kind, and nothing narrower
	// shows it. They fill connections of their own, three at most.
	SelectionBudget = 3 * Budget
	// foundMost is how many objects of an area that a search has found are read one by one.
	foundMost = 6
	// longSelector bounds a merged selector (proxies limit URLs); the rest is another.
	longSelector = 2000
	// mergeAnew is how many parents of one area may have their running streams merged
	// anew. Every fourth parent that appears alone causes a new list of the earlier
	// children: with more parents the whole namespace is cheaper.
	mergeAnew = 40
)

// Make decides which sources are needed: first the roots', as the command line has them.
func Make(in Input) []Spec {
	specs := append(make([]Spec, 0, len(in.Selections)+Budget), in.Selections...)
	single := 0
	for _, a := range in.Named.Areas {
		n := in.Named.Of[a]
		switch {
		case !in.Partial(a) && slices.ContainsFunc(in.Selections, func(s Spec) bool {
			return s.Area() == a && !s.Selects()
		}):
			// a selection delivers the whole area anyway
		case len(n) == 1 || len(n) <= fewNames && single+len(n) <= Budget/2 || in.NotAsWhole(a) || in.Partial(a):
			single += len(n)
			for _, name := range n {
				specs = append(specs, Spec{Resource: a.Resource, Namespace: a.Namespace, Name: name})
			}
		default:
			all, more := wholeArea(in, a, n)
			specs = append(specs, all)
			single += len(more)
			for _, name := range more {
				specs = append(specs, Spec{Resource: a.Resource, Namespace: a.Namespace, Name: name})
			}
			// If the parents' selectors (each about as long as its parent's name) exceed an
			// area's streams, the namespace will be watched whole in the end, and so it is at
			// once, beside the parents' list.
			if in.All && a.Namespace != "" && len(strings.Join(n, ",")) > FewSelectors*longSelector {
				in.Needs = append(in.Needs, edges.Always(a.Resource.ID("", "").GroupKind(), a.Namespace)...)
			}
		}
	}
	var all []Spec
	for _, few := range []int{FewSelectors, 1} { // a namespace is narrower than the cluster: try that first
		if all = slices.Concat(specs, planChildren(in, specs, few)); len(all) <= Budget+len(in.Selections) {
			return all
		}
	}
	return collapse(in, all)
}

// wholeArea is the source of an area of which these names are wanted. One that runs
// already is kept, though some names are news: those are watched one by one, while they
// are few, because another source would list the whole area again.
func wholeArea(in Input, a Area, names []string) (all Spec, more []string) {
	exact := Spec{Resource: a.Resource, Namespace: a.Namespace, Names: fingerprint(names)}
	if slices.Contains(in.Have, exact) {
		return exact, nil
	}
	for _, s := range in.Have {
		if s.Area() != a || s.Names == 0 {
			continue
		}
		news := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return in.Keeps(s, name) })
		if len(news) <= fewNames && len(news) < len(names) {
			return s, news
		}
	}
	return exact, nil
}

// planChildren returns sources for the children that the roots' sources do not
// deliver: few for each area, or one for all of it.
func planChildren(in Input, roots []Spec, few int) (out []Spec) {
	areas := map[Area][]*edges.Need{}
	for needs := in.Needs; len(needs) > 0; needs = needs[1:] {
		n := &needs[0]
		if n.Kind == "" {
			needs = append(needs, in.Relatives(*n)...)
			continue
		}
		res, ok := in.Known(*n)
		if !ok {
			continue
		}
		a := Area{res, n.Namespace}
		areas[a] = append(areas[a], n)
		if other, ok := edges.Instead(*n); ok && in.Unreadable(a) {
			needs = append(needs, other)
		}
	}
	for _, a := range slices.SortedFunc(maps.Keys(areas), func(x, y Area) int {
		return cmp.Or(cmp.Compare(x.Namespace, y.Namespace),
			cmp.Compare(x.Resource.Plural, y.Resource.Plural), cmp.Compare(x.Resource.Group, y.Resource.Group))
	}) {
		out = append(out, planArea(in, a, areas[a], roots, few)...)
	}
	return out
}

// planArea plans the children of one area. RBAC does not distinguish a selector
// from a whole namespace: if the area is denied, a single source reports that.
func planArea(in Input, a Area, needs []*edges.Need, roots []Spec, few int) (out []Spec) {
	var delivered []Spec // by the roots' sources
	for _, s := range roots {
		if s.Resource == a.Resource && s.Names == 0 && s.Fields == "" &&
			(s.Namespace == "" || s.Namespace == a.Namespace) {
			delivered = append(delivered, s)
		}
	}
	needs = slices.DeleteFunc(needs, func(n *edges.Need) bool {
		return slices.ContainsFunc(delivered, func(s Spec) bool {
			return s.Name == n.Name && s.Name != "" ||
				s.Name == "" && (s.Selector == "" || s.Selector == edges.Format(n.Selector))
		})
	})
	all := Spec{Resource: a.Resource, Namespace: a.Namespace, Role: Children}
	if i := slices.IndexFunc(needs, func(n *edges.Need) bool { return n.Search }); i >= 0 {
		rest := slices.DeleteFunc(slices.Clone(needs), func(n *edges.Need) bool { return n.Search })
		return planSearch(in, a, all, planArea(in, a, rest, roots, few), roots)
	}
	byName := slices.ContainsFunc(needs, func(n *edges.Need) bool { return n.Name != "" })
	switch {
	case len(needs) == 0:
		return nil
	case slices.Contains(in.Have, all), slices.ContainsFunc(needs, (*edges.Need).Whole), in.NotAsWhole(a) && !byName:
		return []Spec{all}
	}
	// Keep running sources that cover a need, then cover the rest. A narrow one
	// that a wider one covers is not kept.
	var running []string
	for _, s := range in.Have {
		if s.Role == Children && s.Area() == a && s.Selector != "" {
			running = append(running, s.Selector)
		}
	}
	slices.SortFunc(running, func(x, y string) int { return cmp.Or(cmp.Compare(len(y), len(x)), cmp.Compare(x, y)) })
	names, kept := sets.Set[string]{}, sets.Set[string]{}
	each, open := map[string]object.Selector{}, map[string]object.Selector{}
	for _, n := range needs {
		if n.Name != "" {
			names.Insert(n.Name)
			continue
		}
		key := edges.Format(n.Selector)
		if _, again := each[key]; again {
			continue
		}
		each[key] = n.Selector
		if i := slices.IndexFunc(running, func(s string) bool { return edges.Covers(s, n.Selector) }); i >= 0 {
			kept.Insert(running[i])
		} else {
			open[key] = n.Selector
		}
	}
	selectors := append(sets.List(kept), merge(open)...)
	if len(names)+len(selectors) > FewSelectors && len(kept) > 0 && len(each) <= mergeAnew {
		selectors = merge(each)
	}
	if in.NotAsWhole(a) {
		few = FewSelectors
	}
	if len(names)+len(selectors) > few || slices.ContainsFunc(selectors,
		func(s string) bool { return len(s) > longSelector }) {
		return []Spec{all}
	}
	for _, name := range sets.List(names) {
		out = append(out, Spec{Resource: a.Resource, Namespace: a.Namespace, Name: name, Role: Children})
	}
	for _, sel := range slices.Sorted(slices.Values(selectors)) {
		out = append(out, Spec{Resource: a.Resource, Namespace: a.Namespace, Selector: sel, Role: Children})
	}
	return out
}

// planSearch plans a search of an area beside its other sources, and a source for each object that
// it has found; for many, one that delivers the area.
func planSearch(in Input, a Area, all Spec, others, roots []Spec) []Spec {
	if slices.Contains(others, all) || slices.Contains(in.Have, all) {
		return []Spec{all}
	}
	probe := all
	probe.Resource, probe.Role = a.Searched().Resource, Search
	out := append(others, probe)
	found := in.Found(a)
	if len(found) > foundMost || len(found) > 0 && a.Resource.Enc == kube.Metadata {
		return []Spec{all}
	}
	for _, id := range found {
		one := Spec{Resource: a.Resource, Namespace: id.Namespace, Name: id.Name, Role: Children}
		named := func(s Spec) bool {
			return s.Resource == one.Resource && s.Namespace == one.Namespace && s.Name == one.Name
		}
		if !slices.ContainsFunc(out, named) && !slices.ContainsFunc(roots, named) {
			out = append(out, one)
		}
	}
	return out
}

// merge writes selectors as few label selectors: those with different values of
// one label become one set-based selector, wider than its parts (owners are
// checked by UID later).
func merge(selectors map[string]object.Selector) (out []string) {
	open := maps.Clone(selectors)
	for len(open) > FewSelectors/2 {
		count, values := map[string]int{}, map[string]sets.Set[string]{}
		for _, s := range open {
			for _, l := range s.Match {
				if values[l.Key] == nil {
					values[l.Key] = sets.Set[string]{}
				}
				values[l.Key].Insert(l.Value)
				count[l.Key]++
			}
		}
		// The label that covers most; among equals the one with most values.
		best := ""
		for _, k := range slices.Sorted(maps.Keys(count)) {
			if count[k] > 1 &&
				cmp.Or(cmp.Compare(count[k], count[best]), cmp.Compare(len(values[k]), len(values[best]))) > 0 {
				best = k
			}
		}
		if best == "" {
			break
		}
		in := func(values []string) {
			out = append(out,
				edges.Format(object.Selector{Exprs: []object.Requirement{{Key: best, Operator: "In", Values: values}}}))
		}
		rest := sets.List(values[best])
		long, from := 0, 0
		for i, v := range rest {
			if long += len(v) + 1; long+len(best)+len(" in ()") > longSelector && i > from {
				in(rest[from:i])
				long, from = len(v)+1, i
			}
		}
		in(rest[from:])
		maps.DeleteFunc(open, func(_ string, s object.Selector) bool {
			return slices.ContainsFunc(s.Match, func(l object.Label) bool { return l.Key == best })
		})
	}
	return slices.AppendSeq(out, maps.Keys(open))
}

// collapse keeps the number of streams within the budget: the resource with
// most streams is watched in the whole cluster, if that is permitted.
func collapse(in Input, specs []Spec) []Spec {
	for len(specs) > Budget+len(in.Selections) {
		narrow := map[Spec][]string{} // the keys of those that a source would replace
		for _, s := range specs {
			if all := (Area{Resource: s.Resource}); s.Target == 0 && s.Role != Search &&
				s.Resource.Namespaced && !in.NotAsWhole(all) && !in.Partial(all) {
				wide := Spec{Resource: s.Resource, Role: s.Role}
				narrow[wide] = append(narrow[wide], s.Key())
			}
		}
		var best Spec
		for s, keys := range narrow {
			if n := len(narrow[best]); len(keys) > n || len(keys) == n && s.Key() < best.Key() {
				best = s
			}
		}
		if len(narrow[best]) < 2 {
			break
		}
		replaced := func(s Spec) bool {
			return s.Target == 0 && s.Role != Search && s.Resource == best.Resource && s.Role == best.Role
		}
		i := slices.IndexFunc(specs, replaced) // its place
		specs = append(specs[:i+1], slices.DeleteFunc(specs[i+1:], replaced)...)
		specs[i] = best
		if best.Role == Roots {
			specs[i].Names = fingerprint(narrow[best])
		}
	}
	return specs
}

// fingerprint hashes names; it is never 0.
func fingerprint(names []string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(slices.Sorted(slices.Values(names)), "\n")))
	return h.Sum64() | 1
}
