package storage

import (
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// held finds VolumeHeld: nobody provisions a volume for the claim, and one of its class that would
// do is Released. It names the claim that it was bound to, which is gone. A new claim of the same
// name has another UID, so that the volume is not bound to it until somebody removes the reference
// (kubernetes v1.36, pkg/controller/volume/persistentvolume, syncVolume).
func held(in *inspect.Inspector, c *object.Claim) bool {
	if !byHand(in, c) {
		return false
	}
	var released *object.Object
	for _, pv := range in.List("", "PersistentVolume", "").Items {
		switch {
		case !pv.Deleted.IsZero() || pv.Str("spec", "storageClassName") != c.StorageClass,
			c.Volume != "" && pv.Name != c.Volume:
		case pv.Str("status", "phase") == "Available":
			return false // why that is not taken is another question
		case pv.Str("status", "phase") == "Released" && (released == nil || wasOf(in, pv)):
			released = pv
		}
	}
	if released == nil {
		return false
	}
	f := onClaim(in, codes.VolumeHeld,
		"volume %s is Released: it still belongs to claim %s/%s, which is gone", released.Name,
		released.Str("spec", "claimRef", "namespace"), released.Str("spec", "claimRef", "name"))
	f.ProveOn(released.ID, "status.phase", "Released")
	f.Certainty = inspect.Likely // its size and its access modes may not do
	if wasOf(in, released) {
		f.Say("volume %s is Released: it still belongs to an earlier claim of this name (spec.claimRef.uid)",
			released.Name)
		f.ProveOn(released.ID, "spec.claimRef.uid", released.Str("spec", "claimRef", "uid"))
		f.Prove("metadata.uid", in.Object.UID)
		f.Certainty = inspect.Proven
	}
	f.Next = []string{wording.Command("", "describe", "pv", released.Name)}
	return true
}

// byHand reports whether the volumes of a claim's class are made by hand: it has no class, its
// class exists only by its name, or it has no provisioner.
func byHand(in *inspect.Inspector, c *object.Claim) bool {
	if e, ok := in.Event(in.Object.ID, "FailedBinding"); ok && latest(in, e) {
		return true // no volumes available, and no storage class (or no provisioner) to make one
	}
	events := in.Obstacles("ProvisioningFailed")
	if len(events) > 0 {
		return message.Claim(events[0].Message) == message.ClassUnknown
	}
	if c.StorageClass == "" {
		return c.HasClass
	}
	id := inspect.ClusterID("storage.k8s.io", "StorageClass", c.StorageClass)
	class := in.Get(id)
	return class == nil && in.Absent(id) || class != nil && class.Str("provisioner") == "kubernetes.io/no-provisioner"
}

// wasOf reports whether a volume belongs to an earlier claim that had the inspected claim's name.
func wasOf(in *inspect.Inspector, pv *object.Object) bool {
	uid := pv.Str("spec", "claimRef", "uid")
	return pv.Str("spec", "claimRef", "namespace") == in.Object.Namespace &&
		pv.Str("spec", "claimRef", "name") == in.Object.Name &&
		uid != "" && uid != in.Object.UID
}
