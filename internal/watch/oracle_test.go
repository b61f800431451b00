package watch

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// oracle is what a cluster holds, written down without any watch: names with
// their owners.
type oracle struct {
	c     *testcluster.Cluster
	rnd   *rand.Rand
	uids  map[string]string // KIND/NAME → uid
	owner map[string]string // KIND/NAME → uid of its owner
}

func (o *oracle) put(kind, name, ownerKind, owner string) {
	var m map[string]any
	app := strings.Split(name, "-")[0]
	labels := map[string]any{"app": app}
	uid := o.uids[ownerKind+"/"+owner]
	switch kind {
	case "Deployment":
		m = deployment(name)
	case "ReplicaSet":
		m = owned("apps/v1", kind, name, ownerKind, uid, labels)
		m["spec"] = map[string]any{"selector": map[string]any{"matchLabels": labels}}
	default:
		m = owned("v1", kind, name, ownerKind, uid, labels)
	}
	o.uids[kind+"/"+name] = o.c.Put(m)
	o.owner[kind+"/"+name] = uid
}

func (o *oracle) delete(kind, name string) {
	o.c.Delete(kind, "shop", name)
	delete(o.uids, kind+"/"+name)
	delete(o.owner, kind+"/"+name)
}

// step changes something, or lets something fail for a while.
func (o *oracle) step(f *follower) {
	app := fmt.Sprint("app", o.rnd.IntN(4))
	rs := fmt.Sprintf("%s-%d", app, o.rnd.IntN(2))
	pod := fmt.Sprintf("%s-%d", rs, o.rnd.IntN(3))
	has := func(k string) bool { return o.uids[k] != "" }
	switch n := o.rnd.IntN(16); {
	case n < 3:
		o.put("Deployment", app, "", "")
	case n < 5 && has("Deployment/"+app):
		o.put("ReplicaSet", rs, "Deployment", app)
	case n < 8 && has("ReplicaSet/"+rs):
		o.put("Pod", pod, "ReplicaSet", rs)
	case n == 8 && has("Pod/"+pod):
		o.delete("Pod", pod)
	case n == 9 && has("ReplicaSet/"+rs):
		o.delete("ReplicaSet", rs)
	case n == 10 && has("Deployment/"+app):
		o.delete("Deployment", app)
	case n == 11:
		o.c.CutStreams()
	case n == 12:
		o.c.Forget()
	case n == 13:
		o.c.Stop()
		f.rest(time.Duration(o.rnd.IntN(5000)) * time.Millisecond)
		o.c.Start()
	case n == 14:
		lift := o.c.Inject(testcluster.Fault{Status: []int{403, 429, 500, 503, 401, 410}[o.rnd.IntN(6)], Match: func(r testcluster.Request) bool { return r.Resource != "" }})
		o.c.CutStreams()
		f.rest(time.Duration(o.rnd.IntN(4000)) * time.Millisecond)
		lift()
	case n == 15:
		o.c.Freeze()
		f.rest(time.Duration(o.rnd.IntN(120)) * time.Second)
		o.c.Thaw()
	}
}

// tree is what has to be known: the roots that exist and what they own. What
// was shown once stays until it is deleted, so orphans are left out.
func (o *oracle) tree() []string {
	known := map[string]bool{}
	for range 3 {
		for k, uid := range o.uids {
			if strings.HasPrefix(k, "Deployment/") || known[o.owner[k]] {
				known[uid] = true
			}
		}
	}
	var out []string
	for k, uid := range o.uids {
		if known[uid] {
			out = append(out, k+" "+uid)
		}
	}
	slices.Sort(out)
	return out
}

// oracleSeeds makes longer runs: go test ./internal/watch -run AtRest -seeds 100000
var oracleSeeds = flag.Uint64("seeds", 25, "how many random histories the oracle tries")

func TestAtRestTheTreeEqualsTheCluster(t *testing.T) {
	for seed := range *oracleSeeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
				o := &oracle{c: c, rnd: rand.New(rand.NewPCG(seed, 24)), uids: map[string]string{}, owner: map[string]string{}}
				var targets []inventory.Target
				for i := range 4 {
					targets = append(targets, named("deploy", fmt.Sprint("app", i)))
				}
				f := start(t, c, Options{Children: "all"}, targets...)
				for range 60 {
					o.step(f)
					if o.rnd.IntN(2) == 0 {
						f.rest(time.Duration(o.rnd.IntN(500)) * time.Millisecond)
					}
				}
				f.rest(3 * time.Minute) // the slowest way back is through polling
				want := o.tree()
				var got []string
				alive := slices.Collect(maps.Values(o.uids))
				for id, obj := range f.objects {
					k := id.Kind + "/" + id.Name + " " + obj.UID
					if !slices.Contains(want, k) && slices.Contains(alive, obj.UID) {
						continue // an orphan that was shown while it had its owner
					}
					got = append(got, k)
				}
				slices.Sort(got)
				if !slices.Equal(want, got) {
					t.Errorf("the cluster holds\n%s\nwe know\n%s\nsources %v",
						strings.Join(want, "\n"), strings.Join(got, "\n"), f.states())
				}
				for i := range 4 {
					id := deployments.ID("shop", fmt.Sprint("app", i))
					if there := o.uids["Deployment/"+id.Name] != ""; f.absent[id] == there {
						t.Errorf("%v: absent %v, there %v", id, f.absent[id], there)
					}
				}
				for k, s := range f.sources {
					if s.Phase != "live" && s.Phase != "closed" {
						t.Errorf("%s is %s: %s", k, s.Phase, s.Error)
					}
				}
			})
		})
	}
}
