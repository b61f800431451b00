package main

import (
	"context"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// missingNamespace is the error of a namespace that does not exist, if everything was looked for
// there and nothing was found; else it is nil. The API answers a mistyped namespace as an empty one.
func missingNamespace(ctx context.Context, o *followOptions, ses *session, m *model.Model) error {
	namespace := m.Options().Namespace
	elsewhere := slices.ContainsFunc(m.Facts.Roots(), func(id object.ID) bool {
		r, _ := m.Facts.Resource(id)
		return id.Namespace != namespace || r.Assessment.Status != status.NotFound
	})
	looked := slices.ContainsFunc(m.Facts.Sources(), func(s feed.SourceState) bool { return s.Namespace == namespace })
	if ses.player != nil || ses.opt.Still || namespace == "" || elsewhere || !looked {
		return nil
	}
	const patience = 2 * time.Second // the answer is there without it
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var names []string
	_ = o.withFinder(ctx, func(ctx context.Context, f *find.Finder, _ connection) error {
		found, err := f.Names(ctx, "namespaces", "")
		for _, n := range found {
			names = append(names, n.Name)
		}
		return err
	})
	// A list without kube-system is not of all namespaces.
	if !slices.Contains(names, "kube-system") || slices.Contains(names, namespace) {
		return nil
	}
	return problem.New(didYouMean(namespace, "", names)+"kubectl get namespaces lists them",
		"namespace %q does not exist", namespace)
}
