package rows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// builder builds the rows once.
type builder struct {
	*List
	*Settings
	world    *world.World
	causes   *world.Causes
	selected *world.Node    // nil if the user has not chosen a row
	held     bool           // rows must not move
	room     int            // rows that fit the screen
	places   map[string]int // the places of the causes that are problems, by ID
}

// Build builds the rows. While they are held they must not move: new ones come
// after their siblings. sel is the selected object, if the user chose it. What is
// Current is folded only if more than room rows would be needed without.
func (l *List) Build(w *world.World, x *world.Causes, s *Settings, sel *world.Node, held bool, room int) {
	b := builder{List: l, Settings: s, world: w, causes: x, selected: sel, held: held && !s.Filter.Active(), room: room}
	if !b.held {
		l.roomy = len(w.Tree.Roots) <= room
		b.places = map[string]int{}
		for i := range x.Causes {
			if world.IsProblem(&x.Causes[i]) {
				b.places[x.Causes[i].ID] = len(b.places)
			}
		}
	}
	b.build()
	if l.roomy && len(l.Refs) > room && !b.held {
		l.roomy = false
		b.build()
	}
}

func (b *builder) build() {
	b.Refs, b.order = b.Refs[:0], b.order[:0]
	w := b.world
	b.tops = b.tops[:0]
	for _, n := range w.Tree.Roots {
		if n.IsTop() || b.lifts(n) {
			b.tops = append(b.tops, n)
		}
	}
	b.top, b.kept = b.arrange(b.tops), nil
	if b.Filter.Active() {
		b.kept = map[*world.Node]bool{}
		for _, n := range b.top {
			b.match(n)
		}
	}
	if b.Group == GroupNone {
		b.siblings(nil, b.top, 0, "", false)
	} else {
		b.grouped()
	}
	if b.kept == nil {
		b.Refs = append(b.Refs, b.gaps()...)
	}
	b.connect()
}

// connect finds each row's guides, from the last row to the first.
func (b *builder) connect() {
	later := uint64(0) // the depths at which a row follows
	for i := len(b.Refs) - 1; i >= 0; i-- {
		r := &b.Refs[i]
		at := uint64(1) << r.Depth
		r.guides, r.last = later&(at-1), later&at == 0
		later = r.guides | at
	}
}

func (b *builder) match(n *world.Node) bool {
	own := b.Filter.Matches(b.world, b.causes, n)
	some := own
	for _, k := range n.Kids {
		some = b.match(k) || some
	}
	if some {
		b.kept[n] = own
	}
	return some
}

// inOrder sorts siblings, usually a list that is sorted already.
func inOrder(kids []*world.Node, compare func(x, y *world.Node) int) []*world.Node {
	if !slices.IsSortedFunc(kids, compare) {
		kids = slices.Clone(kids)
		slices.SortStableFunc(kids, compare)
	}
	return kids
}

// placed returns siblings in the order in which they were arranged, new ones
// last.
func placed(kids []*world.Node) []*world.Node {
	return inOrder(kids, func(x, y *world.Node) int { return cmp.Compare(uint32(x.Place-1), uint32(y.Place-1)) })
}

// arrange returns siblings in display order, and decides which of them are
// folded into one row. While rows must not move it only adds the new ones.
func (b *builder) arrange(kids []*world.Node) []*world.Node {
	held := b.held && slices.ContainsFunc(kids, func(k *world.Node) bool { return k.Place > 0 })
	folded := slices.ContainsFunc(kids, func(k *world.Node) bool { return k.Fold == foldGreen })
	if held {
		kids = placed(kids)
	} else {
		kids = b.sorted(kids)
	}
	var sizes map[string]int      // of the folds of what is not Current
	causes := map[string]string{} // by reason: a cause lists fewer objects than it counts
	for _, k := range kids {
		if k.Root == nil && k.Assess.Status != status.Current {
			if of := b.causes.Of(k); len(of) > 0 {
				causes[k.Lead.Reason] = of[0].ID
			}
		}
	}
	fine := 0
	for i, k := range kids {
		if !held || k.Place == 0 {
			k.Fold = ""
			if b.mayFoldOld(k) {
				k.Fold = foldOld
			} else if (!held || folded) && b.mayGroup(k) {
				k.Fold = foldGreen
			} else if b.mayFold(k) {
				k.Fold = k.ID.Kind + " " + string(k.Assess.Status) + " " + cmp.Or(causes[k.Lead.Reason], k.Lead.Reason)
			}
		}
		k.Place = int32(i + 1)
		switch k.Fold {
		case "":
		case foldGreen:
			fine++
		default:
			if sizes == nil {
				sizes = map[string]int{}
			}
			sizes[k.Fold]++
		}
	}
	green := held || fine >= 2 && (fine < len(kids) || b.Folding == FoldCurrent)
	for _, k := range kids {
		if k.Fold == foldGreen && !green || k.Fold != foldGreen && k.Fold != "" && sizes[k.Fold] < least(k.Fold) {
			k.Fold = ""
		}
	}
	return kids
}

// foldGreen is the fold of what is Current, foldOld that of the old ReplicaSets of a
// Deployment that have no Pods any more: the Deployment's pane lists the revisions.
const (
	foldGreen = "Current"
	foldOld   = "old revisions"
)

// least is how many siblings are folded into one row.
func least(fold string) int {
	if fold == foldOld {
		return 2
	}
	return leastAlike
}

// leastAlike is how many siblings with one status and one cause have one row.
const leastAlike = 4

// mayFold reports whether a generated object that is not Current may share a row
// with siblings of its kind, status and first cause, or reason while no cause is
// known. (Reasons alone change too often: ErrImagePull and ImagePullBackOff take
// turns.)
func (b *builder) mayFold(k *world.Node) bool {
	return b.Folding != FoldNothing && k.Root == nil && k.Assess.Status != status.Current && !b.Folds[Key{ID: *k.ID}] &&
		(b.selected == nil || !b.selected.Below(k))
}

// mayFoldOld reports whether k is an old ReplicaSet of a Deployment without Pods.
func (b *builder) mayFoldOld(k *world.Node) bool {
	if k.ID.Kind != "ReplicaSet" || k.Root != nil ||
		k.Assess.Status != status.Current || len(k.Kids) > 0 || b.Folding == FoldNothing ||
		b.Folds[Key{ID: *k.ID}] || b.selected != nil && b.selected.Below(k) || k.Object == nil ||
		k.Object.Workload == nil || k.Parent == nil {
		return false
	}
	newest := world.NewestRevision(k.Parent)
	return k.Object.Workload.Replicas.Or(1) == 0 && k.Object.Workload.StatusReplicas.V == 0 && newest != nil &&
		newest != k
}

// sorted returns siblings in the user's order, equal ones with the worst first.
func (b *builder) sorted(kids []*world.Node) []*world.Node {
	if !slices.IsSortedFunc(kids, SortProblems.compare) {
		for i := range b.by {
			b.by[i] = b.by[i][:0]
		}
		for _, k := range kids {
			r := k.Sub.Worst()
			b.by[r] = append(b.by[r], k)
		}
		from := len(b.order)
		for _, of := range b.by {
			b.order = append(b.order, of...)
		}
		kids = slices.Clip(b.order[from:])
	}
	compare := b.Sort.compare
	if b.Sort == SortProblems {
		if len(b.places) == 0 && !b.Reversed {
			return kids
		}
		compare = func(x, y *world.Node) int {
			return cmp.Or(SortProblems.compare(x, y), cmp.Compare(b.place(x), b.place(y)))
		}
	}
	return inOrder(kids, func(x, y *world.Node) int {
		if b.Reversed {
			x, y = y, x
		}
		return compare(x, y)
	})
}

// place is the place of a followed object's first problem among the causes. Without one it is the
// last, as are generated objects: they keep their order.
func (b *builder) place(n *world.Node) int {
	if len(b.places) == 0 || n.Root == nil || n.Sub.Problems() == 0 {
		return len(b.places)
	}
	if c := b.causes.FirstProblem(n); c != nil {
		if at, shown := b.places[c.ID]; shown {
			return at
		}
	}
	return len(b.places)
}

// mayGroup reports whether a node may be folded into a row with others.
func (b *builder) mayGroup(k *world.Node) bool {
	if b.Folding == FoldNothing || b.Folding == FoldAuto && b.roomy ||
		k.Sub.Problems() > 0 || b.causes.Acted(k) || (b.selected != nil && b.selected.Below(k)) {
		return false
	}
	if k.Root != nil && k.Root.Kept { // it would look like a listed member
		return false
	}
	return !b.Folds[Key{ID: *k.ID}]
}

// isOpen reports whether what is below n has rows: by itself while a descendant
// is not Current.
func (b *builder) isOpen(n *world.Node) bool {
	if opened, ok := b.Folds[Key{ID: *n.ID}]; ok {
		return opened
	}
	below := n.Sub
	below[n.Rank()]--
	return b.Folding == FoldNothing || below.Problems() > 0 ||
		b.selected != nil && b.selected != n && b.selected.Below(n)
}

// siblings adds the rows of siblings, and of what is open below them. Unless they are plain,
// those that are folded together have one row. At the top level, where there is no parent, group
// identifies the rows of folds.
func (b *builder) siblings(parent *world.Node, nodes []*world.Node, depth int, group string, plain bool) {
	hidden := func(k *world.Node) bool { return !b.visible(b.Settings, k) || parent != nil && b.lifts(k) }
	folded := func(k *world.Node) bool { return !plain && b.inGroup(k) }
	alike := map[string][]*world.Node{} // not Current, by their fold
	for _, k := range nodes {
		if k.Fold != "" && k.Fold != foldGreen && !hidden(k) && folded(k) {
			alike[k.Fold] = append(alike[k.Fold], k)
		}
	}
	var green []*world.Node
	for _, k := range nodes {
		if b.roomy && !b.held && len(b.Refs) > b.room {
			return // they do not fit
		}
		switch {
		case hidden(k):
		case folded(k) && k.Fold == foldGreen:
			green = append(green, k)
		case folded(k): // the row of the fold is where the first of its nodes would be
			b.foldedRow(parent, alike[k.Fold], depth, group+k.Fold, alike[k.Fold])
			delete(alike, k.Fold)
		default:
			b.object(k, depth)
		}
	}
	b.foldedRow(parent, green, depth, group, nil)
}

// foldedRow adds the one row of siblings that are folded together, and their own rows if the user
// has opened it. alike is the nodes if they are of one status and one cause.
func (b *builder) foldedRow(parent *world.Node, nodes []*world.Node, depth int, id string, alike []*world.Node) {
	if len(nodes) == 0 {
		return
	}
	r := Ref{
		Kind: More, Node: parent, Depth: int32(depth), matched: true,
		special: &special{gap: id, count: len(nodes), alike: alike},
	}
	for _, k := range nodes {
		r.special.sub[k.Sub.Worst()]++
	}
	r.Fold = foldOf(b.Folds[r.Key()])
	b.Refs = append(b.Refs, r)
	if r.Fold == Opened {
		for _, k := range nodes {
			b.object(k, depth)
		}
	}
}

func foldOf(open bool) Fold {
	if open {
		return Opened
	}
	return Closed
}

// inGroup: a node that was folded stays folded until the next arrangement,
// unless Folding is switched off. A kept object that its inventory no longer
// lists comes out at once: it would look like a member.
func (b *builder) inGroup(k *world.Node) bool {
	return k.Fold != "" && b.kept == nil && b.Folding != FoldNothing && (k.Root == nil || !k.Root.Kept)
}

// visible reports whether neither the filter nor the scope hides a node.
func (l *List) visible(s *Settings, n *world.Node) bool {
	_, kept := l.kept[n]
	return (kept || l.kept == nil) && (s.Scope != AppliedOnly || n.Root != nil)
}

func (b *builder) object(n *world.Node, depth int) {
	r := Ref{Kind: Object, Node: n, Depth: int32(depth), matched: b.kept == nil || b.kept[n]}
	var refs []Ref
	if b.Scope == WithReferences && b.kept == nil {
		refs = b.references(n)
	}
	if len(refs) > 0 || slices.ContainsFunc(n.Kids,
		func(k *world.Node) bool { return b.visible(b.Settings, k) && !b.lifts(k) }) {
		r.Fold = foldOf(b.kept != nil || b.isOpen(n))
	}
	b.Refs = append(b.Refs, r)
	if r.Fold != Opened {
		return
	}
	b.siblings(n, b.arrange(n.Kids), depth+1, "", false)
	for _, ref := range refs {
		ref.Depth = int32(depth + 1)
		b.Refs = append(b.Refs, ref)
	}
}

// references are the objects that n refers to and that are elsewhere, or not
// known: the Pods of a slice, the volumes of a Pod.
func (b *builder) references(n *world.Node) (out []Ref) {
	if n.Object == nil {
		return nil
	}
	var ids []object.ID
	if e := n.Object.Endpoints; e != nil {
		for i := range e.Endpoints {
			ids = append(ids, e.Endpoints[i].Target)
		}
	}
	for _, r := range edges.References(n.Object) {
		ids = append(ids, r.To)
	}
	most := len(ids) + mostReferences
	if n.ID.Kind == "PodDisruptionBudget" && n.ID.Group == "policy" {
		// A selector is only matched against known objects.
		sel := edges.SelectorOf(n.Object)
		for _, p := range b.world.List("", "Pod", n.ID.Namespace) {
			if edges.Selects(sel, p) {
				ids = append(ids, p.ID)
			}
		}
	}
	seen := map[object.ID]bool{{}: true}
	for _, id := range ids[:min(len(ids), most)] {
		if k := b.world.Tree.Nodes[id]; !seen[id] && (k == nil || k.Parent != n) {
			seen[id] = true
			out = append(out, Ref{Kind: Reference, Node: k, matched: true, special: &special{from: n, ref: id}})
		}
	}
	return out
}

// mostReferences bounds the rows of a selector's references.
const mostReferences = 50

// gaps are the rows of objects that cannot be read. What differs in its namespace alone is
// one row.
func (b *builder) gaps() []Ref {
	var keys []string
	spaces := map[string][]string{} // by the text without the namespace
	for _, s := range b.world.Sources.Trouble {
		if s.Kind == "Endpoints" && s.Children &&
			slices.ContainsFunc(b.world.Sources.Trouble, func(x *feed.SourceState) bool {
				return x.Kind == "EndpointSlice" && x.Namespace == s.Namespace
			}) {
			continue // children next to the slices: one row is enough
		}
		if t := gapText(s); t != "" {
			k := strings.Replace(t, " in "+s.Namespace, anyNamespace, 1)
			if s.Namespace == "" {
				k = t
			}
			spaces[k] = append(spaces[k], s.Namespace)
		}
	}
	for k, in := range spaces {
		slices.Sort(in)
		in = slices.Compact(in)
		where := " in " + in[0]
		switch more := len(in) - 1; more {
		case 0:
		case 1:
			where += " and " + in[1]
		default:
			where += fmt.Sprintf(" and %d more namespaces", more)
		}
		keys = append(keys, strings.Replace(k, anyNamespace, where, 1))
	}
	slices.Sort(keys)
	out := make([]Ref, 0, len(keys))
	depth := int32(0)
	if len(keys) > mostGaps {
		r := Ref{Kind: Gap, matched: true, special: &special{gap: manyGaps, count: len(keys)}}
		r.Fold = foldOf(b.Folds[r.Key()])
		out = append(out, r)
		if r.Fold == Closed {
			return out
		}
		depth = 1
	}
	for _, k := range keys {
		out = append(out, Ref{Kind: Gap, Depth: depth, matched: true, special: &special{gap: k}})
	}
	return out
}

// anyNamespace stands for " in NAMESPACE" in a text that is the same for several namespaces.
const anyNamespace = "\x00"

// More rows about what may not be read than mostGaps are one, manyGaps.
const (
	mostGaps = 4
	manyGaps = "permissions"
)

func gapText(s *feed.SourceState) string {
	what, hidden := world.Refusal(s), "children"
	switch {
	case (s.Phase == feed.Forbidden || world.Undiscovered(s)) && s.Selects && s.Objects == 0:
		hidden = "all of them"
	case !s.Children || (s.Phase != feed.Forbidden && s.Phase != feed.NotServed):
		return ""
	case s.Phase == feed.NotServed && strings.HasPrefix(s.Key, "reference "):
		return "" // an explanation asked whether such objects exist: there are none
	case s.Phase == feed.NotServed:
		what = strings.TrimSuffix(s.Resource+" in "+s.Namespace, " in ") + ": not served by this cluster"
	case s.Resource == "events" && s.Group == "":
		hidden = "causes from events"
	}
	return what + " - " + hidden + " hidden"
}
