package status

import (
	"fmt"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What a controller itself writes into the spec is no change that it has to answer:
// Crossplane v1.20.0 notes in spec.resourceRefs what it is about to compose, at every
// attempt under a new name where the server refuses it.
func TestASpecWriteOfTheControllerItselfIsNoUserChange(t *testing.T) {
	const obj = `{"apiVersion":"lab.example.org/v1","kind":"XShop","metadata":{"name":"x","generation":9,"managedFields":[
		{"manager":"kubectl","operation":"Apply","time":"2026-01-02T11:50:00Z","fieldsV1":{"f:spec":{"f:size":{}}}},
		{"manager":%q,"operation":"Update","time":"2026-01-02T11:59:58Z","fieldsV1":{"f:spec":{"f:resourceRefs":{}}}},
		{"manager":"crossplane","operation":"Update","subresource":"status","time":"2026-01-02T11:59:50Z","fieldsV1":{"f:status":{}}}]},
		"spec":{"size":1},"status":{"conditions":[{"type":"Synced","status":"False","reason":"ReconcileError","message":"cannot compose resources: value is forbidden","lastTransitionTime":"2026-01-02T11:51:00Z"}]}}`
	for manager, want := range map[string]Status{"crossplane": Failed, "kubectl-edit": InProgress} {
		a := Assess(decode(t, fmt.Sprintf(obj, manager)), World{FirstSeen: noon.Add(-time.Minute)}, noon)
		if a.Status != want {
			t.Errorf("written by %s: %s %s, want %s", manager, a.Status, a.Reason, want)
		}
	}
}

// kustomize-controller dates Ready=False anew at every retry, and names no attempted
// revision where it cannot read the path (v1.9.6). Somebody who looks once sees a fault
// that is as old as the revision and the spec.
func TestAFaultInTheRevisionIsAsOldAsThat(t *testing.T) {
	source := decode(t, `{"apiVersion":"source.toolkit.fluxcd.io/v1","kind":"GitRepository","metadata":{"name":"src","namespace":"a","generation":1},
		"status":{"observedGeneration":1,"artifact":{"revision":"main@sha1:a","lastUpdateTime":"2026-01-02T11:59:00Z"},"conditions":[{"type":"Ready","status":"True","reason":"Succeeded","observedGeneration":1}]}}`)
	const obj = `{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"apps","namespace":"a","generation":2,"creationTimestamp":"2026-01-02T11:00:00Z",
		"managedFields":[{"manager":"kubectl","operation":"Apply","time":%q,"fieldsV1":{"f:spec":{"f:path":{}}}}]},
		"spec":{"path":"./nope","sourceRef":{"kind":"GitRepository","name":"src"}},
		"status":{"observedGeneration":1,"lastAppliedRevision":"main@sha1:a","lastAttemptedRevision":"main@sha1:a",
		"conditions":[{"type":"Ready","status":"False","reason":%q,"message":"kustomization path not found","observedGeneration":2,"lastTransitionTime":"2026-01-02T11:59:55Z"}]}}`
	w := World{FirstSeen: noon, Lookup: func(id object.ID) *object.Object {
		if id == source.ID {
			return source
		}
		return nil
	}}
	for _, c := range []struct {
		name, written, reason string
		want                  Status
	}{
		{"the path has been missing for a minute", "2026-01-02T11:58:00Z", "ArtifactFailed", Failed},
		{"the path was just changed", "2026-01-02T11:59:50Z", "ArtifactFailed", InProgress},
		{"what may have begun later", "2026-01-02T11:58:00Z", "ReconciliationFailed", InProgress},
	} {
		if a := Assess(decode(t, fmt.Sprintf(obj, c.written, c.reason)), w, noon); a.Status != c.want {
			t.Errorf("%s: %s %s (%s), want %s", c.name, a.Status, a.Reason, a.Message, c.want)
		}
	}
}
