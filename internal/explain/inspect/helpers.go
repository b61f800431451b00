package inspect

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// ScheduledAt is when a Pod was scheduled, or else created.
func ScheduledAt(pod *object.Object) time.Time {
	if x := pod.ConditionIs("PodScheduled", "True"); x != nil && x.LastTransitionTime.After(pod.Created) {
		return x.LastTransitionTime
	}
	return pod.Created
}

// BuiltinGroup reports whether a group belongs to Kubernetes itself: its kinds
// have detectors of their own, or none.
func BuiltinGroup(g string) bool {
	switch g {
	case "", "apps", "batch", "autoscaling", "policy", "extensions", "gateway.networking.k8s.io":
		return true
	}
	return strings.HasSuffix(g, ".k8s.io") && !strings.Contains(g, ".x-k8s.io") && strings.Count(g, ".") == 2
}

// BuiltinGroups are the groups of kinds that messages name without one.
var BuiltinGroups = map[string]string{
	"Deployment": "apps", "StatefulSet": "apps", "DaemonSet": "apps", "ReplicaSet": "apps", "Job": "batch", "CronJob": "batch",
	"Pod": "", "Service": "", "PersistentVolumeClaim": "", "Namespace": "", "Secret": "", "ConfigMap": "", "Ingress": "networking.k8s.io",
	"HelmRelease": "helm.toolkit.fluxcd.io", "Kustomization": "kustomize.toolkit.fluxcd.io",
	"Certificate": "cert-manager.io", "ExternalSecret": "external-secrets.io",
}

// Leaving are the terminating Pods that have not ended.
func Leaving(list []*object.Object) []*object.Object {
	var out []*object.Object
	for _, p := range list {
		if p.Pod != nil && !p.Deleted.IsZero() && p.Pod.Phase != "Succeeded" && p.Pod.Phase != "Failed" {
			out = append(out, p)
		}
	}
	return out
}

// Uncordons is the effect of kubectl uncordon.
const Uncordons = "pods may be scheduled to the node again"

// DeletionAsked is when the deletion of an object was asked for: a Pod's deletion
// timestamp is the end of its grace period.
func DeletionAsked(o *object.Object) time.Time {
	if o.Pod == nil {
		return o.Deleted
	}
	return o.Deleted.Add(-time.Duration(o.Pod.GracePeriod.Or(0)) * time.Second)
}

// OfferForce offers to force-delete a Pod whose end no kubelet confirms.
func OfferForce(in *Inspector, f *Finding) {
	f.Offer(in.Kubectl("delete", "pod", in.Object.Name, "--force", "--grace-period=0"), "removes the Pod from the API; its processes may still run")
}

// Replaced reports whether another Pod takes this one's place before it has
// ended, as a ReplicaSet arranges, unless it is deleted too or its Deployment
// recreates.
func Replaced(in *Inspector) bool {
	w, ok := in.Object.Controller()
	if !ok || w.Kind != "ReplicaSet" {
		return false
	}
	rs := in.Snapshot.Object(in.ID("apps", "ReplicaSet", w.Name))
	if rs == nil || !rs.Deleted.IsZero() {
		return false
	}
	if d, ok := rs.Controller(); ok && d.Kind == "Deployment" {
		o := in.Snapshot.Object(in.ID("apps", "Deployment", d.Name))
		return o != nil && o.Workload != nil && o.Workload.Strategy != "Recreate" && o.Deleted.IsZero()
	}
	return true
}

// BeingSetUp reports whether the kubelet is setting a Pod up: its containers are
// still to be created.
func BeingSetUp(o *object.Object) bool {
	p := o.Pod
	if p == nil || p.Node == "" || !o.Deleted.IsZero() || p.Phase != "Pending" {
		return false
	}
	if x := o.ConditionIs("PodReadyToStartContainers", "True"); x != nil {
		return false
	}
	for i := range p.Containers {
		switch c := &p.Containers[i]; {
		case c.State.Kind == "", c.State.Reason == "ContainerCreating", c.State.Reason == "PodInitializing":
			return true
		}
	}
	return len(p.Containers) == 0
}

// SameIndex reports whether two Pods of a Job have the same completion index.
func SameIndex(a, b *object.Object) bool {
	x, _ := a.Annotation(IndexKey)
	y, _ := b.Annotation(IndexKey)
	return x == y
}

// IndexKey is the annotation with a Pod's completion index.
const IndexKey = "batch.kubernetes.io/job-completion-index"

// ClaimUsers are the known Pods that mount a claim.
func ClaimUsers(in *Inspector, claim object.ID) []*object.Object {
	pods := in.Known("", "Pod", claim.Namespace).Items
	return slices.DeleteFunc(slices.Clone(pods), func(p *object.Object) bool {
		return p.Pod == nil || !slices.ContainsFunc(p.Pod.Uses, func(u object.Use) bool { return u.Kind == claim.Kind && u.Name == claim.Name })
	})
}

// claimPath is the path of a Pod's claims.
const claimPath = "spec.volumes[*].persistentVolumeClaim.claimName"

// ProveMount adds as evidence how a Pod uses a claim: by name or, for a generic
// ephemeral volume, as its owner.
func ProveMount(in *Inspector, f *Finding, pod *object.Object, claim object.ID) {
	c := in.Snapshot.Object(claim)
	if c != nil && slices.ContainsFunc(c.Owners, func(o object.Owner) bool { return o.UID == pod.UID }) {
		f.ProveOn(claim, "metadata.ownerReferences["+pod.Name+"].kind", "Pod")
		return
	}
	f.ProveOn(pod.ID, claimPath, claim.Name)
}
