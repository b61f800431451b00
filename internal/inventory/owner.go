package inventory

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// HelmReleaseName is the name of the release that helm-controller gives to a
// HelmRelease (internal/release/name.go, v1.6).
func HelmReleaseName(given, targetNamespace, name string) string {
	full := name
	if targetNamespace != "" {
		full = targetNamespace + "-" + name
	}
	full = cmp.Or(given, full)
	const most = 53
	if len(full) > most {
		sum := sha256.Sum256([]byte(full))
		return full[:40] + "-" + hex.EncodeToString(sum[:])[:12]
	}
	return full
}

// Owners finds the inventories that say on a member that it is theirs, the
// surest first. What they name need not exist.
func Owners(o *status.Object) []Target {
	label := func(key string) string { v, _ := o.Label(key); return v }
	note := func(key string) string { v, _ := o.Annotation(key); return v }
	var out []Target
	add := func(t Target) {
		if t.Name != "" {
			out = append(out, t)
		}
	}
	named := func(typ, namespace, name string) {
		add(Target{Source: typ + "/" + name, Type: typ, Namespace: namespace, Name: name})
	}
	if id := note("config.k8s.io/owning-inventory"); id != "" {
		add(Target{Source: "inventory/" + id, Scheme: "inventory", Namespace: o.Namespace, Name: id, AllNamespaces: true})
	}
	named("kustomizations.kustomize.toolkit.fluxcd.io", label("kustomize.toolkit.fluxcd.io/namespace"), label("kustomize.toolkit.fluxcd.io/name"))
	named("helmreleases.helm.toolkit.fluxcd.io", label("helm.toolkit.fluxcd.io/namespace"), label("helm.toolkit.fluxcd.io/name"))
	named("resourcesets.fluxcd.controlplane.io", label("resourceset.fluxcd.controlplane.io/namespace"), label("resourceset.fluxcd.controlplane.io/name"))
	if app, _, ok := strings.Cut(note("argocd.argoproj.io/tracking-id"), ":"); ok {
		// An Application outside Argo CD's own namespace is <namespace>_<name>.
		namespace, name, found := strings.Cut(app, "_")
		if !found {
			namespace, name = "", app
		}
		add(Target{Source: "argo/" + app, Type: "applications.argoproj.io", Namespace: cmp.Or(namespace, "argocd"), Name: name})
	}
	if id := label(labelPartOf); id != "" {
		add(Target{Source: "applyset " + id, Scheme: "applyset-id", Namespace: o.Namespace, Name: id, AllNamespaces: true})
	}
	for _, domain := range []string{"internal.kro.run/", "kro.run/"} {
		if kind := label(domain + "instance-kind"); kind != "" {
			typ := kind
			if g := label(domain + "instance-group"); g != "" {
				typ += "." + g
			}
			named(typ, label(domain+"instance-namespace"), label(domain+"instance-name"))
			break
		}
	}
	if app := label("kapp.k14s.io/app"); app != "" {
		add(Target{Source: "kapp app " + app, Scheme: "kapp-label", Namespace: o.Namespace, Name: app, AllNamespaces: true})
	}
	if name := note("meta.helm.sh/release-name"); name != "" && label("app.kubernetes.io/managed-by") == "Helm" {
		ns := cmp.Or(note("meta.helm.sh/release-namespace"), o.Namespace)
		add(Target{Source: "helm/" + name, Scheme: "helm", Namespace: ns, Name: name})
	}
	return out
}

// MemberNote is what a member's own labels say of its place in its set.
func MemberNote(o *status.Object) string {
	for _, domain := range []string{"internal.kro.run/", "kro.run/"} {
		node, ok := o.Label(domain + "node-id")
		if !ok {
			continue
		}
		index, _ := o.Label(domain + "collection-index")
		size, _ := o.Label(domain + "collection-size")
		if n := HelmVersion(index); index != "" && size != "" && n >= 0 {
			return node + " " + strconv.Itoa(n+1) + " of " + size
		}
		return node
	}
	return ""
}
