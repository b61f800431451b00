package status

import "time"

func cronJob(j *judge) Assessment {
	o, c := j.o, j.o.CronJob
	if j.holds(c.Suspend, "suspended", "it is suspended", "spec.suspend") {
		return j.is(Current, "Suspended", "nothing will run").noted("suspended")
	}
	last := j.newestChild(func(c *Child) bool { return c.Object.Job != nil })
	missed := !c.LastSchedule.IsZero() && len(c.Active) == 0 && c.LastSuccess.Before(c.LastSchedule)
	if missed && c.LastSuccess.IsZero() {
		// Not every server writes lastSuccessfulTime (batch/v1beta1 lacks it),
		// so the last Job decides, if there is one.
		missed = o.Version != "v1beta1"
		if last != nil {
			missed = last.Assessment.Status != Current
		}
	}
	if j.holds(missed, "lastRun", "its last run did not succeed", "status.lastScheduleTime status.lastSuccessfulTime status.active") {
		a := j.fault("LastRunFailed", "the run of "+c.LastSchedule.Format(time.RFC3339)+" did not succeed").since(c.LastSchedule)
		if last != nil && last.Assessment.Status != Current {
			a.Child = last.Object.ID
			a.Message += ": " + last.Assessment.Message
		}
		return a
	}
	message := "next run by schedule " + c.Schedule
	if n := len(c.Active); n > 0 {
		message = count(n, "job") + " running"
	}
	return j.by("scheduled", "spec.schedule status.lastSuccessfulTime").current(message).since(newest(c.LastSuccess, o.Created))
}
