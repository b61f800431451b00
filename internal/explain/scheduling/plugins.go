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

// devicePlugin explains by its device plugin why no eligible node offers an extended resource. If
// the plugin's DaemonSet is to run on no node, it is to blame. If its Pod on a node is not ready,
// that Pod is. If it does not tolerate the taint of a node, the finding says so.
func devicePlugin(in *inspect.Inspector, f *inspect.Finding, res string, fits []nodefit.Fit) {
	sets := in.List("apps", "DaemonSet", "").Items
	i := slices.IndexFunc(sets, func(d *object.Object) bool { return d.Workload != nil && isPluginName(d.Name, res) })
	if i < 0 {
		return // the plugin may be a part of the node's image
	}
	set := sets[i]
	f.Next = append([]string{wording.Command(set.Namespace, "describe", "daemonset", set.Name)}, f.Next...)
	if set.Workload.Desired.Set && set.Workload.Desired.V == 0 {
		f.Blame(set.ID)
		return
	}
	nodesWithPlugin := map[string]bool{}
	for _, p := range in.List("", "Pod", set.Namespace).Items {
		if by, ok := p.Controller(); ok && by.UID == set.UID && p.Pod != nil {
			nodesWithPlugin[p.Pod.Node] = true
			lacks := func(x nodefit.Fit) bool { return x.Node.Name == p.Pod.Node && x.Code == codes.NotEnoughResources }
			if p.ConditionIs("Ready", "True") == nil && slices.ContainsFunc(fits, lacks) {
				f.Blame(p.ID)
			}
		}
	}
	for _, x := range fits {
		if x.Code != codes.NotEnoughResources || nodesWithPlugin[x.Node.Name] || set.Workload.Placement == nil {
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

// isPluginName guesses by its name whether a DaemonSet is the device plugin for a resource. A
// vendor's has "device-plugin" and the vendor's name in it (nvidia.com/gpu:
// nvidia-device-plugin-daemonset; gpu.intel.com/i915: intel-gpu-device-plugin).
func isPluginName(name, res string) bool {
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
