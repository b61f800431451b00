package world

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A Node is one object of the tree, or one whose parent is not known yet.
type Node struct {
	// First what is read of every root at every change.

	ID     *object.ID     // the object's own, if it is known
	Object *object.Object // nil if it was never seen, or was deleted; set by is
	Root   *feed.Root     // nil for generated objects
	Parent *Node

	// Assess is the node's assessment without its Since, which is separate:
	// nodes with equal assessments share one. Never nil and never modified; see
	// Assessment.
	Assess *status.Assessment
	Sub    Tally   // itself and its descendants, by status
	Kids   []*Node // nodes with this canonical parent, sorted by ID

	Arrangement

	needsKids, parent bool // its object's status.NeedsChildren, and whether it has edges.Needs
	objJudged         bool // the assessment is of the present object
	InTree            bool // followed, or a descendant of a followed object
	dirty             bool // to be judged: see settle
	due               bool // it or a descendant was touched: see settle
	objDirty          bool // its object has changed since it was judged
	kept, optional    bool // as Root says: conclude reads those of every root
	looping           bool // a root that was Failed, and since then only crashed and ran again

	copied int32 // its index in the last copy of the world: see Explainable

	wanted uint64 // generation of the first Wants for its children; 0 if none

	*past // rarely used fields; never nil, modified through Own alone
	Lead  lead

	Seen         time.Time     // when this UID was first observed
	Since        time.Time     // of Assess
	Changed      time.Time     // when its status last changed
	Moved        time.Time     // when its or a descendant's status last changed
	Current      time.Time     // when it was observed to become Current; zero if it is not
	untilCurrent time.Duration // from the beginning of following to Current

	Stamp uint64 // the world's Epoch when it last changed
}

// Arrangement is the screen's arrangement of a node, which changes less often
// than the facts. The world does not read it.
type Arrangement struct {
	Place int32  // its place among its siblings, from 1; 0 if it has none yet
	Fold  string // the row that it is folded into with its siblings; "" if it has its own
}

// past holds fields that few nodes use: most share an empty one.
type past struct {
	gone time.Time // when it was observed to be deleted
	// lost counts how often it stopped being Current, rewrites changes of its spec.
	lost, rewrites recently

	lookedUp []object.ID // objects that its judgement looked up
}

var (
	noPast   = &past{}
	unjudged = &status.Assessment{Deciding: -1}
)

// recently counts what happened within a while.
type recently struct {
	times int
	since time.Time
}

// again counts one more. After the while it begins anew.
func (r *recently) again(now time.Time, while time.Duration) {
	if now.Sub(r.since) > while {
		*r = recently{since: now}
	}
	r.times++
}

// within is the count, 0 after the while.
func (r recently) within(now time.Time, while time.Duration) (times int, since time.Time) {
	if now.Sub(r.since) > while {
		return 0, time.Time{}
	}
	return r.times, r.since
}

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
	n.Object, n.needsKids, n.parent = o, status.NeedsChildren(o), o != nil &&
		(edges.Searches(o) || len(edges.Needs(o)) > 0)
}

// Own returns the node's own past, for writing: a new one, because an
// explanation may read the last.
func (n *Node) Own() *past {
	n.past = new(*n.past)
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

// RankOf is the index of a status in a Tally, worst first.
func RankOf(s status.Status) int {
	if i := slices.Index(status.Statuses, s); i >= 0 {
		return i
	}
	return slices.Index(status.Statuses, status.Unknown)
}

// Add adds another tally.
func (t *Tally) Add(o *Tally) {
	for i := range t {
		t[i] += o[i]
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

// Verdict is kstatus's aggregation (cli-utils pkg/kstatus/polling/aggregator,
// v0.37.2), except that an empty set is never Current.
func (t *Tally) Verdict() status.Status {
	switch n := t.Total(); {
	case t[RankOf(status.Failed)] > 0:
		return status.Failed
	case t[RankOf(status.Unknown)] > 0, n == 0:
		return status.Unknown
	case int(t[CurrentRank]) == n:
		return status.Current
	}
	return status.InProgress
}

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
func (n *Node) Rank() int { return RankOf(n.Assess.Status) }

// Assumed reports whether an assessment is Current with the confidence assumed.
func Assumed(a *status.Assessment) bool {
	return a.Status == status.Current && a.Confidence == status.Assumed
}

// Asked reports whether its children are wanted.
func (n *Node) Asked() bool { return n.wanted != 0 }

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
func (t *Tree) attach(n, p *Node) {
	i, _ := slices.BinarySearchFunc(p.Kids, n, ByID)
	p.Kids = slices.Insert(p.Kids, i, n)
	n.Parent = p
	if n.ID.Namespace != p.ID.Namespace {
		t.LongestForeign = max(t.LongestForeign, len(n.ID.Namespace))
	}
	n.Arrangement = Arrangement{}
	t.place(n)
	t.touch(p)
	t.Structure++
	t.Unexplained = true
}

// detach removes n, with its descendants, from its parent.
func (t *Tree) detach(n *Node) {
	p := n.Parent
	if p == nil {
		return
	}
	if i, ok := slices.BinarySearchFunc(p.Kids, n, ByID); ok {
		p.Kids = slices.Delete(p.Kids, i, i+1)
	}
	n.Parent = nil
	n.Arrangement = Arrangement{}
	t.place(n)
	t.touch(p)
	t.Structure++
	t.Unexplained = true
}

// place updates InTree for n and its descendants.
func (t *Tree) place(n *Node) {
	in := n.Root != nil || (n.Parent != nil && n.Parent.InTree)
	if in == n.InTree {
		return
	}
	n.Stamp, n.wanted = t.Epoch, 0
	n.InTree = in
	t.MayWant(n)
	if n.objJudged && n.Assess.Status != status.Current {
		t.wantsChanged = true // of what is in the tree, the events are wanted
	}
	t.turnedIn = append(t.turnedIn, n)
	for _, k := range n.Kids {
		t.place(k)
	}
}

// memberOf reports whether n is below p because p's inventory lists it, not
// because p owns it.
func (n *Node) memberOf(p *Node) bool {
	return n.Root != nil && n.Root.In == *p.ID &&
		!slices.ContainsFunc(n.Object.Owners, func(o object.Owner) bool { return o.UID == p.Object.UID })
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

// IDs are the names of nodes, in their order.
func IDs(nodes []*Node) []object.ID {
	out := make([]object.ID, len(nodes))
	for i, n := range nodes {
		out[i] = *n.ID
	}
	return out
}
