package inventory

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

var fluxScheme = &Scheme{form: "flux/ks/[NAMESPACE/]NAME (or hr, rset, instance)", least: 1, most: 2}

var fluxSources = []Source{
	{
		Name: "Flux Kustomization", Short: "flux/ks", Scheme: fluxScheme,
		Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization", decode: fluxKustomization,
		Owner: Owner{Namespace: "kustomize.toolkit.fluxcd.io/namespace", Name: "kustomize.toolkit.fluxcd.io/name"},
		// Flux excludes both from its own health checks.
		Ignored: func(member *object.Object) string {
			switch v := annotationOrLabel(member, "kustomize.toolkit.fluxcd.io/ssa"); strings.ToLower(v) {
			case "ignore", "ifnotpresent":
				return "not reconciled (ssa: " + object.Clean(v) + ")"
			}
			return ""
		},
	},
	{
		Name: "Flux HelmRelease", Short: "flux/hr", Scheme: fluxScheme,
		Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease", decode: fluxHelmRelease,
		Owner: Owner{Namespace: "helm.toolkit.fluxcd.io/namespace", Name: "helm.toolkit.fluxcd.io/name"},
	},
	{
		Name: "Flux ResourceSet", Short: "flux/rset", Scheme: fluxScheme,
		Group: "fluxcd.controlplane.io", Kind: "ResourceSet", decode: fluxOperator,
		Owner: Owner{
			Namespace: "resourceset.fluxcd.controlplane.io/namespace",
			Name:      "resourceset.fluxcd.controlplane.io/name",
		},
	},
	{
		Name: "Flux instance", Short: "flux/instance", Scheme: fluxScheme,
		Group: "fluxcd.controlplane.io", Kind: "FluxInstance", decode: fluxOperator,
	},
}

// ready reads the Reconciling condition of a Flux root, and whether it has
// handled the last request to reconcile.
func (s *Set) ready(o *object.Object) {
	if is, _, message := condition(o, "Reconciling"); is == "True" {
		s.Pending = cmp.Or(message, "it is being reconciled")
	}
	if requested(o) {
		s.Pending, s.Applying, s.Outdated = "it was asked to reconcile and has not answered yet", false, true
	}
	if suspended, _ := o.Bool("spec", "suspend"); suspended {
		s.note("suspended")
	}
	for _, by := range [][2]string{{"ConfigMap", "configMapRef"}, {"Secret", "secretRef"}} {
		if ref := o.Str("spec", "kubeConfig", by[1], "name"); ref != "" {
			s.Cluster = "the cluster of " + by[0] + " " + ref
		}
	}
}

// requested reports whether a Flux object was asked to reconcile, as `flux
// reconcile` and a Receiver do, and has not handled that yet. A suspended one never
// does, nor one that flux-operator may not touch. (fluxcd/pkg apis/meta/annotations.go,
// v1.30)
func requested(o *object.Object) bool {
	// of a source there are the annotations, of a root's body the tree
	request := cmp.Or(annotation(o, reconcileRequest), rootAnnotation(o, reconcileRequest))
	if suspended, _ := o.Bool("spec", "suspend"); suspended || rootAnnotation(o, operatorReconcile) == "disabled" {
		return false
	}
	return request != "" && request != o.Str("status", "lastHandledReconcileAt")
}

const (
	reconcileRequest  = "reconcile.fluxcd.io/requestedAt"
	operatorReconcile = "fluxcd.controlplane.io/reconcile"
)

func fluxKustomization(s *Set, o *object.Object) {
	s.entries(o)
	applied, attempted := o.Str("status", "lastAppliedRevision"), o.Str("status", "lastAttemptedRevision")
	s.Revision, s.Taken = applied, cmp.Or(attempted, applied)
	from := reference(o.Map("spec", "sourceRef"))
	from.ID.Group, from.ID.Namespace = "source.toolkit.fluxcd.io", cmp.Or(from.ID.Namespace, o.Namespace)
	if from.check() == nil {
		s.Source = from.ID
	}
	if attempted != applied && attempted != "" {
		s.Target, s.Applying = attempted, true
		s.Pending = fmt.Sprintf("%s is being applied; %s was",
			ShortRevision(attempted), cmp.Or(ShortRevision(applied), "nothing"))
	}
	s.ready(o)
}

// ShortRevision shortens a revision for display: main@sha1:0123456.
func ShortRevision(s string) string {
	s = object.Clean(s)
	if i := strings.LastIndexByte(s, ':'); i >= 0 && len(s)-i > 13 {
		return s[:i+1] + s[i+1:i+8]
	}
	return s
}

// Behind says that a set has not taken up the revision of its source, or that the
// source was asked for its newest one and has not answered yet; or "".
func (s Set) Behind(source *object.Object) string {
	if requested(source) {
		return "its source was asked to reconcile and has not answered yet"
	}
	at := source.Str("status", "artifact", "revision")
	if s.Taken == "" || at == "" || at == s.Taken {
		return ""
	}
	return fmt.Sprintf("its source is at %s, it is at %s", ShortRevision(at), ShortRevision(s.Taken))
}

func fluxHelmRelease(s *Set, o *object.Object) {
	s.entries(o)
	var last any
	if history := o.List("status", "history"); len(history) > 0 {
		last = history[0]
	}
	if n, ok := object.Integer(object.At(last, "version")); ok {
		s.Revision = fmt.Sprint(n)
	}
	target := cmp.Or(o.Str("spec", "targetNamespace"), o.Namespace)
	storage := cmp.Or(o.Str("status", "storageNamespace"), o.Str("spec", "storageNamespace"), o.Namespace)
	name := cmp.Or(text(last, "name"), HelmReleaseName(o.Str("spec", "releaseName"),
		o.Str("spec", "targetNamespace"), o.Name))
	s.Release = Release{Namespace: storage, Name: name}
	// An OCIRepository's revision is its tag with a digest, and is not compared.
	from := reference(o.Map("spec", "chartRef"))
	if namespace, chart, ok := strings.Cut(o.Str("status", "helmChart"), "/"); ok && from.ID.Name == "" {
		from.ID.Kind, from.ID.Namespace, from.ID.Name = "HelmChart", namespace, chart
	}
	from.ID.Group, from.ID.Namespace = "source.toolkit.fluxcd.io", cmp.Or(from.ID.Namespace, o.Namespace)
	if from.check() == nil {
		s.Source = from.ID
	}
	if from.ID.Kind == "HelmChart" {
		s.Taken = o.Str("status", "lastAttemptedRevision")
	}
	// Entries of the inventory name their namespace; the release's own is the
	// default for its manifest.
	for i := range s.Members {
		if s.Members[i].ID.Namespace == "" && s.Members[i].Unreadable == "" {
			s.Members[i].ID.Namespace = target
		}
	}
	s.ready(o)
	if s.Cluster != "" {
		s.Release, s.Hidden = Release{}, len(s.Members) == 0
	}
}

func fluxOperator(s *Set, o *object.Object) {
	s.entries(o)
	s.Revision = o.Str("status", "lastAppliedRevision")
	s.ready(o)
	if rootAnnotation(o, operatorReconcile) == "disabled" {
		s.note("suspended")
	}
}

// entries reads the inventory of Flux's controllers.
func (s *Set) entries(o *object.Object) { s.idEntries(s.listedAt(o, "status", "inventory", "entries")) }
