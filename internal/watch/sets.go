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

// Bounds of inventories.
const (
	setDepth   = 8 // depth of nested inventories
	setReaders = 6 // concurrently fetched roots
	// keptAfter is how long a removed member may exist before it counts as
	// kept; goneRow is how long the row of a deleted one is shown.
	keptAfter = 5 * time.Second
	goneRow   = 5 * time.Second
	leftMost  = 500 // rows of removed members
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
	wake chan struct{} // buffered, one: there is something to do
	room chan struct{} // limits concurrent requests

	mu   sync.Mutex
	sets map[object.ID]*set // by root
}

// set is one followed inventory. Its worker owns it; only version is read by
// others, under the keeper's lock.
type set struct {
	root    object.ID
	title   string // "Kustomization/apps"
	version string // the root's resource version when it was decided
	decided bool

	uid     string
	body    map[string]any // the root's object, at bodyRV
	bodyRV  string
	listed  []inventory.Target // members, as last followed
	left    map[object.ID]left // removed members
	names   map[object.ID]int  // index of the name in use: see eitherName
	storage inventory.Release  // the release whose storage is followed
	maps    bool               // its ConfigMaps, too
	pinned  int                // the requested revision
	known   map[string]helmRecord
	serial  int // resource version of the synthetic object
	sought  bool
	where   string // another namespace that has one
}

// left is a member that the inventory no longer lists.
type left struct {
	inventory.Target
	since time.Time // when it was removed from the list
	gone  time.Time // when it was found to be deleted; zero while it exists
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

// start begins with roots that are not objects: Helm releases.
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
			k.e.kick() // the next plan releases what has been held back too long
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

// settle notes that an inventory has been decided at a version of its root, and
// requests a plan.
func (k *setKeeper) settle(s *set, version string) {
	k.mu.Lock()
	s.decided, s.version = true, version
	k.mu.Unlock()
	k.e.hub.mu.Lock()
	k.e.hub.planDirty()
	k.e.hub.mu.Unlock()
}

// later decides a root again after a delay.
func (k *setKeeper) later(id object.ID, d time.Duration) {
	k.e.spawn(func() {
		if gate.Sleep(k.e.ctx, d) == nil {
			k.e.hub.mu.Lock()
			k.e.hub.decideSet(id)
			k.e.hub.mu.Unlock()
		}
	})
}

// decide reads the members that a root lists now, and follows them.
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
		// It does not exist (any more). Its members are still followed: they
		// are being deleted.
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
		k.settle(s, o.ResourceVersion) // it was deleted meanwhile, as the watch will report
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
	// The root is held back until its source has answered, or for too long;
	// without a plan that includes the source, nothing is complete.
	k.e.hub.mu.Lock()
	k.e.hub.planDirty()
	k.e.hub.mu.Unlock()
}

// elsewhere names the namespaces of a named inventory that was never found
// where it was looked for. It is looked up once.
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

// drop stops following the members of a former root.
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

// read returns the root's whole object: as it was watched if it is complete,
// otherwise by a GET. Of Secrets only Timoni's records are read.
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

// behind compares a set's revision with that of its source object, which is
// followed aside. known is false until that has been delivered.
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

// follow follows the members of a set.
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

// chain lists the inventories that a root is nested in, itself first.
func (k *setKeeper) chain(st rootState) []object.ID {
	out := []object.ID{st.root.ID}
	for in := st.root.In; !in.IsZero() && !slices.Contains(out, in); {
		out = append(out, in)
		in = k.e.hub.rootState(in).root.In
	}
	return out
}

// member is the target of an entry.
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
		// An object of the same name in this cluster is another one.
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

// eitherName chooses between the two names that an entry may mean: the decoded
// one, the other if that does not exist, and the first again if neither exists.
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

// labelled is the target of a label.
func (k *setKeeper) labelled(s *set, st rootState, l inventory.Labels) []inventory.Target {
	base := inventory.Target{
		Source: st.root.Source, Selector: l.Selector, Filter: l.Filter, AllNamespaces: l.Everywhere,
		In: s.root, Inventory: s.title, Optional: st.root.Optional,
	}
	namespaces := l.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{k.e.opts.Namespace} // ignored for cluster-scoped kinds
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

// leaving returns the targets of removed members: a member that is being
// deleted is followed until it is gone, and a moment longer; one that stays is
// marked as kept.
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
		case o == nil && t.Optional: // a completed hook
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
			soon(min(keptAfter-now.Sub(l.since), time.Second)) // its deletion may begin unnoticed
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
