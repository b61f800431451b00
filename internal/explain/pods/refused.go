package pods

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// rejected reports whether the kubelet rejected or evicted the Pod: its
// containers then tell nothing.
func rejected(p *object.Pod) bool {
	return p.Phase == "Failed" && p.Reason != "" && p.Reason != "DeadlineExceeded"
}

func init() { inspect.Detect(inspect.Detector{Kinds: pod, Find: Refused}) }

// Refused finds KubeletRefused, Evicted and PodDeadlineExceeded: the kubelet
// rejected, evicted or ended the Pod.
func Refused(in *inspect.Inspector) {
	p := in.Object.Pod
	if p == nil || p.Phase != "Failed" || p.Reason == "" {
		return
	}
	m := message.Line(p.Message)
	var f *inspect.Finding
	switch p.Reason {
	case "DeadlineExceeded":
		f = in.Find(codes.PodDeadlineExceeded, "ran longer than its activeDeadlineSeconds, and was ended")
	case "Evicted":
		f = in.Find(codes.Evicted, "evicted from node %s: %s", p.Node, m)
		x := message.Evicted(p.Message)
		if f.Key = x.Resource; f.Key != "" {
			f.Say("evicted: node %s was low on %s", p.Node, f.Key)
			if x.Container != "" {
				f.Also("%s used %s", x.Container, x.Used)
			}
			if x.Requested != "" {
				f.Add(", requested %s", x.Requested)
			}
		}
		if _, owned := in.Object.Controller(); owned { // what replaces it waits for the same node, or has found another
			node := inspect.ClusterID("", "Node", p.Node)
			if n := in.Get(node); n != nil && n.ConditionIs("Ready", "True") != nil {
				f.Blame(node)
			}
		}
		f.Offer(in.Kubectl("delete", "pods", "--field-selector", "status.phase=Failed"),
			"deletes every failed Pod of the namespace")
	case "Terminated", "NodeShutdown", "Shutdown":
		f = in.Find(codes.KubeletRefused, "ended because node %s shut down", p.Node)
	default:
		f = in.Find(codes.KubeletRefused, "node %s refused the pod: %s", p.Node, p.Reason)
		if m != "" {
			f.Why("%s", strings.TrimPrefix(strings.TrimPrefix(m, "Pod was rejected: "), "Pod "))
		}
	}
	if f.Code == codes.KubeletRefused {
		f.Key = p.Reason + " " + p.Node
	}
	f.Prove("status.reason", p.Reason)
	if p.Reason != "DeadlineExceeded" {
		f.Prove("status.message", p.Message)
		f.Next = []string{wording.Command("", "describe", "node", p.Node)}
	}
	f.Detail = m
	if x := in.Object.Condition("Ready"); x != nil {
		f.Since = x.LastTransitionTime
	}
	final(in, f)
}

// final adds that a failed Pod stays failed if no controller replaces it.
func final(in *inspect.Inspector, f *inspect.Finding) {
	if _, owned := in.Object.Controller(); !owned && in.Object.Pod.Phase == "Failed" {
		f.Class = codes.Terminal
		f.Also("the pod has failed for good: no controller makes it again")
	}
}

func init() { inspect.Detect(inspect.Detector{Kinds: pod, Find: nowhere}) }

// nowhere finds NodeMissing: the Pod is bound to a node that does not exist.
func nowhere(in *inspect.Inspector) {
	p := in.Object.Pod
	if p == nil || p.Node == "" || p.Phase != "Pending" || !in.Object.Deleted.IsZero() {
		return
	}
	id := inspect.ClusterID("", "Node", p.Node)
	if in.Absent(id) {
		f := in.Find(codes.NodeMissing, "is bound to node %s, which does not exist", p.Node)
		f.Key, f.Shared = p.Node, true
		f.Prove("spec.nodeName", p.Node)
		f.ProveAbsent(id)
		f.Next = []string{"kubectl get nodes"}
	}
}
