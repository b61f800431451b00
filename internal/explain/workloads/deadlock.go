package workloads

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/nodefit"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func init() { inspect.Detect(inspect.Detector{Kinds: []string{"apps/Deployment"}, Find: deadlock}) }

// deadlock finds RolloutDeadlock: the new Pod needs what an old Pod holds, and
// the strategy forbids removing the old one first, as the default strategy does
// with one replica (a quarter, rounded down).
func deadlock(in *inspect.Inspector) {
	w := in.Object.Workload
	if w == nil || !in.Object.Deleted.IsZero() || w.Paused || w.Strategy == "Recreate" || mayBeUnavailable(w) > 0 {
		return
	}
	children := in.Children(in.Object.ID)
	n := in.NewestReplicaSet(in.Object.ID)
	if n == nil {
		return
	}
	var old []*object.Object
	for _, rs := range children {
		if rs.Kind != "ReplicaSet" || rs == n {
			continue
		}
		for _, p := range in.Children(rs.ID) {
			if p.Pod != nil && p.Deleted.IsZero() && p.Pod.Node != "" && p.Pod.Phase == "Running" {
				old = append(old, p)
			}
		}
	}
	if len(old) == 0 {
		return
	}
	if quotaDeadlock(in, w, n, old) {
		return
	}
	for _, p := range in.Children(n.ID) {
		if p.Pod == nil || !p.Deleted.IsZero() {
			continue
		}
		what, holder := held(in, p, old)
		if what == "" {
			continue
		}
		f := in.Find(codes.RolloutDeadlock,
			"the new pod needs %s, which old pod %s holds, and the strategy forbids removing that first "+
				"(maxUnavailable %s)", what, holder.Name, maxUnavailable(w))
		f.Certainty = inspect.Likely
		f.Since = p.Created
		f.Key = what
		for _, q := range in.Children(n.ID) {
			if q.Pod != nil && len(f.Absorbs) < inspect.MaxObjects {
				f.Absorbs = append(f.Absorbs, q.ID)
			}
		}
		proveMaxUnavailable(in, f, w)
		f.ProveOn(holder.ID, "status.phase", holder.Pod.Phase)
		if x := p.ConditionIs("PodScheduled", "False"); x != nil {
			f.ProveCondition(p.ID, x)
		} else if e, ok := in.Event(p.ID, "FailedAttachVolume"); ok {
			f.ProveEvent(e)
		}
		// The old ReplicaSet would replace a deleted Pod.
		f.Next = []string{in.Kubectl("describe", "pod", p.Name)}
		f.Offer(in.Kubectl("patch", "deployment", in.Object.Name, "-p",
			`{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}`),
			"old Pods are deleted before new ones are created")
		return
	}
}

// quotaDeadlock finds RolloutDeadlock by a quota that the old Pods use up.
func quotaDeadlock(in *inspect.Inspector, w *object.Workload, n *object.Object, old []*object.Object) bool {
	x := n.Condition("ReplicaFailure")
	if x == nil || x.Status != "True" {
		return false
	}
	if slices.ContainsFunc(in.Children(n.ID),
		func(p *object.Object) bool { return p.Pod != nil && p.Deleted.IsZero() }) {
		return false // once it is ready, an old one is removed
	}
	d := message.Refused(x.Message)
	q, short := d.Name, d.Short
	if len(short) == 0 {
		return false
	}
	for _, s := range short { // a request above the limit would not fit without the old Pods either
		h, ok1 := object.ParseAmount(s.Limit)
		v, ok2 := object.ParseAmount(s.Asked)
		if ok1 && ok2 && v > h {
			return false
		}
	}
	f := in.Find(codes.RolloutDeadlock,
		"the new pods need room in quota %s (%s %s of %s used), which the old ones hold, "+
			"and the strategy forbids removing one of those first (maxUnavailable %s)",
		q, short[0].Resource, short[0].Used, short[0].Limit, maxUnavailable(w))
	f.Certainty = inspect.Likely
	f.Key = "quota " + q
	f.Absorbs = []object.ID{n.ID}
	f.Detail = message.Line(x.Message)
	proveMaxUnavailable(in, f, w)
	f.ProveCondition(n.ID, x)
	f.ProveOn(old[0].ID, "status.phase", old[0].Pod.Phase)
	f.Next = []string{in.Kubectl("describe", "quota", q)}
	f.Offer(in.Kubectl("patch", "deployment", in.Object.Name, "-p",
		`{"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":1}}}}`), "one old Pod may be deleted first")
	return true
}

// held is what a Pod of the newest revision waits for and an old one holds.
func held(in *inspect.Inspector, p *object.Object, old []*object.Object) (what string, holder *object.Object) {
	exclusive := false
	if x := p.ConditionIs("PodScheduled", "False"); x != nil {
		unfit := message.ParseSchedule(x.Message)
		filters := func(kind message.Filter) bool {
			return slices.ContainsFunc(unfit, func(u message.Unfit) bool { return u.Filter == kind })
		}
		for _, q := range old {
			if !filters(message.PortsTaken) {
				break
			}
			for _, port := range p.Pod.HostPorts {
				if nodefit.Clash([]object.Port{port}, q.Pod.HostPorts) {
					return "hostPort " + strconv.Itoa(int(port.Number)), q
				}
			}
		}
		if _, ok := in.Event(p.ID, "TriggeredScaleUp"); ok {
			return "", nil // a node is being added
		}
		for _, u := range unfit {
			need := nodefit.Requested(p, u.Name)
			for _, q := range old {
				if u.Filter == message.TooLittle && need > 0 && nodefit.Requested(q, u.Name) >= need {
					return nodefit.Amount(u.Name, need), q
				}
			}
		}
		exclusive = filters(message.OnePodVolume)
	}
	if e, ok := in.Event(p.ID, "FailedAttachVolume"); ok && p.Pod.Phase == "Pending" {
		exclusive = exclusive || message.Mount(e.Message).Step == message.AttachedElsewhere
	}
	if !exclusive {
		return "", nil
	}
	for _, u := range p.Pod.Uses {
		if u.Kind != "PersistentVolumeClaim" {
			continue
		}
		for _, q := range old {
			for _, v := range q.Pod.Uses {
				if u.Kind == v.Kind && u.Name == v.Name {
					return "volume claim " + u.Name, q
				}
			}
		}
	}
	return "", nil
}

// mayBeUnavailable resolves maxUnavailable as the controller does (kubernetes
// pkg/controller/deployment/util ResolveFenceposts, v1.36).
func mayBeUnavailable(w *object.Workload) int64 {
	s, percent := strings.CutSuffix(maxUnavailable(w), "%")
	n, _ := strconv.ParseInt(s, 10, 64)
	if percent {
		n = w.Replicas.Or(1) * n / 100
	}
	if n == 0 && strings.TrimSuffix(w.MaxSurge, "%") == "0" {
		return 1
	}
	return n
}

func maxUnavailable(w *object.Workload) string { return cmp.Or(w.MaxUnavailable, "25%") }

func proveMaxUnavailable(in *inspect.Inspector, f *inspect.Finding, w *object.Workload) {
	if w.MaxUnavailable != "" {
		f.Prove("spec.strategy.rollingUpdate.maxUnavailable", w.MaxUnavailable)
	}
}
