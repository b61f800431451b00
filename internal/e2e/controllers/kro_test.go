package controllers

import (
	"fmt"
	"testing"
)

// graph defines the kind Shop in a group of the scenario's own: a ConfigMap and a
// Deployment that is ready when its replica is available.
func graph(p place, deploymentSpec, readyWhen string) string {
	return fmt.Sprintf(`
apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata: {name: %[1]s}
spec:
  schema:
    apiVersion: v1alpha1
    kind: Shop
    group: %[1]s.example.org
    spec: {image: 'string | default="%[2]s"', fault: 'string | default=""'}
    status: {replicas: '${web.status.availableReplicas}'}
  resources:
  - id: conf
    template: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${schema.metadata.name}-conf'}, data: {image: '${schema.spec.image}'}}
  - id: web
    readyWhen: ['%[3]s']
    template:
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: '${schema.metadata.name}-web', annotations: {conf: '${conf.metadata.name}'}}
      spec:
        replicas: 1
        %[4]s
        selector: {matchLabels: {app: '${schema.metadata.name}'}}
        template:
          metadata: {labels: {app: '${schema.metadata.name}'}, annotations: {kstatus-tui.test/fault: '${schema.spec.fault}'}}
          spec: {containers: [{name: app, image: '${schema.spec.image}'}]}
`, p.ns, image1, readyWhen, deploymentSpec)
}

func shop(p place, spec string) string {
	return fmt.Sprintf("apiVersion: %s.example.org/v1alpha1\nkind: Shop\nmetadata: {name: one}\nspec: {%s}\n", p.ns, spec)
}

func TestInstancesAreJudgedByWhatKroWrites(t *testing.T) {
	const (
		available = "${web.status.availableReplicas == 1}"
		source    = "kro/shop.NS.example.org/one"
	)
	group := func(p place) string { return p.ns + ".example.org/v1alpha1" }
	healthy := func(p place) {
		p.apply(graph(p, "", available))
		p.applyServed(shop(p, ""))
		p.until("Current", nsIn(source, p.ns))
	}
	play(t, []scenario{
		{
			name: "healthy", source: source, needs: "kro",
			make: func(p place) {
				p.apply(graph(p, "", available))
				p.applyServed(shop(p, ""))
			},
			says: []moment{{verdict: "InProgress|Current"}, {after: 5 * second, verdict: "InProgress|Current"}, {after: 40 * second, verdict: "Current"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "healthy, with everything in the namespace", source: "--all", needs: "kro", waits: notWaited,
			make: healthy,
			says: []moment{{after: 5 * second, verdict: "Current"}, {after: 40 * second, verdict: "Current"}},
		},
		{
			name: "the graph is invalid", source: "resourcegraphdefinition/NS", needs: "kro", waits: 2,
			make: func(p place) { p.apply(graph(p, "", "${web.status.noSuchField == 1}")) },
			says: []moment{{after: 5 * second, verdict: "InProgress|Failed"}, {after: 40 * second, verdict: "Failed", says: "noSuchField"}, {after: 100 * second, verdict: "Failed", says: "noSuchField"}},
		},
		{
			name: "the server refuses a part", source: source, needs: "kro", waits: 2,
			make: func(p place) {
				p.apply(graph(p, "", available))
				p.applyServed(shop(p, `image: ""`))
			},
			says: []moment{{after: 5 * second, verdict: "InProgress|Failed"}, {after: 40 * second, verdict: "Failed", says: "image.*[Rr]equired"}, {after: 100 * second, verdict: "Failed", says: "image.*[Rr]equired"}},
		},
		{
			name: "a later change has a bad image, and is mended", source: source, needs: "kro", waits: notWaited,
			make: func(p place) {
				healthy(p)
				p.patch(group(p), "Shop", "one", `{"spec":{"image":"registry.example.com/app:2","fault":"image-not-found"}}`)
				p.after(60*second, func() { p.patch(group(p), "Shop", "one", `{"spec":{"image":"`+image1+`","fault":""}}`) })
			},
			says: []moment{{after: 5 * second, verdict: "InProgress|Failed"}, {after: 50 * second, verdict: "Failed", says: "app:2"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "a slow start", source: source, needs: "kro",
			make: func(p place) {
				p.apply(graph(p, "minReadySeconds: 60", available))
				p.applyServed(shop(p, ""))
			},
			says: []moment{{after: 5 * second, verdict: "InProgress"}, {after: 40 * second, verdict: "InProgress", never: "Node web"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "a slow start, with everything in the namespace", source: "--all", needs: "kro",
			make: func(p place) {
				p.apply(graph(p, "minReadySeconds: 60", available))
				p.applyServed(shop(p, ""))
			},
			says: []moment{{after: 40 * second, verdict: "InProgress", never: "Node web"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "deleted while it fails", source: source, needs: "kro", waits: notWaited,
			make: func(p place) {
				p.apply(graph(p, "", available))
				p.applyServed(shop(p, `image: ""`))
				p.until("Failed", nsIn(source, p.ns))
				p.delete(group(p), "Shop", "one")
			},
			says: []moment{{after: 5 * second, verdict: "InProgress", says: "lab.example.org/hold"}, {after: 40 * second, verdict: "InProgress", says: "lab.example.org/hold", never: "is it running"}},
		},
	})
}
