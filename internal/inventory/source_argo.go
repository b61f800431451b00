package inventory

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

var argoSources = []Source{
	{
		Name: "Argo CD Application", Short: "argo",
		Scheme: &Scheme{form: "argo/[NAMESPACE/]APPLICATION", least: 1, most: 2},
		Group:  "argoproj.io", Kind: "Application", decode: argoApplication,
		InventoriesOf: func(o *object.Object) []Target {
			app, _, ok := strings.Cut(annotation(o, "argocd.argoproj.io/tracking-id"), ":")
			if !ok {
				return nil
			}
			// An Application outside Argo CD's own namespace is <namespace>_<name>.
			namespace, name, found := strings.Cut(app, "_")
			if !found {
				namespace, name = "argocd", app
			}
			return []Target{
				{
					Source: "argo/" + app, Type: "applications.argoproj.io", Namespace: namespace,
					Guessed: !found, Name: name,
				},
			}
		},
		Ignored: func(member *object.Object) string {
			if annotationOrLabel(member, "argocd.argoproj.io/ignore-healthcheck") == "true" {
				return "its health is ignored (ignore-healthcheck)"
			}
			return ""
		},
	},
	{
		Name: "Argo CD ApplicationSet", Short: "argo/appset",
		Group: "argoproj.io", Kind: "ApplicationSet", decode: argoApplicationSet,
	},
}

// argoStatuses maps Argo CD's health to statuses.
var argoStatuses = map[string]status.Status{
	"Healthy": status.Current, "Progressing": status.InProgress, "Degraded": status.Failed,
	"Suspended": status.InProgress,
	"Missing":   status.NotFound, "Unknown": status.Unknown,
}

func argoApplication(s *Set, o *object.Object) {
	server, name := o.Str("spec", "destination", "server"), o.Str("spec", "destination", "name")
	if server != "" && server != "https://kubernetes.default.svc" || name != "" && name != "in-cluster" {
		s.Cluster = cmp.Or(name, server)
	}
	s.references(s.listedAt(o, "status", "resources"),
		o.Str("spec", "destination", "namespace"), func(e any, m *Member) {
			if hook, _ := object.At(e, "hook").(bool); hook {
				m.Optional, m.Note = true, "hook"
			}
			if prune, _ := object.At(e, "requiresPruning").(bool); prune {
				m.Optional, m.Note = true, "to be pruned"
			} else if text(e, "status") == "OutOfSync" {
				m.Note = "OutOfSync"
			}
			if word := text(e, "health", "status"); word != "" {
				m.Reported = feed.ReportedStatus{By: "Argo CD", Word: word, Status: argoStatuses[word]}
			}
		})
	s.Revision = o.Str("status", "sync", "revision")
	compared, hydrated := o.Map("status", "sync", "comparedTo"), o.Map("status", "sourceHydrator", "currentOperation")
	s.unlike(compared, o, "destination", "namespace") // the rest of it may be inferred
	switch {
	case o.Map("spec", "sourceHydrator") != nil: // what that writes is compared
		s.unlike(hydrated, o, "sourceHydrator")
		switch phase := text(hydrated, "phase"); {
		case phase == "Hydrating":
			s.Pending = "its manifests are being hydrated"
		case phase == "Failed":
			s.Pending = "its manifests could not be hydrated"
		case phase == "Hydrated" && text(hydrated, "finishedAt") > o.Str("status", "reconciledAt"):
			s.Pending = "what was hydrated has not been compared yet"
		case hydrated == nil && compared != nil &&
			text(compared, "source", "targetRevision") != o.Str("spec", "sourceHydrator", "syncSource", "targetBranch"):
			s.Pending = "its spec.sourceHydrator has not been compared yet"
		}
	case len(o.List("spec", "sources")) > 0: // then the single one does not count
		s.unlike(compared, o, "sources")
	default:
		s.unlike(compared, o, "source")
	}
	if rootAnnotation(o, "argocd.argoproj.io/refresh")+rootAnnotation(o, "argocd.argoproj.io/hydrate") != "" {
		s.Pending = "a refresh has been requested"
	}
	switch {
	case o.Str("status", "operationState", "phase") == "Running":
		s.Applying = s.Pending == "" && o.Str("status", "operationState", "syncResult", "revision") == s.Revision
		s.Pending = "a sync is running"
	case object.At(o.Tree, "operation") != nil: // it stays until the end
		s.Pending = "a sync has been requested"
	}
	if rootAnnotation(o, "argocd.argoproj.io/skip-reconcile") == "true" {
		s.note("suspended")
	}
	if is := o.Str("status", "sync", "status"); is == "OutOfSync" {
		s.note("OutOfSync")
	}
}

// unlike has a set pending if a field of the spec is not the one that Argo CD has
// worked on.
func (s *Set) unlike(worked map[string]any, o *object.Object, field ...string) {
	if worked != nil && !slices.Equal(leaves(object.At(worked, field...), ""),
		leaves(object.At(o.Tree["spec"], field...), "")) {
		s.Pending = "its spec." + strings.Join(field, ".") + " has not been compared yet"
	}
}

// leaves are the values below a path, sorted: without what Go's omitempty leaves
// out, as a spec may have it and Argo CD's copy has not.
func leaves(v any, path string) (out []string) {
	switch v := v.(type) {
	case map[string]any:
		for key, e := range v {
			out = append(out, leaves(e, path+"."+key)...)
		}
	case []any:
		for i, e := range v {
			out = append(out, leaves(e, path+"."+strconv.Itoa(i))...)
		}
	default:
		// Helm's values are kept as they are, but for null, which the merge patch of
		// a status takes for a deletion.
		if asIs := strings.Contains(path, "valuesObject"); v != nil &&
			(asIs || v != "" && v != false && v != int64(0)) {
			out = append(out, fmt.Sprintf("%s=%v", path, v))
		}
	}
	slices.Sort(out)
	return out
}

func argoApplicationSet(s *Set, o *object.Object) {
	s.references(s.listedAt(o, "status", "resources"), o.Namespace, nil)
	if n, ok := object.Integer(object.At(o.Tree, "status", "resourcesCount")); ok && int(n) > len(s.Members) {
		s.note("%d of its %d Applications are not listed", int(n)-len(s.Members), n)
	}
}
