package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// With references shown, everything that an object names has a row beneath it,
// whether it is known or not, and a ring of references ends.
func TestReferencesAreShownWhereTheyAreNamed(t *testing.T) {
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
		if p.m.Scoped() == WithReferences {
			break
		}
		p.keys("a")
	}
	p.m.Rows(0, p.m.RowCount())
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

// Only VolumeAttachments know where a volume is attached. They are requested
// while a volume's references are open, and not otherwise.
func TestAttachmentsAreShownUnderTheirVolume(t *testing.T) {
	p := screen(t)
	obj := func(group, kind, name string, tree map[string]any) *object.Object {
		o := &object.Object{ID: id(group, kind, name), UID: kind + name, ResourceVersion: "1", Created: t0, Tree: tree}
		o.Namespace = ""
		return o
	}
	attachment := func(name, volume string) *object.Object {
		return obj("storage.k8s.io", "VolumeAttachment", name, map[string]any{"spec": map[string]any{
			"nodeName": "n1", "source": map[string]any{"persistentVolumeName": volume},
		}})
	}
	pv := obj("", "PersistentVolume", "pv-1", map[string]any{"status": map[string]any{"phase": "Bound"}})
	claim := &object.Object{
		ID: id("", "PersistentVolumeClaim", "data"), UID: "data", ResourceVersion: "1", Created: t0,
		Claim: &object.Claim{Phase: "Bound", Volume: "pv-2"},
	}
	p.batch(0, feed.Batch{Synced: true, Roots: []feed.Root{root(pv), root(claim)}, Objects: []*object.Object{pv, claim}})
	wanted := func() bool { return slices.Contains(p.m.wantRefs(), attachments) }
	if wanted() {
		t.Error("attachments are wanted though no references are shown")
	}
	for range 3 {
		if p.m.Scoped() == WithReferences {
			break
		}
		p.keys("a")
	}
	p.keys("Z")
	p.m.Rows(0, p.m.RowCount())
	if !wanted() {
		t.Error("attachments are not wanted though a volume's references are shown")
	}
	p.batch(0, feed.Batch{Synced: true, Objects: []*object.Object{attachment("one", "pv-1"), attachment("two", "pv-2"), attachment("three", "pv-3")}})
	text := strings.Join(p.rows(), "\n")
	for _, want := range []string{"VolumeAttachment/one", "VolumeAttachment/two"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s among the rows:\n%s", want, text)
		}
	}
	if strings.Contains(text, "VolumeAttachment/three") {
		t.Errorf("the attachment of another volume:\n%s", text)
	}
	p.keys("a")
	if p.m.Rows(0, p.m.RowCount()); wanted() {
		t.Error("attachments are still wanted though no references are shown any more")
	}
}
