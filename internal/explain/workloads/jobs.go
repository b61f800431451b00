package workloads

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/pods"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Jobs and CronJobs.

func init() { inspect.Detect(inspect.Detector{Kinds: []string{"batch/Job"}, Find: job}) }

// job finds why a Job has failed or is not done: a limit that it met, a suspension, or Pods that do
// not end.
func job(in *inspect.Inspector) {
	j := in.Object.Job
	if j == nil || !in.Object.Deleted.IsZero() {
		return
	}
	failed := in.Object.Condition("Failed")
	if failed == nil || failed.Status != "True" {
		failed = in.Object.Condition("FailureTarget")
	}
	if failed != nil && failed.Status == "True" {
		jobFailed(in, j, failed)
		return
	}
	if j.Suspend {
		f := in.Find(codes.Suspended, "suspended (spec.suspend)")
		if x := in.Object.ConditionIs("Suspended", "True"); x != nil {
			f.ProveCondition(in.Object.ID, x)
		}
		f.Prove("spec.suspend", "true")
		if _, ok := in.Object.Label("kueue.x-k8s.io/queue-name"); ok {
			return // see general.Queued
		} else if by, ok := in.Object.Controller(); ok {
			f.Say("suspended (spec.suspend); %s %s decides when it runs", by.Kind, by.Name)
		} else {
			f.Offer(in.Kubectl("patch", "job", in.Object.Name, "-p", `{"spec":{"suspend":false}}`), "the Job runs")
		}
		return
	}
	for _, p := range podsOf(in, in.Object.ID) {
		sidecarHolds(in, p)
	}
	replaces(in, j)
	lostIndexes(in, j)
	jobRetries(in, j)
}

// jobRetries finds JobRetries: the newest Pod that has ended has failed, and another one runs in its
// place. A failed Pod without one is a cause by itself.
func jobRetries(in *inspect.Inspector, j *object.Job) {
	if j.Failed.Or(0) == 0 || j.FailedIndexes != "" {
		return
	}
	all := podsOf(in, in.Object.ID)
	ended := slices.DeleteFunc(slices.Clone(all), func(p *object.Object) bool {
		return p.Pod.Phase != "Failed" && p.Pod.Phase != "Succeeded"
	})
	if len(ended) == 0 || len(ended) == len(all) {
		return
	}
	newest := slices.MaxFunc(ended, func(a, b *object.Object) int { return a.Created.Compare(b.Created) })
	another := func(p *object.Object) bool {
		return p.Pod.Phase != "Failed" && p.Pod.Phase != "Succeeded" && p.Deleted.IsZero() &&
			p.Created.After(newest.Created)
	}
	if newest.Pod.Phase != "Failed" || !slices.ContainsFunc(all, another) {
		return
	}
	f := in.Find(codes.JobRetries, "failed %d×, and is tried again", j.Failed.Or(0))
	if limit := j.BackoffLimit.Or(6); limit < math.MaxInt32 { // which is written where each index has a limit of its own
		f.Note("backoffLimit %d", limit)
	}
	f.Since = newest.Created
	f.Prove("status.failed", j.Failed.Or(0))
	lastRun(in, f, slices.DeleteFunc(ended, func(p *object.Object) bool { return p.Pod.Phase != "Failed" }))
}

// jobFailed finds JobBackoffLimitExceeded, JobDeadlineExceeded and JobFailed.
func jobFailed(in *inspect.Inspector, j *object.Job, x *object.Condition) {
	code := codes.JobFailed
	switch x.Reason {
	case "BackoffLimitExceeded":
		code = codes.JobBackoffLimitExceeded
	case "DeadlineExceeded":
		code = codes.JobDeadlineExceeded
	}
	f := in.FindCondition(code, x, "%s: %s", x.Reason, message.Short(x.Message, 160))
	f.Detail = message.Line(x.Message)
	switch code {
	case codes.JobBackoffLimitExceeded:
		f.Say("failed %d×, and may not be tried again (backoffLimit %d)", max(j.Failed.Or(1), 1), j.BackoffLimit.Or(6))
	case codes.JobDeadlineExceeded:
		f.Say("ran longer than %s (activeDeadlineSeconds), and is not tried again",
			wording.Span(time.Duration(j.ActiveDeadline.Or(0))*time.Second))
		f.Prove("spec.activeDeadlineSeconds", j.ActiveDeadline.Or(0))
	default:
		if j.FailedIndexes != "" {
			f.Say("failed for good: index %s", message.Clip(j.FailedIndexes, 40))
			f.Prove("status.failedIndexes", j.FailedIndexes)
		}
	}
	f.Prove("status.failed", j.Failed.Or(0))
	pods := podsOf(in, in.Object.ID)
	if len(pods) == 0 {
		pods = slices.DeleteFunc(slices.Clone(in.Snapshot.Deleted(in.Object.ID)), func(p *object.Object) bool {
			return p.Pod == nil
		})
	}
	lastRun(in, f, pods)
}

// lostIndexes finds JobFailed while other indexes still run: an index that has
// used up its retries is not tried again, and the Job fails in the end.
func lostIndexes(in *inspect.Inspector, j *object.Job) {
	if j.FailedIndexes == "" {
		return
	}
	f := in.Find(codes.JobFailed, "failed for good: index %s; the Job fails once the others have ended",
		message.Clip(j.FailedIndexes, 40))
	f.Key = "indexes"
	f.Prove("status.failedIndexes", j.FailedIndexes)
	lastRun(in, f, slices.DeleteFunc(podsOf(in, in.Object.ID), func(p *object.Object) bool {
		index, _ := p.Annotation(inspect.IndexKey)
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
func lastRun(in *inspect.Inspector, f *inspect.Finding, pods []*object.Object) {
	var newest *object.Object
	for _, p := range pods {
		f.Absorbs = append(f.Absorbs, p.ID)
		if newest == nil || p.Created.After(newest.Created) {
			newest = p
		}
	}
	exists := newest != nil && in.Snapshot.Object(newest.ID) != nil
	if !exists {
		f.Next = []string{in.Kubectl("get", "events", "--field-selector", "involvedObject.kind=Pod")}
	}
	if newest == nil {
		return
	}
	if end := howEnded(in, newest); end != nil {
		f.Also("last: %s", end.Title())
		f.Evidence = append(f.Evidence, end.Evidence[:min(len(end.Evidence), 4)]...)
		if exists {
			f.Next = append(end.Next, in.Kubectl("describe", "pod", newest.Name))
		}
	}
}

// howEnded is the finding on a Job's Pod that the kubelet refused or ended, or else on
// its containers, even if it has been deleted.
func howEnded(in *inspect.Inspector, pod *object.Object) *inspect.Finding {
	found := in.Inspect(pod, func(in *inspect.Inspector) {
		pods.Refused(in)
		for i := range pod.Pod.Containers {
			pods.Container(in, &pod.Pod.Containers[i])
		}
	})
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// sidecarHolds finds SidecarHoldsJob: the work is done, and a container that
// serves the others keeps the Pod running. Of two workers the one that takes
// longer holds nothing up.
func sidecarHolds(in *inspect.Inspector, p *object.Object) {
	done, running, since := "", "", time.Time{}
	for i := range p.Pod.Containers {
		c := &p.Pod.Containers[i]
		switch {
		case c.Kind != object.MainContainer:
		case serves(c):
			if c.State.Kind == "running" {
				running, since = c.Name, c.State.Started
			}
		case c.State.Kind != "terminated" || c.State.ExitCode != 0 || !in.Older(c.State.Finished, 10*time.Second):
			return // a worker that is not done
		default:
			done = c.Name
		}
	}
	if done == "" || running == "" {
		return
	}
	f := in.Find(codes.SidecarHoldsJob, "%s has finished, but container %s keeps pod %s alive", done, running, p.Name)
	f.About = inspect.Subject{ID: p.ID, Container: running}
	f.Since = p.Created
	f.Certainty = inspect.Likely
	f.Key = running
	f.ProveOn(p.ID, "status.containerStatuses["+done+"].state.terminated.exitCode", "0")
	f.ProveOn(p.ID, "status.containerStatuses["+running+"].state.running.startedAt", since)
}

// serves reports whether a container serves others rather than does the work, by
// the names that such containers and their images usually have.
func serves(c *object.Container) bool {
	image := c.Image[strings.LastIndexByte(c.Image, '/')+1:]
	return wording.HasAny(strings.ToLower(c.Name+" "+image), "proxy", "sidecar", "agent", "envoy", "istio",
		"linkerd", "dapr", "collector", "exporter", "fluent")
}

// ranSince reports whether an event is about an earlier schedule, or a run has
// been started since.
func ranSince(in *inspect.Inspector, e object.Event) bool {
	if kinds.CameAfter(in.Object, &e) {
		return true
	}
	return e.Reason == "TooManyMissedTimes" &&
		slices.ContainsFunc(in.Children(in.Object.ID), func(j *object.Object) bool {
			return j.Kind == "Job" && !j.Created.Before(e.Last.Add(-2*time.Second))
		})
}

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{"batch/CronJob"}, AlsoCurrent: true, Find: cronJob})
}

// cronJob finds runs that a CronJob does not start (a bad schedule, a refusal, a Job that still
// runs, a suspension), and runs that failed.
func cronJob(in *inspect.Inspector) {
	c := in.Object.CronJob
	if c == nil || !in.Object.Deleted.IsZero() {
		return
	}
	if e, ok := in.Event(in.Object.ID, "UnparseableSchedule", "InvalidSchedule", "UnknownTimeZone",
		"TooManyMissedTimes", "FailedNeedsStart"); ok && !c.Suspend && !ranSince(in, e) {
		f := in.FindEvent(codes.CronScheduleInvalid, e, "%s", message.Short(e.Message, 160))
		f.Prove("spec.schedule", c.Schedule)
		return
	}
	if e, ok := kinds.RunRefused(in.Object, in.Snapshot.Events(in.Object.ID), newestJob(in)); ok {
		f := denied(in, e.Message)
		f.Since = e.First
		f.ProveEvent(e)
		return
	}
	// A run skipped by design, or because it was too late.
	if e, ok := in.Event(in.Object.ID, "MissSchedule", "JobAlreadyActive"); ok && !c.Suspend && !ranSince(in, e) {
		recent := !in.Older(e.Last, 10*time.Minute)
		switch {
		case e.Reason == "JobAlreadyActive" && (recent || len(c.Active) > 0): // as long as that Job runs
			blockedRun(in, c, e)
			return
		case recent:
			f := in.FindEvent(codes.CronRunSkipped, e, "%s", message.Short(e.Message, 160))
			f.Key = e.Reason
			return
		}
	}
	if c.Suspend {
		if in.Assessment.Status != status.Current {
			f := in.Find(codes.Suspended, "suspended (spec.suspend): no further runs")
			f.Prove("spec.suspend", "true")
		}
		return
	}
	failedRuns(in, c)
}

// newestJob is when the newest known Job of a CronJob was made.
func newestJob(in *inspect.Inspector) (at time.Time) {
	for _, j := range in.Children(in.Object.ID) {
		if j.Job != nil && j.Created.After(at) {
			at = j.Created
		}
	}
	return at
}

// blockedRun finds CronRunSkipped: under Forbid a run waits for the one before. One that has kept
// many from starting hangs: the controller reports each run that it leaves out, and goes on for
// ever (kubernetes v1.36, pkg/controller/cronjob, syncCronJob).
func blockedRun(in *inspect.Inspector, c *object.CronJob, e object.Event) {
	f := in.FindEvent(codes.CronRunSkipped, e, "")
	f.Class, f.Key = codes.Waits, e.Reason
	f.Prove("spec.concurrencyPolicy", c.Concurrency)
	for _, name := range c.Active {
		f.Blame(in.ID("batch", "Job", name))
	}
	which, running := cmp.Or(wording.NamesAfter("Job ", f.Because), "the previous Job"), " is still running"
	var job *object.Object
	if len(f.Because) > 0 {
		job = in.Snapshot.Object(f.Because[0])
	}
	if job != nil {
		running = " has been running for " + wording.Span(in.Now().Sub(job.Created))
		f.ProveOn(job.ID, "metadata.creationTimestamp", job.Created)
	}
	f.Say("run skipped: %s%s, and concurrencyPolicy is %s", which, running, c.Concurrency)
	if job != nil && e.Count >= hangingRuns && in.Older(job.Created, hangingFor) {
		f.Class, f.Certainty = codes.Action, inspect.Likely
		f.Say("%s%s and keeps each further run from starting (concurrencyPolicy %s): %d were skipped", which,
			running, c.Concurrency, e.Count)
		f.Next = append(f.Next, in.Kubectl("get", "pods", "-l", "job-name="+job.Name))
	}
}

// A run hangs that has kept as many from starting, and for as long: backups and imports that
// overlap with the next run or two are why Forbid exists.
const (
	hangingRuns = 5
	hangingFor  = time.Hour
)

// failedRuns finds CronJobFailing.
func failedRuns(in *inspect.Inspector, c *object.CronJob) {
	jobs := slices.DeleteFunc(slices.Clone(in.Children(in.Object.ID)), func(j *object.Object) bool {
		return j.Job == nil
	})
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
	f := in.Find(codes.CronJobFailing, "its last run, Job %s, failed", jobs[0].Name)
	f.Blame(jobs[0].ID)
	if len(failed) > 1 {
		f.Say("its last %d runs failed, Job %s the latest", len(failed), jobs[0].Name)
	}
	f.ProveCondition(jobs[0].ID, failed[0])
	if !c.LastSchedule.IsZero() {
		f.Prove("status.lastScheduleTime", c.LastSchedule)
	}
	if !c.LastSuccess.IsZero() {
		f.Prove("status.lastSuccessfulTime", c.LastSuccess)
	}
}
