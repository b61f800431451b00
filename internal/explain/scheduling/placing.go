package scheduling

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/nodefit"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// place completes a finding about an unschedulable Pod with title, evidence and
// steps. u is the entry of the scheduler's message, fits the result of checking the nodes.
func place(in *inspect.Inspector, f *inspect.Finding, u message.Unfit, fits []nodefit.Fit) {
	complete := unplaced
	switch f.Code {
	case codes.NotEnoughResources:
		complete = tooLittleFree
	case codes.NoMatchingNode:
		complete = noMatchingNode
	case codes.TaintNotTolerated:
		complete = taintsInTheWay
	case codes.NodeCordoned:
		complete = cordoned
	case codes.HostPortTaken:
		complete = hostPort
	case codes.NodeFullOfPods:
		complete = fullOfPods
	case codes.TopologySpread:
		complete = unevenSpread
	case codes.PodAffinity:
		complete = affinity
	case codes.VolumeTopology:
		complete = volumeTopology
	case codes.VolumeLimit:
		complete = volumeLimit
	case codes.VolumeInUse:
		complete = volumeInUse
	case codes.DeviceUnavailable:
		complete = devices
	}
	complete(in, f, u, fits)
}

// noMatchingNode names the required labels, and those that the nodes have.
func noMatchingNode(in *inspect.Inspector, f *inspect.Finding, _ message.Unfit, fits []nodefit.Fit) {
	f.Say("no node matches the pod's node selector or affinity")
	p := in.Object.Pod.Placement
	if p == nil {
		return
	}
	var keys []string
	for _, s := range p.NodeSelector {
		keys = append(keys, s.Key)
		f.Prove("spec.nodeSelector["+s.Key+"]", s.Value)
	}
	for _, t := range p.Terms {
		for _, r := range t.Exprs {
			keys = append(keys, r.Key)
			f.Prove("spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[*].matchExpressions["+r.Key+"].operator", r.Operator)
		}
	}
	f.Key = nodefit.Asks(p)
	if f.Shared = f.Key != ""; f.Shared {
		f.Say("no node matches %s", message.Clip(f.Key, 160))
	}
	if len(keys) > 0 {
		f.Next = append(f.Next, wording.Command("", "get", "nodes", "-L", strings.Join(slices.Compact(keys), ",")))
	}
	for _, s := range p.NodeSelector {
		switch have := nodefit.LabelsOf(fits, s.Key); {
		case len(fits) == 0 || slices.Contains(have, s.Value):
			continue
		case len(have) == 0:
			f.Also("no node has the label %s", s.Key)
		default:
			f.Also("nodes have %s %s", s.Key, wording.Names(have, 4))
		}
		return
	}
}

// taintsInTheWay names the taints of otherwise eligible nodes.
func taintsInTheWay(in *inspect.Inspector, f *inspect.Finding, u message.Unfit, fits []nodefit.Fit) {
	var nodes, taints []string
	for _, x := range nodefit.ExcludedBy(fits, codes.TaintNotTolerated) {
		f.ProveTaint(x.Node.ID, x.Taint)
		nodes, taints = append(nodes, x.Node.Name), append(taints, x.Taint)
	}
	slices.Sort(taints)
	taints = slices.Compact(taints)
	f.Say("the eligible nodes have a taint %s that the pod does not tolerate", u.Name)
	if len(nodes) > 0 {
		f.Say("%s eligible but for taint %s, which the pod does not tolerate",
			wording.Are(nodes), wording.Names(taints, 2))
	}
	f.Key = cmp.Or(strings.Join(taints, " "), u.Name)
	f.Shared = f.Key != ""
	f.Next = append(f.Next, "kubectl describe nodes")
}

// cordoned names the nodes that are only excluded by a cordon.
func cordoned(in *inspect.Inspector, f *inspect.Finding, _ message.Unfit, fits []nodefit.Fit) {
	f.Say("the eligible nodes are cordoned")
	sayCordoned(f, nodefit.ExcludedBy(fits, codes.NodeCordoned))
}

// sayCordoned names nodes that are eligible but for their cordon.
func sayCordoned(f *inspect.Finding, cordoned []nodefit.Fit) {
	var nodes []string
	for _, x := range cordoned {
		nodes = append(nodes, x.Node.Name)
		f.Say("%s eligible, but cordoned", wording.Are(nodes))
		f.ProveOn(x.Node.ID, "spec.unschedulable", true)
		f.Key += x.Node.Name + " "
		if len(f.Offers) < 3 {
			f.Offer(wording.Command("", "uncordon", x.Node.Name), inspect.Uncordons)
		}
	}
	f.Shared = f.Key != ""
}

// alsoCordoned adds the nodes that nothing but a cordon is known to keep the Pod away from, where
// it found no room on the others: on another node than those that are full or taken it may have
// some.
func alsoCordoned(f *inspect.Finding, unfit []message.Unfit, fits []nodefit.Fit) {
	named := slices.ContainsFunc(unfit, func(u message.Unfit) bool { return u.Filter == message.Unschedulable })
	if !named || f.Code == codes.NodeCordoned {
		return
	}
	var nodes []string
	for _, x := range nodefit.ExcludedBy(fits, codes.NodeCordoned) {
		nodes = append(nodes, x.Node.Name)
		if len(nodes) <= 3 {
			f.ProveOn(x.Node.ID, "spec.unschedulable", true)
			f.Offer(wording.Command("", "uncordon", x.Node.Name), inspect.Uncordons)
		}
	}
	if len(nodes) > 0 {
		f.Also("%s cordoned", wording.Are(nodes))
	}
}

// hostPort names the ports, and the Pods that use them. Which of several ports is taken is known
// where the Pod that uses it is.
func hostPort(in *inspect.Inspector, f *inspect.Finding, _ message.Unfit, fits []nodefit.Fit) {
	if eligible := nodefit.ExcludedBy(fits, codes.HostPortTaken); len(eligible) > 0 {
		fits = eligible
	}
	var all, taken []string
	for _, q := range in.Object.Pod.HostPorts {
		number := strconv.Itoa(int(q.Number))
		all = append(all, number)
		if slices.ContainsFunc(fits, func(x nodefit.Fit) bool {
			o := in.Snapshot.Object(x.HostPortHolder)
			return o != nil && o.Pod != nil && nodefit.Clash([]object.Port{q}, o.Pod.HostPorts)
		}) {
			taken = append(taken, number)
		}
	}
	f.Say("the hostPort is taken on every eligible node")
	switch {
	case len(taken) > 0:
		f.Say("hostPort %s is taken on every eligible node", wording.Names(taken, 3))
	case len(all) > 1:
		f.Say("one of hostPorts %s is taken on every eligible node", wording.Names(all, 3))
	case len(all) == 1:
		f.Say("hostPort %s is taken on every eligible node", all[0])
	}
	f.Key = strings.Join(all, " ")
	if len(taken) == 0 {
		in.CouldNotRead(f, "pods", object.ID{Kind: "Pod"})
	}
	for _, x := range fits {
		if x.HostPortHolder != (object.ID{}) {
			f.ProveOn(x.HostPortHolder, "spec.nodeName", x.Node.Name)
			if !strings.Contains(f.Title(), "(") {
				f.Note("%s: by %s", x.Node.Name, inPlace(in, x.HostPortHolder))
			}
		}
	}
}

// inPlace names a Pod, with its namespace if that is another one.
func inPlace(in *inspect.Inspector, pod object.ID) string {
	if pod.Namespace == in.Object.Namespace {
		return pod.Name
	}
	return pod.Namespace + "/" + pod.Name
}

// fullOfPods says how many Pods the eligible nodes may run.
func fullOfPods(in *inspect.Inspector, f *inspect.Finding, _ message.Unfit, fits []nodefit.Fit) {
	f.Say("the eligible nodes run as many pods as they may")
	var full []string
	for _, x := range nodefit.ExcludedBy(fits, codes.NodeFullOfPods) {
		a, _ := nodefit.Allocatable(x.Node, "pods")
		full = append(full, fmt.Sprintf("%s (%d)", x.Node.Name, a/1000))
		f.ProveOn(x.Node.ID, "status.allocatable.pods", a/1000)
	}
	if len(full) > 0 {
		f.Why("%s", wording.Names(full, 3))
	}
}

// unevenSpread names the topology keys, and those that no node has.
func unevenSpread(in *inspect.Inspector, f *inspect.Finding, u message.Unfit, fits []nodefit.Fit) {
	in.List("", "Pod", in.Object.Namespace) // it is spread among them
	f.Say("no node%s satisfies the topology spread constraints", withRoom(f.Detail))
	if in.Object.Pod.Placement == nil || len(in.Object.Pod.Placement.Spread) == 0 {
		return
	}
	var keys, unlabelled []string
	for _, s := range in.Object.Pod.Placement.Spread {
		keys = append(keys, s.TopologyKey)
		f.Prove("spec.topologySpreadConstraints[*].topologyKey", s.TopologyKey)
		if len(fits) > 0 && len(nodefit.LabelsOf(fits, s.TopologyKey)) == 0 {
			unlabelled = append(unlabelled, s.TopologyKey)
		}
	}
	f.Key = strings.Join(keys, " ")
	f.Note("by %s", wording.Names(keys, 3))
	switch {
	case len(unlabelled) > 0:
		f.Say("no node has the label %s, by which the pods are to be spread", wording.Names(unlabelled, 3))
		f.Next = append(f.Next, wording.Command("", "get", "nodes", "-L", strings.Join(unlabelled, ",")))
	case u.Filter == message.SpreadUnlabelled:
		f.Say("nodes lack the label %s, by which the pods are to be spread", f.Key)
	default:
		skewed(in, f, fits)
	}
}

// withRoom says which resources other nodes lack: the scheduler does not look at the spread or the
// affinity of a node that has too little of a resource (kubernetes v1.36,
// pkg/scheduler/apis/config/v1/default_plugins.go, the order of the filters).
func withRoom(text string) string {
	var lacked []string
	for _, u := range message.ParseSchedule(text) {
		if u.Filter == message.TooLittle {
			lacked = append(lacked, u.Name)
		}
	}
	if len(lacked) == 0 {
		return ""
	}
	return " with enough " + wording.Names(lacked, 2)
}

// skewed counts the Pods in each domain of a constraint that no eligible node
// satisfies.
func skewed(in *inspect.Inspector, f *inspect.Finding, fits []nodefit.Fit) {
	for _, s := range in.Object.Pod.Placement.Spread {
		count := map[string]int{}
		for _, x := range fits {
			domain, ok := x.Node.Label(s.TopologyKey)
			if !ok {
				continue
			}
			matching := 0
			for _, p := range in.Nodes().Pods(x.Node.Name) {
				if p.Namespace == in.Object.Namespace && edges.Selects(s.Selector, p) {
					matching++
				}
			}
			count[domain] += matching // 0, too: a domain without such a Pod counts
		}
		at := nodefit.LabelsOf(nodefit.ExcludedBy(fits, nil), s.TopologyKey)
		least := slices.Min(append(slices.Collect(maps.Values(count)), math.MaxInt))
		if len(at) == 0 || slices.ContainsFunc(at, func(d string) bool { return count[d]+1-least <= int(s.MaxSkew) }) {
			continue // it is satisfied, as far as is known here
		}
		var have []string
		for _, d := range slices.Sorted(maps.Keys(count)) {
			have = append(have, fmt.Sprint(d, " ", count[d]))
		}
		f.Say("its spread by %s allows a difference of %d; pods are in %s, and the eligible nodes in %s",
			s.TopologyKey, s.MaxSkew, wording.Names(have, 4), wording.Names(at, 3))
		return
	}
}

// affinity names the Pods that it must, or must not, share a node with.
func affinity(in *inspect.Inspector, f *inspect.Finding, u message.Unfit, fits []nodefit.Fit) {
	p := in.Object.Pod
	in.List("", "Pod", in.Object.Namespace)
	for _, t := range p.AntiAffinity {
		for _, namespace := range t.Namespaces {
			in.List("", "Pod", namespace)
		}
	}
	var taken []string
	switch u.Filter {
	case message.OthersAntiAffinity:
		f.Say("every eligible node runs a pod whose anti-affinity keeps this one away")
		taken = inTheWay(in, f, fits, func(q *object.Object) (*object.Object, *object.Object) { return q, in.Object })
	case message.AntiAffinity:
		var keys []string
		for _, t := range p.AntiAffinity {
			keys = append(keys, t.TopologyKey)
		}
		f.Say("anti-affinity wants a %s of its own for each pod, and all eligible ones are taken",
			cmp.Or(wording.Names(slices.Compact(keys), 2), "node"))
		taken = inTheWay(in, f, fits, func(q *object.Object) (*object.Object, *object.Object) { return in.Object, q })
	default:
		f.Say("no node%s runs the pods that this one has to stand beside (affinity)", withRoom(f.Detail))
		if p.Placement != nil && len(p.Placement.Affinity) > 0 {
			t := p.Placement.Affinity[0]
			sel := edges.Format(t.Selector)
			if sel != "" {
				f.Next = append(f.Next, in.Kubectl("get", "pods", "-o", "wide", "-l", sel))
			}
			f.Say("affinity wants it beside pods with %s (by %s), and no eligible node runs any",
				cmp.Or(sel, "any label"), t.TopologyKey)
			f.Prove("spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[*].topologyKey",
				t.TopologyKey)
		}
	}
	f.Key = f.Title()
	if len(taken) > 0 {
		f.Why("by %s", wording.Names(taken, 3))
	}
}

// inTheWay names the running Pods that exclude otherwise eligible nodes by
// anti-affinity; whose says, for a Pod on a node, whose anti-affinity it is and
// against which Pod.
func inTheWay(
	in *inspect.Inspector, f *inspect.Finding, fits []nodefit.Fit,
	whose func(*object.Object) (of, against *object.Object),
) (out []string) {
	wanted := map[object.Label]bool{} // topology key and domain of each eligible node
	for _, x := range nodefit.ExcludedBy(fits, nil) {
		for _, label := range x.Node.Labels {
			wanted[label] = true
		}
	}
	for _, x := range fits {
		for _, q := range in.Nodes().Pods(x.Node.Name) {
			of, against := whose(q)
			if slices.ContainsFunc(of.Pod.AntiAffinity, func(t object.PodTerm) bool {
				domain, ok := x.Node.Label(t.TopologyKey)
				return ok && wanted[object.Label{Key: t.TopologyKey, Value: domain}] &&
					selects(t, of.Namespace, against)
			}) {
				out = append(out, q.Name+" on "+x.Node.Name)
				f.ProveOn(q.ID, "spec.nodeName", x.Node.Name)
			}
		}
	}
	return out
}

// selects reports whether an affinity term of a Pod in a namespace selects
// another Pod.
func selects(t object.PodTerm, namespace string, q *object.Object) bool {
	in := t.Namespaces
	if len(in) == 0 {
		in = []string{namespace}
	}
	return slices.Contains(in, q.Namespace) && (t.AnySelector || edges.Selects(t.Selector, q))
}

// volumeTopology names the locations of its volumes, or the claim that has none yet and for
// which there is no place on the eligible nodes.
func volumeTopology(in *inspect.Inspector, f *inspect.Finding, u message.Unfit, fits []nodefit.Fit) {
	switch {
	case strings.Contains(u.Text, "didn't find available persistent volumes to bind"):
		noVolumeToBind(in, f)
	case strings.Contains(u.Text, "did not have enough free storage"):
		noRoomForVolume(in, f)
	default:
		f.Say("its volume is bound to a place where no node is eligible: %s", u.Text)
		volumePlaces(in, f, fits)
		f.Next = append(f.Next, "kubectl get pv")
	}
}

// unboundClaim is the Pod's first claim that is known to have no volume, or nil.
func unboundClaim(in *inspect.Inspector) *object.Object {
	for _, u := range in.Object.Pod.Uses {
		if u.Kind != "PersistentVolumeClaim" {
			continue
		}
		if c := in.Get(in.ID("", "PersistentVolumeClaim", u.Name)); c != nil && c.Claim != nil && c.Claim.Volume == "" {
			return c
		}
	}
	return nil
}

// noVolumeToBind says that no eligible node has a volume for a claim: with
// WaitForFirstConsumer the scheduler looks for one on each node, or whether one can be made
// there (kubernetes v1.36, pkg/scheduler/framework/plugins/volumebinding,
// ErrReasonBindConflict).
func noVolumeToBind(in *inspect.Inspector, f *inspect.Finding) {
	f.Say("no eligible node has a volume for its claim")
	f.Next = append(f.Next, "kubectl get pv")
	claim := unboundClaim(in)
	if claim == nil {
		return
	}
	ofClaim(f, claim, "no eligible node has a volume for PersistentVolumeClaim %s (StorageClass %s)")
	f.Next = append(f.Next, in.Kubectl("describe", "pvc", claim.Name))
	class := in.Get(inspect.ClusterID("storage.k8s.io", "StorageClass", claim.Claim.StorageClass))
	if class != nil && class.Str("provisioner") == "kubernetes.io/no-provisioner" {
		f.Also("its class makes none (%s)", class.Str("provisioner"))
		f.ProveOn(class.ID, "provisioner", class.Str("provisioner"))
	}
}

// noRoomForVolume says that the CSIStorageCapacity objects of a claim's driver show too
// little room on the eligible nodes, or that there are none (kubernetes v1.36,
// pkg/scheduler/framework/plugins/volumebinding, ErrReasonNotEnoughSpace).
func noRoomForVolume(in *inspect.Inspector, f *inspect.Finding) {
	f.Say("no eligible node has enough free storage for its volume")
	f.Next = append(f.Next, "kubectl get csistoragecapacities -A")
	if claim := unboundClaim(in); claim != nil {
		ofClaim(f, claim, "no eligible node has enough free storage for PersistentVolumeClaim %s (StorageClass %s)")
	}
}

// ofClaim says something of an unbound claim and its class, and proves that it is unbound.
func ofClaim(f *inspect.Finding, claim *object.Object, title string) {
	f.Say(title, claim.Name, claim.Claim.StorageClass)
	f.Key = claim.Name
	f.ProveOn(claim.ID, "status.phase", claim.Claim.Phase)
}

// volumeLimit names the driver, and the nodes with as many of its volumes as
// permitted.
func volumeLimit(in *inspect.Inspector, f *inspect.Finding, _ message.Unfit, fits []nodefit.Fit) {
	f.Say("the eligible nodes cannot attach another volume")
	f.Next = append(f.Next, "kubectl get csinodes")
	for _, u := range in.Object.Pod.Uses {
		driver := driver(in, u)
		if driver == "" {
			continue
		}
		full := fullOf(in, f, driver, fits)
		if len(full) > 0 || f.Key == "" {
			f.Key = driver
			f.Say("the eligible nodes cannot attach another volume of driver %s, which claim %s needs", driver, u.Name)
		}
		if len(full) > 0 {
			f.Why("%s", wording.Names(full, 3))
			return
		}
	}
}

// driver is the CSI driver of a claim's volume, or of its StorageClass.
func driver(in *inspect.Inspector, u object.Use) string {
	c := in.Get(in.ID("", u.Kind, u.Name))
	if c == nil || c.Claim == nil {
		return ""
	}
	if c.Claim.Volume == "" {
		if class := in.Get(inspect.ClusterID("storage.k8s.io", "StorageClass", c.Claim.StorageClass)); class != nil {
			return class.Str("provisioner")
		}
	} else if pv := in.Get(inspect.ClusterID("", "PersistentVolume", c.Claim.Volume)); pv != nil {
		return pv.Str("spec", "csi", "driver")
	}
	return ""
}

// fullOf returns each eligible node's number and limit of volumes of a driver,
// if the limit is reached.
func fullOf(in *inspect.Inspector, f *inspect.Finding, driver string, fits []nodefit.Fit) (full []string) {
	nodes := in.List("storage.k8s.io", "CSINode", "").Items
	attachments := in.List("storage.k8s.io", "VolumeAttachment", "").Items
	for _, n := range nodes {
		if slices.ContainsFunc(fits, func(x nodefit.Fit) bool { return x.Node.Name == n.Name && x.FailedChecks > 0 }) {
			continue
		}
		has := int64(0)
		for _, a := range attachments {
			if a.Str("spec", "nodeName") == n.Name && a.Str("spec", "attacher") == driver {
				has++
			}
		}
		for _, d := range fields.Each(n.List("spec", "drivers")) {
			if count, ok := d.Sub("allocatable")["count"].(int64); ok && d.Str("name") == driver && has >= count {
				full = append(full, fmt.Sprintf("%s has %d of %d", n.Name, has, count))
				f.ProveOn(n.ID, "spec.drivers["+driver+"].allocatable.count", count)
			}
		}
	}
	return full
}

// volumeInUse names the Pod that uses its volume: that of a claim with ReadWriteOncePod that
// another Pod uses.
func volumeInUse(in *inspect.Inspector, f *inspect.Finding, _ message.Unfit, _ []nodefit.Fit) {
	var all, used, holders []string
	for _, u := range in.Object.Pod.Uses {
		if u.Kind != "PersistentVolumeClaim" {
			continue
		}
		claim := in.ID("", u.Kind, u.Name)
		if c := in.Get(claim); c != nil && c.Claim != nil && len(c.Claim.Modes) > 0 &&
			!slices.Contains(c.Claim.Modes, "ReadWriteOncePod") {
			continue
		}
		all = append(all, u.Name)
		for _, q := range inspect.ClaimUsers(in, claim) {
			if q.ID != in.Object.ID && q.Pod.Node != "" && q.Pod.Phase != "Succeeded" && q.Pod.Phase != "Failed" {
				used, holders = append(used, u.Name), append(holders, q.Name)
				inspect.ProveMount(in, f, q, claim)
				break
			}
		}
	}
	f.Key = strings.Join(all, " ") + " "
	switch {
	case len(used) == 1:
		f.Say("its ReadWriteOncePod volume %s is in use by pod %s", used[0], holders[0])
	case len(used) > 1:
		f.Say("one of its volumes %s is ReadWriteOncePod and in use by another pod (%s)",
			wording.Names(used, 3), wording.Names(holders, 3))
	case len(all) == 1:
		f.Say("its ReadWriteOncePod volume %s is in use by another pod", all[0])
	default:
		f.Say("its ReadWriteOncePod volume is in use by another pod")
	}
}

// noClaim is the reason of the event that a ResourceClaim cannot be created from
// its template. Without it the scheduler does not even look at the Pod.
const noClaim = "FailedResourceClaimCreation"

// devices names what its ResourceClaim waits for.
func devices(in *inspect.Inspector, f *inspect.Finding, u message.Unfit, _ []nodefit.Fit) {
	var claims []string
	for _, use := range in.Object.Pod.Uses {
		if use.Kind == "ResourceClaim" && use.Name != "" {
			claims = append(claims, use.Name)
		}
	}
	f.Say("its devices cannot be allocated: %s", u.Text)
	if len(claims) > 0 {
		f.Say("the devices of ResourceClaim %s cannot be allocated: %s", wording.Names(claims, 3), u.Text)
	}
	if e, ok := in.Event(in.Object.ID, noClaim); ok {
		f.Say("its claim for devices cannot be made: %s", message.Reason(e.Message))
		f.ProveEvent(e)
	}
	f.Next = append(f.Next, in.Kubectl("get", "resourceclaims"))
}

// unplaced repeats the scheduler's own message.
func unplaced(in *inspect.Inspector, f *inspect.Finding, u message.Unfit, _ []nodefit.Fit) {
	f.Say("no node takes the pod: %s", message.Clip(u.Text, 160))
	f.Key = wording.Normal(u.Text)
}
