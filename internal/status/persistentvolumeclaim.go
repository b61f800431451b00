package status

import (
	"cmp"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func persistentVolumeClaim(j *judge) Assessment {
	o, c := j.o, j.o.Claim
	switch {
	case j.holds(c.Phase == "", "silent", "it has no phase yet", "status.phase"):
		return j.silent("")
	case j.holds(c.Phase == "Lost", "lost", "its volume is lost", "status.phase spec.volumeName"):
		return j.terminal("VolumeLost", "it has lost its volume "+c.Volume)
	case c.Phase == "Bound":
		return j.bound()
	}
	pending := j.by("pending", "status.phase").progress("VolumePending",
		"waits for a volume of "+cmp.Or(c.Requested, "unknown size")).since(o.Created)
	// The scheduler writes this once it has placed a Pod with the claim.
	if node, chosen := o.Annotation("volume.kubernetes.io/selected-node"); chosen {
		pending.Reason, pending.Message = "Provisioning", "a volume is being made for node "+node
		return pending
	}
	// With WaitForFirstConsumer there is nothing to wait for until a Pod uses
	// the claim.
	waits := false
	if j.w.Lookup != nil && c.StorageClass != "" {
		class := j.w.Lookup(object.ID{Group: "storage.k8s.io", Kind: "StorageClass", Name: c.StorageClass})
		waits = class != nil && class.Str("volumeBindingMode") == "WaitForFirstConsumer"
	}
	if j.holds(waits, "waitForFirstConsumer", "it is bound once a pod uses it", "status.phase spec.storageClassName") {
		return j.is(Current, "WaitForFirstConsumer", "is bound once a pod uses it").since(o.Created).noted(
			"not bound: waits for its first consumer")
	}
	return pending
}

// bound judges a bound claim, which may be resizing.
func (j *judge) bound() Assessment {
	o, c := j.o, j.o.Claim
	size := cmp.Or(c.Capacity, "?") + " → " + cmp.Or(c.Requested, "?")
	refused := strings.HasSuffix(c.Resize, "Infeasible") || strings.HasSuffix(c.Resize, "Failed")
	j.by("resize", "status.allocatedResourceStatuses status.conditions status.capacity")
	for _, typ := range [...]string{"ControllerResizeError", "NodeResizeError", "FileSystemResizePending", "Resizing"} {
		i, failed := o.ConditionIndex(typ, "True"), strings.HasSuffix(typ, "Error")
		if i < 0 || refused && !failed {
			continue
		}
		a := j.progress("", "is being resized: "+size)
		if failed {
			a = j.fault("", "cannot be resized: "+size)
		}
		a = a.from(o, i)
		a.Reason = typ
		return a
	}
	if refused {
		return j.fault(c.Resize, "cannot be resized: "+size)
	}
	requested, ok := object.ParseAmount(c.Requested)
	given, also := object.ParseAmount(c.Capacity)
	if ok && also && requested > given {
		return j.progress("Resizing", "is being resized: "+size)
	}
	return j.modifying()
}

// modifying judges a bound claim, which may be waiting for another
// VolumeAttributesClass, as external-resizer reports it
// (pkg/modifycontroller/modify_status.go at 05d5779): Infeasible stands in the
// status and, by version, in either condition; both stay when another class is
// asked for.
func (j *judge) modifying() Assessment {
	o, c := j.o, j.o.Claim
	failed, under := o.ConditionIndex("ModifyVolumeError", "True"), o.ConditionIndex("ModifyingVolume", "True")
	modifies := c.Attributes != "" && c.Attributes != c.AttributesNow
	j.by("modify", "spec.volumeAttributesClassName status.currentVolumeAttributesClassName status.modifyVolumeStatus status.conditions")
	a, i := j.progress("ModifyingVolume", "is to get the VolumeAttributesClass "+cmp.Or(c.Attributes, "?")), under
	switch {
	case modifies && c.AttributesTarget == c.Attributes && (failed >= 0 || c.Modify == "Infeasible"):
		a = j.fault("ModifyVolumeError", "cannot get the VolumeAttributesClass "+c.Attributes)
		if failed >= 0 {
			i = failed
		}
	case !modifies && under < 0:
		a = j.by("bound", "status.phase").current("bound to " + c.Volume).since(o.Created)
		if failed >= 0 {
			a.Note = o.Conditions[failed].Message
		}
	}
	if i >= 0 {
		a = a.from(o, i)
	}
	return a
}
