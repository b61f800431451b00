package status

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

var (
	claimSilent   = newRule("PersistentVolumeClaim.silent", "it has no phase yet", "status.phase")
	claimLost     = newRule("PersistentVolumeClaim.lost", "its volume is lost", "status.phase", "spec.volumeName")
	claimConsumer = newRule("PersistentVolumeClaim.waitForFirstConsumer", "it is bound once a pod uses it", "status.phase", "spec.storageClassName")
	claimPending  = newRule("PersistentVolumeClaim.pending", "it has no volume yet", "status.phase")
	claimResize   = newRule("PersistentVolumeClaim.resize", "it is being resized", "status.allocatedResourceStatuses", "status.conditions", "status.capacity")
	claimBound    = newRule("PersistentVolumeClaim.bound", "it is bound", "status.phase")
)

func (j *judge) claim() Assessment {
	o, c := j.o, j.o.Claim
	switch {
	case j.holds(claimSilent, c.Phase == ""):
		return j.silent(claimSilent)
	case j.holds(claimLost, c.Phase == "Lost"):
		return j.terminal(claimLost, "VolumeLost", "its volume "+c.Volume+" no longer exists", time.Time{})
	case c.Phase != "Bound":
		if a, hit := j.firstConsumer(); hit {
			return a
		}
		return j.progress(claimPending, "VolumePending", "waits for a volume of "+orText(c.Requested, "unknown size"), o.Created)
	}
	return j.bound()
}

// firstConsumer judges a claim whose class binds volumes only when a pod comes:
// until one does, there is nothing to wait for.
func (j *judge) firstConsumer() (Assessment, bool) {
	o, c := j.o, j.o.Claim
	waits := false
	if j.w.Lookup != nil && c.StorageClass != "" {
		class := j.w.Lookup(object.ID{Group: "storage.k8s.io", Kind: "StorageClass", Name: c.StorageClass})
		waits = class != nil && class.Str("volumeBindingMode") == "WaitForFirstConsumer"
	}
	// The scheduler writes this when it has placed a pod that uses the claim.
	if node, chosen := o.Annotation("volume.kubernetes.io/selected-node"); chosen {
		return j.progress(claimPending, "Provisioning", "a volume is being made for node "+node, o.Created), true
	}
	if !j.holds(claimConsumer, waits) {
		return Assessment{}, false
	}
	a := j.is(claimConsumer, Current, "WaitForFirstConsumer", "is bound once a pod uses it", o.Created)
	a.Note = "not bound: waits for its first consumer"
	return a, true
}

// bound judges a bound claim: it may still be growing.
func (j *judge) bound() Assessment {
	o, c := j.o, j.o.Claim
	size := orText(c.Capacity, "?") + " → " + orText(c.Requested, "?")
	for _, typ := range [...]string{"ControllerResizeError", "NodeResizeError"} {
		if i := o.ConditionIndex(typ, "True"); j.holds(claimResize, i >= 0) {
			cond := &o.Conditions[i]
			return j.fault(claimResize, typ, orText(cond.Message, "cannot be resized: "+size), cond.LastTransitionTime).decided(i)
		}
	}
	switch c.Resize {
	case "ControllerResizeInfeasible", "NodeResizeInfeasible", "ControllerResizeFailed", "NodeResizeFailed":
		return j.fault(claimResize, c.Resize, "cannot be resized: "+size, time.Time{})
	}
	for _, typ := range [...]string{"FileSystemResizePending", "Resizing", "ModifyingVolume"} {
		if i := o.ConditionIndex(typ, "True"); j.holds(claimResize, i >= 0) {
			cond := &o.Conditions[i]
			return j.progress(claimResize, typ, orText(cond.Message, "is being resized: "+size), cond.LastTransitionTime).decided(i)
		}
	}
	asked, ok := object.ParseAmount(c.Requested)
	given, also := object.ParseAmount(c.Capacity)
	if j.holds(claimResize, ok && also && asked > given) {
		return j.progress(claimResize, "Resizing", "is being resized: "+size, time.Time{})
	}
	a := j.is(claimBound, Current, "", "bound to "+c.Volume, o.Created)
	if i := o.ConditionIndex("ModifyVolumeError", "True"); i >= 0 {
		a.Note = o.Conditions[i].Message
	}
	return a
}
