package status

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Between two crashes a container runs, and without a probe its Pod is Ready: a
// crash loop would be Current every few seconds. So a container that has crashed
// is settled only after its present run has lasted twice its longest crashing
// run of the last ten minutes, at least ten seconds and at most ten minutes.
//
// An object holds only the last exit of each container; earlier ones are carried
// in Assessment.Crashes.

// ReasonRestarting is the reason of a container that has crashed and runs
// again, and of everything that it blocks.
const ReasonRestarting = "Restarting"

const (
	// settleLeast and settleMost bound the run that settles.
	settleLeast = 10 * time.Second
	settleMost  = 10 * time.Minute
	// crashRemembered is how long a crash counts. The kubelet resets its
	// back-off then (crashLoopBackOff.HasExpiredFunc in pkg/kubelet/kubelet.go,
	// v1.36.3).
	crashRemembered = 10 * time.Minute
)

// Crash is an unexpected exit of a container.
type Crash struct {
	Container string        `json:"container,omitzero"`
	Finished  time.Time     `json:"finished,omitzero"`
	Ran       time.Duration `json:"ran,omitzero"`
}

// settledAt is when a container whose present run began at started is settled
// with regard to this crash: it has run long enough, or the crash no longer
// counts.
func (c *Crash) settledAt(started time.Time) time.Time {
	enough := started.Add(min(max(2*c.Ran, settleLeast), settleMost))
	if over := c.Finished.Add(crashRemembered); over.Before(enough) {
		return over
	}
	return enough
}

// crashOf returns the crash that a terminated state describes, if it is one.
func crashOf(p *object.Pod, c *object.Container, s *object.ContainerState) (Crash, bool) {
	if s.Kind != "terminated" || c.Kind != object.MainContainer && c.Kind != object.SidecarContainer {
		return Crash{}, false
	}
	// An end that the runtime has lost is no later than the next run's start.
	out := Crash{Container: c.Name, Finished: cmp.Or(s.Finished, c.State.Started)}
	if s.Started.Unix() > 0 && s.Started.Before(s.Finished) { // 1970 means that it never ran
		out.Ran = s.Finished.Sub(s.Started)
	}
	if s.ExitCode != 0 || s.Signal != 0 || s.Reason == "OOMKilled" {
		return out, true
	}
	// Exit 0 of a container that should keep running: the kubelet backs off
	// whatever the code (doBackOff in
	// pkg/kubelet/kuberuntime/kuberuntime_manager.go, v1.36.3), and a program
	// that handles SIGTERM exits so when a probe kills it. It does not count
	// without a probe if the container ran so long that the kubelet resets its
	// back-off.
	killed := c.Probes.Liveness != nil || c.Probes.Startup != nil
	return out, kinds.RestartsAfter(p, c, false) && (killed || out.Ran < crashRemembered)
}

// recentCrashes are the crashes of the last ten minutes that matter: the Pod's
// own, and those of earlier assessments. A crash that is shorter and earlier
// than another of the same container is dropped: it never decides.
func (j *judge) recentCrashes() []Crash {
	var out []Crash
	add := func(c Crash) {
		if !j.now.Before(c.Finished.Add(crashRemembered + j.w.Ahead)) {
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

// restarting is the container that has to run longest to be settled, and until
// when; nil if all are.
func (p *podRule) restarting() (again *object.Container, until time.Time) {
	for i := range p.pod.Containers {
		c := &p.pod.Containers[i]
		if c.State.Kind != "running" {
			continue
		}
		for k := range p.j.crashes {
			crash := &p.j.crashes[k]
			t := crash.settledAt(newest(c.State.Started, crash.Finished)).Add(p.j.w.Ahead)
			if crash.Container == c.Name && p.j.now.Before(t) && t.After(until) {
				again, until = c, t
			}
		}
	}
	return again, until
}

// runsAgain judges a Pod with a container that has crashed and runs again.
func (p *podRule) runsAgain(c *object.Container, until time.Time) Assessment {
	why := "container " + c.Name + " crashed"
	if c.Last().Kind == "terminated" {
		why = ended(c, c.Last())
	}
	a := p.j.progress(ReasonRestarting, why+"; restarted "+times(c.Restarts)+", runs again").since(c.State.Started)
	a.Recheck = until
	a.Deadline, a.DeadlineWhat = until, "without another crash it is settled"
	a.Retrying = &Retry{LastError: why, Count: int(c.Restarts)}
	if !counted(p.o) {
		// The fault goes on: another crash does not start a new grace period.
		a.FaultSince = cmp.Or(p.crashingSince(c, c.Last()), c.State.Started)
		if prior := p.j.w.Prior; prior != nil && !prior.FaultSince.IsZero() && prior.FaultSince.Before(a.FaultSince) {
			a.FaultSince = prior.FaultSince
		}
	}
	return a
}

// restarted adds a note to a ready Pod that has crashed recently.
func (p *podRule) restarted(a Assessment) Assessment {
	for i := range p.pod.Containers {
		c := &p.pod.Containers[i]
		if c.Restarts == 0 || c.Last().Kind != "terminated" || c.Kind == object.InitContainer {
			continue
		}
		if until := c.Last().Finished.Add(crashRemembered); p.j.now.Before(until) {
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
