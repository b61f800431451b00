package status

import (
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// A Flux object that waits for its source can only be judged together with that source.

// waitsForSource are the reasons of Ready=False by which Flux's controllers say that a
// source has no artifact: kustomize-controller v1.9.6 (ArtifactFailed), helm-controller
// v1.6 (SourceNotReady), source-controller v1.9.6 (NoSourceArtifact, of a HelmChart).
var waitsForSource = map[string]bool{"ArtifactFailed": true, "SourceNotReady": true, "NoSourceArtifact": true}

// bySource judges a Flux object that waits for its source: Failed as soon as the source
// is, InProgress while the source is under way.
func (j *judge) bySource(a Assessment) Assessment {
	if !strings.HasSuffix(j.o.Group, ".toolkit.fluxcd.io") || j.w.Lookup == nil || a.condition == 0 || a.Paused {
		return a
	}
	if cond := &j.o.Conditions[a.condition-1]; cond.Type != "Ready" || !isFalse(cond) || !waitsForSource[cond.Reason] {
		return a
	}
	source := j.w.Lookup(fluxSource(j.o))
	if source == nil || !source.Deleted.IsZero() {
		return a
	}
	w := World{FirstSeen: j.w.FirstSeen, Ahead: j.w.Ahead, Offline: j.w.Offline, Lookup: j.w.Lookup}
	of := Assess(source, w, j.now)
	rule := j.by("flux.source", "status.conditions[Ready]")
	switch of.Status {
	case Failed:
		return rule.fault("", "").from(j.o, a.condition-1)
	case InProgress, Unknown:
		a = rule.progress("", "").from(j.o, a.condition-1)
		a.Recheck = of.Recheck
	}
	return a
}

// fluxSource is what an object is applied from.
func fluxSource(o *object.Object) object.ID {
	if namespace, name, ok := strings.Cut(o.Str("status", "helmChart"), "/"); ok && o.Kind == "HelmRelease" {
		return object.ID{Group: "source.toolkit.fluxcd.io", Kind: "HelmChart", Namespace: namespace, Name: name}
	}
	for _, field := range [...]string{"sourceRef", "chartRef"} {
		ref := asMap(object.At(o.Tree, "spec", field))
		text := func(key string) string { s, _ := ref[key].(string); return s }
		if text("name") == "" {
			continue
		}
		id := object.ID{Group: "source.toolkit.fluxcd.io", Kind: text("kind"), Namespace: o.Namespace, Name: text("name")}
		if group, _, ok := strings.Cut(text("apiVersion"), "/"); ok {
			id.Group = group
		}
		if namespace := text("namespace"); namespace != "" {
			id.Namespace = namespace
		}
		return id
	}
	return object.ID{}
}

// revisionSince is since when the source has had the revision that was attempted and
// not applied; zero if unknown. A Kustomization that cannot be built is not attempted, and
// its fault is in the revision and the spec: it is as old as the later of both.
func revisionSince(o *object.Object, lookup func(object.ID) *object.Object) time.Time {
	if o.GroupKind() != "kustomize.toolkit.fluxcd.io/Kustomization" || lookup == nil {
		return time.Time{}
	}
	source := lookup(fluxSource(o))
	if source == nil {
		return time.Time{}
	}
	revision := source.Str("status", "artifact", "revision")
	at, err := time.Parse(time.RFC3339, source.Str("status", "artifact", "lastUpdateTime"))
	attempted := o.Str("status", "lastAttemptedRevision")
	switch {
	case err != nil || revision == "":
	case attempted == revision && attempted != o.Str("status", "lastAppliedRevision"):
		return at
	case !o.SpecWritten.IsZero() && unbuilt(o):
		return newest(at, o.SpecWritten)
	}
	return time.Time{}
}

// unbuilt reports whether a Kustomization's manifests cannot be read or built.
func unbuilt(o *object.Object) bool {
	i := conditionIndex(o, "Ready")
	return i >= 0 && isFalse(&o.Conditions[i]) &&
		(o.Conditions[i].Reason == "ArtifactFailed" || o.Conditions[i].Reason == "BuildFailed")
}

// lastAttempt returns why the last attempt failed, if the same revision is tried again, and since
// when no attempt has succeeded. While an attempt runs, Ready=Unknown and Reconciling=True say nothing of it, and
// a health check takes as long as spec.timeout. The last entry is the first of the history, and has
// the revision (fluxcd/pkg apis/meta/history.go v1.30, kustomize-controller v1.9.6).
func lastAttempt(o *object.Object) (reason string, since time.Time) {
	history := o.List("status", "history")
	if len(history) == 0 {
		return "", time.Time{}
	}
	status, last := reconciled(history[0])
	revision, _ := object.At(history[0], "metadata", "revision").(string)
	ofThisRevision := revision != "" && revision == o.Str("status", "lastAttemptedRevision")
	ofThisSpec := o.Generation.V == 1 || o.Observed == o.Generation ||
		!o.SpecWritten.IsZero() && o.SpecWritten.Before(last)
	if !strings.HasSuffix(status, "Failed") || !ofThisRevision || !ofThisSpec {
		return "", time.Time{}
	}
	first, _ := object.At(history[0], "firstReconciled").(string)
	since, _ = time.Parse(time.RFC3339, first)
	for _, entry := range history[1:] {
		if status, at := reconciled(entry); strings.HasSuffix(status, "Succeeded") {
			since = newest(since, at)
		}
	}
	return status, since
}

// reconciled is how an entry of a history ended, and when last.
func reconciled(entry any) (status string, at time.Time) {
	status, _ = object.At(entry, "lastReconciledStatus").(string)
	last, _ := object.At(entry, "lastReconciled").(string)
	at, _ = time.Parse(time.RFC3339, last)
	return status, at
}
