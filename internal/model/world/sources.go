package world

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// applySources takes over the changed states of sources. They decide what may be reported: an
// object is not absent while the source that would deliver it is not live. So the missing roots are
// judged again when a source of roots has changed, and parents when one of children has.
func (w *World) applySources(changed []feed.SourceState) {
	rejudgeParents, rejudgeMissingRoots := false, false
	for i := range changed {
		s := &changed[i]
		old := w.Sources.States[s.Key]
		if s.Phase == feed.Closed {
			delete(w.Sources.States, s.Key)
		} else {
			w.Sources.States[s.Key] = *s
		}
		if old.Phase == s.Phase && old.Error == s.Error {
			continue
		}
		w.Tree.Structure++ // what cannot be read has a row
		if s.Phase == feed.Forbidden || s.Phase == feed.NotServed {
			w.Tree.Unexplained = true // causes name what may not be read, references included
		}
		if s.Phase == feed.Live && isReference(s.Key) {
			// Its objects may have come before. That there are no others is known only now.
			w.Tree.Unexplained = true
		}
		rejudgeMissingRoots = rejudgeMissingRoots || !s.Children
		rejudgeParents = rejudgeParents || s.Children || w.Tree.knownBy.ofRoots()
	}
	w.Sources.Trouble, w.Sources.Searched = nil, false
	for _, s := range w.Sources.States {
		w.Sources.Searched = w.Sources.Searched || s.OfAll || s.Mode == feed.ModeSaved
		if s.Phase != feed.Live {
			w.Sources.Trouble = append(w.Sources.Trouble, &s)
		}
	}
	slices.SortFunc(w.Sources.Trouble, func(a, b *feed.SourceState) int {
		return cmp.Or(strings.Compare(b.Namespace, a.Namespace), strings.Compare(a.Key, b.Key))
	})
	if w.Restoring {
		return // everything will be judged
	}
	if rejudgeMissingRoots {
		for _, n := range w.Tree.Roots {
			if n.Object == nil {
				w.Tree.touch(n)
				w.Tree.invalidate(*n.ID) // whether its absence may be reported has changed
			}
		}
	}
	if !rejudgeParents {
		return
	}
	for _, n := range w.Tree.Nodes { // ChildrenKnown and Awaits may have changed for parents
		if n.parent && w.Tree.knownBy.reads(n) {
			w.Tree.touch(n)
			n.Stamp = w.Tree.Epoch
		}
	}
}

// troubled returns the sources that are not live and would deliver an object, or
// without a name those of any object of the kind.
func (l *Sources) troubled(id object.ID) (out []*feed.SourceState) {
	for _, s := range l.Trouble {
		if s.Kind == id.Kind && s.Group == id.Group && (s.Namespace == id.Namespace || s.Namespace == "") &&
			(s.Name == id.Name || s.Name == "" || id.Name == "") {
			out = append(out, s)
		}
	}
	return out
}

// delivers reports whether a source is of all that a need names. A search delivers what
// is searched for, with the sources of what it finds.
func delivers(s *feed.SourceState, need edges.Need) bool {
	return (!s.Search || need.Search) && s.Kind == need.Kind &&
		s.Group == need.Group && (s.Namespace == "" || s.Namespace == need.Namespace) &&
		(s.Name == "" || s.Name == need.Name) && (s.Selector == "" || edges.Covers(s.Selector, need.Selector))
}

// sees reports whether a source delivers a need, or what replaces it.
func (l *Sources) sees(need edges.Need) bool { return l.has(need, false) }

// isReference reports whether a source reads what explanations look up.
func isReference(key string) bool { return strings.HasPrefix(key, "reference ") }

// lists reports whether a source, or a reference, delivers every object of a kind.
func (l *Sources) lists(need edges.Need) bool {
	return l.anyLive(need, true)
}

// delivers reports whether a source other than a reference delivers every object of a kind. One
// of children reads a whole namespace and hands on only what belongs under something followed.
func (l *Sources) delivers(need edges.Need) bool {
	return l.anyLive(need, false)
}

func (l *Sources) anyLive(need edges.Need, references bool) bool {
	for key, s := range l.States {
		if s.Phase == feed.Live && !s.Partial && (!s.Children || references && isReference(key)) && delivers(&s, need) {
			return true
		}
	}
	return false
}

// allOnNode reports whether a source delivers every Pod on a node.
func (l *Sources) allOnNode(node string) bool {
	fields := object.OnNode(node).Fields()
	for _, s := range l.States {
		if s.Phase == feed.Live && !s.Partial && s.Group == "" && s.Kind == "Pod" && s.Namespace == "" &&
			s.Selector == fields {
			return true
		}
	}
	return l.lists(edges.Need{Kind: "Pod"})
}

// hasAnswered reports whether a source that may deliver a need, or what replaces it,
// has ever answered: that of children may have several parents' selectors.
func (l *Sources) hasAnswered(need edges.Need) bool { return l.has(need, true) }

func (l *Sources) has(need edges.Need, ever bool) bool {
	instead, ok := edges.Instead(need)
	for _, s := range l.States {
		if ever && s.Children && !isReference(s.Key) {
			s.Selector = ""
		}
		answered := s.Phase == feed.Live || ever && (!s.LastData.IsZero() ||
			s.Phase == feed.Forbidden || s.Phase == feed.NotServed)
		if answered && (delivers(&s, need) || ok && delivers(&s, instead)) {
			return true
		}
	}
	return false
}

// blind is the source that should deliver a need and has a problem.
func (l *Sources) blind(need edges.Need) *feed.SourceState {
	for _, s := range l.Trouble {
		if delivers(s, need) {
			return s
		}
	}
	return nil
}

// refusal is the source that may not see whether an object exists; nil if
// another one sees it.
func (l *Sources) refusal(id object.ID) *feed.SourceState {
	for _, s := range l.troubled(id) {
		if s.Phase == feed.Forbidden && s.Selector == "" &&
			!l.sees(edges.Need{Group: id.Group, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}) {
			return s
		}
	}
	return nil
}

// Stale reports whether a source of n's data has a problem.
func (l *Sources) Stale(n *Node) bool {
	return n.Object != nil && slices.ContainsFunc(l.troubled(*n.ID), func(s *feed.SourceState) bool {
		return s.Phase != feed.Waiting && s.Phase != feed.Syncing && !isReference(s.Key)
	})
}

// Refusal says who may not do what to which resource where, as the API server
// reported it.
func Refusal(s *feed.SourceState) string {
	if text := feed.Refusal(s.Error); feed.IsRefusal(text) || Undiscovered(s) {
		return text
	}
	what := strings.TrimSuffix(cmp.Or(s.Verb, "list")+" "+s.Resource+"."+s.Group, ".")
	return "cannot " + strings.TrimSuffix(what+" in "+s.Namespace, " in ") + ": forbidden"
}

// Undiscovered reports whether a source is the discovery, and lacks API groups in
// which there may be what was asked for.
func Undiscovered(s *feed.SourceState) bool {
	return s.Phase == feed.Stale && s.Selects && s.Kind == ""
}

// Refusals are the missing permissions of some sources, and the missing API
// groups, sorted.
func (l *Sources) Refusals(some func(*feed.SourceState) bool) (out []string) {
	for _, s := range l.Trouble {
		if (s.Phase == feed.Forbidden || Undiscovered(s)) && some(s) {
			out = append(out, Refusal(s))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Late are the objects that explanations look up and that were not read in time, sorted, as
// kubectl names them: "nodes/n1", "secrets in shop".
func (l *Sources) Late() (out []string) {
	for _, s := range l.Trouble {
		if s.Late {
			out = append(out, readBy(s))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// readBy names what a source reads.
func readBy(s *feed.SourceState) string {
	what := strings.TrimSuffix(cmp.Or(s.Resource, strings.ToLower(s.Kind))+"."+s.Group, ".")
	if s.Name != "" {
		what += "/" + s.Name
	}
	return strings.TrimSuffix(what+" in "+s.Namespace, " in ")
}

// Unseen are the missing permissions that hide whether there is anything of a
// kind that was asked for, and the API groups that hide its kinds; "" if there
// are none.
func (l *Sources) Unseen() string {
	return strings.Join(l.Refusals(func(s *feed.SourceState) bool {
		return s.Selects && !s.OfAll && s.Objects == 0
	}), "; ")
}

// Barred says what may not be read, if nothing of what was asked for may be; otherwise it is "".
func (l *Sources) Barred() string {
	for _, s := range l.States {
		if s.Selects && s.Kind != "" && s.Phase != feed.Forbidden {
			return ""
		}
	}
	refusals := l.Refusals(func(s *feed.SourceState) bool { return s.Selects })
	switch more := len(refusals) - 1; {
	case more < 0:
		return ""
	case more > 0:
		return fmt.Sprintf("%s and %d more kinds", refusals[0], more)
	}
	return refusals[0]
}

// Listing reports whether what is selected is still being listed, as where a kind
// was discovered later.
func (l *Sources) Listing() bool {
	return slices.ContainsFunc(l.Trouble, func(s *feed.SourceState) bool {
		return s.Selects && (s.Phase == feed.Waiting || s.Phase == feed.Syncing)
	})
}

// ChildRefusals are the missing permissions that hide children of n and its
// descendants.
func (l *Sources) ChildRefusals(n *Node) []string {
	return l.Refusals(func(s *feed.SourceState) bool {
		return !Walk(n, func(k *Node) bool {
			return k.Object == nil || !slices.ContainsFunc(edges.Needs(k.Object),
				func(need edges.Need) bool { return delivers(s, need) })
		})
	})
}

// EventRefusals are the missing permissions that hide events of n and its
// descendants, sorted.
func (l *Sources) EventRefusals(n *Node) []string {
	return l.Refusals(func(s *feed.SourceState) bool {
		// Events of cluster-scoped objects are in the namespace default.
		return s.Kind == "Event" && s.Group == "" &&
			!Walk(n, func(k *Node) bool { return cmp.Or(k.ID.Namespace, "default") != s.Namespace })
	})
}
