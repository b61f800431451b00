package inventory

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

var fluxScheme = &Scheme{"flux/ks/[NAMESPACE/]NAME (or hr, rset, instance)", 2, 3, nil}

var fluxSources = []Source{
	{
		Name: "Flux Kustomization", Short: "flux/ks", Scheme: fluxScheme,
		Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization", Plural: "kustomizations", Read: fluxKustomization,
		Owners: byLabels("kustomizations.kustomize.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io/namespace", "kustomize.toolkit.fluxcd.io/name"),
		// Flux excludes both from its own health checks.
		Ignored: func(member *object.Object) string {
			switch v := mark(member, "kustomize.toolkit.fluxcd.io/ssa"); strings.ToLower(v) {
			case "ignore", "ifnotpresent":
				return "not reconciled (ssa: " + object.Clean(v) + ")"
			}
			return ""
		},
	},
	{
		Name: "Flux HelmRelease", Short: "flux/hr", Scheme: fluxScheme,
		Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease", Plural: "helmreleases", Read: fluxHelmRelease,
		Owners: byLabels("helmreleases.helm.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io/namespace", "helm.toolkit.fluxcd.io/name"),
	},
	{
		Name: "Flux ResourceSet", Short: "flux/rset", Scheme: fluxScheme,
		Group: "fluxcd.controlplane.io", Kind: "ResourceSet", Plural: "resourcesets", Read: fluxOperator,
		Owners: byLabels("resourcesets.fluxcd.controlplane.io", "resourceset.fluxcd.controlplane.io/namespace", "resourceset.fluxcd.controlplane.io/name"),
	},
	{
		Name: "Flux instance", Short: "flux/instance", Scheme: fluxScheme,
		Group: "fluxcd.controlplane.io", Kind: "FluxInstance", Plural: "fluxinstances", Read: fluxOperator,
	},
}

// ready reads the Ready condition of a Flux root.
func (s *Set) ready(o Object) {
	if is, _, message := o.condition("Reconciling"); is == "True" {
		s.Pending = cmp.Or(message, "it is being reconciled")
	}
	s.unobserved(o)
	if suspended, _ := o.at("spec", "suspend").(bool); suspended {
		s.note("suspended")
		s.Source = object.ID{}
	}
	if ref := o.text("spec", "kubeConfig", "secretRef", "name"); ref != "" {
		s.Cluster = "the cluster of Secret " + object.Clean(ref)
	} else if ref := o.text("spec", "kubeConfig", "configMapRef", "name"); ref != "" {
		s.Cluster = "the cluster of ConfigMap " + object.Clean(ref)
	}
}

func fluxKustomization(o Object) (Set, bool) {
	var s Set
	s.entries(o)
	applied, attempted := o.text("status", "lastAppliedRevision"), o.text("status", "lastAttemptedRevision")
	s.Revision = object.Clean(cmp.Or(attempted, applied))
	if kind := o.text("spec", "sourceRef", "kind"); kind != "" {
		m := checked(Member{ID: object.ID{
			Group: "source.toolkit.fluxcd.io", Kind: kind,
			Namespace: cmp.Or(o.text("spec", "sourceRef", "namespace"), o.Namespace), Name: o.text("spec", "sourceRef", "name"),
		}}, kind)
		if m.Unreadable == "" {
			s.Source = m.ID
		}
	}
	if attempted != applied && attempted != "" {
		s.Pending = fmt.Sprintf("%s is being applied; %s was", revision(attempted), cmp.Or(revision(applied), "nothing"))
	}
	s.ready(o)
	return s, true
}

// revision shortens a revision for display: main@sha1:0123456.
func revision(s string) string {
	s = object.Clean(s)
	if i := strings.LastIndexByte(s, ':'); i >= 0 && len(s)-i > 13 {
		return s[:i+1] + s[i+1:i+8]
	}
	return s
}

// ShortRevision shortens a revision for display.
func ShortRevision(s string) string { return revision(s) }

// SourceRevision is the revision of a source object (a GitRepository).
func SourceRevision(o Object) string { return object.Clean(o.text("status", "artifact", "revision")) }

// Behind says that a set has not reached its source's revision, or "".
func (s Set) Behind(source string) string {
	if s.Revision == "" || source == "" || source == s.Revision {
		return ""
	}
	return fmt.Sprintf("its source is at %s, it is at %s", revision(source), revision(s.Revision))
}

func fluxHelmRelease(o Object) (Set, bool) {
	var s Set
	s.entries(o)
	last, _ := first(o.list("status", "history")).(map[string]any)
	if n, ok := (Object{Body: last}).number("version"); ok {
		s.Revision = fmt.Sprint(n)
	}
	target := cmp.Or(o.text("spec", "targetNamespace"), o.Namespace)
	storage := cmp.Or(o.text("status", "storageNamespace"), o.text("spec", "storageNamespace"), o.Namespace)
	name := cmp.Or(text(last, "name"), HelmReleaseName(o.text("spec", "releaseName"), o.text("spec", "targetNamespace"), o.Name))
	s.Release = Release{Namespace: storage, Name: name}
	// Entries of the inventory name their namespace; the release's own is the
	// default for its manifest.
	for i := range s.Members {
		if s.Members[i].ID.Namespace == "" && s.Members[i].Unreadable == "" {
			s.Members[i].ID.Namespace = target
		}
	}
	s.ready(o)
	if s.Cluster != "" {
		s.Release = Release{}
	}
	return s, true
}

func first(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

func fluxOperator(o Object) (Set, bool) {
	var s Set
	s.entries(o)
	s.Revision = object.Clean(o.text("status", "lastAppliedRevision"))
	s.ready(o)
	if o.annotation("fluxcd.controlplane.io/reconcile") == "disabled" {
		s.note("suspended")
	}
	return s, true
}

func hasEntries(o *object.Object) bool {
	_, ok := dig(o.Tree, "status", "inventory", "entries").([]any)
	return ok
}

// entries reads the inventory of Flux's controllers.
func (s *Set) entries(o Object) { s.idEntries(s.listedAt(o, "status", "inventory", "entries")) }
