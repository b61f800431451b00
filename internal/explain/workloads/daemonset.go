package workloads

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/nodefit"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{"apps/DaemonSet"}, Current: true, Find: daemonSet})
}

func daemonSet(in *inspect.Inspector) {
	w := in.Object.Workload
	if w == nil || !in.Object.Deleted.IsZero() {
		return
	}
	if w.Desired.Set && w.Desired.V == 0 && in.Object.Observed.Or(0) >= in.Object.Generation.Or(0) {
		noNodes(in, w)
		return
	}
	if w.Strategy == "OnDelete" && w.Updated.Or(0) < w.Desired.Or(0) {
		f := byHand(in, wording.Plural(int(w.Desired.Or(0)-w.Updated.Or(0)), "pod"))
		f.Prove("status.updatedNumberScheduled", w.Updated.Or(0))
		return
	}
	if e, ok := in.Event(in.Object.ID, "FailedDaemonPod"); ok &&
		!in.Older(e.Last, 10*time.Minute) && w.Ready.Or(0) < w.Desired.Or(0) {
		f := in.FindEvent(codes.DaemonPodRejected, e,
			"its pods are refused by a node and made again: %s", message.Short(e.Message, 160))
		f.Symptom = true
	}
	minReady(in, in.Object.ID, w, w.Desired.Or(0))
}

// noNodes finds NoNodesTargeted. The tolerations and the affinity of a DaemonSet
// are not known here: a taint of a node that has the labels is a possible reason.
func noNodes(in *inspect.Inspector, w *object.Workload) {
	f := in.Find(codes.NoNodesTargeted, "no node is to run it")
	f.Prove("status.desiredNumberScheduled", "0")
	var want, keys []string
	for _, s := range w.NodeSelector {
		want = append(want, s.Key+"="+s.Value)
		keys = append(keys, s.Key)
	}
	if len(want) > 0 {
		f.Prove("spec.template.spec.nodeSelector", strings.Join(want, ","))
		f.Next = []string{wording.Command("", "get", "nodes", "-L", strings.Join(keys, ","))}
	}
	nodes := in.List("", "Node", "")
	matches := slices.DeleteFunc(slices.Clone(nodes.Items), func(n *object.Object) bool {
		return !nodefit.MatchesNode(&object.Placement{NodeSelector: w.NodeSelector}, n)
	})
	switch {
	case !nodes.Complete && len(nodes.Items) == 0:
		f.NoneOf(nodes)
	case len(matches) == 0 && len(want) > 0:
		f.Say("no node has the label %s, so none runs it", wording.Names(want, 3))
		f.NoneOf(nodes)
	default:
		f.Certainty = inspect.Likely
		var tainted []string
		for _, n := range matches {
			for _, t := range nodefit.TaintsOf(n) {
				// The controller tolerates the taints of a node's conditions.
				if !strings.HasPrefix(t.Key, "node.kubernetes.io/") && t.Effect != "PreferNoSchedule" {
					f.ProveTaint(n.ID, t.String())
					tainted = append(tainted, n.Name+" has taint "+t.String())
				}
			}
		}
		if len(tainted) > 0 {
			f.Certainty = inspect.Possible // its tolerations and its affinity are not known here
			f.Say("no node is to run it: %s, if it does not tolerate that", wording.Names(tainted, 2))
		}
	}
}
