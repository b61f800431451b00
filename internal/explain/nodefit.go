package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// fit is the result of checking one node for one Pod, as the scheduler's
// filters do (kubernetes pkg/scheduler/framework/plugins, v1.36): the number of
// failed checks, and the code of the most relevant one.
type fit struct {
	node     *object.Object
	misses   int
	code     string // "" if every check that was made passes
	taint    string
	resource string
	unwanted bool   // it does not match the Pod's selector or affinity
	ill      string // the taint of a bad node condition
	used     map[string]int64
	// freeKnown says that used includes the requests of all Pods on the node.
	freeKnown bool
	holder    object.ID // the Pod that uses the host port
}

// nodeChecks is what the checks of one pass share. 2,000 pending Pods of a
// template are checked against 2,000 nodes once, not 2,000 times.
type nodeChecks struct {
	pods     map[string][]*object.Object // by the name of their node
	allPods  bool                        // the list of Pods is complete
	used     map[string]map[string]int64 // by node and resource
	fits     map[string][]fit            // by what a Pod asks of its node
	checksOf int                         // Pods times nodes that were checked
}

// mostNodeChecks bounds the checks of one pass (half a second). A Pod beyond
// is judged by the scheduler's message, as if the nodes were not known.
const mostNodeChecks = 250_000

// check checks every known node. It returns nil if the Pod's constraints or the
// nodes are not known. Pods with the same constraints share the result.
func (l *look) check(nodes []*object.Object) []fit {
	p := l.o.Pod
	if p.Placement == nil || len(nodes) == 0 || len(nodes) > 5000 {
		return nil
	}
	pods, all := l.podsByNode()
	c := l.nodeChecks
	where := p.Placement
	asked := fmt.Sprintf("%#v %#v %v %#v %#v %#v", where.NodeSelector, where.Terms, where.HasTerms, where.Tolerations, p.Requests, p.HostPorts)
	if fits, known := c.fits[asked]; known {
		return fits
	}
	if c.checksOf += len(nodes); c.checksOf > mostNodeChecks {
		return nil
	}
	out := make([]fit, 0, len(nodes))
	for _, n := range nodes {
		x := fit{node: n, used: c.used[n.Name], freeKnown: all}
		if len(p.HostPorts) > 0 {
			i := slices.IndexFunc(pods[n.Name], func(q *object.Object) bool { return clash(p.HostPorts, q.Pod.HostPorts) })
			if i >= 0 {
				x.holder = pods[n.Name][i].ID
			}
		}
		x.test(p, int64(len(pods[n.Name])))
		out = append(out, x)
	}
	c.fits[asked] = out
	return out
}

// test checks one node.
func (x *fit) test(p *object.Pod, count int64) {
	n := x.node
	miss := func(code string) {
		x.misses++
		if x.code == "" || code != "TaintNotTolerated" && x.code == "TaintNotTolerated" {
			x.code = code
		}
	}
	if b, _ := n.Bool("spec", "unschedulable"); b && !tolerates(p.Placement.Tolerations, taint{key: "node.kubernetes.io/unschedulable", effect: "NoSchedule"}) {
		miss("NodeCordoned")
	}
	for _, t := range taints(n) {
		if t.key == "node.kubernetes.io/unschedulable" || t.effect == "PreferNoSchedule" {
			continue
		}
		if tolerates(p.Placement.Tolerations, t) {
			continue
		}
		// A node that is lost or under pressure may recover, unlike one with a
		// deliberate taint.
		if strings.HasPrefix(t.key, "node.kubernetes.io/") || strings.HasPrefix(t.key, "node.cloudprovider.kubernetes.io/") {
			x.ill = t.String()
			continue
		}
		if x.taint == "" {
			x.taint = t.String()
			miss("TaintNotTolerated")
		}
	}
	if !matchesNode(p.Placement, n) {
		x.unwanted = true
		miss("NoMatchingNode")
	}
	for _, r := range p.Requests {
		a, ok := allocatable(n, r.Name)
		if r.Milli > 0 && (!ok || r.Milli > a || x.freeKnown && r.Milli > a-x.used[r.Name]) {
			x.resource = r.Name
			miss("NotEnoughResources")
			break
		}
	}
	if a, ok := allocatable(n, "pods"); ok && x.freeKnown && (count+1)*1000 > a {
		miss("NodeFullOfPods")
	}
	if x.holder != (object.ID{}) {
		miss("HostPortTaken")
	}
}

// closest is the node with the fewest failed checks, and among equals the most
// relevant failure. Nodes that do not match the Pod's selector come last: as
// long as others do, those tell why it is pending.
func closest(fits []fit) fit {
	if wanted := slices.DeleteFunc(slices.Clone(fits), func(x fit) bool { return x.unwanted }); len(wanted) > 0 {
		fits = wanted
	}
	rank := func(code string) int {
		for i, r := range reasonCodes {
			if r.code == code {
				return i
			}
		}
		return -1
	}
	best := fits[0]
	for _, x := range fits[1:] {
		if x.misses < best.misses || x.misses == best.misses && rank(x.code) < rank(best.code) {
			best = x
		}
	}
	return best
}

// podsByNode returns the Pods that use resources of a node, and whether all are
// known. It lists them once in a pass.
func (l *look) podsByNode() (map[string][]*object.Object, bool) {
	if c := l.nodeChecks; c != nil {
		return c.pods, c.allPods
	}
	pods, all := l.s.List("", "Pod", "")
	c := &nodeChecks{pods: map[string][]*object.Object{}, allPods: all, used: map[string]map[string]int64{}, fits: map[string][]fit{}}
	for _, q := range pods {
		if q.Pod == nil || q.Pod.Node == "" || q.Pod.Phase == "Succeeded" || q.Pod.Phase == "Failed" {
			continue
		}
		node := q.Pod.Node
		c.pods[node] = append(c.pods[node], q)
		if c.used[node] == nil {
			c.used[node] = map[string]int64{}
		}
		for _, r := range q.Pod.Requests {
			c.used[node][r.Name] += r.Milli
		}
	}
	l.nodeChecks = c
	return c.pods, all
}

func clash(a, b []object.Port) bool {
	return slices.ContainsFunc(a, func(x object.Port) bool {
		return slices.ContainsFunc(b, func(y object.Port) bool {
			return x.Number == y.Number && (x.Protocol == y.Protocol || x.Protocol == "" || y.Protocol == "")
		})
	})
}

type taint struct{ key, value, effect string }

func (t taint) String() string {
	s := t.key
	if t.value != "" {
		s += "=" + t.value
	}
	return s + ":" + t.effect
}

func taints(n *object.Object) []taint {
	var out []taint
	for _, m := range each(n.List("spec", "taints")) {
		out = append(out, taint{m.str("key"), m.str("value"), m.str("effect")})
	}
	return out
}

// tolerates is ToleratesTaint of k8s.io/api core/v1 (v0.36).
func tolerates(list []object.Toleration, t taint) bool {
	for _, x := range list {
		if x.Effect != "" && x.Effect != t.effect || x.Key != "" && x.Key != t.key {
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

// matchesNode applies the node selector and the required node affinity.
func matchesNode(p *object.Placement, n *object.Object) bool {
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

func requested(pod *object.Object, res string) int64 {
	for _, r := range pod.Pod.Requests {
		if r.Name == res {
			return r.Milli
		}
	}
	return 0
}

// allocatable is a node's allocatable amount of a resource, in thousandths.
func allocatable(n *object.Object, res string) (int64, bool) {
	v, _ := n.Get("status", "allocatable", res)
	switch t := v.(type) {
	case string:
		return object.ParseAmount(t)
	case int64:
		return t * 1000, true
	}
	return 0, false
}

// exact formats a quantity as in a manifest.
func exact(res string, milli int64) string {
	s := strings.TrimSuffix(amount(res, milli), " "+res)
	if n, ok := object.ParseAmount(s); !ok || n != milli {
		return fmt.Sprintf("%dm", milli)
	}
	return s
}

// amount formats a quantity for people: "2 cpu", "500m cpu", "8Gi memory".
func amount(res string, milli int64) string {
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
