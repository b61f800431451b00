package nodefit

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

// Closest is the node with the fewest failed checks, and among equals the most
// relevant failure. Nodes that do not match the Pod's selector come last: as
// long as others do, those show why it is pending.
func Closest(fits []Fit) Fit {
	if wanted := slices.DeleteFunc(slices.Clone(fits), func(x Fit) bool { return x.notSelected }); len(wanted) > 0 {
		fits = wanted
	}
	rank := func(code *codes.Code) int {
		for i, r := range reasonCodes {
			if r.code == code {
				return i
			}
		}
		return -1
	}
	best := fits[0]
	for _, x := range fits[1:] {
		if x.FailedChecks < best.FailedChecks || x.FailedChecks == best.FailedChecks && rank(x.Code) < rank(best.Code) {
			best = x
		}
	}
	return best
}

// Why a Pod has no node. The scheduler's message says how many nodes failed
// which filter, not which nodes, and since 1.34 not which taints; two causes
// can have the same text. If the nodes are known, each is checked as the
// scheduler does, and the closest one determines the cause.

// reasonCodes maps the scheduler's filters to codes; an earlier one hides a later one if
// the nodes are not known.
var reasonCodes = []struct {
	filter message.Filter
	code   *codes.Code
}{
	{message.OnePodVolume, codes.VolumeInUse},
	{message.VolumeElsewhere, codes.VolumeTopology},
	{message.VolumeCount, codes.VolumeLimit},
	{message.DeviceTaken, codes.DeviceUnavailable},
	{message.PortsTaken, codes.HostPortTaken},
	{message.SpreadUnlabelled, codes.TopologySpread},
	{message.Spread, codes.TopologySpread},
	{message.OthersAntiAffinity, codes.PodAffinity},
	{message.AntiAffinity, codes.PodAffinity},
	{message.Affinity, codes.PodAffinity},
	{message.PodCount, codes.NodeFullOfPods},
	{message.TooLittle, codes.NotEnoughResources},
	{message.NodeLabels, codes.NoMatchingNode},
	{message.Unschedulable, codes.NodeCordoned},
	{message.Taint, codes.TaintNotTolerated},
}

// CodeOf is the code of the scheduler's message, and the entry of it that has the code.
func CodeOf(unfit []message.Unfit) (*codes.Code, message.Unfit) {
	for _, r := range reasonCodes {
		for _, u := range unfit {
			if u.Filter == r.filter {
				return r.code, u
			}
		}
	}
	return nil, message.Unfit{}
}

// Evaluated reports whether check decides a code without the text.
func Evaluated(code *codes.Code) bool {
	switch code {
	case nil, codes.NotEnoughResources, codes.NoMatchingNode, codes.NodeCordoned, codes.TaintNotTolerated,
		codes.NodeFullOfPods, codes.HostPortTaken:
		return true
	}
	return false
}
