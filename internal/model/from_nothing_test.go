package model

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A town contains what explanations link: workloads with their Pods, Services
// with slices that point at those, mounted objects, and nodes. Most of it is
// healthy, and becomes relevant through something else: a ConfigMap is deleted,
// a node is lost, a slice is emptied.
type town struct {
	r    *rand.Rand
	live map[object.ID]*object.Object
	uid  int
	b    *feed.Batch
}

func (c *town) put(o *object.Object) {
	if old := c.live[o.ID]; old != nil {
		o.UID, o.Created = old.UID, old.Created
	} else {
		c.uid++
		o.UID = fmt.Sprint("uid-", c.uid)
	}
	o.ResourceVersion = fmt.Sprint(c.r.Uint64())
	c.live[o.ID] = o
	c.b.Objects = append(c.b.Objects, o)
	c.b.Absent = slices.DeleteFunc(c.b.Absent, func(id object.ID) bool { return id == o.ID })
}

func (c *town) drop(o *object.Object) {
	delete(c.live, o.ID)
	c.b.Gone = append(c.b.Gone, feed.Gone{ID: o.ID, UID: o.UID})
	c.b.Objects = slices.DeleteFunc(c.b.Objects, func(x *object.Object) bool { return x.ID == o.ID })
	if c.r.IntN(2) == 0 {
		c.b.Absent = append(c.b.Absent, o.ID)
	}
}

func (c *town) any(kinds ...string) *object.Object {
	var list []*object.Object
	for _, o := range c.live {
		if slices.Contains(kinds, o.Kind) {
			list = append(list, o)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b *object.Object) int { return a.ID.Compare(b.ID) })
	return list[c.r.IntN(len(list))]
}

func (c *town) node() object.ID {
	return object.ID{Kind: "Node", Name: fmt.Sprint("n", c.r.IntN(2))}
}

func (c *town) pod(of *object.Object, i int, now time.Time) *object.Object {
	waiting := []string{"", "", "", "", "ImagePullBackOff", "CrashLoopBackOff", "CreateContainerConfigError"}[c.r.IntN(7)]
	o := pod(of, fmt.Sprint("p", i), waiting)
	o.Created = now
	o.Labels = of.Workload.Selector.Match
	o.Pod.Node = c.node().Name
	o.Pod.Containers[0].Ports = []object.Port{{Name: "http", Number: 80}}
	o.Pod.Uses = []object.Use{{Kind: "ConfigMap", Name: "settings"}, {Kind: "PersistentVolumeClaim", Name: "data"}}
	switch {
	case waiting == "CreateContainerConfigError":
		o.Pod.Containers[0].State.Message = `configmap "settings" not found`
	case waiting == "CrashLoopBackOff":
		o.Pod.Containers[0].Restarts = int64(c.r.IntN(5))
		o.Pod.Containers[0].Prior = &object.ContainerState{Kind: "terminated", ExitCode: 1, Started: t0, Finished: now}
	case c.r.IntN(8) == 0: // not scheduled
		o.Pod.Phase, o.Pod.Node, o.Pod.Containers = "Pending", "", nil
		o.Conditions = []object.Condition{{
			Statement:          &object.Statement{Type: "PodScheduled", Status: "False", Reason: "Unschedulable", Message: "0/2 nodes are available: 2 Insufficient cpu."},
			LastTransitionTime: now,
		}}
	case c.r.IntN(10) == 0: // was not well
		o.Pod.Containers[0].Restarts = 1
		o.Pod.Containers[0].Prior = &object.ContainerState{Kind: "terminated", ExitCode: 137, Reason: "OOMKilled", Started: t0, Finished: now}
	}
	return o
}

func (c *town) step(now time.Time) {
	switch c.r.IntN(16) {
	case 0, 1:
		d := deployment(fmt.Sprint("d", c.r.IntN(4)), []int64{2, 2, 2, 0}[c.r.IntN(4)])
		c.put(d)
		if c.r.IntN(2) == 0 {
			c.b.Roots = append(c.b.Roots, feed.Root{ID: d.ID, Removed: c.r.IntN(5) == 0})
		}
	case 2, 3:
		if d := c.any("Deployment"); d != nil {
			c.put(replicaSet(d, fmt.Sprint("h", c.r.IntN(2)), []int64{2, 2, 2, 0}[c.r.IntN(4)]))
		}
	case 4, 5, 6, 7:
		if rs := c.any("ReplicaSet"); rs != nil {
			for i := range 1 + c.r.IntN(4) {
				c.put(c.pod(rs, i, now))
			}
		}
	case 8, 9:
		if o := c.any("Deployment", "ReplicaSet", "Pod", "Pod", "EndpointSlice", "Service", "ConfigMap", "PersistentVolumeClaim", "Node"); o != nil {
			c.drop(o)
		}
	case 10:
		name := fmt.Sprint("d", c.r.IntN(4))
		svc := &object.Object{
			ID: id("", "Service", name), Created: t0,
			Service: &object.Service{
				Type: "ClusterIP", ClusterIP: "10.0.0.1",
				Selector: object.Selector{Match: []object.Label{{Key: "app", Value: name}}},
				Ports:    []object.Port{{Number: 80, Target: []string{"80", "http", "8080", "metrics"}[c.r.IntN(4)]}},
			},
		}
		c.put(svc)
		if c.r.IntN(2) == 0 {
			c.b.Roots = append(c.b.Roots, feed.Root{ID: svc.ID, Removed: c.r.IntN(5) == 0})
		}
	case 11, 12:
		if svc := c.any("Service"); svc != nil {
			s := &object.Object{
				ID: id("discovery.k8s.io", "EndpointSlice", svc.Name+"-x"), Created: t0, Owners: owner(svc),
				Endpoints: &object.Endpoints{Service: svc.Name, Ports: []object.Port{{Number: 80}}},
			}
			for _, p := range slices.SortedFunc(maps.Values(c.live),
				func(a, b *object.Object) int { return a.ID.Compare(b.ID) }) {
				if p.Pod != nil && slices.Equal(p.Labels, svc.Service.Selector.Match) {
					s.Endpoints.Endpoints = append(s.Endpoints.Endpoints,
						object.Endpoint{Target: p.ID, TargetUID: p.UID, Ready: c.r.IntN(3) > 0})
				}
			}
			c.put(s)
		}
	case 13:
		if c.r.IntN(2) == 0 {
			c.put(&object.Object{ID: id("", "ConfigMap", "settings"), Created: t0})
			return
		}
		claim := &object.Object{ID: id("", "PersistentVolumeClaim", "data"), Created: t0, Claim: &object.Claim{Phase: []string{"Bound", "Bound", "Pending", "Lost"}[c.r.IntN(4)]}}
		c.put(claim)
		if c.r.IntN(3) == 0 {
			c.b.Roots = append(c.b.Roots, feed.Root{ID: claim.ID})
		}
	case 14:
		ready := []string{"True", "True", "False", "Unknown"}[c.r.IntN(4)]
		n := &object.Object{
			ID: c.node(), Created: t0,
			Conditions: []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: ready, Reason: "NodeStatus" + ready}, LastTransitionTime: now}},
			Tree:       map[string]any{"status": map[string]any{"allocatable": map[string]any{"cpu": "4", "pods": int64(110)}}},
		}
		c.put(n)
	case 15:
		if o := c.any("Pod", "PersistentVolumeClaim", "ReplicaSet"); o != nil {
			reason := []string{"FailedMount", "FailedScheduling", "Unhealthy", "FailedCreate", "ProvisioningFailed", "Killing"}[c.r.IntN(6)]
			c.b.Events = append(c.b.Events, object.Event{
				UID: fmt.Sprint("event-", c.r.IntN(30)), About: o.ID, AboutUID: o.UID, Type: "Warning", Reason: reason,
				Message: `MountVolume.SetUp failed for volume "settings" : configmap "settings" not found`,
				First:   now, Last: now, Count: 1,
			})
		}
	}
}

// However objects come, change, go and are found again, a copy of the world is
// explained as the world itself is, also once the world has gone on.
func TestACopyIsExplainedAsTheWorldIs(t *testing.T) {
	found := 0
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 5))
		p := newPlay(t, Options{Judge: status.Assess, Screen: seed%2 == 0})
		p.send(rowsOn(120, 20))
		c := &town{r: r, live: map[object.ID]*object.Object{}}
		now := time.Duration(0)
		var still *world.World
		var want explain.Explanation
		for n := range 60 {
			now += time.Duration(r.IntN(1500)) * time.Millisecond
			b := feed.Batch{Synced: n > 5, Answered: p.wants.Gen}
			c.b = &b
			for range 1 + r.IntN(6) {
				c.step(at(now))
			}
			p.batch(now, b)
			if still != nil {
				if diff := cmp.Diff(want, still.Explanation()); diff != "" {
					t.Fatalf("seed %d, after %d batches (-the world +its copy):\n%s", seed, n, diff)
				}
			}
			still, want = p.m.Facts.World.Explainable(), p.m.Facts.World.Explanation()
			found += len(want.Causes)
		}
	}
	if found < 1000 {
		t.Errorf("%d causes only: this test tests little", found)
	}
}
