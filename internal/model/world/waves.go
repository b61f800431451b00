package world

import (
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The waves in which a set is applied, as the tools that apply it order them:
//
//   - Argo CD (v3.1 docs/user-guide/sync-waves.md): the phases PreSync, Sync,
//     PostSync and SyncFail of hooks, and in each the sync-wave, 0 where none is
//     said.
//   - Helm (v4 docs/topics/charts_hooks.md): hooks before and after the rest, by
//     their weight.
//   - kpt and cli-utils (v0.37 pkg/object/dependson): after what depends-on names.
//   - Flux (v2.9 docs/spec): after what spec.dependsOn names.
const (
	argoWave   = "argocd.argoproj.io/sync-wave"
	argoHook   = "argocd.argoproj.io/hook"
	helmHook   = "helm.sh/hook"
	helmWeight = "helm.sh/hook-weight"
	dependsOn  = "config.kubernetes.io/depends-on"
)

// maxWave bounds the depth of dependencies, which may be a cycle.
const maxWave = 16

// WaveOf names an object's wave, and its position among all waves.
func (t *Tree) WaveOf(n *Node) (name string, order int) {
	const phase = 1 << 24
	o := n.Object
	if o == nil {
		return "wave not known", 4 * phase
	}
	number := func(key string) int {
		v, _ := o.Annotation(key)
		i, _ := strconv.Atoi(strings.TrimSpace(v))
		return min(max(i, -phase/4), phase/4)
	}
	wave := number(argoWave)
	if hook, ok := o.Annotation(argoHook); ok {
		first, _, _ := strings.Cut(hook, ",")
		place := map[string]int{
			"PreSync": -phase, "PostSync": phase, "SyncFail": 2 * phase, "PreDelete": 3 * phase,
			"PostDelete": 3 * phase,
		}[first]
		if place != 0 {
			return first + " wave " + strconv.Itoa(wave), place + wave
		}
	}
	if hook, ok := o.Annotation(helmHook); ok {
		first, _, _ := strings.Cut(hook, ",")
		weight, place := number(helmWeight), phase
		if strings.HasPrefix(first, "pre-") {
			place = -phase
		}
		return first + " hook, weight " + strconv.Itoa(weight), place + weight
	}
	if wave == 0 {
		wave = t.dependencies(n, maxWave)
	}
	return "wave " + strconv.Itoa(wave), wave
}

// dependencies is the length of the longest chain of dependencies of n.
func (t *Tree) dependencies(n *Node, limit int) int {
	if n == nil || n.Object == nil || limit == 0 {
		return 0
	}
	most := 0
	after := func(id object.ID) {
		if k := t.Nodes[id]; k != n {
			most = max(most, 1+t.dependencies(k, limit-1))
		}
	}
	if v, ok := n.Object.Annotation(dependsOn); ok {
		for ref := range strings.SplitSeq(v, ",") {
			// group/kind/name, or group/namespaces/namespace/kind/name
			switch p := strings.Split(strings.TrimSpace(ref), "/"); len(p) {
			case 3:
				after(object.ID{Group: p[0], Kind: p[1], Name: p[2]})
			case 5:
				after(object.ID{Group: p[0], Namespace: p[2], Kind: p[3], Name: p[4]})
			}
		}
	}
	for _, r := range edges.References(n.Object) {
		if r.Role == "spec.dependsOn" {
			after(r.To)
		}
	}
	return most
}
