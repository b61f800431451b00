package inspect

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// ClaimUsers are the Pods that mount a claim: all Pods of its namespace are asked for.
func ClaimUsers(in *Inspector, claim object.ID) []*object.Object {
	pods := in.List("", "Pod", claim.Namespace).Items
	return slices.DeleteFunc(slices.Clone(pods), func(p *object.Object) bool {
		return p.Pod == nil || !slices.ContainsFunc(p.Pod.Uses,
			func(u object.Use) bool { return u.Kind == claim.Kind && u.Name == claim.Name })
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
