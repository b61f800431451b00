package cluster

import (
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Nodes, Pods that the kubelet rejects, Pods that do not terminate.

func init() { inspect.Detect(inspect.Detector{Kinds: pod, Find: lost}) }

// lost finds NodeLost from the Pod's side: its containers are fine, but it is
// not ready, because its node has stopped reporting.
func lost(in *inspect.Inspector) {
	p := in.Object.Pod
	if p == nil || p.Node == "" || p.Phase == "Failed" || p.Phase == "Succeeded" || !in.Object.Deleted.IsZero() {
		return
	}
	ready, containers := in.Object.Condition("Ready"), in.Object.Condition("ContainersReady")
	if ready == nil || ready.Status == "True" {
		return
	}
	split := containers != nil && containers.Status == "True" && ready.Reason != "ReadinessGatesNotReady"
	if !split {
		return
	}
	node := inspect.ClusterID("", "Node", p.Node)
	n := in.Get(node)
	f := in.FindCondition(codes.NodeLost, ready,
		"node %s stopped reporting; the containers were ready in its last report", p.Node)
	f.About = inspect.Subject{ID: node}
	f.Key, f.Shared = p.Node, true
	f.ProveCondition(in.Object.ID, containers)
	f.Certainty = inspect.Likely
	if n == nil {
		in.CouldNotRead(f, "nodes", node)
	} else {
		x := n.Condition("Ready")
		if x == nil || x.Status == "True" {
			// The node is back; the Pod's condition follows in a moment.
			f.Certainty = inspect.Possible
			f.Become(codes.PodConditionStale,
				"not ready, though its containers are and node %s reports; the kubelet has not updated it yet", p.Node)
			f.Key = p.Node
			return
		}
		nodeTitle(in, f, n, x)
		f.Certainty = inspect.Proven
	}
	if p.EvictAfter.Set && !f.Since.IsZero() {
		f.Until, f.UntilWhat = f.Since.Add(time.Duration(p.EvictAfter.V)*time.Second), "its pods are evicted"
	}
	f.Next = []string{wording.Command("", "describe", "node", p.Node)}
}

func nodeTitle(in *inspect.Inspector, f *inspect.Finding, n *object.Object, x *object.Condition) {
	f.ProveCondition(n.ID, x)
	if !x.LastTransitionTime.IsZero() {
		f.Since = x.LastTransitionTime
	}
	switch x.Status {
	case "Unknown":
		f.Say("node %s stopped reporting (%s)", n.Name, x.Reason)
	default:
		f.Say("node %s is not ready: %s", n.Name, message.Short(x.Message, 120))
	}
}

func init() { inspect.Detect(inspect.Detector{Kinds: []string{"Node"}, AlsoCurrent: true, Find: node}) }

// node finds the same from the node's side, and NodePressure.
func node(in *inspect.Inspector) {
	x := in.Object.Condition("Ready")
	if x != nil && x.Status != "True" {
		f := in.Find(codes.NodeLost, "")
		f.Key, f.Shared = in.Object.Name, true
		nodeTitle(in, f, in.Object, x)
		networkAgents(in, f, x)
		return
	}
	for _, typ := range [...]string{"MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"} {
		if y := in.Object.ConditionIs(typ, "True"); y != nil {
			f := in.FindCondition(codes.NodePressure, y, "node %s is under %s: %s",
				in.Object.Name, typ, message.Short(y.Message, 160))
			f.Key, f.Shared = typ, true // several nodes under the same pressure are one cause
		}
	}
	if b, _ := in.Object.Bool("spec", "unschedulable"); b && in.Assessment.Status != status.Current {
		f := in.Find(codes.NodeCordoned, "node %s is cordoned", in.Object.Name)
		f.Key, f.Shared = in.Object.Name+" ", true
		f.Prove("spec.unschedulable", "true")
		if in.Object.Deleted.IsZero() {
			f.Offer(wording.Command("", "uncordon", in.Object.Name), inspect.Uncordons)
		}
	}
}

// networkAgents blames the Pods that should set up the network of a node whose kubelet waits for
// it: of DaemonSets that are not ready, those that have an address all the same, the node's own.
// The others wait for the network themselves.
func networkAgents(in *inspect.Inspector, f *inspect.Finding, ready *object.Condition) {
	if !strings.Contains(ready.Message, "NetworkReady=false") {
		return
	}
	for _, set := range in.List("apps", "DaemonSet", "").Items {
		if set.Workload == nil || set.Workload.Ready.Or(0) >= set.Workload.Desired.Or(0) {
			continue
		}
		for _, p := range in.List("", "Pod", set.Namespace).Items {
			if p.Pod != nil && p.Pod.Node == in.Object.Name && p.Pod.IP != "" &&
				p.ConditionIs("Ready", "True") == nil &&
				edges.Selects(set.Workload.Selector, p) {
				f.Blame(p.ID)
			}
		}
	}
}
