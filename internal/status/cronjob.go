package status

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// cronJob judges a CronJob by what was applied, and not by its next run: there is nothing left to
// do until then. It is Failed only where one of its Jobs proves it: the last run was made from the
// present template and failed, or a failing Job that has not ended keeps every further run from
// starting; or where its controller says that it cannot read the schedule, or could not create the
// Job of the last run. A run whose Job is gone proves nothing: with a history limit or a time to
// live of 0 a success may never be written down (kubernetes/kubernetes#122025).
func cronJob(j *judge) Assessment {
	o, c := j.o, j.o.CronJob
	if j.holds(c.Suspend, "suspended", "it is suspended", "spec.suspend") {
		return j.is(Current, "Suspended", "nothing will run").noted("suspended")
	}
	if e, refused := j.scheduleRefused(); j.holds(refused, "schedule",
		"its controller says that no run can start", "spec.schedule spec.timeZone") {
		return j.fault(e.Reason, e.Message).since(e.First)
	}
	if e, refused := j.runRefused(); j.holds(refused, "refused",
		"its controller could not create the job of its last run",
		"status.lastScheduleTime") {
		return j.fault("RunRefused", "its job could not be created: "+strings.TrimPrefix(e.Message,
			"Error creating job: ")).since(e.First)
	}
	message := "next run by schedule " + c.Schedule
	if n := len(c.Active); n > 0 {
		message = count(n, "job") + " running"
	}
	if !runsUnproven(c) {
		return j.by("scheduled", "spec.schedule status.lastSuccessfulTime").current(message).since(
			newest(c.LastSuccess, o.Created))
	}
	blocking := j.w.Children.newest(func(k *Child) bool {
		return c.Concurrency == "Forbid" && k.Assessment.Status == Failed && slices.Contains(c.Active, k.Object.Name)
	})
	if j.holds(blocking != nil, "blocked", "a failing job keeps every further run from starting",
		"spec.concurrencyPolicy status.active") {
		a := j.fault("RunBlocked", "no further run starts while "+blocking.culprit()).since(blocking.Assessment.Since)
		a.Child = blocking.Object.ID
		return a
	}
	last := j.w.Children.newest(func(k *Child) bool { // whose outcome is known
		return k.Object.Job != nil && (k.Assessment.Status == Failed || k.Assessment.Status == Current)
	})
	missed := len(c.Active) == 0 && c.LastSuccess.Before(c.LastSchedule)
	failed := last != nil && last.Assessment.Status == Failed && !c.LastSuccess.After(last.Object.Created)
	run := "the run of " + c.LastSchedule.Format(time.RFC3339)
	if j.holds(failed && !last.Object.Created.Before(c.TemplateWritten),
		"lastRun", "its last run, from the present template, has failed",
		"status.lastScheduleTime status.lastSuccessfulTime status.active") {
		a := j.fault("LastRunFailed", run+" did not succeed: "+last.Assessment.Message).since(
			newest(last.Assessment.Since,
				c.LastSchedule))
		a.Child = last.Object.ID
		return a
	}
	a := j.by("scheduled", "spec.schedule status.lastSuccessfulTime").current(message).since(
		newest(c.LastSuccess, o.Created))
	switch {
	case failed:
		a.Note = run + " did not succeed; the template was changed since"
	case missed && last == nil && (!c.LastSuccess.IsZero() || o.Version != "v1beta1"):
		// which has no lastSuccessfulTime
		a.Note = "no success of " + run + " is recorded"
		if j.w.Hidden != "" {
			a.Note += "; its job cannot be seen: " + j.w.Hidden
		}
	}
	return a
}

// scheduleRefused is the event that says that no run of a CronJob will start.
func (j *judge) scheduleRefused() (object.Event, bool) {
	if j.w.Events == nil {
		return object.Event{}, false
	}
	events, _ := j.w.Events()
	return kinds.ScheduleRefused(j.o, events)
}

// runRefused is the event that says that the Job of a CronJob's last run could not be created.
func (j *judge) runRefused() (object.Event, bool) {
	if j.w.Events == nil {
		return object.Event{}, false
	}
	events, _ := j.w.Events()
	var newest time.Time
	if c := j.w.Children.newest(func(k *Child) bool { return k.Object.Job != nil }); c != nil {
		newest = c.Object.Created
	}
	return kinds.RunRefused(j.o, events, newest)
}

// runsUnproven reports whether the last run of a CronJob is under way or its success is
// not recorded, so that its Jobs have to tell.
func runsUnproven(c *object.CronJob) bool {
	return !c.LastSchedule.IsZero() && (len(c.Active) > 0 || c.LastSuccess.Before(c.LastSchedule))
}
