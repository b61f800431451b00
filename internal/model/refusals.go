package model

import (
	"cmp"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// refusal is who may not do what to which resource where, as far as the API
// server has said it.
func refusal(s *feed.SourceState) string {
	if text := feed.Refusal(s.Error); feed.IsRefusal(text) {
		return text
	}
	text := "cannot " + cmp.Or(s.Verb, "list") + " " + s.Resource
	if s.Group != "" {
		text += "." + s.Group
	}
	if s.Namespace != "" {
		text += " in " + s.Namespace
	}
	return text + ": forbidden"
}

// Refusals are what may not be read, sorted: "user dev cannot list events in
// shop (RBAC)". A single object that was asked for says so in its own row.
func (m Model) Refusals() []string {
	var out []string
	for _, s := range m.seen().sources {
		if s.Phase == feed.Forbidden && (s.Name == "" || s.Children) {
			out = append(out, refusal(&s))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// EventRefusals are the refusals that hide events of the selected object and its
// descendants.
func (m Model) EventRefusals() []string {
	w, n := m.seen(), m.seenNode()
	if n == nil {
		return nil
	}
	var out []string
	for of, list := range w.trouble {
		for i := range list {
			if of.kind != "Event" || of.group != "" || list[i].Phase != feed.Forbidden {
				continue
			}
			// Those about cluster-scoped objects stand in the namespace default.
			elsewhere := walkNodes(n, func(k *node) bool { return cmp.Or(k.id.Namespace, "default") != of.namespace })
			if !elsewhere {
				out = append(out, refusal(&list[i]))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// childRefusals are the refusals that hide children of n and of its descendants.
func (w *world) childRefusals(n *node) (out []string) {
	if len(w.trouble) == 0 {
		return nil
	}
	walkNodes(n, func(k *node) bool {
		if k.obj == nil {
			return true
		}
		for _, need := range edges.Needs(k.obj) {
			if s := w.blind(need); s != nil && s.Phase == feed.Forbidden && !slices.Contains(out, refusal(s)) {
				out = append(out, refusal(s))
			}
		}
		return true
	})
	return out
}
