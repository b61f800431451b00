package edges

import (
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
		r.byKind()
	}
	return r.out
}

// byKind reads the fields of a kind that is kept as a tree: those that are known of it, or else
// those that many kinds have.
func (r *refs) byKind() {
	read, known := kindReferences[r.o.GroupKind()]
	switch {
	case known:
		read(r)
	case r.o.Group == "gateway.networking.k8s.io" && strings.HasSuffix(r.o.Kind, "Route"):
		r.route()
	case strings.HasSuffix(r.o.Group, ".toolkit.fluxcd.io"):
		r.flux()
	default:
		r.conventions()
	}
}

// kindReferences reads the references of the kinds whose fields are known.
var kindReferences = map[string]func(*refs){
	"admissionregistration.k8s.io/MutatingWebhookConfiguration":   (*refs).webhooks,
	"admissionregistration.k8s.io/ValidatingWebhookConfiguration": (*refs).webhooks,
	"apiextensions.k8s.io/CustomResourceDefinition":               (*refs).customResourceDefinition,
	"apiregistration.k8s.io/APIService":                           (*refs).apiService,
	"autoscaling/HorizontalPodAutoscaler":                         (*refs).autoscaler,
	"autoscaling.k8s.io/VerticalPodAutoscaler":                    (*refs).autoscaler,
	"extensions/Ingress":                                          (*refs).ingress,
	"networking.k8s.io/Ingress":                                   (*refs).ingress,
	"Node":                                                        (*refs).node,
	"PersistentVolume":                                            (*refs).persistentVolume,
	"storage.k8s.io/StorageClass":                                 (*refs).storageClass,
	"storage.k8s.io/VolumeAttachment":                             (*refs).volumeAttachment,

	"acme.cert-manager.io/Challenge":            (*refs).issuer,
	"acme.cert-manager.io/Order":                (*refs).issuer,
	"argoproj.io/EventSource":                   (*refs).eventBus,
	"argoproj.io/Sensor":                        (*refs).eventBus,
	"cert-manager.io/Certificate":               (*refs).certificate,
	"cert-manager.io/CertificateRequest":        (*refs).issuer,
	"cluster.x-k8s.io/Machine":                  (*refs).machine,
	"cluster.x-k8s.io/MachineDeployment":        (*refs).machineTemplate,
	"cluster.x-k8s.io/MachineSet":               (*refs).machineTemplate,
	"external-secrets.io/ClusterExternalSecret": (*refs).clusterExternalSecret,
	"external-secrets.io/ExternalSecret":        (*refs).externalSecret,
	"gateway.networking.k8s.io/Gateway":         (*refs).gateway,
	"karpenter.sh/NodeClaim":                    (*refs).nodeClaim,
	"karpenter.sh/NodePool":                     (*refs).nodePool,
	"operators.coreos.com/Subscription":         (*refs).subscription,
	"snapshot.storage.k8s.io/VolumeSnapshot":    (*refs).volumeSnapshot,
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
	for _, key := range [...]string{
		"claimRef", "resourceRef", "infrastructureRef", "controlPlaneRef", "providerConfigRef", "targetRef",
		"scaleTargetRef", "sourceRef", "secretStoreRef", "issuerRef", "nodeClassRef", "machineTemplateRef", "resourceRefs",
	} {
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
