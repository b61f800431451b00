package main

import (
	"flag"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

var churn = flag.Bool("churn", false, "change tens of thousands of objects, which takes a minute (make churn)")

// Pods and their ReplicaSets are replaced all the time, some of them failing,
// with Events. Everything that is remembered is bounded: once the bounds are
// reached, memory no longer grows, except for the test server's own log of
// requests.
func TestChurnDoesNotGrowMemory(t *testing.T) {
	if !*churn {
		t.Skip("make churn runs it, and make nightly")
	}
	synctest.Test(t, func(t *testing.T) {
		c := testcluster.New()
		defer c.Close()
		const apps = 20
		var targets []inventory.Target
		for i := range apps {
			id := object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: fmt.Sprint("app", i)}
			targets = append(targets, inventory.Target{Source: "-f app.yaml", Version: "apps/v1", ID: id})
		}
		engine, err := watch.New(watch.Options{Config: c.Config(), Targets: targets, Children: "auto", Namespace: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		engine.Start(t.Context())
		defer engine.Close()
		opt := model.Options{Now: time.Now(), Sources: inventory.Sources(targets), Namespace: "shop", StallAfter: time.Minute, Children: model.ChildrenAuto}
		var over atomic.Bool
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if _, err := (headless{feed: engine, now: time.Now}).run(t.Context(), opt, func(*model.Model) (bool, time.Time) { return over.Load(), time.Time{} }); err != nil {
				t.Error(err)
			}
		}()
		heap := func() float64 {
			c.Forget()
			runtime.GC()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return float64(m.HeapAlloc) / 1e6
		}
		var sizes []float64
		for second := range 2400 {
			roll(c, second%apps, second/apps)
			time.Sleep(time.Second)
			if second%300 == 299 {
				sizes = append(sizes, heap())
			}
		}
		t.Logf("MB every five minutes: %.1f", sizes)
		if grown := sizes[7] - sizes[5]; grown > 1.5 {
			t.Errorf("in its last ten minutes it has grown by %.1f MB: %.1f", grown, sizes)
		}
		over.Store(true)
		<-ended
	})
}

// roll replaces the children of a Deployment by those of a new revision.
func roll(c *testcluster.Cluster, app, revision int) {
	now := time.Now().UTC().Format(time.RFC3339)
	name := fmt.Sprint("app", app)
	labels := map[string]any{"app": name}
	owned := func(kind, name, uid string) []any {
		return []any{map[string]any{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid, "controller": true}}
	}
	fails := revision%2 == 1
	ready, state := "True", map[string]any{"running": map[string]any{"startedAt": now}}
	available := 3
	if fails {
		ready, available = "False", 0
		state = map[string]any{"waiting": map[string]any{"reason": "ImagePullBackOff", "message": fmt.Sprintf("Back-off pulling image \"registry.example.com/%s:%d\"", name, revision)}}
	}
	uid := c.Put(map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": name, "namespace": "shop", "generation": revision + 1, "labels": labels},
		"spec":     map[string]any{"replicas": 3, "selector": map[string]any{"matchLabels": labels}, "template": map[string]any{}},
		"status": map[string]any{
			"observedGeneration": revision + 1, "replicas": 3, "updatedReplicas": 3, "readyReplicas": available, "availableReplicas": available, "unavailableReplicas": 3 - available,
		},
	})
	set := fmt.Sprintf("%s-%d", name, revision)
	setUID := c.Put(map[string]any{
		"apiVersion": "apps/v1", "kind": "ReplicaSet",
		"metadata": map[string]any{"name": set, "namespace": "shop", "generation": 1, "labels": labels, "ownerReferences": owned("Deployment", name, uid)},
		"spec":     map[string]any{"replicas": 3, "selector": map[string]any{"matchLabels": labels}},
		"status":   map[string]any{"observedGeneration": 1, "replicas": 3, "readyReplicas": available, "availableReplicas": available},
	})
	for i := range 3 {
		pod := fmt.Sprintf("%s-%d", set, i)
		podUID := c.Put(map[string]any{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{"name": pod, "namespace": "shop", "labels": labels, "ownerReferences": owned("ReplicaSet", set, setUID)},
			"spec":     map[string]any{"nodeName": "node-1", "containers": []any{map[string]any{"name": "app", "image": fmt.Sprintf("registry.example.com/%s:%d", name, revision)}}},
			"status": map[string]any{
				"phase":             "Running",
				"conditions":        []any{conditionOf("Ready", ready, "ContainersNotReady", time.Now()), conditionOf("ContainersReady", ready, "ContainersNotReady", time.Now())},
				"containerStatuses": []any{map[string]any{"name": "app", "ready": !fails, "restartCount": 0, "image": "app:1", "state": state}},
			},
		})
		if fails {
			c.Put(map[string]any{
				"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"name": pod + ".1", "namespace": "shop"},
				"type": "Warning", "reason": "Failed", "message": "Failed to pull the image of " + pod, "count": 1, "firstTimestamp": now, "lastTimestamp": now,
				"involvedObject": map[string]any{"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": pod, "uid": podUID},
			})
		}
	}
	if old := revision - 1; old >= 0 {
		set := fmt.Sprintf("%s-%d", name, old)
		for i := range 3 {
			c.Delete("Pod", "shop", fmt.Sprintf("%s-%d", set, i))
		}
		c.Delete("ReplicaSet", "shop", set)
	}
	if old := revision - 5; old >= 0 { // an hour's, in a cluster
		for i := range 3 {
			c.Delete("Event", "shop", fmt.Sprintf("%s-%d-%d.1", name, old, i))
		}
	}
}
