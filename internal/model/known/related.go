package known

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Guards are the HorizontalPodAutoscalers that scale an object, and the
// PodDisruptionBudgets that concern its Pods, of those that are known.
func (f *Facts) Guards(id object.ID) (all []*object.Object) {
	n := f.World.Tree.Nodes[id]
	if n == nil || n.Object == nil {
		return nil
	}
	for _, hpa := range f.World.List("autoscaling", "HorizontalPodAutoscaler", id.Namespace) {
		if slices.ContainsFunc(edges.References(hpa), func(r edges.Reference) bool { return r.To == id }) {
			all = append(all, hpa)
		}
	}
	pods := n.Object
	if w := n.Object.Workload; w != nil {
		pods = &object.Object{ID: object.ID{Kind: "Pod", Namespace: id.Namespace}, Labels: w.PodLabels}
	} else if n.Object.Pod == nil {
		return all
	}
	for _, budget := range f.World.List("policy", "PodDisruptionBudget", id.Namespace) {
		if edges.Selects(edges.SelectorOf(budget), pods) {
			all = append(all, budget)
		}
	}
	return all
}

// Revisions are the ReplicaSets of a Deployment, the newest first, and which of them is
// the present rollout's.
func (f *Facts) Revisions(id object.ID) (all []*object.Object, newest *object.Object) {
	n := f.World.Tree.Nodes[id]
	if n == nil || id.Kind != "Deployment" {
		return nil, nil
	}
	for _, k := range n.Kids {
		if k.ID.Kind == "ReplicaSet" && k.Object != nil && k.Object.Workload != nil {
			all = append(all, k.Object)
		}
	}
	slices.SortStableFunc(all, func(a, b *object.Object) int { return b.Created.Compare(a.Created) })
	if n := world.NewestRevision(n); n != nil {
		newest = n.Object
	}
	return all, newest
}

// SelectorText is a selector as kubectl's -l takes it.
func SelectorText(s object.Selector) string { return edges.Format(s) }
