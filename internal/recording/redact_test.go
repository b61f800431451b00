package recording

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The redacted recording of a genuine rollout contains no name, and is judged
// and explained as before.
func TestARedactedRecordingHasNoNamesAndTheSameCauses(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../cmd/kstatus-tui/demo.rec.gz")
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, data)
	p.Speed = 0
	h := p.Header()
	h.Redacted = true
	var out bytes.Buffer
	w := NewWriter(nopCloser{&out}, h)
	plain := watched(t, w.Tap(p), replayOptions(p), p.End())
	if err := w.Close(p.End()); err != nil {
		t.Fatal(err)
	}
	text := unzip(t, out.Bytes())
	for _, name := range []string{"checkout", "database", "web", "shop", "migrate", "localhost", "demo", "app.yaml"} {
		if i := strings.Index(text, name); i >= 0 {
			t.Errorf("%q is in it: …%s…", name, text[max(0, i-120):min(len(text), i+60)])
		}
	}
	if m := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-|\b10\.\d+\.\d+\.\d+|"[^"]*\d+-\d+-\d+-\d+[^"]*"`).FindString(text); m != "" {
		t.Errorf("%s is in it", m)
	}
	// The story, moment by moment.
	moments := 12
	if testing.Short() {
		moments = 2
	}
	for i := range moments {
		at := p.Start().Add(p.End().Sub(p.Start()) * time.Duration(i) / time.Duration(moments))
		story := func(data []byte) []string {
			m := lived(t, data, at)
			out := []string{fmt.Sprint(m.Facts.Verdict().Status, m.Facts.Counts(), m.Facts.GeneratedCounts(), m.Facts.Connection().Link)}
			for _, c := range m.Facts.Causes() {
				out = append(out, fmt.Sprint(c.Code, " ", c.Certainty, " ", c.Class))
			}
			// Messages that differ in a name alone may no longer be taken for one.
			slices.Sort(out[1:])
			return slices.Compact(out)
		}
		if diff := cmp.Diff(story(data), story(out.Bytes())); diff != "" {
			t.Errorf("%v after the beginning (-plain +redacted):\n%s", at.Sub(p.Start()), diff)
		}
	}
	if plain.Facts.Known() == 0 {
		t.Error("nothing was recorded: this tests nothing")
	}
}

func TestNamesAreReplacedByTheirParts(t *testing.T) {
	r := newRedactor()
	for _, c := range []struct{ what, in, want string }{
		{"a name", r.name("web-front-7c88bd5f-x2x4z"), "n1-n2-n3-n4"},
		{"another with the same beginning", r.name("web-front-7c88bd5f-aaaaa"), "n1-n2-n3-n5"},
		{"an ordinal", r.name("db-0"), "n6-0"},
		{"an image", r.name("registry.acme.example:5000/web:1.4"), "n7.n8.n9:5000/n1:1.4"},
		{"an address", r.name("10.0.3.17"), "198.51.100.1"},
		{"a host named by its address", r.name("ip-10-0-3-17"), "n10-n11-n12-n13-n14"},
		{"a system's namespace", r.name("kube-system"), "kube-system"},
		{"a well-known key", r.key("app.kubernetes.io/name"), "app.kubernetes.io/name"},
		{"the user's key", r.key("acme.example/tier"), "n8.n9/n15"},
		{"a selector", r.selector("app=web,acme.example/tier in (db,web),!x"), "app=n1,n8.n9/n15 in (n6,n1),!n16"},
		{
			"a message", r.message(`Back-off pulling image "registry.acme.example:5000/web:1.4": ErrImagePull: not found`),
			`Back-off pulling image "n7.n8.n9:5000/n1:1.4": ErrImagePull: not found`,
		},
		{"the scheduler's", r.message("0/3 nodes are available: 3 Insufficient cpu."), "0/3 nodes are available: 3 Insufficient cpu."},
		{"a stranger's words", r.message("login of alice with hunter2 failed"), "login of n17 with n18 failed"},
		{"an error with an address", r.message("dial tcp 10.0.3.17:443: connect: connection refused"), "dial tcp 198.51.100.1:443: connect: connection refused"},
		{"a source", r.source("deploy/web -n shop"), "deploy/n1 -n n19"},
	} {
		if c.in != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.in, c.want)
		}
	}
	labels := redacted(r, object.Object{Labels: []object.Label{{Key: "acme.example/tier", Value: "web"}, {Key: "zone", Value: "1"}, {Key: "z.example/a", Value: "true"}}}).Labels
	if diff := cmp.Diff([]object.Label{{Key: "n20", Value: "1"}, {Key: "n21.n9/n22", Value: "true"}, {Key: "n8.n9/n15", Value: "n1"}}, labels); diff != "" {
		t.Error("labels stay sorted by key:", diff)
	}
}

// The type of a Secret says nothing of whose it is, and what reads it needs it.
func TestKubernetesOwnTypesOfSecretsStay(t *testing.T) {
	r := newRedactor()
	for in, want := range map[string]string{"kubernetes.io/tls": "kubernetes.io/tls", "kubernetes.io/dockerconfigjson": "kubernetes.io/dockerconfigjson", "Opaque": "Opaque"} {
		if o := redacted(r, object.Object{MetadataOnly: true, Tree: map[string]any{"type": in, "keys": int64(2)}}); o.Str("type") != want || o.Int("keys").V != 2 {
			t.Errorf("a Secret of type %s becomes %v", in, o.Tree)
		}
	}
	if o := redacted(r, object.Object{Tree: map[string]any{"type": "acme.example/token"}}); strings.Contains(o.Str("type"), "acme") {
		t.Errorf("the house's own type is still told: %v", o.Tree)
	}
}

// A kind of the house's own tells whose house it is, a known project's does not.
func TestTheUsersOwnKindsAreReplacedEverywhere(t *testing.T) {
	const group = "store.acme.example"
	r := newRedactor()
	b := redacted(r, feed.Batch{
		Roots:   []feed.Root{{ID: object.ID{Group: group, Kind: "WebShop", Namespace: "prod", Name: "main"}, Source: "webshops." + group + "/main"}},
		Sources: []feed.SourceState{{Key: "webshops." + group, Group: group, Version: "v1", Resource: "webshops", Kind: "WebShop", Error: `webshops.` + group + ` is forbidden: cannot list resource "webshops"`}},
		Objects: []*object.Object{
			{ID: object.ID{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Name: "webshops." + group}, Tree: map[string]any{
				"spec": map[string]any{"group": group, "names": map[string]any{"kind": "WebShop", "listKind": "WebShopList", "plural": "webshops", "singular": "webshop"}},
			}},
			{
				ID: object.ID{Group: group, Kind: "WebShop", Namespace: "prod", Name: "main"}, Version: "v1", Finalizers: []string{group + "/cleanup", "foregroundDeletion"},
				Conditions: []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "False", Reason: "Waiting", Message: "WebShop main is waiting for a Deployment"}}},
				Tree:       map[string]any{"spec": map[string]any{"target": map[string]any{"apiVersion": group + "/v1", "kind": "WebShop", "name": "other"}, "uses": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment"}}},
			},
			{ID: object.ID{Group: "apps", Kind: "Deployment", Namespace: "prod", Name: "main"}, Owners: []object.Owner{{Group: group, Kind: "WebShop", Name: "main"}}},
			{ID: object.ID{Group: "cert-manager.io", Kind: "Certificate", Namespace: "prod", Name: "main"}, Finalizers: []string{"finalizer.cert-manager.io"}},
		},
	})
	line, err := encode(b)
	if err != nil {
		t.Fatal(err)
	}
	text := string(line)
	for _, word := range []string{"acme", "store", "WebShop", "webshop", "cleanup", "prod", "main"} {
		if strings.Contains(text, word) {
			t.Errorf("%q is in it:\n%s", word, text)
		}
	}
	for _, word := range []string{"Deployment", "cert-manager.io", "Certificate", "foregroundDeletion", "finalizer.cert-manager.io", "apiextensions.k8s.io"} {
		if !strings.Contains(text, word) {
			t.Errorf("%q is everybody's, and is gone:\n%s", word, text)
		}
	}
	// What belongs together does afterwards, too.
	definition, shop, deployment := b.Objects[0], b.Objects[1], b.Objects[2]
	names := definition.Tree["spec"].(map[string]any)["names"].(map[string]any)
	source := b.Sources[0]
	if definition.Name != source.Resource+"."+shop.Group || names["kind"] != shop.Kind || names["plural"] != source.Resource || shop.Group != source.Group ||
		shop.ID != b.Roots[0].ID || deployment.Owners[0].Kind != shop.Kind || deployment.Owners[0].Name != shop.Name || !strings.HasPrefix(shop.Conditions[0].Message, shop.Kind+" ") {
		t.Errorf("they no longer go together:\n%s", text)
	}
}
