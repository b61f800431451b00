package controllers

import (
	"fmt"
	"testing"
)

// rollout is an Argo Rollout with a strategy and a Pod fault.
func rollout(strategy, fault, more string) string {
	return fmt.Sprintf(`
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web}
spec:
  replicas: 2
  progressDeadlineSeconds: 30
  %[4]s
  selector: {matchLabels: {app: web}}
  strategy: %[1]s
  template:
    metadata: {labels: {app: web}, annotations: {kstatus-tui.test/fault: %[2]q}}
    spec: {containers: [{name: app, image: %[3]q}]}
`, strategy, fault, image1, more)
}

func TestRolloutsAreJudgedByWhatArgoWrites(t *testing.T) {
	const (
		canary   = "{canary: {maxSurge: 1, maxUnavailable: 0}}"
		paused   = "{canary: {steps: [{setWeight: 50}, {pause: {}}]}}"
		api      = "argoproj.io/v1alpha1"
		newImage = `{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"registry.example.com/app:2"}]}}}}`
	)
	healthy := func(p place, strategy, more string) {
		p.apply(rollout(strategy, "", more))
		p.until("Current", "rollout/web")
	}
	play(t, []scenario{
		{
			name: "healthy", source: "rollout/web", needs: "argo-rollouts",
			make: func(p place) { p.apply(rollout(canary, "", "")) },
			// The controller may have done all of it before anybody can ask.
			says: []moment{{verdict: "InProgress|Current"}, {after: 5 * second, verdict: "InProgress|Current"}, {after: 40 * second, verdict: "Current"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "the first image cannot be pulled", source: "rollout/web", needs: "argo-rollouts", waits: 2,
			make: func(p place) { p.apply(rollout(canary, "image-not-found", "")) },
			says: []moment{{after: 5 * second, verdict: "InProgress"}, {after: 45 * second, verdict: "Failed", says: "app:1"}, {after: 100 * second, verdict: "Failed", says: "app:1"}},
		},
		{
			name: "a later image cannot be pulled", source: "rollout/web", needs: "argo-rollouts", waits: 2,
			make: func(p place) {
				healthy(p, canary, "")
				p.patch(api, "Rollout", "web", `{"spec":{"template":{"metadata":{"annotations":{"kstatus-tui.test/fault":"image-not-found"}},"spec":{"containers":[{"name":"app","image":"registry.example.com/app:2"}]}}}}`)
			},
			says: []moment{{after: 5 * second, verdict: "InProgress"}, {after: 45 * second, verdict: "Failed", says: "app:2"}, {after: 100 * second, verdict: "Failed", says: "app:2"}},
		},
		{
			name: "paused at a step", source: "rollout/web", needs: "argo-rollouts", waits: 3,
			make: func(p place) {
				healthy(p, paused, "")
				p.patch(api, "Rollout", "web", newImage)
			},
			says: []moment{{after: 5 * second, verdict: "InProgress"}, {after: 40 * second, verdict: "InProgress", says: "paused at step", never: "RolloutCompleted"}, {after: 100 * second, verdict: "InProgress", says: "paused at step"}},
		},
		{
			name: "paused by hand with nothing new", source: "rollout/web", needs: "argo-rollouts", waits: 3,
			make: func(p place) {
				healthy(p, canary, "")
				p.patch(api, "Rollout", "web", `{"spec":{"paused":true}}`)
			},
			says: []moment{{after: 5 * second, verdict: "InProgress"}, {after: 40 * second, verdict: "InProgress", says: "paused"}},
		},
		{
			name: "a slow start", source: "rollout/web", needs: "argo-rollouts",
			make: func(p place) {
				p.apply(rollout(canary, "", "minReadySeconds: 25"))
			},
			says: []moment{{after: 5 * second, verdict: "InProgress"}, {after: 20 * second, verdict: "InProgress"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "its workload is changed", source: "rollout/web", needs: "argo-rollouts",
			make: func(p place) {
				p.apply(deployment("web", image1, "", "") + `
---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web}
spec:
  replicas: 2
  workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  selector: {matchLabels: {app: web}}
  strategy: ` + canary + "\n")
				p.until("Current", "rollout/web")
				p.patch("apps/v1", "Deployment", "web", newImage)
			},
			says: []moment{{after: 40 * second, verdict: "Current"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "the specification is invalid", source: "rollout/web", needs: "argo-rollouts", waits: 2,
			make: func(p place) { p.apply(rollout("{canary: {steps: [{setWeight: 500}]}}", "", "")) },
			says: []moment{{after: 5 * second, verdict: "InProgress|Failed"}, {after: 40 * second, verdict: "Failed", says: "setWeight"}, {after: 100 * second, verdict: "Failed", says: "setWeight"}},
		},
		{
			name: "deleted while it fails", source: "rollout/web", needs: "argo-rollouts", waits: notWaited,
			make: func(p place) {
				p.apply(rollout(canary, "image-not-found", ""))
				p.until("Failed", "rollout/web")
				p.delete(api, "Rollout", "web")
			},
			says: []moment{{after: 5 * second, verdict: "InProgress|Failed", says: "lab.example.org/hold"}, {after: 40 * second, verdict: "InProgress|Failed", says: "lab.example.org/hold", never: "is it running"}},
		},
	})
}
