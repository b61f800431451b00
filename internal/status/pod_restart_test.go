package status

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// running is a pod whose container a runs since that moment, after so many restarts
// and that last end; times are seconds after noon.
func running(since, restarts int, last string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"a"}]},`+
		`"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"a","ready":true,"restartCount":%d,`+
		`"state":{"running":{"startedAt":%q}},"lastState":{"terminated":%s}}]}}`, restarts, seconds(since).Format(time.RFC3339), last)
}

// end is a terminated state.
func end(from, to, code int) string {
	return fmt.Sprintf(`{"exitCode":%d,"startedAt":%q,"finishedAt":%q}`, code, seconds(from).Format(time.RFC3339), seconds(to).Format(time.RFC3339))
}

// settles follows a pod until it is Current, by Recheck alone, and returns when
// that was, in seconds after noon.
func (l *live) settles(from int, obj string) int {
	l.t.Helper()
	now := seconds(from)
	for range 10 {
		a := l.see(now, obj)
		if a.Status == Current {
			if before := l.see(now.Add(-time.Nanosecond), obj); now.After(seconds(from)) && before.Status == Current {
				l.t.Errorf("it was Current before its time")
			}
			l.see(now, obj)
			return int(now.Sub(noon) / time.Second)
		}
		if a.Status != InProgress || a.Reason != ReasonRestarting || !a.Recheck.After(now) {
			l.t.Fatalf("at %v: %s %s, recheck %v", now, a.Status, a.Reason, a.Recheck)
		}
		now = a.Recheck
	}
	l.t.Fatal("it never becomes Current")
	return 0
}

func TestAClockThatIsAheadMakesNothingCurrentTooEarly(t *testing.T) {
	const (
		ingress = `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"i","creationTimestamp":"2026-01-02T12:00:00Z"},"spec":{}}`
		widget  = `{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"w","creationTimestamp":"2026-01-02T12:00:00Z"},"status":{"conditions":[{"type":"Launched","status":"True"}]}}`
	)
	for _, c := range []struct {
		object string
		until  int // seconds after noon
	}{{running(20, 1, end(0, 8, 2)), 36}, {ingress, 300}, {widget, 30}} {
		for _, ahead := range []time.Duration{0, time.Hour} {
			o, w := decode(t, c.object), World{Ahead: ahead, FirstSeen: seconds(0).Add(ahead)}
			until := seconds(c.until).Add(ahead)
			if a := Assess(o, w, until.Add(-time.Second)); a.Status != InProgress || !a.Recheck.Equal(until) {
				t.Errorf("%s, %s ahead: %s %s, looked at again at %s", o.Kind, ahead, a.Status, a.Reason, a.Recheck)
			}
			if a := Assess(o, w, until); a.Status != Current {
				t.Errorf("%s, %s ahead, after that: %s %s", o.Kind, ahead, a.Status, a.Reason)
			}
		}
	}
}

func TestAContainerThatCrashedIsSettledWhenItHasRunTwiceAsLong(t *testing.T) {
	const year1970 = `{"exitCode":128,"startedAt":"1970-01-01T00:00:00Z","finishedAt":"2026-01-02T12:00:08Z"}`
	probed := func(obj string) string {
		return strings.Replace(obj, `{"name":"a"}`, `{"name":"a","livenessProbe":{"exec":{}}}`, 1)
	}
	for name, c := range map[string]struct {
		object string
		want   int
	}{
		"twice its run":                         {running(20, 1, end(0, 8, 2)), 36},
		"ten seconds at least":                  {running(20, 1, end(0, 1, 2)), 30},
		"a run that never began":                {running(20, 1, year1970), 30},
		"an end without a date":                 {running(20, 1, `{"exitCode":137,"reason":"ContainerStatusUnknown"}`), 30},
		"out of memory":                         {running(20, 1, strings.Replace(end(0, 8, 0), "{", `{"reason":"OOMKilled",`, 1)), 36},
		"ten minutes at most":                   {running(20, 1, end(-4000, 8, 2)), 608},
		"the crash is over before":              {running(310, 1, end(-400, 8, 2)), 608},
		"a code of 0 is no better":              {running(20, 1, end(0, 8, 0)), 36},
		"unless it ran as long as is forgotten": {running(20, 1, end(-592, 8, 0)), 20},
		"and no probe can have killed it":       {probed(running(20, 1, end(-592, 8, 0))), 608},
		"ten minutes ago":                       {running(620, 1, end(0, 8, 2)), 620},
	} {
		t.Run(name, func(t *testing.T) {
			from := 21
			if c.want > 600 && c.want != 608 {
				from = c.want
			} else if strings.Contains(name, "before") {
				from = 311
			}
			if got := (&live{t: t}).settles(from, c.object); got != max(c.want, from) {
				t.Errorf("Current after %d s, want %d", got, c.want)
			}
		})
	}
}

// The object tells the last end alone; those before it are remembered, each for ten
// minutes.
func TestTheLongestOfTheRunsThatCrashedCounts(t *testing.T) {
	l := &live{t: t}
	l.see(seconds(125), running(120, 1, end(0, 100, 1)))                                                     // 100 s
	l.see(seconds(215), running(210, 2, end(120, 160, 1)))                                                   // 40 s
	a := l.see(seconds(301), running(300, 3, end(210, 215, 1)))                                              // 5 s
	wantCase(t, "after a short one", a, "InProgress Restarting Pod.restarting recheck=8m20s deadline=8m20s") // 300 s + 2 × 100 s
	if got := l.settles(302, running(300, 3, end(210, 215, 1))); got != 500 {
		t.Errorf("Current after %d s, want 500", got)
	}
	// Its first crash is over at 700, when the next counts.
	if got := l.settles(651, running(650, 4, end(300, 640, 1))); got != 1240 {
		t.Errorf("Current after %d s, want 1240", got)
	}
	if n := len(l.prior.Crashes); n != 0 {
		t.Errorf("%d crashes are remembered when all are over", n)
	}
}

func TestTheNumberOfRememberedCrashesHasABound(t *testing.T) {
	l := &live{t: t}
	for i := range 60 { // each run is longer than the one before
		l.see(seconds(100*i+60), running(100*i+55, i, end(100*i, 100*i+10+i/2, 1)))
	}
	if n := len(l.prior.Crashes); n != 1 {
		t.Errorf("%d crashes", n)
	}
	l = &live{t: t}
	for i := range 60 {
		l.see(seconds(10*i+60), running(10*i+55, i, end(10*i-60+i, 10*i, 1))) // and here shorter
	}
	if n := len(l.prior.Crashes); n > 60 || !slices.IsSortedFunc(l.prior.Crashes, func(a, b Crash) int { return b.Finished.Compare(a.Finished) }) && n == 0 {
		t.Errorf("%d crashes", n)
	}
}

func TestASidecarThatCrashedKeepsItsPod(t *testing.T) {
	obj := strings.Replace(running(20, 1, end(0, 8, 1)), `"containers":[{"name":"a"}]`, `"initContainers":[{"name":"a","restartPolicy":"Always"}],"containers":[]`, 1)
	obj = strings.Replace(obj, `"containerStatuses"`, `"initContainerStatuses"`, 1)
	if got := (&live{t: t}).settles(21, obj); got != 36 {
		t.Errorf("Current after %d s, want 36", got)
	}
	// One that is meant to end has none of this.
	wantCase(t, "an init container", (&live{t: t}).see(seconds(21), strings.Replace(obj, `,"restartPolicy":"Always"`, "", 1)), "Current - Pod.ready")
}

// What a workload's own fields say is older than what its pods say, and nothing
// about restarts.
func TestAWorkloadIsNotCurrentWhileItsPodsCrash(t *testing.T) {
	pod := decode(t, running(20, 3, end(0, 8, 2)))
	for when, now := range map[string]time.Time{"InProgress": seconds(21), "Current": seconds(36)} {
		a := Assess(pod, World{}, now)
		for _, workload := range []string{
			`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web-1"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}}},"status":{"replicas":1,"fullyLabeledReplicas":1,"readyReplicas":1,"availableReplicas":1}}`,
			`{"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"web-1"},"spec":{"replicas":1,"selector":{"a":"b"}},"status":{"replicas":1,"fullyLabeledReplicas":1,"readyReplicas":1,"availableReplicas":1}}`,
			`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"web"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}}},"status":{"replicas":1,"readyReplicas":1,"availableReplicas":1}}`,
			`{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"a":"b"}}},"status":{"desiredNumberScheduled":1,"currentNumberScheduled":1,"updatedNumberScheduled":1,"numberAvailable":1,"numberReady":1}}`,
		} {
			o := decode(t, workload)
			got := Assess(o, World{Children: []Child{{pod, a}}, ChildrenKnown: true}, now)
			if string(got.Status) != when || got.Status == InProgress && (got.Reason != ReasonRestarting || got.Child != pod.ID || !strings.HasSuffix(got.Message, "Pod/p: container a exited with code 2; restarted 3 times, runs again")) {
				t.Errorf("%s at %v: %s %s, by %s: %s", o.Kind, now, got.Status, got.Reason, got.Child, got.Message)
			}
			// A time follows it: "… at 15:04:05" must not read as that of a crash.
			if got.Status == InProgress && got.DeadlineWhat != "without another crash it is settled" {
				t.Errorf("%s: %s at %v", o.Kind, got.DeadlineWhat, got.Deadline)
			}
			if o.Kind != "ReplicaSet" {
				continue
			}
			d := decode(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}}},"status":{"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1}}`)
			above := Assess(d, World{Children: []Child{{o, got}}, ChildrenKnown: true}, now)
			if above.Status != got.Status || above.Reason != got.Reason || above.Status == InProgress && !strings.Contains(above.Message, "Pod/p: container a exited") {
				t.Errorf("Deployment at %v: %s %s: %s", now, above.Status, above.Reason, above.Message)
			}
		}
	}
	// The Pod has crashed again without being counted yet.
	ended := decode(t, strings.Replace(strings.Replace(running(20, 3, end(0, 8, 2)), `{"running":{"startedAt":"2026-01-02T12:00:20Z"}}`, `{"terminated":`+end(20, 28, 2)+`}`, 1), `"Ready","status":"True"`, `"Ready","status":"False"`, 1))
	ended.Pod.Containers[0].Ready = false
	a := Assess(ended, World{}, seconds(28))
	rs := decode(t, `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web-1"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}}},"status":{"replicas":1,"fullyLabeledReplicas":1,"readyReplicas":1,"availableReplicas":1}}`)
	if got := Assess(rs, World{Children: []Child{{ended, a}}, ChildrenKnown: true}, seconds(28)); got.Status != InProgress || got.Reason != "Error" {
		t.Errorf("a pod that has just ended: %s %s; the ReplicaSet: %s %s", a.Status, a.Reason, got.Status, got.Reason)
	}
}

// The grace of a crash loop begins with its first crash, not with each of them.
func TestACrashContinuesTheFaultBeforeIt(t *testing.T) {
	pod := func(restarts int, state, last string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"a"}]},`+
			`"status":{"phase":"Running","conditions":[{"type":"Ready","status":"False"}],"containerStatuses":[{"name":"a","restartCount":%d,"state":%s,"lastState":%s}]}}`, restarts, state, last)
	}
	terminated := func(end string) string { return `{"terminated":` + end + `}` }
	const backOff, none = `{"waiting":{"reason":"CrashLoopBackOff"}}`, `{}`
	for _, c := range []struct {
		name string
		pod  string
		want int // when it is Failed, in seconds after noon
	}{
		{"the first crash", pod(0, terminated(end(0, 9, 1)), none), 39},
		{"the second: the first was at its start or before", pod(1, backOff, terminated(end(10, 12, 1))), 40},
		{"the second, dated by the state before", pod(1, terminated(end(10, 12, 1)), terminated(end(0, 8, 1))), 38},
		{"the third, of which two are dated", pod(2, terminated(end(22, 24, 1)), terminated(end(10, 12, 1))), 40},
		{"after a run that settled it", pod(1, terminated(end(10, 50, 1)), terminated(end(0, 8, 1))), 80},
		{"after a run of unknown meaning", pod(1, backOff, terminated(end(10, 40, 1))), 70},
		{"of a container that had run for long", pod(5, terminated(end(0, 3600, 1)), terminated(end(-20, -15, 1))), 3630},
	} {
		o := decode(t, c.pod)
		if a := Assess(o, World{}, seconds(c.want).Add(-time.Second)); a.Status != InProgress || !a.Recheck.Equal(seconds(c.want)) {
			t.Errorf("%s: %s a second before, looked at again at %s", c.name, a.Status, a.Recheck)
		}
		if a := Assess(o, World{}, seconds(c.want)); a.Status != Failed {
			t.Errorf("%s: %s, want Failed", c.name, a.Status)
		}
	}
}

// A time follows it: "the deletion grace period at 15:04:05" says nothing.
func TestTheEndOfAPodsGracePeriodIsNamed(t *testing.T) {
	pod := decode(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","deletionTimestamp":"2026-01-02T12:00:30Z","deletionGracePeriodSeconds":30}}`)
	at := pod.Deleted.Add(-10 * time.Second)
	if a := Assess(pod, World{}, at); !a.Deadline.Equal(pod.Deleted) || a.DeadlineWhat != "the end of the deletion grace period" {
		t.Errorf("%s at %v", a.DeadlineWhat, a.Deadline)
	}
}
