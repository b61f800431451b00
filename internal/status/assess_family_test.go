package status

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// live follows one object as the model does: each assessment is the next
// one's Prior.
type live struct {
	t     *testing.T
	first time.Time
	prior *Assessment
}

func (l *live) see(now time.Time, obj string, children ...Child) Assessment {
	l.t.Helper()
	if l.first.IsZero() {
		l.first = now
	}
	a := Assess(decode(l.t, obj), World{Prior: l.prior, FirstSeen: l.first, Children: children, ChildrenKnown: children != nil}, now)
	l.prior = &a
	return a
}

// seconds is noon and so many seconds.
func seconds(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }

func wantCase(t *testing.T, when string, a Assessment, want string) {
	t.Helper()
	if got := asCase(a, strings.Contains(want, " | ")); got != want {
		t.Errorf("%s:\n got %s\nwant %s", when, got, want)
	}
}

const (
	pulling  = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","creationTimestamp":"2026-01-02T11:00:00Z"},"spec":{"nodeName":"n","containers":[{"name":"a","image":"web:2"}]},"status":{"phase":"Pending","startTime":"2026-01-02T11:00:00Z","containerStatuses":[{"name":"a","state":{"waiting":{"reason":%q}}}]}}`
	crashing = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"a"}]},"status":{"phase":"Running","startTime":"2026-01-02T11:00:00Z","conditions":[{"type":"Ready","status":%q}],"containerStatuses":[{"name":"a","ready":%v,"restartCount":%d,"state":%s,"lastState":{"terminated":{"exitCode":1,"finishedAt":%q}}}]}}`
)

func TestAFaultWithoutADateIsFailedAfterItsGrace(t *testing.T) {
	l := &live{t: t}
	wantCase(t, "while the image is pulled", l.see(seconds(0), fmt.Sprintf(pulling, "ContainerCreating")), "InProgress ContainerCreating Pod.starting")
	wantCase(t, "when it fails first", l.see(seconds(5), fmt.Sprintf(pulling, "ErrImagePull")), "InProgress ErrImagePull Pod.containers recheck=35s")
	wantCase(t, "when the reason changes", l.see(seconds(15), fmt.Sprintf(pulling, "ImagePullBackOff")), "InProgress ImagePullBackOff Pod.containers recheck=35s")
	wantCase(t, "just before the grace ends", l.see(seconds(34), fmt.Sprintf(pulling, "ErrImagePull")), "InProgress ErrImagePull Pod.containers recheck=35s")
	a := l.see(seconds(35), fmt.Sprintf(pulling, "ErrImagePull"))
	wantCase(t, "at its end", a, "Failed ErrImagePull Pod.containers")
	if !a.Since.Equal(seconds(35)) {
		t.Errorf("Failed since %v", a.Since)
	}
	a = l.see(seconds(50), fmt.Sprintf(pulling, "ImagePullBackOff"))
	wantCase(t, "later", a, "Failed ImagePullBackOff Pod.containers")
	if !a.Since.Equal(seconds(35)) {
		t.Errorf("Failed since %v although it was so before", a.Since)
	}
	wantCase(t, "when it is repaired", l.see(seconds(60), fmt.Sprintf(pulling, "ContainerCreating")), "InProgress ContainerCreating Pod.starting")
	wantCase(t, "when it breaks again", l.see(seconds(70), fmt.Sprintf(pulling, "ErrImagePull")), "InProgress ErrImagePull Pod.containers recheck=1m40s")
}

// A saved cluster is one look, and time does not pass in it: what has no date would begin to fail
// for ever. With a date of its last write that counts.
func TestAFaultWithoutADateHasLastedInASavedCluster(t *testing.T) {
	const aborted = `{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"name":"web"%s},"spec":{"replicas":2},"status":{"phase":"Degraded","message":"RolloutAborted: metric \"success-rate\" assessed Error"%s}}`
	const written = `,"managedFields":[{"manager":"rollouts-controller","operation":"Update","time":"2026-01-02T11:59:50Z","subresource":"status"}]`
	const dated = `,"conditions":[{"type":"Progressing","status":"False","reason":"RolloutAborted","message":"metric \"success-rate\" assessed Error","lastTransitionTime":"2026-01-02T11:40:00Z"}]`
	for _, c := range []struct {
		name, object string
		still        bool
		want         Status
		since        time.Time
	}{
		{"in a cluster", fmt.Sprintf(aborted, "", ""), false, InProgress, time.Time{}},
		{"that was saved", fmt.Sprintf(aborted, "", ""), true, Failed, time.Time{}},
		{"that was saved ten seconds after its last write", fmt.Sprintf(aborted, written, ""), true, InProgress, time.Time{}},
		{"dated by the condition that states the same (argoproj/argo-rollouts#1008)", fmt.Sprintf(aborted, "", dated), false, Failed, noon.Add(-20*time.Minute + healGrace)},
	} {
		a := Assess(decode(t, c.object), World{Still: c.still, FirstLook: true}, noon)
		if a.Status != c.want || !a.Since.Equal(c.since) {
			t.Errorf("%s: %s since %v, want %s since %v", c.name, a.Status, a.Since, c.want, c.since)
		}
	}
}

func TestAFaultSeenForTheFirstTimeIsAsOldAsItsPod(t *testing.T) {
	wantCase(t, "an hour after its start", (&live{t: t}).see(noon, fmt.Sprintf(pulling, "ImagePullBackOff")), "Failed ImagePullBackOff Pod.containers")
}

func TestACrashLoopIsFailedInItsBackOffAndRestartsInBetween(t *testing.T) {
	l := &live{t: t}
	crashed := func(n int, at string) string {
		return fmt.Sprintf(crashing, "False", false, n, `{"waiting":{"reason":"CrashLoopBackOff"}}`, at)
	}
	up := func(n int, since string) string {
		return fmt.Sprintf(crashing, "False", false, n, `{"running":{"startedAt":"`+since+`"}}`, "2026-01-02T12:00:00Z")
	}
	wantCase(t, "the first crash", l.see(seconds(0), crashed(1, "2026-01-02T12:00:00Z")), "InProgress CrashLoopBackOff Pod.containers recheck=30s")
	wantCase(t, "up again", l.see(seconds(11), up(2, "2026-01-02T12:00:10Z")), "InProgress Restarting Pod.restarting recheck=20s deadline=20s")
	wantCase(t, "down for long enough", l.see(seconds(31), crashed(3, "2026-01-02T12:00:20Z")), "Failed CrashLoopBackOff Pod.containers")
	wantCase(t, "up for a moment", l.see(seconds(41), up(3, "2026-01-02T12:00:40Z")), "InProgress Restarting Pod.restarting recheck=50s deadline=50s")
	wantCase(t, "up for a while", l.see(seconds(70), up(3, "2026-01-02T12:00:40Z")), "InProgress ContainersNotReady Pod.notReady")
	ready := fmt.Sprintf(crashing, "True", true, 3, `{"running":{}}`, "2026-01-02T12:00:20Z")
	wantCase(t, "ready", l.see(seconds(80), ready), "Current - Pod.ready recheck=10m20s | ready (restarted 3 times; container a exited with code 1)")
}

func TestAnAppliedGenerationIsWaitedFor(t *testing.T) {
	o := decode(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generation":3},"spec":{"replicas":0},"status":{"observedGeneration":3}}`)
	wantCase(t, "one behind", Assess(o, World{Generation: 4}, noon), "InProgress GenerationNotApplied generation.applied | generation 3 is seen, 4 was applied")
	wantCase(t, "reached", Assess(o, World{Generation: 3}, noon), "Current - apps/Deployment.done")
	wantCase(t, "beyond", Assess(o, World{Generation: 2}, noon), "Current - apps/Deployment.done")
}

// child makes a child from an object and its own assessment.
func child(t *testing.T, obj string, a Assessment) Child {
	return Child{Object: decode(t, obj), Assessment: a}
}

func podOf(t *testing.T, name string, a Assessment) Child {
	return child(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"`+name+`"},"status":{"phase":"Pending"}}`, a)
}

var (
	broken   = Assessment{Status: Failed, Reason: "ImagePullBackOff", Message: "no such image"}
	failing1 = Assessment{Status: InProgress, Reason: "ImagePullBackOff", Message: "no such image", FaultSince: noon, Recheck: noon.Add(30 * time.Second)}
	starting = Assessment{Status: InProgress, Reason: "ContainerCreating"}
	fine     = Assessment{Status: Current}
)

func TestAReplicaSetFailsWhenEveryMissingReplicaDoes(t *testing.T) {
	const rs = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web-1"},"spec":{"replicas":3},"status":{"replicas":3,"fullyLabeledReplicas":3,"readyReplicas":1,"availableReplicas":1}}`
	for name, c := range map[string]struct {
		children []Child
		want     string
	}{
		"nothing known":              {nil, "InProgress ReplicasUnavailable apps/ReplicaSet.availableReplicas | 1 of 3 replicas available"},
		"pods are starting":          {[]Child{podOf(t, "a", fine), podOf(t, "b", starting), podOf(t, "c", starting)}, "InProgress ReplicasUnavailable apps/ReplicaSet.availableReplicas | 1 of 3 replicas available"},
		"one fails within its grace": {[]Child{podOf(t, "a", fine), podOf(t, "b", failing1), podOf(t, "c", starting)}, "InProgress ImagePullBackOff apps/ReplicaSet.pods recheck=30s | 1 of 3 replicas available; Pod/b: no such image"},
		"one of two fails":           {[]Child{podOf(t, "a", fine), podOf(t, "b", broken), podOf(t, "c", starting)}, "InProgress ImagePullBackOff apps/ReplicaSet.pods | 1 of 3 replicas available; Pod/b: no such image"},
		"both fail":                  {[]Child{podOf(t, "a", fine), podOf(t, "b", broken), podOf(t, "c", broken)}, "Failed ImagePullBackOff apps/ReplicaSet.pods | 1 of 3 replicas available; Pod/b: no such image"},
	} {
		a := Assess(decode(t, rs), World{Children: c.children, ChildrenKnown: c.children != nil}, noon)
		wantCase(t, name, a, c.want)
		if strings.HasPrefix(c.want, "Failed") && (a.Terminal || a.Child.Name != "b") {
			t.Errorf("%s: terminal %v, child %v", name, a.Terminal, a.Child)
		}
	}
}

func TestFinishedAndTerminatingPodsDoNotCount(t *testing.T) {
	const rs = `{"apiVersion":"apps/v1","kind":"ReplicaSet","spec":{"replicas":1},"status":{"replicas":1,"fullyLabeledReplicas":1}}`
	evicted := child(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"e"},"status":{"phase":"Failed"}}`, Assessment{Status: Failed, Terminal: true})
	leaving := child(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d","deletionTimestamp":"2026-01-02T12:00:00Z"},"status":{"phase":"Running"}}`, Assessment{Status: Terminating, FaultSince: noon})
	a := Assess(decode(t, rs), World{Children: []Child{evicted, leaving, podOf(t, "new", starting)}, ChildrenKnown: true}, noon)
	wantCase(t, "an evicted and a leaving pod", a, "InProgress ReplicasUnavailable apps/ReplicaSet.availableReplicas")
}

// A ReplicaSet whose Pods a kubelet refuses makes hundreds of them, each of
// which fails at once: the missing replicas have been failing since the first.
func TestPodsThatAreRefusedOneAfterTheOtherAreAFault(t *testing.T) {
	const rs = `{"apiVersion":"apps/v1","kind":"ReplicaSet","spec":{"replicas":1},"status":{"replicas":1,"fullyLabeledReplicas":1}}`
	over := func(name, reason string, ago time.Duration) Child {
		return child(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"creationTimestamp":%q},"spec":{"nodeName":"n1","containers":[{"name":"app"}]},"status":{"phase":"Failed","reason":%q,"message":"forbidden sysctl"}}`,
			name, noon.Add(-ago).Format(time.RFC3339), reason), Assessment{Status: Failed, Terminal: true})
	}
	bound := func(ago time.Duration) Child {
		return child(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"new","creationTimestamp":%q},"spec":{"nodeName":"n1"},"status":{"phase":"Pending"}}`, noon.Add(-ago).Format(time.RFC3339)), starting)
	}
	const s, m = time.Second, time.Minute
	series := func(reason string, agos ...time.Duration) (list []Child) {
		for i, a := range agos {
			list = append(list, over(fmt.Sprint("p", i), reason, a))
		}
		return list
	}
	const waits = "InProgress ReplicasUnavailable apps/ReplicaSet.availableReplicas"
	for name, c := range map[string]struct {
		children []Child
		want     string
	}{
		"for longer than the grace":            {append(series("SysctlForbidden", 40*s, 20*s, 1*s), bound(0)), "Failed SysctlForbidden apps/ReplicaSet.refused | 0 of 1 replicas available; node n1 refuses its pods: forbidden sysctl"},
		"within the grace":                     {series("SysctlForbidden", 9*s, 5*s, 1*s), "InProgress SysctlForbidden apps/ReplicaSet.refused recheck=21s"},
		"but now one starts":                   {append(series("SysctlForbidden", 40*s, 20*s, 10*s), bound(9*s)), waits},
		"long ago":                             {series("SysctlForbidden", 40*m, 39*m, 38*m), waits},
		"one long ago is of no series":         {series("SysctlForbidden", 40*m, 9*s, 5*s, 1*s), "InProgress SysctlForbidden apps/ReplicaSet.refused recheck=21s"},
		"two are no series":                    {series("SysctlForbidden", 40*s, 20*s), waits},
		"what was evicted had its time":        {series("Evicted", 40*s, 20*s, 1*s), waits},
		"and what ended by itself has a fault": {series("", 40*s, 20*s, 1*s), waits},
	} {
		wantCase(t, name, Assess(decode(t, rs), World{Children: c.children, ChildrenKnown: true}, noon), c.want)
	}
}

func replicaSetOf(t *testing.T, name, revision string, a Assessment) Child {
	return child(t, `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"`+name+`","annotations":{"deployment.kubernetes.io/revision":"`+revision+`"}}}`, a)
}

func TestADeploymentFollowsItsNewestReplicaSet(t *testing.T) {
	const deploy = `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":2,"progressDeadlineSeconds":600%s},"status":{"replicas":3,"updatedReplicas":%d,"readyReplicas":2,"availableReplicas":2,"conditions":[{"type":"Progressing","status":"True","reason":"ReplicaSetUpdated","lastUpdateTime":"2026-01-02T12:00:00Z"}]}}`
	old, next := replicaSetOf(t, "web-9", "9", fine), replicaSetOf(t, "web-10", "10", broken)
	a := Assess(decode(t, fmt.Sprintf(deploy, "", 1)), World{Children: []Child{next, old}, ChildrenKnown: true}, noon)
	wantCase(t, "the newest fails", a, "Failed ImagePullBackOff apps/Deployment.newReplicaSet | 1 of 2 replicas updated; ReplicaSet/web-10: no such image")
	if a.Child.Name != "web-10" || a.Terminal {
		t.Errorf("child %v, terminal %v", a.Child, a.Terminal)
	}
	next.Assessment.Child, next.Assessment.Message = object.ID{Kind: "Pod", Name: "web-10-x"}, "0 of 1 replicas available; Pod/web-10-x: no such image"
	a = Assess(decode(t, fmt.Sprintf(deploy, "", 1)), World{Children: []Child{next, old}, ChildrenKnown: true}, noon)
	wantCase(t, "its pod fails", a, "Failed ImagePullBackOff apps/Deployment.newReplicaSet | 1 of 2 replicas updated; Pod/web-10-x: no such image")
	next.Assessment = failing1
	a = Assess(decode(t, fmt.Sprintf(deploy, "", 1)), World{Children: []Child{next, old}, ChildrenKnown: true}, noon)
	wantCase(t, "within the grace", a, "InProgress ImagePullBackOff apps/Deployment.newReplicaSet recheck=30s")
	a = Assess(decode(t, fmt.Sprintf(deploy, `,"paused":true`, 1)), World{Children: []Child{next, old}, ChildrenKnown: true}, noon)
	wantCase(t, "paused while it fails", a, "InProgress ImagePullBackOff apps/Deployment.newReplicaSet paused recheck=30s")
	old.Assessment, next.Assessment = broken, starting
	a = Assess(decode(t, fmt.Sprintf(deploy, "", 1)), World{Children: []Child{next, old}, ChildrenKnown: true}, noon)
	wantCase(t, "only the old one fails", a, "InProgress ReplicasOutdated apps/Deployment.updatedReplicas deadline=10m0s")
}

func TestABrokenPodOfAnOrderedStatefulSetBlocksTheRest(t *testing.T) {
	const sts = `{"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"replicas":3%s},"status":{"replicas":1}}`
	a := Assess(decode(t, fmt.Sprintf(sts, "")), World{Children: []Child{podOf(t, "db-0", broken)}}, noon)
	wantCase(t, "in order", a, "Failed ImagePullBackOff apps/StatefulSet.pods")
	a = Assess(decode(t, fmt.Sprintf(sts, `,"podManagementPolicy":"Parallel"`)), World{Children: []Child{podOf(t, "db-0", broken)}}, noon)
	wantCase(t, "in parallel", a, "InProgress ImagePullBackOff apps/StatefulSet.pods")
}

func TestADaemonSetFailsWhenEveryMissingPodDoes(t *testing.T) {
	const ds = `{"apiVersion":"apps/v1","kind":"DaemonSet","status":{"desiredNumberScheduled":3,"currentNumberScheduled":3,"updatedNumberScheduled":3,"numberAvailable":1,"numberReady":1}}`
	a := Assess(decode(t, ds), World{Children: []Child{podOf(t, "a", broken), podOf(t, "b", starting)}}, noon)
	wantCase(t, "one of two", a, "InProgress ImagePullBackOff apps/DaemonSet.pods")
	a = Assess(decode(t, ds), World{Children: []Child{podOf(t, "a", broken), podOf(t, "b", broken)}}, noon)
	wantCase(t, "both", a, "Failed ImagePullBackOff apps/DaemonSet.pods")
}

func TestAJobShowsTheRetriesOfItsPods(t *testing.T) {
	const job = `{"apiVersion":"batch/v1","kind":"Job","spec":{"completions":2},"status":{"startTime":"2026-01-02T11:00:00Z","active":1,"failed":1}}`
	past := child(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"j-1"},"status":{"phase":"Failed"}}`, Assessment{Status: Failed, Reason: "Error", Message: "container a exited with code 1", Terminal: true})
	a := Assess(decode(t, job), World{Children: []Child{past, podOf(t, "j-2", starting)}, ChildrenKnown: true}, noon)
	wantCase(t, "a second attempt", a, "InProgress Running batch/Job.running | 0 of 2 completed, 1 running, 1 failed")
	if a.Retrying == nil || a.Retrying.LastError != "container a exited with code 1" || a.Retrying.Count != 1 || a.Child.Name != "j-1" {
		t.Errorf("retrying %+v, child %v", a.Retrying, a.Child)
	}
	a = Assess(decode(t, job), World{Children: []Child{past, podOf(t, "j-2", broken)}, ChildrenKnown: true}, noon)
	wantCase(t, "an attempt that cannot start", a, "Failed ImagePullBackOff batch/Job.pods | 0 of 2 completed, 1 running, 1 failed; Pod/j-2: no such image")

	const again = `{"apiVersion":"batch/v1","kind":"Job","spec":{"backoffLimit":100},"status":{"startTime":"2026-01-02T10:00:00Z","active":1}}`
	pod := decode(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"j-1"},"spec":{"restartPolicy":"OnFailure","nodeName":"n","containers":[{"name":"a"}]},
		"status":{"phase":"Running","containerStatuses":[{"name":"a","restartCount":30,"state":{"waiting":{"reason":"CrashLoopBackOff"}},
		"lastState":{"terminated":{"exitCode":1,"finishedAt":"2026-01-02T11:58:00Z"}}}]}}`)
	crashes := Child{Object: pod, Assessment: Assess(pod, World{}, noon)}
	wantCase(t, "a Pod that its Job restarts again and again", crashes.Assessment, "Failed CrashLoopBackOff Pod.containers")
	a = Assess(decode(t, again), World{Children: []Child{crashes}, ChildrenKnown: true}, noon)
	wantCase(t, "its Job, whose limit is higher", a, "InProgress CrashLoopBackOff batch/Job.running | 0 of 1 completed, 1 running; Pod/j-1: container a exited with code 1; restarted 30 times")
}

func TestAServiceNeedsAReadyEndpoint(t *testing.T) {
	const svc = `{"apiVersion":"v1","kind":"Service","spec":{"clusterIP":"10.0.0.1","selector":{"app":"web"}}}`
	slice := func(endpoints string) []Child {
		return []Child{child(t, `{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","endpoints":[`+endpoints+`]}`, fine)}
	}
	const up, down = `{"targetRef":{"kind":"Pod","name":"a"},"conditions":{"ready":true}}`, `{"targetRef":{"kind":"Pod","name":"b"},"conditions":{"ready":false}}`
	for name, c := range map[string]struct {
		w    World
		want string
	}{
		"children unknown": {World{}, "Current - Service.ready | cluster IP 10.0.0.1"},
		"unseen":           {World{Hidden: "may not list endpointslices"}, "Current - Service.ready assumed | cluster IP 10.0.0.1 (its endpoints cannot be seen: may not list endpointslices)"},
		"by Endpoints":     {World{ChildrenKnown: true, Children: []Child{child(t, `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"web"},"subsets":[{"notReadyAddresses":[{"ip":"10.1.1.1"}]}]}`, fine)}}, "InProgress NoReadyEndpoints Service.endpoints | 0 of 1 endpoints ready"},
		"no slice":         {World{ChildrenKnown: true}, "Current - Service.ready | cluster IP 10.0.0.1 (its selector matches no pod)"},
		"none ready":       {World{ChildrenKnown: true, Children: slice(down)}, "InProgress NoReadyEndpoints Service.endpoints | 0 of 1 endpoints ready"},
		"some ready":       {World{ChildrenKnown: true, Children: slice(up + "," + down)}, "Current - Service.ready | cluster IP 10.0.0.1 (1 of 2 endpoints ready)"},
		"all ready":        {World{ChildrenKnown: true, Children: slice(up)}, "Current - Service.ready | cluster IP 10.0.0.1"},
		"both families":    {World{ChildrenKnown: true, Children: append(slice(up), slice(up)...)}, "Current - Service.ready | cluster IP 10.0.0.1"},
	} {
		wantCase(t, name, Assess(decode(t, svc), c.w, noon), c.want)
	}
	if !NeedsChildren(decode(t, svc)) {
		t.Error("its children are not asked for")
	}
}

func TestAClaimOfALateBindingClassWaitsForNothing(t *testing.T) {
	class := func(mode string) func(object.ID) *object.Object {
		o := decode(t, `{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"fast"},"provisioner":"x","volumeBindingMode":"`+mode+`"}`)
		return func(id object.ID) *object.Object {
			if id == o.ID {
				return o
			}
			return nil
		}
	}
	o := decode(t, `{"apiVersion":"v1","kind":"PersistentVolumeClaim","spec":{"storageClassName":"fast","resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}}`)
	wantCase(t, "late", Assess(o, World{Lookup: class("WaitForFirstConsumer")}, noon), "Current WaitForFirstConsumer PersistentVolumeClaim.waitForFirstConsumer | is bound once a pod uses it (not bound: waits for its first consumer)")
	wantCase(t, "at once", Assess(o, World{Lookup: class("Immediate")}, noon), "InProgress VolumePending PersistentVolumeClaim.pending")
	wantCase(t, "unknown", Assess(o, World{}, noon), "InProgress VolumePending PersistentVolumeClaim.pending")
}

type userRules struct{ a Assessment }

func (u userRules) Judge(o *object.Object, _ time.Time) (Assessment, bool) {
	return u.a, o.Name == "mine"
}

func TestTheUsersRulesComeAfterDeletionAndStalenessAndBeforeAllElse(t *testing.T) {
	w := World{User: userRules{Assessment{Status: Failed, Rule: "mine.yaml", Message: "no"}}}
	for in, want := range map[string]string{
		`"metadata":{"name":"mine"},"spec":{"replicas":0},"status":{"conditions":7}`:          "Failed - mine.yaml user",
		`"metadata":{"name":"other"},"spec":{"replicas":0},"status":{"observedGeneration":1}`: "Current - apps/Deployment.done",
		`"metadata":{"name":"mine","generation":2},"status":{"observedGeneration":1}`:         "InProgress GenerationNotObserved generation.observed",
		`"metadata":{"name":"mine","deletionTimestamp":"2026-01-02T11:00:00Z"},"status":{}`:   "Terminating Deleting deletion",
	} {
		wantCase(t, in, Assess(decode(t, `{"apiVersion":"apps/v1","kind":"Deployment",`+in+`}`), w, noon), want)
	}
}

func TestSinceIsWhenThePresentStatusBegan(t *testing.T) {
	const pod = `{"apiVersion":"v1","kind":"Pod","status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":%q}]}}`
	ready := func(at string) string { return fmt.Sprintf(pod, at) }
	l := &live{t: t}
	if a := l.see(noon, ready("2026-01-02T11:00:00Z")); !a.Since.Equal(noon.Add(-time.Hour)) {
		t.Errorf("seen for the first time: since %v", a.Since)
	}
	if a := l.see(seconds(60), ready("2026-01-02T12:00:30Z")); !a.Since.Equal(noon.Add(-time.Hour)) {
		t.Errorf("a blip between two looks: since %v", a.Since)
	}
	if a := (&live{t: t}).see(noon, ready("2026-01-02T13:00:00Z")); !a.Since.Equal(noon) {
		t.Errorf("a clock ahead of ours: since %v", a.Since)
	}
}

// A finished rollout's Progressing keeps its date when the replicas are lost.
func TestADeploymentIsUnavailableSinceItLostItsReplicas(t *testing.T) {
	const lost = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","generation":1},"spec":{"replicas":1},"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,"conditions":[{"type":"Progressing","status":"True","reason":"NewReplicaSetAvailable","lastUpdateTime":"2026-01-02T11:00:00Z"},{"type":"Available","status":"False","lastTransitionTime":"2026-01-02T11:59:00Z"}]}}`
	a := (&live{t: t}).see(noon, lost)
	wantCase(t, "lost", a, "InProgress ReplicasUnavailable apps/Deployment.availableReplicas")
	if !a.Since.Equal(seconds(-60)) {
		t.Errorf("InProgress since %v", a.Since)
	}
}

// A server that never writes lastSuccessfulTime leaves it to the job to tell.
func TestACronJobWithoutLastSuccessfulTimeIsJudgedByItsLastJob(t *testing.T) {
	cron := `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"c","uid":"c"},"status":{"lastScheduleTime":"2026-01-02T11:00:00Z"}}`
	if !NeedsChildren(decode(t, cron)) {
		t.Error("its jobs are not asked for")
	}
	job := decode(t, `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"c-1","uid":"j"}}`)
	for child, want := range map[Status]string{
		Current: "Current - batch/CronJob.scheduled",
		Failed:  "Failed LastRunFailed batch/CronJob.lastRun",
	} {
		a := (&live{t: t}).see(noon, cron, Child{job, Assessment{Status: child, Message: "m"}})
		wantCase(t, "its last job is "+string(child), a, want)
	}
}

// A StatefulSet's counters hold a Pod that its controller is about to replace for
// a good one: while it ends it is ready, and updatedReplicas counts the Pods
// below the partition, too (computeReplicaStatus and updateStatefulSet in
// pkg/controller/statefulset/stateful_set_control.go, v1.36).
func TestAStatefulSetIsNotDoneWhileItsControllerReplacesAPod(t *testing.T) {
	pod := func(name, revision, more string) Child {
		return child(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"`+name+`","labels":{"controller-revision-hash":"`+revision+`"}`+more+`},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`, fine)
	}
	const ending = `,"deletionTimestamp":"2026-01-02T12:00:30Z","deletionGracePeriodSeconds":30`
	const canary = `"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":2}}`
	for name, c := range map[string]struct {
		spec, updated, update string
		children              []Child
		want                  string
	}{
		"a canary runs":              {canary, "1", "b", []Child{pod("db-0", "a", ""), pod("db-1", "a", ""), pod("db-2", "b", "")}, "Current - apps/StatefulSet.partition"},
		"it is given up":             {canary, "2", "a", []Child{pod("db-0", "a", ""), pod("db-1", "a", ""), pod("db-2", "b", "")}, "InProgress ReplicasTerminating apps/StatefulSet.leaving"},
		"and gone":                   {canary, "3", "a", []Child{pod("db-0", "a", ""), pod("db-1", "a", ""), pod("db-2", "a", "")}, "Current - apps/StatefulSet.done"},
		"one below it is let be":     {canary, "2", "a", []Child{pod("db-0", "a", ""), pod("db-1", "b", ""), pod("db-2", "a", "")}, "Current - apps/StatefulSet.done"},
		"OnDelete":                   {`"updateStrategy":{"type":"OnDelete"}`, "0", "b", []Child{pod("db-0", "a", ""), pod("db-1", "a", ""), pod("db-2", "a", "")}, "Current - apps/StatefulSet.onDelete"},
		"OnDelete, and one deleted":  {`"updateStrategy":{"type":"OnDelete"}`, "0", "b", []Child{pod("db-0", "a", ""), pod("db-1", "a", ""), pod("db-2", "a", ending)}, "InProgress ReplicasTerminating apps/StatefulSet.leaving"},
		"below the partition":        {canary, "1", "b", []Child{pod("db-0", "a", ending), pod("db-1", "a", ""), pod("db-2", "b", "")}, "InProgress ReplicasTerminating apps/StatefulSet.leaving"},
		"ordinals begin elsewhere":   {`"ordinals":{"start":1}`, "3", "a", []Child{pod("db-1", "a", ""), pod("db-2", "a", ""), pod("db-3", "a", "")}, "Current - apps/StatefulSet.done"},
		"as of now":                  {`"ordinals":{"start":1}`, "3", "a", []Child{pod("db-0", "a", ""), pod("db-1", "a", ""), pod("db-2", "a", "")}, "InProgress ReplicasTerminating apps/StatefulSet.leaving"},
		"the partition counts on it": {canary + `,"ordinals":{"start":1}`, "1", "b", []Child{pod("db-1", "a", ""), pod("db-2", "a", ""), pod("db-3", "b", "")}, "Current - apps/StatefulSet.partition"},
	} {
		o := `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"db","generation":3},"spec":{"replicas":3,` + c.spec + `},` +
			`"status":{"observedGeneration":3,"replicas":3,"readyReplicas":3,"updatedReplicas":` + c.updated + `,"currentRevision":"a","updateRevision":"` + c.update + `"}}`
		wantCase(t, name, (&live{t: t}).see(noon, o, c.children...), c.want)
	}
}

// A DaemonSet's counters hold a Pod for a ready one until it has ended
// (updateDaemonSetStatus in pkg/controller/daemon/daemon_controller.go, v1.36).
func TestADaemonSetIsNotDoneWhileItsPodIsBeingDeleted(t *testing.T) {
	const ds = `{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"log","generation":2},"spec":{"updateStrategy":{"type":"%s"}},` +
		`"status":{"observedGeneration":2,"desiredNumberScheduled":2,"currentNumberScheduled":2,"updatedNumberScheduled":%d,"numberReady":2,"numberAvailable":2,"numberMisscheduled":%d}}`
	pod := func(more string) Child {
		return child(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"log-1"`+more+`},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`, fine)
	}
	const ending = `,"deletionTimestamp":"2026-01-02T12:00:30Z"`
	see := func(strategy string, updated, misscheduled int, c Child) Assessment {
		return (&live{t: t}).see(noon, fmt.Sprintf(ds, strategy, updated, misscheduled), c)
	}
	wantCase(t, "OnDelete", see("OnDelete", 0, 0, pod("")), "Current - apps/DaemonSet.onDelete")
	wantCase(t, "OnDelete, and one deleted", see("OnDelete", 0, 0, pod(ending)), "InProgress PodsTerminating apps/DaemonSet.leaving")
	wantCase(t, "deleted by hand", see("RollingUpdate", 2, 0, pod(ending)), "InProgress PodsTerminating apps/DaemonSet.leaving")
	wantCase(t, "on a node that is to have none", see("RollingUpdate", 2, 1, pod(ending)), "Current - apps/DaemonSet.done")
}

// A parent that says what it waits for is no further than its parts (kro v0.9.4 writes
// Ready=False from the first second on).
func TestAParentOfAChildInProgressIsInProgress(t *testing.T) {
	const said = `{"apiVersion":"lab.example.org/v1","kind":"Shop","metadata":{"name":"five","generation":1},"status":{"state":"IN_PROGRESS","conditions":[{"type":"Ready","status":"False","reason":"NotReady","message":%q,"observedGeneration":1,"lastTransitionTime":"2026-01-02T11:58:00Z"}]}}`
	waiting := fmt.Sprintf(said, `apply results contain errors: waiting for node "web": node "web": failed to evaluate readyWhen expression (waiting for readiness)`)
	part := func(s Status) Child {
		return Child{&object.Object{ID: object.ID{Group: "apps", Kind: "Deployment", Name: "web"}}, Assessment{Status: s, Message: "0 of 1 replicas available"}}
	}
	for _, c := range []struct {
		name, obj string
		world     World
		want      Status
	}{
		{"a member is under way", waiting, World{Members: []Child{part(Current), part(InProgress)}}, InProgress},
		{"a child is under way", waiting, World{Children: []Child{part(InProgress)}}, InProgress},
		{"a member has failed", waiting, World{Members: []Child{part(InProgress), part(Failed)}}, Failed},
		{"nothing is under way", waiting, World{Members: []Child{part(Current)}}, Failed},
		{"nothing is known but its phase", waiting, World{Offline: true}, InProgress},
		{"nothing is known, and it has no phase", strings.Replace(waiting, `"state":"IN_PROGRESS",`, "", 1), World{Offline: true}, Failed},
		{"nothing is known, and its phase is a fault", strings.Replace(waiting, "IN_PROGRESS", "ERROR", 1), World{Offline: true}, Failed},
		{"it has no part", waiting, World{ChildrenKnown: true}, Failed},
		{"it waits no longer", fmt.Sprintf(said, "timeout waiting for: [Deployment/a/web status: 'InProgress']"), World{Members: []Child{part(InProgress)}}, Failed},
		{"it says another thing", fmt.Sprintf(said, "spec.replicas: Invalid value"), World{Members: []Child{part(InProgress)}}, Failed},
	} {
		if a := Assess(decode(t, c.obj), c.world, noon); a.Status != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, a.Status, a.Message, c.want)
		}
	}
}

// A custom workload is no further than its Pods (contract: a child fails, the parent has
// not given up). argo-rollouts v1.10.1 says Progressing until its deadline, and Degraded
// without a date after it.
func TestARolloutIsFailedWithItsNewestReplicaSet(t *testing.T) {
	rollout := func(phase string) string {
		return `{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"name":"web"},"spec":{"replicas":2},"status":{"phase":"` + phase + `","message":"more replicas need to be updated"}}`
	}
	set := func(created int, replicas int, a Assessment) Child {
		c := child(t, fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web-%d","creationTimestamp":%q},"spec":{"replicas":%d,"selector":{"matchLabels":{"a":"b"}}},"status":{"replicas":%d}}`,
			created, seconds(created).Format(time.RFC3339), replicas, replicas), fine)
		c.Assessment = a
		return c
	}
	failed := Assessment{Status: Failed, Reason: "ImagePullBackOff", Since: seconds(40)}
	failing := Assessment{Status: InProgress, Reason: "ImagePullBackOff", FaultSince: seconds(50), Recheck: seconds(80)}
	well := Assessment{Status: Current}
	for _, c := range []struct {
		name     string
		phase    string
		children []Child
		want     Status
	}{
		{"its newest has failed", "Progressing", []Child{set(0, 2, well), set(5, 1, failed)}, Failed},
		{"its newest begins to fail", "Progressing", []Child{set(0, 2, well), set(5, 1, failing)}, InProgress},
		{"an older one has failed", "Progressing", []Child{set(0, 2, failed), set(5, 1, well)}, InProgress},
		{"it says so itself, just now", "Degraded", []Child{set(0, 2, well), set(5, 1, failed)}, Failed},
		{"it says so itself, and nothing is known of its Pods", "Degraded", nil, InProgress},
		// A canary that crashes at a pause: a paused Deployment fails with its Pods, too.
		{"it is paused, and its newest has failed", "Paused", []Child{set(0, 2, well), set(5, 1, failed)}, Failed},
		{"it is paused, and its newest begins to fail", "Paused", []Child{set(0, 2, well), set(5, 1, failing)}, InProgress},
		{"it is paused, and an older one has failed", "Paused", []Child{set(0, 2, failed), set(5, 1, well)}, InProgress},
	} {
		a := Assess(decode(t, rollout(c.phase)), World{Children: c.children, ChildrenKnown: true, FirstSeen: seconds(60)}, seconds(60))
		if paused := c.phase == "Paused" && c.want == InProgress; a.Status != c.want || a.Paused != paused {
			t.Errorf("%s: %s %s (%s), paused %t, want %s, %t", c.name, a.Status, a.Reason, a.Message, a.Paused, c.want, paused)
		}
	}
}

// A custom object is no further than what its controller made for it, though it says nothing
// of its Pods: argoproj/argo-workflows#4229 (Running for ever), ray-project/kuberay#1990
// (Initializing), rabbitmq/cluster-operator#1814 (no condition but False).
func TestACustomObjectIsFailedWithItsParts(t *testing.T) {
	const (
		running    = `{"apiVersion":"argoproj.io/v1alpha1","kind":"Workflow","metadata":{"name":"it","generation":1},"status":{"phase":"Running"}}`
		unknown    = `{"apiVersion":"example.org/v1","kind":"Engine","metadata":{"name":"it"},"status":{"phase":"Provisioning"}}`
		suspended  = `{"apiVersion":"argoproj.io/v1alpha1","kind":"Workflow","metadata":{"name":"it"},"spec":{"suspend":true},"status":{"phase":"Running"}}`
		unobserved = `{"apiVersion":"example.org/v1","kind":"Engine","metadata":{"name":"it","generation":2},"status":{"phase":"Provisioning","lastObservedGeneration":1}}`
		silent     = `{"apiVersion":"argoproj.io/v1alpha1","kind":"Workflow","metadata":{"name":"it"}}`
		ignorant   = `{"apiVersion":"elasticsearch.k8s.elastic.co/v1","kind":"Elasticsearch","metadata":{"name":"it"},"status":{"health":"unknown","phase":"ApplyingChanges"}}`
	)
	pod := func(a Assessment) Child {
		return child(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"it-1"},"status":{"phase":"Pending"}}`, a)
	}
	ended := func(a Assessment) Child {
		return child(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"it-0"},"status":{"phase":"Failed"}}`, a)
	}
	leaving := func(a Assessment) Child {
		return child(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"it-0","deletionTimestamp":"2026-01-02T12:00:00Z"},"status":{"phase":"Pending"}}`, a)
	}
	set := func(a Assessment) Child {
		return child(t, `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"it"},"spec":{"replicas":1}}`, a)
	}
	job := func(a Assessment) Child {
		return child(t, `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"it"}}`, a)
	}
	service := func(a Assessment) Child {
		return child(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"it"}}`, a)
	}
	cluster := func(a Assessment) Child {
		return child(t, `{"apiVersion":"ray.io/v1","kind":"RayCluster","metadata":{"name":"it"}}`, a)
	}
	failed := Assessment{Status: Failed, Reason: "ImagePullBackOff", Message: "container main waits", Since: seconds(40)}
	failing := Assessment{Status: InProgress, Reason: "ErrImagePull", FaultSince: seconds(50), Recheck: seconds(80)}
	under, well := Assessment{Status: InProgress, Reason: "ContainerCreating"}, Assessment{Status: Current}
	over := Assessment{Status: Failed, Terminal: true, Reason: "BackoffLimitExceeded"}
	ofParts := Assessment{Status: Failed, Rule: failingParts, Reason: "ImagePullBackOff"}
	for _, c := range []struct {
		name   string
		object string
		parts  []Child
		want   Status
	}{
		{"its Pod has failed", running, []Child{pod(failed)}, Failed},
		{"and its kind is in no registry", unknown, []Child{pod(failed)}, Failed},
		{"beside one that runs", running, []Child{pod(failed), pod(well)}, Failed},
		{"beside one that starts", running, []Child{pod(failed), pod(under)}, InProgress},
		{"beside one that begins to fail", running, []Child{pod(failed), pod(failing)}, InProgress},
		{"what serves it waits for it", running, []Child{pod(failed), service(under)}, Failed},
		{"its StatefulSet has failed", unknown, []Child{set(failed)}, Failed},
		{"its Job fails", unknown, []Child{job(failed)}, Failed},
		{"its Job has failed for good, and it goes on", unknown, []Child{job(over)}, InProgress},
		{"an attempt has ended", running, []Child{ended(over)}, InProgress},
		{"its Pod is being replaced", running, []Child{leaving(failed)}, InProgress},
		{"what it made has parts that fail", unknown, []Child{cluster(ofParts)}, Failed},
		{"what it made has a fault of its own", unknown, []Child{cluster(failed)}, InProgress},
		{"what it made is under way", unknown, []Child{cluster(under), pod(failed)}, InProgress},
		{"it is suspended", suspended, []Child{pod(failed)}, InProgress},
		{"its last change is not observed", unobserved, []Child{pod(failed)}, InProgress},
		{"nobody has reported", silent, []Child{pod(failed)}, InProgress},
		{"it has no part", running, nil, InProgress},
		{"it does not know, and its StatefulSet has failed", ignorant, []Child{set(failed)}, Failed},
		{"it does not know, and its StatefulSet is under way", ignorant, []Child{set(under)}, Unknown},
		{"it does not know, and its StatefulSet is well", ignorant, []Child{set(well)}, Unknown},
	} {
		a := Assess(decode(t, c.object), World{Children: c.parts, ChildrenKnown: true, FirstSeen: seconds(60)}, seconds(60))
		if a.Status != c.want || a.Terminal {
			t.Errorf("%s: %s %s (%s), want %s", c.name, a.Status, a.Reason, a.Message, c.want)
		}
		if a.Status == Failed && (a.Reason != "ImagePullBackOff" || a.Child.IsZero()) {
			t.Errorf("%s: %s of %s, want its part's reason", c.name, a.Reason, a.Child)
		}
	}
	if a := Assess(decode(t, running), World{Children: []Child{pod(failing)}, ChildrenKnown: true}, seconds(60)); a.Reason != "ErrImagePull" || !a.Recheck.Equal(seconds(80)) {
		t.Errorf("while its Pod begins to fail: %s, again at %v", a.Reason, a.Recheck)
	}
}

// Their controllers never take the word back (dragonflydb/dragonfly-operator#589: its phase is
// Ready while its Pod is Pending for days), or mean by it that everything is applied
// (kroxylicious/kroxylicious#4906: Ready=True while its Deployment cannot pull the image), or
// never write a status (spotahome/redis-operator#667).
func TestAKindThatStaysReadyIsJudgedByItsChildren(t *testing.T) {
	const cache = `{"apiVersion":"dragonflydb.io/v1alpha1","kind":"Dragonfly","metadata":{"name":"it"},"status":{"phase":"Ready"}}`
	const proxy = `{"apiVersion":"kroxylicious.io/v1alpha1","kind":"KafkaProxy","metadata":{"name":"it","generation":1},"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"Ready","observedGeneration":1}]}}`
	const postgres = `{"apiVersion":"acid.zalan.do/v1","kind":"postgresql","metadata":{"name":"it"},"status":{"PostgresClusterStatus":"Running"}}`
	const silent = `{"apiVersion":"databases.spotahome.com/v1","kind":"RedisFailover","metadata":{"name":"it"}}`
	const other = `{"apiVersion":"lab.example.org/v1","kind":"Shop","metadata":{"name":"it"},"status":{"phase":"Ready"}}`
	part := func(kind, group string, a Assessment) Child {
		return child(t, fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"it"},"spec":{"replicas":1}}`, group, kind), a)
	}
	set := func(a Assessment) Child { return part("StatefulSet", "apps/v1", a) }
	failed := Assessment{Status: Failed, Reason: "Unschedulable", Message: "0 of 1 nodes fit", Since: seconds(40)}
	failing := Assessment{Status: InProgress, Reason: "Unschedulable", FaultSince: seconds(50), Recheck: seconds(80)}
	under, well := Assessment{Status: InProgress, Reason: "RollingOut", Message: "0 of 1 ready", Recheck: seconds(90)}, Assessment{Status: Current}
	for _, c := range []struct {
		name, object string
		parts        []Child
		want         string
	}{
		{"its StatefulSet has failed", cache, []Child{set(failed)}, "Failed Unschedulable"},
		{"its StatefulSet has failed, and it is Running", postgres, []Child{set(failed)}, "Failed Unschedulable"},
		{"its Deployment has failed", proxy, []Child{part("Deployment", "apps/v1", failed)}, "Failed Unschedulable"},
		{"its StatefulSet has failed, and it has no status", silent, []Child{set(failed)}, "Failed Unschedulable"},
		{"its StatefulSet is under way, and it has no status", silent, []Child{set(under)}, "InProgress RollingOut"},
		{"its StatefulSet is well, and it has no status", silent, []Child{set(well)}, "Current"},
		{"its StatefulSet begins to fail", cache, []Child{set(failing)}, "InProgress Unschedulable"},
		{"its StatefulSet is under way", cache, []Child{set(under)}, "InProgress RollingOut"},
		{"one is under way and another has failed", cache, []Child{set(failed), set(under)}, "InProgress RollingOut"},
		{"its StatefulSet is well", cache, []Child{set(well)}, "Current"},
		{"only its Service waits", cache, []Child{set(well), part("Service", "v1", under)}, "Current"},
		{"it is being deleted", cache, []Child{child(t, `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"it","deletionTimestamp":"2026-01-02T12:00:00Z"}}`, failed)}, "Current"},
		{"nothing is known of it", cache, []Child{set(Assessment{Status: Unknown})}, "Current"},
		{"it has no part", cache, nil, "Current"},
		{"another kind's word counts", other, []Child{set(failed)}, "Current"},
	} {
		o := decode(t, c.object)
		a := Assess(o, World{Children: c.parts, ChildrenKnown: true, FirstSeen: seconds(60)}, seconds(60))
		got := string(a.Status)
		if a.Status != Current {
			got += " " + a.Reason
		}
		if got != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, got, a.Message, c.want)
		}
		last := slices.IndexFunc(c.parts, func(p Child) bool { return p.Assessment.Reason == a.Reason })
		if a.Status != Current && (a.Child.IsZero() || !strings.Contains(a.Message, c.parts[last].Assessment.Message)) {
			t.Errorf("%s: %q of %s does not name its part", c.name, a.Message, a.Child)
		}
		if NeedsChildren(o) != (c.object != other) {
			t.Errorf("%s: its parts are followed: %v", c.name, NeedsChildren(o))
		}
	}
}

// Where everything of a namespace is followed, or was saved, no kind's word outweighs a
// workload that has failed: zalando/postgres-operator#2864 (Running), wildfly/wildfly-operator#109
// (ACTIVE), openebs/openebs#2945 (Healthy), OT-CONTAINER-KIT/redis-operator#1359 (Ready). What is
// under way leaves its owner ready, for it may be so for as long as a node is down. A Pod or a Job
// of its own may be an attempt: the target of a VirtualMachineInstance's migration fits nowhere.
func TestAFailedWorkloadOverrulesTheReadyOfItsOwner(t *testing.T) {
	const (
		shop      = `{"apiVersion":"lab.example.org/v1","kind":"Shop","metadata":{"name":"it","generation":1},"status":{"phase":"Ready"}}`
		cache     = `{"apiVersion":"dragonflydb.io/v1alpha1","kind":"Dragonfly","metadata":{"name":"it"},"status":{"phase":"Ready"}}`
		mongo     = `{"apiVersion":"mongodbcommunity.mongodb.com/v1","kind":"MongoDBCommunity","metadata":{"name":"it"},"status":{"phase":"Running"}}`
		quiet     = `{"apiVersion":"example.org/v1","kind":"Thing","metadata":{"name":"it"},"status":{"observedGeneration":1}}`
		asRequest = `{"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{"name":"it"},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`
	)
	part := func(group, kind string, a Assessment) Child {
		return child(t, fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"it"},"spec":{"replicas":1}}`, group, kind), a)
	}
	set := func(a Assessment) Child { return part("apps/v1", "StatefulSet", a) }
	failed := Assessment{Status: Failed, Reason: "CrashLoopBackOff", Message: "Pod/it-0: exit code 1", Since: seconds(40)}
	failing := Assessment{Status: InProgress, Reason: "CrashLoopBackOff", FaultSince: seconds(50), Recheck: seconds(80)}
	under, well := Assessment{Status: InProgress, Reason: "RollingOut"}, Assessment{Status: Current}
	ofParts := Assessment{Status: Failed, Rule: failingParts, Reason: "CrashLoopBackOff"}
	for _, c := range []struct {
		name, object string
		parts        []Child
		want         Status
	}{
		{"its StatefulSet has failed", shop, []Child{set(failed)}, Failed},
		{"and its kind has a row", mongo, []Child{set(failed)}, Failed},
		{"and it says nothing of itself", quiet, []Child{set(failed)}, Failed},
		{"its Deployment has failed, beside one that is well", shop, []Child{set(well), part("apps/v1", "Deployment", failed)}, Failed},
		{"its DaemonSet has failed, beside one that is under way", shop, []Child{part("apps/v1", "DaemonSet", failed), set(under)}, Failed},
		{"what it made has parts that fail", shop, []Child{part("lab.example.org/v1", "Till", ofParts)}, Failed},
		{"what it made has a fault of its own", shop, []Child{part("lab.example.org/v1", "Till", failed)}, Current},
		{"its StatefulSet begins to fail", shop, []Child{set(failing)}, Current},
		{"its StatefulSet is under way", shop, []Child{set(under)}, Current},
		{"its StatefulSet is well", shop, []Child{set(well)}, Current},
		{"a Pod of its own has failed", shop, []Child{child(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"it"},"status":{"phase":"Pending"}}`, failed)}, Current},
		{"a Job of its own has failed", asRequest, []Child{part("batch/v1", "Job", failed)}, Current},
		{"a StatefulSet that is being deleted", shop, []Child{child(t, `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"it","deletionTimestamp":"2026-01-02T12:00:00Z"}}`, failed)}, Current},
		{"of its own kind all parts count, as ever", cache, []Child{set(under)}, InProgress},
	} {
		w := World{Children: c.parts, ChildrenKnown: true, Searched: true, FirstSeen: seconds(60)}
		a := Assess(decode(t, c.object), w, seconds(60))
		if a.Status != c.want {
			t.Errorf("%s: %s %s (%s), want %s", c.name, a.Status, a.Reason, a.Message, c.want)
		}
		if a.Status == Failed && (a.Reason != "CrashLoopBackOff" || a.Child.IsZero()) {
			t.Errorf("%s: %s of %s, want its part's reason", c.name, a.Reason, a.Child)
		}
		w.Searched = false
		if a := Assess(decode(t, c.object), w, seconds(60)); a.Status != Current && c.object != cache && c.object != quiet {
			t.Errorf("%s, where parts are not looked for: %s (%s)", c.name, a.Status, a.Message)
		}
	}
}

// KubeRay v1.5.0 calls a cluster ready again whenever a crashed worker runs for a second.
func TestARayClusterIsNotCurrentBetweenTwoCrashes(t *testing.T) {
	const cluster = `{"apiVersion":"ray.io/v1","kind":"RayCluster","metadata":{"name":"ray","generation":1},"status":{"state":"ready","observedGeneration":1,"desiredWorkerReplicas":1,"availableWorkerReplicas":1,"readyWorkerReplicas":1,"conditions":[{"type":"HeadPodReady","status":"True"},{"type":"RayClusterProvisioned","status":"True"}]}}`
	crashes := func(at time.Time) []Child {
		pod := decode(t, fmt.Sprintf(crashing, "True", true, 3, `{"running":{"startedAt":"2026-01-02T12:00:00Z"}}`, "2026-01-02T11:59:50Z"))
		return []Child{{Object: pod, Assessment: Assess(pod, World{}, at)}}
	}
	o := decode(t, cluster)
	if !NeedsChildren(o) {
		t.Error("its Pods are not followed while it looks Current")
	}
	if a := Assess(o, World{Children: crashes(seconds(1)), ChildrenKnown: true}, seconds(1)); a.Status != InProgress || a.Reason != ReasonRestarting {
		t.Errorf("a second after the restart: %s %s (%s)", a.Status, a.Reason, a.Message)
	}
	if a := Assess(o, World{Children: crashes(seconds(900)), ChildrenKnown: true}, seconds(900)); a.Status != Current {
		t.Errorf("after a quarter of an hour: %s %s (%s)", a.Status, a.Reason, a.Message)
	}
	failed := child(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"ray-head"},"status":{"phase":"Pending"}}`, broken)
	provisioning := decode(t, `{"apiVersion":"ray.io/v1","kind":"RayCluster","metadata":{"name":"ray"},"status":{"conditions":[{"type":"HeadPodReady","status":"False"},{"type":"RayClusterProvisioned","status":"False"}]}}`)
	if a := Assess(provisioning, World{Children: []Child{failed}, ChildrenKnown: true}, noon); a.Status != Failed {
		t.Errorf("its head has failed: %s %s (%s)", a.Status, a.Reason, a.Message)
	}
}
