package convert

import (
	"bytes"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func (c *converter) job(from *batchv1.Job) {
	spec, status := &from.Spec, &from.Status
	j := &object.Job{
		Completions: fromPointer(spec.Completions), Parallelism: fromPointer(spec.Parallelism),
		BackoffLimit:   fromPointer(spec.BackoffLimit),
		ActiveDeadline: fromPointer(spec.ActiveDeadlineSeconds), TTL: fromPointer(spec.TTLSecondsAfterFinished),
		Suspend: orZero(spec.Suspend), Mode: c.word(string(orZero(spec.CompletionMode))),
		ManagedBy:   c.word(orZero(spec.ManagedBy)),
		Replacement: c.word(string(orZero(spec.PodReplacementPolicy))),
		Active:      optional(status.Active), Succeeded: optional(status.Succeeded), Failed: optional(status.Failed),
		Ready: fromPointer(status.Ready), Terminating: fromPointer(status.Terminating),
		FailedIndexes: c.text(orZero(status.FailedIndexes)), CompletedIndexes: c.text(status.CompletedIndexes),
		Started: when(status.StartTime), Completed: when(status.CompletionTime),
		Selector: c.selector(spec.Selector), Images: c.images(&spec.Template.Spec),
	}
	c.o.Job = j
	if j.ManagedBy == batchv1.JobControllerName {
		j.ManagedBy = ""
	}
	c.noteStatus(*status)
	for _, x := range status.Conditions {
		plainCondition(c, x.Type, x.Status, x.Reason, x.Message, x.LastTransitionTime)
	}
}

func (c *converter) cronJob(from *batchv1.CronJob) {
	spec, status := &from.Spec, &from.Status
	c.o.CronJob = &object.CronJob{
		Suspend: orZero(spec.Suspend), Schedule: c.word(spec.Schedule),
		TimeZone: c.word(orZero(spec.TimeZone)), Concurrency: c.word(string(spec.ConcurrencyPolicy)),
		LastSchedule: when(status.LastScheduleTime), LastSuccess: when(status.LastSuccessfulTime),
	}
	c.noteStatus(*status)
	for _, r := range status.Active[:min(len(status.Active), 64)] {
		c.o.CronJob.Active = append(c.o.CronJob.Active, c.word(r.Name))
	}
}

// templateWritten is when the template of a CronJob's Jobs was last written.
func (c *converter) templateWritten() (last time.Time) {
	for _, f := range c.managed {
		if at := when(f.Time); at.After(last) && f.FieldsV1 != nil &&
			bytes.Contains(f.FieldsV1.GetRawBytes(), []byte(`"f:jobTemplate"`)) {
			last = at
		}
	}
	return last
}
