package model

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Date is an event before following began, dated by the object itself.
type Date struct {
	At   time.Time
	ID   object.ID
	What string // "created", "Ready became False (ContainersNotReady)"
}

// datesShown bounds the dates in the timeline.
const datesShown = 30

// Dates returns the newest of the timeline's dates, oldest first.
func (t *timeline) Dates() []Date {
	n := t.seenNode()
	if t.whole || n == nil {
		return nil
	}
	var out []Date
	eachDate(n, func(d Date) {
		if !d.At.IsZero() && d.At.Before(t.opt.Now) {
			out = append(out, d)
		}
	})
	slices.SortStableFunc(out, func(a, b Date) int { return cmp.Or(a.At.Compare(b.At), a.ID.Compare(b.ID)) })
	return out[max(0, len(out)-datesShown):]
}

// eachDate calls tell for the dates of a node and its descendants.
func eachDate(n *world.Node, tell func(Date)) {
	if o := n.Object; o != nil {
		tell(Date{o.Created, *n.ID, "created"})
		tell(Date{o.Deleted, *n.ID, "deletion requested"})
		for _, c := range o.Conditions {
			what := c.Type + " became " + c.Status
			if c.Reason != "" {
				what += " (" + c.Reason + ")"
			}
			tell(Date{c.LastTransitionTime, *n.ID, what})
		}
		if o.Pod != nil {
			for i := range o.Pod.Containers {
				c := &o.Pod.Containers[i]
				for _, s := range []*object.ContainerState{c.Last(), &c.State} {
					tell(Date{s.Started, *n.ID, "container " + c.Name + " started"})
					tell(Date{s.Finished, *n.ID, fmt.Sprintf("container %s exited with %d (%s)", c.Name, s.ExitCode, s.Reason)})
				}
			}
		}
	}
	for _, k := range n.Kids {
		eachDate(k, tell)
	}
}
