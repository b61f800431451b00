package hub

import (
	"maps"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

// A search is a stream of all objects of a kind that is read only for their owners: nothing else
// says what a custom object makes.

// owned are the objects that a search knows, by the UIDs of their owners. It keeps nothing else of
// them.
type owned map[string]map[object.ID]bool

// noteOwners keeps the owners of an object that a search has read. If one of them is followed,
// the object gets a source of its own.
func (src *Intake) noteOwners(o *object.Object) {
	h := src.hub
	if !h.intakes.Has(src) || len(o.Owners) == 0 {
		return // owners are seldom removed; the source that follows a found object notices it
	}
	if src.owned == nil {
		src.owned = owned{}
	}
	for _, by := range o.Owners {
		if src.owned[by.UID][o.ID] {
			continue
		}
		if src.owned[by.UID] == nil {
			src.owned[by.UID] = map[object.ID]bool{}
		}
		src.owned[by.UID][o.ID] = true
		if h.offers.Has(by.UID) {
			h.planDirty()
		}
	}
}

// forgetOwners forgets an object that has been deleted. Its own source sees that, too.
func (src *Intake) forgetOwners(id object.ID) {
	for uid, ids := range src.owned {
		if !ids[id] {
			continue
		}
		if delete(ids, id); len(ids) == 0 {
			delete(src.owned, uid)
		}
		if src.hub.offers.Has(uid) {
			src.hub.planDirty()
		}
	}
}

// searchFor has the plan made anew where searches know children of what offers a key.
func (h *Hub) searchFor(key string) {
	for src := range h.intakes {
		if len(src.owned[key]) > 0 {
			h.planDirty()
			return
		}
	}
}

// FoundBySearch returns the objects of an area that searches have found to be owned by something
// followed.
func (h *Hub) FoundBySearch(a plan.Area) (out []object.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	found := map[object.ID]bool{}
	for src := range h.intakes {
		if src.spec.Role != plan.Search || src.spec.Area() != a.Searched() {
			continue
		}
		for uid, ids := range src.owned {
			if h.offers.Has(uid) {
				maps.Copy(found, ids)
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), object.ID.Compare)
}
