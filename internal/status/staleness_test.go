package status

import (
	"fmt"
	"testing"
	"time"
)

// What a controller itself writes into the spec is no change that it has to answer:
// Crossplane v1.20.0 notes in spec.resourceRefs what it is about to compose, at every
// attempt under a new name where the server refuses it.
func TestAControllersOwnWriteIsNoChange(t *testing.T) {
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
