package message

import (
	"strconv"
	"strings"
)

// Filter is a kind of reason for which the scheduler leaves out a node, or the whole Pod.
type Filter int

// The kinds.
const (
	OtherFilter        Filter = iota
	ClaimTrouble              // a claim that the message names, Unfit.Name, cannot be used
	ClaimMissing              // it does not exist
	ClaimDeleting             // it is being deleted
	ClaimsUnbound             // claims that are still to be bound
	OnePodVolume              // a ReadWriteOncePod volume is in use
	VolumeElsewhere           // no node is where the volume is
	VolumeCount               // the node has as many volumes as it may
	DeviceTaken               // a ResourceClaim or DeviceClass cannot be had
	PortsTaken                // host ports
	Spread                    // topology spread constraints
	SpreadUnlabelled          // the same: the node lacks the label
	Affinity                  // to Pods
	AntiAffinity              // against Pods
	OthersAntiAffinity        // of Pods on the node, against this one
	PodCount                  // the node has as many Pods as it may
	TooLittle                 // of the resource Unfit.Name
	NodeLabels                // the Pod's node selector or affinity
	Unschedulable             // cordoned
	Taint                     // the taint Unfit.Name, where the message names it
)

// Unfit is one entry of the scheduler's histogram.
type Unfit struct {
	Filter Filter
	Name   string // of the claim, the resource or the taint
	Text   string
}

// filters are the kinds by the scheduler's phrases (kubernetes 1.20 to 1.36,
// pkg/scheduler/framework/plugins). No name can be part of one: all but "resourceclaim" have a
// blank.
var filters = []struct {
	kind    Filter
	phrases []string
}{
	{ClaimsUnbound, []string{"unbound immediate PersistentVolumeClaims"}},
	{OnePodVolume, []string{"ReadWriteOncePod access mode already in-use"}},
	{VolumeElsewhere, []string{
		"didn't match PersistentVolume's node affinity", "had volume node affinity conflict",
		"had no available volume zone",
		"didn't find available persistent volumes to bind", "did not have enough free storage",
	}},
	{VolumeCount, []string{"exceed max volume count"}},
	{DeviceTaken, []string{
		"cannot allocate all claims", "device class ", "resource class ",
		"resourceclaim not available", "resourceclaim ",
	}},
	{PortsTaken, []string{"didn't have free ports"}},
	{SpreadUnlabelled, []string{"didn't match pod topology spread constraints (missing required label)"}},
	{Spread, []string{"didn't match pod topology spread constraints"}},
	{OthersAntiAffinity, []string{"didn't satisfy existing pods anti-affinity rules"}},
	{AntiAffinity, []string{"didn't match pod anti-affinity rules", "didn't match pod affinity/anti-affinity"}},
	{Affinity, []string{"didn't match pod affinity rules"}},
	{PodCount, []string{"Too many pods"}},
	{TooLittle, []string{"Insufficient "}},
	{NodeLabels, []string{
		"didn't match Pod's node affinity", "didn't match node selector",
		"didn't match node affinity",
	}},
	{Unschedulable, []string{"were unschedulable", "node(s) unschedulable"}},
	{Taint, []string{"had untolerated taint", "had taint", "had taints"}},
}

// NodesTried is how many nodes the cluster had when the scheduler wrote its message
// ("0/3 nodes are available: …"), or 0 if it is another message.
func NodesTried(text string) int {
	fraction, _, _ := strings.Cut(Line(text), " nodes are available: ")
	_, all, _ := strings.Cut(fraction, "/")
	n, _ := strconv.Atoi(all)
	return n
}

// ParseSchedule parses a message of the scheduler (kubernetes v1.36,
// pkg/scheduler/framework/types.go FitError): the histogram is sorted as strings, followed by
// messages of plugins and of preemption, which are left out.
func ParseSchedule(text string) (out []Unfit) {
	text = Line(text)
	if _, rest, ok := strings.Cut(text, " nodes are available: "); ok {
		text = rest
	}
	text, _, _ = strings.Cut(text, "preemption:")
	for part := range strings.SplitSeq(strings.ReplaceAll(text, ". ", ", "), ", ") {
		part = strings.TrimSuffix(strings.TrimSpace(part), ".")
		if n, rest, ok := strings.Cut(part, " "); ok {
			if _, err := strconv.Atoi(n); err == nil {
				part = rest
			}
		}
		switch {
		case part == "" || part == "not found" || strings.HasPrefix(part, "no new claims to deallocate"),
			strings.HasPrefix(part, "Preemption is not helpful"), strings.HasPrefix(part, "No preemption victims"):
			continue
		}
		out = append(out, unfit(part))
		if len(out) == 32 {
			break
		}
	}
	return out
}

// binding reads what the scheduler says of volumes that it cannot bind once it has chosen a node:
// the claim may be named (kubernetes v1.36, pkg/scheduler/framework/plugins/volumebinding,
// binder.go checkBindings; the last is of v1.9).
func binding(text string) (u Unfit, ok bool) {
	_, why, ok := strings.Cut(text, "binding volumes: ")
	if name := Between(why, ` for PVC "`, `"`); name != "" {
		why, _, _ = strings.Cut(why, ` for PVC "`)
		return Unfit{Filter: ClaimTrouble, Name: name, Text: why}, true
	}
	if ok && RanOutOfTime(why) {
		return Unfit{Filter: ClaimsUnbound, Text: why}, true
	}
	if name := Between(text, `PersistentVolumeClaim is not bound: "`, `"`); name != "" {
		return Unfit{Filter: ClaimTrouble, Name: name, Text: "it is not bound"}, true
	}
	return u, false
}

func unfit(text string) Unfit {
	u := Unfit{Text: text}
	if b, ok := binding(text); ok {
		return b
	}
	if name, ok := strings.CutPrefix(text, `persistentvolumeclaim "`); ok {
		u.Name, name, _ = strings.Cut(name, `"`)
		switch {
		case strings.HasPrefix(name, " is being deleted"):
			u.Filter = ClaimDeleting
		case strings.HasPrefix(name, " not found"):
			u.Filter = ClaimMissing
		default:
			u.Filter = ClaimTrouble
		}
		return u
	}
	plain := quotedNames().ReplaceAllString(text, "…")
	for _, f := range filters {
		if containsAny(plain, f.phrases) {
			u.Filter = f.kind
			break
		}
	}
	switch u.Filter {
	case TooLittle:
		u.Name = strings.TrimPrefix(text, "Insufficient ")
	case Taint:
		u.Name = Between(text, "{", "}")
	}
	return u
}
