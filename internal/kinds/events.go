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
	ends  string // the reasons that report its end
}

var obstacles = []obstacle{
	{"ReplicaSet ReplicationController StatefulSet DaemonSet Job", "FailedCreate", "SuccessfulCreate"},
	{"Pod", "FailedAttachVolume", "SuccessfulAttachVolume Pulling Pulled Created Started"},
	{"Pod", "FailedMount FailedMapVolume FailedCreatePodSandBox", "Pulling Pulled Created Started"},
	{"Service", "SyncLoadBalancerFailed", "EnsuredLoadBalancer"},
	{"PersistentVolumeClaim", "ProvisioningFailed", "ProvisioningSucceeded"},
}

// obstacleKept is how long an event counts that is not repeated: the controllers try
// again after at most 16 minutes (the default rate limiter of client-go's workqueue, 1000
// seconds).
const obstacleKept = 20 * time.Minute

// Obstructed returns the newest event that says what an object cannot get, when that
// began, and until when the event counts; false if there is none that still holds. An
// object made for it after the event (newest; zero if there is none) ends it, too.
func Obstructed(o *object.Object, events []object.Event, newest, now time.Time) (e object.Event, began, until time.Time, ok bool) {
	for _, x := range obstacles {
		if !slices.Contains(strings.Fields(x.kinds), o.Kind) {
			continue
		}
		ended := latest(newest, x.ended(events))
		for i := range events {
			if ev := &events[i]; slices.Contains(strings.Fields(x.fails), ev.Reason) && ev.Last.After(ended) && !ev.Last.Before(e.Last) && now.Before(ev.Last.Add(obstacleKept)) {
				e, began, until, ok = *ev, ev.First, ev.Last.Add(obstacleKept), true
				if ended.After(began) {
					began = ended
				}
			}
		}
	}
	return e, began, until, ok
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

// Over reports whether the controllers have reported, after an event about an object, that it has
// got what the event says it cannot get.
func Over(o *object.Object, e object.Event, events []object.Event) bool {
	return slices.ContainsFunc(obstacles, func(x obstacle) bool {
		return slices.Contains(strings.Fields(x.kinds), o.Kind) && slices.Contains(strings.Fields(x.fails), e.Reason) && x.ended(events).After(e.Last)
	})
}

// Repeated returns the newest Warning event of an object whose controller reports the
// same again and again, and still does; false if there is none.
func Repeated(events []object.Event, now time.Time) (e object.Event, until time.Time, ok bool) {
	for i := range events {
		ev := &events[i]
		times := 0
		for k := range events {
			if events[k].Reason == ev.Reason && events[k].Type == "Warning" {
				times += max(events[k].Count, 1)
			}
		}
		if ev.Type == "Warning" && times > 1 && !ev.Last.Before(e.Last) && now.Before(ev.Last.Add(obstacleKept)) {
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
		case e.Reason == "TriggeredScaleUp", e.Reason == "Nominated" && strings.Contains(e.Message, "node"): // Karpenter: "Pod should schedule on: nodeclaim/x"
			ordered = latest(ordered, e.Last)
		case e.Reason == "NotTriggerScaleUp", e.Reason == "NoCompatibleInstanceTypes", e.Reason == "InsufficientCapacityError":
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
