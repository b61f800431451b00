package hub

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// dependents knows which objects belong under something that is followed. Package edges derives
// keys from objects: a parent offers some (its UID, for example), and a child refers to them.
// An object belongs under what is followed if it refers to a key that was offered. It is guarded
// by the hub's lock.
type dependents struct {
	allChildren, noChildren bool                     // Options.Children is all, none
	wanted                  sets.Set[object.ID]      // parents whose children are wanted, or were: they may come back
	followed                map[*record][]edges.Need // records whose children are followed, with their needs
	orphans                 []orphan                 // needs of deleted parents, kept for orphanTime

	selecting edges.Choosers[*record] // followed Services, by what they select

	offers        sets.Set[string]  // keys that followed objects offer, or once did, to their children
	offersCounted int               // how many were offered when they were last counted
	offersAdded   bool              // some were added since the last sweep
	hidden        sets.Set[*record] // delivered, but not (yet) a child of a shown object
	unfollowed    byReference
}

// byReference are shown objects whose children are not followed, because nothing followed has
// offered a key that they refer to: by these keys. The member of an inventory may come before
// the object that owns it, and belongs below it all the same.
type byReference map[string]sets.Set[*record]

func (b byReference) add(r *record) {
	for _, key := range edges.Refers(r.obj, nil) {
		if key == "" {
			continue
		}
		if b[key] == nil {
			b[key] = sets.Set[*record]{}
		}
		b[key].Insert(r)
	}
}

func (b byReference) remove(r *record) {
	if len(b) == 0 || r.obj == nil || r.obj.Pod != nil {
		return
	}
	for _, key := range edges.Refers(r.obj, nil) {
		if b[key].Delete(r); len(b[key]) == 0 {
			delete(b, key)
		}
	}
}

// take removes and returns those that refer to a key.
func (b byReference) take(key string) sets.Set[*record] {
	all := b[key]
	delete(b, key)
	return all
}

// orphan is what a deleted parent needs, kept until its children are deleted, too.
type orphan struct {
	needs []edges.Need
	until time.Time
}

// orphanTime is how long the children of a deleted parent are still followed.
const orphanTime = time.Minute

// The children of manyParents or more wait for their list, for parentsPatience at most.
const (
	manyParents     = 20
	parentsPatience = time.Second
)

// referred reports whether o refers to a followed object. (A Pod also refers to
// its own UID, which an EndpointSlice may offer.) A Pod that a Service selects has no
// EndpointSlice before it has an address: the Service is judged by it all the same.
func (d *dependents) referred(o *object.Object) bool {
	return o.Pod != nil && d.selected(o) ||
		slices.ContainsFunc(edges.Refers(o, nil), func(k string) bool { return k != "" && d.offers.Has(k) })
}

// selected reports whether a followed Service selects a Pod.
func (d *dependents) selected(pod *object.Object) bool {
	for range d.selecting.Of(pod) {
		return true
	}
	return false
}

// maybeFollow adds an object's offers to the keys by which children are
// recognised, and its needs to the plan's. In auto mode that is done for parents
// whose children are wanted, and for their descendants.
func (h *Hub) maybeFollow(r *record) {
	if r.obj == nil || !r.shown || h.noChildren || r.obj.Pod != nil {
		return
	}
	wanted, searches := h.wanted.Has(r.id), edges.Searches(r.obj)
	if known, ok := h.followed[r]; !ok || len(known) == 0 && searches && wanted {
		if !wanted && (searches || !h.allChildren) && !h.referred(r.obj) {
			h.unfollowed.add(r)
			return
		}
		needs := edges.Needs(r.obj)
		if searches && !wanted {
			needs = nil // what it makes is found by its parent's search, if at all
		}
		h.followed[r] = needs
		if r.obj.Service != nil {
			h.selecting.Set(r, r.id.Namespace, r.obj.Service.Selector)
		}
		if len(needs) > 0 && !h.covered(r.obj) {
			h.planDirty()
		}
	}
	for _, key := range edges.Offers(r.obj, nil) {
		if !h.offers.Has(key) {
			h.offers.Insert(key)
			h.offersAdded = true
			h.searchFor(key)
			for child := range h.unfollowed.take(key) {
				h.maybeFollow(child)
			}
		}
	}
}

// maybeShow shows a descendant of a followed object, if a source follows it.
func (h *Hub) maybeShow(r *record) {
	if !r.shown && len(r.intakes) > 0 && h.referred(r.obj) {
		h.show(r)
	}
}

// sweep shows hidden objects that have become descendants of followed ones. They
// may be parents of others.
func (h *Hub) sweep() {
	for h.offersAdded {
		h.offersAdded = false
		for r := range h.hidden {
			h.maybeShow(r)
		}
	}
	if len(h.offers) > 2*h.offersCounted+1000 { // most are of parents that are gone
		clear(h.offers)
		for r := range h.followed {
			h.offers.Insert(edges.Offers(r.obj, nil)...)
		}
		h.offersCounted = len(h.offers)
	}
}

// Needs returns the needs of the followed parents: with it a plan begins. While more of
// their kind are being listed, parents wait (and the plan is not up to date): their
// children are then found by one source, not by one that a wider one soon replaces.
func (h *Hub) Needs() []edges.Need {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sweep()
	out := make([]edges.Need, 0, len(h.followed))
	now, waiting := h.now(), false
	for r, needs := range h.followed {
		switch {
		case len(needs) == 0 || h.covered(r.obj):
		case len(r.intakes) > 0 && !slices.ContainsFunc(r.intakes, func(s *Intake) bool {
			return s.listed || max(len(s.records), len(s.keep)) < manyParents ||
				now.Sub(s.published().Since) >= parentsPatience
		}): // it is one of many that its source is still listing
			waiting = true
		default:
			out = append(out, needs...)
		}
	}
	h.planning = !waiting
	h.orphans = slices.DeleteFunc(h.orphans, func(o orphan) bool { return now.After(o.until) })
	for _, o := range h.orphans {
		out = append(out, o.needs...)
	}
	return out
}

// covered reports whether a followed owner's needs already find o's children.
func (h *Hub) covered(o *object.Object) bool {
	c, ok := o.Controller()
	if !ok {
		return false
	}
	id := object.ID{Group: c.Group, Kind: c.Kind, Namespace: o.Namespace, Name: c.Name}
	p := h.records[id]
	if p == nil { // an owner without a namespace
		id.Namespace = ""
		p = h.records[id]
	}
	_, followed := h.followed[p]
	return followed && p.obj.UID == c.UID && edges.Covered(p.obj, o)
}
