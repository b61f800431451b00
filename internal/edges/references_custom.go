package edges

import (
	"cmp"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The references of custom kinds whose fields are known.

func (r *refs) gateway() {
	r.cluster("gateway.networking.k8s.io", "GatewayClass", r.o.Str("spec", "gatewayClassName"), "spec.gatewayClassName")
	for _, v := range r.o.List("spec", "listeners") {
		listener, _ := v.(map[string]any)
		tls, _ := listener["tls"].(map[string]any)
		certificates, _ := tls["certificateRefs"].([]any)
		for _, c := range certificates {
			m, _ := c.(map[string]any)
			r.typedIn(m, "", cmp.Or(str(m, "kind"), "Secret"), "spec.listeners.tls.certificateRefs")
		}
	}
}

func (r *refs) route() {
	for _, v := range r.o.List("spec", "parentRefs") {
		m, _ := v.(map[string]any)
		group := "gateway.networking.k8s.io"
		if g, ok := m["group"].(string); ok { // an empty one is the core group
			group = g
		}
		r.typedIn(m, group, cmp.Or(str(m, "kind"), "Gateway"), "spec.parentRefs")
	}
	for _, v := range r.o.List("spec", "rules") {
		rule, _ := v.(map[string]any)
		backends, _ := rule["backendRefs"].([]any)
		for _, b := range backends {
			m, _ := b.(map[string]any)
			r.typedIn(m, str(m, "group"), cmp.Or(str(m, "kind"), "Service"), "spec.rules.backendRefs")
		}
	}
}

func (r *refs) flux() {
	for _, path := range [...][]string{
		{"spec", "sourceRef"},
		{"spec", "chartRef"},
		{"spec", "chart", "spec", "sourceRef"},
	} {
		m := r.o.Map(path...)
		if m == nil {
			continue
		}
		r.typedIn(m, "source.toolkit.fluxcd.io", str(m, "kind"), strings.Join(path, "."))
	}
	// the HelmChart that helm-controller makes of spec.chart, as NAMESPACE/NAME
	if namespace, name, ok := strings.Cut(r.o.Str("status", "helmChart"), "/"); ok {
		r.add(object.ID{Group: "source.toolkit.fluxcd.io", Kind: "HelmChart", Namespace: namespace, Name: name},
			"status.helmChart", false)
	}
	for _, v := range r.o.List("spec", "dependsOn") {
		m, _ := v.(map[string]any)
		r.typedIn(m, r.o.Group, r.o.Kind, "spec.dependsOn")
	}
}

func (r *refs) issuer() {
	r.typed(r.o.Map("spec", "issuerRef"), "cert-manager.io", "spec.issuerRef")
}

func (r *refs) certificate() {
	r.issuer()
	secret := object.ID{Kind: "Secret", Namespace: r.o.Namespace, Name: r.o.Str("spec", "secretName")}
	r.add(secret, "spec.secretName", true)
}

func (r *refs) externalSecret() {
	r.typed(r.o.Map("spec", "secretStoreRef"), "external-secrets.io", "spec.secretStoreRef")
}

func (r *refs) clusterExternalSecret() {
	r.typed(r.o.Map("spec", "externalSecretSpec", "secretStoreRef"),
		"external-secrets.io", "spec.externalSecretSpec.secretStoreRef")
}

// eventBus reads the bus of Argo Events; without a name it is that called default (v1.9,
// DefaultEventBusName in pkg/shared).
func (r *refs) eventBus() {
	r.own(r.o.Group, "EventBus", cmp.Or(r.o.Str("spec", "eventBusName"), "default"), "spec.eventBusName")
}

// subscription reads the version that OLM makes once the install plan has been carried out.
func (r *refs) subscription() {
	version := object.ID{
		Group: r.o.Group, Kind: "ClusterServiceVersion",
		Namespace: r.o.Namespace, Name: r.o.Str("status", "currentCSV"),
	}
	r.add(version, "status.currentCSV", true)
}

func (r *refs) volumeSnapshot() {
	o := r.o
	r.cluster(o.Group, "VolumeSnapshotContent",
		o.Str("status", "boundVolumeSnapshotContentName"), "status.boundVolumeSnapshotContentName")
	r.cluster(o.Group, "VolumeSnapshotContent",
		o.Str("spec", "source", "volumeSnapshotContentName"), "spec.source.volumeSnapshotContentName")
	r.cluster(o.Group, "VolumeSnapshotClass", o.Str("spec", "volumeSnapshotClassName"), "spec.volumeSnapshotClassName")
	r.own("", "PersistentVolumeClaim", o.Str("spec", "source", "persistentVolumeClaimName"),
		"spec.source.persistentVolumeClaimName")
}

func (r *refs) nodeClaim() {
	r.cluster("", "Node", r.o.Str("status", "nodeName"), "status.nodeName")
	r.typed(r.o.Map("spec", "nodeClassRef"), "", "spec.nodeClassRef")
}

func (r *refs) nodePool() {
	r.typed(r.o.Map("spec", "template", "spec", "nodeClassRef"), "", "spec.template.spec.nodeClassRef")
}

func (r *refs) machine() {
	r.cluster("", "Node", r.o.Str("status", "nodeRef", "name"), "status.nodeRef")
	r.conventions()
	r.typed(r.o.Map("spec", "bootstrap", "configRef"), "", "spec.bootstrap.configRef")
}

func (r *refs) machineTemplate() {
	o := r.o
	r.typed(o.Map("spec", "template", "spec", "infrastructureRef"), "", "spec.template.spec.infrastructureRef")
	r.typed(o.Map("spec", "template", "spec", "bootstrap", "configRef"), "", "spec.template.spec.bootstrap.configRef")
}
