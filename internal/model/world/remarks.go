package world

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// remark is a cause's text about a Current object, which it does not block. A
// remark that needs action keeps the row from being folded. Frozen pictures
// share it: it is not modified.
type remark struct {
	Title string
	Act   bool
}

// Remarked are the Current objects with a remark that needs action.
func (t *tree) Remarked() []*Node {
	var out []*Node
	for _, n := range t.remarks {
		if n.Acted() && n.InTree && n.Assess.Status == status.Current {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, ByID)
	return out
}

// Acted reports whether n's remark needs action.
func (n *Node) Acted() bool { return n.Remark != nil && n.Remark.Act }

// remarkAll sets the remarks of Current objects from the causes; the first
// cause of an object counts.
func (t *tree) remarkAll(causes []explain.Cause) {
	said := map[*Node]bool{}
	var list []*Node
	for i := range causes {
		c := &causes[i]
		if len(c.Blocks) > 0 {
			continue
		}
		n := t.Nodes[c.Subject.ID]
		if n == nil || said[n] || !n.InTree || n.Object == nil || n.Assess.Status != status.Current {
			continue
		}
		said[n] = true
		list = append(list, n)
		if r := (remark{c.Title, c.Class != explain.Waits}); n.Remark == nil || *n.Remark != r {
			if n.Acted() != r.Act {
				n.autoDirty(t)
			}
			n.Remark = &r
		}
	}
	for _, n := range t.remarks {
		if !said[n] {
			if n.Remark.Act {
				n.autoDirty(t)
			}
			n.Remark = nil
		}
	}
	t.remarks = list
}
