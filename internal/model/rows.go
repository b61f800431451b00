package model

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The tree as rows. Facts change many times a second; rows must not move that
// often. So the order of siblings, which of them are folded into one row, and
// which rows are open by themselves is an arrangement that is remembered in
// the nodes and made anew only when a status class changed, and never within
// calm of the last key: until then new rows are added at the end of their
// siblings and vanished ones taken out.

// calm is how long after a key rows stay where they are.
const calm = 2 * time.Second

// folding is what z and Z choose.
type folding uint8

const (
	foldAuto    folding = iota // problems open, Current siblings in one row
	foldCurrent                // everything Current in one row
	foldNothing
)

// rowRef is a row before anybody looks at it.
type rowRef struct {
	kind    RowKind
	node    *node // nil for gaps, and for RowMore at the top
	from    *node // references: who refers
	ref     status.ID
	gap     string
	depth   int
	guides  uint64
	last    bool
	fold    Fold
	matched bool
	count   int
}

func (r *rowRef) key() RowKey {
	k := RowKey{Kind: r.kind, Gap: r.gap}
	switch {
	case r.kind == RowReference:
		k.ID, k.From = r.ref, r.from.id
	case r.node != nil:
		k.ID = r.node.id
	}
	return k
}

// tree holds the rows and what the user did to them.
type tree struct {
	rows     []rowRef
	built    uint64 // world.structure when rows were built
	stale    bool   // something else calls for building them again
	runs     uint64 // of amend
	pending  bool   // the arrangement was held back
	sel      RowKey
	home     RowKey // the selection before a filter hid it; zero where no filter is active
	selIndex int
	touched  bool // the user has chosen the selection
	anchor   int  // the line of the window that the selection stands on
	lastKey  time.Time

	folds    map[RowKey]bool // true: opened, false: closed
	folding  folding
	scope    Scoping
	filter   filter
	group    Grouping
	sort     Sorting
	reversed bool

	causes  []Cause          // what grouping by cause goes by
	labels  map[*node]string // the groups of the top level
	tallies map[string]tally // what each group holds
}

// arrangeRows brings rows up to date with the world.
func (t *tree) arrangeRows(w *world, force bool) {
	held := !force && t.touched && w.now.Sub(t.lastKey) < calm
	if !t.stale && t.built == w.structure && (held || !t.pending) {
		return
	}
	b := builder{w: w, t: t, held: held, rows: t.rows[:0]}
	if t.touched {
		b.sel = w.nodes[t.sel.ID]
		if t.home != (RowKey{}) {
			b.sel = w.nodes[t.home.ID] // so that it has a row when the filter goes
		}
	}
	b.top()
	t.rows = b.rows
	t.built, t.stale, t.pending = w.structure, false, b.heldBack
	t.reselect(w)
}

// reselect finds the selected row again.
func (t *tree) reselect(w *world) {
	if !t.filter.active() {
		// Without a filter it is found now or never: what comes back an hour
		// later must not take the selection away.
		defer func() { t.home = RowKey{} }()
	}
	if len(t.rows) == 0 {
		t.selIndex = -1
		return
	}
	was := t.selIndex
	t.selIndex = -1
	if !t.touched {
		t.selIndex = 0
		t.sel = t.rows[0].key()
		return
	}
	for _, k := range [2]RowKey{t.home, t.sel} {
		if k == (RowKey{}) {
			continue
		}
		if i := t.indexOf(w, k, was); i >= 0 {
			t.selIndex, t.sel = i, k
			return
		}
	}
	// Folded away or filtered out: the nearest ancestor that has a row. Gone:
	// whatever stands in its place.
	for n := w.nodes[t.sel.ID]; n != nil; n = n.parent {
		for i := range t.rows {
			if t.rows[i].kind == RowObject && t.rows[i].node == n {
				t.selIndex, t.sel = i, t.rows[i].key()
				return
			}
		}
	}
	t.selIndex = min(max(was, 0), len(t.rows)-1)
	t.sel = t.rows[t.selIndex].key()
}

// indexOf is the index of the row with that key, or -1. It mostly stands where
// it was.
func (t *tree) indexOf(w *world, k RowKey, was int) int {
	if was >= 0 && was < len(t.rows) && t.rows[was].is(k) {
		return was
	}
	if k.Kind != RowObject {
		return slices.IndexFunc(t.rows, func(r rowRef) bool { return r.is(k) })
	}
	n := w.nodes[k.ID]
	if n == nil {
		return -1
	}
	for i := range t.rows {
		if t.rows[i].kind == RowObject && t.rows[i].node == n {
			return i
		}
	}
	return -1
}

func (r *rowRef) is(k RowKey) bool {
	if r.kind != k.Kind {
		return false
	}
	if r.kind == RowObject {
		return r.node.id == k.ID
	}
	return r.key() == k
}

// choose selects the row at index i.
func (t *tree) choose(i, window int) {
	if len(t.rows) == 0 {
		return
	}
	i = min(max(i, 0), len(t.rows)-1)
	t.anchor = min(max(t.anchor+i-max(t.selIndex, 0), 0), max(window-1, 0))
	if i == 0 {
		t.anchor = 0
	}
	// The row that was kept visible for the selection's sake may be folded now.
	if t.selIndex >= 0 && t.selIndex < len(t.rows) {
		if n := t.rows[t.selIndex].node; n != nil {
			for ; n != nil; n = n.parent {
				n.reorder = true
			}
			t.pending = true
		}
	}
	t.selIndex, t.sel, t.touched, t.home = i, t.rows[i].key(), true, RowKey{}
}

// topRow is the first row of a window of that height.
func (t *tree) topRow(window int) int {
	if t.selIndex < 0 || window <= 0 {
		return 0
	}
	top := t.selIndex - min(t.anchor, window-1)
	return max(min(top, len(t.rows)-window), 0)
}

// builder makes the rows once.
type builder struct {
	w        *world
	t        *tree
	sel      *node // the selected object, when the user has chosen it
	held     bool
	heldBack bool
	rows     []rowRef
	group    string         // the group whose rows are being made
	plain    bool           // nothing of it goes into a "more" row
	matches  map[*node]bool // with a filter: those that match (true) or hold one that does
}

func (b *builder) top() {
	w := b.w
	if w.topReorder || b.t.stale {
		tops := make([]*node, 0, len(w.roots))
		for _, n := range w.roots {
			if n.isTop() {
				tops = append(tops, n)
			}
		}
		if b.t.filter.active() {
			b.held = false
		}
		w.top = b.arrange(w.top, tops, &w.topReorder)
	}
	if b.t.filter.active() {
		b.matches = map[*node]bool{}
		for _, n := range w.top {
			b.match(n)
		}
		b.levelOrGroups(nil)
		return
	}
	b.levelOrGroups(b.gaps())
}

func (b *builder) levelOrGroups(tail []rowRef) {
	if b.t.group == GroupNone || b.t.group == "" {
		b.level(nil, b.w.top, 0, 0, tail)
		return
	}
	b.grouped(tail)
}

func (b *builder) match(n *node) bool {
	own := b.t.filter.matches(b.w, n)
	some := own
	for _, k := range n.kids {
		if b.match(k) {
			some = true
		}
	}
	if some {
		b.matches[n] = own
	}
	return some
}

// arrange returns kids in display order.
func (b *builder) arrange(shown, kids []*node, again *bool) []*node {
	if b.held && len(shown) > 0 {
		b.heldBack = b.heldBack || *again
		return b.amend(shown, kids)
	}
	*again = false
	// The worst first, and among equals the order stays: what stands before,
	// stays before. There are six ranks, so this takes no comparisons.
	fine := 0
	var from [currentRank + 1]int
	for _, k := range kids {
		k.autoOpen = k.wantsOpen()
		k.grouped = b.mayGroup(k)
		if k.grouped {
			fine++
		}
		k.place = int8(k.sub.worst())
		from[k.place]++
	}
	sum := 0
	for r, n := range from {
		from[r], sum = sum, sum+n
	}
	shown = slices.Grow(shown[:0], len(kids))[:len(kids)]
	for _, k := range kids {
		shown[from[k.place]] = k
		from[k.place]++
	}
	if b.t.sort != SortProblems || b.t.reversed {
		b.resort(shown)
	}
	whole := len(shown) == fine
	if fine < 2 || (whole && b.t.folding != foldCurrent) {
		for _, k := range shown {
			k.grouped = false
		}
	}
	return shown
}

// resort puts siblings, which stand with the worst first, in the order asked for.
func (b *builder) resort(shown []*node) {
	slices.SortStableFunc(shown, func(x, y *node) int {
		if b.t.reversed {
			return b.t.sort.compare(y, x)
		}
		return b.t.sort.compare(x, y)
	})
}

// amend keeps the order: what vanished is taken out, what is new comes last.
func (b *builder) amend(shown, kids []*node) []*node {
	b.t.runs++
	here := b.t.runs
	for _, k := range kids {
		k.arranged = here
	}
	group := false
	shown = slices.DeleteFunc(shown, func(k *node) bool {
		if k.arranged != here {
			return true
		}
		k.arranged = 0
		group = group || k.grouped
		return false
	})
	for _, k := range kids {
		if k.arranged == here {
			k.autoOpen = k.wantsOpen()
			k.grouped = group && b.mayGroup(k)
			shown = append(shown, k)
		}
	}
	return shown
}

// wantsOpen: a row is open by itself while something below it is not Current.
func (n *node) wantsOpen() bool {
	p := n.sub.problems()
	if n.assess.Status != status.Current {
		p--
	}
	return p > 0
}

func (b *builder) mayGroup(k *node) bool {
	if b.t.folding == foldNothing || k.sub.problems() > 0 || (b.sel != nil && b.sel.below(k)) {
		return false
	}
	if k.root != nil && k.root.Kept { // it would pass for one that is still listed
		return false
	}
	opened, set := b.t.folds[RowKey{ID: k.id}]
	return !set || !opened
}

func (b *builder) isOpen(n *node) bool {
	if opened, ok := b.t.folds[RowKey{ID: n.id}]; ok {
		return opened
	}
	if b.t.folding == foldNothing || n.autoOpen {
		return true
	}
	return b.sel != nil && b.sel != n && b.sel.below(n)
}

// level adds the rows of siblings, and of what is open below them. tail are
// rows that follow the siblings at the same level.
func (b *builder) level(parent *node, shown []*node, depth int, guides uint64, tail []rowRef) {
	plain := b.plain
	b.plain = false // of what is below, nothing is known yet
	inMore := func(k *node) bool { return !plain && b.inGroup(k) }
	more, lastPlain := 0, -1
	for i, k := range shown {
		switch {
		case !b.visible(k):
		case inMore(k):
			more++
		default:
			lastPlain = i
		}
	}
	moreKey := RowKey{Kind: RowMore}
	if parent != nil {
		moreKey.ID = parent.id
	} else {
		moreKey.Gap = b.group
	}
	moreOpen := b.t.folds[moreKey]
	for i, k := range shown {
		if !b.visible(k) || inMore(k) {
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
			kind: RowMore, node: parent, gap: moreKey.Gap, depth: depth, guides: guides,
			last: len(tail) == 0 && !moreOpen, fold: fold, matched: true, count: more,
		})
		if moreOpen {
			seen := 0
			for _, k := range shown {
				if b.visible(k) && inMore(k) {
					seen++
					b.object(k, depth, guides, seen == more && len(tail) == 0)
				}
			}
		}
	}
	for i := range tail {
		r := tail[i]
		r.depth, r.guides, r.last = depth, guides, i == len(tail)-1
		b.rows = append(b.rows, r)
	}
}

// inGroup: what was arranged into a group stays there until it is arranged
// anew, unless nothing is to be folded at all.
func (b *builder) inGroup(k *node) bool {
	return k.grouped && b.matches == nil && b.t.folding != foldNothing
}

func (b *builder) visible(k *node) bool {
	if b.matches != nil {
		if _, ok := b.matches[k]; !ok {
			return false
		}
	}
	return b.t.scope != AppliedOnly || k.root != nil
}

func (b *builder) object(n *node, depth int, guides uint64, last bool) {
	filtered := b.matches != nil
	r := rowRef{kind: RowObject, node: n, depth: depth, guides: guides, last: last, matched: !filtered || b.matches[n]}
	var refs []rowRef
	has := false
	if b.t.scope == WithReferences && !filtered {
		refs = b.references(n)
		has = len(refs) > 0
	}
	if slices.ContainsFunc(n.kids, b.visible) {
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
	if n.reorder || len(n.shown) != len(n.kids) || b.t.stale {
		n.shown = b.arrange(n.shown, n.kids, &n.reorder)
	}
	if !last && depth < 64 {
		guides |= 1 << depth
	}
	b.level(n, n.shown, depth+1, guides, refs)
}

// references are the objects that n refers to and that stand elsewhere, or
// nowhere: the pods of a slice, what a pod mounts.
func (b *builder) references(n *node) []rowRef {
	var out []rowRef
	add := func(id status.ID) {
		for i := range out {
			if out[i].ref == id {
				return
			}
		}
		out = append(out, rowRef{kind: RowReference, node: b.w.nodes[id], from: n, ref: id, matched: true})
	}
	if n.obj == nil {
		return nil
	}
	if e := n.obj.Endpoints; e != nil {
		for i := range e.Endpoints {
			if t := e.Endpoints[i].Target; !t.IsZero() {
				if k := b.w.nodes[t]; k == nil || k.parent != n {
					add(t)
				}
			}
		}
	}
	if p := n.obj.Pod; p != nil {
		for _, u := range p.Uses {
			add(status.ID{Kind: u.Kind, Namespace: n.id.Namespace, Name: u.Name})
		}
	}
	return out
}

// gaps are the rows for what cannot be seen.
func (b *builder) gaps() []rowRef {
	var keys []string
	for _, list := range b.w.trouble {
		for i := range list {
			if list[i].Kind == "Endpoints" && list[i].Children && len(b.w.trouble[kindIn{"discovery.k8s.io", "EndpointSlice", list[i].Namespace}]) > 0 {
				continue // looked for in the slices' place, whose line is enough
			}
			if t := gapText(&list[i]); t != "" && !slices.Contains(keys, t) {
				keys = append(keys, t)
			}
		}
	}
	slices.Sort(keys)
	out := make([]rowRef, 0, len(keys))
	for _, k := range keys {
		out = append(out, rowRef{kind: RowGap, gap: k, matched: true})
	}
	return out
}

func gapText(s *status.SourceState) string {
	if !s.Children || (s.Phase != status.Forbidden && s.Phase != status.NotServed) {
		return ""
	}
	where := ""
	if s.Namespace != "" {
		where = " in " + s.Namespace
	}
	if s.Phase == status.NotServed {
		return s.Resource + where + ": not served by this cluster - children hidden"
	}
	hidden := "children"
	if s.Resource == "events" && s.Group == "" {
		hidden = "what they tell about causes"
	}
	return "cannot " + cmp.Or(s.Verb, "list") + " " + s.Resource + where + ": forbidden - " + hidden + " hidden"
}

// row makes what is drawn of a row.
func (t *tree) row(w *world, i int) Row {
	r := &t.rows[i]
	out := Row{
		Key: r.key(), Depth: r.depth, Guides: r.guides, Last: r.last, Fold: r.fold,
		Selected: i == t.selIndex, Matched: r.matched, Count: r.count,
	}
	switch r.kind {
	case RowMore:
		out.Name = strconv.Itoa(r.count) + " more Current"
		out.Status = status.Current
		return out
	case RowGap:
		out.Name, out.Status = r.gap, status.Unknown
		return out
	case RowGroup:
		sub := t.tallies[r.gap]
		out.Name, out.Status = r.gap, status.Statuses[sub.worst()]
		out.Note = fraction(int64(sub[currentRank]), int64(r.count)) + " Current"
		return out
	case RowReference:
		out.Name = r.ref.String()
		out.Generated = true
		if r.node == nil || r.node.obj == nil {
			return out
		}
	}
	n := r.node
	a := &n.assess
	out.Name = n.id.String()
	out.Note = note(n)
	out.Status = a.Status
	out.Reason, out.Carried = n.lead.reason, 0
	if n.lead.node != n {
		out.Carried = int(n.lead.count)
		out.Message = n.lead.node.assess.Message
	} else {
		out.Message = a.Message
		if a.Status == status.Current && a.Note != "" {
			// What deserves a look goes before what is well.
			out.Message, out.Noted = a.Note, true
		}
	}
	out.Since = a.Since
	out.Changed = n.moved
	out.Stalled = w.stalled(n)
	out.Stale = w.stale(n)
	out.Paused = a.Paused
	out.Assumed = a.Status == status.Current && a.Confidence == status.Assumed
	out.Generated = n.root == nil
	if r.depth == 0 && w.manyNamespaces() || n.parent != nil && n.parent.id.Namespace != n.id.Namespace {
		out.Namespace = n.id.Namespace
	}
	return out
}

// manyNamespaces reports whether the set spans more than one namespace.
func (w *world) manyNamespaces() bool {
	if w.nsRoots != len(w.roots) || w.nsSeq != w.rootSeq {
		w.nsRoots, w.nsSeq, w.nsMany = len(w.roots), w.rootSeq, false
		first := ""
		for _, n := range w.roots {
			switch ns := n.id.Namespace; {
			case ns == "" || ns == first:
			case first == "":
				first = ns
			default:
				w.nsMany = true
			}
		}
	}
	return w.nsMany
}

// note is a few words about an object's numbers, and what the inventories say
// that it belongs to or stands for.
func note(n *node) string {
	s := numbers(n)
	if n.root == nil {
		return s
	}
	add := func(more string) {
		if s != "" && more != "" {
			s += "; "
		}
		s += more
	}
	add(n.root.Note)
	if said := n.root.Said; said.Word != "" && said.Status != n.assess.Status {
		add(said.By + " says " + said.Word)
	}
	kept := 0
	for _, k := range n.kids {
		if k.root != nil && k.root.In == n.id && k.root.Kept && k.obj != nil {
			kept++
		}
	}
	if kept > 0 {
		add(strconv.Itoa(kept) + " kept although no longer listed")
	}
	if n.assess.Status == status.Current && n.obj != nil {
		members, open := 0, 0
		for _, k := range n.kids {
			if k.root != nil && k.root.In == n.id && !k.root.Kept && !k.root.Optional {
				members++
				if k.assess.Status != status.Current {
					open++
				}
			}
		}
		if open > 0 {
			add(strconv.Itoa(open) + " of " + strconv.Itoa(members) + " members not Current")
		}
	}
	return s
}

func numbers(n *node) string {
	o := n.obj
	if o == nil {
		return ""
	}
	switch {
	case o.Workload != nil:
		wl := o.Workload
		if o.Kind == "DaemonSet" {
			return fraction(wl.Available.Or(0), wl.Desired.Or(0))
		}
		want := wl.Replicas.Or(1)
		parts := make([]string, 0, 2)
		if o.Kind == "ReplicaSet" && n.parent != nil && wl.Revision != "" {
			if newestRevision(n.parent) == n {
				parts = append(parts, "new rev "+wl.Revision)
			} else {
				parts = append(parts, "old rev "+wl.Revision)
			}
		}
		switch {
		case want == 0 && wl.Ready.Or(0) == 0 && len(parts) > 0:
		case o.Kind != "ReplicaSet" && wl.Updated.Set && wl.Updated.V < want:
			parts = append(parts, fraction(wl.Updated.V, want)+" updated")
		default:
			parts = append(parts, fraction(wl.Ready.Or(0), want))
		}
		return strings.Join(parts, " ")
	case o.Endpoints != nil:
		ready := 0
		for i := range o.Endpoints.Endpoints {
			if o.Endpoints.Endpoints[i].Ready {
				ready++
			}
		}
		return fraction(int64(ready), int64(len(o.Endpoints.Endpoints))) + " ready"
	case o.Pod != nil && o.Pod.Phase == "Succeeded":
		return "Completed"
	case o.Pod != nil:
		ready, all := 0, 0
		var restarts int64
		for i := range o.Pod.Containers {
			c := &o.Pod.Containers[i]
			restarts += c.Restarts
			if c.Kind == status.MainContainer || c.Kind == status.SidecarContainer {
				all++
				if c.Ready {
					ready++
				}
			}
		}
		s := fraction(int64(ready), int64(all))
		if restarts > 0 {
			s += " restarts " + strconv.FormatInt(restarts, 10)
		}
		return s
	case o.Job != nil:
		j := o.Job
		var parts []string
		if v := j.Active.Or(0); v > 0 {
			parts = append(parts, strconv.FormatInt(v, 10)+" active")
		}
		if v := j.Failed.Or(0); v > 0 {
			parts = append(parts, strconv.FormatInt(v, 10)+" failed")
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

func fraction(a, b int64) string {
	return strconv.FormatInt(a, 10) + "/" + strconv.FormatInt(b, 10)
}
