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
	inspect.Detect(inspect.Detector{Kinds: []string{"apps/DaemonSet"}, AlsoCurrent: true, Find: daemonSet})
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

// noNodes finds NoNodesTargeted: no node has the labels, or those that have them have a taint
// that is not tolerated (kubernetes v1.36, pkg/controller/daemon, NodeShouldRunDaemonPod).
func noNodes(in *inspect.Inspector, w *object.Workload) {
	f := in.Find(codes.NoNodesTargeted, "no node is to run it")
	f.Prove("status.desiredNumberScheduled", "0")
	where := w.Placement
	if where == nil {
		where = &object.Placement{}
	}
	var keys []string
	for _, s := range where.NodeSelector {
		keys = append(keys, s.Key)
		f.Prove("spec.template.spec.nodeSelector["+s.Key+"]", s.Value)
	}
	for _, t := range where.Terms {
		for _, r := range t.Exprs {
			keys = append(keys, r.Key)
			f.Prove("spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."+
				"nodeSelectorTerms[*].matchExpressions["+r.Key+"].operator", r.Operator)
		}
	}
	if len(keys) > 0 {
		f.Next = []string{wording.Command("", "get", "nodes", "-L", strings.Join(keys, ","))}
	}
	nodes := in.List("", "Node", "")
	matches := slices.DeleteFunc(slices.Clone(nodes.Items), func(n *object.Object) bool {
		return !nodefit.MatchesNode(where, n)
	})
	f.NoneOf(nodes)
	switch {
	case !nodes.Complete && len(nodes.Items) == 0:
	case len(matches) == 0 && where.HasTerms:
		f.Say("no node matches %s, so none runs it", message.Clip(nodefit.Asks(where), 160))
	case len(matches) == 0 && len(keys) > 0:
		f.Say("no node has the label %s, so none runs it", message.Clip(nodefit.Asks(where), 160))
	default:
		var tainted []string
		for _, n := range matches {
			if t := nodefit.NotTolerated(where, n); t != "" {
				f.ProveTaint(n.ID, t)
				tainted = append(tainted, n.Name+" has taint "+t)
			}
		}
		if len(tainted) == len(matches) && len(tainted) > 0 {
			f.Say("no node is to run it: %s, which it does not tolerate", wording.Names(tainted, 2))
		} else if f.Certainty == inspect.Proven {
			f.Certainty = inspect.Likely // a node could run it, as far as is known here
		}
	}
}
