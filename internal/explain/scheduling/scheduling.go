package scheduling

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/nodefit"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func init() { inspect.Detect(inspect.Detector{Kinds: pod, Find: scheduling}) }

// scheduling finds why a Pod has no node yet.
func scheduling(in *inspect.Inspector) {
	p := in.Object.Pod
	if p == nil || p.Node != "" || !in.Object.Deleted.IsZero() || p.Phase == "Failed" || p.Phase == "Succeeded" {
		return
	}
	scheduled := in.Object.Condition("PodScheduled")
	switch {
	case scheduled != nil && scheduled.Reason == "SchedulingGated" || len(p.Gates) > 0:
		f := in.Find(codes.SchedulingGated, "waiting for scheduling gate %s to be removed", wording.Names(p.Gates, 3))
		if len(p.Gates) == 0 {
			f.Say("waiting for its scheduling gates to be removed")
		}
		f.Key = strings.Join(p.Gates, " ")
		for i, g := range p.Gates {
			f.Prove(fmt.Sprintf("spec.schedulingGates[%d].name", i), g)
		}
		if scheduled != nil {
			f.ProveCondition(in.Object.ID, scheduled)
		}
	case p.Nominated != "" && scheduled == nil:
		// Since Kubernetes 1.35 the scheduler sets nominatedNodeName while it
		// waits for volumes; their own findings tell more.
	case p.Nominated != "":
		in.AskForPodsOn(p.Nominated)
		victims := inspect.Leaving(in.Nodes().Pods(p.Nominated))
		f := in.Find(codes.Preempting, "waiting for pods on %s to make room (preemption)%s", p.Nominated,
			wording.PodNames(": ", victims))
		f.Key = p.Nominated
		f.Prove("status.nominatedNodeName", p.Nominated)
	case scheduled == nil:
		if _, ok := in.Event(in.Object.ID, noClaim); ok {
			f := in.Find(codes.DeviceUnavailable, "")
			devices(in, f, message.Unfit{}, nil)
			return
		}
		if p.Phase != "Pending" || !in.Older(in.Object.Created, 10*time.Second) {
			return
		}
		f := in.Find(codes.NoScheduler, "no scheduler has picked the pod up (schedulerName %s)", p.Scheduler)
		f.Key, f.Shared = p.Scheduler, true
		f.Since, f.Certainty = in.Object.Created, inspect.Likely
		f.Prove("spec.schedulerName", p.Scheduler)
		f.Next = []string{wording.Command("kube-system", "get", "leases")}
	case scheduled.Status == "False":
		unschedulable(in, scheduled)
	}
}

// unschedulable decides why the scheduler found no node.
func unschedulable(in *inspect.Inspector, x *object.Condition) {
	msg := x.Message
	if msg == "" {
		if e, ok := in.Event(in.Object.ID, "FailedScheduling"); ok {
			msg = e.Message
		}
	}
	unfit := message.ParseSchedule(msg)
	if claimProblem(in, x, unfit) {
		return
	}
	code, entry := nodefit.CodeOf(unfit)
	nodes := in.List("", "Node", "")
	fits := in.Nodes().Check(in.Object.Pod, nodes.Items)
	certainty := inspect.Proven
	// A saved cluster may have its nodes one by one, and be no proof that they are all.
	// But the scheduler has counted them.
	if len(fits) > 0 && (nodes.Complete || message.NodesTried(msg) == len(nodes.Items)) {
		// A check made on every node is more reliable than the text; those that
		// are not made here (volumes, affinity, spread) are taken from the
		// text.
		askForPods(in, code, fits)
		c := nodefit.Closest(fits)
		if c.FailedChecks == 0 && c.ConditionTaint != "" && nodefit.Evaluated(code) {
			nodesIll(in, x, msg, fits)
			return
		}
		if c.Code != nil && nodefit.Evaluated(code) {
			code = c.Code
		} else if c.Code == nil && nodefit.Evaluated(code) {
			// A node is eligible now: the scheduler has not retried yet.
			certainty = inspect.Likely
		}
	}
	if code == nil {
		code = codes.Unschedulable
		entry.Text = message.Line(msg)
		certainty = inspect.Likely
	}
	f := in.FindCondition(code, x, "")
	f.Certainty = certainty
	f.Detail = message.Line(msg)
	place(in, f, entry, fits)
	alsoCordoned(f, unfit, fits)
	if nodefit.Evaluated(code) {
		f.NoneOf(nodes)
	} else if !nodes.Complete {
		in.CouldNotRead(f, "nodes", inspect.ClusterID("", "Node", ""))
	}
	nodeOnItsWay(in, f)
}

// askForPods asks for the Pods on the nodes from which only they can keep this one: those that take
// their room, or a port. Which port is taken a few nodes show; how much is free only all of them.
func askForPods(in *inspect.Inspector, code *codes.Code, fits []nodefit.Fit) {
	nodes := nodefit.Candidates(fits)
	switch {
	case code == codes.HostPortTaken:
		nodes = nodes[:min(len(nodes), 3)]
	case code != codes.NotEnoughResources && code != codes.NodeFullOfPods || len(nodes) > 5:
		return
	}
	for _, x := range nodes {
		in.AskForPodsOn(x.Node.Name)
	}
	if in.Snapshot.Hidden("", "Pod", "") != "" {
		in.List("", "Pod", in.Object.Namespace) // it may be one of these
	}
}

// uninitialized is the taint of a node whose kubelet has an external cloud provider: the cloud's
// controller manager removes it. (k8s.io/cloud-provider v0.37 api/well_known_taints.go)
const uninitialized = "node.cloudprovider.kubernetes.io/uninitialized"

// nodesIll finds NodesUnavailable: a Pod that would be scheduled if a node were
// healthy, or known to its cloud.
func nodesIll(in *inspect.Inspector, x *object.Condition, msg string, fits []nodefit.Fit) {
	var ill, unknown []string
	f := in.FindCondition(codes.NodesUnavailable, x, "")
	for _, y := range fits {
		if y.FailedChecks == 0 && y.ConditionTaint != "" {
			ill = append(ill, y.Node.Name+" ("+message.Between(y.ConditionTaint, "/", ":")+")")
			if strings.HasPrefix(y.ConditionTaint, uninitialized) {
				unknown = append(unknown, y.Node.Name)
			}
			f.Blame(y.Node.ID)
			f.ProveTaint(y.Node.ID, y.ConditionTaint)
		}
	}
	f.Say("%s eligible, but not healthy", wording.Are(ill))
	f.Next = []string{"kubectl get nodes"}
	if len(unknown) == len(ill) {
		f.Say("%s not initialized by a cloud controller manager", wording.Are(unknown))
		f.Next = append(f.Next, wording.Command("kube-system", "get", "pods"))
		cloudManager(in, f)
	}
	f.Key, f.Shared = f.Title(), true
	f.Detail = message.Line(msg)
}

// cloudManager blames the cloud controller manager that should initialize nodes: it runs in a
// DaemonSet or a Deployment that has that in its name, as a rule in kube-system.
func cloudManager(in *inspect.Inspector, f *inspect.Finding) {
	workloads := slices.Concat(in.List("apps", "DaemonSet", "").Items,
		in.List("apps", "Deployment", "kube-system").Items)
	for _, w := range workloads {
		if w.Workload != nil && strings.Contains(w.Name, "cloud-controller-manager") {
			f.Blame(w.ID)
			for _, p := range in.List("", "Pod", w.Namespace).Items {
				if p.ConditionIs("Ready", "True") == nil && edges.Selects(w.Workload.Selector, p) {
					f.Blame(p.ID)
				}
			}
		}
	}
}

// volumePlaces compares the locations of the Pod's volumes with those of the
// eligible nodes.
func volumePlaces(in *inspect.Inspector, f *inspect.Finding, fits []nodefit.Fit) {
	if apart(in, f) {
		return
	}
	for _, u := range in.Object.Pod.Uses {
		c := in.Get(in.ID("", "PersistentVolumeClaim", u.Name))
		if u.Kind != "PersistentVolumeClaim" || c == nil || c.Claim == nil || c.Claim.Volume == "" {
			continue
		}
		f.ProveOn(c.ID, "spec.volumeName", c.Claim.Volume)
		f.Next = append(f.Next, wording.Command("", "describe", "pv", c.Claim.Volume))
		pv := in.Get(inspect.ClusterID("", "PersistentVolume", c.Claim.Volume))
		if pv == nil {
			continue
		}
		for i, m := range fields.Each(pv.List("spec", "nodeAffinity", "required", "nodeSelectorTerms")) {
			for _, x := range fields.Each(m.List("matchExpressions")) {
				key, at := x.Str("key"), fields.Texts(x.List("values"))
				have := nodefit.LabelsOf(nodefit.ExcludedBy(fits, nil), key)
				if x.Str("operator") != "In" || len(at) == 0 {
					continue
				}
				if keptAway(f, fits, key, at) {
					f.Also("its volume %s is only there", pv.Name)
					f.ProveOn(pv.ID,
						fmt.Sprintf("spec.nodeAffinity.required.nodeSelectorTerms[%d].matchExpressions[%s].values",
							i, key), strings.Join(at, ","))
					return
				}
				if slices.ContainsFunc(have, func(v string) bool { return slices.Contains(at, v) }) {
					if why := otherwise(f.Detail); why != "" { // no check of ours keeps the Pod from a node there
						f.Say("its volume %s is in %s=%s, where no node is eligible: %s", pv.Name,
							key, wording.Names(at, 2), why)
						f.ProveOn(pv.ID,
							fmt.Sprintf("spec.nodeAffinity.required.nodeSelectorTerms[%d].matchExpressions[%s].values",
								i, key), strings.Join(at, ","))
					}
					continue
				}
				f.ProveOn(pv.ID,
					fmt.Sprintf("spec.nodeAffinity.required.nodeSelectorTerms[%d].matchExpressions[%s].values",
						i, key), strings.Join(at, ","))
				f.Say("its volume %s is in %s=%s, where no node is eligible", pv.Name, key, wording.Names(at, 2))
				if len(have) > 0 {
					f.Say("its volume %s is in %s=%s; the eligible nodes are in %s", pv.Name, key,
						wording.Names(at, 2), wording.Names(have, 3))
				}
				if nowhere(in, key, at) {
					f.Also("no node has that label any more")
				}
				return
			}
		}
	}
}

// keptAway reports whether nothing but a cordon, or the state of the node, keeps a Pod away from
// each node that has a label with one of the values; that is the cause then.
func keptAway(f *inspect.Finding, fits []nodefit.Fit, key string, values []string) bool {
	there := slices.DeleteFunc(slices.Clone(fits), func(x nodefit.Fit) bool {
		v, ok := x.Node.Label(key)
		return !ok || !slices.Contains(values, v)
	})
	away := nodefit.ExcludedBy(there, codes.NodeCordoned)
	ill := slices.DeleteFunc(nodefit.ExcludedBy(there, nil), func(x nodefit.Fit) bool { return x.ConditionTaint == "" })
	if len(there) == 0 || len(away)+len(ill) < len(there) {
		return false
	}
	if len(away) > 0 {
		f.Become(codes.NodeCordoned, "")
		sayCordoned(f, away)
		return true
	}
	f.Become(codes.NodesUnavailable, "")
	var names []string
	for _, x := range ill {
		names = append(names, x.Node.Name+" ("+message.Between(x.ConditionTaint, "/", ":")+")")
		f.Blame(x.Node.ID)
		f.ProveTaint(x.Node.ID, x.ConditionTaint)
	}
	f.Say("%s eligible, but not healthy", wording.Are(names))
	f.Key, f.Shared = f.Title(), true
	return true
}

// otherwise is why the scheduler left out the nodes that have the Pod's volumes: it gives one
// reason for each node (kubernetes v1.36, pkg/scheduler/framework/types.go Diagnosis).
func otherwise(text string) string {
	var why []string
	for _, u := range message.ParseSchedule(text) {
		if u.Filter != message.VolumeElsewhere {
			why = append(why, u.Text)
		}
	}
	return wording.Names(why, 3)
}

// tooLittleFree finds NotEnoughResources: it tells a request that can never fit
// from nodes that are full at the moment.
func tooLittleFree(in *inspect.Inspector, f *inspect.Finding, u message.Unfit, fits []nodefit.Fit) {
	res, ok := u.Name, u.Filter == message.TooLittle
	least := 0
	for _, x := range fits {
		if x.Code == codes.NotEnoughResources && (!ok || least == 0 || x.FailedChecks < least) {
			res, ok, least = x.Resource, true, x.FailedChecks
		}
	}
	need := nodefit.Requested(in.Object, res)
	needs := "needs " + nodefit.Amount(res, need)
	f.Key = res
	f.Next = append(f.Next, "kubectl describe nodes")
	if need == 0 {
		f.Say("not enough %s on any eligible node", res)
		return
	}
	f.Key += " " + nodefit.Amount(res, need)
	f.Prove("spec.containers[*].resources.requests."+res, nodefit.Exact(res, need))
	defer inspect.ByLimitRange(in, f, res+" request", "")
	var largest, free int64 = -1, -1
	allKnown := true
	most := ""
	for _, x := range fits {
		a, ok := nodefit.Allocatable(x.Node, res)
		if !ok || x.FailedChecks > max(least, 1) || x.Code != codes.NotEnoughResources && x.Code != nil {
			continue
		}
		if len(f.Evidence) < inspect.MostEvidence { // to write a quantity is dear for 5,000 nodes
			f.ProveOn(x.Node.ID, "status.allocatable."+res, nodefit.Exact(res, a))
		}
		largest, allKnown = max(largest, a), allKnown && x.FreeKnown
		if x.FreeKnown && a-x.Used[res] > free {
			free, most = a-x.Used[res], x.Node.Name
		}
	}
	switch {
	case len(fits) == 0:
		f.Say("%s; no eligible node has that much free", needs)
	case largest < 0:
		f.Say("%s, and no eligible node offers any %s: it can never fit", needs, res)
		devicePlugin(in, f, res, fits)
	case need > largest:
		f.Say("%s; the largest eligible node has %s: it can never fit", needs, nodefit.Amount(res, largest))
	case free >= 0 && allKnown:
		f.Say("%s; at most %s of %s is free at the moment (node %s)", needs, nodefit.Amount(res, free),
			nodefit.Amount(res, largest), most)
		f.Class = codes.Retries
	default:
		f.Say("%s; the eligible nodes are full at the moment", needs)
		f.Class = codes.Retries
	}
}

// nodeOrdered reports whether a node is awaited that an autoscaler has ordered.
func nodeOrdered(in *inspect.Inspector) bool {
	_, ok := kinds.NodeOnItsWay(in.Snapshot.Events(in.Object.ID), in.Now())
	return ok
}

// nodeOnItsWay adds what a cluster autoscaler reports about a new node.
func nodeOnItsWay(in *inspect.Inspector, f *inspect.Finding) {
	if e, ordered := in.Event(in.Object.ID, "TriggeredScaleUp", "Nominated"); ordered && nodeOrdered(in) {
		f.Class = codes.Waits
		f.Also("a node is on its way")
		f.ProveEvent(e)
		return
	}
	if e, ok := in.Event(in.Object.ID, "NotTriggerScaleUp", "NoCompatibleInstanceTypes",
		"InsufficientCapacityError"); ok && noNode(f, e) {
		return
	}
	for _, e := range in.Events(in.Object.ID, "FailedScheduling") {
		if noNode(f, e) {
			if strings.Contains(e.Message, "no nodepools found") {
				poolsNotReady(in, f)
			}
			return
		}
	}
}

// poolsNotReady blames the pools that Karpenter leaves out because they are not ready (karpenter
// v1.8, pkg/controllers/provisioning/provisioner.go, ErrNodePoolsNotFound).
func poolsNotReady(in *inspect.Inspector, f *inspect.Finding) {
	for _, p := range in.List("karpenter.sh", "NodePool", "").Items {
		if x := p.ConditionIs("Ready", "False"); x != nil {
			f.Blame(p.ID)
			f.ProveCondition(p.ID, x)
		}
	}
}

// noNode adds that an autoscaler adds no node, if an event says so.
func noNode(f *inspect.Finding, e object.Event) bool {
	who, why, ok := message.NoNode(e.Reason, e.Message)
	if ok {
		f.ProveEvent(e)
		f.Class = codes.Action
		f.Also("%s adds no node", who)
		f.Why("%s", why)
	}
	return ok
}
