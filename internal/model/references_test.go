package model

import (
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// With references shown, everything that an object names has a row beneath it,
// whether it is known or not, and a ring of references ends.
func TestReferencesHaveRowsBelowTheObjectsThatNameThem(t *testing.T) {
	p := screen(t)
	obj := func(group, kind, name string, tree map[string]any) *object.Object {
		return &object.Object{ID: id(group, kind, name), UID: kind + name, ResourceVersion: "1", Created: t0, Tree: tree}
	}
	ing := obj("networking.k8s.io", "Ingress", "web", map[string]any{"spec": map[string]any{
		"ingressClassName": "nginx",
		"defaultBackend":   map[string]any{"service": map[string]any{"name": "web"}},
		"tls":              []any{map[string]any{"secretName": "web-tls"}},
	}})
	budget := obj("policy", "PodDisruptionBudget", "web", map[string]any{"spec": map[string]any{
		"selector": map[string]any{"matchLabels": map[string]any{"app": "web"}},
	}})
	one := obj("example.org", "Ring", "one", map[string]any{"spec": map[string]any{"resourceRef": map[string]any{"apiVersion": "example.org/v1", "kind": "Ring", "name": "two"}}})
	two := obj("example.org", "Ring", "two", map[string]any{"spec": map[string]any{"resourceRef": map[string]any{"apiVersion": "example.org/v1", "kind": "Ring", "name": "one"}}})
	web := deployment("web", 1)
	rs := replicaSet(web, "1", 1)
	pods := pod(rs, "a", "")
	pods.Labels = []object.Label{{Key: "app", Value: "web"}}
	p.batch(0, feed.Batch{
		Synced:  true,
		Roots:   []feed.Root{root(ing), root(budget), root(one), root(two), root(web)},
		Objects: []*object.Object{ing, budget, one, two, web, rs, pods},
	})
	for range 3 {
		if p.m.Tree.Settings().Scope == rows.WithReferences {
			break
		}
		p.keys("a")
	}
	p.m.Tree.Rows(0, p.m.Tree.RowCount())
	p.keys("Z")
	text := strings.Join(p.rows(), "\n")
	for _, want := range []string{"Service/web", "Secret/web-tls", "IngressClass/nginx", "Pod/web-1-a", "Ring/two", "Ring/one"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s among the rows:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "Ring/"); n != 4 {
		t.Errorf("%d rows of a ring of two:\n%s", n, text)
	}
}
