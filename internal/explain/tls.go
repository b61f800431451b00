package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// certificates finds TLSSecretMissing and TLSSecretInvalid: the Secrets with an
// Ingress's certificates. Their data is never read. The table that kubectl
// prints shows a Secret's type and number of keys, and cert-manager's
// annotations the certificate's names.
func (l *look) certificates() {
	var seen []string
	for i, t := range each(l.o.List("spec", "tls")) {
		name := t.str("secretName")
		if name == "" {
			continue
		}
		id := l.id("", "Secret", name)
		role := fmt.Sprintf("spec.tls[%d].secretName", i)
		fresh := !slices.Contains(seen, name)
		seen = append(seen, name)
		secret := l.object(id)
		if secret == nil {
			if fresh && l.absent(id) {
				f := l.find("TLSSecretMissing", "TLS Secret %s does not exist", name)
				f.Certainty = Likely
				f.proveAbsent(id)
				l.ofSecret(f, name, role)
			}
			continue
		}
		if fresh {
			l.secretType(secret, role)
		}
		l.secretHosts(secret, t.list("hosts"), i)
	}
}

// ofSecret fills in what findings about a TLS Secret have in common.
func (l *look) ofSecret(f *Finding, name, role string) {
	f.Key += name
	l.proof(f, role, name)
	f.Because = l.makers(name)
	f.Symptom = len(f.Because) > 0
	f.Next = []string{l.kubectl("describe", "secret", name)} // shows its type and keys, and no values
	if f.Code == "TLSSecretMissing" {
		f.Next = []string{l.kubectl("get", "secrets")}
	}
}

func (l *look) secretType(secret *object.Object, role string) {
	typ := secret.Str("type")
	if typ == "" {
		l.need(Need{ID: secret.ID}) // only its metadata is known
		return
	}
	if typ == "kubernetes.io/tls" {
		return // the API server has validated that certificate and key exist
	}
	f := l.find("TLSSecretInvalid", "TLS Secret %s holds no certificate with its key: it is of type %s", secret.Name, typ)
	keys := secret.Int("keys")
	switch {
	case keys.Set && keys.V < 2:
		f.Title += " and has " + plural(int(keys.V), "key")
	case !strings.HasPrefix(typ, "kubernetes.io/"): // many controllers read tls.crt and tls.key whatever the type
		f.Class, f.Certainty, f.aside = Waits, Possible, true
		f.Title = "TLS Secret " + secret.Name + " is of type " + typ + ", not kubernetes.io/tls: whether it holds tls.crt and tls.key is not known"
	}
	f.prove(secret.ID, "type", typ)
	if keys.Set {
		f.prove(secret.ID, "data", plural(int(keys.V), "key"))
	}
	f.Key = "type "
	l.ofSecret(f, secret.Name, role)
}

// secretHosts compares the served hosts with the certificate's names according
// to cert-manager.
func (l *look) secretHosts(secret *object.Object, hosts []any, i int) {
	const altNames = "cert-manager.io/alt-names"
	have, ok := secret.Annotation(altNames)
	if !ok || have == "" {
		return
	}
	list := strings.Split(have, ",")
	var missing []string
	for _, h := range hosts {
		host, _ := h.(string)
		if host != "" && !slices.ContainsFunc(list, func(name string) bool { return covers(strings.TrimSpace(name), host) }) && !slices.Contains(missing, host) {
			missing = append(missing, host)
		}
	}
	if len(missing) == 0 {
		return
	}
	f := l.find("TLSSecretInvalid", "the certificate in TLS Secret %s is not for %s (it is for %s)", secret.Name, names(missing, 3), names(list, 3))
	f.Certainty = Likely
	f.prove(secret.ID, "metadata.annotations["+altNames+"]", have)
	for _, h := range missing {
		l.proof(f, fmt.Sprintf("spec.tls[%d].hosts[*]", i), h)
	}
	f.Key = "hosts " + strings.Join(missing, " ") + " "
	l.ofSecret(f, secret.Name, fmt.Sprintf("spec.tls[%d].secretName", i))
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
