package resolve

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// seed is the table of built-in resources (kubernetes v1.36), so that the
// first request need not wait for discovery. Columns: plural, short names,
// kind, "c" for cluster-scoped, "p" for kinds that are read in protobuf.
const seed = `
v1 configmaps cm ConfigMap -
v1 endpoints ep Endpoints p
v1 events ev Event p
v1 limitranges limits LimitRange -
v1 namespaces ns Namespace c
v1 nodes no Node cp
v1 persistentvolumeclaims pvc PersistentVolumeClaim p
v1 persistentvolumes pv PersistentVolume c
v1 pods po Pod p
v1 podtemplates - PodTemplate -
v1 replicationcontrollers rc ReplicationController p
v1 resourcequotas quota ResourceQuota -
v1 secrets - Secret -
v1 serviceaccounts sa ServiceAccount -
v1 services svc Service p
apps/v1 controllerrevisions - ControllerRevision -
apps/v1 daemonsets ds DaemonSet p
apps/v1 deployments deploy Deployment p
apps/v1 replicasets rs ReplicaSet p
apps/v1 statefulsets sts StatefulSet p
autoscaling/v2 horizontalpodautoscalers hpa HorizontalPodAutoscaler -
batch/v1 cronjobs cj CronJob p
batch/v1 jobs - Job p
certificates.k8s.io/v1 certificatesigningrequests csr CertificateSigningRequest c
coordination.k8s.io/v1 leases - Lease -
discovery.k8s.io/v1 endpointslices - EndpointSlice p
networking.k8s.io/v1 ingresses ing Ingress -
networking.k8s.io/v1 ingressclasses - IngressClass c
networking.k8s.io/v1 networkpolicies netpol NetworkPolicy -
node.k8s.io/v1 runtimeclasses - RuntimeClass c
policy/v1 poddisruptionbudgets pdb PodDisruptionBudget -
rbac.authorization.k8s.io/v1 clusterrolebindings - ClusterRoleBinding c
rbac.authorization.k8s.io/v1 clusterroles - ClusterRole c
rbac.authorization.k8s.io/v1 rolebindings - RoleBinding -
rbac.authorization.k8s.io/v1 roles - Role -
scheduling.k8s.io/v1 priorityclasses pc PriorityClass c
storage.k8s.io/v1 csidrivers - CSIDriver c
storage.k8s.io/v1 csinodes - CSINode c
storage.k8s.io/v1 storageclasses sc StorageClass c
storage.k8s.io/v1 volumeattachments - VolumeAttachment c
admissionregistration.k8s.io/v1 mutatingwebhookconfigurations - MutatingWebhookConfiguration c
admissionregistration.k8s.io/v1 validatingwebhookconfigurations - ValidatingWebhookConfiguration c
apiextensions.k8s.io/v1 customresourcedefinitions crd,crds CustomResourceDefinition c
apiregistration.k8s.io/v1 apiservices - APIService c
`

// Builtins are the resources of the table, BuiltinNames by plural, singular and
// short names, in lower case.
var Builtins, builtinByKind, BuiltinNames = parseSeed()

func parseSeed() (all []Discovered, byKind map[schema.GroupKind]kube.Resource, byName map[string]kube.Resource) {
	byKind, byName = map[schema.GroupKind]kube.Resource{}, map[string]kube.Resource{}
	for line := range strings.Lines(strings.TrimSpace(seed)) {
		f := strings.Fields(line)
		gv, _ := schema.ParseGroupVersion(f[0])
		r := kube.Resource{
			Group: gv.Group, Version: gv.Version, Plural: f[1], Kind: f[3],
			Namespaced: !strings.Contains(f[4], "c"),
		}
		switch {
		case strings.Contains(f[4], "p"):
			r.Enc = kube.Protobuf
		case convert.MetadataKind(r.Group, r.Kind):
			r.Enc = kube.Metadata
		}
		byKind[schema.GroupKind{Group: r.Group, Kind: r.Kind}] = r
		short := strings.Split(f[2], ",")
		all = append(all, Discovered{Resource: r, Short: short, Verbs: []string{"list", "watch"}})
		for _, n := range append(short, r.Plural, strings.ToLower(r.Kind)) {
			if _, taken := byName[n]; !taken && n != "-" {
				byName[n] = r
			}
		}
	}
	return all, byKind, byName
}

// Builtin returns a built-in resource.
func Builtin(group, kind string) kube.Resource {
	return builtinByKind[schema.GroupKind{Group: group, Kind: kind}]
}

// KnownType reports whether a TYPE ("deploy", "pods", "jobs.batch") is
// built-in.
func KnownType(typ string) bool {
	_, ok := BuiltinType(typ)
	return ok
}

// BuiltinType finds a TYPE among the built-in resources: pods, po, Pod,
// deployments.apps, deployments.v1.apps.
func BuiltinType(typ string) (kube.Resource, bool) {
	name, rest, qualified := strings.Cut(typ, ".")
	r, ok := BuiltinNames[strings.ToLower(name)]
	if !ok || !qualified {
		return r, ok
	}
	return r, rest == r.Group || rest == r.Version+"."+r.Group || rest == r.Version+"." && r.Group == "" ||
		rest == r.Version && r.Group == ""
}

// Named reports whether a TYPE/NAME argument names an object. Short names of
// custom kinds are not known here.
func Named(arg string, id object.ID) bool {
	typ, name, ok := strings.Cut(arg, "/")
	if !ok || name != id.Name {
		return false
	}
	if r, ok := BuiltinType(typ); ok && r.Group == id.Group && r.Kind == id.Kind {
		return true
	}
	word, group, qualified := strings.Cut(strings.ToLower(typ), ".")
	if qualified && group != id.Group && !strings.HasSuffix(group, "."+id.Group) { // resource.version.group
		return false
	}
	return slices.Contains(wordsFor(id.Kind), word)
}

// wordsFor are the words that a user may type for a kind: itself, and the plurals that it may have.
func wordsFor(kind string) []string {
	kind = strings.ToLower(kind)
	return []string{kind, kind + "s", kind + "es", strings.TrimSuffix(kind, "y") + "ies"}
}
