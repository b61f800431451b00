package controllers

import (
	"fmt"
	"testing"
)

// composed defines the composite kind XShop in a group of the scenario's own, and what it
// is composed of; without a base nothing composes it.
func composed(p place, base string) string {
	definition := fmt.Sprintf(`
apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xshops.%[1]s.example.org}
spec:
  group: %[1]s.example.org
  names: {kind: XShop, plural: xshops}
  versions:
  - {name: v1, served: true, referenceable: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}
`, p.ns)
	if base == "" {
		return definition
	}
	return definition + fmt.Sprintf(`---
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: %[1]s}
spec:
  compositeTypeRef: {apiVersion: %[1]s.example.org/v1, kind: XShop}
  mode: Resources
  resources:
  - {name: it, base: %[2]s, readinessChecks: [{type: None}]}
`, p.ns, base)
}

func TestCompositesAreJudgedByWhatCrossplaneWrites(t *testing.T) {
	class := func(p place) string {
		return "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: " + p.ns + "}, value: 5}"
	}
	shop := func(p place) string {
		return fmt.Sprintf("apiVersion: %[1]s.example.org/v1\nkind: XShop\nmetadata: {name: %[1]s}\nspec: {size: 1}\n", p.ns)
	}
	api := func(p place) string { return p.ns + ".example.org/v1" }
	// The composite is cluster-scoped.
	const source = "xshop.NS.example.org/NS"
	play(t, []scenario{
		{
			name: "healthy", source: source, needs: "crossplane",
			make: func(p place) {
				p.apply(composed(p, class(p)))
				p.applyServed(shop(p))
			},
			says: []moment{{verdict: "InProgress|Current"}, {after: 40 * second, verdict: "Current"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "nothing composes it", source: source, needs: "crossplane", waits: 2,
			make: func(p place) {
				p.apply(composed(p, ""))
				p.applyServed(shop(p))
			},
			says: []moment{{after: 5 * second, verdict: "InProgress"}, {after: 40 * second, verdict: "Failed", says: "[Cc]omposition"}, {after: 100 * second, verdict: "Failed", says: "[Cc]omposition"}},
		},
		{
			name: "the server refuses what is composed", source: source, needs: "crossplane", waits: 2,
			make: func(p place) {
				p.apply(composed(p, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: "+p.ns+"}, value: 2000000001}"))
				p.applyServed(shop(p))
			},
			says: []moment{{after: 5 * second, verdict: "InProgress|Failed"}, {after: 40 * second, verdict: "Failed", says: "2000000001|1000000000"}, {after: 100 * second, verdict: "Failed"}},
		},
		{
			name: "paused before anything was made", source: source, needs: "crossplane", waits: 3,
			make: func(p place) {
				p.apply(composed(p, class(p)))
				p.applyServed(shop(p) + "---\n")
				p.patch(api(p), "XShop", p.ns, `{"metadata":{"annotations":{"crossplane.io/paused":"true"}},"spec":{"size":2}}`)
			},
			says: []moment{{after: 40 * second, verdict: "InProgress", says: "paused|suspended"}, {after: 100 * second, verdict: "InProgress", says: "paused|suspended"}},
		},
		{
			name: "a package whose registry does not answer", source: "provider.pkg.crossplane.io/NS", needs: "crossplane", waits: 2,
			make: func(p place) {
				p.apply("apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: " + p.ns + "}\nspec: {package: '127.0.0.1:1/provider:v1'}\n")
			},
			says: []moment{{after: 5 * second, verdict: "InProgress"}, {after: 60 * second, verdict: "Failed", says: "refused"}, {after: 100 * second, verdict: "Failed", says: "refused"}},
		},
		{
			name: "deleted while it fails", source: source, needs: "crossplane", waits: notWaited,
			make: func(p place) {
				p.apply(composed(p, ""))
				p.applyServed(shop(p))
				p.until("Failed", nsIn(source, p.ns))
				p.delete(api(p), "XShop", p.ns)
			},
			says: []moment{{after: 5 * second, verdict: "InProgress", says: "lab.example.org/hold"}, {after: 40 * second, verdict: "InProgress", says: "lab.example.org/hold", never: "is it running"}},
		},
	})
}
