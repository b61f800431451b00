package status

import (
	"slices"
	"strconv"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Between two crashes a container runs, and without a probe its pod is Ready: a
// crash loop would be Current every few seconds. So a container that crashed is
// settled only when its present run has lasted twice its longest run that ended in
// a crash within the last ten minutes, at least ten seconds, at most ten minutes.
//
// An object holds the last end of each container alone. The ends before it are
// carried in Assessment.Crashes, by whoever has seen them.

// ReasonRestarting is that of a container which crashed and runs again, and of all
// that it keeps from being Current.
const ReasonRestarting = "Restarting"

const (
	// settleLeast and settleMost bound how long a run must last.
	settleLeast = 10 * time.Second
	settleMost  = 10 * time.Minute
	// crashRemembered is how long a crash counts. The kubelet forgets its back-off
	// then (crashLoopBackOff.HasExpiredFunc in pkg/kubelet/kubelet.go, v1.36.3).
	crashRemembered = 10 * time.Minute
)

// Crash is an end of a container that it must not have had.
type Crash struct {
	Container string        `json:"container,omitzero"`
	Finished  time.Time     `json:"finished,omitzero"`
	Ran       time.Duration `json:"ran,omitzero"`
}

// settledAt is when a container whose present run began then is settled, as far as
// this crash is concerned: it has run long enough, or the crash is long ago.
func (c *Crash) settledAt(started time.Time) time.Time {
	enough := started.Add(min(max(2*c.Ran, settleLeast), settleMost))
	if over := c.Finished.Add(crashRemembered); over.Before(enough) {
		return over
	}
	return enough
}

// crashOf is the crash that a terminated state of a container tells of, if it does.
func crashOf(p *object.Pod, c *object.Container, s *object.ContainerState) (Crash, bool) {
	if s.Kind != "terminated" || c.Kind != object.MainContainer && c.Kind != object.SidecarContainer {
		return Crash{}, false
	}
	out := Crash{Container: c.Name, Finished: s.Finished}
	if s.Finished.IsZero() { // the runtime has lost it: it was over when the next run began
		out.Finished = c.State.Started
	}
	if s.Started.Unix() > 0 && s.Started.Before(s.Finished) { // 1970: it never ran
		out.Ran = s.Finished.Sub(s.Started)
	}
	if s.ExitCode != 0 || s.Signal != 0 || s.Reason == "OOMKilled" {
		return out, true
	}
	// Exit 0 of what is expected to go on: the kubelet backs off whatever the code is
	// (doBackOff in pkg/kubelet/kuberuntime/kuberuntime_manager.go, v1.36.3), and a
	// program that heeds SIGTERM ends so when a probe kills it. It is none where no
	// probe can have, and it ran for so long that the kubelet begins anew, too.
	goesOn := c.Kind == object.SidecarContainer || p.RestartPolicy != "OnFailure" && p.RestartPolicy != "Never"
	killed := c.Probes.Liveness != nil || c.Probes.Startup != nil
	return out, goesOn && (killed || out.Ran < crashRemembered)
}

// recentCrashes are those of the last ten minutes that may matter: what the pod tells, and
// what it told before. Of one container none is kept that was shorter and earlier
// than another: it is never what is waited for.
func (j *judge) recentCrashes() []Crash {
	var out []Crash
	add := func(c Crash) {
		if !j.now.Before(c.Finished.Add(crashRemembered)) {
			return
		}
		if slices.ContainsFunc(out, func(x Crash) bool {
			return x.Container == c.Container && x.Ran >= c.Ran && !x.Finished.Before(c.Finished)
		}) {
			return
		}
		out = slices.DeleteFunc(out, func(x Crash) bool {
			return x.Container == c.Container && x.Ran <= c.Ran && !x.Finished.After(c.Finished)
		})
		out = append(out, c)
	}
	p := j.o.Pod
	for i := range p.Containers {
		c := &p.Containers[i]
		for _, s := range [...]*object.ContainerState{&c.State, c.Last()} {
			if crash, ok := crashOf(p, c, s); ok {
				add(crash)
			}
		}
	}
	if before := j.w.Prior; before != nil {
		for _, c := range before.Crashes {
			add(c)
		}
	}
	return out
}

// restarting is the container that has to run longest until it is settled, and when
// that is; nil where all are.
func (j *judge) restarting() (again *object.Container, until time.Time) {
	for i := range j.o.Pod.Containers {
		c := &j.o.Pod.Containers[i]
		if c.State.Kind != "running" {
			continue
		}
		for k := range j.crashes {
			crash := &j.crashes[k]
			if crash.Container != c.Name {
				continue
			}
			if t := crash.settledAt(newest(c.State.Started, crash.Finished)); j.now.Before(t) && t.After(until) {
				again, until = c, t
			}
		}
	}
	return again, until
}

// runsAgain judges a pod with a container that crashed and runs again.
func (j *judge) runsAgain(c *object.Container, until time.Time) Assessment {
	why := "container " + c.Name + " crashed"
	if c.Last().Kind == "terminated" {
		why = ended(c, c.Last())
	}
	a := j.progress(ReasonRestarting, why+"; restarted "+times(c.Restarts)+", runs again").since(c.State.Started)
	a.Recheck = until
	a.Deadline, a.DeadlineWhat = until, "without another crash it is settled"
	a.Retrying = &Retry{LastError: why, Count: int(c.Restarts)}
	if j.o.Pod.RestartPolicy != "OnFailure" { // see crash
		// The fault is not over: when it crashes again its grace is not a new one.
		if a.FaultSince = c.Last().Finished; a.FaultSince.IsZero() {
			a.FaultSince = c.State.Started
		}
		if p := j.w.Prior; p != nil && !p.FaultSince.IsZero() && p.FaultSince.Before(a.FaultSince) {
			a.FaultSince = p.FaultSince
		}
	}
	return a
}

// restarted adds a note to a ready pod that crashed not long ago.
func (j *judge) restarted(a Assessment) Assessment {
	for i := range j.o.Pod.Containers {
		c := &j.o.Pod.Containers[i]
		if c.Restarts == 0 || c.Last().Kind != "terminated" || c.Kind == object.InitContainer {
			continue
		}
		if until := c.Last().Finished.Add(crashRemembered); j.now.Before(until) {
			a.Note = "restarted " + times(c.Restarts) + "; " + ended(c, c.Last())
			a.Recheck = until
			return a
		}
	}
	return a
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return strconv.FormatInt(n, 10) + " times"
}
