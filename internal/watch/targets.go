package watch

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow"
	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/hub"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// target is one target and the state of its resolution.
type target struct {
	*inventory.Target
	number int // unique, from 1
	root   object.ID
	fixed  bool            // its root is not an object of the server
	kinds  []kube.Resource // the kinds that it may be of; nil until known
	search *search
}

// group is what the user asked for, or what an inventory lists with the facts about it.
type group struct {
	targets []*target
	facts   follow.Facts
}

// byUser is the key of the group that the user named; the others have their root.
var byUser object.ID

// setGroup replaces a group, or drops an empty one of what is no root any more. It
// takes ownership of the list.
func (e *Engine) setGroup(root object.ID, targets []inventory.Target, facts follow.Facts) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.outdated.Store(true)
	if len(targets) == 0 && root != byUser {
		if _, is := e.hub.Root(root); !is {
			delete(e.groups, root)
			e.order = slices.DeleteFunc(e.order, func(id object.ID) bool { return id == root })
			return
		}
	}
	before, known := e.groups[root]
	// A target that stays keeps its number, and so its sources and its place.
	old := map[inventory.Target]target{}
	for _, t := range before.targets {
		old[essence(*t.Target)] = *t
	}
	g := group{make([]*target, 0, len(targets)), facts}
	for i := range targets {
		key := essence(targets[i])
		t, stays := old[key]
		if !stays {
			e.number++
			t.number = e.number
		}
		t.Target = &targets[i]
		delete(old, key)
		g.targets = append(g.targets, &t)
	}
	e.groups[root] = g
	if !known {
		e.order = append(e.order, root)
	}
}

// essence is what identifies a target, without its descriptions.
func essence(k inventory.Target) inventory.Target {
	if k.Name != "" || k.ID.Name != "" {
		k.Note = ""
		k.Given = feed.GivenStatus{}
		k.Reported = feed.ReportedStatus{}
		k.Optional = false
		k.Gone = false
		k.Kept = false
	}
	return k
}

// resolution is what the targets mean, as far as their kinds are known.
type resolution struct {
	roots      hub.Roots
	named      plan.Names           // of objects that are read by their names
	selections []plan.Spec          // the sources of what selects
	selecting  map[int]*target      // the targets that select, by their numbers
	lookups    []plan.Spec          // the sources that ask discovery for an unknown kind
	resolved   bool                 // every target's kinds are known
	unknown    map[object.ID]string // inventories, and why not all of their labels' kinds are followed
	missing    error                // why there may be more kinds than are known
}

// lookUpTargets hands the targets' roots to the hub and returns their resolution. That
// is made anew only where something was learned since the last time.
func (e *Engine) lookUpTargets() *resolution {
	e.mu.Lock()
	defer e.mu.Unlock()
	same := !e.outdated.Swap(false)
	if !same {
		e.resolution = e.resolve()
	}
	r := e.resolution
	waiting := maps.Clone(r.unknown)
	for _, s := range r.selections {
		if src := e.running[s]; src == nil || !e.hub.Listed(src) {
			waiting[r.selecting[s.Target].In] = "its members are being looked for"
		}
	}
	roots := r.roots
	roots.Unchanged, roots.Facts = same, e.factsOf(waiting, roots.ByID)
	e.hub.SetRoots(roots, len(r.selecting) > 0)
	e.trouble = r.missing
	for _, key := range slices.Sorted(maps.Keys(e.questions)) {
		e.trouble = cmp.Or(e.trouble, e.questions[key])
	}
	return r
}

// learned has the targets resolved again.
func (e *Engine) learned() {
	e.outdated.Store(true)
	e.kick()
}

// resolve resolves the targets to roots and selections as far as their kinds are known.
func (e *Engine) resolve() *resolution {
	most := len(e.groups[byUser].targets) // but for inventories' members
	r := &resolution{
		roots: hub.Roots{
			List: make([]*feed.Root, 0, most), ByID: make(map[object.ID]*feed.Root, most),
			NeededBy: map[object.ID][]object.ID{}, Schemed: map[object.ID]bool{},
		},
		selecting: map[int]*target{}, resolved: true, unknown: map[object.ID]string{},
	}
	for _, g := range e.order {
		for _, t := range e.groups[g].targets {
			if !e.lookUpTarget(t, r) {
				r.resolved = false
			}
			if t.Gone || t.Supporting && t.root.Name != "" {
				r.roots.NeededBy[t.root] = append(r.roots.NeededBy[t.root], t.In)
			}
			if t.Scheme != "" {
				r.roots.Schemed[t.root] = true
			}
			unserved := t.kinds == nil && !t.fixed && !t.root.IsZero() // yet; a TYPE has no root until it is known
			if unserved && !slices.ContainsFunc(r.lookups, func(s plan.Spec) bool {
				return s.Resource.Group == t.ID.Group && s.Resource.Kind == t.ID.Kind
			}) {
				kind := kube.Resource{Group: t.ID.Group, Version: t.Version, Kind: t.ID.Kind, Namespaced: true}
				r.lookups = append(r.lookups, plan.Spec{Resource: kind, Role: plan.Lookup})
			}
			switch {
			case t.Name == "" && t.ID.Name == "":
				r.selecting[t.number] = t
				if unserved {
					r.unknown[t.In] = "the cluster does not know its kind " + t.ID.GroupKind()
				}
				for _, res := range t.kinds {
					e.addSelection(r, t, res)
				}
			case t.fixed, unserved && !t.Supporting:
				wantRoot(t, &r.roots)
			case t.kinds == nil: // the TYPE is not known yet, or unknown
			case t.Supporting || wantRoot(t, &r.roots): // the first that names it
				r.named.Add(plan.Area{Resource: t.kinds[0], Namespace: t.root.Namespace}, t.root.Name)
			}
		}
	}
	return r
}

// addSelection adds one kind of a selection, unless the same inventory selects
// it already: a cluster-scoped kind, from several namespaces.
func (e *Engine) addSelection(r *resolution, t *target, res kube.Resource) {
	s := plan.Spec{
		Resource: res, Namespace: cmp.Or(t.Namespace, e.opts.Namespace), Selector: t.Selector,
		Fields: t.FieldSelector, Target: t.number,
		Poll: len(r.selections) >= plan.SelectionBudget,
	}
	if t.AllNamespaces || !res.Namespaced {
		s.Namespace = ""
	}
	if !t.In.IsZero() && slices.ContainsFunc(r.selections, func(o plan.Spec) bool {
		return o.Resource == s.Resource && o.Namespace == s.Namespace && o.Selector == s.Selector &&
			r.selecting[o.Target].In == t.In
	}) {
		return
	}
	r.selections = append(r.selections, s)
}

// everything reports whether it is a target, all that nothing else owns.
func (t *target) everything() bool { return t != nil && t.Type == "" && t.All }

// lookUpTarget resolves a target as far as possible without waiting.
func (e *Engine) lookUpTarget(t *target, r *resolution) bool {
	t.fixed = false
	switch {
	case t.Given.Status != "" && !t.ID.IsZero():
		t.root, t.fixed = t.ID, true
		return true
	case t.Scheme == "helm":
		t.root, t.fixed = inventory.HelmReleaseID(t.Namespace, t.Name), true
		return true
	case t.ID.IsZero() && t.Candidates() != nil:
		return e.lookUpSearched(t)
	case !t.ID.IsZero():
		e.lookUpKind(t, t.ID)
		return true
	case t.everything():
		e.ask("all types", func(ctx context.Context) error {
			_, err := e.resolver.Discover(ctx)
			return err
		})
		return e.lookUpMany(t, r, e.everything(t))
	}
	res, ok := e.resolver.Known(t.Type)
	if !ok {
		category := func(d resolve.Discovered) bool { return t.Name == "" && slices.Contains(d.Categories, t.Type) }
		known := t.In.IsZero() && e.lookUpMany(t, r, category)
		e.ask("type "+t.Type, func(ctx context.Context) error {
			_, err := e.resolver.Type(ctx, t.Type, inventory.SchemesMeantBy(t.Type, t.Name)...)
			if kinds, _ := e.resolver.Followable(category); kinds != nil && errors.Is(err, resolve.ErrUnknownType) {
				return nil
			}
			return err
		})
		return known
	}
	if t.Unplaced != 0 && res.Namespaced {
		e.ask("the namespace of kubectl's text", e.place)
		return false
	}
	t.kinds = []kube.Resource{res}
	if t.Name != "" {
		t.root = res.ID(cmp.Or(t.Namespace, e.opts.Namespace), t.Name)
	}
	return true
}

// lookUpMany resolves a target of many kinds as far as they have been discovered.
// While some could not be, those that were known stay.
func (e *Engine) lookUpMany(t *target, r *resolution, wanted func(resolve.Discovered) bool) bool {
	kinds, missing := e.resolver.Followable(wanted)
	if kinds != nil && missing != nil {
		r.missing = missing
		kinds = append(kinds, slices.DeleteFunc(slices.Clone(t.kinds), func(r kube.Resource) bool {
			return slices.Contains(kinds, r)
		})...)
	}
	t.kinds = kinds
	return kinds != nil
}

// search is what is known of the root of an inventory that was named by its
// scheme alone: it may be one of several objects, of several kinds.
type search struct {
	found   object.ID
	instead feed.GivenStatus // shown until it is found
	looked  bool             // all places have been searched once
}

// lookUpSearched makes a root of what a search has found, or the likeliest place.
func (e *Engine) lookUpSearched(t *target) bool {
	places := t.Candidates()
	if t.search == nil {
		s := &search{}
		t.search = s
		e.spawn(func() { e.look(s, places) })
	}
	t.Given, t.fixed = t.search.instead, t.search.found.IsZero()
	if t.fixed {
		t.root = places[0].ID
		t.root.Name = cmp.Or(t.root.Name, t.Name)
	} else {
		e.lookUpKind(t, t.search.found)
	}
	return t.search.looked
}

// look looks for a root until it is found; in other namespaces once.
func (e *Engine) look(s *search, places []inventory.Candidate) {
	for where := ""; e.server.Gate.Wait(e.ctx) == nil; _ = gate.Sleep(e.ctx, 2*time.Second) {
		found, why := e.finder.Search(e.ctx, places)
		if found.IsZero() && where == "" {
			where = cmp.Or(e.finder.Elsewhere(e.ctx, places...), "there is no such inventory")
		}
		instead := feed.GivenStatus{}
		switch {
		case errors.Is(why, find.ErrSeveral):
			e.hub.EndFeed(why)
			return
		case kube.Code(why) == http.StatusForbidden:
			text := object.Clean(kube.ErrorText(why))
			instead = feed.GivenStatus{Status: status.Unknown, Reason: feed.RefusalReason(text), Message: text}
		case why != nil:
			instead = feed.GivenStatus{
				Status: status.Unknown, Reason: "WaitingForFirstAnswer",
				Message: object.Clean(kube.ErrorText(why)),
			}
		case found.IsZero():
			instead = feed.GivenStatus{Status: status.NotFound, Reason: "NotFound", Message: where}
		}
		e.mu.Lock()
		// a temporary error is no answer
		s.found, s.instead, s.looked = found, instead, s.looked || why == nil || kube.Code(why) == 403
		e.mu.Unlock()
		e.outdated.Store(true)
		e.hub.Replan()
		if !found.IsZero() {
			return
		}
	}
}

func (e *Engine) lookUpKind(t *target, id object.ID) {
	t.root = id
	if res, ok := e.resolver.Kind(id.Group, id.Kind); ok {
		t.root, t.kinds = res.ID(id.Namespace, id.Name), []kube.Resource{res}
	}
}

// wantRoot makes a root of a target, unless there is one. If several targets name the same object,
// the first one counts and notes which inventories list it, too.
func wantRoot(t *target, roots *hub.Roots) (fresh bool) {
	if first := roots.ByID[t.root]; first != nil {
		first.Generation = max(first.Generation, t.Generation)
		switch {
		case t.In.IsZero() || t.In == t.root || first.In == t.In || t.Gone:
		case first.In.IsZero() || first.Kept: // the user named it: that place is kept
			if first.Kept { // by another one
				first.Optional = t.Optional
			}
			first.Named = first.In.IsZero()
			first.In, first.Inventory, first.Kept = t.In, t.Inventory, false
			first.Note, first.Reported = follow.JoinNotes(first.Note, t.Note), t.Reported
		default:
			first.Note = follow.JoinNotes(first.Note, "also in "+t.Inventory)
			first.Optional = first.Optional && t.Optional
		}
		return false
	}
	version := t.Version
	if t.kinds != nil {
		version = cmp.Or(version, t.kinds[0].Version)
	}
	root := t.asRoot(t.root, version)
	roots.ByID[t.root] = &root
	roots.List = append(roots.List, &root)
	return true
}

// asRoot returns the feed.Root of a target. Of a selection it reads only fields
// that no later plan changes, because sources call it at any time.
func (t *target) asRoot(id object.ID, version string) feed.Root {
	return feed.Root{
		ID: id, Version: version, Source: t.Source, Order: t.number, Generation: t.Generation, Optional: t.Optional,
		In: t.In, Inventory: t.Inventory, Note: t.Note, Given: t.Given, Reported: t.Reported, Kept: t.Kept,
	}
}

// selected is the root that an object is because the target selects it.
func (t *target) selected(o *object.Object, owned func(*object.Object) bool) (feed.Root, bool) {
	if t.Supporting || t.everything() && (owned(o) || slices.Contains(ofTheSystem, o.GroupKind()+"/"+o.Name)) ||
		!t.Filter.Passes(o) || o.ID == t.In {
		return feed.Root{}, false
	}
	root := t.asRoot(o.ID, o.Version)
	if !t.In.IsZero() {
		root.Note = follow.JoinNotes(root.Note, inventory.MemberNote(o))
	}
	return root, true
}

// ofTheSystem are objects that Kubernetes creates in every namespace.
var ofTheSystem = []string{"ConfigMap/kube-root-ca.crt", "ServiceAccount/default"}

// Listed returns the members of a followed inventory, sorted, including those
// that stand under another inventory that lists them, too.
func (e *Engine) Listed(root object.ID) []object.ID {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.SortedFunc(maps.Keys(e.listed(root)), object.ID.Compare)
}

// listed returns the members of an inventory.
func (e *Engine) listed(root object.ID) sets.Set[object.ID] {
	listed := sets.New(e.hub.SelectedBy(root)...)
	for _, t := range e.groups[root].targets {
		if t.root.Name != "" && !t.Gone && !t.Supporting {
			listed.Insert(t.root)
		}
	}
	return listed
}

// factsOf returns the facts about inventories' roots, those that a selection found,
// too. One is not complete while it waits for members, nor, if it was named, while
// it is empty.
func (e *Engine) factsOf(waiting map[object.ID]string, named map[object.ID]*feed.Root) map[object.ID]follow.Facts {
	out := make(map[object.ID]follow.Facts, len(e.groups))
	for root, g := range e.groups {
		f := g.facts
		_, ok := named[root]
		empty := ok && f.NeedsMembers && len(e.listed(root)) == 0
		switch {
		case f.Pending != "" || f.Given.Status != "" && f.Given.Status != status.Current:
		case waiting[root] != "":
			f.Pending = waiting[root]
		case empty && f.Given.Status != "": // its record may not be read, and no label leads to it
			f.Given.Status, f.Given.Reason = status.Unknown, "Forbidden"
		case empty:
			f.Pending = hub.EmptyInventory
		}
		out[root] = f
	}
	return out
}
