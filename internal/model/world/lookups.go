package world

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Lookup finds a known object. The dependency is noted: the object is requested
// from the feed, and the judgement repeated when it arrives.
func (t *Tree) Lookup(id object.ID) *object.Object {
	if n := t.subject; n != nil && !slices.Contains(n.lookedUp, id) && len(n.lookedUp) < RefsWanted {
		p := n.Own()
		p.lookedUp = append(p.lookedUp, id)
		if t.Dependents[id] == nil {
			t.Dependents[id] = map[*Node]struct{}{}
			t.wantsChanged = true
		}
		t.Dependents[id][n] = struct{}{}
	}
	if n := t.Nodes[id]; n != nil {
		return n.Object
	}
	return nil
}

// selectedPods are the known Pods in the namespace of the node that is being judged which a
// selector matches. The judgement is repeated when one of them changes.
func (w *World) selectedPods(by object.Selector) (out []*object.Object) {
	n := w.Tree.subject
	w.Tree.selecting.Set(n, n.ID.Namespace, by)
	for _, pod := range w.List("", "Pod", n.ID.Namespace) {
		if edges.Selects(by, pod) {
			out = append(out, pod)
		}
	}
	return out
}

// judgement returns the assessment of another known object, which has been looked up
// then.
func (t *Tree) judgement(id object.ID) (status.Assessment, bool) {
	if t.Lookup(id) == nil || t.Nodes[id].Assess == unjudged {
		return status.Assessment{}, false
	}
	return t.Nodes[id].Assessment(), true
}

// eventsOf returns the events of the node that is being judged, and whether all of them
// are known.
func (w *World) eventsOf() (events []object.Event, complete bool) {
	n := w.Tree.subject
	w.judging.readEvents = true
	if complete = w.Tree.knownBy.events(w, *n.ID); !complete {
		w.judging.eventsAwaited[n] = struct{}{}
	}
	return w.Records.EventsOf(n), complete
}

// Eventful are the nodes that are Current only for want of certain events, which are
// therefore wanted, sorted.
func (w *World) Eventful() []*Node {
	return slices.SortedFunc(maps.Keys(w.judging.eventful), ByID)
}

// AnyEventful reports whether there are such nodes.
func (w *World) AnyEventful() bool { return len(w.judging.eventful) > 0 }

// EventsRequested notes whose events have been asked for by the Wants of that generation.
func (w *World) EventsRequested(ids []object.ID, gen uint64) {
	asked := make(map[object.ID]uint64, len(ids))
	for _, id := range ids {
		asked[id] = cmp.Or(w.judging.eventsRequested[id], gen)
	}
	w.judging.eventsRequested = asked
}

// unlook removes n's dependencies.
func (t *Tree) unlook(n *Node) {
	for _, id := range n.lookedUp {
		if delete(t.Dependents[id], n); len(t.Dependents[id]) == 0 {
			delete(t.Dependents, id)
			t.wantsChanged = true
		}
	}
	if n.lookedUp != nil {
		n.Own().lookedUp = nil
	}
	t.selecting.Delete(n)
}

// invalidate has the dependents of an object judged again that was added, changed or deleted.
func (t *Tree) invalidate(id object.ID) {
	for n := range t.Dependents[id] {
		t.touch(n)
	}
	if id.Kind != "Pod" {
		return
	}
	if pod := t.Nodes[id]; pod != nil && pod.Object != nil {
		for n := range t.selecting.Of(pod.Object) { // a variable of the two would be on the heap, for each Pod
			t.touch(n)
		}
		return
	}
	for n := range t.selecting.In(id.Namespace) { // the Pod is gone
		t.touch(n)
	}
}

// absent reports that an object is known not to exist, by a source that may see
// it.
func (w *World) absent(id object.ID) bool {
	n := w.Tree.Nodes[id]
	return (w.Tree.missing[id] || n != nil && !n.gone.IsZero()) && (n == nil || w.Sources.refusal(id) == nil)
}

// reports reads from a kind's CRD whether its objects have a status. Only
// objects without a status ask, so that a CRD is only fetched for kinds with
// such an object.
func (w *World) reports(group, kind string) (reports, known bool) {
	for _, s := range w.Sources.States {
		if s.Group == group && s.Kind == kind && s.Resource != "" {
			return status.ReportsStatus(
				w.Tree.Lookup(
					object.ID{
						Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition",
						Name: s.Resource + "." + group,
					}))
		}
	}
	return false, false
}

// servesStatus reports whether the server serves a status subresource for a
// kind.
func (l *Sources) servesStatus(group, kind string) bool {
	for _, s := range l.States {
		if s.Reports && s.Group == group && s.Kind == kind {
			return true
		}
	}
	return false
}
