package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// What the controllers of workloads report. Most of it is the consequence of
// their Pods' problems.

// observed finds NotObserved: the controller has not seen the last change.
func observed(l *look) {
	if !l.o.Observed.Set || l.o.Generation.Or(0) <= l.o.Observed.V || !l.o.Deleted.IsZero() {
		return
	}
	since := l.o.Changed
	if t := l.s.FirstSeen(l.o.ID); t.After(since) {
		since = t
	}
	if l.a.Status != status.Current && l.a.Since.After(since) {
		since = l.a.Since
	}
	f := l.find("NotObserved", "its controller has not seen the last change (generation %d, observed %d)", l.o.Generation.V, l.o.Observed.V)
	f.Since = since
	l.proof(f, "metadata.generation", l.o.Generation.V)
	l.proof(f, "status.observedGeneration", l.o.Observed.V)
	for _, w := range l.o.Writers {
		if w.Status {
			l.proof(f, "metadata.managedFields["+w.Manager+"].time", w.At)
			f.Title += "; " + w.Manager + " wrote its status last at " + stamp(w.At)
			break
		}
	}
	f.Next = []string{"kubectl get leases -A"}
	if !l.older(since, 5*time.Second) {
		f.Class = Waits
		return
	}
	if ownGroup(l.o.Group) && l.older(since, 30*time.Second) {
		l.leaderless(f)
	}
}

// leaderless finds ControllerDown: the lease of the responsible controller has
// expired, or has no holder.
func (l *look) leaderless(f *Finding) {
	const manager = "kube-controller-manager"
	id := object.ID{Group: "coordination.k8s.io", Kind: "Lease", Namespace: "kube-system", Name: manager}
	lease := l.object(id)
	if lease == nil {
		l.lacks(f, "leases in kube-system", id)
		return
	}
	holder := lease.Str("spec", "holderIdentity")
	renewed, _ := time.Parse(time.RFC3339, lease.Str("spec", "renewTime"))
	end := renewed.Add(time.Duration(lease.Int("spec", "leaseDurationSeconds").Or(15)) * time.Second)
	// A lease that was read a while ago looks older than it is.
	if holder != "" && (renewed.IsZero() || !l.older(end, time.Minute)) {
		return
	}
	f.Code, f.Subject = "ControllerDown", Subject{ID: id}
	f.Key, f.Shared = manager, true
	f.Certainty = Likely
	if holder == "" {
		f.Title = "the " + manager + " has no leader: is it down?"
		f.proveUnset(id, "spec.holderIdentity")
		return
	}
	f.Title = "the " + manager + " has not renewed its lease since " + stamp(renewed) + ": is it down?"
	f.prove(id, "spec.renewTime", renewed)
	f.prove(id, "spec.holderIdentity", holder)
}

func deployment(l *look) {
	w := l.o.Workload
	if w == nil || !l.o.Deleted.IsZero() {
		return
	}
	progressing, available := l.o.Condition("Progressing"), l.o.Condition("Available")
	want := w.Replicas.Or(1)
	if w.Paused {
		if w.Updated.Or(0) < want || l.a.Paused {
			f := l.find("Paused", "the rollout is paused (spec.paused)")
			l.proof(f, "spec.paused", "true")
			if progressing != nil && progressing.Reason == "DeploymentPaused" {
				f.proveCondition(l.o.ID, progressing)
				f.Since = progressing.LastUpdateTime
			}
			f.Next = []string{l.kubectl("rollout", "history", "deployment/"+l.o.Name)}
			f.offer(l.kubectl("rollout", "resume", "deployment/"+l.o.Name), "the rollout goes on")
		}
		return
	}
	if progressing != nil && progressing.Status == "False" {
		switch progressing.Reason {
		case "ProgressDeadlineExceeded":
			f := l.byCondition("ProgressDeadlineExceeded", progressing, "no progress for %s", span(time.Duration(w.ProgressDeadline.Or(600))*time.Second))
			f.Symptom = true
			if w.ProgressDeadline.Set {
				l.proof(f, "spec.progressDeadlineSeconds", w.ProgressDeadline.V)
			}
			f.Next = []string{l.kubectl("rollout", "history", "deployment/"+l.o.Name)}
			if n := newest(l.s.Children(l.o.ID)); n != nil {
				f.Next = append(f.Next, l.kubectl("describe", "replicaset", n.Name))
			}
			return
		case "ReplicaSetCreateError":
			f := l.byCondition("ReplicaSetRejected", progressing, "its ReplicaSet is refused: %s", last(progressing.Message))
			f.Key = normal(progressing.Message)
			return
		}
	}
	l.regressed(w, progressing, available)
	if len(l.found) == 0 {
		l.oldPods(w, want)
		l.recreates(w, want)
	}
	if len(l.found) == 0 {
		l.minReady(l.o.ID, w, want)
	}
}

// regressed finds Regressed.
func (l *look) regressed(w *object.Workload, progressing, available *object.Condition) {
	want := w.Replicas.Or(1)
	if progressing != nil && progressing.Status == "True" && progressing.Reason == "NewReplicaSetAvailable" &&
		available != nil && available.Status == "False" && w.Updated.Or(0) >= want {
		f := l.byCondition("Regressed", available, "it was rolled out and became unavailable afterwards (%d of %d available)", w.Available.Or(0), want)
		f.Symptom = true
		f.proveCondition(l.o.ID, progressing)
		l.patience(f, available.LastTransitionTime, 30*time.Second)
	}
}

// oldPods finds OldPodsRemain: all new Pods exist, and old ones remain.
func (l *look) oldPods(w *object.Workload, want int64) {
	if w.StatusReplicas.Or(0) <= w.Updated.Or(0) || w.Updated.Or(0) < want {
		return
	}
	old := w.StatusReplicas.Or(0) - w.Updated.Or(0)
	f := l.find("OldPodsRemain", "waiting for %s of the previous revision to terminate", plural(int(old), "pod"))
	f.Symptom = true
	l.proof(f, "status.replicas", w.StatusReplicas.Or(0))
	l.proof(f, "status.updatedReplicas", w.Updated.Or(0))
	n := newest(l.s.Children(l.o.ID))
	for _, rs := range l.s.Children(l.o.ID) {
		if rs.Kind != "ReplicaSet" || rs == n {
			continue
		}
		f.Title += podNames(": ", leaving(l.s.Children(rs.ID)))
		for _, p := range l.s.Children(rs.ID) {
			if p.Kind == "Pod" && !p.Deleted.IsZero() && l.older(p.Deleted, 5*time.Second) {
				f.Symptom = false
				f.Class = Action
				f.Title = "pod " + p.Name + " of the previous revision is stuck terminating: its grace period is over"
				f.Since = p.Deleted
				f.prove(p.ID, "metadata.deletionTimestamp", p.Deleted)
			}
		}
	}
}

// minReady finds MinReadyWait: ready, but not for minReadySeconds yet.
func (l *look) minReady(of object.ID, w *object.Workload, want int64) {
	min := w.MinReadySeconds.Or(0)
	if min <= 0 || w.Ready.Or(0) < want || w.Available.Or(0) >= want {
		return
	}
	f := l.find("MinReadyWait", "ready, and becomes available after %s of being so (minReadySeconds)", span(time.Duration(min)*time.Second))
	l.proof(f, "spec.minReadySeconds", min)
	l.proof(f, "status.readyReplicas", w.Ready.Or(0))
	l.proof(f, "status.availableReplicas", w.Available.Or(0))
	for _, p := range l.pods(of) {
		if x := p.ConditionIs("Ready", "True"); x != nil {
			at := x.LastTransitionTime.Add(time.Duration(min) * time.Second)
			if at.After(l.now()) && at.After(f.Until) {
				f.Until, f.UntilWhat = at, "available"
			}
		}
	}
}

// pods lists a workload's Pods, through its newest ReplicaSet if it has some.
func (l *look) pods(of object.ID) []*object.Object {
	children := l.s.Children(of)
	if n := newest(children); n != nil {
		children = l.s.Children(n.ID)
	}
	out := make([]*object.Object, 0, len(children))
	for _, c := range children {
		if c != nil && c.Kind == "Pod" && c.Pod != nil {
			out = append(out, c)
		}
	}
	return out
}

// selectsAll finds SelectorConflict.
func selectsAll(l *look) {
	if e, ok := l.event(l.o.ID, "SelectingAll", "ConflictingController"); ok {
		f := l.byEvent("SelectorConflict", e, "%s", headline(e.Message))
		if e.Reason == "SelectingAll" {
			f.Title = "its selector is empty: " + f.Title
		}
	}
}

func statefulSet(l *look) {
	w := l.o.Workload
	if w == nil || !l.o.Deleted.IsZero() {
		return
	}
	want := w.Replicas.Or(1)
	// StatefulSets may have this condition from 1.37 on.
	if x := l.o.ConditionIs("StatefulSetProgressing", "False"); x != nil {
		f := l.byCondition("ProgressDeadlineExceeded", x, "%s: %s", x.Reason, headline(x.Message))
		f.Symptom = true
	}
	pods := l.pods(l.o.ID)
	byOrdinal := map[int64]*object.Object{}
	for _, p := range pods {
		if n, ok := kinds.Ordinal(p.Name, l.o.Name); ok {
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
	l.recreates(w, want)
	if ordered && w.Strategy != "OnDelete" && w.Strategy != "Recreate" && lowest >= 0 && l.trap(w, lowest, byOrdinal[lowest]) {
		return
	}
	if w.Strategy == "OnDelete" && l.onDelete(w, pods, want) {
		return
	}
	l.partitioned(w, want)
	if ordered && lowest >= 0 && byOrdinal[lowest] != nil {
		l.orderedWait(w, byOrdinal[lowest], want-int64(len(pods)))
	}
	if int64(len(pods)) < want {
		l.staleClaim(w, byOrdinal, want)
	}
	if len(l.found) == 0 {
		l.minReady(l.o.ID, w, want)
	}
	l.governed(w)
}

// onDelete finds OnDelete: Pods of the old revision wait to be deleted by hand.
func (l *look) onDelete(w *object.Workload, pods []*object.Object, want int64) bool {
	var stale []string
	for _, p := range pods {
		if h, _ := p.Label("controller-revision-hash"); w.UpdateRevision != "" && h != w.UpdateRevision {
			stale = append(stale, p.Name)
		}
	}
	if len(stale) == 0 && (w.UpdateRevision == w.CurrentRevision || w.Updated.Or(0) >= want) {
		return false
	}
	f := l.byHand(cmp.Or(names(stale, 3), plural(int(want-w.Updated.Or(0)), "pod")))
	l.proof(f, "status.updateRevision", w.UpdateRevision)
	l.proof(f, "status.currentRevision", w.CurrentRevision)
	for _, name := range stale[:min(len(stale), 3)] {
		f.offer(l.kubectl("delete", "pod", name), remakes)
	}
	f.Next = []string{l.kubectl("get", "pods", "-L", "controller-revision-hash")}
	return true
}

// byHand finds OnDelete.
func (l *look) byHand(pods string) *Finding {
	f := l.find("OnDelete", "the old revision runs until its pods are deleted by hand (updateStrategy OnDelete): %s", pods)
	l.proof(f, "spec.updateStrategy.type", "OnDelete")
	return f
}

// partitioned finds Partitioned.
func (l *look) partitioned(w *object.Workload, want int64) {
	p := w.Partition.Or(0)
	if p == 0 || w.UpdateRevision == w.CurrentRevision || w.UpdateRevision == "" || w.Updated.Or(0) > want-p {
		return
	}
	f := l.find("Partitioned", "held at partition %d (updateStrategy): %d of %d pods are updated", p, w.Updated.Or(0), want)
	l.proof(f, "spec.updateStrategy.rollingUpdate.partition", p)
	l.proof(f, "status.updatedReplicas", w.Updated.Or(0))
	f.offer(l.kubectl("patch", "statefulset", l.o.Name, "-p", `{"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}}`), "every Pod is updated")
}

// orderedWait finds OrderedWait: the next Pods are made once this one is ready.
func (l *look) orderedWait(w *object.Workload, p *object.Object, missing int64) {
	if missing <= 0 {
		return
	}
	f := l.find("OrderedWait", "%s not created yet: waiting for %s to be ready", plural(int(missing), "pod"), p.Name)
	f.blame(p.ID)
	if x := p.Condition("Ready"); x != nil {
		f.proveCondition(p.ID, x)
	}
	f.dated(p.Created)
	if w.PodManagement != "" {
		l.proof(f, "spec.podManagementPolicy", w.PodManagement)
	}
	f.Next = []string{l.kubectl("describe", "pod", p.Name)}
}

// governed finds GoverningServiceMissing.
func (l *look) governed(w *object.Workload) {
	if w.ServiceName == "" || !l.absent(l.id("", "Service", w.ServiceName)) {
		return
	}
	f := l.find("GoverningServiceMissing", "headless Service %s does not exist: the pods have no names in DNS", w.ServiceName)
	f.Certainty = Possible
	f.Key = w.ServiceName
	l.proof(f, "spec.serviceName", w.ServiceName)
	f.Next = []string{l.kubectl("get", "services")}
}

// trap finds RollbackTrap: the fix is applied, but the controller waits for the
// broken Pod to become ready before it replaces it (kubernetes#67250).
func (l *look) trap(w *object.Workload, n int64, p *object.Object) bool {
	ordinals := kinds.OrdinalsOf(w)
	if p == nil || !p.Deleted.IsZero() || w.UpdateRevision == "" || n-ordinals.First < w.Partition.Or(0) {
		return false
	}
	h, ok := p.Label("controller-revision-hash")
	if !ok || h == w.UpdateRevision || l.o.Observed.Or(0) < l.o.Generation.Or(0) {
		return false
	}
	x := p.Condition("Ready")
	if x != nil && x.Status == "True" {
		return false
	}
	// During an ordinary update an old pod that is not ready is replaced like
	// any other once its turn comes, from the highest ordinal down. It is a trap
	// when its revision is neither the one before nor the new one, or when there
	// is nothing else left to update.
	if w.CurrentRevision != w.UpdateRevision && h == w.CurrentRevision && w.Updated.Or(0) < ordinals.End-n-1 {
		return false
	}
	since := p.Created
	if x != nil && !x.LastTransitionTime.IsZero() {
		since = x.LastTransitionTime
	}
	f := l.find("RollbackTrap", "%s still runs the broken revision; the fix is applied, but the controller will not replace the pod: delete it", p.Name)
	f.Subject = Subject{ID: l.o.ID}
	f.Absorbs = []object.ID{p.ID}
	f.Since = since
	f.Key = p.Name
	f.prove(p.ID, "metadata.labels.controller-revision-hash", h)
	l.proof(f, "status.updateRevision", w.UpdateRevision)
	l.proof(f, "status.currentRevision", w.CurrentRevision)
	f.Next = []string{l.kubectl("describe", "pod", p.Name)}
	f.offer(l.kubectl("delete", "pod", p.Name), remakes)
	return true
}

const remakes = "the StatefulSet creates the Pod again at its new revision"

func daemonSet(l *look) {
	w := l.o.Workload
	if w == nil || !l.o.Deleted.IsZero() {
		return
	}
	if w.Desired.Set && w.Desired.V == 0 && l.o.Observed.Or(0) >= l.o.Generation.Or(0) {
		l.noNodes(w)
		return
	}
	if w.Strategy == "OnDelete" && w.Updated.Or(0) < w.Desired.Or(0) {
		f := l.byHand(plural(int(w.Desired.Or(0)-w.Updated.Or(0)), "pod"))
		l.proof(f, "status.updatedNumberScheduled", w.Updated.Or(0))
		return
	}
	if e, ok := l.event(l.o.ID, "FailedDaemonPod"); ok && !l.older(e.Last, 10*time.Minute) && w.Ready.Or(0) < w.Desired.Or(0) {
		f := l.byEvent("DaemonPodRejected", e, "its pods are refused by a node and made again: %s", headline(e.Message))
		f.Symptom = true
	}
	l.minReady(l.o.ID, w, w.Desired.Or(0))
}

// noNodes finds NoNodesTargeted. The tolerations of a DaemonSet are not known
// here: a taint of a node that has the labels is likely to be the reason.
func (l *look) noNodes(w *object.Workload) {
	f := l.find("NoNodesTargeted", "no node is to run it")
	l.proof(f, "status.desiredNumberScheduled", "0")
	var want, keys []string
	for _, s := range w.NodeSelector {
		want = append(want, s.Key+"="+s.Value)
		keys = append(keys, s.Key)
	}
	if len(want) > 0 {
		l.proof(f, "spec.template.spec.nodeSelector", strings.Join(want, ","))
		f.Next = []string{command("", "get", "nodes", "-L", strings.Join(keys, ","))}
	}
	nodes, complete := l.list("", "Node", "")
	matches := slices.DeleteFunc(slices.Clone(nodes), func(n *object.Object) bool {
		return !matchesNode(&object.Placement{NodeSelector: w.NodeSelector}, n)
	})
	switch {
	case !complete:
		f.Certainty = Likely
		l.lacks(f, "nodes", cluster("", "Node", ""))
	case len(matches) == 0 && len(want) > 0:
		f.Title = "no node has the label " + names(want, 3) + ", so none runs it"
	default:
		f.Certainty = Likely
		var tainted []string
		for _, n := range matches {
			for _, t := range taints(n) {
				// The controller tolerates the taints of a node's conditions.
				if !strings.HasPrefix(t.key, "node.kubernetes.io/") && t.effect != "PreferNoSchedule" {
					f.proveTaint(n.ID, t.String())
					tainted = append(tainted, n.Name+" has taint "+t.String())
				}
			}
		}
		if len(tainted) > 0 {
			f.Title = "no node is to run it: " + names(tainted, 2)
		}
	}
}
