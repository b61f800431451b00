package status

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// kustomization is a Flux Kustomization as its controller writes it: Reconciling=True
// throughout an attempt and its retries, Ready dated anew at each step.
func kustomization(t *testing.T, generation int, attempted, ready, reason string, at time.Time) *object.Object {
	t.Helper()
	return decode(t, fmt.Sprintf(`{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"apps","namespace":"flux","generation":%[1]d},
		"spec":{"sourceRef":{"kind":"GitRepository","name":"src"}},
		"status":{"observedGeneration":1,"lastAppliedRevision":"main@1","lastAttemptedRevision":%[2]q,"conditions":[
		{"type":"Reconciling","status":"True","reason":"ProgressingWithRetry","observedGeneration":%[1]d},
		{"type":"Ready","status":%[3]q,"reason":%[4]q,"message":"about %[4]s","observedGeneration":%[1]d,"lastTransitionTime":%[5]q}]}}`,
		generation, attempted, ready, reason, at.Format(time.RFC3339)))
}

// A retry does not restart the grace: kustomize-controller writes Ready=Unknown before
// every attempt, and Ready=False again with a new date.
func TestARetryOfTheSameRevisionIsTheSameFault(t *testing.T) {
	type step struct {
		after            time.Duration
		generation       int
		revision, reason string // of Ready=False; Ready=Unknown if the reason is Progressing
		want             Status
		wantReason       string
	}
	for name, steps := range map[string][]step{
		"retried every 20 s": {
			{0, 1, "main@2", "BuildFailed", InProgress, "BuildFailed"},
			{19 * time.Second, 1, "main@2", "Progressing", InProgress, "Progressing"},
			{20 * time.Second, 1, "main@2", "BuildFailed", InProgress, "BuildFailed"},
			{30 * time.Second, 1, "main@2", "BuildFailed", Failed, "BuildFailed"},
			{40 * time.Second, 1, "main@2", "Progressing", Failed, "BuildFailed"},
			{41 * time.Second, 1, "main@2", "BuildFailed", Failed, "BuildFailed"},
		},
		"another reason has its own grace": {
			{0, 1, "main@2", "BuildFailed", InProgress, "BuildFailed"},
			{19 * time.Second, 1, "main@2", "Progressing", InProgress, "Progressing"},
			{31 * time.Second, 1, "main@2", "HealthCheckFailed", InProgress, "HealthCheckFailed"},
		},
		"another revision has its own grace": {
			{0, 1, "main@2", "BuildFailed", InProgress, "BuildFailed"},
			{19 * time.Second, 1, "main@3", "Progressing", InProgress, "Progressing"},
			{31 * time.Second, 1, "main@3", "BuildFailed", InProgress, "BuildFailed"},
		},
		"a new revision is under way, whatever failed before": {
			{0, 1, "main@2", "BuildFailed", InProgress, "BuildFailed"},
			{30 * time.Second, 1, "main@2", "BuildFailed", Failed, "BuildFailed"},
			{40 * time.Second, 1, "main@3", "Progressing", InProgress, "Progressing"},
		},
		"and so is a new generation": {
			{0, 1, "main@2", "BuildFailed", InProgress, "BuildFailed"},
			{30 * time.Second, 1, "main@2", "BuildFailed", Failed, "BuildFailed"},
			{40 * time.Second, 2, "main@2", "Progressing", InProgress, "Progressing"},
		},
	} {
		w := World{FirstSeen: caseTime}
		for _, s := range steps {
			now, ready := caseTime.Add(s.after), "False"
			if s.reason == "Progressing" {
				ready = "Unknown"
			}
			date := now
			if p := w.Prior; p != nil && p.Reason == s.reason { // unchanged since
				date = caseTime
			}
			a := Assess(kustomization(t, s.generation, s.revision, ready, s.reason, date), w, now)
			if a.Status != s.want || a.Reason != s.wantReason || a.Terminal || a.Message != "about "+s.wantReason {
				t.Errorf("%s: after %v it is %s %s (terminal %v): %s; want %s %s", name, s.after, a.Status, a.Reason, a.Terminal, a.Message, s.want, s.wantReason)
			}
			w.Prior = &a
		}
	}
}

// Who looks for the first time in the middle of an attempt learns from the history that the one
// before failed (kustomize-controller v1.9.6; a health check of an object that does not exist).
func TestAnAttemptAfterAFailedOneIsAFaultAtTheFirstLook(t *testing.T) {
	const (
		failed    = `{"lastReconciledStatus":"HealthCheckFailed","firstReconciled":%[1]q,"lastReconciled":%[2]q,"metadata":{"revision":"main@2"}}`
		succeeded = `{"lastReconciledStatus":"ReconciliationSucceeded","firstReconciled":%[1]q,"lastReconciled":%[2]q,"metadata":{"revision":"main@2"}}`
	)
	ago := func(d time.Duration) string { return caseTime.Add(-d).Format(time.RFC3339) }
	entry := func(form string, first, last time.Duration) string { return fmt.Sprintf(form, ago(first), ago(last)) }
	for _, c := range []struct {
		name, history string
		want          Status
		reason        string
	}{
		{"it failed a minute ago", entry(failed, time.Minute, time.Minute), Failed, "HealthCheckFailed"},
		{"it failed just now", entry(failed, 9*time.Second, 9*time.Second), InProgress, "HealthCheckFailed"},
		{"it fails for long", entry(failed, time.Hour, 9*time.Second), Failed, "HealthCheckFailed"},
		{"it succeeded in between", entry(failed, time.Hour, 9*time.Second) + "," + entry(succeeded, time.Hour, 20*time.Second), InProgress, "HealthCheckFailed"},
		{"it succeeded last", entry(succeeded, time.Hour, time.Minute) + "," + entry(failed, time.Hour, 2*time.Minute), InProgress, "Progressing"},
		{"another revision failed", strings.ReplaceAll(entry(failed, time.Hour, time.Minute), "main@2", "main@1"), InProgress, "Progressing"},
		{"nothing is recorded", "", InProgress, "Progressing"},
	} {
		o := decode(t, fmt.Sprintf(`{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"apps","namespace":"flux","generation":1},
			"spec":{"sourceRef":{"kind":"GitRepository","name":"src"}},
			"status":{"observedGeneration":-1,"lastAttemptedRevision":"main@2","history":[%s],"conditions":[
			{"type":"Reconciling","status":"True","reason":"Progressing","message":"Running health checks","observedGeneration":1,"lastTransitionTime":%[2]q},
			{"type":"Ready","status":"Unknown","reason":"Progressing","message":"Reconciliation in progress","observedGeneration":1,"lastTransitionTime":%[2]q}]}}`,
			c.history, ago(2*time.Second)))
		a := Assess(o, World{FirstSeen: caseTime}, caseTime)
		if a.Status != c.want || a.Reason != c.reason || a.Terminal {
			t.Errorf("%s: %s %s (%s), want %s %s", c.name, a.Status, a.Reason, a.Message, c.want, c.reason)
		}
		if c.want != Failed {
			continue
		}
		later := Assess(o, World{FirstSeen: caseTime, Prior: &a}, caseTime.Add(5*time.Second))
		if later.Status != Failed || later.Reason != c.reason || !later.Since.Equal(a.Since) {
			t.Errorf("%s, 5 s later: %s %s since %s, before since %s", c.name, later.Status, later.Reason, later.Since, a.Since)
		}
	}
}

// Between two attempts the condition is as new as the last one, and the fault is not.
func TestAFaultIsAsOldAsTheFirstFailedAttempt(t *testing.T) {
	at := func(d time.Duration) string { return caseTime.Add(-d).Format(time.RFC3339) }
	for reason, want := range map[string]Status{"HealthCheckFailed": Failed, "BuildFailed": InProgress} {
		o := decode(t, fmt.Sprintf(`{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"apps","namespace":"flux","generation":1},
			"spec":{"sourceRef":{"kind":"GitRepository","name":"src"}},
			"status":{"observedGeneration":-1,"lastAttemptedRevision":"main@2","history":[
			{"lastReconciledStatus":"HealthCheckFailed","firstReconciled":%[1]q,"lastReconciled":%[2]q,"metadata":{"revision":"main@2"}}],"conditions":[
			{"type":"Ready","status":"False","reason":%[3]q,"observedGeneration":1,"lastTransitionTime":%[2]q}]}}`, at(time.Hour), at(time.Second), reason))
		a := Assess(o, World{FirstSeen: caseTime}, caseTime)
		if a.Status != want || want == Failed && !a.Since.Equal(caseTime.Add(-time.Hour+healGrace)) {
			t.Errorf("%s: %s since %s, want %s", reason, a.Status, a.Since, want)
		}
	}
}

// A history of an older spec says nothing of the present one.
func TestAnAttemptAtAnotherSpecHasItsOwnGrace(t *testing.T) {
	at := func(d time.Duration) string { return caseTime.Add(-d).Format(time.RFC3339) }
	for _, c := range []struct {
		written time.Duration // ago
		want    Status
	}{{10 * time.Minute, Failed}, {30 * time.Second, InProgress}} {
		o := decode(t, fmt.Sprintf(`{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"apps","namespace":"flux","generation":2,
			"managedFields":[{"manager":"kubectl","operation":"Apply","time":%q,"fieldsV1":{"f:spec":{"f:path":{}}}}]},
			"spec":{"sourceRef":{"kind":"GitRepository","name":"src"}},
			"status":{"observedGeneration":1,"lastAttemptedRevision":"main@2","history":[
			{"lastReconciledStatus":"HealthCheckFailed","firstReconciled":%[2]q,"lastReconciled":%[2]q,"metadata":{"revision":"main@2"}}],"conditions":[
			{"type":"Reconciling","status":"True","reason":"Progressing","observedGeneration":2},
			{"type":"Ready","status":"Unknown","reason":"Progressing","observedGeneration":2}]}}`, at(c.written), at(time.Minute)))
		if a := Assess(o, World{FirstSeen: caseTime}, caseTime); a.Status != c.want {
			t.Errorf("written %s ago: %s %s (%s), want %s", c.written, a.Status, a.Reason, a.Message, c.want)
		}
	}
}

// Who looks for the first time learns from the source how long a revision has been failing.
func TestARevisionFailsSinceItsSourceHasIt(t *testing.T) {
	source := func(revision string, since time.Duration) *object.Object {
		return decode(t, fmt.Sprintf(`{"apiVersion":"source.toolkit.fluxcd.io/v1","kind":"GitRepository","metadata":{"name":"src","namespace":"flux"},
			"status":{"artifact":{"revision":%q,"lastUpdateTime":%q},"conditions":[{"type":"Ready","status":"True"}]}}`, revision, caseTime.Add(-since).Format(time.RFC3339)))
	}
	failing := kustomization(t, 1, "main@2", "False", "BuildFailed", caseTime.Add(-5*time.Second))
	for _, c := range []struct {
		source *object.Object
		want   Status
	}{
		{nil, InProgress},
		{source("main@2", 29*time.Second), InProgress},
		{source("main@2", 30*time.Second), Failed},
		{source("main@3", 30*time.Second), InProgress},
	} {
		w := World{FirstSeen: caseTime, Lookup: func(id object.ID) *object.Object {
			if id != (object.ID{Group: "source.toolkit.fluxcd.io", Kind: "GitRepository", Namespace: "flux", Name: "src"}) {
				t.Errorf("%v was looked up", id)
			}
			return c.source
		}}
		if a := Assess(failing, w, caseTime); a.Status != c.want {
			t.Errorf("%s: %s, want %s", c.source, a.Status, c.want)
		}
	}
}

// An object that only waits for its source is as its source is: without an artifact yet,
// or failed.
func TestAnObjectThatWaitsForItsSourceHasTheStatusOfThatSource(t *testing.T) {
	const waiting = `{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"apps","namespace":"flux","generation":1},
		"spec":{"sourceRef":{"kind":"Bucket","name":"src","namespace":"sources"}},
		"status":{"observedGeneration":-1,"conditions":[{"type":"Ready","status":"False","reason":"ArtifactFailed","message":"Source artifact not found, retrying in 30s","observedGeneration":1,"lastTransitionTime":"2026-03-01T11:00:00Z"}]}}`
	const release = `{"apiVersion":"helm.toolkit.fluxcd.io/v2","kind":"HelmRelease","metadata":{"name":"shop","namespace":"flux","generation":1},
		"status":{"observedGeneration":-1,"helmChart":"sources/src","conditions":[{"type":"Ready","status":"False","reason":"SourceNotReady","message":"no artifact","observedGeneration":1,"lastTransitionTime":"2026-03-01T11:00:00Z"}]}}`
	source := func(status string) string {
		return `{"apiVersion":"source.toolkit.fluxcd.io/v1","kind":"X","metadata":{"name":"src","namespace":"sources","generation":1},"status":` + status + `}`
	}
	const failed = `{"observedGeneration":-1,"conditions":[{"type":"Ready","status":"False","reason":"Failed","observedGeneration":1,"lastTransitionTime":"2026-03-01T11:00:00Z"}]}`
	for _, c := range []struct {
		object, source string
		want           Status
	}{
		{waiting, source(`{"observedGeneration":-1}`), InProgress},
		{waiting, source(failed), Failed},
		{waiting, source(`{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","observedGeneration":1}]}`), Failed},
		{waiting, "", Failed},
		{release, source(`{"observedGeneration":-1}`), InProgress},
		{release, source(failed), Failed},
		{release, "", InProgress},
	} {
		w := World{FirstSeen: caseTime, Lookup: func(id object.ID) *object.Object {
			if id.Name != "src" || id.Namespace != "sources" || id.Kind != "Bucket" && id.Kind != "HelmChart" {
				t.Errorf("%v was looked up", id)
			}
			if c.source == "" {
				return nil
			}
			return decode(t, c.source)
		}}
		if a := Assess(decode(t, c.object), w, caseTime); a.Status != c.want || a.Reason == "" || a.Message == "" {
			t.Errorf("%s\nwith %s\nis %s by %s, want %s", c.object, c.source, a.Status, a.Rule, c.want)
		}
	}
}
