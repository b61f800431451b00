package explain

import (
	"cmp"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/revision"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// changed returns how the newest revision of the object's workload differs from
// the last working one, in what may be the reason for a finding.
func changed(in *inspect.Inspector, f *inspect.Finding) []revision.Change {
	list := f.Code.Concerns
	if list == nil {
		return f.Changed
	}
	var out []revision.Change
	if now, before, ok := revisions(in); ok {
		after, known := template(in, now)
		was, ok := template(in, before)
		if !ok || !known {
			was, after = images(in, before), images(in, now)
		}
		if len(was) > 0 && len(after) > 0 {
			out = revision.Diff(was, after, f.About.Container, list)
		}
	}
	if slices.Contains(list, codes.Replicas) {
		out = append(out, in.SpecChanges(in.Workload(in.Object.ID), "spec.replicas")...)
	}
	return out
}

// template returns a revision's template; an unknown one becomes a need.
func template(in *inspect.Inspector, id object.ID) (revision.Template, bool) {
	t, ok := in.Snapshot.Template(id)
	if !ok && !in.Absent(id) {
		in.Need(inspect.Need{ID: id, Template: true})
	}
	return t, ok && len(t) > 0
}

// revisions returns the objects with the newest template of the object's
// workload and with the last working one: ReplicaSets or ControllerRevisions.
func revisions(in *inspect.Inspector) (now, before object.ID, ok bool) {
	o := in.Object
	owner, owned := o.Controller()
	switch {
	case o.Kind == "Pod" && owned && owner.Kind == "ReplicaSet":
		rs := in.Get(in.ID("apps", "ReplicaSet", owner.Name))
		if rs == nil {
			return now, before, false
		}
		return sets(in, rs)
	case o.Kind == "ReplicaSet":
		return sets(in, o)
	case o.Kind == "Pod" && owned && (owner.Kind == "StatefulSet" || owner.Kind == "DaemonSet"):
		mine, ok := o.Label("controller-revision-hash")
		if !ok {
			return now, before, false
		}
		// A StatefulSet's Pods are labelled with the revision's name, a
		// DaemonSet's with its hash.
		prefix := ""
		if owner.Kind == "DaemonSet" {
			prefix = owner.Name + "-"
		}
		return revisionBefore(in, owner.UID, prefix+mine)
	case o.Kind == "StatefulSet" && o.Workload != nil && o.Workload.UpdateRevision != "":
		return revisionBefore(in, o.UID, o.Workload.UpdateRevision)
	case o.Kind == "DaemonSet":
		return revisionBefore(in, o.UID, "")
	}
	return now, before, false
}

// revisionBefore finds the revision before one of a StatefulSet or DaemonSet;
// before the newest if none is given. Only metadata of revisions is read, so
// they are ordered by their last write: a rollback writes the revision number
// (kubernetes pkg/controller/history, v1.36).
func revisionBefore(in *inspect.Inspector, owner, name string) (now, before object.ID, ok bool) {
	kind := object.ID{Group: "apps", Kind: "ControllerRevision", Namespace: in.Object.Namespace}
	list := in.Known(kind.Group, kind.Kind, kind.Namespace).Items
	list = slices.DeleteFunc(slices.Clone(list), func(r *object.Object) bool {
		return !slices.ContainsFunc(r.Owners, func(o object.Owner) bool { return o.UID == owner })
	})
	slices.SortStableFunc(list, func(a, b *object.Object) int {
		return cmp.Or(b.Written.Compare(a.Written), b.Created.Compare(a.Created))
	})
	at := 0
	if name != "" {
		at = slices.IndexFunc(list, func(r *object.Object) bool { return r.Name == name })
	}
	if at < 0 || len(list) == 0 {
		if in.Snapshot.Hidden(kind.Group, kind.Kind, kind.Namespace) == "" {
			in.Need(inspect.Need{ID: kind})
		}
		return now, before, false
	}
	if at+1 == len(list) {
		return now, before, false
	}
	return list[at].ID, list[at+1].ID, true
}

// sets finds the ReplicaSet of the last working revision: of the older ones one
// with available Pods, otherwise the newest.
func sets(in *inspect.Inspector, newest *object.Object) (now, before object.ID, ok bool) {
	dep, owned := newest.Controller()
	if !owned || newest.Workload == nil {
		return now, before, false
	}
	var best *object.Object
	works := func(s *object.Object) int64 { return min(s.Workload.Available.Or(0), 1) }
	for _, s := range in.Children(in.ID("apps", "Deployment", dep.Name)) {
		if s.Workload == nil || s.Kind != "ReplicaSet" || s.UID == newest.UID ||
			kinds.Revision(s) >= kinds.Revision(newest) {
			continue
		}
		if best == nil || works(s) > works(best) ||
			works(s) == works(best) && kinds.Revision(s) > kinds.Revision(best) {
			best = s
		}
	}
	if best == nil {
		return now, before, false
	}
	return newest.ID, best.ID, true
}

// images is what a ReplicaSet itself tells of its template.
func images(in *inspect.Inspector, id object.ID) (t revision.Template) {
	if o := in.Snapshot.Object(id); o != nil && o.Workload != nil {
		for _, i := range o.Workload.Images {
			path := "containers[" + i.Container + "]."
			t = append(t, revision.Field{Path: path + "image", Value: i.Image},
				revision.Field{Path: path + "resources.limits.memory", Value: i.Memory})
		}
	}
	slices.SortFunc(t, func(a, b revision.Field) int { return revision.ComparePath(a, b.Path) })
	return t
}
