package status

import (
	"cmp"
	"fmt"
	"time"
)

func job(j *judge) Assessment {
	o, b := j.o, j.o.Job
	completed := of(b.Succeeded.V, b.Completions.Or(b.Parallelism.Or(1)), " completed")
	if i := o.ConditionIndex("Failed", "True"); j.holds(i >= 0, "failed",
		"it has failed", "status.conditions[Failed] status.failed") {
		return j.jobEnded(i)
	}
	if i := o.ConditionIndex("Complete", "True"); j.holds(i >= 0, "complete",
		"it has completed", "status.conditions[Complete] status.succeeded") {
		a := j.is(Current, "Completed", completed).since(
			newest(b.Completed, o.Conditions[i].LastTransitionTime)).decided(i)
		if b.FailedIndexes != "" {
			a.Note = "failed indexes: " + b.FailedIndexes
		}
		return a
	}
	if i := o.ConditionIndex("FailureTarget", "True"); j.holds(i >= 0,
		"failureTarget", "it is bound to fail", "status.conditions[FailureTarget]") {
		return j.jobEnded(i)
	}
	if i := o.ConditionIndex("SuccessCriteriaMet", "True"); j.holds(i >= 0,
		"successCriteria", "it is bound to complete", "status.conditions[SuccessCriteriaMet]") {
		return j.progress("SuccessCriteriaMet", "has succeeded; waits for its pods to end").since(
			o.Conditions[i].LastTransitionTime).decided(i)
	}
	if j.holds(b.Suspend, "suspended", "it is suspended", "spec.suspend") {
		a := j.progress("JobSuspended", "suspended with "+completed).since(o.Transition("Suspended"))
		a.Paused = true
		if b.ManagedBy != "" {
			a.Message += ", until " + b.ManagedBy + " lets it run"
		}
		return a.decided(o.ConditionIndex("Suspended", "True"))
	}
	if j.holds(b.Started.IsZero() && !b.Active.Set && len(o.Conditions) == 0,
		"silent", "its controller has not spoken yet", "status.startTime") {
		if b.ManagedBy != "" {
			return j.silent("waits for " + b.ManagedBy + ", which manages it in place of the job controller")
		}
		return j.silent("")
	}
	message := fmt.Sprintf("%s, %d running", completed, b.Active.V)
	if b.ManagedBy != "" {
		message += " by " + b.ManagedBy
	}
	if b.Failed.V > 0 {
		message += fmt.Sprintf(", %d failed", b.Failed.V)
	}
	a := j.by("running", "status.active status.succeeded status.failed").progress("Running", message).since(b.Started)
	for i := range j.w.Children {
		c := &j.w.Children[i]
		retries := c.Assessment.Status == InProgress && c.Assessment.Retrying != nil
		if c.Object != nil && c.Object.Pod != nil && (retries || c.countedCrash()) {
			a.Reason, a.Child, a.Retrying = c.Assessment.Reason, c.Object.ID, c.Assessment.Retrying
			a.Message += "; " + c.Object.String() + ": " + c.Assessment.Message
			break
		}
	}
	if b.Failed.V > 0 && a.Retrying == nil {
		a.Retrying = &Retry{
			LastError: fmt.Sprintf("%d failed of at most %d attempts", b.Failed.V,
				b.BackoffLimit.Or(6)+1), Count: int(b.Failed.V),
		}
		if last := j.w.Children.lastFailedPod(); last != nil {
			a.Retrying.LastError = last.Assessment.Message
			a.Child = last.Object.ID
		}
	}
	if d := b.ActiveDeadline; d.Set && !b.Started.IsZero() {
		a.Deadline, a.DeadlineWhat = b.Started.Add(time.Duration(d.V)*time.Second), "the job's active deadline"
	}
	f := j.w.Children.failingPods()
	return j.byPods(a, "every running pod fails", f, max(b.Active.V, f.live, 1), message)
}

// jobEnded is a Job that has failed or is about to.
func (j *judge) jobEnded(i int) Assessment {
	c := &j.o.Conditions[i]
	message := cmp.Or(c.Message, "the job has failed")
	if failed := j.o.Job.FailedIndexes; failed != "" {
		message += "; failed indexes: " + failed
	}
	a := j.terminal(cmp.Or(c.Reason, "JobFailed"), message).since(c.LastTransitionTime).decided(i)
	if last := j.w.Children.lastFailedPod(); last != nil {
		a.Child = last.Object.ID
		a.Message += ": " + last.Assessment.Message
	}
	return a
}
