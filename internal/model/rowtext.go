package model

import (
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// row makes what is drawn of a row.
func (r *rowRef) row(w *world, selected bool) Row {
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
		out.Name = strconv.Itoa(int(sub[currentRank])) + " more Current"
		if ceased := sub.problems(); ceased > 0 { // and it must not move under the user's hand
			out.Name += ", " + strconv.Itoa(ceased) + " no longer"
		}
		out.Status = status.Statuses[sub.worst()]
		return out
	case RowGap:
		out.Name, out.Status = r.special.gap, status.Unknown
		return out
	case RowGroup:
		sub := &r.special.sub
		out.Name, out.Status = r.special.gap, status.Statuses[sub.worst()]
		out.Note = fraction(int64(sub[currentRank]), int64(r.special.count)) + " Current"
		return out
	case RowReference:
		out.Name = r.special.ref.String()
		out.Generated = true
		if r.node == nil || r.node.obj == nil {
			return out
		}
	}
	n := r.node
	a := n.assess
	out.Name = title(n)
	out.Note, out.Restarts = note(n), restartsOf(n.obj)
	out.Status = a.Status
	out.Reason, out.Carried = n.lead.reason, 0
	if n.lead.node != n {
		out.Carried = int(n.lead.count)
		out.Message = n.lead.node.assess.Message
	} else {
		out.Message = a.Message
		if a.Status == status.Current && a.Note != "" {
			// What deserves a look goes before what is well.
			out.Message, out.Noted = a.Note, true
		}
		if a.Status == status.Current && n.root != nil && n.root.Kept {
			out.Message, out.Noted = n.root.Note, true
		}
		if kept := n.keeps(); kept > 0 && a.Status == status.Current {
			out.Message, out.Noted = strconv.Itoa(kept)+" kept although no longer listed", true
		}
		if r := n.remark; r != nil && a.Status == status.Current && (r.act || !out.Noted) {
			out.Message, out.Noted = r.title, true
		}
	}
	if w.awaits(n) {
		out.Status, out.Reason, out.Message, out.Noted = status.Unknown, ReasonWaiting, waitingBelow, false
	}
	out.Since = n.since
	out.Changed = n.moved()
	out.Stalled = w.stalled(n)
	out.Stale = w.stale(n)
	out.Paused = a.Paused
	out.Assumed = assumed(a)
	out.Generated = n.root == nil
	if r.depth == 0 && len(w.spaces()) > 1 || n.parent != nil && n.parent.id.Namespace != n.id.Namespace {
		out.Namespace = n.id.Namespace
	}
	return out
}

// title is what people call an object: its kind and name, but for what stands for
// an inventory under the kind of something else.
func title(n *node) string {
	if n.root == nil {
		return n.id.String()
	}
	switch {
	case n.id.Group == "helm.sh" && n.id.Kind == "Release":
		s := "Helm release " + n.id.Name
		if n.root.Revision != "" {
			s += " v" + n.root.Revision
		}
		return s
	case n.obj != nil && (n.id.Kind == "Secret" || n.id.Kind == "ConfigMap"):
		if _, ok := n.obj.Label("applyset.kubernetes.io/id"); ok {
			return "ApplySet/" + n.id.Name
		}
	}
	return n.id.String()
}

// keeps counts what an inventory's root no longer lists, and is there all the same.
func (n *node) keeps() int {
	kept := 0
	for _, k := range n.kids {
		if k.root != nil && k.root.In == *n.id && k.root.Kept && k.obj != nil {
			kept++
		}
	}
	return kept
}

// note is a few words about an object's numbers, and what the inventories say
// that it belongs to or stands for.
func note(n *node) string {
	s := numbers(n)
	if n.root == nil {
		return s
	}
	add := func(more string) {
		if s != "" && more != "" {
			s += "; "
		}
		s += more
	}
	add(n.root.Note)
	if said := n.root.Said; said.Word != "" && said.Status != n.assess.Status {
		add(said.By + " says " + said.Word)
	}
	if n.assess.Status == status.Current && n.obj != nil {
		members, open := 0, 0
		for _, k := range n.kids {
			if k.root != nil && k.root.In == *n.id && !k.root.Kept && !k.root.Optional {
				members++
				if k.assess.Status != status.Current {
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

func numbers(n *node) string {
	o := n.obj
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
		if o.Kind == "ReplicaSet" && n.parent != nil && wl.Revision != "" {
			if newestRevision(n.parent) == n {
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

// restartsOf counts those of a pod's containers.
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
