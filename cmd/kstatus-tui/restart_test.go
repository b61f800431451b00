package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/wait"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

// A Deployment is available by its own status all the time. Its pod crashed after
// eight seconds, and runs again: a wait ends when it has run for sixteen, though
// nothing happens then.
func TestAWaitEndsWhenACrashedContainerHasRunForLongEnough(t *testing.T) {
	for _, children := range []model.Children{model.ChildrenAuto, model.ChildrenAll} {
		synctest.Test(t, func(t *testing.T) {
			c := testcluster.New()
			defer c.Close()
			begin := time.Now()
			started := begin.Add(-2 * time.Second)
			crashing(c, started)
			targets := []inventory.Target{{Source: "deploy/web", Version: "apps/v1", ID: object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}}}
			g := newWaiter(wait.Current)
			g.Deadline = begin.Add(5 * time.Minute)
			var end *report.End
			var seen []string
			o := watch.Options{Targets: targets, Children: string(children), Namespace: "shop"}
			followUntil(t, c, o, modelOptions(o), func(m *model.Model) (bool, time.Time) {
				if r, ok := m.Facts.Resource(targets[0].ID); ok && (len(seen) == 0 || seen[len(seen)-1] != r.Assessment.Reason) {
					seen = append(seen, r.Assessment.Reason)
				}
				o, wake := look(g, seenOf(m))
				end = o
				return o != nil, wake
			})
			if at := time.Since(started); end == nil || end.Code != exitOK || at != 16*time.Second {
				t.Errorf("--children=%s: after a run of %v: %+v; it was %q", children, at, end, seen)
			}
		})
	}
}

// crashing puts a Deployment with one pod, whose container ran for eight seconds,
// crashed, and was started again.
func crashing(c *testcluster.Cluster, started time.Time) {
	stamp := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	meta := func(name, kind, uid string) map[string]any {
		m := map[string]any{"name": name, "namespace": "shop", "generation": 1, "labels": map[string]any{"app": "web"}}
		if kind != "" {
			m["ownerReferences"] = []any{map[string]any{"apiVersion": "apps/v1", "kind": kind, "name": "web", "uid": uid, "controller": true}}
		}
		return m
	}
	selector := map[string]any{"matchLabels": map[string]any{"app": "web"}}
	uid := c.Put(map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta("web", "", ""), "spec": map[string]any{"replicas": 1, "selector": selector},
		"status": map[string]any{"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1},
	})
	uid = c.Put(map[string]any{
		"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta("web", "Deployment", uid), "spec": map[string]any{"replicas": 1, "selector": selector},
		"status": map[string]any{"observedGeneration": 1, "replicas": 1, "fullyLabeledReplicas": 1, "readyReplicas": 1, "availableReplicas": 1},
	})
	c.Put(map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": meta("web-a", "ReplicaSet", uid),
		"spec": map[string]any{"restartPolicy": "Always", "nodeName": "n1", "containers": []any{map[string]any{"name": "app", "image": "app"}}},
		"status": map[string]any{
			"phase": "Running", "conditions": []any{map[string]any{"type": "Ready", "status": "True", "lastTransitionTime": stamp(started)}},
			"containerStatuses": []any{map[string]any{
				"name": "app", "image": "app", "ready": true, "started": true, "restartCount": 1,
				"state":     map[string]any{"running": map[string]any{"startedAt": stamp(started)}},
				"lastState": map[string]any{"terminated": map[string]any{"exitCode": 2, "reason": "Error", "startedAt": stamp(started.Add(-9 * time.Second)), "finishedAt": stamp(started.Add(-time.Second))}},
			}},
		},
	})
}
