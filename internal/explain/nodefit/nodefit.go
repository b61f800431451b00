// Package nodefit checks nodes for a Pod as the scheduler's filters do
// (kubernetes pkg/scheduler/framework/plugins, v1.36), and parses the
// scheduler's message. The message says how many nodes failed which filter, not
// which nodes; [Checks] knows.
package nodefit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Fit is the result of checking one node for one Pod, as the scheduler's
// filters do (kubernetes pkg/scheduler/framework/plugins, v1.36): the number of
// failed checks, and the code of the most relevant one.
type Fit struct {
	Node         *object.Object
	FailedChecks int
	Code         *codes.Code // nil if every check that was made passes

	Taint          string    // the first taint that the Pod does not tolerate
	ConditionTaint string    // the taint of a bad node condition, which may go away by itself
	Resource       string    // the first resource of which too little is free
	HostPortHolder object.ID // the Pod that uses the host port
	// Used are the requests of the known Pods on the node, by resource. FreeKnown says that
	// these are all Pods on the node.
	Used      map[string]int64
	FreeKnown bool

	notSelected bool // the node does not match the Pod's selector or affinity
	neverFits   bool // the node does not fit even without other Pods on it
}

// Checks are the checks of one explanation: 2,000 pending Pods of a template are
// checked against 2,000 nodes once, not 2,000 times.
type Checks struct {
	onNode map[string][]*object.Object // the Pods that use a node's resources, by node
	allOn  func(node string) bool      // whether all Pods on a node are known
	used   map[string]map[string]int64 // the requests of those Pods, by node and resource
	fits   map[string][]Fit            // the results, by what a Pod asks of its node
	made   int                         // how many checks were made: Pods times nodes
}

// mostChecks bounds the checks of one explanation (half a second). For further Pods only the
// scheduler's message is read, as if the nodes were not known.
const mostChecks = 250_000

// NewChecks begins the checks of nodes on which these Pods run. allOn reports
// whether there are no others on a node.
func NewChecks(pods []*object.Object, allOn func(node string) bool) *Checks {
	c := &Checks{
		onNode: map[string][]*object.Object{}, allOn: allOn,
		used: map[string]map[string]int64{}, fits: map[string][]Fit{},
	}
	for _, q := range pods {
		if q.Pod == nil || q.Pod.Node == "" || q.Pod.Phase == "Succeeded" || q.Pod.Phase == "Failed" {
			continue
		}
		node := q.Pod.Node
		c.onNode[node] = append(c.onNode[node], q)
		if c.used[node] == nil {
			c.used[node] = map[string]int64{}
		}
		for _, r := range q.Pod.Requests {
			c.used[node][r.Name] += r.Milli
		}
	}
	return c
}

// Pods are the Pods that use a node's resources.
func (c *Checks) Pods(node string) []*object.Object { return c.onNode[node] }

// Check checks every node for a Pod. It returns nil if the Pod's constraints or
// the nodes are not known. Pods with the same constraints share the result.
func (c *Checks) Check(p *object.Pod, nodes []*object.Object) []Fit {
	if p.Placement == nil || len(nodes) == 0 || len(nodes) > 5000 {
		return nil
	}
	where := p.Placement
	key := fmt.Sprintf("%#v %#v %v %#v %#v %#v", where.NodeSelector,
		where.Terms, where.HasTerms, where.Tolerations, p.Requests, p.HostPorts)
	if fits, known := c.fits[key]; known {
		return fits
	}
	if c.made += len(nodes); c.made > mostChecks {
		return nil
	}
	out := make([]Fit, 0, len(nodes))
	for _, n := range nodes {
		x := Fit{Node: n, Used: c.used[n.Name], FreeKnown: c.allOn(n.Name)}
		if len(p.HostPorts) > 0 {
			i := slices.IndexFunc(c.onNode[n.Name], func(q *object.Object) bool {
				return Clash(p.HostPorts, q.Pod.HostPorts)
			})
			if i >= 0 {
				x.HostPortHolder = c.onNode[n.Name][i].ID
			}
		}
		x.test(p, int64(len(c.onNode[n.Name])))
		out = append(out, x)
	}
	c.fits[key] = out
	return out
}

// test checks one node.
func (x *Fit) test(p *object.Pod, count int64) {
	n := x.Node
	miss := func(code *codes.Code) {
		x.FailedChecks++
		x.neverFits = x.neverFits ||
			code != codes.NodeFullOfPods && code != codes.HostPortTaken && code != codes.NotEnoughResources
		if x.Code == nil || code != codes.TaintNotTolerated && x.Code == codes.TaintNotTolerated {
			x.Code = code
		}
	}
	if b, _ := n.Bool("spec", "unschedulable"); b &&
		!tolerates(p.Placement.Tolerations, taint{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"}) {
		miss(codes.NodeCordoned)
	}
	for _, t := range TaintsOf(n) {
		if t.Key == "node.kubernetes.io/unschedulable" || t.Effect == "PreferNoSchedule" {
			continue
		}
		if tolerates(p.Placement.Tolerations, t) {
			continue
		}
		// A node that is lost or under pressure may recover, unlike one with a
		// deliberate taint.
		if strings.HasPrefix(t.Key, "node.kubernetes.io/") ||
			strings.HasPrefix(t.Key, "node.cloudprovider.kubernetes.io/") {
			x.ConditionTaint = t.String()
			continue
		}
		if x.Taint == "" {
			x.Taint = t.String()
			miss(codes.TaintNotTolerated)
		}
	}
	if !MatchesNode(p.Placement, n) {
		x.notSelected = true
		miss(codes.NoMatchingNode)
	}
	for _, r := range p.Requests {
		a, ok := Allocatable(n, r.Name)
		if r.Milli > 0 && (!ok || r.Milli > a || x.FreeKnown && r.Milli > a-x.Used[r.Name]) {
			x.Resource = r.Name
			x.neverFits = x.neverFits || !ok || r.Milli > a
			miss(codes.NotEnoughResources)
			break
		}
	}
	if a, ok := Allocatable(n, "pods"); ok && x.FreeKnown && (count+1)*1000 > a {
		miss(codes.NodeFullOfPods)
	}
	if x.HostPortHolder != (object.ID{}) {
		miss(codes.HostPortTaken)
	}
}

func Clash(a, b []object.Port) bool {
	return slices.ContainsFunc(a, func(x object.Port) bool {
		return slices.ContainsFunc(b, func(y object.Port) bool {
			return x.Number == y.Number && (x.Protocol == y.Protocol || x.Protocol == "" || y.Protocol == "")
		})
	})
}

type taint struct{ Key, value, Effect string }

func (t taint) String() string {
	s := t.Key
	if t.value != "" {
		s += "=" + t.value
	}
	return s + ":" + t.Effect
}

func TaintsOf(n *object.Object) []taint {
	var out []taint
	for _, m := range fields.Each(n.List("spec", "taints")) {
		out = append(out, taint{m.Str("key"), m.Str("value"), m.Str("effect")})
	}
	return out
}

// tolerates is ToleratesTaint of k8s.io/api core/v1 (v0.36).
func tolerates(list []object.Toleration, t taint) bool {
	for _, x := range list {
		if x.Effect != "" && x.Effect != t.Effect || x.Key != "" && x.Key != t.Key {
			continue
		}
		switch x.Operator {
		case "", "Equal":
			if x.Value == t.value && x.Key != "" {
				return true
			}
		case "Exists":
			return true
		}
	}
	return false
}

// NotTolerated is the first taint of a node that keeps the Pods of a template away from it, or "".
// That of a node's condition passes, and a DaemonSet's controller tolerates it.
func NotTolerated(where *object.Placement, n *object.Object) string {
	for _, t := range TaintsOf(n) {
		if !strings.HasPrefix(t.Key, "node.kubernetes.io/") && t.Effect != "PreferNoSchedule" &&
			!tolerates(where.Tolerations, t) {
			return t.String()
		}
	}
	return ""
}

// Asks is what a Pod asks of the labels of its node, in kubectl's format. The terms of its node
// affinity are alternatives.
func Asks(p *object.Placement) string {
	var terms []string
	for _, t := range p.Terms {
		terms = append(terms, edges.Format(object.Selector{Exprs: slices.Concat(t.Exprs, t.Fields)}))
	}
	return strings.Trim(edges.Format(object.Selector{Match: p.NodeSelector})+", "+strings.Join(terms, " or "), ", ")
}

// MatchesNode applies the node selector and the required node affinity.
func MatchesNode(p *object.Placement, n *object.Object) bool {
	if len(p.NodeSelector) > 0 && !edges.Selects(object.Selector{Match: p.NodeSelector}, n) {
		return false
	}
	return !p.HasTerms || slices.ContainsFunc(p.Terms, func(t object.NodeTerm) bool {
		name := &object.Object{Labels: []object.Label{{Key: "metadata.name", Value: n.Name}}}
		return len(t.Exprs)+len(t.Fields) > 0 && // an empty term matches nothing
			(len(t.Exprs) == 0 || edges.Selects(object.Selector{Exprs: t.Exprs}, n)) &&
			(len(t.Fields) == 0 || edges.Selects(object.Selector{Exprs: t.Fields}, name))
	})
}

func Requested(pod *object.Object, res string) int64 {
	for _, r := range pod.Pod.Requests {
		if r.Name == res {
			return r.Milli
		}
	}
	return 0
}

// Allocatable is a node's allocatable amount of a resource, in thousandths.
func Allocatable(n *object.Object, res string) (int64, bool) {
	v, _ := n.Get("status", "allocatable", res)
	switch t := v.(type) {
	case string:
		return object.ParseAmount(t)
	case int64:
		return t * 1000, true
	}
	return 0, false
}

// Exact formats a quantity as in a manifest: in the largest unit in which it is
// a whole number.
func Exact(res string, milli int64) string {
	if milli%1000 != 0 {
		return fmt.Sprintf("%dm", milli)
	}
	n, unit := milli/1000, ""
	if res == "memory" || res == "ephemeral-storage" || res == "storage" {
		for _, u := range [...]string{"Ki", "Mi", "Gi", "Ti", "Pi"} {
			if n == 0 || n%1024 != 0 {
				break
			}
			n, unit = n/1024, u
		}
	}
	return fmt.Sprintf("%d%s", n, unit)
}

// Amount formats a quantity for people: "2 cpu", "500m cpu", "8Gi memory".
func Amount(res string, milli int64) string {
	switch res {
	case "cpu":
		if milli%1000 == 0 {
			return fmt.Sprintf("%d cpu", milli/1000)
		}
		if milli > 1000 {
			return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", float64(milli)/1000), "0"), ".") + " cpu"
		}
		return fmt.Sprintf("%dm cpu", milli)
	case "memory", "ephemeral-storage", "storage":
		b := float64(milli) / 1000
		for _, u := range [...]string{"", "Ki", "Mi", "Gi", "Ti"} {
			if b < 1024 || u == "Ti" {
				return strings.TrimSuffix(fmt.Sprintf("%.1f", b), ".0") + u + " " + res
			}
			b /= 1024
		}
	}
	if milli%1000 == 0 {
		return fmt.Sprintf("%d %s", milli/1000, res)
	}
	return fmt.Sprintf("%dm %s", milli, res)
}

// Candidates are the healthy nodes that only the Pods on them may keep a Pod away from.
func Candidates(fits []Fit) []Fit {
	return slices.DeleteFunc(slices.Clone(fits), func(x Fit) bool { return x.neverFits || x.ConditionTaint != "" })
}

// LabelsOf are the nodes' values of a label, sorted.
func LabelsOf(fits []Fit, key string) (out []string) {
	for _, x := range fits {
		if v, ok := x.Node.Label(key); ok {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ExcludedBy are the nodes that one failed check alone excludes; with "" those
// that pass every check.
func ExcludedBy(fits []Fit, code *codes.Code) []Fit {
	return slices.DeleteFunc(slices.Clone(fits), func(x Fit) bool { return x.Code != code || x.FailedChecks > 1 })
}
