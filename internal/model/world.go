package model

import (
	"cmp"
	"container/heap"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// world is everything that is known about the cluster: the objects, how they
// hang together, and what each of them amounts to. It is updated in place, and
// only while a message is being taken in. What a change costs depends on the
// depth and breadth of the tree at that place, not on its size.
type world struct {
	opt *Options
	now time.Time

	nodes   map[status.ID]*node
	missing map[status.ID]bool // known not to exist, and not asked for
	owners  map[string]*node   // by the keys they offer (UIDs and the like)
	waiting map[string][]*node // by the keys they refer to, while nobody offers them
	pointed map[string]*node   // EndpointSlices, by the UIDs of the pods they point at
	roots   []*node            // in the order of asking
	rootSeq int

	top        []*node // roots with a row at the top level, in display order
	topReorder bool
	epoch      uint64 // grows with every batch and tick
	structure  uint64 // grows with every change of the tree's shape or order

	counts, required, generated tally
	open                        map[*node]struct{} // in the tree and not Current
	openRoots                   map[*node]struct{}
	opened                      int // the most that open has held

	levels  [][]*node // queued for judging, by depth
	recheck recheckHeap
	scratch []status.Child

	sources  map[string]status.SourceState
	trouble  map[kindIn][]status.SourceState // those of the sources that are not live, by key
	synced   bool
	answered uint64
	toldGen  uint64 // the newest wants whose events have come, too
	skew     time.Duration
	heard    bool // a batch has arrived

	kinds  map[kindIn]map[*node]struct{} // the nodes with an object, by kind (no namespace)
	sorted map[kindIn][]*node            // the same as sorted lists, made when asked for
	ghosts map[status.ID][]*status.Object

	events  map[status.ID][]status.Event
	history ring[Transition]
	notices ring[status.Notice]

	verdict      status.Status
	verdictSince time.Time

	nsRoots, nsSeq int // what nsMany was found out for
	nsMany         bool

	// Since the last time somebody asked.
	judgedSome   bool // an assessment changed
	wantsChanged bool
	candidates   []*node                // whose children may be wanted
	awaited      []*node                // whose children have been asked for and not answered
	affected     map[status.ID]struct{} // to be explained again

	// lookers are the nodes whose judgement looked something up, by what that
	// was. It need not be followed, or even exist; judging is whose it is now.
	lookers map[status.ID]map[*node]struct{}
	judging *node
}

const (
	historyLength = 8192
	noticeLength  = 500
	eventsHeld    = 64 // per object
)

// roomy is how many entries make a map so large that going through it, or
// clearing it, costs more than making another: what a map has grown to hold in
// the first batch it holds room for ever after.
const roomy = 1024

func newWorld(opt *Options) *world {
	return &world{
		opt: opt, now: opt.Now,
		nodes:     map[status.ID]*node{},
		missing:   map[status.ID]bool{},
		owners:    map[string]*node{},
		waiting:   map[string][]*node{},
		pointed:   map[string]*node{},
		open:      map[*node]struct{}{},
		openRoots: map[*node]struct{}{},
		sources:   map[string]status.SourceState{},
		trouble:   map[kindIn][]status.SourceState{},
		events:    map[status.ID][]status.Event{},
		history:   ring[Transition]{limit: historyLength},
		notices:   ring[status.Notice]{limit: noticeLength},
		affected:  map[status.ID]struct{}{},
		kinds:     map[kindIn]map[*node]struct{}{},
		sorted:    map[kindIn][]*node{},
		ghosts:    map[status.ID][]*status.Object{},
		lookers:   map[status.ID]map[*node]struct{}{},
	}
}

// apply takes in a batch, in the order that status.Batch prescribes, and
// judges what it touched.
func (w *world) apply(b *status.Batch) {
	if b.At.After(w.now) {
		w.now = b.At
	}
	w.heard = true
	w.epoch++
	if n := len(b.Objects); len(w.nodes) == 0 && n > roomy {
		w.nodes = make(map[status.ID]*node, n)
		w.owners = make(map[string]*node, n+n/2)
	}
	w.skew = time.Duration(b.Skew)
	for i := range b.Roots {
		w.applyRoot(&b.Roots[i])
	}
	for _, g := range b.Gone {
		w.applyGone(g)
	}
	for _, id := range b.Absent {
		n := w.nodes[id]
		if n == nil {
			w.missing[id] = true
			continue
		}
		if !n.absent {
			w.forget(n)
			n.absent = true
			w.touch(n)
			if n.root == nil {
				w.missing[id] = true
				w.prune(n)
			}
		}
	}
	for _, o := range b.Objects {
		if o != nil {
			w.applyObject(o)
		}
	}
	for i := range b.Events {
		w.applyEvent(&b.Events[i])
	}
	if len(b.Sources) > 0 {
		w.applySources(b.Sources)
	}
	for _, n := range b.Notices {
		w.notices.push(n)
	}
	if b.Synced && !w.synced {
		w.synced = true
		for _, n := range w.roots {
			if n.obj == nil {
				w.touch(n)
			}
		}
	}
	if b.Answered > w.answered {
		w.awaited = slices.DeleteFunc(w.awaited, func(n *node) bool {
			answered := n.wanted <= b.Answered
			if answered && w.nodes[n.id] == n { // its children are known now
				w.touch(n)
			}
			return answered
		})
		w.answered = b.Answered
	}
	w.toldGen = max(w.toldGen, b.Told)
	w.settle()
}

// tick moves the clock and judges again what was due.
func (w *world) tick(now time.Time) {
	w.epoch++
	if now.After(w.now) {
		w.now = now
	}
	for len(w.recheck) > 0 && !w.recheck[0].at.After(w.now) {
		r := heap.Pop(&w.recheck).(recheck)
		if r.node.assess.Recheck.Equal(r.at) && w.nodes[r.node.id] == r.node {
			w.touch(r.node)
		}
	}
	w.settle()
}

func (w *world) node(id status.ID) *node {
	n := w.nodes[id]
	if n == nil {
		n = &node{id: id}
		n.assess = status.Assessment{Status: status.Unknown, Deciding: -1}
		n.sub[n.rank()] = 1
		n.lead.node = n
		w.nodes[id] = n
	}
	return n
}

func (w *world) applyRoot(r *status.Root) {
	n := w.nodes[r.ID]
	if r.Removed {
		if n == nil || n.root == nil {
			return
		}
		w.count(n, -1)
		n.root = nil
		n.inTree = n.parent != nil && n.parent.inTree
		w.count(n, 1)
		if !n.inTree {
			for _, k := range n.kids {
				w.place(k)
			}
		}
		w.roots = slices.DeleteFunc(w.roots, func(o *node) bool { return o == n })
		w.topReorder = true
		w.structure++
		w.prune(n)
		return
	}
	if n == nil {
		n = w.node(r.ID)
	}
	w.count(n, -1)
	was := n.inTree
	fresh := n.root == nil
	root := *r
	if !fresh {
		if o := n.root.Order; o != 0 && (root.Order == 0 || o < root.Order) {
			root.Order = o // asked for twice: its place is the first one
		}
		w.roots = slices.DeleteFunc(w.roots, func(o *node) bool { return o == n })
	}
	n.root = &root
	n.inTree = true
	w.stamp(n)
	w.count(n, 1)
	if fresh {
		w.rootSeq++
		n.seq = w.rootSeq
	}
	if i, ok := slices.BinarySearchFunc(w.roots, n, asAsked); !ok {
		w.roots = slices.Insert(w.roots, i, n)
	}
	if !was {
		for _, k := range n.kids {
			w.place(k)
		}
	}
	w.topReorder = true
	w.structure++
	w.touch(n)
}

// asAsked orders roots as they were asked for: by their place in the arguments,
// those of one selector by their names, and where no place is known as they
// came.
func asAsked(a, b *node) int {
	if c := cmp.Compare(a.root.Order, b.root.Order); c != 0 {
		return c
	}
	if a.root.Order == 0 {
		return cmp.Compare(a.seq, b.seq)
	}
	return byID(a, b)
}

func (w *world) applyGone(g status.Gone) {
	n := w.nodes[g.ID]
	if n == nil || n.obj == nil || (g.UID != "" && n.obj.UID != g.UID) {
		return
	}
	if p := n.parent; p != nil {
		g := append([]*status.Object{n.obj}, w.ghosts[p.id]...)
		w.ghosts[p.id] = g[:min(len(g), ghostsHeld)]
	}
	w.forget(n)
	n.gone = w.now
	w.touch(n)
	w.prune(n)
}

// forget drops what is known of n's object, and lets go of its children.
func (w *world) forget(n *node) {
	o := n.obj
	if o == nil {
		return
	}
	w.withdraw(n, o)
	w.unwait(n)
	n.obj = nil
	w.stamp(n)
	w.told(n.id)
	was := n.looked
	n.looked = nil
	w.unlook(n, was)
	w.known(n, false)
	w.repoint(n, o)
	delete(w.ghosts, n.id)
	for len(n.kids) > 0 {
		k := n.kids[len(n.kids)-1]
		w.detach(k)
		w.adopt(k)
		w.prune(k)
	}
	w.detach(n)
	n.seen = time.Time{}
	n.objJudged = false
	n.wanted = 0
	delete(w.events, n.id)
}

// prune removes a node that stands for nothing any more.
func (w *world) prune(n *node) {
	if n.root == nil && n.obj == nil {
		w.detach(n)
		w.count(n, -1)
		n.inTree = false
		delete(w.nodes, n.id)
		w.affected[n.id] = struct{}{}
	}
}

func (w *world) applyObject(o *status.Object) {
	n := w.node(o.ID)
	old := n.obj
	if old == o {
		return
	}
	if old != nil && old.UID != o.UID {
		w.forget(n)
		old = nil
	}
	n.obj = o
	w.told(o.ID)
	n.absent = false
	if len(w.missing) > 0 {
		delete(w.missing, o.ID)
	}
	n.gone = time.Time{}
	n.objDirty = true
	if old == nil {
		n.seen = w.now
		w.known(n, true)
		w.structure++
		w.wantsChanged = true
		w.candidates = append(w.candidates, n)
	}
	if old == nil || !sameOffers(old, o) {
		w.offer(n, old)
	}
	if old == nil || !sameReferences(old, o) {
		w.adopt(n)
	}
	w.touch(n)
}

// offers are the keys under which n's object can own others. What an
// EndpointSlice points at it does not own.
func offers(o *status.Object, into []string) []string {
	if o.Endpoints != nil {
		if o.UID != "" {
			into = append(into, o.UID)
		}
		return into
	}
	return edges.Offers(o, into)
}

func sameOffers(a, b *status.Object) bool {
	if b.Endpoints != nil {
		return a.Endpoints != nil && slices.EqualFunc(a.Endpoints.Endpoints, b.Endpoints.Endpoints,
			func(x, y status.Endpoint) bool { return x.TargetUID == y.TargetUID })
	}
	return a.Workload == nil || b.Workload == nil || slices.Equal(a.Workload.ClaimTemplates, b.Workload.ClaimTemplates)
}

func sameReferences(a, b *status.Object) bool {
	if !slices.Equal(a.Owners, b.Owners) {
		return false
	}
	return a.Endpoints == nil || b.Endpoints == nil || a.Endpoints.Service == b.Endpoints.Service
}

// withdraw takes back everything that o offered on behalf of n.
func (w *world) withdraw(n *node, o *status.Object) {
	var buf [8]string
	for _, k := range offers(o, buf[:0]) {
		if w.owners[k] == n {
			delete(w.owners, k)
		}
	}
	if e := o.Endpoints; e != nil {
		for i := range e.Endpoints {
			if uid := e.Endpoints[i].TargetUID; w.pointed[uid] == n {
				delete(w.pointed, uid)
			}
		}
	}
}

// repoint lets other slices have the pods that n, whose object was old, no longer
// points at. It matters only for pods that no owner holds.
func (w *world) repoint(n *node, old *status.Object) {
	if old == nil || old.Endpoints == nil {
		return
	}
	for i := range old.Endpoints.Endpoints {
		uid := old.Endpoints.Endpoints[i].TargetUID
		if uid == "" || w.pointed[uid] != nil {
			continue
		}
		// A pod that an owner holds is looked for among its own Service's slices
		// alone: this happens with every rollout.
		p := w.owners[uid]
		held := p != nil && p.parent != nil && p.parent != n
		var best *node
		for s := range w.kinds[kindIn{group: n.id.Group, kind: n.id.Kind}] {
			if s != n && s.id.Namespace == n.id.Namespace && (best == nil || byID(s, best) < 0) &&
				(!held || s.obj.Endpoints.Service == old.Endpoints.Service) &&
				slices.ContainsFunc(s.obj.Endpoints.Endpoints, func(e status.Endpoint) bool { return e.TargetUID == uid }) {
				best = s
			}
		}
		if best != nil {
			w.pointed[uid] = best
			w.welcome(uid)
		}
	}
}

// offer makes n known as an owner, and takes in those that waited for it.
func (w *world) offer(n *node, old *status.Object) {
	if old != nil {
		w.withdraw(n, old)
	}
	var buf [8]string
	for _, k := range offers(n.obj, buf[:0]) {
		w.owners[k] = n
		w.welcome(k)
	}
	if e := n.obj.Endpoints; e != nil {
		// Pods whose owner is not known stand under the slice that points at them.
		for i := range e.Endpoints {
			if uid := e.Endpoints[i].TargetUID; uid != "" {
				if w.pointed[uid] == nil {
					w.pointed[uid] = n
				}
				w.welcome(uid)
			}
		}
		w.repoint(n, old)
		for _, k := range slices.Clone(n.kids) {
			if w.parentOf(k) != n {
				w.adopt(k)
			}
		}
	}
}

func (w *world) welcome(key string) {
	list, ok := w.waiting[key]
	if !ok {
		return
	}
	delete(w.waiting, key)
	for _, c := range list {
		if c.obj != nil && w.nodes[c.id] == c {
			w.adopt(c)
		}
	}
}

// adopt finds n's parent anew. Where a better one may still come, n waits.
func (w *world) adopt(n *node) {
	p := w.parentOf(n)
	if p != n.parent {
		w.detach(n)
		if p != nil && !p.below(n) {
			w.attach(n, p)
		}
	}
	if n.obj == nil || (p != nil && ownedBy(n.obj, p.obj)) {
		return
	}
	var buf [8]string
	for _, k := range edges.Refers(n.obj, buf[:0]) {
		if k == "" {
			continue
		}
		if o := w.owners[k]; (o == nil || o == n) && !slices.Contains(w.waiting[k], n) {
			w.waiting[k] = append(w.waiting[k], n)
		}
	}
}

func (w *world) unwait(n *node) {
	var buf [8]string
	for _, k := range edges.Refers(n.obj, buf[:0]) {
		list := w.waiting[k]
		if i := slices.Index(list, n); i >= 0 {
			if list = slices.Delete(list, i, i+1); len(list) == 0 {
				delete(w.waiting, k)
			} else {
				w.waiting[k] = list
			}
		}
	}
}

func ownedBy(o, p *status.Object) bool {
	c, ok := o.Controller()
	return ok && p != nil && c.UID == p.UID
}

// parentOf is the one canonical parent of n: its controller, else another
// owner, else what claims it by name, else the slice that points at it.
func (w *world) parentOf(n *node) *node {
	if n.obj == nil {
		return nil
	}
	if c, ok := n.obj.Controller(); ok {
		if p := w.owners[c.UID]; p != nil && p != n {
			return p
		}
	}
	var buf [8]string
	for _, k := range edges.Refers(n.obj, buf[:0]) {
		if p := w.owners[k]; p != nil && p != n {
			return p
		}
	}
	if p := w.pointed[n.obj.UID]; p != nil && n.obj.UID != "" && n.root == nil {
		return p
	}
	return nil
}

func (w *world) applyEvent(e *status.Event) {
	list := w.events[e.About]
	if i := slices.IndexFunc(list, func(x status.Event) bool { return x.UID == e.UID }); i >= 0 {
		if e.Gone {
			list[i].Gone = true
		} else {
			list[i] = *e
		}
	} else {
		if e.Gone {
			return
		}
		if len(list) >= eventsHeld {
			list = slices.Delete(list, 0, 1)
		}
		w.events[e.About] = append(list, *e)
	}
	if n := w.nodes[e.About]; n != nil && n.inTree {
		w.affected[n.id] = struct{}{}
	}
}

func (w *world) applySources(changed []status.SourceState) {
	parents := map[kindIn]bool{}
	rootsToo := false
	for i := range changed {
		s := &changed[i]
		old := w.sources[s.Key]
		if s.Phase == status.Closed {
			delete(w.sources, s.Key)
		} else {
			w.sources[s.Key] = *s
		}
		if old.Phase == s.Phase && old.Error == s.Error {
			continue
		}
		w.structure++ // gaps are rows
		if s.Children {
			parents[kindIn{s.Group, s.Kind, s.Namespace}] = true
		} else {
			rootsToo = true
		}
	}
	clear(w.trouble)
	for _, s := range w.sources {
		if s.Phase != status.Live {
			k := kindIn{s.Group, s.Kind, s.Namespace}
			w.trouble[k] = append(w.trouble[k], s)
		}
	}
	for _, list := range w.trouble {
		slices.SortFunc(list, func(a, b status.SourceState) int { return strings.Compare(a.Key, b.Key) })
	}
	if rootsToo {
		for _, n := range w.roots {
			if n.obj == nil {
				w.touch(n)
			}
		}
	}
	if len(parents) == 0 {
		return
	}
	// Whether the children are all known may have changed for whoever looks for
	// them there.
	for _, n := range w.nodes {
		if n.obj == nil || n.wanted == 0 {
			continue
		}
		for _, need := range edges.Needs(n.obj) {
			if parents[kindIn{need.Group, need.Kind, need.Namespace}] || parents[kindIn{need.Group, need.Kind, ""}] {
				w.touch(n)
				break
			}
		}
	}
}

// kindIn is a kind in a namespace, or in all of them.
type kindIn struct{ group, kind, namespace string }

// troubled returns the sources that are not live and would tell about objects
// of a kind in a namespace.
func (w *world) troubled(group, kind, namespace string) iter.Seq[*status.SourceState] {
	return func(yield func(*status.SourceState) bool) {
		if len(w.trouble) == 0 {
			return
		}
		list := w.trouble[kindIn{group, kind, namespace}]
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
		if namespace == "" {
			return
		}
		list = w.trouble[kindIn{group, kind, ""}]
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// touch queues n for judging.
func (w *world) touch(n *node) {
	if n.dirty {
		return
	}
	n.dirty = true
	d := n.depth()
	for len(w.levels) <= d {
		w.levels = append(w.levels, nil)
	}
	w.levels[d] = append(w.levels[d], n)
}

// settle judges everything that was queued, children before their parents, and
// then the whole.
func (w *world) settle() {
	// A node that was moved deeper after it was queued stands in too low a
	// level: queue it again where it belongs.
	for d := 0; d < len(w.levels); d++ {
		for i := 0; i < len(w.levels[d]); i++ {
			n := w.levels[d][i]
			if nd := n.depth(); nd > d {
				w.levels[d][i] = nil
				n.dirty = false
				w.touch(n)
			}
		}
	}
	for d := len(w.levels) - 1; d >= 0; d-- {
		for i := 0; i < len(w.levels[d]); i++ {
			n := w.levels[d][i]
			w.levels[d][i] = nil
			if n == nil {
				continue
			}
			n.dirty = false
			if w.nodes[n.id] == n && w.evaluate(n) && n.parent != nil {
				w.touch(n.parent)
			}
		}
		w.levels[d] = w.levels[d][:0]
	}
	if w.opened > roomy && len(w.open) < w.opened/4 {
		open := make(map[*node]struct{}, len(w.open))
		maps.Copy(open, w.open)
		w.open, w.opened = open, len(open)
	}
	if v := w.aggregate(); v != w.verdict {
		w.verdict, w.verdictSince = v, w.now
	}
}

// aggregate is kstatus's aggregation (cli-utils pkg/kstatus/polling/aggregator,
// v0.37.2), but an empty set is never Current.
func (w *world) aggregate() status.Status {
	t := &w.required
	switch n := t.total(); {
	case t[rankOf(status.Failed)] > 0:
		return status.Failed
	case t[rankOf(status.Unknown)] > 0:
		return status.Unknown
	case n == 0 && w.counts.total() > 0 && int(w.counts[currentRank]) == w.counts.total():
		return status.Current // only optional ones, and they are all there
	case n == 0:
		return status.Unknown
	case int(t[currentRank]) == n:
		return status.Current
	}
	return status.InProgress
}

// evaluate judges one node whose children have been judged. It reports whether
// its parent has to be judged again.
func (w *world) evaluate(n *node) bool {
	old := n.assess
	a := w.assess(n)
	moved := n.objDirty || !n.judged
	if a.Since.IsZero() {
		a.Since = w.since(n, &a)
	}
	first := !n.judged
	said := first || a.Status != old.Status || a.Reason != old.Reason || a.Message != old.Message
	same := !said && a.Terminal == old.Terminal && a.Paused == old.Paused && a.Note == old.Note && a.Child == old.Child

	if a.Status != old.Status {
		w.count(n, -1)
		r0, r1 := rankOf(old.Status), rankOf(a.Status)
		n.assess = a
		w.count(n, 1)
		w.shift(n, r0, r1)
	} else {
		n.assess = a
	}
	n.judged, n.objJudged = true, n.obj != nil
	if !a.Recheck.IsZero() && !a.Recheck.Equal(old.Recheck) {
		heap.Push(&w.recheck, recheck{a.Recheck, n})
	}
	switch {
	case first && n.obj != nil:
		n.changed = cmp.Or(n.obj.Changed, n.obj.Created)
		if n.changed.After(w.now) {
			n.changed = w.now
		}
		if n.moved.Before(n.changed) {
			n.moved = n.changed
		}
		w.rise(n)
	case said && moved && !first:
		n.changed = w.now
		// What keeps failing is not progress, however busily it fails.
		if a.Status != status.Failed && a.Retrying == nil {
			n.moved = w.now
			w.rise(n)
		}
	}
	if a.Status == status.Current {
		if n.current.IsZero() {
			n.current = w.now
			n.took = w.now.Sub(w.opt.Now)
			w.wantsChanged = true
		}
	} else if first || !n.current.IsZero() {
		if !first {
			if n.lost == 0 || w.now.Sub(n.lostSince) > lostWindow {
				n.lost, n.lostSince = 0, w.now
			}
			n.lost++
		}
		n.current = time.Time{}
		w.wantsChanged = true
		if n.wanted == 0 && !first {
			w.candidates = append(w.candidates, n)
		}
	}
	ld := w.leadOf(n)
	leadSame := ld == n.lead
	n.lead = ld
	n.objDirty = false
	if said && n.inTree && (first || a.Status != old.Status || a.Reason != old.Reason) {
		from := old.Status
		if first {
			from = ""
		}
		w.history.push(Transition{At: w.now, ID: n.id, From: from, To: a.Status, Reason: a.Reason, Message: a.Message})
	}
	if moved || !same {
		w.affected[n.id] = struct{}{}
		w.stamp(n)
	}
	if !same {
		w.judgedSome = true
	}
	return moved || !same || !leadSame
}

// since is when a status that says nothing about it began, as far as we know:
// when we saw it change; for what merely exists, when it was created. What it
// was before we looked, nobody knows.
func (w *world) since(n *node, a *status.Assessment) time.Time {
	old := &n.assess
	switch {
	case n.judged && a.Status == old.Status:
		return old.Since
	case n.objJudged, n.judged && old.Status == status.NotFound:
		return w.now
	case n.obj != nil && a.Status == status.Current && (n.obj.MetadataOnly || strings.HasSuffix(a.Rule, ".exists")):
		return n.obj.Created
	}
	return time.Time{}
}

// assess decides what n is at the moment.
func (w *world) assess(n *node) status.Assessment {
	if n.obj == nil {
		return w.assessMissing(n)
	}
	w.scratch = w.scratch[:0]
	for _, k := range n.kids {
		if k.obj != nil {
			w.scratch = append(w.scratch, status.Child{Object: k.obj, Assessment: k.assess})
		}
	}
	in := status.World{
		Children:      w.scratch,
		ChildrenKnown: w.childrenKnown(n),
		FirstSeen:     n.seen,
		User:          w.opt.Rules,
		Lookup:        w.lookup,
	}
	if w.opt.Children == ChildrenNone {
		in.Children = nil
	}
	if n.objJudged {
		prior := n.assess
		in.Prior = &prior
	}
	if n.root != nil {
		in.Generation = n.root.Generation
	}
	was := n.looked
	n.looked = nil
	w.judging = n
	a := w.judge(n.obj, in)
	w.judging = nil
	w.unlook(n, was)
	return a
}

// The reasons of what is not there to be judged.
const (
	ReasonWaiting   = "WaitingForFirstAnswer"
	ReasonNotFound  = "NotFound"
	ReasonDeleted   = "Deleted"
	ReasonForbidden = "Forbidden"
	ReasonNotServed = "KindNotServed"
)

func (w *world) assessMissing(n *node) status.Assessment {
	a := status.Assessment{Deciding: -1, Confidence: status.Exact, Rule: "watch"}
	switch {
	case !n.gone.IsZero():
		a.Status, a.Reason, a.Message, a.Since = status.NotFound, ReasonDeleted, "it was deleted", n.gone
		return a
	case n.absent:
		a.Status, a.Reason, a.Message = status.NotFound, ReasonNotFound, "it does not exist"
		for s := range w.troubled(n.id.Group, n.id.Kind, n.id.Namespace) {
			if s.Phase == status.NotServed {
				a.Reason, a.Message = ReasonNotServed, "the cluster does not know its kind"
			}
		}
		return a
	}
	a.Status, a.Reason, a.Message = status.Unknown, ReasonWaiting, "waiting for the first answer"
	for s := range w.troubled(n.id.Group, n.id.Kind, n.id.Namespace) {
		if s.Name != "" && s.Name != n.id.Name {
			continue
		}
		switch s.Phase {
		case status.Forbidden:
			a.Reason = ReasonForbidden
		case status.NotServed:
			a.Reason = ReasonNotServed
		default:
			if s.Error == "" {
				continue
			}
		}
		a.Message = cmp.Or(s.Error, string(s.Phase))
		return a
	}
	return a
}

// unlook forgets that n looked things up, apart from what it still looks up.
func (w *world) unlook(n *node, ids []status.ID) {
	for _, id := range ids {
		if slices.Contains(n.looked, id) {
			continue
		}
		delete(w.lookers[id], n)
		if len(w.lookers[id]) == 0 {
			delete(w.lookers, id)
			w.wantsChanged = true
		}
	}
}

// told judges again whoever looked up an object that came, changed or went.
func (w *world) told(id status.ID) {
	for n := range w.lookers[id] {
		w.touch(n)
	}
}

// lookup finds a known object. What a judgement looks up is remembered: it is
// asked of the feed, and the judgement made again when it comes.
func (w *world) lookup(id status.ID) *status.Object {
	if n := w.judging; n != nil && !slices.Contains(n.looked, id) && len(n.looked) < refsWanted {
		n.looked = append(n.looked, id)
		if w.lookers[id] == nil {
			w.lookers[id] = map[*node]struct{}{}
			w.wantsChanged = true
		}
		w.lookers[id][n] = struct{}{}
	}
	if n := w.nodes[id]; n != nil {
		return n.obj
	}
	return nil
}

// childrenKnown reports whether all children of n are known: they were asked
// for, the answer has come, and none of their kinds is out of sight.
func (w *world) childrenKnown(n *node) bool {
	if w.opt.Children == ChildrenNone {
		return false
	}
	asked := n
	if p := n.parent; n.wanted == 0 && p != nil && p.obj != nil && n.obj != nil && edges.Covered(p.obj, n.obj) {
		asked = p
	}
	if asked.wanted == 0 || asked.wanted > w.answered {
		return false
	}
	if len(w.trouble) == 0 {
		return true
	}
	for _, need := range edges.Needs(asked.obj) {
		for s := range w.troubled(need.Group, need.Kind, need.Namespace) {
			if s.Name == "" && (s.Selector == "" || s.Selector == edges.Format(need.Selector)) {
				return false
			}
		}
	}
	return true
}

// shift moves one of n's own tally from one status to another, up to the top.
func (w *world) shift(n *node, from, to int) {
	for a := n; a != nil; a = a.parent {
		worst, some := a.sub.worst(), min(a.sub.problems(), 2)
		a.sub[from]--
		a.sub[to]++
		// Two problems may be one's own and one below, which opens the row.
		if a.sub.worst() != worst || min(a.sub.problems(), 2) != some {
			a.autoDirty(w)
		}
	}
}

// autoDirty says that the place of a's row, or whether it is folded, may have
// changed.
func (n *node) autoDirty(w *world) {
	n.reorder = true
	if n.parent != nil {
		n.parent.reorder = true
	}
	if n.root != nil {
		w.topReorder = true
	}
	if n.inTree {
		w.structure++
	}
}

// rise lets every ancestor know that something below it moved.
func (w *world) rise(n *node) {
	for p := n.parent; p != nil && p.moved.Before(n.moved); p = p.parent {
		p.moved = n.moved
	}
}

// leadOf is what n's row says about why. Old revisions and what is merely
// going away keep nobody from anything.
func (w *world) leadOf(n *node) lead {
	own := lead{n, n.assess.Reason, 1}
	if n.assess.Status == status.Current || n.assess.Status == status.Terminating {
		return own
	}
	newest := newestRevision(n)
	var best *node
	for _, k := range n.kids {
		if !blocks(k, newest) {
			continue
		}
		if best == nil || k.lead.node.rank() < best.lead.node.rank() {
			best = k
		}
	}
	if best == nil || best.lead.reason == "" {
		return own
	}
	l := lead{best.lead.node, best.lead.reason, 0}
	for _, k := range n.kids {
		if blocks(k, newest) && k.lead.reason == l.reason {
			l.count += k.lead.count
		}
	}
	return l
}

// blocks reports whether k can be what keeps its parent from Current.
func blocks(k *node, newest *node) bool {
	if k.assess.Status == status.Current || k.assess.Status == status.Terminating || k.obj == nil {
		return false
	}
	return newest == nil || k == newest || k.id.Kind != "ReplicaSet"
}

// newestRevision is the newest ReplicaSet of a Deployment, or nil.
func newestRevision(n *node) *node {
	if n.id.Kind != "Deployment" || n.id.Group != "apps" {
		return nil
	}
	var best *node
	for _, k := range n.kids {
		if k.id.Kind == "ReplicaSet" && k.obj != nil && (best == nil || newer(k.obj, best.obj)) {
			best = k
		}
	}
	return best
}

func newer(a, b *status.Object) bool {
	if ra, rb := revision(a), revision(b); ra != rb {
		return ra > rb
	}
	return a.Created.After(b.Created)
}

func revision(o *status.Object) int {
	if o.Workload == nil {
		return 0
	}
	n := 0
	for _, c := range o.Workload.Revision {
		if c < '0' || c > '9' || n > 1<<40 {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// stalled reports whether n is past what is expected of it: past its deadline,
// or without a sign of life for too long.
func (w *world) stalled(n *node) bool {
	if n.assess.Status != status.InProgress && n.assess.Status != status.Terminating {
		return false
	}
	if n.assess.Paused {
		return false
	}
	if d := n.assess.Deadline; !d.IsZero() && w.now.After(d) {
		return true
	}
	return !n.moved.IsZero() && w.now.Sub(n.moved) >= w.opt.StallAfter
}

// stale reports whether a source of n's data is in trouble.
func (w *world) stale(n *node) bool {
	if n.obj == nil {
		return false // what was never seen is not out of date
	}
	for s := range w.troubled(n.id.Group, n.id.Kind, n.id.Namespace) {
		if s.Phase != status.Waiting && s.Phase != status.Syncing && (s.Name == "" || s.Name == n.id.Name) {
			return true
		}
	}
	return false
}

// recheck is a judgement that changes by the passing of time.
type recheck struct {
	at   time.Time
	node *node
}

type recheckHeap []recheck

func (h recheckHeap) Len() int           { return len(h) }
func (h recheckHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h recheckHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *recheckHeap) Push(x any)        { *h = append(*h, x.(recheck)) }
func (h *recheckHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// ring holds the last so many of what was pushed.
type ring[T any] struct {
	limit int
	items []T
	start int
	lost  int // how many were pushed out
}

func (r *ring[T]) push(v T) {
	if len(r.items) < r.limit {
		r.items = append(r.items, v)
		return
	}
	r.items[r.start] = v
	r.start = (r.start + 1) % r.limit
	r.lost++
}

func (r *ring[T]) len() int { return len(r.items) }

func (r *ring[T]) at(i int) T { return r.items[(r.start+i)%len(r.items)] }
