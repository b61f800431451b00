package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Why a Pod has no node. The scheduler's message says how many nodes failed
// which filter, not which nodes, and since 1.34 not which taints; two causes
// can have the same text. If the nodes are known, each is checked as the
// scheduler does, and the closest one determines the cause.

// verdict is one entry of the scheduler's histogram.
type verdict struct {
	nodes int // 0 for a reason that precedes the filters
	text  string
}

// parseSchedule parses a message of the scheduler (kubernetes
// pkg/scheduler/framework/types.go FitError, v1.36): the histogram is sorted as
// strings, followed by messages of plugins and of preemption.
func parseSchedule(msg string) (total int, out []verdict) {
	msg = headline(msg)
	if head, rest, ok := strings.Cut(msg, " nodes are available: "); ok {
		if i := strings.LastIndexByte(head, '/'); i >= 0 {
			total, _ = strconv.Atoi(head[i+1:])
		}
		msg = rest
	}
	msg, _, _ = strings.Cut(msg, "preemption:")
	for part := range strings.SplitSeq(strings.ReplaceAll(msg, ". ", ", "), ", ") {
		part = strings.TrimSuffix(strings.TrimSpace(part), ".")
		v := verdict{text: part}
		if n, rest, ok := strings.Cut(part, " "); ok {
			if k, err := strconv.Atoi(n); err == nil {
				v.nodes, v.text = k, rest
			}
		}
		switch {
		case v.text == "" || v.text == "not found" || strings.HasPrefix(v.text, "no new claims to deallocate"),
			strings.HasPrefix(v.text, "Preemption is not helpful"), strings.HasPrefix(v.text, "No preemption victims"):
			continue
		}
		out = append(out, v)
		if len(out) == 32 {
			break
		}
	}
	return total, out
}

// reasonCodes maps the scheduler's reasons to codes; an earlier one hides a
// later one if the nodes are not known. Texts of 1.20 to 1.36.
var reasonCodes = []struct {
	code string
	subs []string
}{
	{"VolumeInUse", []string{"ReadWriteOncePod access mode already in-use"}},
	{"VolumeTopology", []string{"didn't match PersistentVolume's node affinity", "had volume node affinity conflict", "had no available volume zone", "didn't find available persistent volumes to bind", "did not have enough free storage"}},
	{"VolumeLimit", []string{"exceed max volume count"}},
	{"DeviceUnavailable", []string{"cannot allocate all claims", "device class ", "resourceclaim not available", "resourceclaim "}},
	{"HostPortTaken", []string{"didn't have free ports"}},
	{"TopologySpread", []string{"didn't match pod topology spread constraints"}},
	{"PodAffinity", []string{"didn't match pod affinity rules", "didn't match pod anti-affinity rules", "didn't satisfy existing pods anti-affinity rules", "didn't match pod affinity/anti-affinity"}},
	{"NodeFullOfPods", []string{"Too many pods"}},
	{"NotEnoughResources", []string{"Insufficient "}},
	{"NoMatchingNode", []string{"didn't match Pod's node affinity", "didn't match node selector", "didn't match node affinity"}},
	{"NodeCordoned", []string{"were unschedulable", "node(s) unschedulable"}},
	{"TaintNotTolerated", []string{"had untolerated taint", "had taint", "had taints"}},
}

func scheduling(l *look) {
	p := l.o.Pod
	if p == nil || p.Node != "" || !l.o.Deleted.IsZero() || p.Phase == "Failed" || p.Phase == "Succeeded" {
		return
	}
	x := l.o.Condition("PodScheduled")
	switch {
	case x != nil && x.Reason == "SchedulingGated" || len(p.Gates) > 0:
		f := l.find("SchedulingGated", "waiting for scheduling gate %s to be removed", names(p.Gates, 3))
		if len(p.Gates) == 0 {
			f.Title = "waiting for its scheduling gates to be removed"
		}
		f.Key = strings.Join(p.Gates, " ")
		for i, g := range p.Gates {
			l.proof(f, fmt.Sprintf("spec.schedulingGates[%d].name", i), g)
		}
		if x != nil {
			f.proveCondition(l.o.ID, x)
		}
	case p.Nominated != "" && x == nil:
		// Since Kubernetes 1.35 the scheduler sets nominatedNodeName while it
		// waits for volumes; their own findings tell more.
	case p.Nominated != "":
		pods, _ := l.s.List("", "Pod", "")
		victims := leaving(slices.DeleteFunc(slices.Clone(pods), func(q *object.Object) bool { return q.Pod == nil || q.Pod.Node != p.Nominated }))
		f := l.find("Preempting", "waiting for pods on %s to make room (preemption)%s", p.Nominated, podNames(": ", victims))
		f.Key = p.Nominated
		l.proof(f, "status.nominatedNodeName", p.Nominated)
	case x == nil:
		if _, ok := l.event(l.o.ID, noClaim); ok {
			f := l.find("DeviceUnavailable", "")
			l.devices(f, "", nil)
			return
		}
		if p.Phase != "Pending" || !l.older(l.o.Created, 10*time.Second) {
			return
		}
		f := l.find("NoScheduler", "no scheduler has picked the pod up (schedulerName %s)", p.Scheduler)
		f.Key, f.Shared = p.Scheduler, true
		f.Since, f.Certainty = l.o.Created, Likely
		l.proof(f, "spec.schedulerName", p.Scheduler)
		f.Next = []string{command("kube-system", "get", "leases")}
	case x.Status == "False":
		l.unschedulable(x)
	}
}

// unschedulable decides why the scheduler found no node.
func (l *look) unschedulable(x *object.Condition) {
	msg := x.Message
	if msg == "" {
		if e, ok := l.event(l.o.ID, "FailedScheduling"); ok {
			msg = e.Message
		}
	}
	_, said := parseSchedule(msg)
	if l.claims(x, said) {
		return
	}
	code, text := reasonCode(said)
	nodes, complete := l.list("", "Node", "")
	fits := l.check(nodes)
	certainty := Proven
	if len(fits) > 0 && complete {
		// A check made on every node is more reliable than the text; those that
		// are not made here (volumes, affinity, spread) are taken from the
		// text.
		c := closest(fits)
		if c.misses == 0 && c.ill != "" && evaluated(code) {
			l.nodesIll(x, msg, fits)
			return
		}
		if c.code != "" && evaluated(code) {
			code = c.code
		} else if c.code == "" && evaluated(code) {
			// A node is eligible now: the scheduler has not retried yet.
			certainty = Likely
		}
	} else if code == "NoMatchingNode" || code == "TaintNotTolerated" {
		certainty = Likely
	}
	if code == "" {
		code = "Unschedulable"
		text = headline(msg)
		certainty = Likely
	}
	f := l.byCondition(code, x, "")
	f.Certainty = certainty
	f.Detail = headline(msg)
	l.place(f, text, fits)
	if !complete {
		l.lacks(f, "nodes", cluster("", "Node", ""))
	}
	l.autoscaler(f)
}

// reasonCode is the code of the scheduler's message, and its text.
func reasonCode(said []verdict) (code, text string) {
	for _, r := range reasonCodes {
		for _, v := range said {
			if hasAny(v.text, r.subs...) {
				return r.code, v.text
			}
		}
	}
	return "", ""
}

// nodesIll finds NodesUnavailable: a Pod that would be scheduled if a node were
// healthy.
func (l *look) nodesIll(x *object.Condition, msg string, fits []fit) {
	var ill []string
	f := l.byCondition("NodesUnavailable", x, "")
	for _, y := range fits {
		if y.misses == 0 && y.ill != "" {
			ill = append(ill, y.node.Name+" ("+between(y.ill, "/", ":")+")")
			f.blame(y.node.ID)
			f.proveTaint(y.node.ID, y.ill)
		}
	}
	f.Title = are(ill) + " eligible, but not healthy"
	f.Key, f.Shared = f.Title, true
	f.Detail = headline(msg)
	f.Next = []string{"kubectl get nodes"}
}

// evaluated reports whether check decides a code without the text.
func evaluated(code string) bool {
	switch code {
	case "", "NotEnoughResources", "NoMatchingNode", "NodeCordoned", "TaintNotTolerated", "NodeFullOfPods", "HostPortTaken":
		return true
	}
	return false
}

// volumePlaces compares the locations of the Pod's volumes with those of the
// eligible nodes.
func (l *look) volumePlaces(f *Finding, fits []fit) {
	for _, u := range l.o.Pod.Uses {
		c := l.object(l.id("", "PersistentVolumeClaim", u.Name))
		if u.Kind != "PersistentVolumeClaim" || c == nil || c.Claim == nil || c.Claim.Volume == "" {
			continue
		}
		f.prove(c.ID, "spec.volumeName", c.Claim.Volume)
		f.Next = append(f.Next, command("", "describe", "pv", c.Claim.Volume))
		pv := l.object(cluster("", "PersistentVolume", c.Claim.Volume))
		if pv == nil {
			continue
		}
		for i, m := range each(pv.List("spec", "nodeAffinity", "required", "nodeSelectorTerms")) {
			for _, x := range each(m.list("matchExpressions")) {
				key, at := x.str("key"), texts(x.list("values"))
				have := labelsOf(excludedBy(fits, ""), key)
				if x.str("operator") != "In" || len(at) == 0 || slices.ContainsFunc(have, func(v string) bool { return slices.Contains(at, v) }) {
					continue
				}
				f.prove(pv.ID, fmt.Sprintf("spec.nodeAffinity.required.nodeSelectorTerms[%d].matchExpressions[%s].values", i, key), strings.Join(at, ","))
				f.Title = fmt.Sprintf("its volume %s is in %s=%s, where no node is eligible", pv.Name, key, names(at, 2))
				if len(have) > 0 {
					f.Title = fmt.Sprintf("its volume %s is in %s=%s; the eligible nodes are in %s", pv.Name, key, names(at, 2), names(have, 3))
				}
				return
			}
		}
	}
}

// resources finds NotEnoughResources: it tells a request that can never fit
// from nodes that are full at the moment.
func (l *look) resources(f *Finding, text string, fits []fit) {
	res, ok := strings.CutPrefix(text, "Insufficient ")
	least := 0
	for _, x := range fits {
		if x.code == "NotEnoughResources" && (!ok || least == 0 || x.misses < least) {
			res, ok, least = x.resource, true, x.misses
		}
	}
	need := requested(l.o, res)
	needs := "needs " + amount(res, need)
	f.Key = res
	f.Next = append(f.Next, "kubectl describe nodes")
	if need == 0 {
		f.Title = "not enough " + res + " on any eligible node"
		return
	}
	f.Key += " " + amount(res, need)
	l.proof(f, "spec.containers[*].resources.requests."+res, exact(res, need))
	var largest, free int64 = -1, -1
	most := ""
	for _, x := range fits {
		a, ok := allocatable(x.node, res)
		if !ok || x.misses > max(least, 1) || x.code != "NotEnoughResources" && x.code != "" {
			continue
		}
		if len(f.Evidence) < mostEvidence { // to write a quantity is dear for 5,000 nodes
			f.prove(x.node.ID, "status.allocatable."+res, exact(res, a))
		}
		largest = max(largest, a)
		if x.freeKnown && a-x.used[res] > free {
			free, most = a-x.used[res], x.node.Name
		}
	}
	switch {
	case len(fits) == 0:
		f.Title = needs + "; no eligible node has that much free"
	case largest < 0:
		f.Title = needs + ", and no eligible node offers any " + res + ": it can never fit"
	case need > largest:
		f.Title = fmt.Sprintf("%s; the largest eligible node has %s: it can never fit", needs, amount(res, largest))
	case free >= 0:
		f.Title = fmt.Sprintf("%s; at most %s of %s is free at the moment (node %s)", needs, amount(res, free), amount(res, largest), most)
		f.Class = Retries
	default:
		f.Title = needs + "; the eligible nodes are full at the moment"
		f.Class = Retries
	}
}

// autoscaler adds what a cluster autoscaler reports about a new node.
func (l *look) autoscaler(f *Finding) {
	if e, ok := l.event(l.o.ID, "TriggeredScaleUp", "Nominated"); ok && !l.older(e.Last, 15*time.Minute) {
		if e.Reason == "Nominated" && !hasAny(e.Message, "nodeclaim", "node") {
			return
		}
		f.Class = Waits
		f.Title += "; a node is on its way"
		f.proveEvent(e)
		return
	}
	if e, ok := l.event(l.o.ID, "NotTriggerScaleUp", "NoCompatibleInstanceTypes", "InsufficientCapacityError"); ok {
		f.proveEvent(e)
		f.Class = Action
		f.Title += "; the autoscaler will not add one"
		return
	}
	// Karpenter reports with the scheduler's reason (karpenter
	// pkg/controllers/provisioning/scheduling/events.go, v1.8).
	for _, e := range l.events(l.o.ID, "FailedScheduling") {
		if why, ok := strings.CutPrefix(headline(e.Message), "Failed to schedule pod, "); ok {
			f.proveEvent(e)
			f.Class = Action
			f.Title += "; Karpenter adds no node: " + clip(why, 100)
			return
		}
	}
}

// proveTaint adds a node's taint as evidence, in kubectl's format.
func (f *Finding) proveTaint(node object.ID, taint string) {
	i := strings.LastIndexByte(taint, ':')
	key, _, _ := strings.Cut(taint[:max(i, 0)], "=")
	f.prove(node, "spec.taints["+key+"].effect", taint[i+1:])
}
