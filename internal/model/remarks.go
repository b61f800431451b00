package model

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// remark is what a cause says of something that is Current, and keeps nothing from
// being so: what deserves a look. One that a person should act on keeps its row out
// of the folded ones. Frozen pictures share it: only run is ever written to.
type remark struct {
	title string
	act   bool
	run   uint64 // of world.remark that it was last said in
}

// remarked are the objects that are Current, and about which somebody should act.
func (w *world) remarked() []*node {
	var out []*node
	for _, n := range w.remarks {
		if n.acted() && n.inTree && n.assess.Status == status.Current {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, byID)
	return out
}

// acted reports whether somebody should act on what is said of n.
func (n *node) acted() bool { return n.remark != nil && n.remark.act }

// remark takes what the i-th of a turn's causes says of what is Current, for its
// row. Of one object the first of them counts.
func (w *world) remark(t *turn, i int) {
	n := t.met[i].subject
	if n == nil || !n.inTree || n.obj == nil || n.assess.Status != status.Current {
		return
	}
	c := &t.causes[i]
	act := c.Class != explain.Waits
	switch r := n.remark; {
	case r != nil && r.run == t.remarkRun:
		return
	case r != nil && r.act == act && r.title == c.Title:
		r.run = t.remarkRun
	default:
		if n.acted() != act {
			n.autoDirty(w)
		}
		n.remark = &remark{c.Title, act, t.remarkRun}
	}
	t.remarks = append(t.remarks, n)
}

// unremark takes off what was said before and is not any more.
func (w *world) unremark(t *turn) {
	for _, n := range w.remarks {
		if n.remark.run != t.remarkRun {
			if n.remark.act {
				n.autoDirty(w)
			}
			n.remark = nil
		}
	}
	w.remarks = t.remarks
}
