package model

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// remark is what a cause says of something that is Current, and keeps nothing from
// being so: what deserves a look. One that a person should act on keeps its row out
// of the folded ones.
type remark struct {
	title string
	act   bool
}

// remarked are the objects that are Current, and about which somebody should act.
func (w *world) remarked() []*node {
	var out []*node
	for id, r := range w.remarks {
		if n := w.nodes[id]; r.act && n != nil && n.inTree && n.assess.Status == status.Current {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, byID)
	return out
}

// remark takes what the causes say of what is Current, for their rows.
func (w *world) remark(causes []Cause) {
	var fresh map[status.ID]remark
	for i := range causes {
		c := &causes[i]
		if len(c.Blocks) > 0 || !c.Healed.IsZero() {
			continue
		}
		n := w.nodes[c.Subject.ID]
		if n == nil || !n.inTree || n.obj == nil || n.assess.Status != status.Current {
			continue
		}
		if _, said := fresh[n.id]; said {
			continue // by one that comes before
		}
		if fresh == nil {
			fresh = map[status.ID]remark{}
		}
		fresh[n.id] = remark{c.Title, c.Class != explain.Waits}
	}
	moved := func(of, other map[status.ID]remark) {
		for id, r := range of {
			if n := w.nodes[id]; n != nil && other[id] != r {
				n.autoDirty(w)
			}
		}
	}
	moved(fresh, w.remarks)
	moved(w.remarks, fresh)
	w.remarks = fresh
}
