package world

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
func (w *World) judge(o *object.Object, in status.World) status.Assessment {
	if w.opt.Judge != nil {
		return w.opt.Judge(o, in, w.Now)
	}
	return status.Assess(o, in, w.Now)
}

// touch queues n for judging.
func (t *tree) touch(n *Node) {
	if n.dirty {
		return
	}
	n.dirty = true
	d := n.Depth()
	for len(t.levels) <= d {
		t.levels = append(t.levels, nil)
	}
	t.levels[d] = append(t.levels[d], n)
}

// settle judges the queued nodes, children before parents, and then the whole.
func (w *World) settle() {
	// A node that was moved deeper after it was queued is queued again at its
	// present level.
	for d := 0; d < len(w.levels); d++ {
		for i := 0; i < len(w.levels[d]); i++ {
			n := w.levels[d][i]
			if nd := n.Depth(); nd > d {
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
			if w.stands(n) && w.evaluate(n) && n.Parent != nil {
				w.touch(n.Parent)
			}
		}
		w.levels[d] = w.levels[d][:0]
	}
	if w.opened > roomy && len(w.open) < w.opened/4 {
		open := make(map[*Node]struct{}, len(w.open))
		maps.Copy(open, w.open)
		w.open, w.opened = open, len(open)
	}
	if v := w.aggregate(); v != w.Verdict {
		if w.Verdict == status.Current && w.Synced {
			w.Began = w.Now
		}
		w.Verdict, w.VerdictSince = v, w.Now
	}
	w.Moving = w.Moving || w.Synced && w.Verdict != status.Current
}

// stands reports whether n still exists: it may have been pruned since it was
// queued.
func (w *World) stands(n *Node) bool {
	if w.Restoring { // once for all instead of for each of ten thousand
		return n.Object != nil || n.Root != nil
	}
	return !n.pruned
}

// aggregate is kstatus's aggregation (cli-utils pkg/kstatus/polling/aggregator,
// v0.37.2), except that an empty set is never Current.
func (t *tree) aggregate() status.Status {
	must := &t.required
	switch n := must.Total(); {
	case must[rankOf(status.Failed)] > 0:
		return status.Failed
	case must[rankOf(status.Unknown)] > 0:
		return status.Unknown
	case n == 0 && t.Counts.Total() > 0 && int(t.Counts[CurrentRank]) == t.Counts.Total():
		return status.Current // only optional ones, and all of them exist
	case n == 0:
		return status.Unknown
	case int(must[CurrentRank]) == n:
		return status.Current
	}
	return status.InProgress
}

// evaluate judges one node, after its children. It reports whether its parent
// must be judged again.
func (w *World) evaluate(n *Node) bool {
	w.Judged++
	old, oldSince := n.Assess, n.Since
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
		if n.Root != nil {
			w.topReorder = true // its group or place may have changed
			w.Structure++
		}
	} else if Assumed(&a) != Assumed(old) {
		w.count(n, -1)
		w.decide(n, &a)
		w.count(n, 1)
	} else {
		w.decide(n, &a)
	}
	n.judged, n.objJudged = true, n.Object != nil
	if !a.Recheck.IsZero() && (first || !a.Recheck.Equal(old.Recheck)) {
		heap.Push(&w.recheck, recheck{a.Recheck, n})
	}
	switch {
	case first && n.Object != nil:
		n.changedAt = momentOf(cmp.Or(n.Object.Changed, n.Object.Created))
		if n.Changed().After(w.Now) {
			n.changedAt = momentOf(w.Now)
		}
		if n.movedAt < n.changedAt {
			n.movedAt = n.changedAt
		}
		w.rise(n)
	case said && moved && !first:
		n.changedAt = momentOf(w.Now)
		// An object that keeps failing makes no progress, however often it
		// changes.
		if a.Status != status.Failed && a.Retrying == nil {
			n.movedAt = momentOf(w.Now)
			w.rise(n)
		}
	}
	if a.Status == status.Current {
		if n.currentAt == 0 {
			n.currentAt = momentOf(w.Now)
			n.took = w.Now.Sub(w.opt.Now)
			w.wantsChanged, w.slow = true, nil
		}
	} else if first || n.currentAt != 0 {
		if !first {
			p := n.Own()
			if p.lost == 0 || w.Now.Sub(p.lostSince) > lostWindow {
				p.lost, p.lostSince = 0, w.Now
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
	leadSame := ld == n.Lead
	n.Lead = ld
	n.objDirty = false
	if said && n.InTree && !w.Restoring && (first || a.Status != old.Status || a.Reason != old.Reason) {
		from := old.Status
		if first {
			from = ""
		}
		t := Transition{At: w.Now, ID: *n.ID, From: from, To: a.Status, Reason: a.Reason, Message: a.Message}
		if n.Root != nil && leftSet(n.Root) && t.Reason == ReasonDeleted {
			t.Reason, t.Message = ReasonPruned, pruned
		}
		w.record(t, n.Object)
	}
	if moved || !same {
		w.Unexplained = true
		w.stamp(n)
	}
	if w.Restoring {
		w.undated(n)
	}
	return moved || !same || !leadSame
}

// decide sets n's assessment.
func (j *judging) decide(n *Node, a *status.Assessment) {
	n.Since = a.Since
	if a.Retrying != nil || len(a.Crashes) > 0 || !a.FaultSince.IsZero() || !a.Recheck.IsZero() || !a.Deadline.IsZero() {
		c := *a
		c.Since = time.Time{}
		n.Assess = &c
		return
	}
	key := saying{a.Status, a.Reason, a.Message, a.Rule, a.Note, a.DeadlineWhat, a.Confidence, a.Deciding, a.Terminal, a.Paused, a.Child}
	same := j.lastSaid
	if same == nil || key != j.lastKey { // often equal to the previous one
		same = j.said[key]
	}
	if same == nil || !slices.Equal(same.Paths, a.Paths) {
		c := *a
		c.Since = time.Time{}
		same = &c
		if len(j.said) >= saidHeld {
			clear(j.said)
		}
		j.said[key] = same
	}
	n.Assess = same
	j.lastKey, j.lastSaid = key, same
}

// saying holds the parts of an assessment that do not depend on time. Two equal
// ones differ at most in the fields that were read.
type saying struct {
	status            status.Status
	reason, message   string
	rule, note, until string
	confidence        status.Confidence
	deciding          int
	terminal, paused  bool
	child             object.ID
}

// saidHeld bounds the shared assessments.
const saidHeld = 1024

// since is when a status without a date of its own began: when its change was
// observed, or the creation time of an object that is Current by existing.
func (t *tree) since(n *Node, old *status.Assessment, oldSince time.Time, a *status.Assessment) time.Time {
	switch {
	case n.judged && a.Status == old.Status:
		return oldSince
	case n.objJudged, n.judged && old.Status == status.NotFound:
		return t.Now
	case n.Object != nil && a.Status == status.Current && (n.Object.MetadataOnly || strings.HasSuffix(a.Rule, ".exists")):
		return n.Object.Created
	}
	return time.Time{}
}

// assess computes n's assessment.
func (w *World) assess(n *Node) status.Assessment {
	if n.Object == nil {
		return w.assessMissing(n)
	}
	w.scratch = w.scratch[:0]
	for _, k := range n.Kids {
		if k.Object != nil && !k.memberOf(n) {
			w.scratch = append(w.scratch, status.Child{Object: k.Object, Assessment: k.Assessment()})
		}
	}
	if w.answers.Lookup == nil { // created once, not for every judgement
		w.answers = status.World{User: w.opt.Rules, Lookup: w.Lookup, Absent: w.absent, Reports: w.reports, Serves: w.servesStatus}
	}
	in := w.answers
	in.Children, in.ChildrenKnown, in.Hidden, in.FirstSeen = w.scratch, w.ChildrenKnown(n), w.hidden(n), n.Seen()
	if w.opt.NoChildren {
		in.Children = nil
	}
	if n.objJudged {
		w.prior = n.Assessment()
		in.Prior = &w.prior // valid while it is being judged
	}
	if n.Root != nil {
		in.Generation = n.Root.Generation
	}
	was := n.looked
	if was != nil {
		n.Own().looked = nil
	}
	w.subject = n
	a := w.judge(n.Object, in)
	w.subject = nil
	w.unlook(n, was)
	return n.amended(a)
}

// Awaits reports whether n looks Current, but children that its judgement needs
// have not been delivered yet: then that is not reported.
func (w *World) Awaits(n *Node) bool {
	if n.Assess.Status != status.Current || n.Object == nil || n.Assess.Confidence == status.User || w.opt.NoChildren || w.Replayed() || !n.InTree || !status.NeedsChildren(n.Object) || len(edges.Needs(n.Object)) == 0 {
		return false
	}
	asked := n.asker().wanted
	return asked == 0 || asked > w.Answered
}

// asker is the node whose wanted children include n's: itself, or its parent,
// whose needs cover them.
func (n *Node) asker() *Node {
	if p := n.Parent; n.wanted == 0 && p != nil && p.Object != nil && n.Object != nil && edges.Covered(p.Object, n.Object) {
		return p
	}
	return n
}

// amended adds to a root's assessment what its inventory says: it is not
// Current while its list is being written or is empty, or if its last change
// has failed and n has no status of its own.
func (n *Node) amended(a status.Assessment) status.Assessment {
	if n.Root == nil || a.Status != status.Current {
		return a
	}
	told := n.Root.Told
	if (told.Status == "" || told.Status == status.Current) && n.Root.Pending != "" {
		told = feed.Told{Status: status.InProgress, Reason: ReasonProvisional, Message: n.Root.Pending}
	}
	if told.Status == "" || told.Status == status.Current {
		return a
	}
	a.Status, a.Reason, a.Message, a.Rule, a.Confidence = told.Status, told.Reason, told.Message, "inventory", status.Exact
	a.Since, a.Deciding, a.Paths, a.Note = time.Time{}, -1, nil, ""
	return a
}

// Reasons of objects that do not exist or may not be read.
const (
	ReasonWaiting   = "WaitingForFirstAnswer"
	ReasonNotFound  = "NotFound"
	ReasonDeleted   = "Deleted"
	ReasonForbidden = "Forbidden"
	ReasonNotServed = "KindNotServed"
)

// waiting is the message of an object without an answer, whose source has no
// problem.
const waiting = "waiting for the first answer"

// WaitingBelow is the message of an object that would be Current, but for
// children without an answer.
const WaitingBelow = "waiting for what is below it"

// ReasonProvisional is the reason of an inventory's root whose list may be
// incomplete.
const ReasonProvisional = "InventoryProvisional"

func (w *World) assessMissing(n *Node) status.Assessment {
	a := status.Assessment{Deciding: -1, Confidence: status.Exact, Rule: "watch"}
	switch {
	case n.Root != nil && n.Root.Told.Status != "":
		a.Status, a.Reason, a.Message, a.Rule = n.Root.Told.Status, n.Root.Told.Reason, n.Root.Told.Message, "inventory"
		return n.amended(a)
	case !n.gone.IsZero():
		a.Status, a.Reason, a.Message, a.Since = status.NotFound, ReasonDeleted, "it was deleted", n.gone
		return a
	case n.absent:
		a.Status, a.Reason, a.Message = status.NotFound, ReasonNotFound, "it does not exist"
		if s := w.refusal(n); s != nil {
			// It did not exist, or its kind was not served; that can no longer
			// be verified.
			a.Status, a.Reason, a.Message = status.Unknown, ReasonForbidden, cmp.Or(s.Error, string(s.Phase))
			return a
		}
		for s := range w.troubled(n.ID.Group, n.ID.Kind, n.ID.Namespace) {
			if s.Phase == feed.NotServed {
				a.Reason, a.Message = ReasonNotServed, "the cluster does not know its kind"
			}
		}
		return a
	}
	a.Status, a.Reason, a.Message = status.Unknown, ReasonWaiting, waiting
	for s := range w.troubled(n.ID.Group, n.ID.Kind, n.ID.Namespace) {
		if s.Name != "" && s.Name != n.ID.Name {
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

// refusal is the source that may not see whether n exists; nil if another one
// sees it.
func (l *link) refusal(n *Node) *feed.SourceState {
	for s := range l.troubled(n.ID.Group, n.ID.Kind, n.ID.Namespace) {
		if s.Phase == feed.Forbidden && s.Selector == "" && (s.Name == "" || s.Name == n.ID.Name) &&
			!l.sees(edges.Need{Group: n.ID.Group, Kind: n.ID.Kind, Namespace: n.ID.Namespace, Name: n.ID.Name}, true) {
			return s
		}
	}
	return nil
}

// unlook removes n's dependencies, except for ids.
func (l *lookups) unlook(n *Node, ids []object.ID) {
	for _, id := range ids {
		if slices.Contains(n.looked, id) {
			continue
		}
		delete(l.Dependents[id], n)
		if len(l.Dependents[id]) == 0 {
			delete(l.Dependents, id)
			l.wantsChanged = true
		}
	}
}

// told judges the dependents of an object that was added, changed or deleted.
func (l *lookups) told(id object.ID) {
	for n := range l.Dependents[id] {
		l.touch(n)
	}
}

// Lookup finds a known object. The dependency is noted: the object is requested
// from the feed, and the judgement repeated when it arrives.
func (l *lookups) Lookup(id object.ID) *object.Object {
	if n := l.subject; n != nil && !slices.Contains(n.looked, id) && len(n.looked) < RefsWanted {
		p := n.Own()
		p.looked = append(p.looked, id)
		if l.Dependents[id] == nil {
			l.Dependents[id] = map[*Node]struct{}{}
			l.wantsChanged = true
		}
		l.Dependents[id][n] = struct{}{}
	}
	if n := l.Nodes[id]; n != nil {
		return n.Object
	}
	return nil
}

// absent reports that an object is known not to exist, by a source that may see
// it.
func (w *World) absent(id object.ID) bool {
	n := w.Nodes[id]
	return w.missing[id] || n != nil && n.Object == nil && (n.absent && w.refusal(n) == nil || !n.gone.IsZero())
}

// reports reads from a kind's CRD whether its objects have a status. Only
// objects without a status ask, so that a CRD is only fetched for kinds with
// such an object.
func (w *World) reports(group, kind string) (reports, known bool) {
	plural := w.plurals[[2]string{group, kind}]
	if plural == "" {
		return false, false
	}
	return status.ReportsStatus(w.Lookup(object.ID{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Name: plural + "." + group}))
}

// servesStatus reports whether the server serves a status subresource for a
// kind.
func (l *link) servesStatus(group, kind string) bool { return l.serves[[2]string{group, kind}] }

// ChildrenKnown reports whether all children of n are known: they were wanted,
// the answer has arrived, and all their kinds may be read.
func (w *World) ChildrenKnown(n *Node) bool {
	if w.opt.NoChildren {
		return false
	}
	asked := n.asker()
	if w.Replayed() {
		return w.followed(n) || asked != n && w.followed(asked)
	}
	if asked.wanted == 0 || asked.wanted > w.Answered {
		return false
	}
	if len(w.trouble) == 0 {
		return true
	}
	for _, need := range edges.Needs(asked.Object) {
		if asked.Object.Service != nil && need.Kind == "Pod" {
			continue // the endpoints suffice
		}
		if w.blind(need) != nil && !w.sees(edges.Instead(need)) {
			return false
		}
	}
	return true
}

// blind is the source that should deliver a need and has a problem.
func (l *link) blind(need edges.Need) *feed.SourceState {
	for s := range l.troubled(need.Group, need.Kind, need.Namespace) {
		if s.Name == "" && (s.Selector == "" || s.Selector == edges.Format(need.Selector)) {
			return s
		}
	}
	return nil
}

// sees reports whether a source delivers a need.
func (l *link) sees(need edges.Need, ok bool) bool {
	if !ok {
		return false
	}
	for _, s := range l.Sources {
		if s.Kind == need.Kind && s.Group == need.Group && (s.Namespace == "" || s.Namespace == need.Namespace) &&
			s.Phase == feed.Live && s.Selector == "" && (s.Name == "" || s.Name == need.Name) {
			return true
		}
	}
	return false
}

// hidden says why data that n's judgement needs will not arrive.
func (w *World) hidden(n *Node) string {
	if len(w.trouble) == 0 || n.wanted == 0 && !w.Replayed() || !status.NeedsChildren(n.Object) {
		return ""
	}
	for _, need := range edges.Needs(n.Object) {
		if _, decides := edges.Instead(need); !decides && (n.Object.Service != nil || need.Kind == "PersistentVolumeClaim") {
			continue
		}
		if s := w.blind(need); s != nil {
			switch s.Phase {
			case feed.Forbidden:
				return Refusal(s)
			case feed.NotServed:
				return s.Resource + " are not served"
			}
		}
	}
	return ""
}

// Stalled reports whether n is past its deadline, or has not changed for too
// long.
func (w *World) Stalled(n *Node) bool {
	if n.Assess.Status != status.InProgress && n.Assess.Status != status.Terminating {
		return false
	}
	if n.Assess.Paused {
		return false
	}
	if d := n.Assess.Deadline; !d.IsZero() && w.Now.After(d) {
		return true
	}
	return n.movedAt != 0 && w.Now.Sub(n.Moved()) >= w.opt.StallAfter
}

// Stale reports whether a source of n's data has a problem.
func (l *link) Stale(n *Node) bool {
	if n.Object == nil {
		return false // never seen: nothing to be out of date
	}
	for s := range l.troubled(n.ID.Group, n.ID.Kind, n.ID.Namespace) {
		if s.Phase != feed.Waiting && s.Phase != feed.Syncing && (s.Name == "" || s.Name == n.ID.Name) {
			return true
		}
	}
	return false
}

// recheck is a judgement that changes with time.
type recheck struct {
	at   time.Time
	node *Node
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

// Due is when a judgement changes with time alone; zero is never.
func (j *judging) Due() time.Time {
	if len(j.recheck) == 0 {
		return time.Time{}
	}
	return j.recheck[0].at
}
