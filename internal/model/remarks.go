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

// remark takes what the causes say of what is Current, for their rows. Of one
// object the first of them counts.
func (w *world) remark(causes []Cause, met []*standing) {
	w.remarkRun++
	before, run := w.remarks, w.remarkRun
	w.remarks = make([]*node, 0, len(before))
	for i, s := range met {
		c, n := &causes[i], s.subject
		if n == nil || !n.inTree || n.obj == nil || n.assess.Status != status.Current {
			continue
		}
		act := c.Class != explain.Waits
		switch r := n.remark; {
		case r != nil && r.run == run:
			continue
		case r != nil && r.act == act && r.title == c.Title:
			r.run = run
		default:
			if n.acted() != act {
				n.autoDirty(w)
			}
			n.remark = &remark{c.Title, act, run}
		}
		w.remarks = append(w.remarks, n)
	}
	for _, n := range before {
		if n.remark.run != run {
			if n.remark.act {
				n.autoDirty(w)
			}
			n.remark = nil
		}
	}
}
