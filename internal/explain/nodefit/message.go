package nodefit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

// Closest is the node with the fewest failed checks, and among equals the most
// relevant failure. Nodes that do not match the Pod's selector come last: as
// long as others do, those tell why it is pending.
func Closest(fits []Fit) Fit {
	if wanted := slices.DeleteFunc(slices.Clone(fits), func(x Fit) bool { return x.unwanted }); len(wanted) > 0 {
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
		if x.Misses < best.Misses || x.Misses == best.Misses && rank(x.Code) < rank(best.Code) {
			best = x
		}
	}
	return best
}

// Why a Pod has no node. The scheduler's message says how many nodes failed
// which filter, not which nodes, and since 1.34 not which taints; two causes
// can have the same text. If the nodes are known, each is checked as the
// scheduler does, and the closest one determines the cause.

// Reason is one entry of the scheduler's histogram.
type Reason struct {
	nodes int // 0 for a reason that precedes the filters
	Text  string
}

// ParseSchedule parses a message of the scheduler (kubernetes
// pkg/scheduler/framework/types.go FitError, v1.36): the histogram is sorted as
// strings, followed by messages of plugins and of preemption.
func ParseSchedule(msg string) (total int, out []Reason) {
	msg = message.Line(msg)
	if head, rest, ok := strings.Cut(msg, " nodes are available: "); ok {
		if i := strings.LastIndexByte(head, '/'); i >= 0 {
			total, _ = strconv.Atoi(head[i+1:])
		}
		msg = rest
	}
	msg, _, _ = strings.Cut(msg, "preemption:")
	for part := range strings.SplitSeq(strings.ReplaceAll(msg, ". ", ", "), ", ") {
		part = strings.TrimSuffix(strings.TrimSpace(part), ".")
		v := Reason{Text: part}
		if n, rest, ok := strings.Cut(part, " "); ok {
			if k, err := strconv.Atoi(n); err == nil {
				v.nodes, v.Text = k, rest
			}
		}
		switch {
		case v.Text == "" || v.Text == "not found" || strings.HasPrefix(v.Text, "no new claims to deallocate"),
			strings.HasPrefix(v.Text, "Preemption is not helpful"), strings.HasPrefix(v.Text, "No preemption victims"):
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
	code *codes.Code
	subs []string
}{
	{codes.VolumeInUse, []string{"ReadWriteOncePod access mode already in-use"}},
	{codes.VolumeTopology, []string{"didn't match PersistentVolume's node affinity", "had volume node affinity conflict", "had no available volume zone", "didn't find available persistent volumes to bind", "did not have enough free storage"}},
	{codes.VolumeLimit, []string{"exceed max volume count"}},
	{codes.DeviceUnavailable, []string{"cannot allocate all claims", "device class ", "resourceclaim not available", "resourceclaim "}},
	{codes.HostPortTaken, []string{"didn't have free ports"}},
	{codes.TopologySpread, []string{"didn't match pod topology spread constraints"}},
	{codes.PodAffinity, []string{"didn't match pod affinity rules", "didn't match pod anti-affinity rules", "didn't satisfy existing pods anti-affinity rules", "didn't match pod affinity/anti-affinity"}},
	{codes.NodeFullOfPods, []string{"Too many pods"}},
	{codes.NotEnoughResources, []string{"Insufficient "}},
	{codes.NoMatchingNode, []string{"didn't match Pod's node affinity", "didn't match node selector", "didn't match node affinity"}},
	{codes.NodeCordoned, []string{"were unschedulable", "node(s) unschedulable"}},
	{codes.TaintNotTolerated, []string{"had untolerated taint", "had taint", "had taints"}},
}

// CodeOf is the code of the scheduler's message, and its text.
func CodeOf(said []Reason) (code *codes.Code, text string) {
	for _, r := range reasonCodes {
		for _, v := range said {
			if wording.HasAny(v.Text, r.subs...) {
				return r.code, v.Text
			}
		}
	}
	return nil, ""
}

// Evaluated reports whether check decides a code without the text.
func Evaluated(code *codes.Code) bool {
	switch code {
	case nil, codes.NotEnoughResources, codes.NoMatchingNode, codes.NodeCordoned, codes.TaintNotTolerated, codes.NodeFullOfPods, codes.HostPortTaken:
		return true
	}
	return false
}
