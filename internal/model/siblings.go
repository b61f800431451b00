package model

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// builder builds the rows once.
type builder struct {
	w        *world.World
	t        *tree
	sel      *world.Node // the selected object, if the user chose it
	held     bool
	heldBack bool
	volumes  bool // an object that refers to a volume is open
	rows     []rowRef
	group    string // the group whose rows are being built
	plain    bool   // do not fold into a "more" row
	filter   uint32 // the run of match that marks the filter's result; 0 without a filter
}

func (b *builder) top() {
	t := b.t
	reorder, changed := b.w.TakeTops()
	t.reorder, t.newTops = t.reorder || reorder, t.newTops || changed
	if t.reorder || t.stale {
		if t.newTops || t.stale {
			t.newTops, t.topRoots = false, t.topRoots[:0]
			for _, n := range b.w.Roots {
				if n.IsTop() || b.lifts(n) {
					t.topRoots = append(t.topRoots, n)
				}
			}
		}
		if t.filter.active() {
			b.held = false
		}
		t.topShown = b.arrange(t.topShown, t.topRoots, &t.reorder)
	}
	if b.t.filter.active() {
		b.t.filtered++
		b.filter = b.t.filtered
		for _, n := range t.topShown {
			b.match(n)
		}
		b.levelOrGroups(nil)
		return
	}
	b.levelOrGroups(b.gaps())
}

// lifts reports whether a member of an inventory is a top-level row, not below
// its inventory: grouping by kind, status or wave groups the members.
func (b *builder) lifts(n *world.Node) bool {
	return b.t.group != GroupNone && b.t.group != "" && n.Root != nil && !n.Root.Kept && n.InTree
}

func (b *builder) levelOrGroups(tail []rowRef) {
	if b.t.group == GroupNone || b.t.group == "" {
		b.level(nil, b.t.topShown, 0, 0, tail)
		return
	}
	b.grouped(tail)
}

func (b *builder) match(n *world.Node) bool {
	own := b.t.filter.matches(b.w, n)
	some := own
	for _, k := range n.Kids {
		if b.match(k) {
			some = true
		}
	}
	if some {
		n.Filtered, n.Matched = b.filter, own
	}
	return some
}

// arrange returns kids in display order.
func (b *builder) arrange(shown, kids []*world.Node, again *bool) []*world.Node {
	if b.held && len(shown) > 0 {
		b.heldBack = b.heldBack || *again
		return b.amend(shown, kids)
	}
	*again = false
	// Worst first, stable among equals. With six ranks this is a counting sort.
	fine := 0
	var from [world.CurrentRank + 1]int
	for _, k := range kids {
		gauge(k)
		k.Grouped = b.mayGroup(k)
		if k.Grouped {
			fine++
		}
		from[k.Place]++
	}
	sum := 0
	for r, n := range from {
		from[r], sum = sum, sum+n
	}
	shown = slices.Grow(shown[:0], len(kids))[:len(kids)]
	for _, k := range kids {
		shown[from[k.Place]] = k
		from[k.Place]++
	}
	if b.t.sort != SortProblems || b.t.reversed {
		b.resort(shown)
	}
	whole := len(shown) == fine
	if fine < 2 || (whole && b.t.folding != foldCurrent) {
		for _, k := range shown {
			k.Grouped = false
		}
	}
	return shown
}

// resort puts siblings, which are sorted worst first, into the requested order.
func (b *builder) resort(shown []*world.Node) {
	slices.SortStableFunc(shown, func(x, y *world.Node) int {
		if b.t.reversed {
			return b.t.sort.compare(y, x)
		}
		return b.t.sort.compare(x, y)
	})
}

// amend keeps the order: it removes deleted nodes and adds new ones at the end.
func (b *builder) amend(shown, kids []*world.Node) []*world.Node {
	b.t.runs++
	here := b.t.runs
	for _, k := range kids {
		k.Arranged = here
	}
	group := false
	shown = slices.DeleteFunc(shown, func(k *world.Node) bool {
		if k.Arranged != here {
			return true
		}
		k.Arranged = 0
		group = group || k.Grouped
		return false
	})
	for _, k := range kids {
		if k.Arranged == here {
			gauge(k)
			k.Grouped = group && b.mayGroup(k)
			shown = append(shown, k)
		}
	}
	return shown
}

// gauge determines n's rank among its siblings. It opens automatically while a
// descendant is not Current.
func gauge(n *world.Node) {
	if n.Gauged {
		return
	}
	n.Gauged, n.Place = true, int8(n.Sub.Worst())
	below := n.Sub.Problems()
	if n.Assess.Status != status.Current {
		below--
	}
	n.AutoOpen = below > 0
}

// mayGroup reports whether a gauged node may be folded.
func (b *builder) mayGroup(k *world.Node) bool {
	if b.t.folding == foldNothing || k.Place != world.CurrentRank || (b.sel != nil && b.sel.Below(k)) {
		return false
	}
	if k.Acted() {
		return false
	}
	if k.Root != nil && k.Root.Kept { // it would look like a listed member
		return false
	}
	opened, set := b.t.folds[RowKey{ID: *k.ID}]
	return !set || !opened
}

func (b *builder) isOpen(n *world.Node) bool {
	if opened, ok := b.t.folds[RowKey{ID: *n.ID}]; ok {
		return opened
	}
	if b.t.folding == foldNothing || n.AutoOpen {
		return true
	}
	return b.sel != nil && b.sel != n && b.sel.Below(n)
}

// level adds the rows of siblings, and of their open children. tail are rows
// that follow at the same level.
func (b *builder) level(parent *world.Node, shown []*world.Node, depth int, guides uint64, tail []rowRef) {
	plain := b.plain
	b.plain = false // their children are not known yet
	inMore := func(k *world.Node) bool { return !plain && b.inGroup(k) }
	visible := b.visible
	if parent != nil {
		visible = b.visibleBelow
	}
	more, lastPlain := 0, -1
	var sub world.Tally
	for i, k := range shown {
		switch {
		case !visible(k):
		case inMore(k):
			more++
			sub[k.Sub.Worst()]++
		default:
			lastPlain = i
		}
	}
	moreKey := RowKey{Kind: RowMore}
	if parent != nil {
		moreKey.ID = *parent.ID
	} else {
		moreKey.Gap = b.group
	}
	moreOpen := b.t.folds[moreKey]
	for i, k := range shown {
		if !visible(k) || inMore(k) {
			continue
		}
		b.object(k, depth, guides, i == lastPlain && more == 0 && len(tail) == 0)
	}
	if more > 0 {
		fold := Closed
		if moreOpen {
			fold = Opened
		}
		b.rows = append(b.rows, rowRef{
			kind: RowMore, node: parent, depth: int32(depth), guides: guides, last: len(tail) == 0 && !moreOpen,
			fold: fold, matched: true, special: &special{gap: moreKey.Gap, count: more, sub: sub},
		})
		if moreOpen {
			seen := 0
			for _, k := range shown {
				if visible(k) && inMore(k) {
					seen++
					b.object(k, depth, guides, seen == more && len(tail) == 0)
				}
			}
		}
	}
	for i := range tail {
		r := tail[i]
		r.depth, r.guides, r.last = int32(depth), guides, i == len(tail)-1
		b.rows = append(b.rows, r)
	}
}

// inGroup: a node that was folded stays folded until the next arrangement,
// unless folding is switched off. A kept object that its inventory no longer
// lists comes out at once: it would look like a member.
func (b *builder) inGroup(k *world.Node) bool {
	return k.Grouped && b.filter == 0 && b.t.folding != foldNothing && (k.Root == nil || !k.Root.Kept)
}

func (b *builder) visible(k *world.Node) bool {
	if b.filter != 0 && k.Filtered != b.filter {
		return false
	}
	return b.t.scope != AppliedOnly || k.Root != nil
}

// visibleBelow is visible for children.
func (b *builder) visibleBelow(k *world.Node) bool { return b.visible(k) && !b.lifts(k) }

func (b *builder) object(n *world.Node, depth int, guides uint64, last bool) {
	filtered := b.filter != 0
	r := rowRef{kind: RowObject, node: n, depth: int32(depth), guides: guides, last: last, matched: !filtered || n.Matched}
	var refs []rowRef
	has := false
	if b.t.scope == WithReferences && !filtered {
		refs = b.references(n)
		has = len(refs) > 0
	}
	if len(n.Kids) > 0 && slices.ContainsFunc(n.Kids, b.visibleBelow) {
		has = true
	}
	if has {
		r.fold = Closed
		if filtered || b.isOpen(n) {
			r.fold = Opened
		}
	}
	b.rows = append(b.rows, r)
	if r.fold != Opened {
		return
	}
	if b.t.scope == WithReferences && volumeOf(n.Object) != "" {
		b.volumes = true
	}
	if n.Reorder || len(n.Shown) != len(n.Kids) || b.t.stale {
		if list := b.arrange(n.Shown, n.Kids, &n.Reorder); len(list) != len(n.Shown) || len(list) > 0 {
			n.Own().Shown = list
		}
	}
	if !last && depth < 64 {
		guides |= 1 << depth
	}
	b.level(n, n.Shown, depth+1, guides, refs)
}

// references are the objects that n refers to and that are elsewhere, or not
// known: the Pods of a slice, the volumes of a Pod.
func (b *builder) references(n *world.Node) []rowRef {
	var out []rowRef
	add := func(id object.ID) {
		for i := range out {
			if out[i].special.ref == id {
				return
			}
		}
		out = append(out, rowRef{kind: RowReference, node: b.w.Nodes[id], matched: true, special: &special{from: n, ref: id}})
	}
	if n.Object == nil {
		return nil
	}
	if e := n.Object.Endpoints; e != nil {
		for i := range e.Endpoints {
			if t := e.Endpoints[i].Target; !t.IsZero() {
				if k := b.w.Nodes[t]; k == nil || k.Parent != n {
					add(t)
				}
			}
		}
	}
	for _, r := range edges.References(n.Object) {
		if k := b.w.Nodes[r.To]; k == nil || k.Parent != n {
			add(r.To)
		}
	}
	if n.ID.Kind == "PodDisruptionBudget" && n.ID.Group == "policy" {
		// A selector is only matched against known objects.
		sel := edges.SelectorOf(n.Object)
		pods, _ := b.w.List("", "Pod", n.ID.Namespace)
		for _, p := range pods {
			if len(out) < mostReferences && edges.Selects(sel, p) {
				add(p.ID)
			}
		}
	}
	if v := volumeOf(n.Object); v != "" {
		// Only a VolumeAttachment names the volume and its node.
		list, _ := b.w.List(attachments.Group, attachments.Kind, "")
		for _, a := range list {
			if a.Str("spec", "source", "persistentVolumeName") == v && len(out) < mostReferences {
				add(a.ID)
			}
		}
	}
	return out
}

// attachments are only requested while a volume's references are open.
var attachments = object.ID{Group: "storage.k8s.io", Kind: "VolumeAttachment"}

// volumeOf is the volume of a bound claim, or of a volume itself.
func volumeOf(o *object.Object) string {
	switch {
	case o == nil:
		return ""
	case o.Claim != nil:
		return o.Claim.Volume
	case o.GroupKind() == "PersistentVolume":
		return o.Name
	}
	return ""
}

// mostReferences bounds the rows of a selector's references.
const mostReferences = 50

// gaps are the rows of objects that cannot be read.
func (b *builder) gaps() []rowRef {
	var keys []string
	for s := range b.w.Troubles() {
		if s.Kind == "Endpoints" && s.Children && b.w.InTrouble("discovery.k8s.io", "EndpointSlice", s.Namespace) {
			continue // children next to the slices: one row is enough
		}
		if t := gapText(s); t != "" && !slices.Contains(keys, t) {
			keys = append(keys, t)
		}
	}
	slices.Sort(keys)
	out := make([]rowRef, 0, len(keys))
	for _, k := range keys {
		out = append(out, rowRef{kind: RowGap, matched: true, special: &special{gap: k}})
	}
	return out
}

func gapText(s *feed.SourceState) string {
	if !s.Children || (s.Phase != feed.Forbidden && s.Phase != feed.NotServed) {
		return ""
	}
	if s.Phase == feed.NotServed {
		where := ""
		if s.Namespace != "" {
			where = " in " + s.Namespace
		}
		return s.Resource + where + ": not served by this cluster - children hidden"
	}
	hidden := "children"
	if s.Resource == "events" && s.Group == "" {
		hidden = "what they tell about causes"
	}
	return world.Refusal(s) + " - " + hidden + " hidden"
}
