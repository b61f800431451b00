package edges

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Mention is an object that the spec of a custom resource names by a field whose name says what
// it is: auth.secretRef, triggers[0].authenticationRef, storage.storageClassName.
type Mention struct {
	To   object.ID
	Path string // of the name
	// Ref says that the field is a reference, to something that has to exist. What a field such as
	// secretName names may be made by the object itself.
	Ref bool
	// Guessed says that the kind is only the field's name (issuerRef: Issuer, of the same group).
	Guessed bool
}

// mentionsMost bounds the mentions of one object.
const mentionsMost = 20

// Mentions lists what the spec of a custom resource names, in the order of the fields.
func Mentions(o *object.Object) []Mention {
	m := mentions{o: o}
	m.walk(o.Tree["spec"], "spec", 0)
	if ns := o.Str("spec", "sourceNamespace"); ns != "" { // of a data mover: velero v1.16, DataUpload
		for i := range m.out {
			if kind := m.out[i].To.Kind; kind == "PersistentVolumeClaim" || kind == "VolumeSnapshot" {
				m.out[i].To.Namespace = ns
			}
		}
	}
	return m.out
}

type mentions struct {
	o   *object.Object
	out []Mention
}

func (m *mentions) walk(v any, path string, depth int) {
	if depth > 12 {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := path + "." + key
			switch x := v[key].(type) {
			case string:
				m.text(key, x, at)
			case map[string]any:
				m.ref(key, x, at)
				m.walk(x, at, depth+1)
			case []any:
				for i, e := range x {
					if f, ok := e.(map[string]any); ok {
						m.ref(strings.TrimSuffix(key, "s"), f, at+"["+strconv.Itoa(i)+"]")
						m.walk(f, at+"["+strconv.Itoa(i)+"]", depth+1)
					}
				}
			}
		}
	}
}

func (m *mentions) add(x Mention) {
	if !isObjectName(x.To.Name) || len(m.out) >= mentionsMost ||
		slices.ContainsFunc(m.out, func(y Mention) bool { return y.To == x.To }) {
		return
	}
	m.out = append(m.out, x)
}

// ref reads {name, namespace, kind, apiVersion} under a key that ends in Ref, or with a kind in it,
// and {name, key}, which selects a key of a Secret or ConfigMap.
func (m *mentions) ref(key string, v map[string]any, path string) {
	name := str(v, "name")
	if !strings.HasSuffix(key, "Ref") && object.SelectsSecretKey(key, v) {
		m.secretKey(v, path)
		return
	}
	what, isRef := strings.CutSuffix(key, "Ref")
	if !isRef {
		what, isRef = strings.CutSuffix(key, "Reference")
	}
	if !isRef && !object.NamesItsKind(v) || name == "" || v["fieldPath"] != nil {
		return
	}
	x := Mention{Path: path + ".name", Ref: true}
	low := strings.ToLower(what)
	switch kind := str(v, "kind"); {
	case kind != "":
		r := refs{o: m.o}
		group, builtin := builtinKinds[kind]
		if !builtin {
			group = Sibling(m.o, kind)
		}
		r.typed(v, group, path)
		if len(r.out) == 0 {
			return
		}
		x.To = r.out[0].To
	case strings.Contains(low, "secret"):
		x.To = m.local("", "Secret", name)
	case strings.Contains(low, "configmap"):
		x.To = m.local("", "ConfigMap", name)
	case strings.Contains(low, "serviceaccount"):
		x.To = m.local("", "ServiceAccount", name)
	case low == "scaletarget":
		x.To = m.local("apps", "Deployment", name) // kedacore/keda v2.17, ScaleTarget
	case m.o.Group == "keda.sh" && low == "authentication":
		x.To = m.local(m.o.Group, "TriggerAuthentication", name)
	case what == "" || low == "local" || low == "object" || low == "target":
		return
	default:
		kind := strings.ToUpper(what[:1]) + what[1:]
		for _, field := range [...]string{"Id", "Arn", "Name"} { // what Crossplane takes from it: subnetIdRef
			if short, ok := strings.CutSuffix(kind, field); ok && short != "" {
				kind = short
				break
			}
		}
		x.To, x.Guessed = m.local(Sibling(m.o, kind), kind, name), true
	}
	if ns := str(v, "namespace"); ns != "" {
		x.To.Namespace = ns
	}
	m.add(x)
}

// secretKey adds the Secret of which a field selects a key.
func (m *mentions) secretKey(v map[string]any, path string) {
	x := Mention{To: m.local("", "Secret", str(v, "name")), Path: path + ".name", Ref: true}
	if namespace := str(v, "namespace"); namespace != "" {
		x.To.Namespace = namespace
	}
	m.add(x)
}

// builtinKinds are the groups of kinds that no project has one of its own of.
var builtinKinds = map[string]string{
	"ConfigMap": "", "Namespace": "", "Node": "", "PersistentVolume": "", "PersistentVolumeClaim": "", "Pod": "",
	"Secret": "", "ServiceAccount": "",
	"DaemonSet": "apps", "Deployment": "apps", "ReplicaSet": "apps", "StatefulSet": "apps",
	"CronJob": "batch", "Job": "batch",
}

// Sibling is the group of a kind that an object names without one: that of the entry in its
// inventory (Flux), or that of another kind of the same project. This is the object's own group, or
// where each kind has a group of its own that is named after it, the one named after the other
// (elastic/cloud-on-k8s v2.16: kibana.k8s.elastic.co, elasticsearch.k8s.elastic.co). Flux has a
// group for each of its controllers.
func Sibling(o *object.Object, kind string) string {
	if group, ok := fluxGroups[kind]; ok && strings.HasSuffix(o.Group, flux) {
		return group + flux
	}
	entries, _ := o.Map("status", "inventory")["entries"].([]any)
	for _, e := range entries { // NAMESPACE_NAME_GROUP_KIND (kustomize-controller v1.6)
		m, _ := e.(map[string]any)
		if rest, ok := strings.CutSuffix(str(m, "id"), "_"+kind); ok {
			return rest[strings.LastIndexByte(rest, '_')+1:]
		}
	}
	first, rest, ok := strings.Cut(o.Group, ".")
	if ok && first == strings.ToLower(o.Kind) {
		return strings.ToLower(kind) + "." + rest
	}
	return o.Group
}

const flux = ".toolkit.fluxcd.io"

// fluxGroups are the groups of Flux's kinds, without what all end in (fluxcd/flux2 v2.7).
var fluxGroups = map[string]string{
	"Kustomization": "kustomize", "HelmRelease": "helm",
	"GitRepository": "source", "OCIRepository": "source", "HelmRepository": "source", "HelmChart": "source",
	"Bucket": "source", "ExternalArtifact": "source",
	"ImageRepository": "image", "ImagePolicy": "image", "ImageUpdateAutomation": "image",
	"Alert": "notification", "Provider": "notification", "Receiver": "notification",
}

// text reads a plain name.
func (m *mentions) text(key, name, path string) {
	x := Mention{Path: path}
	switch key {
	case "secretName", "existingSecret":
		x.To = m.local("", "Secret", name)
	case "configMapName":
		x.To = m.local("", "ConfigMap", name)
	case "serviceAccountName", "serviceAccount":
		x.To = m.local("", "ServiceAccount", name)
	case "volumeSnapshot", "volumeSnapshotName":
		x.To = m.local("snapshot.storage.k8s.io", "VolumeSnapshot", name)
	case "claimName", "existingClaim", "persistentVolumeClaimName", "sourcePVC":
		x.To = m.local("", "PersistentVolumeClaim", name)
	case "storageClassName", "storageClass":
		x.To, x.Ref = object.ID{Group: "storage.k8s.io", Kind: "StorageClass", Name: name}, true
	case "ingressClassName":
		x.To, x.Ref = object.ID{Group: "networking.k8s.io", Kind: "IngressClass", Name: name}, true
	case "priorityClassName":
		x.To, x.Ref = object.ID{Group: "scheduling.k8s.io", Kind: "PriorityClass", Name: name}, true
	case "runtimeClassName":
		x.To, x.Ref = object.ID{Group: "node.k8s.io", Kind: "RuntimeClass", Name: name}, true
	default:
		return
	}
	m.add(x)
}

func (m *mentions) local(group, kind, name string) object.ID {
	id := object.ID{Group: group, Kind: kind, Namespace: m.o.Namespace, Name: name}
	if strings.HasPrefix(kind, "Cluster") {
		id.Namespace = ""
	}
	return id
}

// isObjectName reports whether a text can be an object's name (RFC 1123): fields of such names
// hold templates and addresses, too.
func isObjectName(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' {
			return false
		}
	}
	return s[0] != '-' && s[0] != '.'
}
