package controllers

import (
	"fmt"
	"testing"
)

func TestRayClustersAreJudgedByWhatKubeRayWrites(t *testing.T) {
	const (
		api   = "ray.io/v1"
		needs = "kuberay"
	)
	group := func(name, fault string) string {
		return fmt.Sprintf("{metadata: {annotations: {kstatus-tui.test/fault: %q}}, spec: {containers: [{name: %s, image: %q}]}}", fault, name, image1)
	}
	spec := func(head, worker string) string {
		return fmt.Sprintf("{rayVersion: 2.46.0, headGroupSpec: {rayStartParams: {}, template: %s}, workerGroupSpecs: [{groupName: w, replicas: 1, minReplicas: 1, maxReplicas: 3, rayStartParams: {}, template: %s}]}",
			group("head", head), group("worker", worker))
	}
	cluster := func(head, worker string) string {
		return "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: ray}\nspec: " + spec(head, worker) + "\n"
	}
	job := func(head, more string) string {
		return "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: count}\nspec: {entrypoint: python count.py, " + more + "rayClusterSpec: " + spec(head, "") + "}\n"
	}
	const source = "raycluster/ray"
	play(t, []scenario{
		{
			name: "healthy", source: source, needs: needs,
			make: func(p place) { p.apply(cluster("", "")) },
			// The controller may have done all of it before anybody can ask.
			says: []moment{{verdict: "InProgress|Current"}, {after: 5 * second, verdict: "InProgress|Current"}, {after: 40 * second, verdict: "Current"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "the head's image cannot be pulled", source: source, needs: needs, waits: 2,
			make: func(p place) { p.apply(cluster("image-not-found", "")) },
			says: []moment{{after: 5 * second, verdict: "InProgress", says: "app:1"}, {after: 45 * second, verdict: "Failed", says: "app:1", never: guesses}, {after: 100 * second, verdict: "Failed", says: "app:1"}},
		},
		{
			name: "a worker crashes", source: source, needs: needs, waits: notWaited, // it runs for a second in between
			make: func(p place) { p.apply(cluster("", "crash-loop")) },
			says: []moment{{after: 5 * second, verdict: "InProgress"}, {after: 50 * second, verdict: "InProgress|Failed", says: "DATABASE_URL|code 1"}, {after: 100 * second, verdict: "InProgress|Failed", says: "DATABASE_URL|code 1"}},
		},
		{
			name: "a worker more than the nodes take", source: source, needs: needs, waits: 2,
			make: func(p place) {
				p.apply(cluster("", ""))
				p.until("Current", source)
				p.patch(api, "RayCluster", "ray", `{"spec":{"workerGroupSpecs":[{"groupName":"w","replicas":2,"minReplicas":1,"maxReplicas":3,"rayStartParams":{},"template":{"spec":{"nodeSelector":{"disk":"gold"},"containers":[{"name":"worker","image":"`+image1+`"}]}}}]}}`)
			},
			says: []moment{{after: 5 * second, verdict: "InProgress"}, {after: 45 * second, verdict: "InProgress|Failed", says: "disk"}, {after: 100 * second, verdict: "InProgress|Failed", says: "disk"}},
		},
		{
			name: "suspended from the beginning", source: source, needs: needs, waits: notWaited,
			make: func(p place) {
				p.apply("apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: ray}\nspec: " + "{suspend: true, " + spec("", "")[1:] + "\n")
			},
			says: []moment{{after: 5 * second, verdict: "InProgress|Current", says: "suspend"}, {after: 40 * second, verdict: "InProgress|Current", says: "suspend", never: guesses}},
		},
		{
			name: "a job whose cluster's image cannot be pulled", source: "rayjob/count", needs: needs, waits: 2,
			make: func(p place) { p.apply(job("image-not-found", "")) },
			says: []moment{{after: 5 * second, verdict: "InProgress"}, {after: 45 * second, verdict: "Failed", says: "app:1", never: guesses}, {after: 100 * second, verdict: "Failed", says: "app:1"}},
		},
		{
			name: "a suspended job", source: "rayjob/count", needs: needs, waits: 3,
			make: func(p place) { p.apply(job("", "suspend: true, shutdownAfterJobFinishes: true, ")) },
			says: []moment{{after: 5 * second, verdict: "InProgress", says: "[Ss]uspend"}, {after: 40 * second, verdict: "InProgress", says: "[Ss]uspend", never: guesses}},
		},
		{
			name: "deleted while it fails", source: source, needs: needs, waits: notWaited,
			make: func(p place) {
				p.apply(cluster("image-not-found", ""))
				p.until("Failed", source)
				p.delete(api, "RayCluster", "ray")
			},
			says: []moment{{after: 5 * second, verdict: "InProgress", says: "lab.example.org/hold"}, {after: 40 * second, verdict: "InProgress", says: "lab.example.org/hold", never: "is it running"}},
		},
	})
}
