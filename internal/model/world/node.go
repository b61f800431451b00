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

// A Node is one object of the tree, or one whose parent is not known yet.
type Node struct {
	ID     *object.ID     // the object's own, if it is known
	Object *object.Object // nil if it was never seen, or was deleted; set by is
	Root   *feed.Root     // nil for generated objects
	seenAt moment         // when this UID was first observed

	// Assess is the node's assessment without its Since, which is separate:
	// nodes with equal assessments share one. Never nil and never modified; see
	// Assessment.
	Assess *status.Assessment
	Since  time.Time

	*past // rarely used fields; never nil, modified through own alone

	Parent *Node
	Kids   []*Node // nodes with this canonical parent, sorted by ID

	Sub  Tally // itself and its descendants, by status
	Lead lead

	Remark *remark // a cause's remark on a Current object; usually nil

	changedAt moment // when its status last changed
	movedAt   moment // when its or a descendant's status last changed
	currentAt moment // when it was observed to become Current; zero if it is not
	took      time.Duration

	Stamp  uint64 // the world's Epoch when it last changed
	Newest uint64 // the highest Stamp of itself and its descendants

	wanted uint64 // generation of the first Wants for its children; 0 if none

	Arrangement

	seq    int32 // order among the roots
	copied int32 // its index in the last copy of the world: see still
	openAt int32 // its index among the open roots, from 1; 0 if it is none

	pruned    bool // removed: see prune
	absent    bool // a completed list says that it does not exist
	judged    bool
	objJudged bool // the assessment is of the present object
	InTree    bool // followed, or a descendant of a followed object
	dirty     bool // queued for judging
	objDirty  bool // its object has changed since it was judged

	// Restoring has delivered its object, and its root.
	objMet, rootMet bool
}

// Arrangement is the screen's arrangement of a node, which changes less often
// than the facts. The world only marks it as outdated.
type Arrangement struct {
	Arranged uint64 // the run of arranging that included it
	Filtered uint32 // the run of the filter that kept it
	Reorder  bool   // Shown no longer matches Kids or their ranks
	Grouped  bool   // part of the parent's "n more Current" row
	AutoOpen bool
	Matched  bool // it matches the filter itself, not only a descendant
	Gauged   bool // Place and AutoOpen are up to date
	Place    int8 // its rank when it was arranged
}

// Seen is when this UID was first observed.
func (n *Node) Seen() time.Time { return n.seenAt.time() }

// Changed is when its own status last changed.
func (n *Node) Changed() time.Time { return n.changedAt.time() }

// Moved is when its or a descendant's status last changed.
func (n *Node) Moved() time.Time { return n.movedAt.time() }

// Current is when it was observed to become Current; zero if it is not.
func (n *Node) Current() time.Time { return n.currentAt.time() }

// moment is a time in nanoseconds since 1970, a third of time.Time's size; 0 is
// none. Times beyond its range are 1678 or 2262.
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

// past holds fields that few nodes use: most share an empty one.
type past struct {
	gone time.Time // when it was observed to be deleted
	// lost counts how often it stopped being Current since lostSince.
	lost      int
	lostSince time.Time
	// rewrites counts changes of its spec since rewritten.
	rewrites  int
	rewritten time.Time

	looked []object.ID // objects that its judgement looked up
	Shown  []*Node     // kids in display order, once arranged
}

var (
	noPast   = &past{}
	unjudged = &status.Assessment{Status: status.Unknown, Deciding: -1}
)

// newNode returns a node with that ID, which must not be modified.
func newNode(id *object.ID) *Node {
	n := &Node{ID: id, Assess: unjudged, past: noPast}
	n.Sub[n.Rank()] = 1
	n.Lead.Node = n
	return n
}

// is sets the node's object; nil if there is none.
func (n *Node) is(o *object.Object) {
	switch {
	case o != nil:
		n.ID = &o.ID
	case n.Object != nil:
		n.ID = new(*n.ID) // a copy, so that the object can be collected
	}
	n.Object = o
}

// Own returns the node's own past, for writing.
func (n *Node) Own() *past {
	if n.past == noPast {
		n.past = &past{}
	}
	return n.past
}

// Assessment is the complete assessment.
func (n *Node) Assessment() status.Assessment {
	a := *n.Assess
	a.Since = n.Since
	return a
}

// lead is the reason in a row: the node's own, or that of a descendant that
// blocks it.
type lead struct {
	Node   *Node // the node that has the reason
	Reason string
	Count  int32 // how many nodes have it
}

// Tally counts nodes by status, indexed as status.Statuses.
type Tally [6]int32

// CurrentRank is the index of Current in a Tally, the last.
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

// Add adds another tally, or subtracts it if sign is -1.
func (t *Tally) Add(o *Tally, sign int32) {
	for i := range t {
		t[i] += sign * o[i]
	}
}

// Total is the sum.
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

// Problems is the number of nodes that are not Current.
func (t *Tally) Problems() int { return t.Total() - int(t[CurrentRank]) }

// Counts returns the counts by status, without zeros.
func (t *Tally) Counts() Counts {
	c := Counts{}
	for i, v := range t {
		if v != 0 {
			c[status.Statuses[i]] = int(v)
		}
	}
	return c
}

// Rank is the index of its status in a Tally, worst first.
func (n *Node) Rank() int { return rankOf(n.Assess.Status) }

// Assumed reports whether an assessment is Current with the confidence assumed.
func Assumed(a *status.Assessment) bool {
	return a.Status == status.Current && a.Confidence == status.Assumed
}

// Asked reports whether its children are wanted.
func (n *Node) Asked() bool { return n.wanted != 0 }

// Depth is the number of ancestors.
func (n *Node) Depth() int {
	d := 0
	for p := n.Parent; p != nil; p = p.Parent {
		d++
	}
	return d
}

// Below reports whether n is a or a descendant of it.
func (n *Node) Below(a *Node) bool {
	for ; n != nil; n = n.Parent {
		if n == a {
			return true
		}
	}
	return false
}

// ByID orders nodes by ID.
func ByID(a, b *Node) int { return a.ID.Compare(*b.ID) }

// attach adds n, with its descendants, below p.
func (t *tree) attach(n, p *Node) {
	i, _ := slices.BinarySearchFunc(p.Kids, n, ByID)
	p.Kids = slices.Insert(p.Kids, i, n)
	n.Parent = p
	n.Grouped = false
	for a := p; a != nil; a = a.Parent {
		a.Sub.Add(&n.Sub, 1)
		a.Reorder, a.Gauged = true, false
		a.Newest = t.Epoch // changes below n are changes below a
	}
	t.topReorder, t.topsChanged = true, true
	t.place(n)
	t.touch(p)
	t.Structure++
	t.Unexplained = true
}

// detach removes n, with its descendants, from its parent.
func (t *tree) detach(n *Node) {
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
	t.Unexplained = true
	n.Parent = nil
	n.Grouped = false
	t.topReorder, t.topsChanged = true, true
	t.place(n)
	t.touch(p)
	t.Structure++
}

// place updates InTree for n and its descendants.
func (t *tree) place(n *Node) {
	in := n.Root != nil || (n.Parent != nil && n.Parent.InTree)
	if in == n.InTree {
		return
	}
	t.stamp(n)
	t.count(n, -1)
	n.InTree = in
	t.count(n, 1)
	t.turned(n)
	for _, k := range n.Kids {
		t.place(k)
	}
}

// stamp notes that n has changed in this epoch.
func (t *tree) stamp(n *Node) {
	n.Stamp = t.Epoch
	for a := n; a != nil && a.Newest != t.Epoch; a = a.Parent {
		a.Newest = t.Epoch
	}
}

// count adds n to the counts it belongs to, or removes it. It must be called
// with -1 before, and with 1 after, a change of anything that they depend on.
func (t *tree) count(n *Node, sign int32) {
	r := n.Rank()
	switch {
	case n.Root != nil && n.Root.Kept:
	case n.Root != nil:
		t.Counts[r] += sign
		if Assumed(n.Assess) {
			t.Assumed += sign
		}
		if !n.Root.Optional {
			t.required[r] += sign
		}
		t.openRoot(n, sign > 0 && r != CurrentRank)
	case n.InTree:
		t.Generated[r] += sign
	}
	if n.InTree {
		if sign > 0 && r != CurrentRank && (n.Root == nil || !n.Root.Kept) {
			t.open[n] = struct{}{}
			t.opened = max(t.opened, len(t.open))
		} else {
			delete(t.open, n)
		}
	}
}

// openRoot adds n to the open roots, or removes it.
func (t *tree) openRoot(n *Node, open bool) {
	switch {
	case open == (n.openAt > 0):
	case open:
		t.openRoots = append(t.openRoots, n)
		n.openAt = int32(len(t.openRoots))
		t.hasMoved(n)
	default:
		t.movedKnown = t.movedKnown && n.Moved().Before(t.moved)
		last := t.openRoots[len(t.openRoots)-1]
		t.openRoots[n.openAt-1], last.openAt = last, n.openAt
		t.openRoots[len(t.openRoots)-1] = nil
		t.openRoots = t.openRoots[:len(t.openRoots)-1]
		n.openAt = 0
	}
}

// memberOf reports whether n is below p because p's inventory lists it, not
// because p owns it.
func (n *Node) memberOf(p *Node) bool {
	return n.Root != nil && n.Root.In == *p.ID && !slices.ContainsFunc(n.Object.Owners, func(o object.Owner) bool { return o.UID == p.Object.UID })
}

// IsTop reports whether n's row is at the top level.
func (n *Node) IsTop() bool { return n.Root != nil && (n.Parent == nil || !n.Parent.InTree) }

// Walk visits n and its descendants until visit returns false.
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
