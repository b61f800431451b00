package storage

import (
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{"PersistentVolume"}, AlsoCurrent: true, Find: volume})
}

// volume finds VolumeReleased and VolumeFailed.
func volume(in *inspect.Inspector) {
	if !in.Object.Deleted.IsZero() && len(in.Object.Finalizers) > 0 {
		return // cluster.Finalizers reports it
	}
	phase := in.Object.Str("status", "phase")
	var f *inspect.Finding
	switch phase {
	case "Released":
		if !in.Object.Deleted.IsZero() {
			return // what keeps it then is its finalizer
		}
		name := in.Object.Str("spec", "claimRef", "name")
		claim := in.Object.Str("spec", "claimRef", "namespace") + "/" + name
		policy := in.Object.Str("spec", "persistentVolumeReclaimPolicy")
		f = in.Find(codes.VolumeReleased,
			"its claim %s is gone; the volume is kept, and no claim can bind it again while it names that one "+
				"(spec.claimRef)", claim)
		if policy == "Delete" {
			f.Say("its claim %s is gone, and the volume is being deleted (reclaim policy Delete)", claim)
			f.Prove("spec.persistentVolumeReclaimPolicy", policy)
		}
		f.Prove("spec.claimRef.name", name)
	case "Failed":
		f = in.Find(codes.VolumeFailed, "the volume could not be reclaimed")
		if m := in.Object.Str("status", "message"); m != "" {
			f.Why("%s", message.Reason(m))
			f.Prove("status.message", m)
		}
	default:
		return
	}
	f.Key = phase
	f.Prove("status.phase", phase)
}
