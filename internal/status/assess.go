package status

import "time"

// Assess judges one object at one moment.
func Assess(o *Object, w World, now time.Time) Assessment { return assess(o, w, now, nil) }

// Explain is the deduction behind Assess, rule by rule, in the order in which
// they were tried; the last step that hit decided.
func Explain(o *Object, w World, now time.Time) []Step {
	var t trace
	assess(o, w, now, &t)
	return t.steps
}

func assess(o *Object, w World, now time.Time, t *trace) Assessment {
	return assessCustom(o, w, now, t)
}
