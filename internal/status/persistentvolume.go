package status

import "cmp"

func persistentVolume(j *judge) Assessment {
	j.by("phase", "status.phase")
	switch phase := j.o.Str("status", "phase"); phase {
	case "Bound":
		return j.current("Volume is bound")
	case "Available":
		return j.current("Volume is available")
	case "Released":
		return j.current("Volume is released").noted("its claim is gone; it is not given to another until it is reclaimed")
	case "Failed":
		return j.by("phase", "status.phase status.message").
			fault(j.o.Str("status", "reason"), cmp.Or(j.o.Str("status", "message"), "Reclaiming the volume failed"))
	case "Pending", "":
		return j.progress("Pending", "Volume is pending")
	default:
		return j.unknown("", "status.phase is "+phase)
	}
}
