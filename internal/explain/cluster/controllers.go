package cluster

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// What the controllers of workloads report. Most of it is the consequence of
// their Pods' problems.

func init() { inspect.Detect(inspect.Detector{Find: observed}) }

// observed finds NotObserved: the controller has not seen the last change.
func observed(in *inspect.Inspector) {
	if !in.Object.Observed.Set || in.Object.Generation.Or(0) <= in.Object.Observed.V ||
		!in.Object.Deleted.IsZero() || in.Object.NoStatus() {
		return
	}
	// status.observedGeneration alone proves nothing: a condition may be about the
	// present generation, or the object may be paused.
	if rule := in.Assessment.Rule; rule != "" && rule != "generation.observed" {
		return
	}
	since := in.Object.Changed
	if t := in.Snapshot.FirstSeen(in.Object.ID); t.After(since) {
		since = t
	}
	if in.Assessment.Status != status.Current && in.Assessment.Since.After(since) {
		since = in.Assessment.Since
	}
	f := in.Find(codes.NotObserved, "its controller has not seen the last change (generation %d, observed %d)",
		in.Object.Generation.V, in.Object.Observed.V)
	f.Since = since
	f.Prove("metadata.generation", in.Object.Generation.V)
	f.Prove("status.observedGeneration", in.Object.Observed.V)
	for _, w := range in.Object.Writers {
		if w.Status && !w.At.IsZero() {
			f.Prove("metadata.managedFields["+w.Manager+"].time", w.At)
			f.Also("%s wrote its status last at %s", w.Manager, wording.Stamp(w.At))
			break
		}
	}
	if !in.Older(since, 5*time.Second) {
		f.Class = codes.Waits // nothing of an ordinary rollout is to be looked into
		return
	}
	f.Next = []string{"kubectl get leases -A"}
	if managed(in.Object) && in.Older(since, 30*time.Second) {
		leaderless(in, f)
	}
}

// managed reports whether the kube-controller-manager observes a kind. A Pod and
// a Node are observed by the kubelet, a Gateway by its own controller.
func managed(o *object.Object) bool {
	switch o.GroupKind() {
	case "ReplicationController", "ResourceQuota", "Namespace", "autoscaling/HorizontalPodAutoscaler",
		"policy/PodDisruptionBudget":
		return true
	}
	return o.Group == "apps" || o.Group == "batch"
}

// leaderless finds ControllerDown: the lease of the responsible controller has
// expired, or has no holder.
func leaderless(in *inspect.Inspector, f *inspect.Finding) {
	const manager = "kube-controller-manager"
	id := object.ID{Group: "coordination.k8s.io", Kind: "Lease", Namespace: "kube-system", Name: manager}
	lease := in.Get(id)
	if lease == nil {
		in.CouldNotRead(f, "leases in kube-system", id)
		return
	}
	holder := lease.Str("spec", "holderIdentity")
	renewed, _ := time.Parse(time.RFC3339, lease.Str("spec", "renewTime"))
	end := renewed.Add(time.Duration(lease.Int("spec", "leaseDurationSeconds").Or(15)) * time.Second)
	// A lease that was read a while ago looks older than it is.
	if holder != "" && (renewed.IsZero() || !in.Older(end, time.Minute)) {
		return
	}
	f.About = inspect.Subject{ID: id}
	f.Key, f.Shared = manager, true
	f.Certainty = inspect.Likely
	if holder == "" {
		f.Become(codes.ControllerDown, "the %s has no leader: is it down?", manager)
		f.ProveUnset(id, "spec.holderIdentity")
		return
	}
	f.Become(codes.ControllerDown, "the %s has not renewed its lease since %s: is it down?",
		manager, wording.Stamp(renewed))
	f.ProveOn(id, "spec.renewTime", renewed)
	f.ProveOn(id, "spec.holderIdentity", holder)
}
