package explain

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// newest is the newest ReplicaSet among a Deployment's children, or nil.
func newest(children []*object.Object) *object.Object {
	return kinds.NewestReplicaSet(slices.Values(children))
}

// outdated reports whether the object belongs to an old revision, or is a Job's
// Pod that another has replaced: its problems block nothing.
func (l *look) outdated() bool {
	o := l.o
	owner, ok := o.Controller()
	if !ok {
		return false
	}
	switch {
	case o.Kind == "ReplicaSet" && owner.Kind == "Deployment":
		n := newest(l.s.Children(l.id("apps", "Deployment", owner.Name)))
		return n != nil && n.UID != o.UID && n.Name != o.Name
	case o.Kind == "Pod" && owner.Kind == "ReplicaSet":
		rs := l.object(l.id("apps", "ReplicaSet", owner.Name))
		if rs == nil {
			return false
		}
		if dep, ok := rs.Controller(); ok && dep.Kind == "Deployment" {
			n := newest(l.s.Children(l.id("apps", "Deployment", dep.Name)))
			if n != nil && n.Name != rs.Name {
				return true
			}
		}
		// An ended Pod is history once its ReplicaSet has all its Pods.
		if w := rs.Workload; w != nil && o.Pod != nil && (o.Pod.Phase == "Failed" || o.Pod.Phase == "Succeeded") {
			return w.Ready.Or(0) >= w.Replicas.Or(1)
		}
	case o.Kind == "Pod" && owner.Kind == "Job":
		for _, c := range l.s.Children(l.id("batch", "Job", owner.Name)) {
			if c.Kind == "Pod" && c.UID != o.UID && c.Created.After(o.Created) && sameIndex(c, o) {
				return true
			}
		}
	}
	return false
}

// sameIndex reports whether two Pods of a Job have the same completion index.
func sameIndex(a, b *object.Object) bool {
	x, _ := a.Annotation(indexKey)
	y, _ := b.Annotation(indexKey)
	return x == y
}

// indexKey is the annotation with a Pod's completion index.
const indexKey = "batch.kubernetes.io/job-completion-index"
