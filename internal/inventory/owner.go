package inventory

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// HelmReleaseName is the name that helm-controller gives to a HelmRelease's
// release (internal/release/name.go, v1.6).
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

// Owners returns the inventories that an object's labels and annotations name
// as its own, the most reliable first. They need not exist.
func Owners(o *object.Object) []Target {
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
		add(Target{Source: "argo/" + app, Type: "applications.argoproj.io", Namespace: cmp.Or(namespace, "argocd"), Guessed: !found, Name: name})
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
	named("clusterextensions.olm.operatorframework.io", "", ofKind("ClusterExtension", label("olm.operatorframework.io/owner-kind"), label("olm.operatorframework.io/owner-name")))
	named("clusterserviceversions.operators.coreos.com", label("olm.owner.namespace"), ofKind("ClusterServiceVersion", label("olm.owner.kind"), label("olm.owner")))
	for _, l := range o.Labels {
		// operators.coreos.com/<package>.<namespace> names the Operator.
		if name, ok := strings.CutPrefix(l.Key, "operators.coreos.com/"); ok && l.Value == "" {
			named("operators.operators.coreos.com", "", name)
		}
	}
	named("pipelineruns.tekton.dev", o.Namespace, label("tekton.dev/pipelineRun"))
	named("clusters.cluster.x-k8s.io", o.Namespace, label("cluster.x-k8s.io/cluster-name"))
	named("applications.core.oam.dev", cmp.Or(label("app.oam.dev/namespace"), o.Namespace), label("app.oam.dev/name"))
	named("works.work.karmada.io", note("work.karmada.io/namespace"), note("work.karmada.io/name"))
	if claim, ok := dig(o.Tree, "spec", "claimRef").(map[string]any); ok { // a composite names its claim
		group, _, _ := strings.Cut(text(claim, "apiVersion"), "/")
		if m := (Member{ID: object.ID{Group: group, Kind: text(claim, "kind"), Namespace: text(claim, "namespace"), Name: text(claim, "name")}}); m.check() == nil && group != "" {
			named(m.ID.Kind+"."+group, m.ID.Namespace, m.ID.Name)
		}
	}
	if name := label("crossplane.io/composite"); name != "" && name != o.Name {
		add(Target{Source: "composite " + name, Scheme: "crossplane-composite", Namespace: o.Namespace, Name: name})
	}
	if name := label("instance.timoni.sh/name"); name != "" {
		ns := cmp.Or(label("instance.timoni.sh/namespace"), o.Namespace)
		add(Target{Source: "timoni/" + name, Scheme: "timoni", Name: name, ID: object.ID{Kind: "Secret", Namespace: ns, Name: "timoni." + name}})
	}
	// wrangler's annotation, used by Fleet and k3s: "fleet.cattle.io/v1alpha1,
	// Kind=GitRepo".
	if gv, kind, ok := strings.Cut(note("objectset.rio.cattle.io/owner-gvk"), ", Kind="); ok {
		group, _, _ := strings.Cut(gv, "/")
		if WholeKind(object.ID{Group: group, Kind: kind}.GroupKind()) {
			named(kind+"."+group, note("objectset.rio.cattle.io/owner-namespace"), note("objectset.rio.cattle.io/owner-name"))
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

// ofKind returns the name if the kind is the wanted one.
func ofKind(want, kind, name string) string {
	if kind != want {
		return ""
	}
	return name
}

// Informational returns the annotation that excludes a member from the verdict,
// or "". Each writer's annotations apply to its own inventories only: in is the
// root that lists the member.
func Informational(in object.ID, o *object.Object) string {
	mark := func(key string) string {
		if v, ok := o.Annotation(key); ok {
			return v
		}
		v, _ := o.Label(key)
		return v
	}
	switch {
	case in.Group == "argoproj.io" && in.Kind == "Application":
		if mark("argocd.argoproj.io/ignore-healthcheck") == "true" {
			return "its health is ignored (ignore-healthcheck)"
		}
	case in.Group == "kustomize.toolkit.fluxcd.io":
		// Flux excludes both from its own health checks.
		switch v := mark("kustomize.toolkit.fluxcd.io/ssa"); strings.ToLower(v) {
		case "ignore", "ifnotpresent":
			return "not reconciled (ssa: " + object.Clean(v) + ")"
		}
	case in.Kind == "ConfigMap" && in.Group == "", in.Group == "kappctrl.k14s.io":
		// Any value counts, usually an empty one; members of other inventories
		// in ConfigMaps lack kapp's label.
		_, wait := o.Annotation("kapp.k14s.io/disable-wait")
		_, app := o.Label("kapp.k14s.io/app")
		if wait && app {
			return "not waited for (disable-wait)"
		}
	}
	return ""
}

// MemberNote is the remark in a member's own labels about its role.
func MemberNote(o *object.Object) string {
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
