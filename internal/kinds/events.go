package kinds

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// An obstacle is what Kubernetes' controllers report in events alone: an object cannot
// get what it waits for. They repeat it while that lasts, and report the success.
type obstacle struct {
	kinds string // of the objects
	fails string // the reasons that report the obstacle
	says  string // what the message of these contains, if that tells it from another
	ends  string // the reasons that report its end
}

var obstacles = []obstacle{
	{"ReplicaSet ReplicationController StatefulSet DaemonSet Job", "FailedCreate", "", "SuccessfulCreate"},
	{"Pod", "FailedAttachVolume", "", "SuccessfulAttachVolume Pulling Pulled Created Started"},
	// What the kubelet does before it starts a container (kubernetes v1.36 pkg/kubelet/events/event.go).
	{
		"Pod", "FailedMount FailedMapVolume FailedCreatePodSandBox NetworkNotReady FailedPrepareDynamicResources " +
			"FailedCreatePodContainer", "", "Pulling Pulled Created Started",
	},
	// AllocationFailed and IPAllocated are MetalLB's; Kubernetes before 1.15 wrote
	// CreatingLoadBalancerFailed and CreatedLoadBalancer.
	{
		"Service", "SyncLoadBalancerFailed CreatingLoadBalancerFailed UnAvailableLoadBalancer AllocationFailed",
		"", "EnsuredLoadBalancer UpdatedLoadBalancer CreatedLoadBalancer IPAllocated",
	},
	// A class that does not exist is reported by another controller than a volume that
	// cannot be made. Who asks the provisioner has found the class.
	{
		"PersistentVolumeClaim", "ProvisioningFailed", "storageclass.storage.k8s.io",
		"ExternalProvisioning Provisioning ProvisioningSucceeded WaitForFirstConsumer",
	},
	// WaitForFirstConsumer means that no Pod asks for the volume any more.
	{"PersistentVolumeClaim", "ProvisioningFailed", "", "ProvisioningSucceeded WaitForFirstConsumer"},
}

// obstacleKept is how long an event counts that is not repeated: the controllers try
// again after at most 16 minutes (the default rate limiter of client-go's workqueue, 1000
// seconds).
const obstacleKept = 20 * time.Minute

// Obstructed returns the newest event that says what an object cannot get, when that
// began, and until when the event counts; ok is false if no such event holds any more. newestPod
// is when the newest Pod of the object was created, or zero.
func Obstructed(
	o *object.Object, events []object.Event, newestPod, now time.Time,
) (e object.Event, began, until time.Time, ok bool) {
	for i := range events {
		ev := &events[i]
		ended, known := obstacleEnd(o, ev, events, newestPod)
		if known && !ended.After(ev.Last) && !ev.Last.Before(e.Last) && now.Before(ev.Last.Add(obstacleKept)) {
			e, until, ok = *ev, ev.Last.Add(obstacleKept), true
		}
	}
	if ok {
		began = Began(o, e, events, newestPod)
	}
	return e, began, until, ok
}

// Began is when the series of Warning events began that e belongs to. Events of one reason are a
// series although their messages differ: a message may contain the ID of a request, which is
// another one at each attempt. A series ends when an event reports success, or when there was no
// event for obstacleKept.
func Began(o *object.Object, e object.Event, events []object.Event, newestPod time.Time) time.Time {
	ended, _ := obstacleEnd(o, &e, events, newestPod)
	began := e.First
	for again := true; again; {
		again = false
		for i := range events {
			x := &events[i]
			if x.Reason == e.Reason && x.Type == e.Type && !x.First.IsZero() && x.First.Before(began) &&
				x.Last.After(ended) && !x.Last.Add(obstacleKept).Before(began) {
				began, again = x.First, true
			}
		}
	}
	return latest(began, ended)
}

// Over reports whether what an event says that an object cannot get has been got since:
// the controllers have reported it, or a Pod was created after the event (newestPod).
func Over(o *object.Object, e object.Event, events []object.Event, newestPod time.Time) bool {
	ended, known := obstacleEnd(o, &e, events, newestPod)
	return known && ended.After(e.Last)
}

// obstacleEnd is when the obstacle that an event reports last came to an end; zero if it
// never did. known is false if the event reports no obstacle of such an object.
func obstacleEnd(
	o *object.Object, e *object.Event, events []object.Event, newestPod time.Time,
) (at time.Time, known bool) {
	for _, x := range obstacles {
		if slices.Contains(strings.Fields(x.kinds), o.Kind) && slices.Contains(strings.Fields(x.fails), e.Reason) &&
			strings.Contains(e.Message, x.says) {
			return latest(newestPod, x.ended(events)), true
		}
	}
	return time.Time{}, false
}

// Awaits reports whether an object of a kind that has obstacles waits for something: for
// its Pods, for being started, for a load balancer, for a volume.
func Awaits(o *object.Object) bool {
	switch w := o.Workload; {
	case w != nil && o.Kind == "DaemonSet":
		return w.Desired.V > w.Current.V
	case w != nil:
		return w.Replicas.Or(1) > w.StatusReplicas.V
	case o.Job != nil:
		return o.Job.Active.V < o.Job.Parallelism.Or(1)
	case o.Pod != nil:
		return o.Pod.Phase == "Pending" && o.Pod.Node != ""
	case o.Service != nil:
		return AwaitsLoadBalancer(o.Service)
	}
	return o.Claim != nil
}

// ended is when the controllers last reported the end of an obstacle; zero if they have not.
func (x obstacle) ended(events []object.Event) (at time.Time) {
	for i := range events {
		if slices.Contains(strings.Fields(x.ends), events[i].Reason) {
			at = latest(at, events[i].Last)
		}
	}
	return at
}

// Repeated returns the newest Warning event of an object whose controller reports the
// same again and again, and still does; false if there is none.
func Repeated(events []object.Event, now time.Time) (e object.Event, until time.Time, ok bool) {
	for i := range events {
		ev := &events[i]
		times := 0
		for k := range events {
			if events[k].Reason == ev.Reason && events[k].Warns() {
				times += max(events[k].Count, 1)
			}
		}
		if ev.Warns() && times > 1 && !ev.Last.Before(e.Last) && now.Before(ev.Last.Add(obstacleKept)) {
			e, until, ok = *ev, ev.Last.Add(obstacleKept), true
		}
	}
	return e, until, ok
}

// ScheduleRefused returns the newest event by which the CronJob controller says that no
// run will start: it cannot read a schedule or its time zone (kubernetes
// pkg/controller/cronjob, v1.36), or more than 100 start times were missed, which stopped
// the controller of kubernetes v1.20 and before for good (FailedNeedsStart). False if
// there is none, or a run or a change of the spec has come after it.
func ScheduleRefused(o *object.Object, events []object.Event) (e object.Event, ok bool) {
	c := o.CronJob
	for i := range events {
		switch ev := &events[i]; ev.Reason {
		case "UnparseableSchedule", "InvalidSchedule", "UnknownTimeZone", "FailedNeedsStart":
			if !CameAfter(o, ev) && !ev.Last.Before(e.Last) {
				e, ok = *ev, true
			}
		}
	}
	return e, ok && !c.Suspend
}

// RunRefused returns the newest event by which the CronJob controller reports that it could not
// create the Job of a run (kubernetes v1.36, pkg/controller/cronjob, syncCronJob); false if there
// is none, or a run or a change of the spec has come after it. newest is when the newest known Job
// of it was made. The time of a run in the status is its scheduled one, so a Job that was created
// at the second attempt is seen by its event alone.
func RunRefused(o *object.Object, events []object.Event, newest time.Time) (e object.Event, ok bool) {
	created := newest
	for i := range events {
		switch ev := &events[i]; ev.Reason {
		case "FailedCreate":
			if !ev.Last.Before(e.Last) {
				e, ok = *ev, true
			}
		case "SuccessfulCreate":
			created = latest(created, ev.Last)
		}
	}
	return e, ok && !o.CronJob.Suspend && created.Before(e.Last) && !CameAfter(o, &e)
}

// CameAfter reports whether a run of a CronJob or a change of its spec has come after an
// event about it.
func CameAfter(o *object.Object, e *object.Event) bool {
	c := o.CronJob
	return c.LastSchedule.After(e.Last) || c.LastSuccess.After(e.Last) || o.Changed.After(e.Last.Add(2*time.Second))
}

// nodePatience is how long a new node may take (the cluster autoscaler's
// --max-node-provision-time).
const nodePatience = 15 * time.Minute

// NodeOnItsWay returns until when a node is awaited that an autoscaler has ordered for a
// Pod; false if none has been, or the autoscaler has given up since.
func NodeOnItsWay(events []object.Event, now time.Time) (until time.Time, ok bool) {
	var ordered, refused time.Time
	for i := range events {
		switch e := &events[i]; {
		case e.Reason == "TriggeredScaleUp", e.Reason == "Nominated" && strings.Contains(e.Message, "node"):
			// Karpenter: "Pod should schedule on: nodeclaim/x"
			ordered = latest(ordered, e.Last)
		case e.Reason == "NotTriggerScaleUp", e.Reason == "NoCompatibleInstanceTypes",
			e.Reason == "InsufficientCapacityError":
			refused = latest(refused, e.Last)
		}
	}
	until = ordered.Add(nodePatience)
	return until, !ordered.IsZero() && !refused.After(ordered) && now.Before(until)
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
