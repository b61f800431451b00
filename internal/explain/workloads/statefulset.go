package workloads

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{"apps/StatefulSet"}, AlsoCurrent: true, Find: statefulSet})
}

// statefulSet finds what keeps a StatefulSet's Pods from being made or replaced, one after the
// other.
func statefulSet(in *inspect.Inspector) {
	w := in.Object.Workload
	if w == nil || !in.Object.Deleted.IsZero() {
		return
	}
	want := w.Replicas.Or(1)
	// StatefulSets may have this condition from 1.37 on.
	if x := in.Object.ConditionIs("StatefulSetProgressing", "False"); x != nil {
		f := in.FindCondition(codes.ProgressDeadlineExceeded, x, "%s: %s", x.Reason, message.Short(x.Message, 160))
		f.Symptom, f.Overdue = true, true
	}
	pods := podsOf(in, in.Object.ID)
	byOrdinal := map[int64]*object.Object{}
	for _, p := range pods {
		if n, ok := kinds.Ordinal(p.Name, in.Object.Name); ok {
			byOrdinal[n] = p
		}
	}
	ready := func(p *object.Object) bool {
		x := p.Condition("Ready")
		return x != nil && x.Status == "True"
	}
	ordered := w.PodManagement != "Parallel"
	ordinals, lowest := kinds.OrdinalsOf(w), int64(-1)
	for n := range min(want, 10_000) {
		if p := byOrdinal[ordinals.First+n]; p == nil || !ready(p) || !p.Deleted.IsZero() {
			lowest = ordinals.First + n
			break
		}
	}
	recreates(in, w, want)
	if ordered && w.Strategy != "OnDelete" && w.Strategy != "Recreate" &&
		lowest >= 0 && trap(in, w, lowest, byOrdinal[lowest], pods) {
		return
	}
	if w.Strategy == "OnDelete" && onDelete(in, w, pods, want) {
		return
	}
	partitioned(in, w, want)
	if ordered && lowest >= 0 && byOrdinal[lowest] != nil {
		orderedWait(in, w, byOrdinal[lowest], want-int64(len(pods)))
	}
	if int64(len(pods)) < want {
		staleClaim(in, w, byOrdinal, want)
	}
	minReady(in, in.Object.ID, w, want)
	governed(in, w)
}

// staleClaim finds StaleClaim: the controller makes no Pod while the previous
// one's claim still exists (kubernetes pkg/controller/statefulset,
// PodClaimIsStale, v1.36).
func staleClaim(in *inspect.Inspector, w *object.Workload, byOrdinal map[int64]*object.Object, want int64) {
	for i := range min(want, 100) {
		n := kinds.OrdinalsOf(w).First + i
		if byOrdinal[n] != nil {
			continue
		}
		pod := in.Object.Name + "-" + strconv.FormatInt(n, 10)
		for _, t := range w.ClaimTemplates {
			c := in.Snapshot.Object(in.ID("", "PersistentVolumeClaim", t+"-"+pod))
			if c == nil {
				continue
			}
			owned := slices.ContainsFunc(c.Owners, func(o object.Owner) bool {
				return o.Kind == "Pod" && o.Name == pod
			})
			if c.Deleted.IsZero() && !owned {
				continue
			}
			f := in.Find(codes.StaleClaim,
				"%s is not created yet: its old PersistentVolumeClaim %s has to be deleted first", pod, c.Name)
			f.Key = pod
			f.Since = c.Deleted
			f.Blame(c.ID)
			if owned {
				f.ProveOn(c.ID, "metadata.ownerReferences["+pod+"].kind", "Pod")
			}
			if !c.Deleted.IsZero() {
				f.ProveOn(c.ID, "metadata.deletionTimestamp", c.Deleted)
			}
			f.Next = []string{in.Kubectl("describe", "pvc", c.Name)}
			return
		}
		return // the lowest missing ordinal decides
	}
}

// onDelete finds OnDelete: Pods of the old revision wait to be deleted by hand.
func onDelete(in *inspect.Inspector, w *object.Workload, pods []*object.Object, want int64) bool {
	var stale []string
	for _, p := range pods {
		if h, ok := p.Label("controller-revision-hash"); ok && w.UpdateRevision != "" && h != w.UpdateRevision {
			stale = append(stale, p.Name)
		}
	}
	if len(stale) == 0 && (w.UpdateRevision == w.CurrentRevision || w.Updated.Or(0) >= want) {
		return false
	}
	f := byHand(in, cmp.Or(wording.Names(stale, 3), wording.Plural(int(want-w.Updated.Or(0)), "pod")))
	f.Prove("status.updateRevision", w.UpdateRevision)
	f.Prove("status.currentRevision", w.CurrentRevision)
	if controllerOf(in.Object) == "" {
		for _, name := range stale[:min(len(stale), 3)] {
			f.Offer(in.Kubectl("delete", "pod", name), remakes)
		}
	}
	f.Next = []string{in.Kubectl("get", "pods", "-L", "controller-revision-hash")}
	return true
}

// partitioned finds Partitioned.
func partitioned(in *inspect.Inspector, w *object.Workload, want int64) {
	p := w.Partition.Or(0)
	if p == 0 || w.UpdateRevision == w.CurrentRevision || w.UpdateRevision == "" || w.Updated.Or(0) > want-p {
		return
	}
	f := in.Find(codes.Partitioned, "held at partition %d (updateStrategy): %d of %d pods are updated",
		p, w.Updated.Or(0), want)
	f.Prove("spec.updateStrategy.rollingUpdate.partition", p)
	f.Prove("status.updatedReplicas", w.Updated.Or(0))
	f.Offer(in.Kubectl("patch", "statefulset", in.Object.Name, "-p",
		`{"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}}`), "every Pod is updated")
}

// orderedWait finds OrderedWait: the next Pods are made once this one is ready.
func orderedWait(in *inspect.Inspector, w *object.Workload, p *object.Object, missing int64) {
	if missing <= 0 {
		return
	}
	f := in.Find(codes.OrderedWait, "%s not created yet: waiting for %s to be ready",
		wording.Plural(int(missing), "pod"), p.Name)
	f.Blame(p.ID)
	if x := p.Condition("Ready"); x != nil {
		f.ProveCondition(p.ID, x)
	}
	f.Dated(p.Created)
	if w.PodManagement != "" {
		f.Prove("spec.podManagementPolicy", w.PodManagement)
	}
	f.Next = []string{in.Kubectl("describe", "pod", p.Name)}
}

// governed finds GoverningServiceMissing.
func governed(in *inspect.Inspector, w *object.Workload) {
	service := in.ID("", "Service", w.ServiceName)
	if w.ServiceName == "" || in.Assessment.Status != status.Current && in.Get(service) != nil || !in.Absent(service) {
		return
	}
	f := in.Find(codes.GoverningServiceMissing,
		"headless Service %s does not exist: the pods have no names in DNS", w.ServiceName)
	f.Certainty = inspect.Possible
	f.Key = w.ServiceName
	f.Prove("spec.serviceName", w.ServiceName)
	f.Next = []string{in.Kubectl("get", "services")}
}

// trap finds RollbackTrap: the fix is applied, but the controller waits for the
// broken Pod to become ready before it replaces it (kubernetes#67250).
func trap(in *inspect.Inspector, w *object.Workload, n int64, p *object.Object, pods []*object.Object) bool {
	if p == nil || !p.Deleted.IsZero() || w.UpdateRevision == "" || n-kinds.OrdinalsOf(w).First < w.Partition.Or(0) {
		return false
	}
	h, ok := p.Label("controller-revision-hash")
	if !ok || h == w.UpdateRevision || in.Object.Observed.Or(0) < in.Object.Generation.Or(0) {
		return false
	}
	x := p.Condition("Ready")
	if x != nil && x.Status == "True" {
		return false
	}
	// During an ordinary update an old pod that is not ready is replaced like
	// any other once its turn comes, from the highest ordinal down. It is a trap
	// when its revision is neither the one before nor the new one, or when there
	// is nothing else left to update: no pod above it, or only new ones.
	ofTheOld := func(above *object.Object) bool {
		ordinal, _ := kinds.Ordinal(above.Name, in.Object.Name)
		hash, _ := above.Label("controller-revision-hash")
		return ordinal > n && hash != w.UpdateRevision
	}
	if w.CurrentRevision != w.UpdateRevision && h == w.CurrentRevision && slices.ContainsFunc(pods, ofTheOld) {
		return false
	}
	since := p.Created
	if x != nil && !x.LastTransitionTime.IsZero() {
		since = x.LastTransitionTime
	}
	f := in.Find(codes.RollbackTrap,
		"%s still runs the broken revision; the fix is applied, but the controller will not replace the pod: delete it",
		p.Name)
	f.About = inspect.Subject{ID: in.Object.ID}
	f.Absorbs = []object.ID{p.ID}
	f.Since = since
	f.Key = p.Name
	f.ProveOn(p.ID, "metadata.labels.controller-revision-hash", h)
	f.Prove("status.updateRevision", w.UpdateRevision)
	f.Prove("status.currentRevision", w.CurrentRevision)
	f.Next = []string{in.Kubectl("describe", "pod", p.Name)}
	f.Offer(in.Kubectl("delete", "pod", p.Name), remakes)
	return true
}

const remakes = "the StatefulSet creates the Pod again at its new revision"
