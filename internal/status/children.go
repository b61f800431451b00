package status

import (
	"iter"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Children are an object's children, in stable order.
type Children []Child

// Child is a child with its own assessment.
type Child struct {
	Object     *object.Object
	Assessment Assessment
}

// objects are the children without their assessments.
func (list Children) objects() iter.Seq[*object.Object] {
	return func(yield func(*object.Object) bool) {
		for i := range list {
			if !yield(list[i].Object) {
				return
			}
		}
	}
}

// newest is the youngest child that wanted accepts, or nil.
func (list Children) newest(wanted func(*Child) bool) *Child {
	var last *Child
	for i := range list {
		c := &list[i]
		if c.Object != nil && wanted(c) && (last == nil || c.Object.Created.After(last.Object.Created)) {
			last = c
		}
	}
	return last
}

// newestPart is the youngest child that keeps Pods and is not being deleted, or nil.
func (list Children) newestPart() *Child {
	return list.newest(func(c *Child) bool { return c.Object.Deleted.IsZero() && keepsPods(c.Object) })
}

// newestReplicaSet is the ReplicaSet of the current rollout, or nil.
func (list Children) newestReplicaSet() *Child {
	newest := kinds.NewestReplicaSet(list.objects())
	for i := range list {
		if c := &list[i]; newest != nil && c.Object == newest {
			return c
		}
	}
	return nil
}

// lastFailedPod is the Pod that failed last, or nil.
func (list Children) lastFailedPod() *Child {
	return list.newest(func(c *Child) bool { return c.Object.Pod != nil && c.Object.Pod.Phase == "Failed" })
}

// endpointSlices are those of a Service.
func (list Children) endpointSlices() (out []*object.Object) {
	for o := range list.objects() {
		if o != nil && o.Endpoints != nil && o.Kind == "EndpointSlice" {
			out = append(out, o)
		}
	}
	return out
}

// failing counts the failing Pods among the children, and holds their
// representative: the first Failed one, otherwise the first with a fault.
type failing struct {
	failed, live int64
	first        *Child
}

// failingPods counts the children that are Pods and have not ended.
func (list Children) failingPods() (f failing) {
	for i := range list {
		c := &list[i]
		o := c.Object
		if o == nil || o.Pod == nil || !o.Deleted.IsZero() || o.Pod.Phase == "Succeeded" || o.Pod.Phase == "Failed" {
			continue
		}
		f.live++
		switch {
		case c.countedCrash():
		case c.Assessment.Status == Failed:
			if f.failed == 0 {
				f.first = c
			}
			f.failed++
		case !c.Assessment.FaultSince.IsZero() && f.first == nil:
			f.first = c
		}
	}
	return f
}

// countedCrash reports whether a child is a Pod that crashes and whose restarts count
// towards its Job's limit: the Job goes on until it is reached.
func (c *Child) countedCrash() bool {
	o, retrying := c.Object, c.Assessment.Retrying
	return o != nil && o.Pod != nil && retrying != nil && retrying.Count > 0 && counted(o)
}
