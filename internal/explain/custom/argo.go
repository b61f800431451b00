package custom

import (
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// application finds ApplicationSyncFailed and ApplicationUnhealthy: Argo CD
// reports health, the operation and every resource, but not in conditions.
func application(in *inspect.Inspector) {
	o := in.Object
	phase, msg := o.Str("status", "operationState", "phase"), o.Str("status", "operationState", "message")
	health := o.Str("status", "health", "status")
	var f *inspect.Finding
	switch {
	case phase == "Failed" || phase == "Error":
		f = in.Find(codes.ApplicationSyncFailed, "sync %s: %s", strings.ToLower(phase), Tail(in, msg, 160))
		f.Key = phase + wording.Normal(msg)
		f.Prove("status.operationState.phase", phase)
		f.Prove("status.operationState.message", msg)
		f.Since, _ = time.Parse(time.RFC3339, o.Str("status", "operationState", "finishedAt"))
	case phase == "Running" || phase == "Terminating":
		f = in.Find(codes.ApplicationSyncing, "sync is %s", strings.ToLower(phase))
		if m := message.Line(msg); m != "" {
			f.Why("%s", Tail(in, m, 160))
			f.Prove("status.operationState.message", msg)
		}
		f.Key = phase + wording.Normal(msg)
		f.Prove("status.operationState.phase", phase)
		f.Since, _ = time.Parse(time.RFC3339, o.Str("status", "operationState", "startedAt"))
	case health != "" && health != "Healthy":
		f = in.Find(codes.ApplicationUnhealthy, "health is %s", health)
		if m := message.Line(o.Str("status", "health", "message")); m != "" {
			f.Why("%s", m)
		}
		f.Key = health
		f.Prove("status.health.status", health)
		for _, at := range [...]string{
			o.Str("status", "health", "lastTransitionTime"),
			o.Str("status", "operationState", "finishedAt"),
		} {
			if t, err := time.Parse(time.RFC3339, at); err == nil && f.Since.IsZero() {
				f.Since = t
			}
		}
		switch health {
		case "Progressing", "Suspended":
			f.Class = codes.Waits
		case "Missing", "Unknown":
			f.Class = codes.Retries
		}
	}
	for i := range o.Conditions {
		x := &o.Conditions[i]
		if strings.HasSuffix(x.Type, "Error") && (f == nil || f.Code != codes.ApplicationSyncFailed) {
			if f == nil {
				f = in.Find(codes.ApplicationSyncFailed, "")
			}
			f.Say("%s: %s", x.Type, Tail(in, x.Message, 160))
			f.Key = x.Type + wording.Normal(x.Message)
			f.Since = x.LastTransitionTime
			f.Prove("status.conditions["+x.Type+"].message", x.Message)
		}
	}
	if f == nil {
		return
	}
	f.Symptom = f.Code != codes.ApplicationSyncFailed
	unhealthyParts(in, f)
}

// withoutAddress reports whether Argo CD waits for the address of an Ingress, or
// of a Service of type LoadBalancer (gitops-engine, pkg/health, v0.7).
func withoutAddress(o *object.Object) bool {
	switch {
	case o == nil:
		return false
	case o.GroupKind() == "networking.k8s.io/Ingress":
		return len(o.List("status", "loadBalancer", "ingress")) == 0
	}
	return o.Service != nil && o.Service.Type == "LoadBalancer" && len(o.Service.Ingress) == 0
}

// unhealthyParts names an application's unhealthy resources.
func unhealthyParts(in *inspect.Inspector, f *inspect.Finding) {
	o := in.Object
	for _, m := range fields.Each(o.List("status", "resources")) {
		st := m.Sub("health").Str("status")
		id := object.ID{Group: m.Str("group"), Kind: m.Str("kind"), Namespace: m.Str("namespace"), Name: m.Str("name")}
		if st != "" && st != "Healthy" && len(f.Because) < inspect.MaxObjects {
			f.Because = append(f.Because, id)
			part := in.Get(id)
			if len(f.Because) == 1 && withoutAddress(part) {
				defer func() {
					f.Add(", and has no address")
					f.ProveUnset(id, "status.loadBalancer.ingress")
				}()
			}
			if len(f.Because) == 1 && f.Code == codes.ApplicationUnhealthy {
				f.Note("%s: %s", id.String(),
					strings.TrimSpace(st+" "+message.Short(m.Sub("health").Str("message"), 160)))
				f.ProveOn(o.ID, "status.resources["+id.String()+"].health.status", st)
			}
		}
	}
}

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{"argoproj.io/Rollout"}, Find: rolloutPaused})
}

// rolloutPaused finds RolloutPaused: a canary step is no problem. A Rollout that
// was paused by hand is at no step; custom reports it.
func rolloutPaused(in *inspect.Inspector) {
	o := in.Object
	if byHand, _ := o.Bool("spec", "paused"); byHand {
		return
	}
	steps := o.List("status", "pauseConditions")
	if len(steps) == 0 && o.Str("status", "phase") != "Paused" {
		return
	}
	reason := ""
	for _, m := range fields.Each(steps[:min(len(steps), 1)]) {
		reason = m.Str("reason")
	}
	f := in.Find(codes.RolloutPaused, "paused at a step of its strategy")
	if at := o.Int("status", "currentStepIndex"); at.Set {
		f.Say("paused at step %d of its strategy", at.V+1)
		f.Prove("status.currentStepIndex", at.V)
	}
	if reason != "" {
		f.Note("%s", reason)
		f.Prove("status.pauseConditions[0].reason", reason)
	} else {
		f.Prove("status.phase", o.Str("status", "phase"))
	}
	f.Offer(in.Kubectl("argo", "rollouts", "promote", o.Name), "the rollout goes on to its next step")
}
