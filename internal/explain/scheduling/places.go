package scheduling

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// location is where a volume is: the values of a node label.
type location struct {
	claim  string
	volume object.ID
	path   string // of the values
	key    string
	at     []string
}

// locations are the locations of the Pod's volumes.
func locations(in *inspect.Inspector) (out []location) {
	for _, u := range in.Object.Pod.Uses {
		c := in.Get(in.ID("", "PersistentVolumeClaim", u.Name))
		if u.Kind != "PersistentVolumeClaim" || c == nil || c.Claim == nil || c.Claim.Volume == "" {
			continue
		}
		pv := in.Get(inspect.ClusterID("", "PersistentVolume", c.Claim.Volume))
		if pv == nil {
			continue
		}
		for i, m := range fields.Each(pv.List("spec", "nodeAffinity", "required", "nodeSelectorTerms")) {
			for _, x := range fields.Each(m.List("matchExpressions")) {
				if at := fields.Texts(x.List("values")); x.Str("operator") == "In" && len(at) > 0 {
					path := fmt.Sprintf("spec.nodeAffinity.required.nodeSelectorTerms[%d].matchExpressions[%s].values",
						i, x.Str("key"))
					out = append(out, location{u.Name, pv.ID, path, x.Str("key"), at})
				}
			}
		}
	}
	return out
}

// apart reports whether two of the Pod's volumes are in different places, so that
// no node has both, and says so.
func apart(in *inspect.Inspector, f *inspect.Finding) bool {
	list := locations(in)
	for i, a := range list {
		for _, b := range list[i+1:] {
			if a.key != b.key || a.volume == b.volume ||
				slices.ContainsFunc(a.at, func(v string) bool { return slices.Contains(b.at, v) }) {
				continue
			}
			f.Say("its volumes are in different places: that of claim %s in %s=%s, that of claim %s in %s; no node has both",
				a.claim, a.key, wording.Names(a.at, 2), b.claim, wording.Names(b.at, 2))
			for _, p := range [...]location{a, b} {
				f.ProveOn(p.volume, p.path, strings.Join(p.at, ","))
				f.Next = append(f.Next, wording.Command("", "describe", "pv", p.volume.Name))
			}
			return true
		}
	}
	return false
}

// nowhere reports whether no node has a label with one of the values.
func nowhere(in *inspect.Inspector, key string, values []string) bool {
	nodes := in.List("", "Node", "")
	return nodes.Complete && !slices.ContainsFunc(nodes.Items, func(n *object.Object) bool {
		v, ok := n.Label(key)
		return ok && slices.Contains(values, v)
	})
}
