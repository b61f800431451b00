package status

import "time"

func volumeAttachment(j *judge) Assessment {
	attached, _ := j.o.Bool("status", "attached")
	for _, step := range [...]struct{ field, reason string }{
		{"detachError", "DetachFailed"},
		{"attachError", "AttachFailed"},
	} {
		text := j.o.Str("status", step.field, "message")
		if text == "" || attached && step.field == "attachError" {
			continue
		}
		at, _ := time.Parse(time.RFC3339, j.o.Str("status", step.field, "time"))
		return j.by(step.field, "status."+step.field+".message").fault(step.reason, text).since(at)
	}
	if j.by("attached", "status.attached"); attached {
		return j.current("Volume is attached")
	}
	return j.progress("Attaching", "Waiting for the volume to be attached")
}
