package model

import (
	"maps"
	"slices"
	"strconv"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// next selects the next problem.
func (t *tree) next(by int) (said string) {
	problems := t.problems()
	if len(problems) == 0 {
		return "no problem"
	}
	at := -1
	if r := t.selectedRow(); r != nil && r.node != nil && r.kind == RowObject {
		at = slices.Index(problems, r.node)
	}
	switch {
	case at >= 0:
		at = (at + by + len(problems)) % len(problems)
	case by < 0:
		at = len(problems) - 1
	default:
		at = 0
	}
	t.reveal(problems[at])
	return "problem " + strconv.Itoa(at+1) + " of " + strconv.Itoa(len(problems))
}

// reveal selects n, and opens its ancestors.
func (t *tree) reveal(n *world.Node) {
	if t.frozen == nil {
		for p := n.Parent; p != nil; p = p.Parent {
			if open, set := t.folds[RowKey{ID: *p.ID}]; set && !open {
				delete(t.folds, RowKey{ID: *p.ID})
			}
		}
		maps.DeleteFunc(t.folds, func(k RowKey, open bool) bool { return k.Kind == RowGroup && !open })
		t.sel, t.touched, t.home = RowKey{ID: *n.ID}, true, RowKey{}
		t.stale = true
		t.arrangeRows(false)
	}
	i := slices.IndexFunc(t.rows, func(r rowRef) bool { return r.kind == RowObject && r.node == n })
	if i < 0 {
		return
	}
	was := t.selIndex
	t.selIndex, t.sel, t.touched = i, t.rows[i].key(), true
	if top := t.Top(); was != i && (i < top || i >= top+t.window) {
		t.anchor = t.window / 2
	}
}

// followNewest keeps the selection on the worst problem, if that is switched on.
func (t *tree) followNewest() {
	if !t.following {
		return
	}
	p := t.problems()
	if len(p) == 0 {
		return
	}
	newest := p[0]
	for _, n := range p {
		if n.Rank() == newest.Rank() && n.Since.After(newest.Since) {
			newest = n
		}
	}
	if t.sel != (RowKey{ID: *newest.ID}) {
		t.reveal(newest)
	}
}

// problems are the nodes that n and N move between: the deepest ones that are
// not Current, in display order, one per reason below each parent; then Current
// ones with a cause that needs action.
func (t *tree) problems() []*world.Node {
	var out []*world.Node
	var walk func(list []*world.Node, newest *world.Node, below bool)
	walk = func(list []*world.Node, newest *world.Node, below bool) {
		said := map[string]bool{}
		for _, n := range list {
			if below && t.group != GroupNone && t.group != "" && n.Root != nil && !n.Root.Kept {
				continue // its row is at the top: see lifts
			}
			if n.Sub.Problems() == 0 || (newest != nil && n.ID.Kind == "ReplicaSet" && n != newest) {
				continue
			}
			if n.Lead.Node == n {
				if n.Assess.Status != status.Current && (n.IsTop() || !said[n.Assess.Reason]) {
					said[n.Assess.Reason] = true
					out = append(out, n)
				}
				if n.Assess.Status != status.Current {
					continue
				}
			}
			kids := n.Kids
			if len(n.Shown) == len(n.Kids) {
				kids = n.Shown
			}
			walk(kids, world.NewestRevision(n), true)
		}
	}
	top := t.topShown
	if !t.opt.Screen {
		top = slices.DeleteFunc(slices.Clone(t.w.Roots), func(n *world.Node) bool { return !n.IsTop() })
	}
	walk(top, nil, false)
	return append(out, t.w.Remarked()...)
}
