package inventory

import (
	"cmp"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

var argoSources = []Source{
	{
		Name: "Argo CD Application", Short: "argo", Scheme: &Scheme{"argo/[NAMESPACE/]APPLICATION", 1, 2, nil},
		Group: "argoproj.io", Kind: "Application", Plural: "applications", Read: argoApplication,
		Owners: func(o *object.Object) []Target {
			app, _, ok := strings.Cut(annotation(o, "argocd.argoproj.io/tracking-id"), ":")
			if !ok {
				return nil
			}
			// An Application outside Argo CD's own namespace is <namespace>_<name>.
			namespace, name, found := strings.Cut(app, "_")
			if !found {
				namespace, name = "argocd", app
			}
			return []Target{{Source: "argo/" + app, Type: "applications.argoproj.io", Namespace: namespace, Guessed: !found, Name: name}}
		},
		Ignored: func(member *object.Object) string {
			if mark(member, "argocd.argoproj.io/ignore-healthcheck") == "true" {
				return "its health is ignored (ignore-healthcheck)"
			}
			return ""
		},
	},
	{
		Name: "Argo CD ApplicationSet", Short: "argo/appset",
		Group: "argoproj.io", Kind: "ApplicationSet", Plural: "applicationsets", Read: argoApplicationSet,
	},
}

// argoClaims maps Argo CD's health to statuses.
var argoClaims = map[string]status.Status{
	"Healthy": status.Current, "Progressing": status.InProgress, "Degraded": status.Failed, "Suspended": status.InProgress,
	"Missing": status.NotFound, "Unknown": status.Unknown,
}

func argoApplication(o Object) (Set, bool) {
	var s Set
	server, name := o.text("spec", "destination", "server"), o.text("spec", "destination", "name")
	if server != "" && server != "https://kubernetes.default.svc" || name != "" && name != "in-cluster" {
		s.Cluster = object.Clean(cmp.Or(name, server))
	}
	s.references(s.listedAt(o, "status", "resources"), o.text("spec", "destination", "namespace"), func(e any, m *Member) {
		if hook, _ := dig(e, "hook").(bool); hook {
			m.Optional, m.Note = true, "hook"
		}
		if prune, _ := dig(e, "requiresPruning").(bool); prune {
			m.Optional, m.Note = true, "to be pruned"
		} else if text(e, "status") == "OutOfSync" {
			m.Note = "OutOfSync"
		}
		if word := object.Clean(text(e, "health", "status")); word != "" {
			m.Said = feed.Said{By: "Argo CD", Word: word, Status: argoClaims[word]}
		}
	})
	s.Revision = object.Clean(o.text("status", "sync", "revision"))
	if o.text("status", "operationState", "phase") == "Running" {
		s.Pending = "a sync is running"
	}
	if o.at("operation") != nil {
		s.Pending = "a sync has been requested"
	}
	if o.annotation("argocd.argoproj.io/skip-reconcile") == "true" {
		s.note("suspended")
	}
	if is := o.text("status", "sync", "status"); is == "OutOfSync" {
		s.note("OutOfSync")
	}
	return s, true
}

func argoApplicationSet(o Object) (Set, bool) {
	var s Set
	s.references(s.listedAt(o, "status", "resources"), o.Namespace, nil)
	if n, ok := o.number("status", "resourcesCount"); ok && int(n) > len(s.Members) {
		s.note("%d of its %d Applications are not listed", int(n)-len(s.Members), n)
	}
	s.unobserved(o)
	return s, true
}
