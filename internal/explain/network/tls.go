package network

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// certificates finds TLSSecretMissing and TLSSecretInvalid: the Secrets with an
// Ingress's certificates. Their data is never read. The table that kubectl
// prints shows a Secret's type and number of keys, and cert-manager's
// annotations the certificate's names.
func certificates(in *inspect.Inspector) {
	var seen []string
	for i, t := range fields.Each(in.Object.List("spec", "tls")) {
		name := t.Str("secretName")
		if name == "" {
			continue
		}
		id := in.ID("", "Secret", name)
		role := fmt.Sprintf("spec.tls[%d].secretName", i)
		fresh := !slices.Contains(seen, name)
		seen = append(seen, name)
		secret := in.Get(id)
		if secret == nil {
			if fresh && in.Absent(id) {
				f := in.Find(codes.TLSSecretMissing, "TLS Secret %s does not exist", name)
				f.Certainty = inspect.Likely
				f.ProveAbsent(id)
				ofSecret(in, f, name, role)
				asked(in, f, name)
			}
			continue
		}
		if fresh {
			secretType(in, secret, role)
		}
		secretHosts(in, secret, t.List("hosts"), i)
	}
}

// notServed is what a snapshot says of a kind that the cluster does not have.
const notServed = "not-served"

// asked adds that a missing Secret is to be made by cert-manager, because an annotation asks for
// it, and whether there is a Certificate for it.
func asked(in *inspect.Inspector, f *inspect.Finding, name string) {
	id := in.ID("cert-manager.io", "Certificate", name)
	if !slices.Contains(edges.Parts(in.Object), id) {
		return
	}
	f.Certainty = inspect.Proven
	for _, key := range [...]string{
		"cert-manager.io/cluster-issuer",
		"cert-manager.io/issuer", "kubernetes.io/tls-acme",
	} {
		if v, ok := in.Object.Annotation(key); ok {
			f.Prove("metadata.annotations["+key+"]", v)
		}
	}
	switch {
	case in.Get(id) != nil:
		return
	case in.Snapshot.Hidden(id.Group, id.Kind, id.Namespace) == notServed:
		f.Also("the cluster does not serve cert-manager's Certificates")
		f.ProveObserved(id, "kind", notServed)
	case in.Absent(id):
		f.Also("cert-manager has made no Certificate for it")
		f.ProveAbsent(id)
	}
	f.Next = append([]string{in.Kubectl("describe", wording.Resource(in.Object.ID), in.Object.Name)}, f.Next...)
}

// ofSecret fills in what findings about a TLS Secret have in common.
func ofSecret(in *inspect.Inspector, f *inspect.Finding, name, role string) {
	f.Key += name
	f.Prove(role, name)
	f.Because = inspect.SecretMakers(in, in.ID("", "Secret", name))
	f.Symptom = len(f.Because) > 0
	f.Next = []string{in.Kubectl("describe", "secret", name)} // shows its type and keys, and no values
	if f.Code == codes.TLSSecretMissing {
		f.Next = []string{in.Kubectl("get", "secrets")}
	}
}

func secretType(in *inspect.Inspector, secret *object.Object, role string) {
	typ := secret.Str("type")
	if typ == "" {
		in.Need(inspect.Need{ID: secret.ID}) // only its metadata is known
		return
	}
	if typ == "kubernetes.io/tls" {
		return // the API server has validated that certificate and key exist
	}
	f := in.Find(codes.TLSSecretInvalid, "TLS Secret %s holds no certificate with its key: it is of type %s",
		secret.Name, typ)
	keys := secret.Int("keys")
	switch {
	case keys.Set && keys.V < 2:
		f.Add(" and has %s", wording.Plural(int(keys.V), "key"))
	case !strings.HasPrefix(typ, "kubernetes.io/"): // many controllers read tls.crt and tls.key whatever the type
		f.Class, f.Certainty, f.Remark = codes.Waits, inspect.Possible, true
		f.Say("TLS Secret %s is of type %s, not kubernetes.io/tls: whether it holds tls.crt and tls.key is not known",
			secret.Name, typ)
	}
	f.ProveOn(secret.ID, "type", typ)
	if keys.Set {
		f.ProveOn(secret.ID, "data", wording.Plural(int(keys.V), "key"))
	}
	f.Key = "type "
	ofSecret(in, f, secret.Name, role)
}

// secretHosts compares the served hosts with the certificate's names according
// to cert-manager.
func secretHosts(in *inspect.Inspector, secret *object.Object, hosts []any, i int) {
	const altNames = "cert-manager.io/alt-names"
	have, ok := secret.Annotation(altNames)
	if !ok || have == "" {
		return
	}
	list := strings.Split(have, ",")
	var missing []string
	for _, h := range hosts {
		host, _ := h.(string)
		if host != "" && !slices.ContainsFunc(list, func(name string) bool {
			return covers(strings.TrimSpace(name), host)
		}) && !slices.Contains(missing, host) {
			missing = append(missing, host)
		}
	}
	if len(missing) == 0 {
		return
	}
	f := in.Find(codes.TLSSecretInvalid, "the certificate in TLS Secret %s is not for %s (it is for %s)",
		secret.Name, wording.Names(missing, 3), wording.Names(list, 3))
	f.Certainty = inspect.Likely
	f.ProveOn(secret.ID, "metadata.annotations["+altNames+"]", have)
	for _, h := range missing {
		f.Prove(fmt.Sprintf("spec.tls[%d].hosts[*]", i), h)
	}
	f.Key = "hosts " + strings.Join(missing, " ") + " "
	ofSecret(in, f, secret.Name, fmt.Sprintf("spec.tls[%d].secretName", i))
}

// covers reports whether a certificate's name matches a host, directly or by a
// wildcard for its first label.
func covers(name, host string) bool {
	if strings.EqualFold(name, host) {
		return true
	}
	parent, ok := strings.CutPrefix(name, "*")
	if !ok || len(host) < len(parent) {
		return false
	}
	first := host[:len(host)-len(parent)]
	return strings.EqualFold(host[len(first):], parent) && first != "" && !strings.Contains(first, ".")
}
