package status

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// demand adds up what a pod's containers ask for, as the scheduler does
// (k8s.io/component-helpers/resource, PodRequests, v0.36): main containers and
// sidecars together, or an init container with the sidecars started before it
// where that is more, and the overhead.
type demand struct {
	running, starting, sidecars, overhead []object.Amount
}

func (m *demand) add(kind object.ContainerKind, want []object.Amount) {
	switch kind {
	case object.MainContainer:
		m.running = plus(m.running, want)
	case object.SidecarContainer:
		m.running = plus(m.running, want)
		m.sidecars = plus(m.sidecars, want)
		m.starting = most(m.starting, m.sidecars)
	case object.InitContainer:
		m.starting = most(m.starting, plus(slices.Clone(m.sidecars), want))
	}
}

func (m *demand) total() []object.Amount {
	sum := plus(most(m.running, m.starting), m.overhead)
	slices.SortFunc(sum, func(a, b object.Amount) int { return strings.Compare(a.Name, b.Name) })
	return sum
}

func plus(sum, more []object.Amount) []object.Amount {
	return merge(sum, more, func(a, b int64) int64 {
		if a > math.MaxInt64-b {
			return math.MaxInt64
		}
		return a + b
	})
}

func most(a, b []object.Amount) []object.Amount {
	return merge(a, b, func(a, b int64) int64 { return max(a, b) })
}

func merge(into, from []object.Amount, f func(a, b int64) int64) []object.Amount {
	for _, a := range from {
		i := slices.IndexFunc(into, func(b object.Amount) bool { return a.Name == b.Name })
		if i < 0 {
			into = append(into, a)
			continue
		}
		into[i].Milli = f(into[i].Milli, a.Milli)
	}
	return into
}

// amounts reads a resource list.
func (d *decoder) amounts() (list []object.Amount) {
	d.object(func(key []byte) {
		a := object.Amount{Name: object.Intern(key)}
		v, ok := parseQuantity(d.intOrString())
		if ok && len(list) < 32 {
			a.Milli = v
			list = append(list, a)
		}
	})
	return list
}

// parseQuantity reads a Kubernetes quantity in thousandths, rounded up.
func parseQuantity(s string) (milli int64, ok bool) {
	digits := strings.TrimRight(s, "numkKMGTPEi")
	scale, known := quantityScale[s[len(digits):]]
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || !known || f < 0 {
		return 0, false
	}
	f = math.Ceil(f*scale*1000 - 1e-6) // 1.1 * 1000 is a little more than 1100
	if f >= math.MaxInt64 {
		return math.MaxInt64, true
	}
	return int64(max(f, 0)), true
}

var quantityScale = map[string]float64{
	"": 1, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60,
}

func (d *decoder) toleration() {
	var t object.Toleration
	var seconds object.Int
	d.object(func(key []byte) {
		switch string(key) {
		case "key":
			t.Key = d.word()
		case "operator":
			t.Operator = d.word()
		case "value":
			t.Value = d.word()
		case "effect":
			t.Effect = d.word()
		case "tolerationSeconds":
			seconds = d.integer()
		default:
			d.skip()
		}
	})
	if t.Key == "node.kubernetes.io/unreachable" && (t.Effect == "NoExecute" || t.Effect == "") && seconds.Set {
		d.o.Pod.EvictAfter = seconds
	}
	if len(d.tolerate) < 64 {
		d.tolerate = append(d.tolerate, t)
	}
}

// placement reads what the scheduler obeys, once it is known that the pod has
// no node.
func (d *decoder) placement() {
	p := &object.Placement{Tolerations: d.tolerate}
	d.o.Pod.Placement = p
	if d.err != nil {
		return
	}
	for _, at := range d.placed {
		d.back(at.place)
		d.path = append(d.path[:0], step{key: []byte("spec")}, step{key: at.key})
		switch string(at.key) {
		case "nodeSelector":
			p.NodeSelector = d.labels()
		case "affinity":
			d.affinity(p)
		case "topologySpreadConstraints":
			d.array(func(int) { d.spread(p) })
		}
	}
}

func (d *decoder) affinity(p *object.Placement) {
	const required = "requiredDuringSchedulingIgnoredDuringExecution"
	d.object(func(key []byte) {
		switch string(key) {
		case "nodeAffinity":
			d.within(required, func() {
				d.within("nodeSelectorTerms", func() {
					p.HasTerms = d.array(func(int) {
						var t object.NodeTerm
						d.object(func(key []byte) {
							switch string(key) {
							case "matchExpressions":
								t.Exprs = d.requirements()
							case "matchFields":
								t.Fields = d.requirements()
							default:
								d.skip()
							}
						})
						p.Terms = append(p.Terms, t)
					})
				})
			})
		case "podAffinity":
			d.within(required, func() { d.array(func(int) { p.Affinity = append(p.Affinity, d.podTerm()) }) })
		case "podAntiAffinity":
			d.within(required, func() { d.array(func(int) { p.Anti = append(p.Anti, d.podTerm()) }) })
		default:
			d.skip()
		}
	})
}

func (d *decoder) podTerm() (t object.PodTerm) {
	d.object(func(key []byte) {
		switch string(key) {
		case "labelSelector":
			isObject := d.peek() == '{'
			t.Selector = d.selector()
			t.AnySelector = isObject && len(t.Selector.Match) == 0 && len(t.Selector.Exprs) == 0
		case "namespaces":
			d.array(func(int) { t.Namespaces = append(t.Namespaces, d.word()) })
		case "topologyKey":
			t.TopologyKey = d.word()
		default:
			d.skip()
		}
	})
	return t
}

func (d *decoder) spread(p *object.Placement) {
	var s object.Spread
	hard := true // the API's default
	d.object(func(key []byte) {
		switch string(key) {
		case "topologyKey":
			s.TopologyKey = d.word()
		case "maxSkew":
			s.MaxSkew = d.small()
		case "labelSelector":
			s.Selector = d.selector()
		case "whenUnsatisfiable":
			hard = d.word() != "ScheduleAnyway"
		default:
			d.skip()
		}
	})
	if hard {
		p.Spread = append(p.Spread, s)
	}
}
