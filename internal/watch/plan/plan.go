package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Spec says what one source delivers. It is comparable: equal specs are the
// same source. At most one of name and the selectors is set; with neither, it is
// everything in the namespace, or with an empty namespace in the cluster.
type Spec struct {
	Resource                  kube.Resource
	Namespace, Name, Selector string
	Fields                    string // a field selector, of selections alone
	// Names is a fingerprint of the names that are wanted of a wider source:
	// whatever else it delivers is dropped by the decoder. 0: nothing is.
	Names uint64
	Child bool
	// Target is the number of the selection (plus one) that this source
	// answers; what it delivers are roots. 0: none.
	Target int
	// Poll marks a selection for which there is no stream left: it is asked for
	// again and again.
	Poll bool
	// Lookup marks a kind that is not known yet: the source asks discovery.
	Lookup bool
}

// Covers reports whether a completed list of the source would have shown id.
func (s Spec) Covers(id object.ID) bool {
	if s.Resource.Group != id.Group || s.Resource.Kind != id.Kind || s.Selects() {
		return false
	}
	if s.Lookup {
		return true
	}
	return (s.Namespace == "" || s.Namespace == id.Namespace) && (s.Name == "" || s.Name == id.Name)
}

// Selects reports whether labels or fields decide what is delivered.
func (s Spec) Selects() bool { return s.Selector != "" || s.Fields != "" }

// Key names a source for as long as it lives.
func (s Spec) Key() string {
	k := s.Resource.String()
	if s.Lookup {
		k = "kind " + s.Resource.Kind
		if s.Resource.Group != "" {
			k += "." + s.Resource.Group
		}
	}
	if s.Namespace != "" {
		k += " -n " + s.Namespace
	}
	if s.Name != "" {
		k += " " + s.Name
	}
	if s.Selector != "" {
		k += " -l " + s.Selector
	}
	if s.Fields != "" {
		k += " --field-selector " + s.Fields
	}
	if s.Names != 0 {
		k += fmt.Sprintf(" #%x", s.Names)
	}
	if s.Target != 0 {
		k += fmt.Sprintf(" @%d", s.Target)
	}
	if s.Child {
		k += " (children)"
	}
	return k
}

// Wanted is a root that was asked for by name, looked up.
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
	In                  object.ID // the root of the inventory that selects, or none
}

// Area is a resource in a namespace.
type Area struct {
	Resource  kube.Resource
	Namespace string
}

// NamedArea is an area with the names that are wanted of it, each once.
type NamedArea struct {
	Area
	names []string
	print uint64 // their fingerprint, once it was asked for
}

func (a *NamedArea) fingerprint() uint64 {
	if a.print == 0 {
		a.print = fingerprint(a.names)
	}
	return a.print
}

// AreasOf puts the names of an area together, in the order of asking.
func AreasOf(named []Wanted) (out []*NamedArea) {
	type names struct {
		*NamedArea
		seen map[string]struct{}
	}
	at := map[Area]names{}
	for _, r := range named {
		a, ok := at[Area{r.Resource, r.Namespace}]
		if !ok {
			a = names{&NamedArea{Area: Area{r.Resource, r.Namespace}}, map[string]struct{}{}}
			at[a.Area] = a
			out = append(out, a.NamedArea)
		}
		if _, twice := a.seen[r.Name]; !twice {
			a.seen[r.Name] = struct{}{}
			a.names = append(a.names, r.Name)
		}
	}
	return out
}

// Input is all that a plan depends on.
type Input struct {
	Named      []Wanted
	Areas      []*NamedArea // of named, where they are known
	Selections []Selection
	Needs      []edges.Need
	// All tells that every parent's children are wanted.
	All bool
	// Have lists the sources that run: a plan changes as little as it can.
	Have []Spec
	// Count tells how many objects an area has, where that is known.
	Count func(Area) (int, bool)
	// Denied tells that an area may not be watched as a whole.
	Denied func(Area) bool
	// Unseen tells that nothing of an area may be read, or that it is not served.
	Unseen func(Area) bool
	// Known finds the resource of a child; false when it is not served.
	Known func(edges.Need) (kube.Resource, bool)
}

// The planner's limits.
const (
	// fewNames is up to how many names of one area are watched one by one
	// without asking how many objects there are.
	fewNames = 5
	// sparse is how many times more objects than wanted make names cheaper.
	sparse = 20
	// FewSelectors is up to how many streams one area's children may take.
	FewSelectors = 4
	// Budget is how many streams there may be: an API server allows 100 in
	// one HTTP/2 connection (250 in older ones).
	Budget = 80
	// selectionBudget is how many selections may have a stream, beside those:
	// everything in a namespace is a stream for each of its kinds, and nothing
	// narrower shows them. They fill connections of their own, three at most.
	selectionBudget = 3 * Budget
	// wholeCluster is up to how many times more objects than wanted, in the whole
	// cluster, its namespaces may become one stream.
	wholeCluster = 10
	// longSelector is how long a merged selector may be (proxies limit the length
	// of URLs); what does not fit goes into another one.
	longSelector = 2000
	// mergeAnew is up to how many parents of one area give up the streams that
	// run for merged ones, when there would be too many. Every fourth that comes
	// alone has what was found until then listed again: more than this is worth
	// the namespace.
	mergeAnew = 40
)

// Make decides which sources are needed (first the roots', in the order in
// which they were asked for), and which areas have to be counted first.
func Make(in Input) (specs []Spec, counts []Area) {
	named := in.Areas
	if named == nil {
		named = AreasOf(in.Named)
	}
	for i, s := range in.Selections {
		specs = append(specs, Spec{Resource: s.Resource, Namespace: s.Namespace, Selector: s.Selector, Fields: s.Fields, Target: s.Target, Poll: i >= selectionBudget})
	}
	single := 0
	var early []edges.Need
	for _, a := range named {
		n := a.names
		if whole := (Spec{Resource: a.Resource, Namespace: a.Namespace}); slices.ContainsFunc(specs, func(s Spec) bool {
			return s.Resource == whole.Resource && s.Namespace == whole.Namespace && !s.Selects() && s.Name == ""
		}) {
			continue // a selection shows all of the area anyway
		}
		one := len(n) <= fewNames || in.Denied(a.Area)
		if !one {
			few := single+len(n) < Budget/2
			m, ok := in.Count(a.Area)
			if !ok && (few || in.All) {
				counts = append(counts, a.Area)
			}
			if !ok && few {
				continue
			}
			one = few && m > sparse*len(n)
			if ok && in.All && !one && a.Namespace != "" && m >= len(n)/2 && tooMany(n) {
				early = append(early, edges.Always(object.ID{Group: a.Resource.Group, Kind: a.Resource.Kind}.GroupKind(), a.Namespace)...)
			}
		}
		if one {
			single += len(n)
			for _, name := range n {
				specs = append(specs, Spec{Resource: a.Resource, Namespace: a.Namespace, Name: name})
			}
			continue
		}
		specs = append(specs, Spec{Resource: a.Resource, Namespace: a.Namespace, Names: a.fingerprint()})
	}
	specs = append(specs, planChildren(in, early, specs)...)
	specs, more := collapse(in, specs)
	return specs, append(counts, more...)
}

// tooMany reports whether the selectors of parents with these names would not fit
// into as few streams as an area's children may take, were they as long as the
// names, as they mostly are. Their namespace is watched whole in the end, and may
// as well be at once, beside the parents' own list.
func tooMany(names []string) bool {
	long := 0
	for _, n := range names {
		long += len(n) + len(",")
	}
	return long > FewSelectors*longSelector
}

// planChildren finds sources for the children that no source of the roots
// delivers already. What runs is kept as long as it covers something.
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

// childWishes are the needs by the areas in which they seek. There are thousands
// of needs and few areas: whatever can be said of an area is found out once.
type childWishes struct {
	in    *Input
	roots []Spec
	at    map[areaKind]*childArea
	areas []*childArea
}

// areaKind is a kind in a namespace.
type areaKind struct{ group, kind, namespace string }

// childArea is what is sought in an area.
type childArea struct {
	Area
	known  bool   // its kind is
	unseen bool   // nothing of it can be read
	roots  []Spec // the roots' sources that deliver some of it, or all
	have   []Spec // the children's sources that run
	all    bool   // it is watched as a whole, whatever is sought
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

// area is where n seeks.
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

// planArea plans the children of one area. Rights do not tell a selector from
// a whole namespace: where the area is denied, one source says so for all.
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
	// Keep what runs, and look what remains. What a wider one delivers as well is
	// no reason to keep a narrow one.
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

// covers reports whether a source of the roots delivers what is needed.
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

// merge writes selectors as few label selectors: those that ask for different
// values of one label become one set-based selector, wider than its parts
// (owners are checked by UID in the end).
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
			// Covers most; among equals, the label that tells them apart best.
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
// wrote it, delivers all that sel selects.
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

// collapse keeps the number of streams within the budget: the resource that
// takes most of them is watched in the whole cluster, where that is allowed and
// what was asked for is not lost among others. It returns too what has to be
// counted to know that.
func collapse(in Input, specs []Spec) (_ []Spec, counts []Area) {
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
		return specs, nil
	}
	tried := map[key]bool{}
	wanted := map[kube.Resource]int{}
	for _, r := range in.Named {
		wanted[r.Resource]++
	}
	// A namespace is still narrower than the cluster.
	specs = oneEach(in, specs)
	for streams() > Budget {
		n := map[key]int{}
		for _, s := range specs {
			k := key{s.Resource, s.Child}
			if s.Target == 0 && !s.Lookup && s.Resource.Namespaced && !tried[k] && !in.Denied(Area{s.Resource, ""}) {
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
		tried[best] = true
		if !best.child {
			m, ok := in.Count(Area{best.res, ""})
			if !ok {
				counts = append(counts, Area{best.res, ""})
			}
			if !ok || m > wholeCluster*wanted[best.res] {
				continue
			}
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
	return specs, counts
}

// oneEach has each area's children delivered by one stream.
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

// fingerprint is never 0.
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
