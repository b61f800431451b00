package inventory

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestABrokenDocumentIsNamedAndTheOthersFollow(t *testing.T) {
	const file = `# nothing but a comment
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---
apiVersion: v1
  kind: [
---
just text
---
apiVersion: v1
kind: PodList
items:
- metadata: {name: p, generation: 3, creationTimestamp: yesterday, ownerReferences: 7, annotations: {a: true}}
- 7
---
{"apiVersion":"v1","kind":"Secret"}
{"apiVersion":"v1"}
{"apiVersion":"v1",
 "kind":}
`
	var got []string
	for o, err := range Objects("app.yaml", []byte(file)) {
		if err != nil {
			got = append(got, "error "+err.Error())
			continue
		}
		got = append(got, strings.TrimSpace(o.Kind+" "+string(o.JSON)))
	}
	want := []string{
		`ConfigMap {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`,
		"error app.yaml, document 2, line 8: broken YAML: mapping values are not allowed in this context",
		"error app.yaml, document 3, line 10: this is plain text, not a Kubernetes manifest",
		`Pod {"metadata":{"annotations":{"a":true},"creationTimestamp":"yesterday","generation":3,"name":"p","ownerReferences":7}}`,
		"error app.yaml, document 4, line 12, items[1]: this is a number, not a Kubernetes manifest",
		`Secret {"apiVersion":"v1","kind":"Secret"}`,
		"error app.yaml, document 5, line 19: not a Kubernetes object: it has no kind",
		"error app.yaml, document 5, line 21: broken JSON: invalid character '}' looking for beginning of value",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The YAML libraries take the last one without a word.
func TestAKeyThatStandsTwiceIsAnError(t *testing.T) {
	for text, want := range map[string]string{
		"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  name: b\n":    `many.yaml, document 1, line 5: broken YAML: key "name" already set in map`,
		"apiVersion: v1\nkind: ConfigMap\nkind: Pod\nmetadata: {name: a}\n":     `many.yaml, document 1, line 3: broken YAML: key "kind" already set in map`,
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {name: a}": "",
	} {
		for _, err := range Objects("many.yaml", []byte(text)) {
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	}
}
