package edges

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Parts lists the objects that a controller makes for an object, and whose names the object
// tells. It does not work without them, and its own status says nothing of them. So they are
// looked up by name even while it is Current, where nobody lists children. What has the name
// is a part only if the object owns it ([IsChild]).
func Parts(o *object.Object) []object.ID {
	switch {
	case o.MetadataOnly:
	case o.Kind == "Ingress" && (o.Group == "networking.k8s.io" || o.Group == "extensions"):
		if issuedFor(o) {
			return certificatesOfIngress(o)
		}
	case o.Kind == "Gateway" && o.Group == "gateway.networking.k8s.io":
		if issuedFor(o) {
			return certificatesOfGateway(o)
		}
	case o.Kind == "ScaledObject" && o.Group == "keda.sh":
		// Ready says that the triggers can be read, not that the autoscaler can read the metrics
		// (kedacore/keda v2.17; kedacore/keda#7669).
		if name := o.Str("status", "hpaName"); name != "" {
			return []object.ID{
				{Group: "autoscaling", Kind: "HorizontalPodAutoscaler", Namespace: o.Namespace, Name: name},
			}
		}
	}
	return nil
}

// partVersions are the versions and resources of the kinds of parts.
var partVersions = map[string]Need{
	"autoscaling/HorizontalPodAutoscaler": {Version: "v2", Resource: "horizontalpodautoscalers"},
	"cert-manager.io/Certificate":         {Version: "v1", Resource: "certificates"},
}

// partNeeds are the needs of an object's parts, each by its name.
func partNeeds(o *object.Object) (out []Need) {
	for _, id := range Parts(o) {
		n := partVersions[id.GroupKind()]
		n.Group, n.Kind, n.Namespace, n.Name = id.Group, id.Kind, id.Namespace, id.Name
		out = append(out, n)
	}
	return out
}

// issuedFor reports whether cert-manager is asked by an annotation to make the Certificates of
// an Ingress or a Gateway (cert-manager v1.18, pkg/controller/certificate-shim/sync.go).
func issuedFor(o *object.Object) bool {
	for _, key := range [...]string{"cert-manager.io/cluster-issuer", "cert-manager.io/issuer"} {
		if v, ok := o.Annotation(key); ok && v != "" {
			return true
		}
	}
	v, _ := o.Annotation("kubernetes.io/tls-acme")
	return v == "true"
}

// certificatesOfIngress are the Certificates of an Ingress: each is named after its Secret.
// cert-manager makes none for an entry without hosts.
func certificatesOfIngress(o *object.Object) (out []object.ID) {
	for _, entry := range o.List("spec", "tls") {
		t, _ := entry.(map[string]any)
		hosts, _ := t["hosts"].([]any)
		if name := str(t, "secretName"); name != "" && len(hosts) > 0 {
			out = appendOnce(out, certificateID(o.Namespace, name))
		}
	}
	return out
}

// certificatesOfGateway are those of a Gateway's listeners.
func certificatesOfGateway(o *object.Object) (out []object.ID) {
	for _, entry := range o.List("spec", "listeners") {
		listener, _ := entry.(map[string]any)
		tls, _ := listener["tls"].(map[string]any)
		refs, _ := tls["certificateRefs"].([]any)
		if str(listener, "hostname") == "" || str(tls, "mode") == "Passthrough" {
			continue
		}
		for _, r := range refs {
			ref, _ := r.(map[string]any)
			kind, namespace := str(ref, "kind"), str(ref, "namespace")
			if namespace != "" && namespace != o.Namespace || kind != "" && kind != "Secret" {
				continue // an object of another namespace cannot be owned
			}
			if name := str(ref, "name"); name != "" {
				out = appendOnce(out, certificateID(o.Namespace, name))
			}
		}
	}
	return out
}

func certificateID(namespace, secret string) object.ID {
	return object.ID{Group: "cert-manager.io", Kind: "Certificate", Namespace: namespace, Name: secret}
}

func appendOnce(list []object.ID, id object.ID) []object.ID {
	if slices.Contains(list, id) {
		return list
	}
	return append(list, id)
}
