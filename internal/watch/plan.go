package watch

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// spec says what one source delivers. It is comparable: equal specs are the
// same source. At most one of name and the selectors is set; with neither, it is
// everything in the namespace, or with an empty namespace in the cluster.
type spec struct {
	res                       kube.Resource
	namespace, name, selector string
	fields                    string // a field selector, of selections alone
	// names is a fingerprint of the names that are wanted of a wider source:
	// whatever else it delivers is dropped by the decoder. 0: nothing is.
	names uint64
	child bool
	// target is the number of the selection (plus one) that this source
	// answers; what it delivers are roots. 0: none.
	target int
	// poll marks a selection for which there is no stream left: it is asked for
	// again and again.
	poll bool
	// lookup marks a kind that is not known yet: the source asks discovery.
	lookup bool
}

// covers reports whether a completed list of the source would have shown id.
func (s spec) covers(id object.ID) bool {
	if s.res.Group != id.Group || s.res.Kind != id.Kind || s.selects() {
		return false
	}
	if s.lookup {
		return true
	}
	return (s.namespace == "" || s.namespace == id.Namespace) && (s.name == "" || s.name == id.Name)
}

// selects reports whether labels or fields decide what is delivered.
func (s spec) selects() bool { return s.selector != "" || s.fields != "" }

// rootWant is a root that was asked for by name, looked up.
type rootWant struct {
	res             kube.Resource
	namespace, name string
}

// selection is a target that selects its roots.
type selection struct {
	res                 kube.Resource
	namespace, selector string
	fields              string
	target              int       // number of the selection, plus one
	in                  object.ID // the root of the inventory that selects, or none
}

// area is a resource in a namespace.
type area struct {
	res       kube.Resource
	namespace string
}

// namedArea is an area with the names that are wanted of it, each once.
type namedArea struct {
	area
	names []string
	print uint64 // their fingerprint, once it was asked for
}

func (a *namedArea) fingerprint() uint64 {
	if a.print == 0 {
		a.print = fingerprint(a.names)
	}
	return a.print
}

// areasOf puts the names of an area together, in the order of asking.
func areasOf(named []rootWant) (out []*namedArea) {
	type names struct {
		*namedArea
		seen map[string]struct{}
	}
	at := map[area]names{}
	for _, r := range named {
		a, ok := at[area{r.res, r.namespace}]
		if !ok {
			a = names{&namedArea{area: area{r.res, r.namespace}}, map[string]struct{}{}}
			at[a.area] = a
			out = append(out, a.namedArea)
		}
		if _, twice := a.seen[r.name]; !twice {
			a.seen[r.name] = struct{}{}
			a.names = append(a.names, r.name)
		}
	}
	return out
}

// planInput is all that a plan depends on.
type planInput struct {
	named      []rootWant
	areas      []*namedArea // of named, where they are known
	selections []selection
	needs      []edges.Need
	// all tells that every parent's children are wanted.
	all bool
	// have lists the sources that run: a plan changes as little as it can.
	have []spec
	// count tells how many objects an area has, where that is known.
	count func(area) (int, bool)
	// denied tells that an area may not be watched as a whole.
	denied func(area) bool
	// unseen tells that nothing of an area may be read, or that it is not served.
	unseen func(area) bool
	// known finds the resource of a child; false when it is not served.
	known func(edges.Need) (kube.Resource, bool)
}

// The planner's limits.
const (
	// fewNames is up to how many names of one area are watched one by one
	// without asking how many objects there are.
	fewNames = 5
	// sparse is how many times more objects than wanted make names cheaper.
	sparse = 20
	// fewSelectors is up to how many streams one area's children may take.
	fewSelectors = 4
	// budget is how many streams there may be: an API server allows 100 in
	// one HTTP/2 connection (250 in older ones).
	budget = 80
	// selectionBudget is how many selections may have a stream, beside those:
	// everything in a namespace is a stream for each of its kinds, and nothing
	// narrower shows them. They fill connections of their own, three at most.
	selectionBudget = 3 * budget
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

// plan decides which sources are needed (first the roots', in the order in
// which they were asked for), and which areas have to be counted first.
func plan(in planInput) (specs []spec, counts []area) {
	named := in.areas
	if named == nil {
		named = areasOf(in.named)
	}
	for i, s := range in.selections {
		specs = append(specs, spec{res: s.res, namespace: s.namespace, selector: s.selector, fields: s.fields, target: s.target, poll: i >= selectionBudget})
	}
	single := 0
	var early []edges.Need
	for _, a := range named {
		n := a.names
		if whole := (spec{res: a.res, namespace: a.namespace}); slices.ContainsFunc(specs, func(s spec) bool {
			return s.res == whole.res && s.namespace == whole.namespace && !s.selects() && s.name == ""
		}) {
			continue // a selection shows all of the area anyway
		}
		one := len(n) <= fewNames || in.denied(a.area)
		if !one {
			few := single+len(n) < budget/2
			m, ok := in.count(a.area)
			if !ok && (few || in.all) {
				counts = append(counts, a.area)
			}
			if !ok && few {
				continue
			}
			one = few && m > sparse*len(n)
			if ok && in.all && !one && a.namespace != "" && m >= len(n)/2 && tooMany(n) {
				early = append(early, edges.Always(object.ID{Group: a.res.Group, Kind: a.res.Kind}.GroupKind(), a.namespace)...)
			}
		}
		if one {
			single += len(n)
			for _, name := range n {
				specs = append(specs, spec{res: a.res, namespace: a.namespace, name: name})
			}
			continue
		}
		specs = append(specs, spec{res: a.res, namespace: a.namespace, names: a.fingerprint()})
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
	return long > fewSelectors*longSelector
}

// planChildren finds sources for the children that no source of the roots
// delivers already. What runs is kept as long as it covers something.
func planChildren(in planInput, early []edges.Need, roots []spec) []spec {
	w := childWishes{in: &in, roots: roots, at: map[kindIn]*childArea{}}
	for i := range early {
		w.add(&early[i])
	}
	for i := range in.needs {
		w.add(&in.needs[i])
	}
	slices.SortFunc(w.areas, func(x, y *childArea) int {
		return cmp.Or(cmp.Compare(x.namespace, y.namespace), cmp.Compare(x.res.Plural, y.res.Plural))
	})
	var out []spec
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
	in    *planInput
	roots []spec
	at    map[kindIn]*childArea
	areas []*childArea
}

// childArea is what is sought in an area.
type childArea struct {
	area
	known  bool   // its kind is
	unseen bool   // nothing of it can be read
	roots  []spec // the roots' sources that deliver some of it, or all
	have   []spec // the children's sources that run
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
	k := kindIn{n.Group, n.Kind, n.Namespace}
	a := w.at[k]
	if a != nil {
		return a
	}
	a = &childArea{}
	w.at[k] = a
	res, ok := w.in.known(*n)
	if !ok {
		return a
	}
	w.areas = append(w.areas, a)
	a.area, a.known = area{res, n.Namespace}, true
	a.unseen = w.in.unseen(a.area)
	for _, s := range w.roots {
		if s.res == a.res && s.names == 0 && (s.namespace == "" || s.namespace == a.namespace) {
			a.roots = append(a.roots, s)
		}
	}
	for _, s := range w.in.have {
		if s.child && s.res == a.res && s.namespace == a.namespace {
			a.have = append(a.have, s)
			a.all = a.all || s.name == "" && s.selector == ""
		}
	}
	return a
}

// planArea plans the children of one area. Rights do not tell a selector from
// a whole namespace: where the area is denied, one source says so for all.
func planArea(in planInput, a *childArea) []spec {
	all := spec{res: a.res, namespace: a.namespace, child: true}
	if a.all || a.whole || in.denied(a.area) && len(a.names) == 0 {
		return []spec{all}
	}
	have := a.have
	var out []spec
	for _, n := range slices.Compact(slices.Sorted(slices.Values(a.names))) {
		out = append(out, spec{res: a.res, namespace: a.namespace, name: n, child: true})
	}
	// Keep what runs, and look what remains. What a wider one delivers as well is
	// no reason to keep a narrow one.
	slices.SortFunc(have, func(x, y spec) int {
		return cmp.Or(cmp.Compare(len(y.selector), len(x.selector)), cmp.Compare(x.selector, y.selector))
	})
	used := map[spec]bool{}
	var open, each []object.Selector
	seen := map[string]bool{}
	for _, sel := range a.selectors {
		key := edges.Format(sel)
		if seen[key] {
			continue
		}
		seen[key] = true
		each = append(each, sel)
		i := slices.IndexFunc(have, func(s spec) bool { return s.selector != "" && selectorCovers(s.selector, sel) })
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
			out = append(out, spec{res: a.res, namespace: a.namespace, selector: sel, child: true})
		}
	}
	add(open)
	if len(out) > fewSelectors && len(used) > 0 && len(each) <= mergeAnew {
		out = out[:single]
		add(each)
	}
	if len(out) > fewSelectors || slices.ContainsFunc(out, func(s spec) bool { return len(s.selector) > longSelector }) {
		return []spec{all}
	}
	slices.SortFunc(out[single:], func(x, y spec) int { return cmp.Compare(x.selector, y.selector) })
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
	return slices.ContainsFunc(a.roots, func(s spec) bool {
		return s.name == "" && s.fields == "" && (s.selector == "" || s.selector == sel) || s.name != "" && s.name == n.Name
	})
}

// merge writes selectors as few label selectors: those that ask for different
// values of one label become one set-based selector, wider than its parts
// (owners are checked by UID in the end).
func merge(sels []object.Selector) []string {
	var out []string
	open := slices.Clone(sels)
	for len(open) > fewSelectors/2 {
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
func collapse(in planInput, specs []spec) (_ []spec, counts []area) {
	type key struct {
		res   kube.Resource
		child bool
	}
	streams := func() (n int) {
		for _, s := range specs {
			if s.target == 0 {
				n++
			}
		}
		return n
	}
	if streams() <= budget {
		return specs, nil
	}
	tried := map[key]bool{}
	wanted := map[kube.Resource]int{}
	for _, r := range in.named {
		wanted[r.res]++
	}
	// A namespace is still narrower than the cluster.
	specs = oneEach(in, specs)
	for streams() > budget {
		n := map[key]int{}
		for _, s := range specs {
			k := key{s.res, s.child}
			if s.target == 0 && !s.lookup && s.res.Namespaced && !tried[k] && !in.denied(area{s.res, ""}) {
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
			m, ok := in.count(area{best.res, ""})
			if !ok {
				counts = append(counts, area{best.res, ""})
			}
			if !ok || m > wholeCluster*wanted[best.res] {
				continue
			}
		}
		wide := spec{res: best.res, child: best.child}
		var names []string
		var kept []spec
		at := -1
		for _, s := range specs {
			if s.res != best.res || s.child != best.child || s.target != 0 || s.lookup {
				kept = append(kept, s)
				continue
			}
			if at < 0 {
				at = len(kept)
			}
			names = append(names, s.namespace+"/"+s.name+"/"+strconv.FormatUint(s.names, 16))
		}
		if !wide.child {
			wide.names = fingerprint(names)
		}
		specs = slices.Insert(kept, at, wide)
	}
	return specs, counts
}

// oneEach has each area's children delivered by one stream.
func oneEach(in planInput, specs []spec) (out []spec) {
	streams := map[area]int{}
	for _, s := range specs {
		if a := (area{s.res, s.namespace}); s.child && !in.denied(a) {
			streams[a]++
		}
	}
	done := map[area]bool{}
	for _, s := range specs {
		a := area{s.res, s.namespace}
		switch {
		case !s.child || streams[a] < 2:
			out = append(out, s)
		case !done[a]:
			done[a] = true
			out = append(out, spec{res: a.res, namespace: a.namespace, child: true})
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
