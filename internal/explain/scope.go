package explain

import (
	"strconv"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// revision is the revision of a Deployment's ReplicaSet, 0 where there is none.
func revision(rs *object.Object) int64 {
	if rs.Workload == nil {
		return 0
	}
	n, _ := strconv.ParseInt(rs.Workload.Revision, 10, 64)
	return n
}

// newest is the ReplicaSet of the Deployment's newest revision among its
// children, or nil.
func newest(children []*object.Object) *object.Object {
	var best *object.Object
	for _, c := range children {
		if c == nil || c.Kind != "ReplicaSet" || c.Workload == nil {
			continue
		}
		if best == nil || revision(c) > revision(best) || revision(c) == revision(best) && c.Created.After(best.Created) {
			best = c
		}
	}
	return best
}

// outdated reports whether the object belongs to a revision that is not the
// newest, or is a Job's pod that another has replaced: what it suffers from
// keeps nothing from anything.
func (l *look) outdated() bool {
	o := l.o
	owner, ok := o.Controller()
	if !ok {
		return false
	}
	switch {
	case o.Kind == "ReplicaSet" && owner.Kind == "Deployment":
		n := newest(l.children(l.id("apps", "Deployment", owner.Name)))
		return n != nil && n.UID != o.UID && n.Name != o.Name
	case o.Kind == "Pod" && owner.Kind == "ReplicaSet":
		rs := l.object(l.id("apps", "ReplicaSet", owner.Name))
		if rs == nil {
			return false
		}
		if dep, ok := rs.Controller(); ok && dep.Kind == "Deployment" {
			n := newest(l.children(l.id("apps", "Deployment", dep.Name)))
			if n != nil && n.Name != rs.Name {
				return true
			}
		}
		// A pod that ended is history once its ReplicaSet has what it wants.
		if w := rs.Workload; w != nil && (o.Pod.Phase == "Failed" || o.Pod.Phase == "Succeeded") {
			return w.Ready.Or(0) >= w.Replicas.Or(1)
		}
	case o.Kind == "Pod" && owner.Kind == "Job":
		for _, c := range l.children(l.id("batch", "Job", owner.Name)) {
			if c.Kind == "Pod" && c.UID != o.UID && c.Created.After(o.Created) && sameIndex(c, o) {
				return true
			}
		}
	}
	return false
}

// sameIndex reports whether two pods of a Job do the same piece of work.
func sameIndex(a, b *object.Object) bool {
	x, _ := a.Annotation(indexKey)
	y, _ := b.Annotation(indexKey)
	return x == y
}

// indexKey is the annotation of a Pod that says which index of its Job it works on.
const indexKey = "batch.kubernetes.io/job-completion-index"
