package inspect

import (
	"fmt"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// LacksConfig adds what is known about a ConfigMap or Secret that a Pod lacks:
// that it, or a key of it, does not exist, and what should create it.
func LacksConfig(in *Inspector, f *Finding, kind, name string) {
	if id := in.ID("", kind, name); f.Code == codes.ConfigKeyMissing || f.Code == codes.VolumeKeyMissing {
		in.Get(id)
		// describe shows its keys; of a Secret no values
		f.Next = append(f.Next, in.Kubectl("describe", strings.ToLower(kind), name))
	} else {
		in.ProveMissing(f, id, "; the kubelet is about to try again")
		f.Next = append(f.Next, in.Kubectl("get", wording.PluralOf(kind))) // it may have another name
	}
	if kind == "Secret" {
		f.Because = append(f.Because, SecretMakers(in, in.ID("", kind, name))...)
		f.Symptom = len(f.Because) > 0
		mountedFirst(in, f, name)
	}
}

// mountedFirst adds the SecretProviderClass that makes a missing Secret. It does so once a Pod
// mounts its volume, and deletes the Secret with the last of them (secrets-store-csi-driver v1.5,
// docs: sync as Kubernetes Secret).
func mountedFirst(in *Inspector, f *Finding, name string) {
	const group = "secrets-store.csi.x-k8s.io"
	for _, c := range in.List(group, "SecretProviderClass", in.Object.Namespace).Items {
		for i, x := range c.List("spec", "secretObjects") {
			if s, _ := x.(map[string]any); s["secretName"] == name {
				f.Also("SecretProviderClass %s makes it, and only while a pod mounts that class's volume", c.Name)
				f.ProveOn(c.ID, fmt.Sprintf("spec.secretObjects[%d].secretName", i), name)
			}
		}
	}
}

// SecretMakers lists the objects that should create a Secret: their specs name it as
// target. Nobody follows them: those of the namespace are asked for.
func SecretMakers(in *Inspector, secret object.ID) []object.ID {
	var out []object.ID
	for _, m := range secretMakers {
		for _, o := range in.List(m.group, m.kind, secret.Namespace).Items {
			target := o.Str(m.path...)
			if target == "" && m.ownName {
				target = o.Name
			}
			if target == secret.Name {
				out = append(out, o.ID)
			}
		}
	}
	return out
}

// secretMakers are the kinds that create Secrets, and the field that names the
// Secret.
var secretMakers = []struct {
	group, kind string
	path        []string
	ownName     bool // the object's own name, if the field is not set
}{
	{"external-secrets.io", "ExternalSecret", []string{"spec", "target", "name"}, true},
	{"cert-manager.io", "Certificate", []string{"spec", "secretName"}, false},
	{"bitnami.com", "SealedSecret", []string{"spec", "template", "metadata", "name"}, true},
	{"secrets.hashicorp.com", "VaultStaticSecret", []string{"spec", "destination", "name"}, false},
	{"secrets.hashicorp.com", "VaultDynamicSecret", []string{"spec", "destination", "name"}, false},
}
