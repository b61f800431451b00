package model

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A node is one object of the tree, or something that may become one: an
// object whose parent is not known yet.
type node struct {
	id     *object.ID     // the object's, where there is one
	obj    *object.Object // nil when it was never seen, or is gone; set by is
	root   *feed.Root     // nil for what was not asked for
	seenAt moment         // when this UID was first observed

	// assess is what the node amounts to, but for its Since, which stands beside
	// it: nodes about which the same is to be said share it. Never nil, and never
	// written to; see verdict and assessment.
	assess *status.Assessment
	since  time.Time

	*past // what few nodes have; never nil, written by own alone

	parent *node
	kids   []*node // those whose canonical parent this is, sorted by ID

	sub  tally // itself and everything below it, by status
	lead lead

	remark *remark // what causes say of it though it is Current; mostly nothing

	changedAt moment // when it last moved
	movedAt   moment // when it, or something below it, last moved
	currentAt moment // since when it has been Current before our eyes; zero when it is not
	took      time.Duration

	stamp  uint64 // the world's epoch when it last changed
	newest uint64 // the same of whatever changed last at or below it

	wanted uint64 // Gen of the first wants that asked for its children; 0 when none does

	// Arrangement on the screen. It changes less often than the facts: see rows.go.
	arranged uint64 // the run of amend that met it
	reorder  bool   // shown no longer fits kids or their ranks
	grouped  bool   // part of the parent's "n more Current" row
	autoOpen bool
	matched  bool // and it matches itself, and does not only hold one that does
	gauged   bool // place and autoOpen are of the present sub
	place    int8 // its rank when it was last arranged

	seq      int32  // order among the roots
	copied   int32  // its place in the last copy of the world: see still
	filtered uint32 // the run of match that left it
	openAt   int32  // its place among the open roots, from 1; 0 where it is none of them

	pruned    bool // it stands for nothing any more: see prune
	absent    bool // a completed list says that it does not exist
	judged    bool
	objJudged bool // assess is about the present object
	inTree    bool // asked for, or below something that is
	dirty     bool // queued for judging
	objDirty  bool // its object changed since it was last judged

	// What is being restored has spoken of its object, and of it as a root.
	objMet, rootMet bool
}

func (n *node) seen() time.Time    { return n.seenAt.time() }
func (n *node) changed() time.Time { return n.changedAt.time() }
func (n *node) moved() time.Time   { return n.movedAt.time() }
func (n *node) current() time.Time { return n.currentAt.time() }

// moment is a time in a third of the room, in nanoseconds since 1970; 0 is none.
// What lies centuries away is as far away as can be said, in 1678 or 2262.
type moment int64

func momentOf(t time.Time) moment {
	const most = math.MaxInt64 / int64(time.Second)
	switch s := t.Unix(); {
	case t.IsZero():
		return 0
	case s >= most:
		return math.MaxInt64
	case s <= -most:
		return math.MinInt64
	}
	return moment(cmp.Or(t.UnixNano(), 1))
}

func (m moment) time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(m)).UTC()
}

// past is what happened to few nodes: most share one that is empty.
type past struct {
	gone time.Time // when it was deleted before our eyes
	// lost counts how often it stopped being Current since lostSince.
	lost      int
	lostSince time.Time
	// rewrites counts the changes of its spec since rewritten.
	rewrites  int
	rewritten time.Time

	looked []object.ID // what its judgement looked up beyond its children
	shown  []*node     // kids in display order, once they have been on the screen
}

var (
	noPast   = &past{}
	unjudged = &status.Assessment{Status: status.Unknown, Deciding: -1}
)

// newNode returns one that bears an ID which nobody writes to.
func newNode(id *object.ID) *node {
	n := &node{id: id, assess: unjudged, past: noPast}
	n.sub[n.rank()] = 1
	n.lead.node = n
	return n
}

// is sets the node's object; nil where there is none (any more).
func (n *node) is(o *object.Object) {
	switch {
	case o != nil:
		n.id = &o.ID
	case n.obj != nil:
		n.id = new(*n.id) // so that nothing holds the object
	}
	n.obj = o
}

// own is the node's past, to be written to.
func (n *node) own() *past {
	if n.past == noPast {
		n.past = &past{}
	}
	return n.past
}

// assessment is what the node amounts to, whole.
func (n *node) assessment() status.Assessment {
	a := *n.assess
	a.Since = n.since
	return a
}

// lead is what a row says about why: its own reason, or that of what blocks it.
type lead struct {
	node   *node // whose reason it is
	reason string
	count  int32 // how many nodes have it
}

// tally counts by status, in the order of status.Statuses.
type tally [6]int32

const currentRank = 5

func rankOf(s status.Status) int {
	switch s {
	case status.Failed:
		return 0
	case status.NotFound:
		return 2
	case status.InProgress:
		return 3
	case status.Terminating:
		return 4
	case status.Current:
		return currentRank
	}
	return 1
}

func (t *tally) add(o *tally, sign int32) {
	for i := range t {
		t[i] += sign * o[i]
	}
}

func (t *tally) total() int {
	n := int32(0)
	for _, v := range t {
		n += v
	}
	return int(n)
}

// worst is the rank of the worst status counted.
func (t *tally) worst() int {
	for i, v := range t {
		if v > 0 {
			return i
		}
	}
	return currentRank
}

func (t *tally) problems() int { return t.total() - int(t[currentRank]) }

func (t *tally) counts() Counts {
	c := Counts{}
	for i, v := range t {
		if v != 0 {
			c[status.Statuses[i]] = int(v)
		}
	}
	return c
}

func (n *node) rank() int { return rankOf(n.assess.Status) }

// assumed reports whether something is Current though nothing says so.
func assumed(a *status.Assessment) bool {
	return a.Status == status.Current && a.Confidence == status.Assumed
}

// depth is the number of ancestors.
func (n *node) depth() int {
	d := 0
	for p := n.parent; p != nil; p = p.parent {
		d++
	}
	return d
}

// below reports whether n is a, or stands somewhere below it.
func (n *node) below(a *node) bool {
	for ; n != nil; n = n.parent {
		if n == a {
			return true
		}
	}
	return false
}

func byID(a, b *node) int { return a.id.Compare(*b.id) }

// attach puts n, with everything below it, under p.
func (w *world) attach(n, p *node) {
	i, _ := slices.BinarySearchFunc(p.kids, n, byID)
	p.kids = slices.Insert(p.kids, i, n)
	n.parent = p
	n.grouped = false
	for a := p; a != nil; a = a.parent {
		a.sub.add(&n.sub, 1)
		a.reorder, a.gauged = true, false
		a.newest = w.epoch // with n comes what has changed below it
	}
	w.topReorder, w.topsChanged = true, true
	w.place(n)
	w.touch(p)
	w.structure++
	w.unexplained = true
}

// detach takes n, with everything below it, out of its parent.
func (w *world) detach(n *node) {
	p := n.parent
	if p == nil {
		return
	}
	if i, ok := slices.BinarySearchFunc(p.kids, n, byID); ok {
		p.kids = slices.Delete(p.kids, i, i+1)
	}
	for a := p; a != nil; a = a.parent {
		a.sub.add(&n.sub, -1)
		a.reorder, a.gauged = true, false
	}
	w.unexplained = true
	n.parent = nil
	n.grouped = false
	w.topReorder, w.topsChanged = true, true
	w.place(n)
	w.touch(p)
	w.structure++
}

// place makes inTree true to where n stands now, for it and all below it.
func (w *world) place(n *node) {
	in := n.root != nil || (n.parent != nil && n.parent.inTree)
	if in == n.inTree {
		return
	}
	w.stamp(n)
	w.count(n, -1)
	n.inTree = in
	w.count(n, 1)
	w.turned(n)
	for _, k := range n.kids {
		w.place(k)
	}
}

// stamp notes that n has changed in the present epoch.
func (w *world) stamp(n *node) {
	n.stamp = w.epoch
	for a := n; a != nil && a.newest != w.epoch; a = a.parent {
		a.newest = w.epoch
	}
}

// count adds n to the counts it belongs to, or takes it out. It must be called
// with -1 before, and with 1 after, anything that they depend on changes.
func (w *world) count(n *node, sign int32) {
	r := n.rank()
	switch {
	case n.root != nil && n.root.Kept:
	case n.root != nil:
		w.counts[r] += sign
		if assumed(n.assess) {
			w.assumed += sign
		}
		if !n.root.Optional {
			w.required[r] += sign
		}
		w.openRoot(n, sign > 0 && r != currentRank)
	case n.inTree:
		w.generated[r] += sign
	}
	if n.inTree {
		if sign > 0 && r != currentRank && (n.root == nil || !n.root.Kept) {
			w.open[n] = struct{}{}
			w.opened = max(w.opened, len(w.open))
		} else {
			delete(w.open, n)
		}
	}
}

// openRoot puts n among the open roots, or takes it out.
func (w *world) openRoot(n *node, open bool) {
	switch {
	case open == (n.openAt > 0):
	case open:
		w.openRoots = append(w.openRoots, n)
		n.openAt = int32(len(w.openRoots))
		w.hasMoved(n)
	default:
		w.movedKnown = w.movedKnown && n.moved().Before(w.moved)
		last := w.openRoots[len(w.openRoots)-1]
		w.openRoots[n.openAt-1], last.openAt = last, n.openAt
		w.openRoots[len(w.openRoots)-1] = nil
		w.openRoots = w.openRoots[:len(w.openRoots)-1]
		n.openAt = 0
	}
}

// memberOf reports whether n stands under p because p's inventory lists it, and
// not because p made it.
func (n *node) memberOf(p *node) bool {
	return n.root != nil && n.root.In == *p.id && !slices.ContainsFunc(n.obj.Owners, func(o object.Owner) bool { return o.UID == p.obj.UID })
}

// isTop reports whether n has its row at the top level.
func (n *node) isTop() bool { return n.root != nil && (n.parent == nil || !n.parent.inTree) }
