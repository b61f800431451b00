package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// deadlock finds RolloutDeadlock: the new Pod needs what an old Pod holds, and
// the strategy forbids removing the old one first, as the default strategy does
// with one replica (a quarter, rounded down).
func deadlock(l *look) {
	w := l.o.Workload
	if w == nil || !l.o.Deleted.IsZero() || w.Paused || w.Strategy == "Recreate" || mayBeUnavailable(w) > 0 {
		return
	}
	children := l.s.Children(l.o.ID)
	n := newest(children)
	if n == nil {
		return
	}
	var old []*object.Object
	for _, rs := range children {
		if rs.Kind != "ReplicaSet" || rs == n {
			continue
		}
		for _, p := range l.s.Children(rs.ID) {
			if p.Pod != nil && p.Deleted.IsZero() && p.Pod.Node != "" && p.Pod.Phase == "Running" {
				old = append(old, p)
			}
		}
	}
	if len(old) == 0 {
		return
	}
	if l.quotaDeadlock(w, n, old) {
		return
	}
	for _, p := range l.s.Children(n.ID) {
		if p.Pod == nil || !p.Deleted.IsZero() {
			continue
		}
		what, holder := l.held(p, old)
		if what == "" {
			continue
		}
		f := l.find("RolloutDeadlock", "the new pod needs %s, which old pod %s holds, and the strategy forbids removing that first (maxUnavailable %s)", what, holder.Name, maxUnavailable(w))
		f.Certainty = Likely
		f.Since = p.Created
		f.Key = what
		for _, q := range l.s.Children(n.ID) {
			if q.Pod != nil && len(f.Absorbs) < MaxObjects {
				f.Absorbs = append(f.Absorbs, q.ID)
			}
		}
		l.proveMaxUnavailable(f, w)
		f.prove(holder.ID, "status.phase", holder.Pod.Phase)
		if x := p.ConditionIs("PodScheduled", "False"); x != nil {
			f.proveCondition(p.ID, x)
		}
		// The old ReplicaSet would replace a deleted Pod.
		f.Next = []string{l.kubectl("describe", "pod", p.Name)}
		f.offer(l.kubectl("patch", "deployment", l.o.Name, "-p", `{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}`), "old Pods are deleted before new ones are created")
		return
	}
}

// quotaDeadlock finds RolloutDeadlock by a quota that the old Pods use up.
func (l *look) quotaDeadlock(w *object.Workload, n *object.Object, old []*object.Object) bool {
	x := n.Condition("ReplicaFailure")
	if x == nil || x.Status != "True" || !strings.Contains(x.Message, "exceeded quota: ") {
		return false
	}
	if slices.ContainsFunc(l.s.Children(n.ID), func(p *object.Object) bool { return p.Pod != nil && p.Deleted.IsZero() }) {
		return false // once it is ready, an old one is removed
	}
	m := headline(x.Message)
	q, short := exceeded(m)
	if len(short) == 0 {
		return false
	}
	for _, s := range short { // a request above the limit would not fit without the old Pods either
		h, ok1 := object.ParseAmount(s.limit)
		v, ok2 := object.ParseAmount(s.asked)
		if ok1 && ok2 && v > h {
			return false
		}
	}
	f := l.find("RolloutDeadlock", "the new pods need room in quota %s (%s %s of %s used), which the old ones hold, and the strategy forbids removing one of those first (maxUnavailable %s)", q, short[0].resource, short[0].used, short[0].limit, maxUnavailable(w))
	f.Certainty = Likely
	f.Key = "quota " + q
	f.Absorbs = []object.ID{n.ID}
	f.Detail = m
	l.proveMaxUnavailable(f, w)
	f.proveCondition(n.ID, x)
	f.prove(old[0].ID, "status.phase", old[0].Pod.Phase)
	f.Next = []string{l.kubectl("describe", "quota", q)}
	f.offer(l.kubectl("patch", "deployment", l.o.Name, "-p", `{"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":1}}}}`), "one old Pod may be deleted first")
	return true
}

// held is what a Pod of the newest revision waits for and an old one holds.
func (l *look) held(p *object.Object, old []*object.Object) (what string, holder *object.Object) {
	exclusive := false
	if x := p.ConditionIs("PodScheduled", "False"); x != nil {
		for _, q := range old {
			if strings.Contains(x.Message, "free ports") && clash(p.Pod.HostPorts, q.Pod.HostPorts) {
				return "hostPort " + strconv.Itoa(int(p.Pod.HostPorts[0].Number)), q
			}
		}
		if _, ok := l.event(p.ID, "TriggeredScaleUp"); ok {
			return "", nil // a node is being added
		}
		_, said := parseSchedule(x.Message)
		for _, v := range said {
			res, ok := strings.CutPrefix(v.text, "Insufficient ")
			need := requested(p, res)
			for _, q := range old {
				if ok && need > 0 && requested(q, res) >= need {
					return amount(res, need), q
				}
			}
		}
		exclusive = strings.Contains(x.Message, "ReadWriteOncePod")
	}
	if e, ok := l.event(p.ID, "FailedAttachVolume"); ok && p.Pod.Phase == "Pending" {
		exclusive = exclusive || hasAny(e.Message, "Multi-Attach", "already exclusively attached")
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

func (l *look) proveMaxUnavailable(f *Finding, w *object.Workload) {
	if w.MaxUnavailable != "" {
		l.proof(f, "spec.strategy.rollingUpdate.maxUnavailable", w.MaxUnavailable)
	}
}

// flapping finds Flapping: it becomes ready and not ready again and again. It
// is a last resort.
func flapping(l *look) {
	if len(l.found) > 0 {
		return
	}
	times, since := l.s.ReadyLost(l.o.ID)
	if times < 3 {
		return
	}
	f := l.find("Flapping", "was Current and stopped being so %d times", times)
	f.Symptom = true
	f.Since = since
	f.proveObserved(l.o.ID, "observed", fmt.Sprintf("%d× since %s", times, stamp(since)))
	if !since.IsZero() {
		l.again(l.now().Add(time.Minute))
	}
}

// unseen finds KindNotServed and NotVisible: a followed object whose kind is
// not served, or that may not be read.
func unseen(l *look) {
	if conversion(l); len(l.found) > 0 {
		return
	}
	id := l.o.ID
	why := l.s.Hidden(id.Group, id.Kind, id.Namespace)
	switch why {
	case "":
		return
	case string(feed.NotServed):
		f := l.find("KindNotServed", "the cluster does not serve kind %s: its definition is not installed or not established yet", strings.TrimSuffix(id.Kind+" of "+id.Group, " of "))
		f.Key, f.Shared = id.GroupKind(), true
		f.proveObserved(l.o.ID, "kind", why)
		defs, _ := l.s.List("apiextensions.k8s.io", "CustomResourceDefinition", "")
		for _, d := range defs {
			if d.Str("spec", "group") == id.Group && d.Str("spec", "names", "kind") == id.Kind {
				f.Because = append(f.Because, d.ID)
				f.Symptom = true
			}
		}
		if id.Group != "" {
			f.Next = append(f.Next, command("", "api-resources", "--api-group="+id.Group))
		}
		f.Next = append(f.Next, "kubectl get crd")
	default:
		f := l.find("NotVisible", "not permitted: %s", why)
		f.Key, f.Shared = id.GroupKind()+" "+id.Namespace, true
		f.Missing = []string{id.Kind + ": " + why}
		f.proveObserved(l.o.ID, "kind", why)
		f.Next = []string{command(id.Namespace, "auth", "can-i", "get", resource(id))}
	}
}

// fought finds SpecFought: the spec is rewritten again and again. It is a last
// resort.
func fought(l *look) {
	if len(l.found) > 0 {
		return
	}
	times, since := l.s.Rewritten(l.o.ID)
	if times < 5 {
		return
	}
	f := l.find("SpecFought", "its spec was changed %d times in %s", times, span(l.now().Sub(since)))
	f.Symptom = true
	f.Certainty = Possible
	var who []string
	for _, w := range l.o.Writers {
		if !w.Status && !slices.Contains(who, w.Manager) {
			who = append(who, w.Manager)
		}
	}
	if len(who) > 1 {
		f.Title += ": " + names(who, 4) + " may disagree"
	}
	f.Since = since
	f.proveObserved(l.o.ID, "observed", fmt.Sprintf("generation %d, %d changes since %s", l.o.Generation.Or(0), times, stamp(since)))
	f.Next = []string{l.kubectl("get", resource(l.o.ID), l.o.Name, "--show-managed-fields", "-o", "yaml")}
	l.again(l.now().Add(time.Minute))
}

// conversion finds ConversionWebhookDown: objects cannot be read in the
// requested version.
func conversion(l *look) {
	if ownGroup(l.o.Group) {
		return
	}
	why := l.s.Trouble(l.o.Group, l.o.Kind, l.o.Namespace)
	if !strings.Contains(why, "conversion webhook for ") {
		return
	}
	f := l.find("ConversionWebhookDown", "the conversion webhook of %s does not answer: %s", l.o.GroupKind(), last(why))
	f.Key, f.Shared = l.o.GroupKind(), true
	f.Detail = headline(why)
	f.proveObserved(l.o.ID, "source", why)
	defs, _ := l.s.List("apiextensions.k8s.io", "CustomResourceDefinition", "")
	for _, d := range defs {
		if d.Str("spec", "group") != l.o.Group || d.Str("spec", "names", "kind") != l.o.Kind {
			continue
		}
		ns, name := d.Str("spec", "conversion", "webhook", "clientConfig", "service", "namespace"), d.Str("spec", "conversion", "webhook", "clientConfig", "service", "name")
		if name != "" {
			f.Because = append(f.Because, object.ID{Kind: "Service", Namespace: ns, Name: name})
			f.Next = append(f.Next, command(ns, "get", "service,endpointslices"))
		}
	}
	f.Next = append(f.Next, "kubectl get crd")
}
