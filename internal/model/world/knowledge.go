package world

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// knowledge decides whose children and events are known: see [feed.Known].
type knowledge interface {
	// wants reports whether children can be asked for.
	wants() bool
	// children reports whether all children of n are known.
	children(w *World, n *Node) bool
	// awaits reports whether children of n have not been delivered yet.
	awaits(w *World, n *Node) bool
	// awaiting reports whether children of anything have not been delivered yet.
	awaiting(w *World) bool
	// events reports whether all events of an object are known.
	events(w *World, id object.ID) bool
	// reads reports whether a source's state may say something of n's children, and
	// ofRoots whether that of a source of roots may, too.
	reads(n *Node) bool
	ofRoots() bool
	// keeps reports whether a log that could not be read may still be had at this moment.
	keeps() bool
	// repeats reports whether a moment may come again, by another way.
	repeats() bool
}

// knowledgeOf is the knowledge that a batch announces; nil if it announces none.
func knowledgeOf(by feed.Known) knowledge {
	switch by {
	case feed.KnownWhenAnswered:
		return byAnswers{}
	case feed.KnownBySources:
		return bySources{}
	}
	return nil
}

// byAnswers knows what was wanted and has been answered.
type byAnswers struct{}

func (byAnswers) wants() bool        { return true }
func (byAnswers) ofRoots() bool      { return false }
func (byAnswers) keeps() bool        { return true }
func (byAnswers) repeats() bool      { return false }
func (byAnswers) reads(n *Node) bool { return n.wanted != 0 }

func (byAnswers) children(w *World, n *Node) bool {
	asked := n.asker()
	if asked.wanted == 0 || asked.wanted > w.Sources.Answered {
		return false
	}
	return len(w.Sources.Trouble) == 0 || needsMet(asked.Object, func(need edges.Need) bool {
		return w.Sources.blind(need) == nil || w.Sources.sees(need)
	})
}

func (byAnswers) awaits(w *World, n *Node) bool {
	if asked := n.asker(); asked.wanted != 0 { // only what has needs is asked for
		return asked.wanted > w.Sources.Answered
	}
	return n.parent
}

func (byAnswers) awaiting(w *World) bool { return w.Tree.newestWants > w.Sources.Answered }

func (byAnswers) events(w *World, id object.ID) bool {
	asked := w.judging.eventsRequested[id]
	return asked != 0 && asked <= w.Sources.EventsAnswered
}

// bySources knows what a source delivers; nobody can be asked for more.
type bySources struct{}

func (bySources) wants() bool                   { return false }
func (bySources) ofRoots() bool                 { return true } // a root's source may be a child's, too
func (bySources) keeps() bool                   { return false }
func (bySources) repeats() bool                 { return true }
func (bySources) reads(*Node) bool              { return true }
func (bySources) events(*World, object.ID) bool { return true }

func (bySources) children(w *World, n *Node) bool {
	asked := n.asker()
	return needsMet(n.Object, w.Sources.sees) || asked != n && needsMet(asked.Object, w.Sources.sees)
}

func (bySources) awaits(w *World, n *Node) bool {
	return !needsMet(n.asker().Object, func(need edges.Need) bool {
		return need.Kind == "ReplicaSet" || w.Sources.hasAnswered(need)
	})
}

func (bySources) awaiting(w *World) bool {
	if w.Sources.awaited != w.Tree.Epoch {
		w.Sources.awaited = w.Tree.Epoch
		w.Sources.awaiting = slices.ContainsFunc(w.Tree.Roots, func(r *Node) bool {
			return !Walk(r, func(n *Node) bool { return !w.Awaits(n) })
		})
	}
	return w.Sources.awaiting
}
