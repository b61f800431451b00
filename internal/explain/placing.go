package explain

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// titles complete a finding about an unschedulable Pod with title, evidence and
// steps, by its code. text is the scheduler's message, fits the result of
// checking the nodes.
var titles = map[string]func(l *look, f *Finding, text string, fits []fit){
	"NotEnoughResources": (*look).resources,
	"NoMatchingNode":     (*look).noMatchingNode,
	"TaintNotTolerated":  (*look).taints,
	"NodeCordoned":       (*look).cordoned,
	"HostPortTaken":      (*look).hostPort,
	"NodeFullOfPods":     (*look).fullOfPods,
	"TopologySpread":     (*look).spread,
	"PodAffinity":        (*look).affinity,
	"VolumeTopology":     (*look).volumeTopology,
	"VolumeLimit":        (*look).volumeLimit,
	"VolumeInUse":        (*look).volumeInUse,
	"DeviceUnavailable":  (*look).devices,
}

func (l *look) place(f *Finding, text string, fits []fit) {
	title := titles[f.Code]
	if title == nil {
		title = (*look).unplaced
	}
	title(l, f, text, fits)
}

// noMatchingNode names the required labels, and those that the nodes have.
func (l *look) noMatchingNode(f *Finding, _ string, fits []fit) {
	f.Title = "no node matches the pod's node selector or affinity"
	p := l.o.Pod.Placement
	if p == nil {
		return
	}
	var terms, keys []string
	for _, s := range p.NodeSelector {
		keys = append(keys, s.Key)
		l.proof(f, "spec.nodeSelector["+s.Key+"]", s.Value)
	}
	for _, t := range p.Terms {
		terms = append(terms, edges.Format(object.Selector{Exprs: slices.Concat(t.Exprs, t.Fields)}))
		for _, r := range t.Exprs {
			keys = append(keys, r.Key)
			l.proof(f, "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[*].matchExpressions["+r.Key+"].operator", r.Operator)
		}
	}
	f.Key = strings.Trim(edges.Format(object.Selector{Match: p.NodeSelector})+", "+strings.Join(terms, " or "), ", ")
	if f.Shared = f.Key != ""; f.Shared {
		f.Title = "no node matches " + clip(f.Key, 160)
	}
	if len(keys) > 0 {
		f.Next = append(f.Next, command("", "get", "nodes", "-L", strings.Join(slices.Compact(keys), ",")))
	}
	for _, s := range p.NodeSelector {
		switch have := labelsOf(fits, s.Key); {
		case len(fits) == 0 || slices.Contains(have, s.Value):
			continue
		case len(have) == 0:
			f.Title += "; no node has the label " + s.Key
		default:
			f.Title += "; nodes have " + s.Key + " " + names(have, 4)
		}
		return
	}
}

// labelsOf are the nodes' values of a label, sorted.
func labelsOf(fits []fit, key string) (out []string) {
	for _, x := range fits {
		if v, ok := x.node.Label(key); ok {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// excludedBy are the nodes that one failed check alone excludes; with "" those
// that pass every check.
func excludedBy(fits []fit, code string) []fit {
	return slices.DeleteFunc(slices.Clone(fits), func(x fit) bool { return x.code != code || x.misses > 1 })
}

// are begins a sentence about nodes: "node n1 is", "nodes n1, n2 are".
func are(nodes []string) string {
	if len(nodes) == 1 {
		return "node " + nodes[0] + " is"
	}
	return "nodes " + names(nodes, 3) + " are"
}

// taints names the taints of otherwise eligible nodes.
func (l *look) taints(f *Finding, text string, fits []fit) {
	var nodes, taints []string
	for _, x := range excludedBy(fits, "TaintNotTolerated") {
		f.proveTaint(x.node.ID, x.taint)
		nodes, taints = append(nodes, x.node.Name), append(taints, x.taint)
	}
	slices.Sort(taints)
	taints = slices.Compact(taints)
	f.Title = "the eligible nodes have a taint " + between(text, "{", "}") + " that the pod does not tolerate"
	if len(nodes) > 0 {
		f.Title = are(nodes) + " eligible but for taint " + names(taints, 2) + ", which the pod does not tolerate"
	}
	f.Key = cmp.Or(strings.Join(taints, " "), between(text, "{", "}"))
	f.Shared = f.Key != ""
	f.Next = append(f.Next, "kubectl describe nodes")
}

// cordoned names the nodes that are only excluded by a cordon.
func (l *look) cordoned(f *Finding, _ string, fits []fit) {
	f.Title = "the eligible nodes are cordoned"
	var nodes []string
	for _, x := range excludedBy(fits, "NodeCordoned") {
		nodes = append(nodes, x.node.Name)
		f.Title = are(nodes) + " eligible, but cordoned"
		f.prove(x.node.ID, "spec.unschedulable", true)
		f.Key += x.node.Name + " "
		if len(f.Changes) < 3 {
			f.offer(command("", "uncordon", x.node.Name), uncordons)
		}
	}
	f.Shared = f.Key != ""
}

// hostPort names the ports, and the Pods that use them.
func (l *look) hostPort(f *Finding, _ string, fits []fit) {
	p := l.o.Pod
	ports := make([]string, 0, len(p.HostPorts))
	for _, q := range p.HostPorts {
		ports = append(ports, strconv.Itoa(int(q.Number)))
	}
	f.Title = "the hostPort is taken on every eligible node"
	if len(ports) > 0 {
		f.Title = "hostPort " + names(ports, 3) + " is taken on every eligible node"
		f.Key = strings.Join(ports, " ")
	}
	for _, x := range fits {
		if x.holder != (object.ID{}) {
			f.prove(x.holder, "spec.nodeName", x.node.Name)
			if !strings.Contains(f.Title, "(") {
				f.Title += " (" + x.node.Name + ": by " + x.holder.Name + ")"
			}
		}
	}
}

// fullOfPods says how many Pods the eligible nodes may run.
func (l *look) fullOfPods(f *Finding, _ string, fits []fit) {
	f.Title = "the eligible nodes run as many pods as they may"
	var full []string
	for _, x := range excludedBy(fits, "NodeFullOfPods") {
		a, _ := allocatable(x.node, "pods")
		full = append(full, fmt.Sprintf("%s (%d)", x.node.Name, a/1000))
		f.prove(x.node.ID, "status.allocatable.pods", a/1000)
	}
	if len(full) > 0 {
		f.Title += ": " + names(full, 3)
	}
}

// spread names the topology keys, and those that no node has.
func (l *look) spread(f *Finding, text string, fits []fit) {
	f.Title = "no node satisfies the topology spread constraints"
	if l.o.Pod.Placement == nil || len(l.o.Pod.Placement.Spread) == 0 {
		return
	}
	var keys, unlabelled []string
	for _, s := range l.o.Pod.Placement.Spread {
		keys = append(keys, s.TopologyKey)
		l.proof(f, "spec.topologySpreadConstraints[*].topologyKey", s.TopologyKey)
		if len(fits) > 0 && len(labelsOf(fits, s.TopologyKey)) == 0 {
			unlabelled = append(unlabelled, s.TopologyKey)
		}
	}
	f.Key = strings.Join(keys, " ")
	f.Title += " (by " + names(keys, 3) + ")"
	switch {
	case len(unlabelled) > 0:
		f.Title = "no node has the label " + names(unlabelled, 3) + ", by which the pods are to be spread"
		f.Next = append(f.Next, command("", "get", "nodes", "-L", strings.Join(unlabelled, ",")))
	case strings.Contains(text, "missing required label"):
		f.Title = "nodes lack the label " + f.Key + ", by which the pods are to be spread"
	default:
		l.skewed(f, fits)
	}
}

// skewed counts the Pods in each domain of a constraint that no eligible node
// satisfies.
func (l *look) skewed(f *Finding, fits []fit) {
	byNode, _ := l.podsByNode()
	for _, s := range l.o.Pod.Placement.Spread {
		count := map[string]int{}
		for _, x := range fits {
			domain, ok := x.node.Label(s.TopologyKey)
			if !ok {
				continue
			}
			matching := 0
			for _, p := range byNode[x.node.Name] {
				if p.Namespace == l.o.Namespace && edges.Selects(s.Selector, p) {
					matching++
				}
			}
			count[domain] += matching // 0, too: a domain without such a Pod counts
		}
		at := labelsOf(excludedBy(fits, ""), s.TopologyKey)
		least := slices.Min(append(slices.Collect(maps.Values(count)), math.MaxInt))
		if len(at) == 0 || slices.ContainsFunc(at, func(d string) bool { return count[d]+1-least <= int(s.MaxSkew) }) {
			continue // it is satisfied, as far as is known here
		}
		var have []string
		for _, d := range slices.Sorted(maps.Keys(count)) {
			have = append(have, fmt.Sprint(d, " ", count[d]))
		}
		f.Title = fmt.Sprintf("its spread by %s allows a difference of %d; pods are in %s, and the eligible nodes in %s", s.TopologyKey, s.MaxSkew, names(have, 4), names(at, 3))
		return
	}
}

// affinity names the Pods that it must, or must not, share a node with.
func (l *look) affinity(f *Finding, text string, fits []fit) {
	p := l.o.Pod
	var inTheWay []string
	switch {
	case strings.Contains(text, "existing pods anti-affinity"):
		f.Title = "every eligible node runs a pod whose anti-affinity keeps this one away"
		inTheWay = l.inTheWay(f, fits, func(q *object.Object) (*object.Object, *object.Object) { return q, l.o })
	case strings.Contains(text, "anti-affinity"):
		var keys []string
		for _, t := range p.AntiAffinity {
			keys = append(keys, t.TopologyKey)
		}
		f.Title = "anti-affinity wants a " + cmp.Or(names(slices.Compact(keys), 2), "node") + " of its own for each pod, and all eligible ones are taken"
		inTheWay = l.inTheWay(f, fits, func(q *object.Object) (*object.Object, *object.Object) { return l.o, q })
	default:
		f.Title = "no node runs the pods that this one has to stand beside (affinity)"
		if p.Placement != nil && len(p.Placement.Affinity) > 0 {
			t := p.Placement.Affinity[0]
			sel := edges.Format(t.Selector)
			if sel != "" {
				f.Next = append(f.Next, l.kubectl("get", "pods", "-o", "wide", "-l", sel))
			}
			f.Title = fmt.Sprintf("affinity wants it beside pods with %s (by %s), and no eligible node runs any", cmp.Or(sel, "any label"), t.TopologyKey)
			l.proof(f, "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[*].topologyKey", t.TopologyKey)
		}
	}
	f.Key = f.Title
	if len(inTheWay) > 0 {
		f.Title += ": by " + names(inTheWay, 3)
	}
}

// inTheWay names the running Pods that exclude otherwise eligible nodes by
// anti-affinity; whose says, for a Pod on a node, whose anti-affinity it is and
// against which Pod.
func (l *look) inTheWay(f *Finding, fits []fit, whose func(*object.Object) (of, against *object.Object)) (out []string) {
	wanted := map[object.Label]bool{} // topology key and domain of each eligible node
	for _, x := range excludedBy(fits, "") {
		for _, label := range x.node.Labels {
			wanted[label] = true
		}
	}
	byNode, _ := l.podsByNode()
	for _, x := range fits {
		for _, q := range byNode[x.node.Name] {
			of, against := whose(q)
			if slices.ContainsFunc(of.Pod.AntiAffinity, func(t object.PodTerm) bool {
				domain, ok := x.node.Label(t.TopologyKey)
				return ok && wanted[object.Label{Key: t.TopologyKey, Value: domain}] && selects(t, of.Namespace, against)
			}) {
				out = append(out, q.Name+" on "+x.node.Name)
				f.prove(q.ID, "spec.nodeName", x.node.Name)
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

// volumeTopology names the locations of its volumes.
func (l *look) volumeTopology(f *Finding, text string, fits []fit) {
	f.Title = "its volume is bound to a place where no node is eligible: " + text
	l.volumePlaces(f, fits)
	f.Next = append(f.Next, "kubectl get pv")
}

// volumeLimit names the driver, and the nodes with as many of its volumes as
// permitted.
func (l *look) volumeLimit(f *Finding, _ string, fits []fit) {
	f.Title = "the eligible nodes cannot attach another volume"
	f.Next = append(f.Next, "kubectl get csinodes")
	for _, u := range l.o.Pod.Uses {
		driver := l.driver(u)
		if driver == "" {
			continue
		}
		full := l.fullOf(f, driver, fits)
		if len(full) > 0 || f.Key == "" {
			f.Key = driver
			f.Title = fmt.Sprintf("the eligible nodes cannot attach another volume of driver %s, which claim %s needs", driver, u.Name)
		}
		if len(full) > 0 {
			f.Title += ": " + names(full, 3)
			return
		}
	}
}

// driver is the CSI driver of a claim's volume, or of its StorageClass.
func (l *look) driver(u object.Use) string {
	c := l.object(l.id("", u.Kind, u.Name))
	if c == nil || c.Claim == nil {
		return ""
	}
	if c.Claim.Volume == "" {
		if class := l.object(cluster("storage.k8s.io", "StorageClass", c.Claim.StorageClass)); class != nil {
			return class.Str("provisioner")
		}
	} else if pv := l.object(cluster("", "PersistentVolume", c.Claim.Volume)); pv != nil {
		return pv.Str("spec", "csi", "driver")
	}
	return ""
}

// fullOf returns each eligible node's number and limit of volumes of a driver,
// if the limit is reached.
func (l *look) fullOf(f *Finding, driver string, fits []fit) (full []string) {
	nodes, _ := l.list("storage.k8s.io", "CSINode", "")
	attachments, _ := l.list("storage.k8s.io", "VolumeAttachment", "")
	for _, n := range nodes {
		if slices.ContainsFunc(fits, func(x fit) bool { return x.node.Name == n.Name && x.misses > 0 }) {
			continue
		}
		has := int64(0)
		for _, a := range attachments {
			if a.Str("spec", "nodeName") == n.Name && a.Str("spec", "attacher") == driver {
				has++
			}
		}
		for _, d := range each(n.List("spec", "drivers")) {
			if count, ok := d.sub("allocatable")["count"].(int64); ok && d.str("name") == driver && has >= count {
				full = append(full, fmt.Sprintf("%s has %d of %d", n.Name, has, count))
				f.prove(n.ID, "spec.drivers["+driver+"].allocatable.count", count)
			}
		}
	}
	return full
}

// volumeInUse names the Pod that uses its volume.
func (l *look) volumeInUse(f *Finding, _ string, _ []fit) {
	p := l.o.Pod
	f.Title = "its ReadWriteOncePod volume is in use by another pod"
	for _, u := range p.Uses {
		if u.Kind == "PersistentVolumeClaim" {
			f.Key += u.Name + " "
			f.Title = "its ReadWriteOncePod volume " + u.Name + " is in use by another pod"
			claim := l.id("", u.Kind, u.Name)
			for _, q := range l.users(claim) {
				if q.ID != l.o.ID && q.Pod.Node != "" && q.Pod.Phase != "Succeeded" && q.Pod.Phase != "Failed" {
					f.Title = "its ReadWriteOncePod volume " + u.Name + " is in use by pod " + q.Name
					l.proveMount(f, q, claim)
					break
				}
			}
		}
	}
}

// noClaim is the reason of the event that a ResourceClaim cannot be created from
// its template. Without it the scheduler does not even look at the Pod.
const noClaim = "FailedResourceClaimCreation"

// devices names what its ResourceClaim waits for.
func (l *look) devices(f *Finding, text string, _ []fit) {
	var claims []string
	for _, u := range l.o.Pod.Uses {
		if u.Kind == "ResourceClaim" && u.Name != "" {
			claims = append(claims, u.Name)
		}
	}
	f.Title = "its devices cannot be allocated: " + text
	if len(claims) > 0 {
		f.Title = "the devices of ResourceClaim " + names(claims, 3) + " cannot be allocated: " + text
	}
	if e, ok := l.event(l.o.ID, noClaim); ok {
		f.Title = "its claim for devices cannot be made: " + last(e.Message)
		f.proveEvent(e)
	}
	f.Next = append(f.Next, l.kubectl("get", "resourceclaims"))
}

// unplaced repeats the scheduler's own message.
func (l *look) unplaced(f *Finding, text string, _ []fit) {
	f.Title = "no node takes the pod: " + clip(text, 160)
	f.Key = normal(text)
}
