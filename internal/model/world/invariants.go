package world

import (
	"fmt"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Check compares the incrementally maintained state with one computed from
// scratch, and describes the first difference. It is for tests.
func Check(w *World) string {
	var counts, required, generated Tally
	guessed := int32(0)
	for _, n := range w.Nodes {
		id := *n.ID
		if w.Nodes[id] != n {
			return fmt.Sprintf("%v is not found by its ID", id)
		}
		if n.Object != nil && n.ID != &n.Object.ID {
			return fmt.Sprintf("%v is known by the ID of another object, which is kept for that", id)
		}
		if n.dirty {
			return fmt.Sprintf("%v was left to be judged", id)
		}
		in := false
		for p, hops := n, 0; p != nil; p, hops = p.Parent, hops+1 {
			in = in || p.Root != nil
			if hops > 100 {
				return fmt.Sprintf("%v is below itself", id)
			}
		}
		if in != n.InTree {
			return fmt.Sprintf("%v: in the tree %v, should be %v", id, n.InTree, in)
		}
		switch {
		case n.Root != nil:
			counts[n.Rank()]++
			if Assumed(n.Assess) {
				guessed++
			}
			if !n.Root.Optional {
				required[n.Rank()]++
			}
		case in:
			generated[n.Rank()]++
		}
		var sub Tally
		sub[n.Rank()]++
		for _, k := range n.Kids {
			if k.Parent != n {
				return fmt.Sprintf("%v is a child of %v, but thinks otherwise", k.ID, id)
			}
			sub.Add(&k.Sub, 1)
		}
		if sub != n.Sub {
			return fmt.Sprintf("%v: tally %v, should be %v", id, n.Sub, sub)
		}
		if !slices.IsSortedFunc(n.Kids, ByID) {
			return fmt.Sprintf("%v: children out of order", id)
		}
		if l := w.leadOf(n); l != n.Lead {
			return fmt.Sprintf("%v: leads to %v, should be %v", id, n.Lead, l)
		}
		if _, open := w.open[n]; open != (in && n.Assess.Status != status.Current) {
			return fmt.Sprintf("%v: open %v", id, open)
		}
	}
	if guessed != w.Assumed {
		return fmt.Sprintf("%d are assumed, should be %d", w.Assumed, guessed)
	}
	if got, want := [3]Tally{w.Counts, w.required, w.Generated}, [3]Tally{counts, required, generated}; got != want {
		return fmt.Sprintf("counts %v, should be %v", got, want)
	}
	if w.Verdict != w.aggregate() && w.heard {
		return fmt.Sprintf("verdict %s", w.Verdict)
	}
	var moved time.Time
	expected := false
	for _, n := range w.Roots {
		if n.openAt > 0 && n.Moved().After(moved) {
			moved = n.Moved()
		}
		expected = expected || n.openAt > 0 && !n.Assess.Terminal && !n.Assess.Paused
		if open := n.Assess.Status != status.Current && !n.Root.Kept; open != (n.openAt > 0) {
			return fmt.Sprintf("%v: an open root: %v", n.ID, n.openAt)
		}
	}
	if m, e := w.Movement(); !m.Equal(moved) || e != expected {
		return fmt.Sprintf("moved at %v (%v), should be %v (%v)", m, e, moved, expected)
	}
	return ""
}

// Dump prints the whole state, a line per object. It is for tests.
func Dump(w *World) []string {
	out := []string{fmt.Sprintln(w.Now, w.Verdict, w.VerdictSince, w.Moving, w.Began, w.Synced, w.Counts, w.required, w.Generated, len(w.Roots))}
	ids := make([]object.ID, 0, len(w.Nodes))
	for _, n := range w.Nodes {
		id := *n.ID
		ids = append(ids, id)
	}
	slices.SortFunc(ids, object.ID.Compare)
	for _, id := range ids {
		n := w.Nodes[id]
		past := *n.past
		past.Shown = nil
		out = append(out, fmt.Sprintln(id, n.Assessment(), "seen", n.Seen(), "changed", n.Changed(), "moved", n.Moved(), "current", n.Current(), n.took,
			"past", past, "under", nameOf(n.Parent), "root", n.Root, n.absent, n.InTree, "lead", nameOf(n.Lead.Node), n.Lead.Reason, n.Lead.Count))
		for _, e := range w.events[id] {
			out = append(out, fmt.Sprintln(id, e))
		}
		for _, o := range w.ghosts[id] {
			out = append(out, fmt.Sprintln(id, "has lost", o.ID, o.UID))
		}
	}
	for i := range w.History.Len() {
		out = append(out, fmt.Sprintln(w.History.At(i)))
	}
	return out
}

func nameOf(n *Node) string {
	if n == nil {
		return "nothing"
	}
	return n.ID.String()
}
