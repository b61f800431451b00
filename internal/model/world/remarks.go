package world

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// remark is what a cause says of something that is Current, and keeps nothing from
// being so: what deserves a look. One that a person should act on keeps its row out
// of the folded ones. Frozen pictures share it: it is not written to.
type remark struct {
	Title string
	Act   bool
}

// Remarked are the objects that are Current, and about which somebody should act.
func (w *World) Remarked() []*Node {
	var out []*Node
	for _, n := range w.remarks {
		if n.Acted() && n.InTree && n.Assess.Status == status.Current {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, ByID)
	return out
}

// Acted reports whether somebody should act on what is said of n.
func (n *Node) Acted() bool { return n.Remark != nil && n.Remark.Act }

// remarkAll takes what causes say of what is Current, for its row. Of one object
// the first of them counts.
func (w *World) remarkAll(causes []explain.Cause) {
	said := map[*Node]bool{}
	var list []*Node
	for i := range causes {
		c := &causes[i]
		if len(c.Blocks) > 0 {
			continue
		}
		n := w.Nodes[c.Subject.ID]
		if n == nil || said[n] || !n.InTree || n.Object == nil || n.Assess.Status != status.Current {
			continue
		}
		said[n] = true
		list = append(list, n)
		if r := (remark{c.Title, c.Class != explain.Waits}); n.Remark == nil || *n.Remark != r {
			if n.Acted() != r.Act {
				n.autoDirty(w)
			}
			n.Remark = &r
		}
	}
	for _, n := range w.remarks {
		if !said[n] {
			if n.Remark.Act {
				n.autoDirty(w)
			}
			n.Remark = nil
		}
	}
	w.remarks = list
}
