package world

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// judgeNode judges one node, after its children. It reports whether its parent
// must be judged again.
func (w *World) judgeNode(n *Node) bool {
	w.Judged++
	old, a := n.Assess, w.assess(n)
	if a.Since.IsZero() {
		a.Since = w.Tree.since(n, &a)
	}
	statusChanged := a.Status != old.Status || a.Reason != old.Reason || a.Message != old.Message
	flagsChanged := a.Terminal != old.Terminal || a.Paused != old.Paused || a.Note != old.Note || a.Child != old.Child
	changed := statusChanged || flagsChanged || n.objDirty
	restarting := a.Status == status.InProgress && a.Reason == status.ReasonRestarting
	// A root that has Failed counts as looping while its containers crash and run again.
	n.looping = n.Root != nil && (a.Status == status.Failed || n.looping && restarting)
	w.judging.store(n, &a)
	if statusChanged && !w.Restoring {
		w.observe(n, old)
	}
	if a.Status != old.Status && n.Root != nil {
		w.Tree.Structure++ // its group may have changed
	}
	if a.Recheck.After(w.Tree.Now) {
		w.Due = Earliest(w.Due, a.Recheck)
	}
	switch current := a.Status == status.Current; {
	case current && n.Current.IsZero():
		n.Current, n.untilCurrent = w.Tree.Now, w.Tree.Now.Sub(w.opt.Now)
		w.Tree.wantsChanged = true
	case !current && (old == unjudged || !n.Current.IsZero()):
		if !n.Current.IsZero() {
			n.Own().lost.again(w.Tree.Now, lostWindow)
		}
		n.Current = time.Time{}
		w.Tree.wantsChanged = true
		w.Tree.MayWant(n)
	}
	n.objJudged, n.objDirty = n.Object != nil, false
	if changed {
		w.Tree.Unexplained = true
		n.Stamp = w.Tree.Epoch
		w.Tree.invalidate(*n.ID)
	}
	return changed
}

// store sets n's assessment. Nodes with equal assessments share one value, which saves memory. An
// assessment with times of its own is not shared.
func (j *judging) store(n *Node, a *status.Assessment) {
	n.Since, a.Since = a.Since, time.Time{}
	if a.Retrying != nil || len(a.Crashes) > 0 || !a.FaultSince.IsZero() || !a.Recheck.IsZero() ||
		!a.Deadline.IsZero() {
		n.Assess = new(*a)
		return
	}
	key := assessmentKey{
		a.Status, a.Reason, a.Message, a.Rule, a.Note, a.DeadlineWhat, a.Fault, a.Confidence, a.Deciding,
		a.Terminal, a.Overdue, a.Paused, a.Child,
	}
	same := j.assessmentCache[key]
	if same == nil || !slices.Equal(same.Paths, a.Paths) {
		if len(j.assessmentCache) >= maxSharedAssessments {
			clear(j.assessmentCache)
		}
		same = new(*a)
		j.assessmentCache[key] = same
	}
	n.Assess = same
}

// assessmentKey holds what an assessment without dates says, but the fields that were read: those
// with equal keys and equal paths are equal.
type assessmentKey struct {
	status                    status.Status
	reason, message           string
	rule, note, until, fault  string
	confidence                status.Confidence
	deciding                  int
	terminal, overdue, paused bool
	child                     object.ID
}

// maxSharedAssessments bounds the shared assessments.
const maxSharedAssessments = 1024

// since returns when n's status began, for a status without a date of its own. While the status
// is unchanged, that is unchanged. If the change was observed, it is now. For an object that is
// Current because it exists, it is its creation. Otherwise it is unknown: zero.
func (t *Tree) since(n *Node, a *status.Assessment) time.Time {
	switch old := n.Assess.Status; {
	case a.Status == old:
		return n.Since
	case n.objJudged && !t.firstLook(), old == status.NotFound:
		return t.Now
	case n.Object != nil && a.Status == status.Current &&
		(n.Object.MetadataOnly || strings.HasSuffix(a.Rule, ".exists")):
		return n.Object.Created
	}
	return time.Time{}
}

// firstLook reports whether the first lists are still arriving. A change that is seen meanwhile
// has no known time. In a saved cluster that never ends.
func (t *Tree) firstLook() bool { return !t.firstArrived || t.still }

// assess computes n's assessment.
func (w *World) assess(n *Node) status.Assessment {
	if n.Object == nil {
		return w.assessMissing(n)
	}
	w.judging.scratch, w.judging.members = w.judging.scratch[:0], w.judging.members[:0]
	for _, k := range n.Kids {
		switch {
		case k.Object == nil:
		case k.memberOf(n):
			w.judging.members = append(w.judging.members, status.Child{Object: k.Object, Assessment: k.Assessment()})
		default:
			w.judging.scratch = append(w.judging.scratch, status.Child{Object: k.Object, Assessment: k.Assessment()})
		}
	}
	in := w.judging.answers
	in.Members = w.judging.members
	in.Children = w.judging.scratch
	in.ChildrenKnown = w.ChildrenKnown(n)
	in.Hidden = w.hidden(n)
	in.FirstSeen = n.Seen
	in.Ahead = max(-w.Sources.skew, 0)
	if w.opt.NoChildren {
		in.Children = nil
	}
	in.FirstLook, in.Still, in.Searched = w.Tree.firstLook(), w.Tree.still, w.Sources.Searched
	if n.objJudged {
		w.judging.prior = n.Assessment()
		in.Prior = &w.judging.prior // Judge must not keep the pointer: the next node uses it again
	}
	if n.Root != nil {
		in.Generation = n.Root.Generation
	}
	w.Tree.unlook(n)
	w.Tree.subject, w.judging.readEvents = n, false
	delete(w.judging.eventsAwaited, n)
	a := w.opt.Judge(n.Object, in, w.Tree.Now)
	w.Tree.subject = nil
	if _, was := w.judging.eventful[n]; was != (w.judging.readEvents && a.Status == status.Current) {
		w.Tree.wantsChanged = true
		if delete(w.judging.eventful, n); !was {
			w.judging.eventful[n] = struct{}{}
		}
	}
	return n.amended(a)
}

// amended applies to a root what its inventory says. The root is not Current while its list of
// members is being written or is empty (Pending). Nor is it if a status that was read for it is
// another (Given): an inventory without a status of its own may have failed its last change.
func (n *Node) amended(a status.Assessment) status.Assessment {
	if n.Root == nil || a.Status != status.Current {
		return a
	}
	given := n.Root.Given
	if given.Status == "" || given.Status == status.Current {
		if n.Root.Pending == "" {
			return a
		}
		given = feed.GivenStatus{Status: status.InProgress, Reason: ReasonProvisional, Message: n.Root.Pending}
		if n.Object != nil {
			a.Paused, _ = n.Object.Bool("spec", "suspend")
		}
	}
	a.Status = given.Status
	a.Reason = given.Reason
	a.Message = given.Message
	a.Rule = "inventory"
	a.Confidence = status.Exact
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

// ReasonProvisional is the reason of an inventory's root whose list may be
// incomplete.
const ReasonProvisional = "InventoryProvisional"

// assessMissing computes the assessment of a root without an object.
func (w *World) assessMissing(n *Node) status.Assessment {
	is := func(s status.Status, reason, message string) status.Assessment {
		return status.Assessment{
			Status: s, Reason: reason, Message: message, Deciding: -1,
			Confidence: status.Exact, Rule: "watch",
		}
	}
	trouble := w.Sources.troubled(*n.ID)
	switch {
	case n.Root != nil && n.Root.Given.Status != "":
		a := is(n.Root.Given.Status, n.Root.Given.Reason, n.Root.Given.Message)
		a.Rule = "inventory"
		return n.amended(a)
	case (w.Tree.missing[*n.ID] || !n.gone.IsZero()) && w.Sources.refusal(*n.ID) != nil:
		// It did not exist or was deleted. Whether it exists now may no longer be read.
		refusal := w.Sources.refusal(*n.ID)
		return is(status.Unknown, feed.RefusalReason(refusal.Error), cmp.Or(refusal.Error, string(refusal.Phase)))
	case !n.gone.IsZero():
		a := is(status.NotFound, ReasonDeleted, "it was deleted")
		a.Since = n.gone
		return a
	case w.Tree.missing[*n.ID]:
		if slices.ContainsFunc(trouble, func(s *feed.SourceState) bool { return s.Phase == feed.NotServed }) {
			return is(status.NotFound, ReasonNotServed, "the cluster does not know its kind")
		}
		return is(status.NotFound, ReasonNotFound, "it does not exist")
	}
	for _, s := range trouble {
		reason := map[feed.Phase]string{
			feed.Forbidden: feed.RefusalReason(s.Error),
			feed.NotServed: ReasonNotServed,
		}[s.Phase]
		if reason != "" || s.Error != "" {
			return is(status.Unknown, cmp.Or(reason, ReasonWaiting), cmp.Or(s.Error, string(s.Phase)))
		}
	}
	return is(status.Unknown, ReasonWaiting, "waiting for the first answer")
}

// Stalled reports whether n is past its deadline, or has not changed for too
// long.
func (w *World) Stalled(n *Node) bool {
	if s := n.Assess.Status; s != status.InProgress && s != status.Terminating || n.Assess.Paused {
		return false
	}
	deadline := n.Assess.Deadline
	return !deadline.IsZero() && w.Tree.Now.After(deadline) ||
		!n.Moved.IsZero() && w.Tree.Now.Sub(n.Moved) >= w.opt.StallAfter
}
