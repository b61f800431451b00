package model

import (
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// row renders the fields of a row.
func (r *rowRef) row(w *world.World, selected bool) Row {
	out := Row{
		Key: r.key(), Depth: int(r.depth), Guides: r.guides, Last: r.last, Fold: r.fold,
		Selected: selected, Matched: r.matched,
	}
	if r.special != nil {
		out.Count = r.special.count
	}
	switch r.kind {
	case RowMore:
		sub := &r.special.sub
		out.Name = strconv.Itoa(int(sub[world.CurrentRank])) + " more Current"
		if ceased := sub.Problems(); ceased > 0 { // the row stays under the user's hand until the next arrangement
			out.Name += ", " + strconv.Itoa(ceased) + " no longer"
		}
		out.Status = status.Statuses[sub.Worst()]
		return out
	case RowGap:
		out.Name, out.Status = r.special.gap, status.Unknown
		return out
	case RowGroup:
		sub := &r.special.sub
		out.Name, out.Status = r.special.gap, status.Statuses[sub.Worst()]
		out.Note = fraction(int64(sub[world.CurrentRank]), int64(r.special.count)) + " Current"
		return out
	case RowReference:
		out.Name = r.special.ref.String()
		out.Generated = true
		if r.node == nil || r.node.Object == nil {
			return out
		}
	}
	n := r.node
	a := n.Assess
	out.Name = title(n)
	out.Note, out.Restarts = note(n), restartsOf(n.Object)
	out.Status = a.Status
	out.Reason, out.Carried = n.Lead.Reason, 0
	if n.Lead.Node != n {
		out.Carried = int(n.Lead.Count)
		out.Message = n.Lead.Node.Assess.Message
	} else {
		out.Message = a.Message
		if a.Status == status.Current && a.Note != "" {
			// A remark takes precedence over the message of a Current object.
			out.Message, out.Noted = a.Note, true
		}
		if a.Status == status.Current && n.Root != nil && n.Root.Kept {
			out.Message, out.Noted = n.Root.Note, true
		}
		if kept := keptBelow(n); kept > 0 && a.Status == status.Current {
			out.Message, out.Noted = strconv.Itoa(kept)+" kept although no longer listed", true
		}
		if r := n.Remark; r != nil && a.Status == status.Current && (r.Act || !out.Noted) {
			out.Message, out.Noted = r.Title, true
		}
	}
	if w.Awaits(n) {
		out.Status, out.Reason, out.Message, out.Noted = status.Unknown, world.ReasonWaiting, world.WaitingBelow, false
	}
	out.Since = n.Since
	out.Changed = n.Moved()
	out.Stalled = w.Stalled(n)
	out.Stale = w.Stale(n)
	out.Paused = a.Paused
	out.Assumed = world.Assumed(a)
	out.Generated = n.Root == nil
	if r.depth == 0 && len(w.Spaces()) > 1 || n.Parent != nil && n.Parent.ID.Namespace != n.ID.Namespace {
		out.Namespace = n.ID.Namespace
	}
	return out
}

// title is an object's kind and name, or those of the inventory that it
// represents.
func title(n *world.Node) string {
	if n.Root == nil {
		return n.ID.String()
	}
	switch {
	case n.ID.Group == "helm.sh" && n.ID.Kind == "Release":
		s := "Helm release " + n.ID.Name
		if n.Root.Revision != "" {
			s += " v" + n.Root.Revision
		}
		return s
	case n.Object != nil && (n.ID.Kind == "Secret" || n.ID.Kind == "ConfigMap"):
		if _, ok := n.Object.Label("applyset.kubernetes.io/id"); ok {
			return "ApplySet/" + n.ID.Name
		}
	}
	return n.ID.String()
}

// keptBelow counts the members that an inventory no longer lists and that still
// exist.
func keptBelow(n *world.Node) int {
	kept := 0
	for _, k := range n.Kids {
		if k.Root != nil && k.Root.In == *n.ID && k.Root.Kept && k.Object != nil {
			kept++
		}
	}
	return kept
}

// note is an object's counters in a few words, and the inventories that it
// belongs to or represents.
func note(n *world.Node) string {
	s := numbers(n)
	if n.Root == nil {
		return s
	}
	add := func(more string) {
		if s != "" && more != "" {
			s += "; "
		}
		s += more
	}
	add(n.Root.Note)
	if said := n.Root.Said; said.Word != "" && said.Status != n.Assess.Status {
		add(said.By + " says " + said.Word)
	}
	if n.Assess.Status == status.Current && n.Object != nil {
		members, open := 0, 0
		for _, k := range n.Kids {
			if k.Root != nil && k.Root.In == *n.ID && !k.Root.Kept && !k.Root.Optional {
				members++
				if k.Assess.Status != status.Current {
					open++
				}
			}
		}
		if open > 0 {
			add(strconv.Itoa(open) + " of " + strconv.Itoa(members) + " members not Current")
		}
	}
	return s
}

func numbers(n *world.Node) string {
	o := n.Object
	if o == nil {
		return ""
	}
	switch {
	case o.Workload != nil:
		wl := o.Workload
		if o.Kind == "DaemonSet" {
			return fraction(wl.Available.Or(0), wl.Desired.Or(0))
		}
		want := wl.Replicas.Or(1)
		parts := make([]string, 0, 2)
		if o.Kind == "ReplicaSet" && n.Parent != nil && wl.Revision != "" {
			if world.NewestRevision(n.Parent) == n {
				parts = append(parts, "new rev "+wl.Revision)
			} else {
				parts = append(parts, "old rev "+wl.Revision)
			}
		}
		if want > 0 || wl.Ready.Or(0) > 0 || len(parts) == 0 {
			parts = append(parts, fraction(wl.Ready.Or(0), want))
		}
		if o.Kind != "ReplicaSet" && wl.Updated.Set && wl.Updated.V < want {
			parts = append(parts, fraction(wl.Updated.V, want)+" updated")
		}
		return strings.Join(parts, "  ")
	case o.Endpoints != nil:
		ready := 0
		for i := range o.Endpoints.Endpoints {
			if o.Endpoints.Endpoints[i].Ready {
				ready++
			}
		}
		return fraction(int64(ready), int64(len(o.Endpoints.Endpoints))) + " ready"
	case o.Pod != nil && o.Pod.Phase == "Succeeded":
		return "Completed"
	case o.Pod != nil:
		ready, all := 0, 0
		for i := range o.Pod.Containers {
			c := &o.Pod.Containers[i]
			if c.Kind == object.MainContainer || c.Kind == object.SidecarContainer {
				all++
				if c.Ready {
					ready++
				}
			}
		}
		return fraction(int64(ready), int64(all))
	case o.Job != nil:
		j := o.Job
		var parts []string
		if v := j.Active.Or(0); v > 0 {
			parts = append(parts, strconv.FormatInt(v, 10)+" active")
		}
		if v := j.Failed.Or(0); v > 0 {
			parts = append(parts, strconv.FormatInt(v, 10)+" failed")
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// restartsOf sums the restarts of a Pod's containers.
func restartsOf(o *object.Object) (n int64) {
	if o == nil || o.Pod == nil {
		return 0
	}
	for i := range o.Pod.Containers {
		n += o.Pod.Containers[i].Restarts
	}
	return n
}

func fraction(a, b int64) string {
	return strconv.FormatInt(a, 10) + "/" + strconv.FormatInt(b, 10)
}
