package status

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What the rules of workloads share.

// workload is a rule of a workload whose controller has written something.
func workload(r rule) rule {
	return viewed(func(j *judge) Assessment {
		o, w := j.o, j.o.Workload
		// At the creation the API server itself writes the counts that are not optional: zeros
		// (helm/helm#11101).
		counted := w.StatusReplicas.Set || w.Desired.Set || w.Ready.Set || w.Available.Set
		if o.Generation.Set {
			counted = w.StatusReplicas.V+w.Desired.V+w.Ready.V+w.Available.V > 0
		}
		if j.holds(!o.Observed.Set && !o.ObservedText.Set && len(o.Conditions) == 0 && !counted,
			"workload.silent", "its controller has not spoken yet", "status.observedGeneration") {
			return j.silent("")
		}
		return r(j)
	})
}

// replicaFailure reports whether condition i says that Pods cannot be created.
func (j *judge) replicaFailure(i int) bool {
	return j.holds(i >= 0, "replicaFailure", "pods cannot be created", "status.conditions[ReplicaFailure]")
}

// available formats "3 replicas available", or that none are wanted.
func available(n int64) string {
	if n == 0 {
		return "scaled to 0"
	}
	return count(n, "replica") + " available"
}

// inherit takes over a child's fault: Failed if the child is, otherwise
// InProgress with the child's reason. It does not hit for a child without a
// fault.
func (j *judge) inherit(rule, asks string, c *Child, message string) (Assessment, bool) {
	if !j.holds(c != nil && (c.Assessment.Status == Failed || !c.Assessment.FaultSince.IsZero()), rule, asks, "") {
		return Assessment{}, false
	}
	if c.Assessment.Message != "" {
		message += "; " + c.culprit()
	}
	a := j.progress(c.Assessment.Reason, message).since(c.Assessment.Since)
	a.Child, a.Recheck, a.FaultSince = c.Object.ID, c.Assessment.Recheck, c.Assessment.FaultSince
	if c.Assessment.Status == Failed {
		a.Status, a.FaultSince = Failed, time.Time{}
	}
	return a, true
}

// culprit names the faulty object and its fault: the child, or the descendant
// that the child's message is from.
func (c *Child) culprit() string {
	if !c.Assessment.Child.IsZero() {
		if _, rest, ok := strings.Cut(c.Assessment.Message, "; "); ok {
			return rest
		}
	}
	return c.Object.String() + ": " + c.Assessment.Message
}

// byPods is a, unless Pods fail: then it takes over their fault, Failed if as
// many fail as are missing, before that InProgress with the first one's reason.
func (j *judge) byPods(a Assessment, asks string, f failing, missing int64, message string) Assessment {
	b, hit := j.inherit("pods", asks, f.first, message)
	if !hit {
		return a
	}
	if b.Status == Failed && f.failed < missing {
		b.Status, b.FaultSince = InProgress, j.now
		if p := j.w.Prior; p != nil && !p.FaultSince.IsZero() {
			b.FaultSince = p.FaultSince
		}
	}
	return b
}

// unsettled is the assessment of a keeper of Pods that is Current by its own fields,
// which do not report restarts and lag behind its Pods': with a crashed Pod it
// is not Current.
func (j *judge) unsettled(a Assessment) Assessment {
	i := slices.IndexFunc(j.w.Children, func(c Child) bool { return c.crashes() })
	if !j.holds(i >= 0, restartingBelow, "a container below it crashed and has not run for long enough since", "") {
		if j.w.Hidden != "" {
			a.Note = strings.TrimPrefix(a.Note+"; its pods cannot be seen: "+j.w.Hidden, "; ")
		}
		return a
	}
	c := &j.w.Children[i]
	j.sure = Exact
	b := j.progress(c.Assessment.Reason, a.Message+"; "+c.culprit()).since(c.Assessment.Since)
	b.Child, b.Recheck, b.FaultSince = c.Object.ID, c.Assessment.Recheck, c.Assessment.FaultSince
	b.Deadline, b.DeadlineWhat = c.Assessment.Deadline, c.Assessment.DeadlineWhat
	return b
}

// restartingBelow is the rule of an object that a restarting Pod keeps from
// being Current.
const restartingBelow = "workload.restarting"

// crashes reports whether a child is a Pod that has crashed and is not settled,
// or an object blocked by one.
func (c *Child) crashes() bool {
	o, a := c.Object, &c.Assessment
	switch {
	case o == nil || !o.Deleted.IsZero() || a.Status != InProgress && a.Status != Failed:
		return false
	case o.Pod != nil:
		return len(a.Crashes) > 0 && o.Pod.Phase != "Failed"
	}
	return NeedsChildren(o) && (a.Rule == restartingBelow || a.Status == Failed || !a.FaultSince.IsZero())
}

// byNewest is the assessment of a custom workload whose newest part fails: what is under
// way has its part's fault, and a fault of its own is as old as that. It is no further
// than its Pods while its controller waits for its own deadline, or for somebody: a
// canary that crashes at a pause is not what the pause is for.
func (j *judge) byNewest(a Assessment) Assessment {
	if a.Terminal || a.Status != InProgress && !a.heals || !keepsPods(j.o) {
		return a
	}
	c := j.w.Children.newestPart()
	if !a.heals {
		if b, hit := j.inherit("workload.newest", "its newest part fails", c, a.Message); hit {
			b.Paused = a.Paused && b.Status != Failed
			return b
		}
		return a
	}
	if c == nil {
		return a
	}
	began := c.Assessment.FaultSince
	if c.Assessment.Status == Failed && !c.Assessment.Since.IsZero() {
		began = c.Assessment.Since.Add(-healGrace)
	}
	if !began.IsZero() && (a.Since.IsZero() || began.Before(a.Since)) {
		a.Since = began
	}
	return a
}

// byParts is the assessment of a custom object that is under way, or says that it does not
// know, while none of its parts is under way: where each one that is not Current fails, it has
// their fault. Many controllers say nothing of their Pods and wait for ever
// (argoproj/argo-workflows#4229, ray-project/kuberay#1990, rabbitmq/cluster-operator#1814), and
// Elasticsearch's health is unknown while nobody answers (elastic/cloud-on-k8s#4580). The newest
// part of a kind that replaces its parts is byNewest's affair.
//
// What says that it is ready is no further than its parts either. Of kinds that stay ready
// whatever becomes of their parts, all of these count; of any other the workloads that have
// failed, where parts are looked for: what its controller wrote is older than that. Of a kind
// that says nothing of itself, the objects of its own API group count: a ClusterProfile of Sveltos
// reports in its ClusterSummaries alone (projectsveltos/addon-controller#1663).
func (j *judge) byParts(a Assessment) Assessment {
	if j.sure == User || a.Paused || a.heals || a.silent {
		return a
	}
	says := cmp.Or(a.Confidence, j.sure) != Assumed
	ready, all := a.Status == Current && (j.w.Searched || keepsParts(j.o)), a.Status != Current || keepsParts(j.o)
	if a.Status != InProgress && a.Status != Unknown && !ready || a.Reason == reasonNotObserved ||
		a.Reason == reasonJustApplied ||
		keepsPods(j.o) && j.w.Children.newestPart() != nil {
		return a
	}
	var failing *Child
	for i := range j.w.Children {
		c := &j.w.Children[i]
		switch s := c.Assessment.Status; {
		case !says && keepsParts(j.o) && s == Failed && !c.Assessment.Terminal &&
			c.Object != nil && c.Object.Group == j.o.Group && c.Object.Deleted.IsZero():
			failing = c
		case !c.runs() || s == Current, !all && (s != Failed || !c.lasts()):
		case s == InProgress && c.Assessment.FaultSince.IsZero(), s == Unknown:
			if !j.holds(ready && s != Unknown, failingParts,
				"it says that it is ready, and a part of it is under way", "") {
				return a
			}
			b := j.progress(c.Assessment.Reason,
				strings.TrimPrefix(a.Message+"; "+c.culprit(), "; ")).since(c.Assessment.Since)
			b.Child, b.Recheck = c.Object.ID, c.Assessment.Recheck
			b.Deadline, b.DeadlineWhat = c.Assessment.Deadline, c.Assessment.DeadlineWhat
			return b
		case failing == nil || s != Failed: // who fails last decides when
			failing = c
		}
	}
	if b, hit := j.inherit(failingParts, "each of its parts that is not Current fails", failing, a.Message); hit {
		return b
	}
	return a
}

// byNamedParts is the assessment of an object that is Current by its own word, and names
// objects that were made for it without which it does not work: with one of them failing it
// has that fault. A part that is only under way does not count: an Ingress works with its old
// certificate while the next one is issued.
func byNamedParts(j *judge, a Assessment) Assessment {
	if j.w.Lookup == nil || j.w.Judged == nil {
		return a
	}
	for _, id := range edges.Parts(j.o) {
		part := j.w.Lookup(id)
		if part == nil || !edges.IsChild(j.o, part) {
			continue
		}
		judged, known := j.w.Judged(id)
		if !known {
			continue
		}
		c := Child{Object: part, Assessment: judged}
		if b, hit := j.inherit(FailingPart, "an object that was made for it fails", &c, a.Message); hit {
			return b
		}
	}
	return a
}

// FailingPart is the rule of an object with a failing part that it names (edges.Parts).
const FailingPart = "parts.named"

// failingParts is the rule of an object whose parts fail.
const failingParts = "parts"

// runs reports whether a child is a part that is meant to run: a Pod, what makes Pods, or
// an object whose own parts fail. What has ended or is being deleted is no part any more:
// it is tried again, or the parent says that it was given up.
func (c *Child) runs() bool {
	o := c.Object
	switch {
	case o == nil || !o.Deleted.IsZero() || c.Assessment.Terminal:
		return false
	case o.Pod != nil:
		return o.Pod.Phase != "Succeeded" && o.Pod.Phase != "Failed"
	case o.Workload != nil, o.Job != nil:
		return true
	}
	custom := rules[groupKind{o.Group, o.Kind}] == nil
	return custom && (c.Assessment.Rule == failingParts ||
		c.Assessment.Status == InProgress && c.Assessment.FaultSince.IsZero())
}

// lasts reports whether a part is meant to run for as long as its owner. A Pod or a Job of its
// own may be an attempt, as the target of a migration or a hook.
func (c *Child) lasts() bool {
	switch c.Object.GroupKind() {
	case "apps/Deployment", "apps/StatefulSet", "apps/DaemonSet":
		return true
	}
	return c.Assessment.Rule == failingParts
}

// nodeSelector formats "disk=ssd,zone=a".
func nodeSelector(labels []object.Label) string {
	parts := make([]string, len(labels))
	for i, l := range labels {
		parts[i] = l.Key + "=" + l.Value
	}
	return strings.Join(parts, ",")
}
