package model

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// remark is what a cause says of something that is Current, and keeps nothing from
// being so: what deserves a look. One that a person should act on keeps its row out
// of the folded ones. Frozen pictures share it: it is not written to.
type remark struct {
	title string
	act   bool
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

// remarkAll takes what causes say of what is Current, for its row. Of one object
// the first of them counts.
func (w *world) remarkAll(causes []Cause) {
	said := map[*node]bool{}
	var list []*node
	for i := range causes {
		c := &causes[i]
		if len(c.Blocks) > 0 {
			continue
		}
		n := w.nodes[c.Subject.ID]
		if n == nil || said[n] || !n.inTree || n.obj == nil || n.assess.Status != status.Current {
			continue
		}
		said[n] = true
		list = append(list, n)
		if r := (remark{c.Title, c.Class != explain.Waits}); n.remark == nil || *n.remark != r {
			if n.acted() != r.act {
				n.autoDirty(w)
			}
			n.remark = &r
		}
	}
	for _, n := range w.remarks {
		if !said[n] {
			if n.remark.act {
				n.autoDirty(w)
			}
			n.remark = nil
		}
	}
	w.remarks = list
}
