// Package rows makes the rows of the tree from what is known and how the user
// arranges it.
package rows

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model/filter"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Kind says what a row of the tree stands for.
type Kind uint8

// The kinds of rows.
const (
	Object    Kind = iota
	More           // "17 more Current", "10 Pods": folded siblings
	Reference      // an object whose own row is elsewhere
	Gap            // objects that cannot be read, and why
	Group          // the header of a group
)

// Key identifies a row for as long as its object exists, wherever it moves.
// It is comparable.
type Key struct {
	Kind Kind
	ID   object.ID // the object; for More the parent (zero at the top)
	From object.ID // Reference: the referring object
	Gap  string    // Gap, Group and top-level More: an identifier
}

// Fold says whether a row can be folded, and whether it is.
type Fold uint8

// The states of a fold.
const (
	Leaf Fold = iota
	Opened
	Closed
)

// Row is one line of the tree, ready to draw.
type Row struct {
	Key   Key
	Depth int
	// Guides has bit d set if a line runs down in column d: the ancestor at
	// depth d has a later sibling. Last says that the row itself has none.
	Guides uint64
	Last   bool
	Fold   Fold

	Name string // "Deployment/web", "16 more Current"
	// Namespace is set if several namespaces are shown and the parent's row is
	// not in the same one.
	Namespace string
	Ready     string // "3/4"
	Rollout   string // of a ReplicaSet: "new rev 42", "old rev 41"
	Updated   string // "2/4 updated"
	Note      string // other counters, and inventories
	Status    status.Status
	// Reason is short. If a descendant blocks the object it is that one's
	// reason, and Carried is how many have it ("» ImagePullBackOff ×2").
	Reason  string
	Carried int
	// Cause is the title of the first proven cause that keeps the object from being
	// Current; MoreCauses is how many others do.
	Cause      string
	MoreCauses int
	Message    string // one more line, if there is room
	Since      time.Time
	Stalled    bool
	Stale      bool // the connection has not confirmed the data for too long
	Paused     bool
	Noted      bool // Current, but Message is a remark
	Assumed    bool // Current with the confidence assumed
	Muted      bool // it does not count for the verdict

	Restarts int64 // of a Pod's containers
	// Object is what a column may show more of; nil if nothing is known of it.
	Object *object.Object

	Generated bool
	Selected  bool
	Matched   bool // it matches the filter (or there is none); ancestors of a match do not
}

// Scope says what the tree shows.
type Scope uint8

// The scopes of the tree.
const (
	WithGenerated Scope = iota
	WithReferences
	AppliedOnly
)

// Folding is what z and Z choose.
type Folding uint8

// The foldings.
const (
	FoldAuto    Folding = iota // problems open; Current siblings in one row if not all rows fit
	FoldCurrent                // everything Current in one row
	FoldNothing
)

// Ref is a row before it is rendered. Ten thousand of them are made in a
// frame: rarely used fields are in special.
type Ref struct {
	Node  *world.Node // nil for gaps, and for More at the top
	Depth int32
	Kind  Kind
	Fold  Fold

	special *special // nil for ordinary objects
	guides  uint64
	last    bool // no sibling follows
	matched bool
}

// special holds the fields of rows that are not objects of the tree.
type special struct {
	from  *world.Node // references: the referring object
	ref   object.ID
	gap   string
	count int
	sub   world.Tally   // of the objects folded into it
	alike []*world.Node // the objects with one status and one cause that are folded into it
}

// Key is what identifies the row.
func (r *Ref) Key() Key {
	k := Key{Kind: r.Kind}
	if r.special != nil {
		k.Gap = r.special.gap
	}
	switch {
	case r.Kind == Reference:
		k.ID, k.From = r.special.ref, *r.special.from.ID
	case r.Node != nil:
		k.ID = *r.Node.ID
	}
	return k
}

// Settings are the user's choices.
type Settings struct {
	Folds    map[Key]bool // true: opened by the user, false: closed
	Folding  Folding
	Scope    Scope
	Filter   filter.Filter
	Group    Grouping
	Sort     Sorting
	Reversed bool
}

// lifts reports whether a member of an inventory is a top-level row, not below
// its inventory: grouping lifts the members.
func (s *Settings) lifts(n *world.Node) bool {
	return s.Group != GroupNone && n.Root != nil && !n.Root.Kept && n.InTree
}

// List is the list of rows. Facts change many times a second; rows must not move
// that often. So the order of siblings, and which of them are folded into one
// row, is stored in the nodes, and holds until Build may move them again.
type List struct {
	Refs []Ref

	top []*world.Node // the top level in display order
	// what the filter shows, and whether it matches itself; nil without a filter
	kept   map[*world.Node]bool
	labels map[*world.Node]string               // the group of each node at the top level
	tops   []*world.Node                        // the top level unsorted; like by and order, used again by every Build
	by     [world.CurrentRank + 1][]*world.Node // siblings by rank
	order  []*world.Node                        // siblings that were sorted, one list after the other
	roomy  bool                                 // all rows fit without folding what is Current
}

// Index is the index of the row with a key, or -1.
func (l *List) Index(w *world.World, k Key) int {
	n := w.Tree.Nodes[k.ID]
	return slices.IndexFunc(l.Refs, func(r Ref) bool {
		if k.Kind == Object {
			return r.Kind == Object && r.Node == n
		}
		return r.Kind == k.Kind && r.Key() == k
	})
}

// Shown is n, or its nearest ancestor that the scope and the filter do not hide; nil if there is
// none.
func (l *List) Shown(s *Settings, n *world.Node) *world.Node {
	for n != nil && (!n.InTree || !l.visible(s, n)) {
		n = n.Parent
	}
	return n
}

// Ranks are the places of all nodes in display order, of what is folded, too.
func (l *List) Ranks() map[*world.Node]int {
	ranks := map[*world.Node]int{}
	var walk func(list []*world.Node)
	walk = func(list []*world.Node) {
		for _, n := range list {
			if _, known := ranks[n]; !known {
				ranks[n] = len(ranks)
				walk(placed(n.Kids))
			}
		}
	}
	walk(l.top)
	return ranks
}

// Problems are the nodes with a problem: the deepest ones that are
// problems (see [world.Causes.Problem]), in display order, one per reason below each
// parent; then Current ones with a cause that needs action. In place of one that the scope
// or the filter hides stands its nearest ancestor that has a row.
func (l *List) Problems(x *world.Causes, s *Settings) []*world.Node {
	var out []*world.Node
	var walk func(list []*world.Node, newest *world.Node, below bool)
	walk = func(list []*world.Node, newest *world.Node, below bool) {
		reasons := map[string]bool{}
		for _, n := range list {
			if below && s.lifts(n) {
				continue
			}
			if n.Sub.Problems() == 0 || (newest != nil && n.ID.Kind == "ReplicaSet" && n != newest) {
				continue
			}
			if n.Lead.Node == n {
				if x.Problem(n) && (n.IsTop() || !reasons[n.Assess.Reason]) {
					reasons[n.Assess.Reason] = true
					out = append(out, n)
				}
				if n.Assess.Status != status.Current {
					continue
				}
			}
			before := len(out)
			walk(placed(n.Kids), world.NewestRevision(n), true)
			if len(out) == before && n.IsTop() && x.Problem(n) {
				out = append(out, n) // what is below it only waits
			}
		}
	}
	walk(l.top, nil, false)
	var shown []*world.Node
	for _, n := range append(out, x.Remarked()...) {
		if n = l.Shown(s, n); n != nil && !slices.Contains(shown, n) {
			shown = append(shown, n)
		}
	}
	return shown
}
