package inventory

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestIDStringsAreReadAsTheirWritersMeanThem(t *testing.T) {
	for _, test := range []struct {
		in    string
		want  object.ID
		other string
	}{
		{in: "default_podinfo_apps_Deployment", want: object.ID{Group: "apps", Kind: "Deployment", Namespace: "default", Name: "podinfo"}},
		// The core group is empty: these two underscores are no colon.
		{in: "default_podinfo__Service", want: object.ID{Kind: "Service", Namespace: "default", Name: "podinfo"}},
		{in: "_podinfo-view_rbac.authorization.k8s.io_ClusterRole", want: object.ID{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "podinfo-view"}},
		{
			in:    "_system__controller__x_rbac.authorization.k8s.io_ClusterRole",
			want:  object.ID{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "system:controller:x"},
			other: "system__controller__x",
		},
		// Flux's reader takes underscores in RBAC names, the original refuses them.
		{in: "_odd_name_rbac.authorization.k8s.io_ClusterRole", want: object.ID{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "odd_name"}},
		{in: "_ns1__Namespace", want: object.ID{Kind: "Namespace", Name: "ns1"}},
	} {
		m, err := parseID(test.in)
		if err != nil || m.ID != test.want || m.Other != test.other {
			t.Errorf("%s: %+v (%q), %v, want %+v (%q)", test.in, m.ID, m.Other, err, test.want, test.other)
		}
	}
}

func TestAnUnreadableEntryOfAnInventoryIsARowWithTheReason(t *testing.T) {
	for in, want := range map[string]string{
		"ca.crt":                 "it is not NAMESPACE_NAME_GROUP_KIND",
		"a_b":                    "it is not NAMESPACE_NAME_GROUP_KIND",
		"a_b_c":                  "it is not NAMESPACE_NAME_GROUP_KIND",
		"default_x_apps_":        `"" cannot be a kind`,
		"default__apps_Kind":     `"" cannot be a name`,
		"Default_x_apps_Kind":    `"Default" cannot be a namespace`,
		"default_x_Apps_Kind":    `"Apps" cannot be an API group`,
		"default_x_apps_Ki nd":   `"Ki nd" cannot be a kind`,
		"default_a/b_apps_Kind":  `"a/b" cannot be a name`,
		"default_.._apps_Kind":   `".." cannot be a name`,
		"default_a\x1bb_apps_X":  `"a\x1bb" cannot be a name`,
		"default_a?%2e_apps_Job": `"a?%2e" cannot be a name`,
	} {
		s := Set{}
		s.addID(in, "v1")
		s.addID("default_web_apps_Deployment", "v1")
		if len(s.Members) != 2 || s.Members[0].Unreadable != want || s.Members[1].Unreadable != "" {
			t.Errorf("%q: %+v, want %q", in, s.Members, want)
		}
	}
}

// payload packs a release as Helm does.
func payload(t testing.TB, release any, compress bool) []byte {
	t.Helper()
	data, err := json.Marshal(release)
	if err != nil {
		t.Fatal(err)
	}
	if compress {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		data = b.Bytes()
	}
	return []byte(base64.StdEncoding.EncodeToString(data))
}

const helmManifest = `---
# Source: web/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec: {template: {spec: {containers: [{name: a, env: [{name: PASSWORD, value: hunter2}]}]}}}
---apiVersion: v1
kind: Service
metadata: {name: web, namespace: other}
---
# Source: web/templates/empty.yaml

---
apiVersion: v1
kind: List
items:
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRole
  metadata: {name: "system:web"}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: kept, annotations: {helm.sh/resource-policy: keep}}
---
apiVersion: batch/v1
kind: Job
metadata: {generateName: once-}
---
{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "creds"}, "stringData": {"password": "hunter2"}}
---
: [ not yaml
`

func release() map[string]any {
	return map[string]any{
		"name": "web", "namespace": "shop", "version": 10, "manifest": helmManifest,
		"info":   map[string]any{"status": "pending-upgrade", "description": "Preparing upgrade", "first_deployed": "2026-01-02T03:04:05.678Z"},
		"config": map[string]any{"password": "hunter2"},
		"chart":  map[string]any{"metadata": map[string]any{"name": "web", "version": "1.2.3", "appVersion": "9"}, "values": map[string]any{"password": "hunter2"}},
		"hooks": []any{
			map[string]any{"name": "migrate", "kind": "Job", "events": []any{"pre-upgrade"}, "manifest": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\n", "last_run": map[string]any{"phase": "Running"}},
			map[string]any{"name": "test", "kind": "Pod", "events": []any{"test"}, "manifest": "apiVersion: v1\nkind: Pod\nmetadata: {name: test}\n"},
			map[string]any{"name": "after", "kind": "Job", "events": []any{"post-upgrade"}, "manifest": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: after}\n"},
		},
	}
}

func TestAHelmReleaseIsReadWithoutItsSecretParts(t *testing.T) {
	for _, compress := range []bool{true, false} {
		r, err := DecodeHelm(payload(t, release(), compress))
		if err != nil {
			t.Fatal(err)
		}
		var got, hooks []string
		for _, m := range r.Members {
			if m.Optional {
				hooks = append(hooks, m.ID.String()+" "+m.Note)
				continue
			}
			line := m.ID.GroupKind() + " " + m.ID.Namespace + "/" + m.ID.Name + " " + m.Version
			if m.Unreadable != "" {
				line = "unreadable " + m.ID.Name + ": " + m.Unreadable
			}
			got = append(got, strings.TrimSpace(line+" "+m.Note))
		}
		want := []string{
			"apps/Deployment shop/web v1", "Service other/web v1",
			"rbac.authorization.k8s.io/ClusterRole shop/system:web v1", "ConfigMap shop/kept v1 kept when uninstalled",
			"unreadable Job/once-: its name was generated when it was created, and is not in the manifest",
			"Secret shop/creds v1",
			"unreadable document 6 of the manifest: it is not YAML of an object",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if diff := cmp.Diff([]string{"Job/migrate hook pre-upgrade (running)", "Job/after hook post-upgrade"}, hooks); diff != "" {
			t.Errorf("hooks (-want +got)\n%s", diff)
		}
		if text := fmt.Sprintf("%+v", r); strings.Contains(text, "hunter2") {
			t.Errorf("a secret has been kept: %s", text)
		}
	}
}

func TestAReleaseThatIsBrokenOrTooLargeIsRefused(t *testing.T) {
	good := payload(t, release(), true)
	bomb := payload(t, map[string]any{"name": "x", "manifest": strings.Repeat("# nothing\n", maxRelease/10+10)}, true)
	for _, test := range []struct {
		name string
		in   []byte
		want string
	}{
		{"no base64", []byte("?"), "corrupted: illegal base64"},
		{"cut off", good[:len(good)/2/4*4], "corrupted: unexpected EOF"},
		{"no JSON", []byte(base64.StdEncoding.EncodeToString([]byte("hello"))), "not the JSON"},
		{"something else", payload(t, map[string]any{"a": 1}, true), "not the JSON"},
		{"a bomb", bomb, "larger than 32 MiB"},
	} {
		if _, err := DecodeHelm(test.in); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestAManifestOfFiveMegabytesIsReadByItsHeads(t *testing.T) {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c%d\ndata:\n  a: |\n%s", i, strings.Repeat("    metadata: {name: nobody}\n", 4000))
	}
	s := Set{}
	s.manifest("manifest", b.String(), "shop")
	if len(s.Members) != 50 || s.Members[49].ID.Name != "c49" || b.Len() < 5<<20 {
		t.Errorf("%d members of %d bytes", len(s.Members), b.Len())
	}
}

// object is YAML as the root of an inventory.
func obj(t testing.TB, text string) (root, o *object.Object) {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		t.Fatal(err)
	}
	o, err = convert.JSON(data, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &object.Object{ID: o.ID, Tree: body}, o
}

// words is a set as text.
func words(s Set) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, strings.TrimSpace(fmt.Sprintf(format, args...))) }
	for _, m := range s.Members {
		var line strings.Builder
		line.WriteString(m.ID.GroupKind() + " " + m.ID.Namespace + "/" + m.ID.Name)
		for _, more := range []string{m.Version, m.Note, m.Unreadable} {
			if more != "" {
				line.WriteString(", " + more)
			}
		}
		if m.Cluster != "" {
			line.WriteString(", in " + m.Cluster)
		}
		if m.Reported.Word != "" {
			line.WriteString(", " + m.Reported.By + ": " + m.Reported.Word + "=" + string(m.Reported.Status))
		}
		if m.Optional {
			line.WriteString(", optional")
		}
		say("%s", line.String())
	}
	for _, l := range s.Labels {
		var kinds []string
		for _, k := range l.Kinds {
			kinds = append(kinds, k.GroupKind())
		}
		say("label %s of %s in %s %s", l.Selector, strings.Join(kinds, ","), strings.Join(l.Namespaces, ","), l.Filter)
	}
	if s.Release.Name != "" {
		say("release %s/%s", s.Release.Namespace, s.Release.Name)
	}
	if s.Outdated {
		say("outdated")
	}
	if s.Source.Kind == "HelmChart" {
		say("source: %s at %s", s.Source, s.Taken)
	}
	for what, v := range map[string]string{"revision": s.Revision, "target": s.Target, "pending": s.Pending, "cluster": s.Cluster, "told": s.Given.Message} {
		if v != "" {
			say("%s: %s", what, v)
		}
	}
	if s.Unlisted {
		say("unlisted")
	}
	for _, n := range s.Notes {
		say("note: %s", n)
	}
	return out
}

func yamlInto(text string, into any) error {
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
