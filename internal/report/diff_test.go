package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// well is the shop after the repair: its Deployment alone, complete.
func well(t *testing.T, namespace string) *model.Model {
	t.Helper()
	m, _ := model.New(model.Options{Now: t0, Sources: []string{"deploy/web"}})
	o := decode(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"`+namespace+`","uid":"u1","generation":3,"resourceVersion":"90"},
		"spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"acme/web:1"}]}}},
		"status":{"observedGeneration":3,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1}}`)
	m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{
		Seq: 1, At: t0, Roots: []feed.Root{{ID: o.ID, Source: "deploy/web"}}, Objects: []*object.Object{o}, Synced: true,
	}})
	return m
}

func TestADifferenceNamesFieldsCausesAndObjectsOfOneSide(t *testing.T) {
	a, b := Moment{"bad", shop(t).Facts}, Moment{"good", well(t, "shop").Facts}
	d := Compare(a, b)
	if len(d.Causes.OnlyA) == 0 || len(d.Causes.OnlyB)+len(d.Causes.Both) != 0 {
		t.Errorf("causes: %+v", d.Causes)
	}
	got := map[string]Field{}
	in := map[string]string{}
	for _, r := range d.Resources {
		in[r.Ref.Kind] = r.In
		for _, f := range r.Fields {
			got[r.Ref.Kind+" "+f.Field] = f
		}
	}
	for what, want := range map[string][2]string{
		"Deployment image web":           {"acme/web:nope", "acme/web:1"},
		"Deployment ready":               {"", "1"},
		"Deployment condition Available": {"False MinimumReplicasUnavailable", ""},
	} {
		if f := got[what]; f.A != want[0] || f.B != want[1] {
			t.Errorf("%s: %q and %q, want %q", what, f.A, f.B, want)
		}
	}
	if in["Deployment"] != "both" || in["Job"] != "a" || in["ConfigMap"] != "a" {
		t.Errorf("who has what: %v", in)
	}
	if same := Compare(a, a); len(same.Resources) != 0 || same.Same != len(a.Facts.Roots()) || len(same.Causes.Both) != len(d.Causes.OnlyA) {
		t.Errorf("a state differs from itself: %+v", same)
	}
	for _, format := range DiffFormats {
		var out bytes.Buffer
		if err := Diff(&out, Compare(a, b), format); err != nil || !strings.Contains(out.String(), "acme/web:nope") {
			t.Errorf("%s: %v\n%s", format, err, out.String())
		}
	}
}

// The run that worked was in staging.
func TestObjectsOfDifferentNamespacesAreComparedByKindAndName(t *testing.T) {
	a, b := Moment{"bad", shop(t).Facts}, Moment{"good", well(t, "staging").Facts}
	d := Compare(a, b)
	if d.Elsewhere != 1 {
		t.Fatalf("%d are in another namespace", d.Elsewhere)
	}
	for _, r := range d.Resources {
		if r.Ref.Kind != "Deployment" {
			continue
		}
		if r.In != "both" || r.Ref.Namespace != "shop" || r.RefB.Namespace != "staging" || len(r.Fields) == 0 {
			t.Errorf("%+v", r)
		}
	}
	for _, format := range DiffFormats {
		var out bytes.Buffer
		if err := Diff(&out, Compare(a, b), format); err != nil {
			t.Fatal(err)
		}
		want := "One object is in another namespace in B than in A: it is compared by kind and name."
		if format == "json" {
			want = `"namespace": "staging"`
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s:\n%s", format, out.String())
		}
	}
	var out bytes.Buffer
	if err := Diff(&out, Compare(b, b), "text"); err != nil || strings.Contains(out.String(), "namespace") {
		t.Errorf("%v\n%s", err, out.String())
	}

	// Two of a name could each be meant.
	two := func(namespaces ...string) *model.Model {
		m, _ := model.New(model.Options{Now: t0})
		b := feed.Batch{Seq: 1, At: t0, Synced: true}
		for _, ns := range namespaces {
			o := &object.Object{ID: object.ID{Kind: "ConfigMap", Namespace: ns, Name: "settings"}, MetadataOnly: true}
			b.Roots, b.Objects = append(b.Roots, feed.Root{ID: o.ID}), append(b.Objects, o)
		}
		m, _ = m.Update(model.BatchArrived{Batch: b})
		return m
	}
	if d := Compare(Moment{"a", two("one").Facts}, Moment{"b", two("two", "three").Facts}); d.Elsewhere != 0 || len(d.Resources) != 3 {
		t.Errorf("%d of %d are paired", d.Elsewhere, len(d.Resources))
	}
	if d := Compare(Moment{"a", two("one", "two").Facts}, Moment{"b", two("two", "three").Facts}); d.Elsewhere != 1 || d.Same != 2 {
		t.Errorf("%d are paired, %d the same: two stays with two", d.Elsewhere, d.Same)
	}
}

// A value of 300 characters does not push the others off the screen.
func TestALongValueStandsOnALineOfItsOwn(t *testing.T) {
	long := strings.Repeat("word ", 60)
	d := Difference{Resources: []Changed{{
		Ref: object.ID{Kind: "Deployment", Name: "web"}, In: "both",
		Fields: []Field{{"status", "Current", "Failed"}, {"message", "", long}, {"generation", "1", "2"}},
	}}}
	var out bytes.Buffer
	if err := Diff(&out, d, "text"); err != nil {
		t.Fatal(err)
	}
	want := "\nDeployment/web\n  status      Current → Failed\n  message     -\n              → " + strings.TrimSpace(long) + "\n  generation  1 → 2\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("it printed\n%s\nwant\n%s", &out, want)
	}
}
