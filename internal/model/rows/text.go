package rows

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Row renders the fields of a row.
func (r *Ref) Row(w *world.World, x *world.Causes, selected bool) Row {
	out := Row{
		Key: r.Key(), Depth: int(r.Depth), Guides: r.guides, Last: r.last, Fold: r.Fold,
		Selected: selected, Matched: r.matched,
	}
	switch r.Kind {
	case More:
		sub := &r.special.sub
		out.Name = fmt.Sprint(sub[world.CurrentRank], " more Current")
		if ceased := sub.Problems(); ceased > 0 { // the row stays under the user's hand until the next arrangement
			out.Name += fmt.Sprintf(", %d no longer", ceased)
		}
		out.Status = status.Statuses[sub.Worst()]
		return out
	case Gap:
		out.Name, out.Status = r.special.gap, status.Unknown
		return out
	case Group:
		sub := &r.special.sub
		out.Name, out.Status = r.special.gap, status.Statuses[sub.Worst()]
		out.Note = fraction(int(sub[world.CurrentRank]), r.special.count) + " Current"
		return out
	case Reference:
		out.Name = r.special.ref.String()
		out.Generated = true
		if r.Node == nil || r.Node.Object == nil {
			return out
		}
	}
	n := r.Node
	a := n.Assess
	out.Name, out.Note, out.Restarts = Title(n), Note(n), Restarts(n.Object)
	out.Status, out.Reason = a.Status, n.Lead.Reason
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
			out.Message, out.Noted = fmt.Sprint(kept, " kept although no longer listed"), true
		}
		if r := x.Remark(n); r != nil && (x.Acted(n) || !out.Noted) {
			out.Message, out.Noted = r.Title, true
		}
	}
	if w.Awaits(n) {
		out.Status, out.Reason, out.Message, out.Noted = status.Unknown, world.ReasonWaiting, world.WaitingBelow, false
	}
	out.Since, out.Paused = n.Since, a.Paused
	out.Stalled, out.Stale = w.Stalled(n), w.Stale(n)
	out.Assumed, out.Generated = world.Assumed(a), n.Root == nil
	if r.Depth == 0 && len(w.Spaces) > 1 || n.Parent != nil && n.Parent.ID.Namespace != n.ID.Namespace {
		out.Namespace = n.ID.Namespace
	}
	return out
}

// Title is an object's kind and name, or those of the inventory that it
// represents.
func Title(n *world.Node) string {
	if n.Root == nil {
		return n.ID.String()
	}
	switch {
	case n.ID.Group == "helm.sh" && n.ID.Kind == "Release":
		return strings.TrimSuffix("Helm release "+n.ID.Name+" v"+n.Root.Revision, " v")
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

// Note is an object's counters in a few words, and the inventories that it
// belongs to or represents.
func Note(n *world.Node) string {
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
			add(fmt.Sprintf("%d of %d members not Current", open, members))
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
		want, serving := wl.Replicas.Or(1), wl.Ready.Or(0)
		if o.Kind == "DaemonSet" {
			want, serving = wl.Desired.Or(0), wl.Available.Or(0)
		}
		var parts []string
		if o.Kind == "ReplicaSet" && n.Parent != nil && wl.Revision != "" {
			age := "old"
			if world.NewestRevision(n.Parent) == n {
				age = "new"
			}
			parts = append(parts, age+" rev "+wl.Revision)
		}
		if want > 0 || serving > 0 || len(parts) == 0 {
			parts = append(parts, fraction(serving, want))
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
		return fraction(ready, len(o.Endpoints.Endpoints)) + " ready"
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
		return fraction(ready, all)
	case o.Job != nil:
		j := o.Job
		var parts []string
		if v := j.Active.Or(0); v > 0 {
			parts = append(parts, fmt.Sprint(v, " active"))
		}
		if v := j.Failed.Or(0); v > 0 {
			parts = append(parts, fmt.Sprint(v, " failed"))
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// Restarts sums the restarts of a Pod's containers.
func Restarts(o *object.Object) (n int64) {
	if o == nil || o.Pod == nil {
		return 0
	}
	for i := range o.Pod.Containers {
		n += o.Pod.Containers[i].Restarts
	}
	return n
}

func fraction[T int | int64](a, b T) string {
	return strconv.FormatInt(int64(a), 10) + "/" + strconv.FormatInt(int64(b), 10)
}
