package world

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A Node is one object of the tree, or something that may become one: an
// object whose parent is not known yet.
type Node struct {
	ID     *object.ID     // the object's, where there is one
	Object *object.Object // nil when it was never seen, or is gone; set by is
	Root   *feed.Root     // nil for what was not asked for
	seenAt moment         // when this UID was first observed

	// Assess is what the node amounts to, but for its Since, which stands beside
	// it: nodes about which the same is to be said share it. Never nil, and never
	// written to; see Assessment.
	Assess *status.Assessment
	Since  time.Time

	*past // what few nodes have; never nil, written by own alone

	Parent *Node
	Kids   []*Node // those whose canonical parent this is, sorted by ID

	Sub  Tally // itself and everything below it, by status
	Lead lead

	Remark *remark // what causes say of it though it is Current; mostly nothing

	changedAt moment // when it last moved
	movedAt   moment // when it, or something below it, last moved
	currentAt moment // since when it has been Current before our eyes; zero when it is not
	took      time.Duration

	Stamp  uint64 // the world's epoch when it last changed
	Newest uint64 // the same of whatever changed last at or below it

	Wanted uint64 // Gen of the first wants that asked for its children; 0 when none does

	Arrangement

	seq    int32 // order among the roots
	copied int32 // its place in the last copy of the world: see still
	openAt int32 // its place among the open roots, from 1; 0 where it is none of them

	pruned    bool // it stands for nothing any more: see prune
	absent    bool // a completed list says that it does not exist
	judged    bool
	objJudged bool // assess is about the present object
	InTree    bool // asked for, or below something that is
	dirty     bool // queued for judging
	objDirty  bool // its object changed since it was last judged

	// What is being restored has spoken of its object, and of it as a root.
	objMet, rootMet bool
}

// Arrangement is what the screen keeps of an object: it changes less often than the
// facts. The world only says where it no longer fits.
type Arrangement struct {
	Arranged uint64 // the run of the arranging that met it
	Filtered uint32 // the run of the filter that left it
	Reorder  bool   // Shown no longer fits Kids or their ranks
	Grouped  bool   // part of the parent's "n more Current" row
	AutoOpen bool
	Matched  bool // and it matches itself, and does not only hold one that does
	Gauged   bool // Place and AutoOpen are of the present Sub
	Place    int8 // its rank when it was last arranged
}

// Seen is when this UID was first observed.
func (n *Node) Seen() time.Time { return n.seenAt.time() }

// Changed is when it last moved itself.
func (n *Node) Changed() time.Time { return n.changedAt.time() }

// Moved is when it, or something below it, last moved.
func (n *Node) Moved() time.Time { return n.movedAt.time() }

// Current is since when it has been Current before our eyes; zero when it is not.
func (n *Node) Current() time.Time { return n.currentAt.time() }

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
	Shown  []*Node     // kids in display order, once they have been on the screen
}

var (
	noPast   = &past{}
	unjudged = &status.Assessment{Status: status.Unknown, Deciding: -1}
)

// newNode returns one that bears an ID which nobody writes to.
func newNode(id *object.ID) *Node {
	n := &Node{ID: id, Assess: unjudged, past: noPast}
	n.Sub[n.Rank()] = 1
	n.Lead.Node = n
	return n
}

// is sets the node's object; nil where there is none (any more).
func (n *Node) is(o *object.Object) {
	switch {
	case o != nil:
		n.ID = &o.ID
	case n.Object != nil:
		n.ID = new(*n.ID) // so that nothing holds the object
	}
	n.Object = o
}

// Own is the node's past, to be written to.
func (n *Node) Own() *past {
	if n.past == noPast {
		n.past = &past{}
	}
	return n.past
}

// Assessment is what the node amounts to, whole.
func (n *Node) Assessment() status.Assessment {
	a := *n.Assess
	a.Since = n.Since
	return a
}

// lead is what a row says about why: its own reason, or that of what blocks it.
type lead struct {
	Node   *Node // whose reason it is
	Reason string
	Count  int32 // how many nodes have it
}

// Tally counts by status, in the order of status.Statuses.
type Tally [6]int32

// CurrentRank is the place of Current in a Tally, the last.
const CurrentRank = 5

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
		return CurrentRank
	}
	return 1
}

// Add adds another one, or with -1 takes it out.
func (t *Tally) Add(o *Tally, sign int32) {
	for i := range t {
		t[i] += sign * o[i]
	}
}

// Total is how many are counted.
func (t *Tally) Total() int {
	n := int32(0)
	for _, v := range t {
		n += v
	}
	return int(n)
}

// Worst is the rank of the worst status counted.
func (t *Tally) Worst() int {
	for i, v := range t {
		if v > 0 {
			return i
		}
	}
	return CurrentRank
}

// Problems is how many of them are not Current.
func (t *Tally) Problems() int { return t.Total() - int(t[CurrentRank]) }

// Counts are the numbers by status, without those of none.
func (t *Tally) Counts() Counts {
	c := Counts{}
	for i, v := range t {
		if v != 0 {
			c[status.Statuses[i]] = int(v)
		}
	}
	return c
}

// Rank is the place of its status in a Tally, the worst first.
func (n *Node) Rank() int { return rankOf(n.Assess.Status) }

// Assumed reports whether something is Current though nothing says so.
func Assumed(a *status.Assessment) bool {
	return a.Status == status.Current && a.Confidence == status.Assumed
}

// Depth is the number of ancestors.
func (n *Node) Depth() int {
	d := 0
	for p := n.Parent; p != nil; p = p.Parent {
		d++
	}
	return d
}

// Below reports whether n is a, or stands somewhere below it.
func (n *Node) Below(a *Node) bool {
	for ; n != nil; n = n.Parent {
		if n == a {
			return true
		}
	}
	return false
}

// ByID orders nodes by the IDs of their objects.
func ByID(a, b *Node) int { return a.ID.Compare(*b.ID) }

// attach puts n, with everything below it, under p.
func (w *World) attach(n, p *Node) {
	i, _ := slices.BinarySearchFunc(p.Kids, n, ByID)
	p.Kids = slices.Insert(p.Kids, i, n)
	n.Parent = p
	n.Grouped = false
	for a := p; a != nil; a = a.Parent {
		a.Sub.Add(&n.Sub, 1)
		a.Reorder, a.Gauged = true, false
		a.Newest = w.Epoch // with n comes what has changed below it
	}
	w.TopReorder, w.TopsChanged = true, true
	w.place(n)
	w.touch(p)
	w.Structure++
	w.Unexplained = true
}

// detach takes n, with everything below it, out of its parent.
func (w *World) detach(n *Node) {
	p := n.Parent
	if p == nil {
		return
	}
	if i, ok := slices.BinarySearchFunc(p.Kids, n, ByID); ok {
		p.Kids = slices.Delete(p.Kids, i, i+1)
	}
	for a := p; a != nil; a = a.Parent {
		a.Sub.Add(&n.Sub, -1)
		a.Reorder, a.Gauged = true, false
	}
	w.Unexplained = true
	n.Parent = nil
	n.Grouped = false
	w.TopReorder, w.TopsChanged = true, true
	w.place(n)
	w.touch(p)
	w.Structure++
}

// place makes inTree true to where n stands now, for it and all below it.
func (w *World) place(n *Node) {
	in := n.Root != nil || (n.Parent != nil && n.Parent.InTree)
	if in == n.InTree {
		return
	}
	w.stamp(n)
	w.count(n, -1)
	n.InTree = in
	w.count(n, 1)
	w.turned(n)
	for _, k := range n.Kids {
		w.place(k)
	}
}

// stamp notes that n has changed in the present epoch.
func (w *World) stamp(n *Node) {
	n.Stamp = w.Epoch
	for a := n; a != nil && a.Newest != w.Epoch; a = a.Parent {
		a.Newest = w.Epoch
	}
}

// count adds n to the counts it belongs to, or takes it out. It must be called
// with -1 before, and with 1 after, anything that they depend on changes.
func (w *World) count(n *Node, sign int32) {
	r := n.Rank()
	switch {
	case n.Root != nil && n.Root.Kept:
	case n.Root != nil:
		w.Counts[r] += sign
		if Assumed(n.Assess) {
			w.Assumed += sign
		}
		if !n.Root.Optional {
			w.required[r] += sign
		}
		w.openRoot(n, sign > 0 && r != CurrentRank)
	case n.InTree:
		w.Generated[r] += sign
	}
	if n.InTree {
		if sign > 0 && r != CurrentRank && (n.Root == nil || !n.Root.Kept) {
			w.open[n] = struct{}{}
			w.opened = max(w.opened, len(w.open))
		} else {
			delete(w.open, n)
		}
	}
}

// openRoot puts n among the open roots, or takes it out.
func (w *World) openRoot(n *Node, open bool) {
	switch {
	case open == (n.openAt > 0):
	case open:
		w.openRoots = append(w.openRoots, n)
		n.openAt = int32(len(w.openRoots))
		w.hasMoved(n)
	default:
		w.movedKnown = w.movedKnown && n.Moved().Before(w.moved)
		last := w.openRoots[len(w.openRoots)-1]
		w.openRoots[n.openAt-1], last.openAt = last, n.openAt
		w.openRoots[len(w.openRoots)-1] = nil
		w.openRoots = w.openRoots[:len(w.openRoots)-1]
		n.openAt = 0
	}
}

// memberOf reports whether n stands under p because p's inventory lists it, and
// not because p made it.
func (n *Node) memberOf(p *Node) bool {
	return n.Root != nil && n.Root.In == *p.ID && !slices.ContainsFunc(n.Object.Owners, func(o object.Owner) bool { return o.UID == p.Object.UID })
}

// IsTop reports whether n has its row at the top level.
func (n *Node) IsTop() bool { return n.Root != nil && (n.Parent == nil || !n.Parent.InTree) }

// Walk visits n and everything below it until visit returns false.
func Walk(n *Node, visit func(*Node) bool) bool {
	if !visit(n) {
		return false
	}
	for _, k := range n.Kids {
		if !Walk(k, visit) {
			return false
		}
	}
	return true
}
