package status

import "time"

// assessCustom judges an object that no built-in reader knows.
func assessCustom(o *Object, w World, now time.Time, t *trace) Assessment {
	return Assessment{Status: Current, Message: "No rule speaks about it", Rule: "assumed", Deciding: -1, Confidence: Assumed}
}
