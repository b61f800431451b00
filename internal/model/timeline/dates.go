package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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

// dates are the newest dates of an object and its descendants before a time,
// oldest first.
func dates(n *world.Node, before time.Time) (out []Date) {
	world.Walk(n, func(n *world.Node) bool {
		o := n.Object
		if o == nil {
			return true
		}
		add := func(at time.Time, what string) {
			if !at.IsZero() && at.Before(before) {
				out = append(out, Date{at, *n.ID, what})
			}
		}
		add(o.Created, "created")
		add(o.Deleted, "deletion requested")
		for _, c := range o.Conditions {
			add(c.LastTransitionTime, strings.TrimSuffix(c.Type+" became "+c.Status+" ("+c.Reason+")", " ()"))
		}
		for i := 0; o.Pod != nil && i < len(o.Pod.Containers); i++ {
			c := &o.Pod.Containers[i]
			for _, s := range []*object.ContainerState{c.Last(), &c.State} {
				add(s.Started, "container "+c.Name+" started")
				add(s.Finished, fmt.Sprintf("container %s exited with %d (%s)", c.Name, s.ExitCode, s.Reason))
			}
		}
		return true
	})
	slices.SortStableFunc(out, func(a, b Date) int { return cmp.Or(a.At.Compare(b.At), a.ID.Compare(b.ID)) })
	return out[max(0, len(out)-datesShown):]
}
