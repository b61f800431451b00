package scheduling

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/nodefit"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// devicePlugin blames the DaemonSet whose Pods offer an extended resource that no eligible node
// has: no node is to run it, its Pod there does not run, or it does not tolerate the node's taint.
func devicePlugin(in *inspect.Inspector, f *inspect.Finding, res string, fits []nodefit.Fit) {
	sets := in.List("apps", "DaemonSet", "").Items
	i := slices.IndexFunc(sets, func(d *object.Object) bool { return d.Workload != nil && offers(d.Name, res) })
	if i < 0 {
		return // the nodes' images may have it
	}
	set := sets[i]
	f.Next = append([]string{wording.Command(set.Namespace, "describe", "daemonset", set.Name)}, f.Next...)
	if set.Workload.Desired.Set && set.Workload.Desired.V == 0 {
		f.Blame(set.ID)
		return
	}
	on := map[string]bool{}
	for _, p := range in.List("", "Pod", set.Namespace).Items {
		if by, ok := p.Controller(); ok && by.UID == set.UID && p.Pod != nil {
			on[p.Pod.Node] = true
			lacks := func(x nodefit.Fit) bool { return x.Node.Name == p.Pod.Node && x.Code == codes.NotEnoughResources }
			if p.ConditionIs("Ready", "True") == nil && slices.ContainsFunc(fits, lacks) {
				f.Blame(p.ID)
			}
		}
	}
	for _, x := range fits {
		if x.Code != codes.NotEnoughResources || on[x.Node.Name] || set.Workload.Placement == nil {
			continue
		}
		if taint := nodefit.NotTolerated(set.Workload.Placement, x.Node); taint != "" {
			f.Also("DaemonSet %s, which should offer it, does not tolerate taint %s of node %s",
				set.Name, taint, x.Node.Name)
			f.ProveTaint(x.Node.ID, taint)
			return
		}
	}
}

// offers reports whether a DaemonSet is the plugin for a resource, by its name: those of the
// vendors have "device-plugin" and their own name in it (nvidia.com/gpu:
// nvidia-device-plugin-daemonset; gpu.intel.com/i915: intel-gpu-device-plugin).
func offers(name, res string) bool {
	domain, _, extended := strings.Cut(res, "/")
	if !extended || !strings.Contains(name, "device-plugin") && !strings.Contains(name, "deviceplugin") {
		return false
	}
	for label := range strings.SplitSeq(domain, ".") {
		if len(label) > 2 && label != "com" && label != "gpu" && strings.Contains(name, label) {
			return true
		}
	}
	return false
}
