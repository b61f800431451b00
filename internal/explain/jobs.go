package explain

import (
	"fmt"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Jobs and CronJobs: A24 to A30.

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
		f := l.find("Suspended")
		f.Title = "suspended (spec.suspend)"
		f.Since = l.o.Created
		if x := l.o.Condition("Suspended"); x != nil && x.Status == "True" {
			f.proveCondition(l.o.ID, x)
			f.Since = x.LastTransitionTime
		}
		l.proof(f, "spec.suspend", "true")
		f.Next = []string{l.kubectl("describe", "job", l.o.Name)}
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
}

// jobFailed is A24 to A26.
func (l *look) jobFailed(j *object.Job, x *object.Condition) {
	code := "JobFailed"
	switch x.Reason {
	case "BackoffLimitExceeded":
		code = "JobBackoffLimitExceeded"
	case "DeadlineExceeded":
		code = "JobDeadlineExceeded"
	}
	f := l.find(code)
	f.Since = x.LastTransitionTime
	f.proveCondition(l.o.ID, x)
	f.Key = x.Reason
	f.Detail = headline(x.Message)
	switch code {
	case "JobBackoffLimitExceeded":
		f.Title = fmt.Sprintf("failed %d×, and may not be tried again (backoffLimit %d)", max(j.Failed.Or(1), 1), j.BackoffLimit.Or(6))
	case "JobDeadlineExceeded":
		f.Title = "ran longer than " + span(time.Duration(j.ActiveDeadline.Or(0))*time.Second)
		l.proof(f, "spec.activeDeadlineSeconds", fmt.Sprint(j.ActiveDeadline.Or(0)))
	default:
		f.Title = x.Reason + ": " + headline(x.Message)
		if j.FailedIndexes != "" {
			f.Title += " (failed indexes " + clip(j.FailedIndexes, 40) + ")"
			l.proof(f, "status.failedIndexes", j.FailedIndexes)
		}
	}
	l.proof(f, "status.failed", fmt.Sprint(j.Failed.Or(0)))
	pods := l.pods(l.o.ID)
	if len(pods) == 0 && l.s.Deleted != nil {
		for _, p := range l.s.Deleted(l.o.ID) {
			if p.Pod != nil {
				pods = append(pods, p)
			}
		}
	}
	logs := len(pods) > 0
	var newestPod *object.Object
	for _, p := range pods {
		f.Absorbs = append(f.Absorbs, p.ID)
		if newestPod == nil || p.Created.After(newestPod.Created) {
			newestPod = p
		}
	}
	if newestPod != nil {
		for i := range newestPod.Pod.Containers {
			c := &newestPod.Pod.Containers[i]
			t, which := c.State, "state"
			if t.Kind != "terminated" {
				t, which = *c.Last(), "lastState"
			}
			if t.Kind == "terminated" && (t.ExitCode != 0 || t.Reason == "OOMKilled") {
				says := ""
				if t.Message != "" && !unread(t.Message) {
					says = decisive(t.Message)
				} else if t.Reason != "OOMKilled" {
					if said := l.logLine(newestPod.ID, c.Name); said.line != "" {
						says = said.line
						f.proveLog(newestPod.ID, c.Name, says)
					}
				}
				switch {
				case t.Reason == "OOMKilled":
					f.Title += "; last: killed at its memory limit"
				case t.Reason == "StartError" || t.Reason == "ContainerCannotRun":
					f.Title += fmt.Sprintf("; last: %s cannot be started: %s", c.Name, startProblem(headline(t.Message)))
					logs = false
				case says != "":
					f.Title += fmt.Sprintf("; last: exit %d: %s", t.ExitCode, says)
				default:
					f.Title += fmt.Sprintf("; last: exit %d", t.ExitCode)
					l.need(Need{ID: newestPod.ID, Log: c.Name})
				}
				f.prove(newestPod.ID, field(c, which+".terminated.exitCode"), fmt.Sprint(t.ExitCode))
				if t.Message != "" {
					f.prove(newestPod.ID, field(c, which+".terminated.message"), t.Message)
				}
				break
			}
			if c.State.Kind == "waiting" && c.State.Reason != "" && c.State.Reason != "PodInitializing" {
				f.Title += "; its pod: " + c.State.Reason
				f.prove(newestPod.ID, field(c, "state.waiting.reason"), c.State.Reason)
				break
			}
			if c.State.Kind == "running" && !c.Ready && code == "JobDeadlineExceeded" {
				f.Title += "; " + c.Name + " was running and not ready"
				f.prove(newestPod.ID, field(c, "ready"), "false")
				break
			}
		}
	}
	f.Next = []string{l.kubectl("describe", "job", l.o.Name)}
	if logs {
		f.Next = slices.Insert(f.Next, 0, l.kubectl("logs", "job/"+l.o.Name))
	} else if newestPod == nil {
		f.Next = append(f.Next, l.kubectl("get", "events", "--field-selector", "involvedObject.kind=Pod"))
	}
}

// sidecarHolds is A28: the work is done, and another container keeps the pod.
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
	f := l.find("SidecarHoldsJob")
	f.Title = fmt.Sprintf("%s has finished, but container %s keeps pod %s alive", done, running, p.Name)
	f.Subject = Subject{ID: p.ID, Container: running}
	f.Since = p.Created
	f.Certainty = Likely
	f.Key = running
	f.prove(p.ID, "status.containerStatuses["+done+"].state.terminated.exitCode", "0")
	f.prove(p.ID, "status.containerStatuses["+running+"].state.running.startedAt", stamp(since))
}

// ranSince reports whether an event tells of a schedule that is no longer, or that
// has been followed since.
func (l *look) ranSince(c *object.CronJob, e feed.Event) bool {
	if c.LastSchedule.After(e.Last) || c.LastSuccess.After(e.Last) || l.o.Changed.After(e.Last.Add(2*time.Second)) {
		return true
	}
	return e.Reason == "TooManyMissedTimes" && slices.ContainsFunc(l.children(l.o.ID), func(j *object.Object) bool {
		return j.Kind == "Job" && !j.Created.Before(e.Last.Add(-2*time.Second))
	})
}

func cronJob(l *look) {
	c := l.o.CronJob
	if c == nil || !l.o.Deleted.IsZero() {
		return
	}
	if e, ok := l.event(l.o.ID, "UnparseableSchedule", "InvalidSchedule", "UnknownTimeZone", "TooManyMissedTimes"); ok && !c.Suspend && !l.ranSince(c, e) {
		f := l.find("CronScheduleInvalid")
		f.Title = headline(e.Message)
		f.Since = e.First
		f.proveEvent(e)
		l.proof(f, "spec.schedule", c.Schedule)
		return
	}
	// A run that was left out by design, or because it came too late.
	if e, ok := l.event(l.o.ID, "MissSchedule", "JobAlreadyActive"); ok && !c.Suspend && !l.ranSince(c, e) && !l.older(e.Last, 10*time.Minute) {
		f := l.find("CronScheduleInvalid")
		f.Title = headline(e.Message)
		f.Class = Retries
		f.Key = e.Reason
		f.Since = e.First
		f.proveEvent(e)
		if e.Reason == "JobAlreadyActive" {
			f.Class = Waits
			f.Title = "a run was left out: the one before has not ended, and concurrencyPolicy is " + c.Concurrency
			l.proof(f, "spec.concurrencyPolicy", c.Concurrency)
			for _, name := range c.Active {
				f.Because = append(f.Because, l.id("batch", "Job", name))
				f.Symptom = true
			}
		}
		return
	}
	if c.Suspend {
		if !l.known || l.a.Status != status.Current {
			f := l.find("Suspended")
			f.Title = "suspended (spec.suspend): no further runs"
			f.Since = l.o.Changed
			l.proof(f, "spec.suspend", "true")
		}
		return
	}
	var newestJob *object.Object
	failed := 0
	jobs := slices.Clone(l.children(l.o.ID))
	slices.SortFunc(jobs, func(a, b *object.Object) int { return b.Created.Compare(a.Created) })
	for _, j := range jobs {
		if j.Kind != "Job" || j.Job == nil {
			continue
		}
		if newestJob == nil {
			newestJob = j
		}
		x := j.Condition("Failed")
		if x == nil || x.Status != "True" {
			break
		}
		failed++
	}
	if newestJob != nil && failed > 0 {
		f := l.find("CronJobFailing")
		f.Symptom = true
		f.Because = []object.ID{newestJob.ID}
		f.Title = "its last run, Job " + newestJob.Name + ", failed"
		if failed > 1 {
			f.Title = fmt.Sprintf("its last %d runs failed, Job %s the latest", failed, newestJob.Name)
		}
		if x := newestJob.Condition("Failed"); x != nil {
			f.Since = x.LastTransitionTime
			f.proveCondition(newestJob.ID, x)
		}
		if !c.LastSchedule.IsZero() {
			l.proof(f, "status.lastScheduleTime", stamp(c.LastSchedule))
		}
		if !c.LastSuccess.IsZero() {
			l.proof(f, "status.lastSuccessfulTime", stamp(c.LastSuccess))
		}
	}
}
