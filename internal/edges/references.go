package edges

import (
	"cmp"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Reference is an object that another one names and did not create: a Pod's
// claim, an Ingress's Service. The tree shows it dimmed, and the explanation
// reads it.
type Reference struct {
	To   object.ID
	Role string // the field that names it: "spec.volumes", "spec.rules.backend"
	// Optional says that the object works without it.
	Optional bool
}

// References lists what an object refers to, in the order of its fields,
// without duplicates.
func References(o *object.Object) []Reference {
	r := refs{o: o}
	switch {
	case o.Pod != nil:
		r.pod(o.Pod)
	case o.Claim != nil:
		if o.Claim.StorageClass != "" {
			r.cluster("storage.k8s.io", "StorageClass", o.Claim.StorageClass, "spec.storageClassName")
		}
		if o.Claim.Volume != "" {
			r.cluster("", "PersistentVolume", o.Claim.Volume, "spec.volumeName")
		}
		if o.Claim.Phase == "Pending" {
			r.add(o.Claim.Source, "spec.dataSource", false)
		}
	case o.Workload != nil:
		if o.Workload.ServiceName != "" {
			r.own("", "Service", o.Workload.ServiceName, "spec.serviceName")
		}
	default:
		r.tree()
	}
	return r.out
}

type refs struct {
	o   *object.Object
	out []Reference
}

func (r *refs) add(to object.ID, role string, optional bool) {
	if to.Name == "" || to.Kind == "" || to == r.o.ID || len(r.out) >= 256 {
		return
	}
	for i := range r.out {
		if r.out[i].To == to {
			r.out[i].Optional = r.out[i].Optional && optional
			return
		}
	}
	r.out = append(r.out, Reference{to, role, optional})
}

// own adds an object in the object's namespace.
func (r *refs) own(group, kind, name, role string) {
	r.add(object.ID{Group: group, Kind: kind, Namespace: r.o.Namespace, Name: name}, role, false)
}

func (r *refs) cluster(group, kind, name, role string) {
	r.add(object.ID{Group: group, Kind: kind, Name: name}, role, false)
}

func (r *refs) pod(p *object.Pod) {
	for _, u := range p.Uses {
		to := object.ID{Kind: u.Kind, Namespace: r.o.Namespace, Name: u.Name}
		if u.Kind == "ResourceClaim" {
			to.Group = "resource.k8s.io"
		}
		r.add(to, "spec", u.Optional)
	}
	if p.ServiceAccount != "" {
		r.own("", "ServiceAccount", p.ServiceAccount, "spec.serviceAccountName")
	}
	if p.PriorityClass != "" {
		r.cluster("scheduling.k8s.io", "PriorityClass", p.PriorityClass, "spec.priorityClassName")
	}
	if p.RuntimeClass != "" {
		r.cluster("node.k8s.io", "RuntimeClass", p.RuntimeClass, "spec.runtimeClassName")
	}
	if p.Node != "" {
		r.cluster("", "Node", p.Node, "spec.nodeName")
	}
}

func (r *refs) tree() {
	o := r.o
	switch o.GroupKind() {
	case "networking.k8s.io/Ingress", "extensions/Ingress":
		r.ingress()
	case "autoscaling/HorizontalPodAutoscaler", "autoscaling.k8s.io/VerticalPodAutoscaler":
		r.typed(o.Map("spec", "targetRef"), "", "spec.targetRef")
		r.typed(o.Map("spec", "scaleTargetRef"), "", "spec.scaleTargetRef")
	case "storage.k8s.io/StorageClass":
		r.cluster("storage.k8s.io", "CSIDriver", o.Str("provisioner"), "provisioner")
	case "PersistentVolume":
		r.typedIn(o.Map("spec", "claimRef"), "", "PersistentVolumeClaim", "spec.claimRef")
		if c := o.Str("spec", "storageClassName"); c != "" {
			r.cluster("storage.k8s.io", "StorageClass", c, "spec.storageClassName")
		}
		if d := o.Str("spec", "csi", "driver"); d != "" {
			r.cluster("storage.k8s.io", "CSIDriver", d, "spec.csi.driver")
		}
		for _, key := range [...]string{"controllerPublishSecretRef", "nodeStageSecretRef", "nodePublishSecretRef", "controllerExpandSecretRef", "nodeExpandSecretRef"} {
			r.typedIn(o.Map("spec", "csi", key), "", "Secret", "spec.csi."+key)
		}
	case "Node":
		r.cluster("storage.k8s.io", "CSINode", o.Name, "metadata.name")
		if p, ok := o.Label("karpenter.sh/nodepool"); ok {
			r.cluster("karpenter.sh", "NodePool", p, "metadata.labels[karpenter.sh/nodepool]")
		}
	case "karpenter.sh/NodeClaim":
		r.cluster("", "Node", o.Str("status", "nodeName"), "status.nodeName")
		r.typed(o.Map("spec", "nodeClassRef"), "", "spec.nodeClassRef")
	case "karpenter.sh/NodePool":
		r.typed(o.Map("spec", "template", "spec", "nodeClassRef"), "", "spec.template.spec.nodeClassRef")
	case "cluster.x-k8s.io/Machine":
		r.cluster("", "Node", o.Str("status", "nodeRef", "name"), "status.nodeRef")
		r.conventions()
		r.typed(o.Map("spec", "bootstrap", "configRef"), "", "spec.bootstrap.configRef")
	case "cluster.x-k8s.io/MachineDeployment", "cluster.x-k8s.io/MachineSet":
		r.typed(o.Map("spec", "template", "spec", "infrastructureRef"), "", "spec.template.spec.infrastructureRef")
		r.typed(o.Map("spec", "template", "spec", "bootstrap", "configRef"), "", "spec.template.spec.bootstrap.configRef")
	case "storage.k8s.io/VolumeAttachment":
		r.cluster("", "PersistentVolume", o.Str("spec", "source", "persistentVolumeName"), "spec.source.persistentVolumeName")
		r.cluster("", "Node", o.Str("spec", "nodeName"), "spec.nodeName")
	case "apiregistration.k8s.io/APIService":
		r.typedIn(o.Map("spec", "service"), "", "Service", "spec.service")
	case "apiextensions.k8s.io/CustomResourceDefinition":
		r.typedIn(o.Map("spec", "conversion", "webhook", "clientConfig", "service"),
			"", "Service", "spec.conversion.webhook.clientConfig.service")
	case "admissionregistration.k8s.io/ValidatingWebhookConfiguration", "admissionregistration.k8s.io/MutatingWebhookConfiguration":
		for _, v := range o.List("webhooks") {
			w, _ := v.(map[string]any)
			c, _ := w["clientConfig"].(map[string]any)
			s, _ := c["service"].(map[string]any)
			r.typedIn(s, "", "Service", "webhooks.clientConfig.service")
		}
	case "cert-manager.io/Certificate":
		r.typed(o.Map("spec", "issuerRef"), "cert-manager.io", "spec.issuerRef")
		r.add(object.ID{Kind: "Secret", Namespace: o.Namespace, Name: o.Str("spec", "secretName")}, "spec.secretName", true)
	case "cert-manager.io/CertificateRequest", "acme.cert-manager.io/Order", "acme.cert-manager.io/Challenge":
		r.typed(o.Map("spec", "issuerRef"), "cert-manager.io", "spec.issuerRef")
	case "operators.coreos.com/Subscription": // its version is made when its plan has been carried out
		r.add(object.ID{Group: o.Group, Kind: "ClusterServiceVersion", Namespace: o.Namespace, Name: o.Str("status", "currentCSV")}, "status.currentCSV", true)
	case "argoproj.io/EventSource", "argoproj.io/Sensor": // (argo-events v1.9, pkg/shared DefaultEventBusName)
		r.own(o.Group, "EventBus", cmp.Or(o.Str("spec", "eventBusName"), "default"), "spec.eventBusName")
	case "external-secrets.io/ExternalSecret":
		r.typed(o.Map("spec", "secretStoreRef"), "external-secrets.io", "spec.secretStoreRef")
	case "external-secrets.io/ClusterExternalSecret":
		r.typed(o.Map("spec", "externalSecretSpec", "secretStoreRef"),
			"external-secrets.io", "spec.externalSecretSpec.secretStoreRef")
	case "snapshot.storage.k8s.io/VolumeSnapshot":
		r.cluster(o.Group, "VolumeSnapshotContent",
			o.Str("status", "boundVolumeSnapshotContentName"), "status.boundVolumeSnapshotContentName")
		r.cluster(o.Group, "VolumeSnapshotContent",
			o.Str("spec", "source", "volumeSnapshotContentName"), "spec.source.volumeSnapshotContentName")
		r.cluster(o.Group, "VolumeSnapshotClass", o.Str("spec", "volumeSnapshotClassName"), "spec.volumeSnapshotClassName")
		r.own("", "PersistentVolumeClaim", o.Str("spec", "source", "persistentVolumeClaimName"),
			"spec.source.persistentVolumeClaimName")
	case "gateway.networking.k8s.io/Gateway":
		r.cluster("gateway.networking.k8s.io", "GatewayClass", o.Str("spec", "gatewayClassName"), "spec.gatewayClassName")
		for _, v := range o.List("spec", "listeners") {
			listener, _ := v.(map[string]any)
			tls, _ := listener["tls"].(map[string]any)
			list, _ := tls["certificateRefs"].([]any)
			for _, c := range list {
				m, _ := c.(map[string]any)
				kind := str(m, "kind")
				if kind == "" {
					kind = "Secret"
				}
				r.typedIn(m, "", kind, "spec.listeners.tls.certificateRefs")
			}
		}
	default:
		switch {
		case o.Group == "gateway.networking.k8s.io" && strings.HasSuffix(o.Kind, "Route"):
			r.route()
		case strings.HasSuffix(o.Group, ".toolkit.fluxcd.io"):
			r.flux()
		default:
			r.conventions()
		}
	}
}

func (r *refs) ingress() {
	o := r.o
	backend := func(v map[string]any, role string) {
		if s, ok := v["service"].(map[string]any); ok {
			r.own("", "Service", str(s, "name"), role)
		}
		r.own("", "Service", str(v, "serviceName"), role) // extensions/v1beta1
	}
	backend(o.Map("spec", "defaultBackend"), "spec.defaultBackend")
	backend(o.Map("spec", "backend"), "spec.backend")
	for _, v := range o.List("spec", "rules") {
		rule, _ := v.(map[string]any)
		http, _ := rule["http"].(map[string]any)
		paths, _ := http["paths"].([]any)
		for _, p := range paths {
			path, _ := p.(map[string]any)
			b, _ := path["backend"].(map[string]any)
			backend(b, "spec.rules.http.paths.backend")
		}
	}
	for _, v := range o.List("spec", "tls") {
		t, _ := v.(map[string]any)
		r.own("", "Secret", str(t, "secretName"), "spec.tls.secretName")
	}
	r.cluster("networking.k8s.io", "IngressClass", o.Str("spec", "ingressClassName"), "spec.ingressClassName")
}

func (r *refs) route() {
	for _, v := range r.o.List("spec", "parentRefs") {
		m, _ := v.(map[string]any)
		kind, group := str(m, "kind"), "gateway.networking.k8s.io"
		if kind == "" {
			kind = "Gateway"
		}
		if g, ok := m["group"].(string); ok {
			group = g
		}
		r.typedIn(m, group, kind, "spec.parentRefs")
	}
	for _, v := range r.o.List("spec", "rules") {
		rule, _ := v.(map[string]any)
		list, _ := rule["backendRefs"].([]any)
		for _, b := range list {
			m, _ := b.(map[string]any)
			kind := str(m, "kind")
			if kind == "" {
				kind = "Service"
			}
			r.typedIn(m, str(m, "group"), kind, "spec.rules.backendRefs")
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

// Composes reports whether a field names what the object's own controller makes: Crossplane writes
// the name before it makes the object (crossplane v1.20, internal/controller/apiextensions/composite,
// composition_pt.go). That it does not exist is no reason for the object, but a consequence.
func Composes(field string) bool {
	return strings.HasPrefix(field, "spec.resourceRefs") || strings.HasPrefix(field, "spec.crossplane.resourceRefs")
}

// conventions reads the references of unknown kinds: spec fields named …Ref or
// …Refs that name a kind.
func (r *refs) conventions() {
	spec := r.o.Map("spec")
	for _, key := range [...]string{"claimRef", "resourceRef", "infrastructureRef", "controlPlaneRef", "providerConfigRef", "targetRef", "scaleTargetRef", "sourceRef", "secretStoreRef", "issuerRef", "nodeClassRef", "machineTemplateRef", "resourceRefs"} {
		r.loose(spec[key], "spec."+key)
	}
	if x, ok := spec["crossplane"].(map[string]any); ok { // Crossplane v2
		r.loose(x["resourceRefs"], "spec.crossplane.resourceRefs")
	}
	r.loose(r.o.Tree["targetRef"], "targetRef")
}

func (r *refs) loose(v any, role string) {
	switch t := v.(type) {
	case map[string]any:
		if str(t, "kind") != "" {
			r.typed(t, "", role)
		}
	case []any:
		for _, x := range t {
			r.loose(x, role)
		}
	}
}

// typed adds a reference with a kind, and a group by apiVersion, apiGroup or
// group.
func (r *refs) typed(m map[string]any, group, role string) {
	if m == nil {
		return
	}
	switch {
	case str(m, "apiVersion") != "":
		g, _, ok := strings.Cut(str(m, "apiVersion"), "/")
		if !ok {
			g = ""
		}
		group = g
	case str(m, "apiGroup") != "":
		group = str(m, "apiGroup")
	case str(m, "group") != "":
		group = str(m, "group")
	}
	kind := str(m, "kind")
	if kind == "" {
		switch role {
		case "spec.issuerRef":
			kind = "Issuer"
		case "spec.secretStoreRef":
			kind = "SecretStore"
		}
	}
	r.typedIn(m, group, kind, role)
}

// typedIn adds a reference of a known kind. The default namespace is the
// object's own, except for kinds named Cluster….
func (r *refs) typedIn(m map[string]any, group, kind, role string) {
	if m == nil {
		return
	}
	to := object.ID{Group: group, Kind: kind, Namespace: str(m, "namespace"), Name: str(m, "name")}
	if to.Namespace == "" && !strings.HasPrefix(kind, "Cluster") &&
		kind != "ProviderConfig" && !strings.HasSuffix(kind, "NodeClass") {
		to.Namespace = r.o.Namespace
	}
	if kind == "Cluster" {
		to.Namespace = r.o.Namespace
	}
	r.add(to, role, false)
}

func str(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}
