package rows

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
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
		if len(r.special.alike) > 0 {
			r.alike(w, x, &out)
			return out
		}
		out.Name = fmt.Sprint(sub[world.CurrentRank], " more Current")
		// The row stays under the user's hand when one of them ceases to be
		// Current; its status says so until the next arrangement.
		out.Status = status.Statuses[sub.Worst()]
		return out
	case Gap:
		out.Name, out.Status = r.special.gap, status.Unknown
		if r.special.count > 0 {
			out.Name = fmt.Sprint(r.special.count, " kinds cannot be read")
			if r.Fold == Closed {
				out.Name += " (enter lists them)"
			}
		}
		return out
	case Group:
		sub := &r.special.sub
		out.Name, out.Status = r.special.gap, status.Statuses[sub.Worst()]
		out.Note = fraction(int(sub[world.CurrentRank]), r.special.count) + " Current"
		if named := slices.Index(status.Statuses, status.Status(out.Name)); named >= 0 &&
			int(sub[named]) == r.special.count {
			out.Note = strconv.Itoa(r.special.count)
		}
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
	c := countersOf(n)
	out.Name, out.Ready, out.Rollout, out.Updated = Title(n), c.ready, c.rollout, c.updated
	out.Muted = n.Root != nil && n.Root.Optional
	out.Note, out.Restarts = strings.Trim(c.other+"; "+inventoryNote(n), "; "), n.Object.Restarts()
	out.Object = n.Object
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
	switch c, more := x.Why(n); {
	case w.Awaits(n):
		out.Status, out.Reason, out.Message, out.Noted = status.Unknown, world.ReasonWaiting, world.WaitingBelow, false
	case c != nil:
		out.Cause, out.MoreCauses, out.Carried = c.Title, more, x.Below(w, n, c)
	}
	out.Since, out.Paused = n.Since, a.Paused
	out.Stalled, out.Stale = w.Stalled(n), w.Sources.Stale(n)
	out.Assumed, out.Generated = world.Assumed(a), n.Root == nil
	if len(w.Tree.Spaces) > 1 && (r.Depth == 0 || n.Root != nil || n.Parent == nil) ||
		n.Parent != nil && n.Parent.ID.Namespace != n.ID.Namespace {
		out.Namespace = n.ID.Namespace
	}
	return out
}

// alike renders the row of siblings with one status and one cause.
func (r *Ref) alike(w *world.World, x *world.Causes, out *Row) {
	first, ready := r.special.alike[0], 0
	out.Name = fmt.Sprint(len(r.special.alike), " ", wording.Kinds(first.ID.Kind))
	out.Status, out.Generated = status.Statuses[r.special.sub.Worst()], true
	out.Reason, out.Message = first.Lead.Reason, first.Lead.Node.Assess.Message
	if c, more := x.Why(first); c != nil {
		out.Cause, out.MoreCauses = c.Title, more
	}
	for _, k := range r.special.alike {
		if k.Assess.Status == status.Current {
			ready++
		}
		if out.Since.IsZero() || !k.Since.IsZero() && k.Since.Before(out.Since) {
			out.Since = k.Since
		}
		out.Restarts += k.Object.Restarts()
		out.Stalled = out.Stalled || w.Stalled(k)
		out.Stale = out.Stale || w.Sources.Stale(k)
	}
	if strings.HasSuffix(r.special.gap, foldOld) {
		out.Name = fmt.Sprint(len(r.special.alike), " old ReplicaSets")
		out.Reason, out.Cause, out.Message = "", "", ""
		return
	}
	out.Ready = fraction(ready, len(r.special.alike))
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
	return strings.Trim(countersOf(n).String()+"; "+inventoryNote(n), "; ")
}

// NotCounted is the note of a row that does not count for the verdict, if nothing else says so.
const NotCounted = "does not count"

// inventoryNote says which inventories an object belongs to, what its tool
// reports of it, and how many of its own members are not Current.
func inventoryNote(n *world.Node) string {
	if n.Root == nil {
		return ""
	}
	var parts []string
	if n.Root.Optional && n.Root.Note == "" {
		parts = append(parts, NotCounted)
	}
	if n.Root.Note != "" {
		parts = append(parts, n.Root.Note)
	}
	if reported := n.Root.Reported; reported.Word != "" && reported.Status != n.Assess.Status {
		parts = append(parts, reported.By+" says "+reported.Word)
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
			parts = append(parts, fmt.Sprintf("%d of %d members not Current", open, members))
		}
	}
	return strings.Join(parts, "; ")
}

// counters are an object's numbers: how much of it is ready, which side of a
// rollout it is on, how far its own rollout is.
type counters struct {
	ready   string // "3/4"
	noun    string // what the fraction counts, where a note has to say it
	rollout string // of a ReplicaSet: "new rev 42", "old rev 41"
	updated string // "2/4 updated"
	other   string
}

func (c counters) String() string {
	parts := slices.DeleteFunc([]string{c.rollout, c.ready + c.noun, c.updated, c.other}, func(s string) bool {
		return s == ""
	})
	return strings.Join(parts, "  ")
}

func countersOf(n *world.Node) (c counters) {
	o := n.Object
	if o == nil {
		return c
	}
	switch {
	case o.Workload != nil:
		wl := o.Workload
		want, serving := wl.Replicas.Or(1), wl.Ready.Or(0)
		if o.Kind == "DaemonSet" {
			want, serving = wl.Desired.Or(0), wl.Available.Or(0)
		}
		if o.Kind == "ReplicaSet" && n.Parent != nil && wl.Revision != "" {
			c.rollout = "old rev " + wl.Revision
			if world.NewestRevision(n.Parent) == n {
				c.rollout = "new rev " + wl.Revision
			}
		}
		if want > 0 || serving > 0 || c.rollout == "" {
			c.ready = fraction(serving, want)
		}
		if o.Kind != "ReplicaSet" && wl.Updated.Set && wl.Updated.V < want {
			c.updated = fraction(wl.Updated.V, want) + " updated"
		}
	case o.Endpoints != nil:
		ready := 0
		for i := range o.Endpoints.Endpoints {
			if o.Endpoints.Endpoints[i].Ready {
				ready++
			}
		}
		c.ready, c.noun = fraction(ready, len(o.Endpoints.Endpoints)), " ready"
	case o.Pod != nil && o.Pod.Phase == "Succeeded":
		c.other = "Completed"
	case o.Pod != nil:
		ready, all := 0, 0
		for i := range o.Pod.Containers {
			x := &o.Pod.Containers[i]
			if x.Kind == object.MainContainer || x.Kind == object.SidecarContainer {
				all++
				if x.Ready {
					ready++
				}
			}
		}
		c.ready = fraction(ready, all)
	case o.Job != nil:
		var parts []string
		if v := o.Job.Active.Or(0); v > 0 {
			parts = append(parts, fmt.Sprint(v, " active"))
		}
		if v := o.Job.Failed.Or(0); v > 0 {
			parts = append(parts, fmt.Sprint(v, " failed"))
		}
		c.other = strings.Join(parts, ", ")
	}
	return c
}

func fraction[T int | int64](a, b T) string {
	return strconv.FormatInt(int64(a), 10) + "/" + strconv.FormatInt(int64(b), 10)
}
