package status

import (
	"strconv"
	"time"
)

var (
	jobFailed    = newRule("batch/Job.failed", "it has failed", "status.conditions[Failed]", "status.failed")
	jobFailing   = newRule("batch/Job.failureTarget", "it is bound to fail", "status.conditions[FailureTarget]")
	jobComplete  = newRule("batch/Job.complete", "it has completed", "status.conditions[Complete]", "status.succeeded")
	jobEnding    = newRule("batch/Job.successCriteria", "it is bound to complete", "status.conditions[SuccessCriteriaMet]")
	jobSuspended = newRule("batch/Job.suspended", "it is suspended", "spec.suspend")
	jobSilent    = newRule("batch/Job.silent", "its controller has not spoken yet", "status.startTime")
	jobPods      = newRule("batch/Job.pods", "every running pod fails")
	jobRuns      = newRule("batch/Job.running", "it is running", "status.active", "status.succeeded", "status.failed")

	cronSuspended = newRule("batch/CronJob.suspended", "it is suspended", "spec.suspend")
	cronFailed    = newRule("batch/CronJob.lastRun", "its last run did not succeed", "status.lastScheduleTime", "status.lastSuccessfulTime", "status.active")
	cronDone      = newRule("batch/CronJob.scheduled", "it is scheduled", "spec.schedule", "status.lastSuccessfulTime")
)

func (j *judge) job() Assessment {
	o, b := j.o, j.o.Job
	want := b.Completions.Or(b.Parallelism.Or(1))
	if i := o.ConditionIndex("Failed", "True"); j.holds(jobFailed, i >= 0) {
		return j.jobEnded(jobFailed, i)
	}
	if i := o.ConditionIndex("Complete", "True"); j.holds(jobComplete, i >= 0) {
		a := j.is(jobComplete, Current, "Completed", of(b.Succeeded.V, want, " completed"), newest(b.Completed, o.Conditions[i].LastTransitionTime)).decided(i)
		if b.FailedIndexes != "" {
			a.Note = "failed indexes: " + b.FailedIndexes
		}
		return a
	}
	if i := o.ConditionIndex("FailureTarget", "True"); j.holds(jobFailing, i >= 0) {
		return j.jobEnded(jobFailing, i)
	}
	if i := o.ConditionIndex("SuccessCriteriaMet", "True"); j.holds(jobEnding, i >= 0) {
		return j.progress(jobEnding, "SuccessCriteriaMet", "has succeeded; waits for its pods to end", o.Conditions[i].LastTransitionTime).decided(i)
	}
	if j.holds(jobSuspended, b.Suspend) {
		a := j.progress(jobSuspended, "JobSuspended", "suspended with "+of(b.Succeeded.V, want, " completed"), o.Transition("Suspended"))
		a.Paused = true
		if b.ManagedBy != "" {
			a.Message += ", until " + b.ManagedBy + " lets it run"
		}
		return a.decided(o.ConditionIndex("Suspended", "True"))
	}
	if j.holds(jobSilent, b.Started.IsZero() && !b.Active.Set && len(o.Conditions) == 0) {
		a := j.silent(jobSilent)
		if b.ManagedBy != "" {
			a.Message = "waits for " + b.ManagedBy + ", which manages it in place of the job controller"
		}
		return a
	}
	message := of(b.Succeeded.V, want, " completed, ") + strconv.FormatInt(b.Active.V, 10) + " running"
	if b.ManagedBy != "" {
		message += " by " + b.ManagedBy
	}
	if b.Failed.V > 0 {
		message += ", " + strconv.FormatInt(b.Failed.V, 10) + " failed"
	}
	f := j.pods(nil)
	if a, hit := j.byPods(jobPods, f, max(b.Active.V, f.live, 1), message); hit {
		return a
	}
	a := j.progress(jobRuns, "Running", message, b.Started)
	for i := range j.w.Children {
		c := &j.w.Children[i]
		if c.Object != nil && c.Object.Pod != nil && c.Assessment.Status == InProgress && c.Assessment.Retrying != nil {
			a.Reason, a.Child, a.Retrying = c.Assessment.Reason, c.Object.ID, c.Assessment.Retrying
			a.Message += "; " + c.Object.String() + ": " + c.Assessment.Message
			break
		}
	}
	if b.Failed.V > 0 && a.Retrying == nil {
		limit := b.BackoffLimit.Or(6)
		a.Retrying = &Retry{LastError: pair("", b.Failed.V, " failed of at most ", limit+1, " attempts"), Count: int(b.Failed.V)}
		if last := j.lastFailedPod(); last != nil {
			a.Retrying.LastError = last.Assessment.Message
			a.Child = last.Object.ID
		}
	}
	if d := b.ActiveDeadline; d.Set && !b.Started.IsZero() {
		a.Deadline, a.DeadlineWhat = b.Started.Add(time.Duration(d.V)*time.Second), "the job's active deadline"
	}
	return a
}

// jobEnded is a Job that has failed or is about to.
func (j *judge) jobEnded(r *rule, i int) Assessment {
	c, b := &j.o.Conditions[i], j.o.Job
	message := orText(c.Message, "the job has failed")
	if b.FailedIndexes != "" {
		message += "; failed indexes: " + b.FailedIndexes
	}
	a := j.terminal(r, orText(c.Reason, "JobFailed"), message, c.LastTransitionTime).decided(i)
	if last := j.lastFailedPod(); last != nil {
		a.Child = last.Object.ID
		a.Message += ": " + last.Assessment.Message
	}
	return a
}

// lastFailedPod is the pod that failed last, or nil.
func (j *judge) lastFailedPod() *Child {
	var last *Child
	for i := range j.w.Children {
		c := &j.w.Children[i]
		if c.Object != nil && c.Object.Pod != nil && c.Object.Pod.Phase == "Failed" &&
			(last == nil || c.Object.Created.After(last.Object.Created)) {
			last = c
		}
	}
	return last
}

func (j *judge) cronJob() Assessment {
	o, c := j.o, j.o.CronJob
	if j.holds(cronSuspended, c.Suspend) {
		a := j.is(cronSuspended, Current, "Suspended", "nothing will run", time.Time{})
		a.Note = "suspended"
		return a
	}
	missed := !c.LastSchedule.IsZero() && len(c.Active) == 0 && c.LastSuccess.Before(c.LastSchedule)
	if missed && c.LastSuccess.IsZero() {
		// Not every server writes lastSuccessfulTime (batch/v1beta1 has none), so
		// the job itself tells, where there is one.
		if last := j.lastJob(); last != nil {
			missed = last.Assessment.Status != Current
		} else {
			missed = o.Version != "v1beta1"
		}
	}
	if j.holds(cronFailed, missed) {
		a := j.fault(cronFailed, "LastRunFailed", "the run of "+c.LastSchedule.Format(time.RFC3339)+" did not succeed", c.LastSchedule)
		if last := j.lastJob(); last != nil && last.Assessment.Status != Current {
			a.Child = last.Object.ID
			a.Message += ": " + last.Assessment.Message
		}
		return a
	}
	message := "next run by schedule " + c.Schedule
	if n := len(c.Active); n > 0 {
		message = count(int64(n), "job") + " running"
	}
	return j.is(cronDone, Current, "", message, newest(c.LastSuccess, o.Created))
}

// lastJob is the newest Job among the children, or nil.
func (j *judge) lastJob() *Child {
	var last *Child
	for i := range j.w.Children {
		c := &j.w.Children[i]
		if c.Object != nil && c.Object.Job != nil && (last == nil || c.Object.Created.After(last.Object.Created)) {
			last = c
		}
	}
	return last
}
