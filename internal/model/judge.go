package model

import (
	"cmp"
	"container/heap"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// judge is the one place where an object's status is decided.
func (w *world) judge(o *object.Object, in status.World) status.Assessment {
	if w.opt.Judge != nil {
		return w.opt.Judge(o, in, w.now)
	}
	return status.Assess(o, in, w.now)
}

// touch queues n for judging.
func (w *world) touch(n *node) {
	if n.dirty {
		return
	}
	n.dirty = true
	d := n.depth()
	for len(w.levels) <= d {
		w.levels = append(w.levels, nil)
	}
	w.levels[d] = append(w.levels[d], n)
}

// settle judges everything that was queued, children before their parents, and
// then the whole.
func (w *world) settle() {
	// A node that was moved deeper after it was queued stands in too low a
	// level: queue it again where it belongs.
	for d := 0; d < len(w.levels); d++ {
		for i := 0; i < len(w.levels[d]); i++ {
			n := w.levels[d][i]
			if nd := n.depth(); nd > d {
				w.levels[d][i] = nil
				n.dirty = false
				w.touch(n)
			}
		}
	}
	for d := len(w.levels) - 1; d >= 0; d-- {
		for i := 0; i < len(w.levels[d]); i++ {
			n := w.levels[d][i]
			w.levels[d][i] = nil
			if n == nil {
				continue
			}
			n.dirty = false
			if w.stands(n) && w.evaluate(n) && n.parent != nil {
				w.touch(n.parent)
			}
		}
		w.levels[d] = w.levels[d][:0]
	}
	if w.opened > roomy && len(w.open) < w.opened/4 {
		open := make(map[*node]struct{}, len(w.open))
		maps.Copy(open, w.open)
		w.open, w.opened = open, len(open)
	}
	if v := w.aggregate(); v != w.verdict {
		if w.verdict == status.Current && w.synced {
			w.began = w.now
		}
		w.verdict, w.verdictSince = v, w.now
	}
	w.moving = w.moving || w.synced && w.verdict != status.Current
}

// stands reports whether n is still a node: it may have been pruned since it was
// queued.
func (w *world) stands(n *node) bool {
	if w.restoring { // ten thousand of them
		return n.obj != nil || n.root != nil
	}
	return !n.pruned
}

// aggregate is kstatus's aggregation (cli-utils pkg/kstatus/polling/aggregator,
// v0.37.2), but an empty set is never Current.
func (w *world) aggregate() status.Status {
	t := &w.required
	switch n := t.total(); {
	case t[rankOf(status.Failed)] > 0:
		return status.Failed
	case t[rankOf(status.Unknown)] > 0:
		return status.Unknown
	case n == 0 && w.counts.total() > 0 && int(w.counts[currentRank]) == w.counts.total():
		return status.Current // only optional ones, and they are all there
	case n == 0:
		return status.Unknown
	case int(t[currentRank]) == n:
		return status.Current
	}
	return status.InProgress
}

// evaluate judges one node whose children have been judged. It reports whether
// its parent has to be judged again.
func (w *world) evaluate(n *node) bool {
	w.judged++
	old, oldSince := n.assess, n.since
	a := w.assess(n)
	moved := n.objDirty || !n.judged
	if a.Since.IsZero() {
		a.Since = w.since(n, old, oldSince, &a)
	}
	first := !n.judged
	said := first || a.Status != old.Status || a.Reason != old.Reason || a.Message != old.Message
	same := !said && a.Terminal == old.Terminal && a.Paused == old.Paused && a.Note == old.Note && a.Child == old.Child

	if a.Status != old.Status {
		w.count(n, -1)
		r0, r1 := rankOf(old.Status), rankOf(a.Status)
		w.decide(n, &a)
		w.count(n, 1)
		w.shift(n, r0, r1)
		if n.root != nil {
			w.topReorder = true // it may belong to another group, or place
			w.structure++
		}
	} else if assumed(&a) != assumed(old) {
		w.count(n, -1)
		w.decide(n, &a)
		w.count(n, 1)
	} else {
		w.decide(n, &a)
	}
	n.judged, n.objJudged = true, n.obj != nil
	if !a.Recheck.IsZero() && (first || !a.Recheck.Equal(old.Recheck)) {
		heap.Push(&w.recheck, recheck{a.Recheck, n})
	}
	switch {
	case first && n.obj != nil:
		n.changedAt = momentOf(cmp.Or(n.obj.Changed, n.obj.Created))
		if n.changed().After(w.now) {
			n.changedAt = momentOf(w.now)
		}
		if n.movedAt < n.changedAt {
			n.movedAt = n.changedAt
		}
		w.rise(n)
	case said && moved && !first:
		n.changedAt = momentOf(w.now)
		// What keeps failing is not progress, however busily it fails.
		if a.Status != status.Failed && a.Retrying == nil {
			n.movedAt = momentOf(w.now)
			w.rise(n)
		}
	}
	if a.Status == status.Current {
		if n.currentAt == 0 {
			n.currentAt = momentOf(w.now)
			n.took = w.now.Sub(w.opt.Now)
			w.wantsChanged, w.slow = true, nil
		}
	} else if first || n.currentAt != 0 {
		if !first {
			p := n.own()
			if p.lost == 0 || w.now.Sub(p.lostSince) > lostWindow {
				p.lost, p.lostSince = 0, w.now
			}
			p.lost++
		}
		n.currentAt = 0
		w.wantsChanged, w.slow = true, nil
		if n.wanted == 0 && !first {
			w.candidates = append(w.candidates, n)
		}
	}
	ld := w.leadOf(n)
	leadSame := ld == n.lead
	n.lead = ld
	n.objDirty = false
	if said && n.inTree && !w.restoring && (first || a.Status != old.Status || a.Reason != old.Reason) {
		from := old.Status
		if first {
			from = ""
		}
		t := Transition{At: w.now, ID: *n.id, From: from, To: a.Status, Reason: a.Reason, Message: a.Message}
		if n.root != nil && leftSet(n.root) && t.Reason == ReasonDeleted {
			t.Reason, t.Message = ReasonPruned, pruned
		}
		w.record(t, n.obj)
	}
	if moved || !same {
		w.unexplained = true
		w.stamp(n)
	}
	if w.restoring {
		w.undated(n)
	}
	return moved || !same || !leadSame
}

// decide sets what n amounts to.
func (w *world) decide(n *node, a *status.Assessment) {
	n.since = a.Since
	if a.Retrying != nil || len(a.Crashes) > 0 || !a.FaultSince.IsZero() || !a.Recheck.IsZero() || !a.Deadline.IsZero() {
		c := *a
		c.Since = time.Time{}
		n.assess = &c
		return
	}
	key := saying{a.Status, a.Reason, a.Message, a.Rule, a.Note, a.DeadlineWhat, a.Confidence, a.Deciding, a.Terminal, a.Paused, a.Child}
	same := w.lastSaid
	if same == nil || key != w.lastKey { // mostly one says what the one before it said
		same = w.said[key]
	}
	if same == nil || !slices.Equal(same.Paths, a.Paths) {
		c := *a
		c.Since = time.Time{}
		same = &c
		if len(w.said) >= saidHeld {
			clear(w.said)
		}
		w.said[key] = same
	}
	n.assess = same
	w.lastKey, w.lastSaid = key, same
}

// saying is what an assessment says that depends on no time. Two that say the same
// differ in what they read at most.
type saying struct {
	status            status.Status
	reason, message   string
	rule, note, until string
	confidence        status.Confidence
	deciding          int
	terminal, paused  bool
	child             object.ID
}

// saidHeld bounds how many different things are remembered for sharing.
const saidHeld = 1024

// since is when a status that says nothing about it began, as far as we know:
// when we saw it change; for what merely exists, when it was created. What it
// was before we looked, nobody knows.
func (w *world) since(n *node, old *status.Assessment, oldSince time.Time, a *status.Assessment) time.Time {
	switch {
	case n.judged && a.Status == old.Status:
		return oldSince
	case n.objJudged, n.judged && old.Status == status.NotFound:
		return w.now
	case n.obj != nil && a.Status == status.Current && (n.obj.MetadataOnly || strings.HasSuffix(a.Rule, ".exists")):
		return n.obj.Created
	}
	return time.Time{}
}

// assess decides what n is at the moment.
func (w *world) assess(n *node) status.Assessment {
	if n.obj == nil {
		return w.assessMissing(n)
	}
	w.scratch = w.scratch[:0]
	for _, k := range n.kids {
		if k.obj != nil && !k.memberOf(n) {
			w.scratch = append(w.scratch, status.Child{Object: k.obj, Assessment: k.assessment()})
		}
	}
	if w.answers.Lookup == nil { // the functions are made once, and not for every judgement
		w.answers = status.World{User: w.opt.Rules, Lookup: w.lookup, Absent: w.absent, Reports: w.reports, Serves: w.servesStatus}
	}
	in := w.answers
	in.Children, in.ChildrenKnown, in.Hidden, in.FirstSeen = w.scratch, w.childrenKnown(n), w.hidden(n), n.seen()
	if w.opt.Children == ChildrenNone {
		in.Children = nil
	}
	if n.objJudged {
		w.prior = n.assessment()
		in.Prior = &w.prior // for as long as it is judged
	}
	if n.root != nil {
		in.Generation = n.root.Generation
	}
	was := n.looked
	if was != nil {
		n.own().looked = nil
	}
	w.judging = n
	a := w.judge(n.obj, in)
	w.judging = nil
	w.unlook(n, was)
	return n.amended(a)
}

// awaits reports whether n looks Current, and what its judgement needs below it has
// not been answered yet: then nobody is told so.
func (w *world) awaits(n *node) bool {
	if n.assess.Status != status.Current || n.obj == nil || n.assess.Confidence == status.User || w.opt.Children == ChildrenNone || w.replayed() || !n.inTree || !status.NeedsChildren(n.obj) || len(edges.Needs(n.obj)) == 0 {
		return false
	}
	asked := n.asker().wanted
	return asked == 0 || asked > w.answered
}

// asker is the node for whose sake n's children are asked for: itself, or its
// parent, whose needs cover them.
func (n *node) asker() *node {
	if p := n.parent; n.wanted == 0 && p != nil && p.obj != nil && n.obj != nil && edges.Covered(p.obj, n.obj) {
		return p
	}
	return n
}

// amended is a judgement with what the inventory says whose root n is: it is not
// Current while its list is being written, or is empty, or when the last change
// of it has failed and n has no status of its own to say so.
func (n *node) amended(a status.Assessment) status.Assessment {
	if n.root == nil || a.Status != status.Current {
		return a
	}
	told := n.root.Told
	if (told.Status == "" || told.Status == status.Current) && n.root.Pending != "" {
		told = feed.Told{Status: status.InProgress, Reason: ReasonProvisional, Message: n.root.Pending}
	}
	if told.Status == "" || told.Status == status.Current {
		return a
	}
	a.Status, a.Reason, a.Message, a.Rule, a.Confidence = told.Status, told.Reason, told.Message, "inventory", status.Exact
	a.Since, a.Deciding, a.Paths, a.Note = time.Time{}, -1, nil, ""
	return a
}

// The reasons of what is not there to be judged.
const (
	ReasonWaiting   = "WaitingForFirstAnswer"
	ReasonNotFound  = "NotFound"
	ReasonDeleted   = "Deleted"
	ReasonForbidden = "Forbidden"
	ReasonNotServed = "KindNotServed"
)

// waiting is the message about what nothing has been heard of, and about whose
// source there is nothing to say.
const waiting = "waiting for the first answer"

// waitingBelow is that about what would be Current, were it not for children that
// nothing has been heard of.
const waitingBelow = "waiting for what is below it"

// ReasonProvisional is that of the root of an inventory whose list is not to be
// taken for complete.
const ReasonProvisional = "InventoryProvisional"

func (w *world) assessMissing(n *node) status.Assessment {
	a := status.Assessment{Deciding: -1, Confidence: status.Exact, Rule: "watch"}
	switch {
	case n.root != nil && n.root.Told.Status != "":
		a.Status, a.Reason, a.Message, a.Rule = n.root.Told.Status, n.root.Told.Reason, n.root.Told.Message, "inventory"
		return n.amended(a)
	case !n.gone.IsZero():
		a.Status, a.Reason, a.Message, a.Since = status.NotFound, ReasonDeleted, "it was deleted", n.gone
		return a
	case n.absent:
		a.Status, a.Reason, a.Message = status.NotFound, ReasonNotFound, "it does not exist"
		if s := w.refusal(n); s != nil {
			// It did not exist, or its kind was not served: nobody can tell any more.
			a.Status, a.Reason, a.Message = status.Unknown, ReasonForbidden, cmp.Or(s.Error, string(s.Phase))
			return a
		}
		for s := range w.troubled(n.id.Group, n.id.Kind, n.id.Namespace) {
			if s.Phase == feed.NotServed {
				a.Reason, a.Message = ReasonNotServed, "the cluster does not know its kind"
			}
		}
		return a
	}
	a.Status, a.Reason, a.Message = status.Unknown, ReasonWaiting, waiting
	for s := range w.troubled(n.id.Group, n.id.Kind, n.id.Namespace) {
		if s.Name != "" && s.Name != n.id.Name {
			continue
		}
		switch s.Phase {
		case feed.Forbidden:
			a.Reason = ReasonForbidden
		case feed.NotServed:
			a.Reason = ReasonNotServed
		default:
			if s.Error == "" {
				continue
			}
		}
		a.Message = cmp.Or(s.Error, string(s.Phase))
		return a
	}
	return a
}

// refusal is the source that may not see whether n exists; nil where another sees it.
func (w *world) refusal(n *node) *feed.SourceState {
	for s := range w.troubled(n.id.Group, n.id.Kind, n.id.Namespace) {
		if s.Phase == feed.Forbidden && s.Selector == "" && (s.Name == "" || s.Name == n.id.Name) &&
			!w.sees(edges.Need{Group: n.id.Group, Kind: n.id.Kind, Namespace: n.id.Namespace, Name: n.id.Name}, true) {
			return s
		}
	}
	return nil
}

// unlook forgets that n looked things up, apart from what it still looks up.
func (w *world) unlook(n *node, ids []object.ID) {
	for _, id := range ids {
		if slices.Contains(n.looked, id) {
			continue
		}
		delete(w.dependents[id], n)
		if len(w.dependents[id]) == 0 {
			delete(w.dependents, id)
			w.wantsChanged = true
		}
	}
}

// told judges again whoever looked up an object that came, changed or went.
func (w *world) told(id object.ID) {
	for n := range w.dependents[id] {
		w.touch(n)
	}
}

// lookup finds a known object. What a judgement looks up is remembered: it is
// asked of the feed, and the judgement made again when it comes.
func (w *world) lookup(id object.ID) *object.Object {
	if n := w.judging; n != nil && !slices.Contains(n.looked, id) && len(n.looked) < refsWanted {
		p := n.own()
		p.looked = append(p.looked, id)
		if w.dependents[id] == nil {
			w.dependents[id] = map[*node]struct{}{}
			w.wantsChanged = true
		}
		w.dependents[id][n] = struct{}{}
	}
	if n := w.nodes[id]; n != nil {
		return n.obj
	}
	return nil
}

// absent reports that an object is known not to exist, and that this may be seen.
func (w *world) absent(id object.ID) bool {
	n := w.nodes[id]
	return w.missing[id] || n != nil && n.obj == nil && (n.absent && w.refusal(n) == nil || !n.gone.IsZero())
}

// reports tells whether objects of a kind carry a status, from the definition of
// the kind. Only an object that says nothing asks, so that a definition is
// fetched, on the side, for each kind with such an object and for no other.
func (w *world) reports(group, kind string) (reports, known bool) {
	plural := w.plurals[[2]string{group, kind}]
	if plural == "" {
		return false, false
	}
	return status.ReportsStatus(w.lookup(object.ID{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Name: plural + "." + group}))
}

// servesStatus tells whether the server serves a status subresource for a kind.
func (w *world) servesStatus(group, kind string) bool { return w.serves[[2]string{group, kind}] }

// childrenKnown reports whether all children of n are known: they were asked
// for, the answer has come, and none of their kinds is out of sight.
func (w *world) childrenKnown(n *node) bool {
	if w.opt.Children == ChildrenNone {
		return false
	}
	asked := n.asker()
	if w.replayed() {
		return w.followed(n) || asked != n && w.followed(asked)
	}
	if asked.wanted == 0 || asked.wanted > w.answered {
		return false
	}
	if len(w.trouble) == 0 {
		return true
	}
	for _, need := range edges.Needs(asked.obj) {
		if asked.obj.Service != nil && need.Kind == "Pod" {
			continue // the endpoints tell
		}
		if w.blind(need) != nil && !w.sees(edges.Instead(need)) {
			return false
		}
	}
	return true
}

// blind is the source that should show what is needed, where it is in trouble.
func (w *world) blind(need edges.Need) *feed.SourceState {
	for s := range w.troubled(need.Group, need.Kind, need.Namespace) {
		if s.Name == "" && (s.Selector == "" || s.Selector == edges.Format(need.Selector)) {
			return s
		}
	}
	return nil
}

// sees reports whether a source shows what is needed.
func (w *world) sees(need edges.Need, ok bool) bool {
	if !ok {
		return false
	}
	for _, s := range w.sources {
		if s.Kind == need.Kind && s.Group == need.Group && (s.Namespace == "" || s.Namespace == need.Namespace) &&
			s.Phase == feed.Live && s.Selector == "" && (s.Name == "" || s.Name == need.Name) {
			return true
		}
	}
	return false
}

// hidden says why what n's judgement needs will not be known.
func (w *world) hidden(n *node) string {
	if len(w.trouble) == 0 || n.wanted == 0 && !w.replayed() || !status.NeedsChildren(n.obj) {
		return ""
	}
	for _, need := range edges.Needs(n.obj) {
		if _, decides := edges.Instead(need); !decides && (n.obj.Service != nil || need.Kind == "PersistentVolumeClaim") {
			continue
		}
		if s := w.blind(need); s != nil {
			switch s.Phase {
			case feed.Forbidden:
				return refusal(s)
			case feed.NotServed:
				return s.Resource + " are not served"
			}
		}
	}
	return ""
}

// stalled reports whether n is past what is expected of it: past its deadline,
// or without a sign of life for too long.
func (w *world) stalled(n *node) bool {
	if n.assess.Status != status.InProgress && n.assess.Status != status.Terminating {
		return false
	}
	if n.assess.Paused {
		return false
	}
	if d := n.assess.Deadline; !d.IsZero() && w.now.After(d) {
		return true
	}
	return n.movedAt != 0 && w.now.Sub(n.moved()) >= w.opt.StallAfter
}

// stale reports whether a source of n's data is in trouble.
func (w *world) stale(n *node) bool {
	if n.obj == nil {
		return false // what was never seen is not out of date
	}
	for s := range w.troubled(n.id.Group, n.id.Kind, n.id.Namespace) {
		if s.Phase != feed.Waiting && s.Phase != feed.Syncing && (s.Name == "" || s.Name == n.id.Name) {
			return true
		}
	}
	return false
}

// recheck is a judgement that changes by the passing of time.
type recheck struct {
	at   time.Time
	node *node
}

type recheckHeap []recheck

func (h recheckHeap) Len() int { return len(h) }

func (h recheckHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }

func (h recheckHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *recheckHeap) Push(x any) { *h = append(*h, x.(recheck)) }

func (h *recheckHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
