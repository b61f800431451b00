package watch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/find"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// The bounds on inventories.
const (
	setDepth   = 8 // inventories within inventories
	setReaders = 6 // roots that are fetched at the same time
	// keptAfter is how long a member that has left its set may take until its
	// deletion begins; goneRow how long the row of one that has gone is shown.
	keptAfter = 5 * time.Second
	goneRow   = 5 * time.Second
	leftMost  = 500 // rows of what has left a set
	setRetry  = 2 * time.Second
)

// setKeeper follows inventories: whenever a root, or what lies aside from it,
// has changed, it decodes what the root lists now and follows that
// ([Engine.Follow], a group for each root). The members of inventories among
// the members are followed in turn.
//
// One goroutine hands the roots out to workers; each root has one worker at a
// time, so what belongs to a root needs no lock but for being looked up.
type setKeeper struct {
	e    *Engine
	wake chan struct{} // never closed; a full one has said it already
	room chan struct{} // places for requests

	mu   sync.Mutex
	sets map[object.ID]*set // by root
}

// set is one inventory that is followed. Its worker owns it; version alone is
// read by others, under the keeper's lock.
type set struct {
	root    object.ID
	title   string // "Kustomization/apps"
	version string // of the root, when it was decided
	decided bool

	uid     string
	body    map[string]any // the root's object, as of bodyRV
	bodyRV  string
	listed  []inventory.Target // members, as they were followed last
	left    map[object.ID]left // members that have left the set
	names   map[object.ID]int  // which of two names: see eitherName
	storage inventory.Release  // whose revisions are watched aside
	maps    bool               // its ConfigMaps too
	pinned  int                // the revision that was asked for
	known   map[string]helmRecord
	serial  int // of the synthetic object
	sought  bool
	where   string // in which other namespace there is one
}

// left is a member that the set no longer lists.
type left struct {
	inventory.Target
	since time.Time // of its leaving
	gone  time.Time // when it was found to be gone; zero while it exists
}

func newSetKeeper(e *Engine) *setKeeper {
	k := &setKeeper{e: e, wake: make(chan struct{}, 1), room: make(chan struct{}, setReaders), sets: map[object.ID]*set{}}
	e.hub.sets.expand = e.opts.Expand != "none"
	e.hub.sets.wake = k.kick
	return k
}

func (k *setKeeper) kick() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// start begins with what is no object: Helm releases.
func (k *setKeeper) start() {
	for _, t := range k.e.opts.Targets {
		if t.Scheme == "helm" {
			id := inventory.HelmReleaseID(t.Namespace, t.Name)
			s := k.set(id)
			s.pinned, s.title = t.HelmVersion, id.String()
			k.watchStorage(s, inventory.Release{Namespace: t.Namespace, Name: t.Name}, t.Source)
		}
	}
	k.e.spawn(k.run)
}

func (k *setKeeper) run() {
	ctx := k.e.ctx
	ticker := time.NewTicker(holdMost / 2)
	defer ticker.Stop()
	for {
		var tick <-chan time.Time // only while something is held back
		if k.e.hub.holds() {
			tick = ticker.C
		}
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		case <-tick:
			k.e.kick() // the plan lets go what has waited for too long
		}
		for _, id := range k.e.hub.takeDirty() {
			k.e.spawn(func() {
				for again := true; again && ctx.Err() == nil; again = k.e.hub.finishSet(id) {
					k.decide(ctx, id)
				}
			})
		}
	}
}

func (k *setKeeper) set(id object.ID) *set {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.sets[id]
	if s == nil {
		s = &set{root: id, title: id.String(), left: map[object.ID]left{}, names: map[object.ID]int{}, known: map[string]helmRecord{}}
		k.sets[id] = s
	}
	return s
}

// decided implements rootPlan.decided. It is called under the hub's lock.
func (k *setKeeper) decided(id object.ID, version string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.sets[id]
	return s != nil && s.decided && s.version == version
}

// settle notes that a set has been decided as of a version of its root, and lets
// a plan carry it out.
func (k *setKeeper) settle(s *set, version string) {
	k.mu.Lock()
	s.decided, s.version = true, version
	k.mu.Unlock()
	k.e.hub.mu.Lock()
	k.e.hub.planDirty()
	k.e.hub.mu.Unlock()
}

// later decides a root again after a while.
func (k *setKeeper) later(id object.ID, d time.Duration) {
	k.e.spawn(func() {
		if gate.Sleep(k.e.ctx, d) == nil {
			k.e.hub.mu.Lock()
			k.e.hub.decideSet(id)
			k.e.hub.mu.Unlock()
		}
	})
}

// decide finds out what a root lists now, and follows it.
func (k *setKeeper) decide(ctx context.Context, id object.ID) {
	st := k.e.hub.rootState(id)
	if !st.isRoot {
		k.drop(id)
		return
	}
	s := k.set(id)
	if id.Group == "helm.sh" && id.Kind == "Release" {
		k.decideRelease(ctx, s, st)
		return
	}
	if st.object == nil {
		// It does not exist (any more). What it listed is still looked after: it is
		// what is being deleted.
		k.e.setFacts(id, rootFacts{told: k.elsewhere(ctx, s, st)})
		k.settle(s, "")
		return
	}
	o := st.object
	if s.uid != o.UID {
		s.uid, s.body, s.bodyRV = o.UID, nil, ""
	}
	source := inventory.Recognise(o)
	body, err := k.read(ctx, s, o)
	switch {
	case ctx.Err() != nil:
		return
	case kube.Code(err) == 404:
		k.settle(s, o.ResourceVersion) // it has gone meanwhile, which the watch will tell
		return
	case err != nil:
		k.e.setFacts(id, rootFacts{pending: "what it lists cannot be read: " + object.Clean(kube.ErrorText(err))})
		k.settle(s, o.ResourceVersion)
		k.later(id, setRetry)
		return
	}
	list, ok := inventory.Set{}, false
	if source != nil {
		list, ok = source.Read(inventory.Object{ID: id, Body: body})
	}
	if !ok {
		k.settle(s, o.ResourceVersion)
		return
	}
	facts := rootFacts{asked: st.root.Asked() && (st.schemed || !list.Unlisted)}
	if list.Release.Name != "" {
		k.addRelease(ctx, s, st, &list)
	}
	known := true
	if !list.Source.IsZero() {
		var behind string
		behind, known = k.behind(s, st, list)
		list.Pending = cmp.Or(list.Pending, behind)
	}
	k.follow(s, st, list, facts)
	if known {
		k.settle(s, o.ResourceVersion)
		return
	}
	// The root is held back until its source has been heard of, or for too long;
	// until there is a plan with that source, nothing is complete.
	k.e.hub.mu.Lock()
	k.e.hub.planDirty()
	k.e.hub.mu.Unlock()
}

// elsewhere says where a root is that was named as an inventory and has never
// been where it was looked for. It is asked for once.
func (k *setKeeper) elsewhere(ctx context.Context, s *set, st rootState) feed.Told {
	if st.schemed && st.root.Asked() && s.uid == "" && !s.sought {
		s.sought = true
		s.where = find.ThereIsOne(k.e.finder.Elsewhere(ctx, s.root))
	}
	if s.uid != "" || s.where == "" {
		return feed.Told{}
	}
	return feed.Told{Status: status.NotFound, Reason: "NotFound", Message: s.where}
}

// drop ends the following of what a former root listed.
func (k *setKeeper) drop(id object.ID) {
	k.mu.Lock()
	_, ok := k.sets[id]
	delete(k.sets, id)
	k.mu.Unlock()
	if ok {
		k.e.setGroup(groupOf(id), nil)
		k.e.setGroup("aside "+groupOf(id), nil)
		k.e.setFacts(id, rootFacts{})
		k.e.hub.mu.Lock()
		k.e.hub.planDirty()
		k.e.hub.mu.Unlock()
	}
}

func groupOf(id object.ID) string {
	return fmt.Sprintf("%q", []string{id.Group, id.Kind, id.Namespace, id.Name})
}

// read is the root's whole object: as it was watched, where all of it was; else
// it is asked for. Of a Secret only Timoni's record is read.
func (k *setKeeper) read(ctx context.Context, s *set, o *object.Object) (map[string]any, error) {
	if _, whole := o.Tree["metadata"]; whole {
		return o.Tree, nil
	}
	if s.body != nil && s.bodyRV == o.ResourceVersion {
		return s.body, nil
	}
	select {
	case k.room <- struct{}{}:
		defer func() { <-k.room }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	res, ok := k.e.resolver.Kind(o.Group, o.Kind)
	if !ok {
		return nil, kube.ErrNotServed
	}
	body, err := k.e.client.Body(ctx, res, o.ID, !find.IsTimoni(o.Name))
	if err == nil {
		s.body, s.bodyRV = body, o.ResourceVersion
	}
	return body, err
}

// behind compares a set's revision with that of the object it comes from, which
// is watched aside. known is false while nothing has been heard of that.
func (k *setKeeper) behind(s *set, st rootState, list inventory.Set) (why string, known bool) {
	k.e.setGroup("aside "+groupOf(s.root), []inventory.Target{{
		Source: st.root.Source, ID: list.Source, Aside: true, In: s.root,
	}})
	o := k.e.hub.object(list.Source)
	switch {
	case o == nil && !k.e.hub.heardOf(list.Source):
		return "its source is being looked at", false
	case o == nil || o.Tree == nil:
		return "", true
	}
	return list.Behind(inventory.SourceRevision(inventory.Object{ID: o.ID, Body: o.Tree})), true
}

// follow makes the members of a set what is followed for its root.
func (k *setKeeper) follow(s *set, st rootState, list inventory.Set, facts rootFacts) {
	now := time.Now()
	targets := make([]inventory.Target, 0, len(list.Members)+8)
	listed := make(map[object.ID]bool, len(list.Members))
	above := k.chain(st)
	for _, m := range list.Members {
		t := k.member(s, st, list, m)
		if listed[t.ID] {
			continue
		}
		listed[t.ID] = true
		if slices.Contains(above, t.ID) {
			list.Notes = append(list.Notes, "it holds "+t.ID.String()+", which it stands under")
			continue
		}
		targets = append(targets, t)
	}
	fresh := len(targets)
	for _, l := range list.Labels {
		targets = append(targets, k.labelled(s, st, l)...)
	}
	for _, t := range s.listed {
		if t.Told.Status == "" && t.ID.Name != "" && t.Other == "" && !listed[t.ID] && len(s.left) < leftMost {
			if _, ok := s.left[t.ID]; !ok {
				s.left[t.ID] = left{Target: t, since: now}
			}
		}
	}
	s.listed = slices.Clone(targets[:fresh])
	targets = append(targets, k.leaving(s, listed, now)...)
	facts.revision, facts.told = list.Revision, list.Told
	facts.pending = cmp.Or(facts.pending, list.Pending)
	if list.Revision != "" {
		name := inventory.ShortRevision(list.Revision)
		if _, err := strconv.Atoi(name); err == nil {
			name = "revision " + name
		}
		list.Notes = slices.Insert(list.Notes, 0, name)
	}
	facts.note = strings.Join(list.Notes, "; ")
	if list.Cluster != "" && len(list.Members) > 0 {
		facts.note = joinNotes(facts.note, "its members are in "+list.Cluster)
	}
	k.e.setGroup(groupOf(s.root), targets)
	k.e.setFacts(s.root, facts)
}

// chain lists the roots that an inventory stands under, itself first.
func (k *setKeeper) chain(st rootState) []object.ID {
	out := []object.ID{st.root.ID}
	for in := st.root.In; !in.IsZero() && !slices.Contains(out, in); {
		out = append(out, in)
		in = k.e.hub.rootState(in).root.In
	}
	return out
}

// member is what to follow for an entry of a list.
func (k *setKeeper) member(s *set, st rootState, list inventory.Set, m inventory.Member) inventory.Target {
	t := inventory.Target{
		Source: st.root.Source, ID: m.ID, Version: m.Version, In: s.root, Inventory: s.title,
		Note: m.Note, Optional: m.Optional || st.root.Optional, Said: m.Said,
	}
	cluster := cmp.Or(m.Cluster, list.Cluster)
	switch {
	case m.Unreadable != "":
		t.Told = feed.Told{Status: status.Unknown, Reason: "UnreadableEntry", Message: "this entry of the inventory cannot be read: " + m.Unreadable}
	case cluster != "":
		// An object of the same name may exist here, and is another one.
		t.ID.Group = strings.TrimPrefix(t.ID.Group+"@"+cluster, "@")
		t.Told = feed.Told{Status: cmp.Or(m.Said.Status, status.Unknown), Reason: "OtherCluster", Message: "it is in " + cluster + ", where it is not looked up"}
		if m.Said.Word != "" {
			t.Told.Message += "; " + m.Said.By + " says " + m.Said.Word
		}
		t.Optional, t.Said = true, feed.Said{}
		t.Note = joinNotes("in another cluster", t.Note)
	default:
		if t.ID.Namespace == "" {
			t.ID.Namespace = s.root.Namespace
		}
		if res, ok := k.e.resolver.Kind(t.ID.Group, t.ID.Kind); ok {
			t.ID = res.ID(t.ID.Namespace, t.ID.Name)
		}
		if m.Other != "" {
			t = k.eitherName(s, t, m.Other)
		}
		if len(k.chain(st)) > setDepth {
			t.Note = joinNotes(t.Note, "nested too deeply to go on")
		}
	}
	return t
}

// eitherName chooses between the two names that an entry may mean: the one as it
// is decoded, the other when that does not exist, and the first again when
// neither does.
func (k *setKeeper) eitherName(s *set, t inventory.Target, other string) inventory.Target {
	second := t
	second.ID.Name = other
	t.Other, second.Other = other, t.ID.Name
	switch s.names[t.ID] {
	case 0:
		if k.e.hub.absent(t.ID) {
			s.names[t.ID] = 1
			return second
		}
	case 1:
		if k.e.hub.absent(second.ID) {
			s.names[t.ID] = 2
			return t
		}
		return second
	}
	return t
}

// labelled is what to follow for a label.
func (k *setKeeper) labelled(s *set, st rootState, l inventory.Labels) []inventory.Target {
	base := inventory.Target{
		Source: st.root.Source, Selector: l.Selector, Filter: l.Filter, AllNamespaces: l.Everywhere,
		In: s.root, Inventory: s.title, Optional: st.root.Optional,
	}
	namespaces := l.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{k.e.opts.Namespace} // for kinds that have one; others are looked for anyway
	}
	var out []inventory.Target
	for _, ns := range namespaces {
		t := base
		t.Namespace = ns
		for _, gk := range l.Kinds {
			t.ID = gk
			out = append(out, t)
		}
		t.ID = object.ID{}
		for _, typ := range l.Types {
			t.Type = typ
			out = append(out, t)
		}
		if len(l.Kinds)+len(l.Types) == 0 {
			t.Type, t.All = "", true
			out = append(out, t)
		}
	}
	return out
}

// leaving is what to follow of the members that have left a set: what is being
// deleted until it is gone, and a moment longer; what stays is kept.
func (k *setKeeper) leaving(s *set, listed map[object.ID]bool, now time.Time) []inventory.Target {
	var out []inventory.Target
	var next time.Duration
	soon := func(d time.Duration) {
		if next == 0 || d < next {
			next = max(d, 10*time.Millisecond)
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(s.left), object.ID.Compare) {
		l := s.left[id]
		if listed[id] {
			delete(s.left, id)
			continue
		}
		t := l.Target
		t.Gone, t.Said = true, feed.Said{}
		switch o := k.e.hub.object(id); {
		case o == nil && t.Optional: // a hook that has done its work
			delete(s.left, id)
			continue
		case o == nil:
			if l.gone.IsZero() {
				l.gone = now
				s.left[id] = l
			}
			if now.Sub(l.gone) >= goneRow {
				delete(s.left, id)
				continue
			}
			soon(goneRow - now.Sub(l.gone))
			t.Kept, t.Note = true, "pruned"
		case !o.Deleted.IsZero():
			t.Note = "being pruned"
		case now.Sub(l.since) >= keptAfter:
			t.Kept, t.Note = true, "no longer in the set, but kept"
		default:
			soon(min(keptAfter-now.Sub(l.since), time.Second)) // its deletion may have come unnoticed
			t.Note = "no longer in the set"
		}
		out = append(out, t)
	}
	if next > 0 {
		k.later(s.root, next)
	}
	return out
}

// absent reports whether a followed object is known not to exist.
func (h *hub) absent(id object.ID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.recs[id]
	return r != nil && r.absent
}
