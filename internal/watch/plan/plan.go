package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

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
	Child bool
	// Target is the number of the selection (plus one) whose roots this source
	// delivers. 0: none.
	Target int
	// Poll marks a selection beyond the budget of streams: it is polled.
	Poll bool
	// Lookup marks an unknown kind: the source asks discovery.
	Lookup bool
	// Ref marks what an explanation refers to: it is read now and then.
	Ref bool
	// Events marks a reader of events: the newest matter, not all.
	Events bool
}

// Covers reports whether a completed list of the source would contain id.
func (s Spec) Covers(id object.ID) bool {
	if s.Resource.Group != id.Group || s.Resource.Kind != id.Kind || s.Selects() {
		return false
	}
	if s.Lookup {
		return true
	}
	return (s.Namespace == "" || s.Namespace == id.Namespace) && (s.Name == "" || s.Name == id.Name)
}

// Selects reports whether the source has a label or field selector.
func (s Spec) Selects() bool { return s.Selector != "" || s.Fields != "" }

// Key identifies a running source.
func (s Spec) Key() string {
	k := s.Resource.String()
	if s.Lookup {
		k = "kind " + schema.GroupKind{Group: s.Resource.Group, Kind: s.Resource.Kind}.String()
	}
	flag := func(name, value string) {
		if value != "" {
			k += name + value
		}
	}
	flag(" -n ", s.Namespace)
	flag(" ", s.Name)
	flag(" -l ", s.Selector)
	flag(" --field-selector ", s.Fields)
	if s.Names != 0 {
		k += fmt.Sprintf(" #%x", s.Names)
	}
	if s.Target != 0 {
		k += fmt.Sprintf(" @%d", s.Target)
	}
	if s.Child {
		k += " (children)"
	}
	if s.Ref {
		k = "reference " + k
	}
	return k
}

// Wanted is a named root, with its resource.
type Wanted struct {
	Resource        kube.Resource
	Namespace, Name string
}

// Selection is a target that selects its roots.
type Selection struct {
	Resource            kube.Resource
	Namespace, Selector string
	Fields              string
	Target              int       // number of the selection, plus one
	In                  object.ID // root of the selecting inventory, or zero
}

// Area is a resource in a namespace.
type Area struct {
	Resource  kube.Resource
	Namespace string
}

// namedArea is an area with the names that are wanted of it.
type namedArea struct {
	Area
	names []string
}

// areasOf groups names by area, in the order of the command line.
func areasOf(named []Wanted) (out []*namedArea) {
	at := map[Area]*namedArea{}
	for _, r := range named {
		a := at[Area{r.Resource, r.Namespace}]
		if a == nil {
			a = &namedArea{Area: Area{r.Resource, r.Namespace}}
			at[a.Area] = a
			out = append(out, a)
		}
		a.names = append(a.names, r.Name)
	}
	return out
}

// Input is all that a plan depends on. The names are distinct, but what lies aside
// from several inventories may come twice.
type Input struct {
	Named      []Wanted
	Selections []Selection
	Needs      []edges.Need
	// All says that the children of every parent are wanted.
	All bool
	// Have lists the running sources: a plan changes as few as possible.
	Have []Spec
	// Denied reports that an area may not be watched as a whole.
	Denied func(Area) bool
	// Unseen reports that an area may not be read, or is not served.
	Unseen func(Area) bool
	// Known finds the resource of a child; false if it is not served.
	Known func(edges.Need) (kube.Resource, bool)
}

// The planner's limits.
const (
	// fewNames is how many names of one area are watched one by one, as long as
	// such watches take no more than half of the budget: the area may hold very
	// many others.
	fewNames = 10
	// FewSelectors bounds the streams for one area's children.
	FewSelectors = 4
	// Budget bounds the streams: an API server allows 100 per HTTP/2 connection
	// (250 in older versions).
	Budget = 80
	// selectionBudget bounds the streams of selections, beside those:
	// everything in a namespace is a stream per kind, and nothing narrower
	// shows it. They fill connections of their own, three at most.
	selectionBudget = 3 * Budget
	// longSelector bounds a merged selector (proxies limit URLs); the rest goes
	// into another one.
	longSelector = 2000
	// mergeAnew is how many parents of one area may have their running streams
	// replaced by newly merged ones. Every fourth parent that appears alone
	// causes a new list of the earlier children: with more parents the whole
	// namespace is cheaper.
	mergeAnew = 40
)

// Make decides which sources are needed (first those of the roots, in the order
// of the command line).
func Make(in Input) (specs []Spec) {
	for i, s := range in.Selections {
		specs = append(specs, Spec{Resource: s.Resource, Namespace: s.Namespace, Selector: s.Selector, Fields: s.Fields, Target: s.Target, Poll: i >= selectionBudget})
	}
	single := 0
	var early []edges.Need
	for _, a := range areasOf(in.Named) {
		n := a.names
		if whole := (Spec{Resource: a.Resource, Namespace: a.Namespace}); slices.ContainsFunc(specs, func(s Spec) bool {
			return s.Resource == whole.Resource && s.Namespace == whole.Namespace && !s.Selects() && s.Name == ""
		}) {
			continue // a selection delivers the whole area anyway
		}
		if len(n) == 1 || len(n) <= fewNames && single+len(n) <= Budget/2 || in.Denied(a.Area) {
			single += len(n)
			for _, name := range n {
				specs = append(specs, Spec{Resource: a.Resource, Namespace: a.Namespace, Name: name})
			}
			continue
		}
		specs = append(specs, Spec{Resource: a.Resource, Namespace: a.Namespace, Names: fingerprint(n)})
		if in.All && a.Namespace != "" && tooMany(n) {
			early = append(early, edges.Always(object.ID{Group: a.Resource.Group, Kind: a.Resource.Kind}.GroupKind(), a.Namespace)...)
		}
	}
	specs = append(specs, planChildren(in, early, specs)...)
	return collapse(in, specs)
}

// tooMany reports whether the selectors of parents with these names would
// exceed an area's streams, assuming that a selector is as long as its parent's
// name. The namespace would be watched whole in the end, and so it is at once,
// beside the parents' list.
func tooMany(names []string) bool {
	long := 0
	for _, n := range names {
		long += len(n) + len(",")
	}
	return long > FewSelectors*longSelector
}

// planChildren adds sources for the children that the roots' sources do not
// deliver. A running source is kept as long as it covers a need.
func planChildren(in Input, early []edges.Need, roots []Spec) []Spec {
	w := childWishes{in: &in, roots: roots, at: map[areaKind]*childArea{}}
	for i := range early {
		w.add(&early[i])
	}
	for i := range in.Needs {
		w.add(&in.Needs[i])
	}
	slices.SortFunc(w.areas, func(x, y *childArea) int {
		return cmp.Or(cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Resource.Plural, y.Resource.Plural))
	})
	var out []Spec
	for _, a := range w.areas {
		if a.wanted {
			out = append(out, planArea(in, a)...)
		}
	}
	return out
}

// childWishes groups needs by area. There are thousands of needs and few areas:
// facts about an area are computed once.
type childWishes struct {
	in    *Input
	roots []Spec
	at    map[areaKind]*childArea
	areas []*childArea
}

// areaKind is a kind in a namespace.
type areaKind struct{ group, kind, namespace string }

// childArea holds the needs in an area.
type childArea struct {
	Area
	known  bool   // its kind is known
	unseen bool   // it may not be read
	roots  []Spec // the roots' sources that deliver some or all of it
	have   []Spec // the running sources for children
	all    bool   // a need requires the whole area
	wanted bool

	selectors []object.Selector
	names     []string
	whole     bool
}

func (w *childWishes) add(n *edges.Need) {
	a := w.area(n)
	if !a.known {
		return
	}
	if a.unseen {
		if other, ok := edges.Instead(*n); ok {
			w.add(&other)
		}
	}
	if a.covers(n) {
		return
	}
	a.wanted = true
	switch {
	case n.Name != "":
		a.names = append(a.names, n.Name)
	case a.all:
	case n.Whole():
		a.whole = true
	default:
		a.selectors = append(a.selectors, n.Selector)
	}
}

// area returns the area of a need.
func (w *childWishes) area(n *edges.Need) *childArea {
	k := areaKind{n.Group, n.Kind, n.Namespace}
	a := w.at[k]
	if a != nil {
		return a
	}
	a = &childArea{}
	w.at[k] = a
	res, ok := w.in.Known(*n)
	if !ok {
		return a
	}
	w.areas = append(w.areas, a)
	a.Area, a.known = Area{res, n.Namespace}, true
	a.unseen = w.in.Unseen(a.Area)
	for _, s := range w.roots {
		if s.Resource == a.Resource && s.Names == 0 && (s.Namespace == "" || s.Namespace == a.Namespace) {
			a.roots = append(a.roots, s)
		}
	}
	for _, s := range w.in.Have {
		if s.Child && s.Resource == a.Resource && s.Namespace == a.Namespace {
			a.have = append(a.have, s)
			a.all = a.all || s.Name == "" && s.Selector == ""
		}
	}
	return a
}

// planArea plans the children of one area. RBAC does not distinguish a selector
// from a whole namespace: if the area is denied, a single source reports that.
func planArea(in Input, a *childArea) []Spec {
	all := Spec{Resource: a.Resource, Namespace: a.Namespace, Child: true}
	if a.all || a.whole || in.Denied(a.Area) && len(a.names) == 0 {
		return []Spec{all}
	}
	have := a.have
	var out []Spec
	for _, n := range slices.Compact(slices.Sorted(slices.Values(a.names))) {
		out = append(out, Spec{Resource: a.Resource, Namespace: a.Namespace, Name: n, Child: true})
	}
	// Keep running sources that cover a need, then cover the rest. A narrow one
	// that a wider one covers is not kept.
	slices.SortFunc(have, func(x, y Spec) int {
		return cmp.Or(cmp.Compare(len(y.Selector), len(x.Selector)), cmp.Compare(x.Selector, y.Selector))
	})
	used := map[Spec]bool{}
	var open, each []object.Selector
	seen := map[string]bool{}
	for _, sel := range a.selectors {
		key := edges.Format(sel)
		if seen[key] {
			continue
		}
		seen[key] = true
		each = append(each, sel)
		i := slices.IndexFunc(have, func(s Spec) bool { return s.Selector != "" && selectorCovers(s.Selector, sel) })
		if i < 0 {
			open = append(open, sel)
			continue
		}
		used[have[i]] = true
	}
	single := len(out)
	for _, s := range have {
		if used[s] {
			out = append(out, s)
		}
	}
	add := func(selectors []object.Selector) {
		for _, sel := range merge(selectors) {
			out = append(out, Spec{Resource: a.Resource, Namespace: a.Namespace, Selector: sel, Child: true})
		}
	}
	add(open)
	if len(out) > FewSelectors && len(used) > 0 && len(each) <= mergeAnew {
		out = out[:single]
		add(each)
	}
	if len(out) > FewSelectors || slices.ContainsFunc(out, func(s Spec) bool { return len(s.Selector) > longSelector }) {
		return []Spec{all}
	}
	slices.SortFunc(out[single:], func(x, y Spec) int { return cmp.Compare(x.Selector, y.Selector) })
	return out
}

// covers reports whether a source of the roots delivers the need.
func (a *childArea) covers(n *edges.Need) bool {
	if len(a.roots) == 0 {
		return false
	}
	sel := ""
	if !n.Whole() {
		sel = edges.Format(n.Selector)
	}
	return slices.ContainsFunc(a.roots, func(s Spec) bool {
		return s.Name == "" && s.Fields == "" && (s.Selector == "" || s.Selector == sel) || s.Name != "" && s.Name == n.Name
	})
}

// merge writes selectors as few label selectors: those with different values of
// one label become one set-based selector, wider than its parts (owners are
// checked by UID later).
func merge(sels []object.Selector) []string {
	var out []string
	open := slices.Clone(sels)
	for len(open) > FewSelectors/2 {
		keys := map[string]map[string]int{}
		for _, s := range open {
			for _, l := range s.Match {
				if keys[l.Key] == nil {
					keys[l.Key] = map[string]int{}
				}
				keys[l.Key][l.Value]++
			}
		}
		best, score := "", 1
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			n := 0
			for _, c := range keys[k] {
				n += c
			}
			// The label that covers most; among equals the one with most
			// values.
			if v := n*1000 + len(keys[k]); n > 1 && v > score {
				best, score = k, v
			}
		}
		if best == "" {
			break
		}
		in := func(values []string) {
			out = append(out, edges.Format(object.Selector{Exprs: []object.Requirement{{Key: best, Operator: "In", Values: values}}}))
		}
		values := slices.Sorted(maps.Keys(keys[best]))
		long, from := 0, 0
		for i, v := range values {
			if long += len(v) + 1; long+len(best)+len(" in ()") > longSelector && i > from {
				in(values[from:i])
				long, from = len(v)+1, i
			}
		}
		in(values[from:])
		open = slices.DeleteFunc(open, func(s object.Selector) bool {
			return slices.ContainsFunc(s.Match, func(l object.Label) bool { return l.Key == best })
		})
	}
	for _, s := range open {
		out = append(out, edges.Format(s))
	}
	slices.Sort(out)
	return out
}

// selectorCovers reports whether a running source's selector, as the planner
// wrote it, selects everything that sel does.
func selectorCovers(running string, sel object.Selector) bool {
	if running == edges.Format(sel) {
		return true
	}
	key, values, ok := strings.Cut(running, " in (")
	if !ok || !strings.HasSuffix(values, ")") || strings.ContainsAny(values[:len(values)-1], "()") || strings.Contains(key, ",") {
		return false
	}
	for _, l := range sel.Match {
		if l.Key == key {
			for v := range strings.SplitSeq(values[:len(values)-1], ",") {
				if v == l.Value {
					return true
				}
			}
		}
	}
	return false
}

// collapse keeps the number of streams within the budget: the resource with
// most streams is watched in the whole cluster, if that is permitted.
func collapse(in Input, specs []Spec) []Spec {
	type key struct {
		res   kube.Resource
		child bool
	}
	streams := func() (n int) {
		for _, s := range specs {
			if s.Target == 0 {
				n++
			}
		}
		return n
	}
	if streams() <= Budget {
		return specs
	}
	// A namespace is narrower than the cluster: try that first.
	specs = oneEach(in, specs)
	for streams() > Budget {
		n := map[key]int{}
		for _, s := range specs {
			k := key{s.Resource, s.Child}
			if s.Target == 0 && !s.Lookup && s.Resource.Namespaced && !in.Denied(Area{s.Resource, ""}) {
				n[k]++
			}
		}
		var best key
		for k, c := range n {
			if c > n[best] || c == n[best] && cmp.Compare(k.res.Plural, best.res.Plural) < 0 {
				best = k
			}
		}
		if n[best] < 2 {
			break
		}
		wide := Spec{Resource: best.res, Child: best.child}
		var names []string
		var kept []Spec
		at := -1
		for _, s := range specs {
			if s.Resource != best.res || s.Child != best.child || s.Target != 0 || s.Lookup {
				kept = append(kept, s)
				continue
			}
			if at < 0 {
				at = len(kept)
			}
			names = append(names, s.Namespace+"/"+s.Name+"/"+strconv.FormatUint(s.Names, 16))
		}
		if !wide.Child {
			wide.Names = fingerprint(names)
		}
		specs = slices.Insert(kept, at, wide)
	}
	return specs
}

// oneEach delivers the children of each area by one stream.
func oneEach(in Input, specs []Spec) (out []Spec) {
	streams := map[Area]int{}
	for _, s := range specs {
		if a := (Area{s.Resource, s.Namespace}); s.Child && !in.Denied(a) {
			streams[a]++
		}
	}
	done := map[Area]bool{}
	for _, s := range specs {
		a := Area{s.Resource, s.Namespace}
		switch {
		case !s.Child || streams[a] < 2:
			out = append(out, s)
		case !done[a]:
			done[a] = true
			out = append(out, Spec{Resource: a.Resource, Namespace: a.Namespace, Child: true})
		}
	}
	return out
}

// fingerprint hashes names; it is never 0.
func fingerprint(names []string) uint64 {
	n := slices.Clone(names)
	slices.Sort(n)
	h := uint64(14695981039346656037) // FNV-1a
	for _, s := range n {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return h | 1
}
