package kinds

import (
	"iter"
	"strconv"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Revision is the revision of a Deployment's ReplicaSet, or 0 if it has none.
func Revision(replicaSet *object.Object) int64 {
	if replicaSet.Workload == nil {
		return 0
	}
	n, _ := strconv.ParseInt(replicaSet.Workload.Revision, 10, 64)
	return n
}

// NewestReplicaSet is the ReplicaSet of a Deployment's present template among its
// children, or nil. The controller gives the highest revision to it, also where an
// older ReplicaSet is used again after an undo (SetNewReplicaSetAnnotations in
// pkg/controller/deployment/util/deployment_util.go, v1.33).
func NewestReplicaSet(children iter.Seq[*object.Object]) *object.Object {
	var newest *object.Object
	for o := range children {
		if o == nil || o.Kind != "ReplicaSet" || o.Workload == nil {
			continue
		}
		if newest == nil || Revision(o) > Revision(newest) ||
			Revision(o) == Revision(newest) && o.Created.After(newest.Created) {
			newest = o
		}
	}
	return newest
}
