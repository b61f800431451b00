package registry

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestNoKindHasTwoRows(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rows() {
		for _, k := range r.Kinds {
			if key := r.Group + "/" + k; seen[key] {
				t.Errorf("two rows for %s", key)
			} else {
				seen[key] = true
			}
		}
	}
}

func TestAMalformedRegistryIsRefusedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"current .status.x":                                    "line 1: before the first kind",
		"kind example.org":                                     "line 1: no kinds",
		"kind example.org A\nsource s\nfine .status.x":         "line 3: unknown word",
		"kind example.org A\nsource s\nfailed status.x":        "line 3: \"status.x\" is not a .path",
		"kind example.org A\nsource s\nfailed .status.x<y":     "line 3: ",
		"kind example.org A\nsource s\nfailed .a[].b!=.a[].c":  "line 3: only numbers are compared in lists",
		"kind example.org A\nsource s\nfailed \".status.x=a b": "line 3: a quote at the wrong place",
		"kind example.org A\nsource s\nsense Ready=wonderful":  "line 3: unknown sense",
		"kind example.org A\nfailed .status.x":                 "registry:example.org/A has no source",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestARowInAnotherGroupsFileIsRefused(t *testing.T) {
	row := func(group string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("kind " + group + " A\nsource s\n")}
	}
	for _, c := range []struct {
		files fstest.MapFS
		want  string
	}{
		{fstest.MapFS{"groups/core.txt": row("-"), "groups/example.org.txt": row("*.example.org"), "groups/apps.example.org.txt": row("apps.example.org")}, ""},
		{fstest.MapFS{"groups/example.org.txt": row("db.example.org")}, ""},
		{fstest.MapFS{"groups/example.org.txt": row("example.com")}, "registry:example.com/A belongs in a file named after its group"},
		{fstest.MapFS{"groups/example.org.txt": row("badexample.org")}, "belongs in a file named after its group"},
		{
			fstest.MapFS{"groups/example.org.txt": row("apps.example.org"), "groups/apps.example.org.txt": row("apps.example.org")},
			"groups/example.org.txt: the row of registry:apps.example.org/A belongs in groups/apps.example.org.txt",
		},
		{fstest.MapFS{"groups/example.org.txt": {Data: []byte("\n\nfine")}}, "groups/example.org.txt: line 3: before the first kind"},
	} {
		_, err := readFiles(c.files)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestFieldsThatRegistryRowsReadAreKept(t *testing.T) {
	got := FieldsRead("elasticsearch.k8s.elastic.co", "Elasticsearch")
	if want := []string{"spec", "nodeSets", "[]", "count"}; !slices.ContainsFunc(got, func(path []string) bool { return slices.Equal(path, want) }) {
		t.Errorf("%v is not kept: %v", want, got)
	}
	if got := FieldsRead("example.org", "Widget"); len(got) != 0 {
		t.Errorf("a kind without a row keeps %v", got)
	}
}

func TestGroupsOfKnownProjectsAreFamiliar(t *testing.T) {
	for group, want := range map[string]bool{
		"": true, "apps": true, "gateway.networking.k8s.io": true, "batch.kubernetes.io": true, "cert-manager.io": true, "acme.cert-manager.io": true,
		"kustomize.toolkit.fluxcd.io": true, "argoproj.io": true, "helm.sh": true, "s3.aws.upbound.io": true,
		"shop.example.org": false, "acme.example": false, "team.github.com": false, "something.google.com": false,
	} {
		if got := Familiar(group); got != want {
			t.Errorf("%q: %v", group, got)
		}
	}
}

func TestTheKindsOfAName(t *testing.T) {
	if got := KindsNamed("dataVolume"); !slices.Equal(got, []object.ID{{Group: "cdi.kubevirt.io", Kind: "DataVolume"}}) {
		t.Errorf("of a DataVolume: %v", got)
	}
	for _, id := range KindsNamed("ProviderConfig") { // a row is for all groups of a domain
		if strings.Contains(id.Group, "*") {
			t.Errorf("of a ProviderConfig: %q is no group", id.Group)
		}
	}
}
