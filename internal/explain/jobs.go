package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Jobs and CronJobs.

func job(l *look) {
	j := l.o.Job
	if j == nil || !l.o.Deleted.IsZero() {
		return
	}
	failed := l.o.Condition("Failed")
	if failed == nil || failed.Status != "True" {
		failed = l.o.Condition("FailureTarget")
	}
	if failed != nil && failed.Status == "True" {
		l.jobFailed(j, failed)
		return
	}
	if j.Suspend {
		f := l.find("Suspended", "suspended (spec.suspend)")
		if x := l.o.ConditionIs("Suspended", "True"); x != nil {
			f.proveCondition(l.o.ID, x)
		}
		l.proof(f, "spec.suspend", "true")
		if q, ok := l.o.Label("kueue.x-k8s.io/queue-name"); ok {
			f.Title = "suspended until queue " + q + " admits it"
			f.Next = []string{l.kubectl("describe", "localqueues.kueue.x-k8s.io", q), l.kubectl("get", "workloads.kueue.x-k8s.io")}
		} else if by, ok := l.o.Controller(); ok {
			f.Title = "suspended (spec.suspend); " + by.Kind + " " + by.Name + " decides when it runs"
		} else {
			f.offer(l.kubectl("patch", "job", l.o.Name, "-p", `{"spec":{"suspend":false}}`), "the Job runs")
		}
		return
	}
	for _, p := range l.pods(l.o.ID) {
		l.sidecarHolds(p)
	}
	l.replaces(j)
	l.lostIndexes(j)
}

// jobFailed finds JobBackoffLimitExceeded, JobDeadlineExceeded and JobFailed.
func (l *look) jobFailed(j *object.Job, x *object.Condition) {
	code := "JobFailed"
	switch x.Reason {
	case "BackoffLimitExceeded":
		code = "JobBackoffLimitExceeded"
	case "DeadlineExceeded":
		code = "JobDeadlineExceeded"
	}
	f := l.byCondition(code, x, "%s: %s", x.Reason, headline(x.Message))
	f.Detail = headline(x.Message)
	switch code {
	case "JobBackoffLimitExceeded":
		f.Title = fmt.Sprintf("failed %d×, and may not be tried again (backoffLimit %d)", max(j.Failed.Or(1), 1), j.BackoffLimit.Or(6))
	case "JobDeadlineExceeded":
		f.Title = "ran longer than " + span(time.Duration(j.ActiveDeadline.Or(0))*time.Second) + " (activeDeadlineSeconds), and is not tried again"
		l.proof(f, "spec.activeDeadlineSeconds", j.ActiveDeadline.Or(0))
	default:
		if j.FailedIndexes != "" {
			f.Title = "failed for good: index " + clip(j.FailedIndexes, 40)
			l.proof(f, "status.failedIndexes", j.FailedIndexes)
		}
	}
	l.proof(f, "status.failed", j.Failed.Or(0))
	pods := l.pods(l.o.ID)
	if len(pods) == 0 {
		pods = slices.DeleteFunc(slices.Clone(l.s.Deleted(l.o.ID)), func(p *object.Object) bool { return p.Pod == nil })
	}
	l.lastRun(f, pods)
}

// lostIndexes finds JobFailed while other indexes still run: an index that has
// used up its retries is not tried again, and the Job fails in the end.
func (l *look) lostIndexes(j *object.Job) {
	if j.FailedIndexes == "" {
		return
	}
	f := l.find("JobFailed", "failed for good: index %s; the Job fails once the others have ended", clip(j.FailedIndexes, 40))
	f.Key = "indexes"
	l.proof(f, "status.failedIndexes", j.FailedIndexes)
	l.lastRun(f, slices.DeleteFunc(l.pods(l.o.ID), func(p *object.Object) bool {
		index, _ := p.Annotation(indexKey)
		return p.Pod.Phase != "Failed" || !inIndexes(j.FailedIndexes, index)
	}))
}

// inIndexes reports whether a Job's list of indexes ("1,3-5") contains one.
func inIndexes(list, index string) bool {
	n, err := strconv.Atoi(index)
	for part := range strings.SplitSeq(list, ",") {
		from, to, ranged := strings.Cut(part, "-")
		if !ranged {
			to = from
		}
		a, _ := strconv.Atoi(from)
		b, _ := strconv.Atoi(to)
		if err == nil && a <= n && n <= b {
			return true
		}
	}
	return false
}

// lastRun folds a Job's Pods under its failure, and says how the newest of them
// ended.
func (l *look) lastRun(f *Finding, pods []*object.Object) {
	var newest *object.Object
	for _, p := range pods {
		f.Absorbs = append(f.Absorbs, p.ID)
		if newest == nil || p.Created.After(newest.Created) {
			newest = p
		}
	}
	exists := newest != nil && l.s.Object(newest.ID) != nil
	if !exists {
		f.Next = []string{l.kubectl("get", "events", "--field-selector", "involvedObject.kind=Pod")}
	}
	if newest == nil {
		return
	}
	if end := l.howEnded(newest); end != nil {
		f.Title += "; last: " + end.Title
		f.Evidence = append(f.Evidence, end.Evidence[:min(len(end.Evidence), 4)]...)
		if exists {
			f.Next = append(end.Next, l.kubectl("describe", "pod", newest.Name))
		}
	}
}

// howEnded is the finding on the containers of a Job's Pod, even if that has
// been deleted.
func (l *look) howEnded(pod *object.Object) *Finding {
	p := look{s: l.s, o: pod}
	for i := range pod.Pod.Containers {
		p.container(&pod.Pod.Containers[i])
	}
	for _, n := range p.needs {
		l.need(n)
	}
	if len(p.found) == 0 {
		return nil
	}
	settleOrder(&p)
	return p.found[0]
}

// sidecarHolds finds SidecarHoldsJob: the work is done, and another container
// keeps the Pod running.
func (l *look) sidecarHolds(p *object.Object) {
	done, running, since := "", "", time.Time{}
	for i := range p.Pod.Containers {
		c := &p.Pod.Containers[i]
		if c.Kind != object.MainContainer {
			continue
		}
		switch {
		case c.State.Kind == "terminated" && c.State.ExitCode == 0:
			if l.older(c.State.Finished, 10*time.Second) {
				done = c.Name
			}
		case c.State.Kind == "running":
			running, since = c.Name, c.State.Started
		}
	}
	if done == "" || running == "" {
		return
	}
	f := l.find("SidecarHoldsJob", "%s has finished, but container %s keeps pod %s alive", done, running, p.Name)
	f.Subject = Subject{ID: p.ID, Container: running}
	f.Since = p.Created
	f.Certainty = Likely
	f.Key = running
	f.prove(p.ID, "status.containerStatuses["+done+"].state.terminated.exitCode", "0")
	f.prove(p.ID, "status.containerStatuses["+running+"].state.running.startedAt", since)
}

// ranSince reports whether an event is about an earlier schedule, or a run has
// been started since.
func (l *look) ranSince(c *object.CronJob, e object.Event) bool {
	if c.LastSchedule.After(e.Last) || c.LastSuccess.After(e.Last) || l.o.Changed.After(e.Last.Add(2*time.Second)) {
		return true
	}
	return e.Reason == "TooManyMissedTimes" && slices.ContainsFunc(l.s.Children(l.o.ID), func(j *object.Object) bool {
		return j.Kind == "Job" && !j.Created.Before(e.Last.Add(-2*time.Second))
	})
}

func cronJob(l *look) {
	c := l.o.CronJob
	if c == nil || !l.o.Deleted.IsZero() {
		return
	}
	if e, ok := l.event(l.o.ID, "UnparseableSchedule", "InvalidSchedule", "UnknownTimeZone", "TooManyMissedTimes"); ok && !c.Suspend && !l.ranSince(c, e) {
		f := l.byEvent("CronScheduleInvalid", e, "%s", headline(e.Message))
		l.proof(f, "spec.schedule", c.Schedule)
		return
	}
	// A run skipped by design, or because it was too late.
	if e, ok := l.event(l.o.ID, "MissSchedule", "JobAlreadyActive"); ok && !c.Suspend && !l.ranSince(c, e) && !l.older(e.Last, 10*time.Minute) {
		f := l.byEvent("CronScheduleInvalid", e, "%s", headline(e.Message))
		f.Class = Retries
		f.Key = e.Reason
		if e.Reason == "JobAlreadyActive" {
			f.Class = Waits
			l.proof(f, "spec.concurrencyPolicy", c.Concurrency)
			for _, name := range c.Active {
				f.blame(l.id("batch", "Job", name))
			}
			f.Title = "run skipped: " + cmp.Or(namesAfter("Job ", f.Because), "the previous Job") + " is still running, and concurrencyPolicy is " + c.Concurrency
		}
		return
	}
	if c.Suspend {
		if l.a.Status != status.Current {
			f := l.find("Suspended", "suspended (spec.suspend): no further runs")
			l.proof(f, "spec.suspend", "true")
		}
		return
	}
	l.failedRuns(c)
}

// failedRuns finds CronJobFailing.
func (l *look) failedRuns(c *object.CronJob) {
	jobs := slices.DeleteFunc(slices.Clone(l.s.Children(l.o.ID)), func(j *object.Object) bool { return j.Job == nil })
	slices.SortFunc(jobs, func(a, b *object.Object) int { return b.Created.Compare(a.Created) })
	var failed []*object.Condition
	for _, j := range jobs {
		x := j.ConditionIs("Failed", "True")
		if x == nil {
			break
		}
		failed = append(failed, x)
	}
	if len(failed) == 0 {
		return
	}
	f := l.find("CronJobFailing", "its last run, Job %s, failed", jobs[0].Name)
	f.blame(jobs[0].ID)
	if len(failed) > 1 {
		f.Title = fmt.Sprintf("its last %d runs failed, Job %s the latest", len(failed), jobs[0].Name)
	}
	f.proveCondition(jobs[0].ID, failed[0])
	if !c.LastSchedule.IsZero() {
		l.proof(f, "status.lastScheduleTime", c.LastSchedule)
	}
	if !c.LastSuccess.IsZero() {
		l.proof(f, "status.lastSuccessfulTime", c.LastSuccess)
	}
}
