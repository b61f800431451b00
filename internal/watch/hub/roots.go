package hub

import (
	"cmp"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// putRoot makes an object a root, or changes its root's fields. The root is the hub's
// from then on.
func (h *Hub) putRoot(root *feed.Root) *record {
	r := h.recordOf(root.ID)
	root.Optional = root.Optional || h.IsOptional != nil && h.IsOptional(root.ID)
	if r.root != nil && *r.root == *root {
		r.root = root // the plan before is not kept for it
		return r
	}
	fresh := !r.isRoot()
	if !fresh && r.root.Optional != root.Optional && h.decisions[root.ID] != nil {
		h.decide(root.ID) // its members are required, or not, with it
	}
	r.root = root
	h.roots.Insert(r)
	h.touch(r, rootChanged)
	if fresh {
		h.maybeHold(r)
	}
	h.show(r)
	return r
}

// removeRoot ends that an object is a root: the next batch says so, and the record is kept until
// then. An object that no source delivers is dropped.
func (h *Hub) removeRoot(r *record) {
	removed := *r.root // a copy: the plan may name the root again
	removed.Removed = true
	r.root = &removed
	h.rootRemoved = true
	if r.selected && !r.root.In.IsZero() {
		h.mayBeEmpty(r.root.In)
	}
	h.noteGone(r.id)
	h.roots.Delete(r)
	delete(h.facts, r.id)
	if len(r.intakes) == 0 {
		h.bury(r, true)
	}
	r.absent, r.selected = false, false
	h.touch(r, rootChanged)
	h.forget(r)
}

// Roots are the named roots, in the order of the command line and by ID, and facts about
// them.
type Roots struct {
	List []*feed.Root
	ByID map[object.ID]*feed.Root
	// NeededBy maps an object to the roots whose followers need it (a repository
	// is the source of many); Schemed are the roots named as inventories.
	NeededBy map[object.ID][]object.ID
	Schemed  map[object.ID]bool
	// Unchanged says that all of the above is what the call before had.
	Unchanged bool
	// Facts is what is known of inventories, selected ones, too.
	Facts map[object.ID]follow.Facts
}

// SetRoots replaces the named roots all at once, so that a batch contains
// either none or all of an inventory's new members. Selected roots stay.
func (h *Hub) SetRoots(p Roots, selections bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	same := p.Unchanged && !h.rootRemoved
	if !same {
		for id, roots := range p.NeededBy { // a new one may have changed since its root was decided
			if !slices.Equal(h.neededBy[id], roots) {
				h.decide(roots...)
			}
		}
		h.neededBy, h.schemed = p.NeededBy, p.Schemed
	}
	for r, since := range h.held {
		if c := h.decision(r.id); c.shown >= c.last || h.now().Sub(since) >= holdMost {
			delete(h.held, r)
			h.touch(r, objectChanged)
		}
	}
	if !same {
		for _, root := range p.List {
			h.putRoot(root)
		}
	}
	for src := range h.intakes {
		if src.spec.Target == 0 || src.published().Phase != feed.Live {
			continue
		}
		for _, root := range p.List {
			if src.Covers(root.ID) {
				h.setAbsent(h.records[root.ID]) // the plan has no source of its own for it, which would find that out
			}
		}
	}
	if !same || !selections {
		for r := range h.roots {
			if _, named := p.ByID[r.id]; !named && (!r.selected || !selections) {
				h.removeRoot(r)
			}
		}
	}
	h.rootRemoved = false
	for id := range h.decisions { // of every root that is an inventory, or was one
		h.setFacts(id, p.Facts[id])
	}
	for id, f := range p.Facts {
		h.setFacts(id, f)
	}
	for id := range h.facts {
		h.setFacts(id, p.Facts[id])
	}
}

// setFacts notes the facts about an inventory, if it is a root.
func (h *Hub) setFacts(id object.ID, f follow.Facts) {
	r := h.records[id]
	if r == nil || !h.roots.Has(r) {
		return
	}
	if c := h.decisions[id]; c != nil && c.decided < c.last && h.held[r].IsZero() {
		f.Pending = cmp.Or(f.Pending, "what it lists is being read")
	}
	if f != h.facts[id] {
		h.facts[id] = f
		h.touch(r, rootChanged)
	}
}

// show includes a record in batches and follows its children if they are wanted.
func (h *Hub) show(r *record) {
	if !r.shown {
		r.shown = true
		h.hidden.Delete(r)
		if r.obj != nil {
			h.touch(r, objectChanged)
		}
	}
	h.maybeFollow(r)
}

// maybeSelect makes a root of an object that a selection delivers. What the user selects
// has its place below the inventory whose selection finds it, too.
func (h *Hub) maybeSelect(src *Intake, r *record) {
	if src.sel.AsRoot == nil || r.isRoot() && (!r.selected || r.root.In == src.sel.In) {
		return
	}
	root, ok := src.sel.AsRoot(r.obj)
	switch {
	case !ok:
		return
	case !r.isRoot():
	case r.root.In.IsZero():
		root = placed(*r.root, root)
	case root.In.IsZero():
		root = placed(root, *r.root)
	default:
		return // the first inventory counts
	}
	h.putRoot(&root).selected = true
	if !root.In.IsZero() {
		h.RequestPlan() // the set is no longer empty
	}
}

// placed is a root that the user selects, in the place of the same object as a member.
func placed(selected, member feed.Root) feed.Root {
	selected.Named = true
	selected.In, selected.Inventory, selected.Kept = member.In, member.Inventory, member.Kept
	selected.Note, selected.Reported = follow.JoinNotes(selected.Note, member.Note), member.Reported
	return selected
}

// reselect gives a root the place that its remaining sources know, after src has lost it.
func (h *Hub) reselect(src *Intake, r *record) {
	if !r.isRoot() || !r.selected || r.root.In.IsZero() || r.root.In != src.sel.In || r.obj == nil {
		return
	}
	for _, other := range r.intakes {
		if other.sel.AsRoot == nil {
			continue
		}
		if root, ok := other.sel.AsRoot(r.obj); ok {
			h.putRoot(&root)
			h.mayBeEmpty(src.sel.In)
			return
		}
	}
}

// decision counts the changes of an inventory: the last one, the one up to which
// it has been decided, and the one up to which its root may be shown.
type decision struct{ last, decided, shown uint64 }

// holdMost is how long a changed root is held back for its inventory.
const holdMost = 700 * time.Millisecond

// EmptyInventory is the reason why an inventory without members is not done.
const EmptyInventory = "its inventory is empty"

func (h *Hub) decision(root object.ID) *decision {
	c := h.decisions[root]
	if c == nil {
		c = &decision{}
		h.decisions[root] = c
	}
	return c
}

// decide has inventories decided again.
func (h *Hub) decide(roots ...object.ID) {
	for _, root := range roots {
		h.decision(root).last++
		h.checkSynced()
		h.InventoryChanged(root)
	}
}

// noteGone notes that a root, or an object by which an inventory is decided, was deleted or
// is none any more.
func (h *Hub) noteGone(id object.ID) {
	if h.decisions[id] != nil {
		h.decide(id)
	}
	h.decide(h.neededBy[id]...)
}

// mayDecide notes a change that only an inventory's follower sees.
func (h *Hub) mayDecide(src *Intake) {
	if src.sel.Supporting {
		h.decide(src.sel.In)
	}
}

// maybeHold holds a root's new state back until its new members are known: an
// inventory that has grown must never look complete without the new ones.
func (h *Hub) maybeHold(r *record) {
	if r.isRoot() && r.obj != nil && (h.ExpandInventories || h.schemed[r.id]) && inventory.Recognise(r.obj) != nil {
		h.decide(r.id)
		h.holdBack(r)
	}
}

// holdBack keeps a record from the batches until a plan includes what was decided
// about its last change, or for too long.
func (h *Hub) holdBack(r *record) {
	if _, held := h.held[r]; !held {
		h.held[r] = h.now()
		time.AfterFunc(holdMost, h.RequestPlan)
	}
}

// mayBeEmpty checks whether an inventory has lost its last member. That is
// reported in the same batch as the loss: the inventory must not look done
// until the next plan.
func (h *Hub) mayBeEmpty(root object.ID) {
	h.RequestPlan()
	f := h.facts[root]
	if !f.NeedsMembers || f.Pending != "" {
		return
	}
	for r := range h.roots {
		if r.isRoot() && r.root.In == root && !r.root.Kept {
			return
		}
	}
	f.Pending = EmptyInventory
	h.facts[root] = f
	h.touch(h.records[root], rootChanged) // facts are of roots that are there
}

// mark is the annotation that excludes a member from the verdict: see
// [inventory.Informational]. Objects that the user named always count.
func (r *record) mark() string {
	if r.obj == nil || !r.isRoot() || r.root.ByUser() {
		return ""
	}
	return inventory.Informational(r.root.In, r.obj)
}

// asRoot is the root as a batch has it: the plan's fields with the facts about an
// inventory, and with the object's own.
func (h *Hub) asRoot(r *record) feed.Root {
	out, f := *r.root, h.facts[r.id]
	out.Revision, out.Target, out.Pending, out.Note = f.Revision, f.Target, f.Pending,
		follow.JoinNotes(out.Note, f.Note)
	out.Applying, out.Outdated = f.Applying, f.Outdated
	if out.Given.Status == "" {
		out.Given = f.Given
	}
	if m := r.mark(); m != "" {
		out.Optional, out.Note = true, follow.JoinNotes(out.Note, m)
	}
	return out
}

// SelectedBy returns what the selections of an inventory have found; another
// inventory may list it, too, and come first.
func (h *Hub) SelectedBy(root object.ID) (out []object.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for src := range h.intakes {
		if src.sel.In != root {
			continue
		}
		for r := range src.records {
			if _, selected := src.sel.AsRoot(r.obj); selected && r.isRoot() {
				out = append(out, r.id)
			}
		}
	}
	return out
}

// Root implements follow.Engine.
func (h *Hub) Root(id object.ID) (follow.Root, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := follow.Root{Change: h.decision(id).last, NamedAsInventory: h.schemed[id]}
	r := h.records[id]
	if r == nil || !r.isRoot() {
		return out, false
	}
	out.Root, out.Object = h.asRoot(r), r.obj
	return out, true
}

// Object implements follow.Engine.
func (h *Hub) Object(id object.ID) (_ *object.Object, listed bool) {
	h.mu.Lock()
	for src := range h.intakes {
		listed = listed || src.listed && src.Covers(id)
	}
	h.mu.Unlock()
	return h.Get(id), listed // afterwards: what an answer has brought is known
}

// Supporting implements follow.Engine.
func (h *Hub) Supporting(root object.ID) follow.Supporting {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := follow.Supporting{Answered: true}
	for src := range h.intakes {
		if !src.sel.Supporting || src.sel.In != root {
			continue
		}
		out.Answered = out.Answered && src.listed
		out.Forbidden = out.Forbidden || src.published().Phase == feed.Forbidden
		for r := range src.records {
			out.Objects = append(out.Objects, r.obj)
		}
	}
	return out
}

// Follow implements follow.Engine. A Helm release is stored like any changed
// root: it is held back until a plan includes its new members.
func (h *Hub) Follow(root object.ID, d follow.Decision) {
	h.InventoryDecided(root, d)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.planDirty()
	defer h.checkSynced()
	r := h.records[root]
	if r == nil || !r.isRoot() {
		delete(h.decisions, root)
		return
	}
	c := h.decision(root)
	c.decided = d.Change
	if !d.Hold {
		c.shown = d.Change
	}
	switch {
	case !d.Fixed || r.obj == d.Object && d.Object != nil:
	case d.Object == nil:
		h.bury(r, false)
		h.setAbsent(r)
	default:
		if r.obj != nil && r.obj.UID != d.Object.UID {
			h.bury(r, false)
		}
		r.obj = d.Object
		r.absent = false
		h.holdBack(r)
		h.show(r)
	}
}
